#if defined(__linux__)
#include <malloc.h>
#endif
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "CScaling.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#define CALLGRIND_DUMP_STATS_AT(label) (void)(label)
#endif

bool sca_counts(void) { return RUNNING_ON_VALGRIND != 0; }

void sca_begin(void) {
    // The allocator defers a part of the work of `free`. An allocation of this size makes it catch up now, and not during
    // the operation.
    void *volatile block = malloc(100 * 1000);
    free(block);
    // Not CALLGRIND_ZERO_STATS: it keeps a part of the earlier counts, in each function that ran before.
    CALLGRIND_DUMP_STATS_AT("preparation");
}

void sca_end(const char *label) { CALLGRIND_DUMP_STATS_AT(label); }

size_t sca_heap(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

struct sca_thread {
    pthread_t thread;
    unsigned number;
    bool has_paused;
    struct sca_threads *all;
};

struct sca_threads {
    pthread_mutex_t lock;
    /// Only the thread that has started the others waits for it.
    pthread_cond_t changed;
    pthread_cond_t resumed;
    pthread_cond_t ended;
    unsigned through;
    unsigned paused;
    bool resume;
    bool end;
    unsigned count;
    void (*body)(unsigned number, void *context);
    void *context;
    struct sca_thread threads[];
};

static _Thread_local struct sca_thread *own;

static void *sca_live(void *argument) {
    struct sca_thread *thread = argument;
    struct sca_threads *all = thread->all;
    own = thread;
    all->body(thread->number, all->context);
    pthread_mutex_lock(&all->lock);
    if (thread->has_paused) {
        all->paused--;
    } else {
        all->through++;
    }
    pthread_cond_signal(&all->changed);
    while (!all->end) pthread_cond_wait(&all->ended, &all->lock);
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

sca_threads *sca_threads_start(unsigned count, void (*body)(unsigned, void *), void *context) {
    struct sca_threads *all = calloc(1, sizeof *all + count * sizeof all->threads[0]);
    if (all == NULL) abort();
    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->changed, NULL);
    pthread_cond_init(&all->resumed, NULL);
    pthread_cond_init(&all->ended, NULL);
    all->count = count;
    all->body = body;
    all->context = context;
    for (unsigned number = 0; number < count; number++) {
        all->threads[number].number = number;
        all->threads[number].all = all;
        if (pthread_create(&all->threads[number].thread, NULL, sca_live, &all->threads[number]) != 0) {
            fputs("scaling: the system refuses a thread\n", stderr);
            abort();
        }
    }
    pthread_mutex_lock(&all->lock);
    while (all->through < count) pthread_cond_wait(&all->changed, &all->lock);
    pthread_mutex_unlock(&all->lock);
    return all;
}

void sca_threads_pause(void) {
    struct sca_threads *all = own->all;
    own->has_paused = true;
    pthread_mutex_lock(&all->lock);
    all->through++;
    all->paused++;
    pthread_cond_signal(&all->changed);
    while (!all->resume) pthread_cond_wait(&all->resumed, &all->lock);
    pthread_mutex_unlock(&all->lock);
}

void sca_threads_resume(sca_threads *all) {
    pthread_mutex_lock(&all->lock);
    all->resume = true;
    pthread_cond_broadcast(&all->resumed);
    while (all->paused != 0) pthread_cond_wait(&all->changed, &all->lock);
    pthread_mutex_unlock(&all->lock);
}

void sca_threads_end(sca_threads *all) {
    pthread_mutex_lock(&all->lock);
    all->end = true;
    pthread_cond_broadcast(&all->ended);
    pthread_mutex_unlock(&all->lock);
    for (unsigned number = 0; number < all->count; number++) pthread_join(all->threads[number].thread, NULL);
    pthread_cond_destroy(&all->changed);
    pthread_cond_destroy(&all->resumed);
    pthread_cond_destroy(&all->ended);
    pthread_mutex_destroy(&all->lock);
    free(all);
}
