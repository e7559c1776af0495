#include "CHeap.h"

#if defined(__linux__)
#include <malloc.h>
#endif

long long heap_allocated_bytes(void) {
#if defined(__GLIBC__)
    const struct mallinfo2 heap = mallinfo2();
    return (long long)(heap.uordblks + heap.hblkhd);
#else
    return -1;
#endif
}
