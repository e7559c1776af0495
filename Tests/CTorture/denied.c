// A system that denies membarrier to a process that used it before: a seccomp filter that is installed after the library has
// started.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "CTorture.h"

#if defined(__linux__)

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DENIED_PATIENCE_MILLISECONDS = 20000 };

static const hop_key denied_key = {.type = 16};

struct denied_payload {
    _Alignas(16) _Atomic unsigned releases;
};

static void denied_release(const void *payload) {
    atomic_fetch_add_explicit(&((struct denied_payload *)payload)->releases, 1, memory_order_relaxed);
}

/// Makes membarrier fail for this thread and for all threads that it starts.
static bool deny_membarrier(void) {
    struct sock_filter instructions[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {.len = sizeof instructions / sizeof *instructions, .filter = instructions};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0 &&
           syscall(__NR_membarrier, 0, 0, 0) == -1 && errno == EPERM;
}

struct denied_borrower {
    hop_registry *registry;
    _Atomic bool is_inside;
    _Atomic bool may_leave;
};

static void *denied_borrow(void *argument) {
    struct denied_borrower *borrower = argument;
    const hop_found found = hop_borrow_begin(borrower->registry, denied_key);
    atomic_store_explicit(&borrower->is_inside, true, memory_order_release);
    while (!atomic_load_explicit(&borrower->may_leave, memory_order_acquire)) sched_yield();
    hop_borrow_end(found.thread);
    return NULL;
}

/// Removes a payload while another thread borrows it. With `waits`, the borrower leaves after the removal, otherwise
/// concurrently.
static int denied_removal(bool waits) {
    struct denied_payload payload = {0};
    struct denied_borrower borrower = {.registry = hop_registry_make()};
    hop_push(borrower.registry, denied_key, &payload);
    pthread_t thread;
    if (pthread_create(&thread, NULL, denied_borrow, &borrower) != 0) return 2;
    while (!atomic_load_explicit(&borrower.is_inside, memory_order_acquire)) sched_yield();
    if (!waits) atomic_store_explicit(&borrower.may_leave, true, memory_order_release);
    if (!hop_remove(borrower.registry, denied_key, &payload, denied_release)) return 3;
    if (waits && atomic_load_explicit(&payload.releases, memory_order_relaxed) != 0) return 4;
    atomic_store_explicit(&borrower.may_leave, true, memory_order_release);
    pthread_join(thread, NULL);
    // No write happened since, so the section end or the removal must have released it.
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

#else

int torture_deny_membarrier(bool at_once) {
    (void)at_once;
    return 0;  // There is no membarrier to deny.
}

#endif
