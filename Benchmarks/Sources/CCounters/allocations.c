// Counts calls of the C library's allocator, and the bytes that they ask for. Only glibc exports its own functions under second names,
// to which this file forwards.
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "thread.h"

#if defined(__GLIBC__)

static void count(size_t bytes) {
    counters_of_thread.allocations++;
    counters_of_thread.bytes += bytes;
}

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
    count(size);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count(number * size);
    return __libc_calloc(number, size);
}

void *realloc(void *pointer, size_t size) {
    count(size);
    return __libc_realloc(pointer, size);
}

void *memalign(size_t alignment, size_t size) {
    count(size);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count(size);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **pointer, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    count(size);
    void *memory = __libc_memalign(alignment, size);
    if (memory == NULL) return ENOMEM;
    *pointer = memory;
    return 0;
}

bool counters_count_allocations(void) { return true; }

#else

bool counters_count_allocations(void) { return false; }

#endif
