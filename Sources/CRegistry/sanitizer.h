// What ThreadSanitizer is told beyond the C11 atomics and the mutexes of this module, which it understands by itself: reads
// happen before the disposal of what they may have found, also where the reader's thread has ended. And what it must not
// take for an order between two threads of the user's: the way in which a thread record passes from one to the next.
// Nothing more is said than what is true, so a race in a user's service is still reported. See story I in reclaim.c.
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
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
/// The calling thread has seen all that was done before `HOP_TSAN_RELEASE` of the same address.
#define HOP_TSAN_ACQUIRE(address) __tsan_acquire((void *)(address))
/// What the calling thread did until now is seen by whoever passes `HOP_TSAN_ACQUIRE` of the same address.
#define HOP_TSAN_RELEASE(address) __tsan_release((void *)(address))
/// Loads and stores of what one thread at a time has, where ThreadSanitizer does not see how the next one gets it.
#define HOP_OWN_LOAD(word) __atomic_load_n(&(word), __ATOMIC_RELAXED)
#define HOP_OWN_STORE(word, value) __atomic_store_n(&(word), value, __ATOMIC_RELAXED)
/// What the calling thread allocates and writes until `HOP_TSAN_IGNORE_END` is nobody's: it passes on in ways that are not
/// seen.
#define HOP_TSAN_IGNORE_BEGIN() AnnotateIgnoreWritesBegin(__FILE__, __LINE__)
#define HOP_TSAN_IGNORE_END() AnnotateIgnoreWritesEnd(__FILE__, __LINE__)
/// What the calling thread reads until `HOP_TSAN_IGNORE_READS_END` is not looked at.
#define HOP_TSAN_IGNORE_READS_BEGIN() AnnotateIgnoreReadsBegin(__FILE__, __LINE__)
#define HOP_TSAN_IGNORE_READS_END() AnnotateIgnoreReadsEnd(__FILE__, __LINE__)
#else
#define HOP_TSAN_ACQUIRE(address) ((void)(address))
#define HOP_TSAN_RELEASE(address) ((void)(address))
#define HOP_OWN_LOAD(word) (word)
#define HOP_OWN_STORE(word, value) ((void)((word) = (value)))
#define HOP_TSAN_IGNORE_BEGIN() ((void)0)
#define HOP_TSAN_IGNORE_END() ((void)0)
#define HOP_TSAN_IGNORE_READS_BEGIN() ((void)0)
#define HOP_TSAN_IGNORE_READS_END() ((void)0)
#endif

#endif
