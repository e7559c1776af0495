// The hooks of the Swift runtime are variables of its library (include/swift/Runtime/Concurrency.h in its sources).

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "CExecutor.h"

#define SWIFT_CC __attribute__((swiftcall))

typedef struct {
    void *identity;
    uintptr_t implementation;
} facade_serial_executor;

extern SWIFT_CC void (*swift_task_enqueueGlobal_hook)(void *job, void *original);
extern SWIFT_CC void (*swift_task_enqueueMainExecutor_hook)(void *job, void *original);
extern SWIFT_CC void (*swift_task_enqueueGlobalWithDelay_hook)(unsigned long long delay, void *job, void *original);
extern SWIFT_CC void swift_job_run(void *job, facade_serial_executor executor);

static void (*facade_enqueue)(void *job);

static SWIFT_CC void facade_global(void *job, void *original) {
    (void)original;
    facade_enqueue(job);
}

static SWIFT_CC void facade_delayed(unsigned long long delay, void *job, void *original) {
    (void)delay;
    (void)original;
    facade_enqueue(job);
}

void facade_executor_install(void (*enqueue)(void *job)) {
    facade_enqueue = enqueue;
    swift_task_enqueueGlobal_hook = facade_global;
    swift_task_enqueueMainExecutor_hook = facade_global;
    swift_task_enqueueGlobalWithDelay_hook = facade_delayed;
}

void facade_executor_run(void *job) {
    const facade_serial_executor generic = {NULL, 0};
    swift_job_run(job, generic);
}

typedef struct {
    void (*body)(void *context);
    void *context;
} facade_call;

static void *facade_thread_main(void *argument) {
    const facade_call *call = argument;
    call->body(call->context);
    return NULL;
}

void facade_thread_run(void (*body)(void *context), void *context) {
    facade_call call = {body, context};
    pthread_t thread;
    if (pthread_create(&thread, NULL, facade_thread_main, &call) != 0) abort();
    pthread_join(thread, NULL);
}

void facade_thread_exit(void) { pthread_exit(NULL); }

static const char *facade_line;

static void facade_on_signal(int number) {
    if (facade_line != NULL) {
        ssize_t written = write(STDERR_FILENO, facade_line, strlen(facade_line));
        (void)written;
    }
    signal(number, SIG_DFL);
    raise(number);
}

void facade_signals_report(const char *line) {
    facade_line = line;
    const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGALRM};
    for (size_t index = 0; index < sizeof signals / sizeof *signals; index++) signal(signals[index], facade_on_signal);
}
