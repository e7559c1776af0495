#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "CHarness.h"

struct har_call {
    pthread_t thread;
    unsigned number;
    void (*body)(unsigned, void *);
    void *context;
};

#if defined(__linux__)
unsigned har_processors(void) {
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? (unsigned)CPU_COUNT(&allowed) : 1;
}

/// Moves the calling thread to one of the processors that it may use.
static void har_stay(unsigned number) {
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    unsigned left = number % (unsigned)CPU_COUNT(&allowed);
    for (int processor = 0; processor < CPU_SETSIZE; processor++) {
        if (!CPU_ISSET(processor, &allowed) || left-- != 0) continue;
        CPU_ZERO(&one);
        CPU_SET(processor, &one);
        // If the system refuses this, the thread works nevertheless.
        (void)pthread_setaffinity_np(pthread_self(), sizeof one, &one);
        return;
    }
}
#else
unsigned har_processors(void) { return (unsigned)sysconf(_SC_NPROCESSORS_ONLN); }
static void har_stay(unsigned number) { (void)number; }
#endif

static void *har_start(void *argument) {
    const struct har_call *call = argument;
    har_stay(call->number);
    call->body(call->number, call->context);
    return NULL;
}

void har_store(uint16_t *word, uint16_t value) { *(volatile uint16_t *)word = value; }

void har_yield(void) { sched_yield(); }

static _Thread_local void *har_context;

void *har_thread_context(void) { return har_context; }

void har_set_thread_context(void *context) { har_context = context; }

static void har_hung(int signal) {
    static const char message[] = "VIOLATION  threads wait for ever\n";
    (void)signal;
    if (write(STDOUT_FILENO, message, sizeof message - 1) < 0) _exit(2);
    _exit(1);
}

void har_watch(unsigned seconds) {
    signal(SIGALRM, har_hung);
    alarm(seconds);
}

void har_run_threads(unsigned count, void (*body)(unsigned, void *), void *context) {
    struct har_call *calls = calloc(count, sizeof *calls);
    if (calls == NULL) abort();
    for (unsigned number = 0; number < count; number++) {
        calls[number] = (struct har_call){.number = number, .body = body, .context = context};
        if (pthread_create(&calls[number].thread, NULL, har_start, &calls[number]) != 0) {
            fputs("linearizability: the system refuses a thread\n", stderr);
            abort();
        }
    }
    for (unsigned number = 0; number < count; number++) pthread_join(calls[number].thread, NULL);
    free(calls);
}
