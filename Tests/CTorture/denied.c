// The calls of membarrier: how many there are, and a system that denies them to a process that used it before. Both by a seccomp
// filter that is installed after the library has started.
#if defined(__linux__)
#define _GNU_SOURCE 1  // For the names of the registers.
#endif
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "CTorture.h"

#if defined(__linux__)

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { DENIED_PATIENCE_MILLISECONDS = 20000 };

static const hop_key denied_key = {.type = 16};

struct denied_payload {
    _Alignas(16) _Atomic unsigned releases;
};

static void denied_release(const void *payload) {
    atomic_fetch_add_explicit(&((struct denied_payload *)payload)->releases, 1, memory_order_relaxed);
}

/// Changes the result of membarrier for this thread and for all threads that it starts.
static bool filter_membarrier(unsigned action) {
    struct sock_filter instructions[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {.len = sizeof instructions / sizeof *instructions, .filter = instructions};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

static bool deny_membarrier(void) {
    return filter_membarrier(SECCOMP_RET_ERRNO | EPERM) && syscall(__NR_membarrier, 0, 0, 0) == -1 && errno == EPERM;
}

struct denied_borrower {
    hop_registry *registry;
    _Atomic bool is_inside;
    _Atomic bool may_leave;
};

static void *denied_borrow(void *argument) {
    struct denied_borrower *borrower = argument;
    const hop_borrowed found = hop_borrow_begin(borrower->registry, denied_key);
    if (found.borrow == NULL) abort();
    atomic_store_explicit(&borrower->is_inside, true, memory_order_release);
    while (!atomic_load_explicit(&borrower->may_leave, memory_order_acquire)) sched_yield();
    hop_borrow_end(found.borrow);
    return NULL;
}

/// Removes a payload while another thread borrows it. With `waits`, the borrower leaves after the removal, otherwise
/// concurrently.
static int denied_removal(bool waits) {
    struct denied_payload payload = {0};
    struct denied_borrower borrower = {.registry = hop_registry_make()};
    hop_push(borrower.registry, denied_key, &payload, NULL);
    pthread_t thread;
    if (pthread_create(&thread, NULL, denied_borrow, &borrower) != 0) return 2;
    while (!atomic_load_explicit(&borrower.is_inside, memory_order_acquire)) sched_yield();
    if (!waits) atomic_store_explicit(&borrower.may_leave, true, memory_order_release);
    if (!hop_remove(borrower.registry, denied_key, &payload, denied_release)) return 3;
    if (waits && atomic_load_explicit(&payload.releases, memory_order_relaxed) != 0) return 4;
    atomic_store_explicit(&borrower.may_leave, true, memory_order_release);
    pthread_join(thread, NULL);
    // No write happened since, so the end of the borrow or the removal must have released it.
    if (atomic_load_explicit(&payload.releases, memory_order_relaxed) != 1) return 5;
    if (hop_statistics_read(NULL).deferred != 0) return 6;
    hop_registry_destroy(borrower.registry, denied_release);
    return 0;
}

static int denied_body(void *context) {
    const bool waits = context == NULL;
    // The library has registered for membarrier and has used it.
    if (denied_removal(true) != 0) return 1;
    if (!deny_membarrier()) return 10;
    for (unsigned round = 0; round < 200; round++) {
        const int finding = denied_removal(waits || round % 2 != 0);
        if (finding != 0) return 10 + finding;
    }
    return 0;
}

int torture_deny_membarrier(bool at_once) {
    int once = 0;
    const struct torture_child child =
        torture_child_run(denied_body, at_once ? &once : NULL, DENIED_PATIENCE_MILLISECONDS);
    return child.in_time ? (child.signal != 0 ? -child.signal : child.status) : -1;
}

// MARK: Counting

static _Atomic unsigned counted_calls;

/// Counts a call of membarrier and lets it succeed.
static void count_call(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)info;
    atomic_fetch_add_explicit(&counted_calls, 1, memory_order_relaxed);
    mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;
#if defined(__x86_64__)
    machine->gregs[REG_RAX] = 0;
#elif defined(__aarch64__)
    machine->regs[0] = 0;
#else
#error "Where does this processor keep the result of a system call?"
#endif
}

static unsigned calls_since_the_last_count(void) {
    return atomic_exchange_explicit(&counted_calls, 0, memory_order_relaxed);
}

/// Pushes payloads of many keys, so that the table is replaced some times.
static void push_many(hop_registry *registry, struct denied_payload *payloads, unsigned count) {
    for (unsigned number = 0; number < count; number++) {
        hop_push(registry, (hop_key){.type = 16 * (2 + number)}, &payloads[number], NULL);
    }
}

static int counted_body(void *context) {
    (void)context;
    enum { MANY = 200 };
    static struct denied_payload payload, borrowed, payloads[MANY];
    const struct sigaction action = {.sa_sigaction = count_call, .sa_flags = SA_SIGINFO};
    if (sigaction(SIGSYS, &action, NULL) != 0 || !filter_membarrier(SECCOMP_RET_TRAP)) return 1;
    const unsigned one = hop_statistics_read(NULL).reader_fences ? 0 : 1;
    struct denied_borrower borrower = {.registry = hop_registry_make()};
    hop_push(borrower.registry, denied_key, &payload, NULL);
    (void)hop_contains(borrower.registry, denied_key);
    if (!hop_remove(borrower.registry, denied_key, &payload, denied_release)) return 2;
    if (calls_since_the_last_count() != 0) return 3;  // No other thread has a record.
    hop_push(borrower.registry, denied_key, &borrowed, NULL);
    pthread_t thread;
    if (pthread_create(&thread, NULL, denied_borrow, &borrower) != 0) return 4;
    while (!atomic_load_explicit(&borrower.is_inside, memory_order_acquire)) sched_yield();
    hop_registry *other = hop_registry_make();
    push_many(other, payloads, MANY);
    if (hop_statistics_read(other).capacity < MANY || calls_since_the_last_count() != 0) return 5;
    // The second payload of a key: the removal retires a payload, nodes and the replaced tables.
    hop_push(other, (hop_key){.type = 32}, &payload, NULL);
    if (!hop_remove(other, (hop_key){.type = 32}, &payload, denied_release)) return 6;
    if (calls_since_the_last_count() != one) return 7;
    // A borrow of this thread needs no fence of another one.
    hop_borrow *own = hop_borrow_begin(other, (hop_key){.type = 32}).borrow;
    if (own == NULL || !hop_remove(other, (hop_key){.type = 32}, &payloads[0], denied_release)) return 8;
    if (calls_since_the_last_count() != one) return 9;
    hop_borrow_end(own);
    if (calls_since_the_last_count() != 0) return 10;
    hop_remove_all(other, denied_release);
    if (calls_since_the_last_count() != one) return 11;
    if (!hop_remove(borrower.registry, denied_key, &borrowed, denied_release)) return 12;
    if (calls_since_the_last_count() != 2 * one) return 13;  // The release is deferred.
    hop_registry_destroy(other, denied_release);
    if (calls_since_the_last_count() != 0) return 14;
    atomic_store_explicit(&borrower.may_leave, true, memory_order_release);
    pthread_join(thread, NULL);
    if (atomic_load_explicit(&borrowed.releases, memory_order_relaxed) != 1) return 15;
    hop_registry_destroy(borrower.registry, denied_release);
    return calls_since_the_last_count() == 0 ? 0 : 16;
}

int torture_count_membarriers(void) {
    const struct torture_child child = torture_child_run(counted_body, NULL, DENIED_PATIENCE_MILLISECONDS);
    return child.in_time ? (child.signal != 0 ? -child.signal : child.status) : -1;
}

bool torture_membarrier_is_granted(void) {
    enum { QUERY = 0, PRIVATE_EXPEDITED = 1 << 3 };
    const long commands = syscall(__NR_membarrier, QUERY, 0, 0);
    return commands > 0 && (commands & PRIVATE_EXPEDITED) != 0;
}

#else

int torture_deny_membarrier(bool at_once) {
    (void)at_once;
    return 0;  // There is no membarrier to deny.
}

int torture_count_membarriers(void) { return 0; }

bool torture_membarrier_is_granted(void) { return false; }

#endif
