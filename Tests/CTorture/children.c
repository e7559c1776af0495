// Child processes with a time limit and captured output.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "CTorture.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
/// By default, ThreadSanitizer terminates a forked child of a multithreaded process that starts a thread.
const char *__tsan_default_options(void);
__attribute__((visibility("default"))) const char *__tsan_default_options(void) { return "die_after_fork=0"; }
#endif
#endif

/// Whether this process is a child.
static bool is_child;

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
/// LeakSanitizer calls this at exit. Memory that a child still uses when it exits is not a leak.
int __lsan_is_turned_off(void);
__attribute__((visibility("default"))) int __lsan_is_turned_off(void) { return is_child; }
#endif
#endif

static long milliseconds_since(const struct timespec *start) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - start->tv_sec) * 1000 + (now.tv_nsec - start->tv_nsec) / 1000000;
}

static void hear(struct torture_child *child, const char *bytes, size_t count) {
    for (size_t index = 0; index < count; index++) {
        const size_t length = strlen(child->first_line);
        if (bytes[index] == '\n') {
            child->lines += 1;
        } else if (child->lines == 0 && length + 1 < sizeof child->first_line) {
            child->first_line[length] = bytes[index];
        }
    }
}

struct torture_child torture_child_run(int (*body)(void *), void *context, unsigned milliseconds) {
    int ends[2];
    if (pipe(ends) != 0) abort();
    struct timespec start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    const pid_t process = fork();
    if (process < 0) abort();
    if (process == 0) {
        is_child = true;
        close(ends[0]);
        dup2(ends[1], STDERR_FILENO);
        close(ends[1]);
        _exit(body(context));
    }
    close(ends[1]);
    struct torture_child child = {.in_time = true, .status = -1};
    bool silent = false;
    int status = 0;
    while (true) {
        const long left = (long)milliseconds - milliseconds_since(&start);
        if (left <= 0 && child.in_time) {
            child.in_time = false;
            kill(process, SIGKILL);
        }
        if (!silent) {
            // The output fits into the pipe, which is closed with the process.
            struct pollfd listening = {.fd = ends[0], .events = POLLIN};
            if (poll(&listening, 1, left > 0 ? (int)left : 0) <= 0) continue;
            char bytes[256];
            const ssize_t count = read(ends[0], bytes, sizeof bytes);
            if (count > 0) hear(&child, bytes, (size_t)count);
            silent = count == 0;
        } else {
            const pid_t ended = waitpid(process, &status, child.in_time ? WNOHANG : 0);
            if (ended == process) break;
            if (ended < 0 && errno != EINTR) abort();
            nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
        }
    }
    close(ends[0]);
    if (WIFEXITED(status)) child.status = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) child.signal = WTERMSIG(status);
    return child;
}
