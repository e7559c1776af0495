// What ThreadSanitizer has to be told, because Concurrency Kit's atomics are inline assembly, which it cannot see.
//
// Everything else in this module uses C11 atomics and pthread mutexes, which it understands by itself. So the only edge to
// draw is the grace period: all that a short read section did happens before the disposal of what it might have found.
// Nothing more is said than what is true, so a race in a user's service is still reported.
#ifndef HOP_SANITIZER_H
#define HOP_SANITIZER_H

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HOP_THREAD_SANITIZER 1
#endif
#endif

#if defined(HOP_THREAD_SANITIZER)
void __tsan_acquire(void *address);
void __tsan_release(void *address);
/// The calling thread has seen all that was done before `HOP_TSAN_RELEASE` of the same address.
#define HOP_TSAN_ACQUIRE(address) __tsan_acquire((void *)(address))
/// What the calling thread did until now is seen by whoever passes `HOP_TSAN_ACQUIRE` of the same address.
#define HOP_TSAN_RELEASE(address) __tsan_release((void *)(address))
#else
#define HOP_TSAN_ACQUIRE(address) ((void)(address))
#define HOP_TSAN_RELEASE(address) ((void)(address))
#endif

#endif
