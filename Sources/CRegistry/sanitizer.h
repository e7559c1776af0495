// Annotations for ThreadSanitizer. It understands the C11 atomics and the mutexes of this module by itself. Two things are
// annotated. First, reads happen before the reclamation of the objects they may have found, even if the reader's thread has
// ended. Second, a thread record that passes from one thread to the next does not order the code of their users. The
// annotations claim only orders that exist, so a race in a user's service is still reported. See story G in reclaim.c.
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
/// Everything before a `HOP_TSAN_RELEASE` of the same address happens before this.
#define HOP_TSAN_ACQUIRE(address) __tsan_acquire((void *)(address))
/// Everything that the calling thread did so far happens before a later `HOP_TSAN_ACQUIRE` of the same address.
#define HOP_TSAN_RELEASE(address) __tsan_release((void *)(address))
/// Loads and stores of fields that one thread at a time owns, if ThreadSanitizer does not see how they pass to the next one.
#define HOP_OWN_LOAD(word) __atomic_load_n(&(word), __ATOMIC_RELAXED)
#define HOP_OWN_STORE(word, value) __atomic_store_n(&(word), value, __ATOMIC_RELAXED)
/// Ignores the calling thread's allocations and writes until `HOP_TSAN_IGNORE_END`, because the memory passes to other threads
/// in ways that ThreadSanitizer does not see.
#define HOP_TSAN_IGNORE_BEGIN() AnnotateIgnoreWritesBegin(__FILE__, __LINE__)
#define HOP_TSAN_IGNORE_END() AnnotateIgnoreWritesEnd(__FILE__, __LINE__)
/// Ignores the calling thread's reads until `HOP_TSAN_IGNORE_READS_END`.
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
