// How much of a thread's stack is left, so that endless recursion is reported as an error before the stack overflows.
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE  // pthread_getattr_np
#endif
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "CSupport.h"

/// The address below which the calling thread's stack is low. One before the first use, zero if the system does not tell it.
static _Thread_local uintptr_t low_address = 1;

static uintptr_t hop_low_address(void) {
    uintptr_t bottom;
    size_t size;
#if defined(__linux__)
    pthread_attr_t attributes;
    void *address;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
    const int failure = pthread_attr_getstack(&attributes, &address, &size);
    pthread_attr_destroy(&attributes);
    if (failure != 0) return 0;
    bottom = (uintptr_t)address;
#elif defined(__APPLE__)
    size = pthread_get_stacksize_np(pthread_self());
    bottom = (uintptr_t)pthread_get_stackaddr_np(pthread_self()) - size;
#else
    return 0;
#endif
    enum { LEAST = 48 << 10, MOST = 256 << 10 };
    size_t reserve = size / 4;
    if (reserve > MOST) reserve = MOST;
    if (reserve < LEAST) reserve = LEAST;
    if (reserve > size / 2) reserve = size / 2;
    return bottom + reserve;
}

bool hop_stack_is_low(void) {
    if (__builtin_expect(low_address == 1, 0)) low_address = hop_low_address();
    // The frame address, because AddressSanitizer may put local variables on another stack.
    return (uintptr_t)__builtin_frame_address(0) < low_address;
}
