// The memory model of x86 and other TSO machines: every thread stores into its own first-in-first-out buffer, which reaches the
// shared memory at some later moment, word by word. A thread sees its own stores at once.
//
// A store is therefore two steps, `STORE` and (in the process Memory) its flush, with any other steps in between. A fence or a
// read-modify-write empties the thread's own buffer. membarrier empties the buffers of all threads, one after the other.

// MARK: Addresses

#define ACTIVE(r) (r)                                   // hop_thread.section.active
#define EPOCH(r) (LISTED + (r))                         // hop_thread.section.epoch
#define PLACE(r, s) (2 * LISTED + (r) * PLACES + (s))   // hop_borrow.payload
#define MARK(r, s) (2 * LISTED + (RECORDS + (r)) * PLACES + (s)) // hop_borrow.mark: one more than the index of a retirement
#define USED(r) (2 * LISTED + 2 * RECORDS * PLACES + (r)) // hop_thread.section.state: whether a thread has the record
#define CURRENT(d) (3 * LISTED + 2 * RECORDS * PLACES + (d)) // hop_slab.domain.epoch
#define IN_USE(d) (3 * LISTED + 2 * RECORDS * PLACES + SLABS + (d)) // hop_slab.in_use
#define WORD(n) (3 * LISTED + 2 * RECORDS * PLACES + 2 * SLABS + (n))
#define THREADS_LOCK WORD(0)   // threads_lock
#define WRITERS_LOCK WORD(1)   // hop_registry.lock
#define RETIRED_LOCK WORD(2)   // retired_lock
#define USERS_LOCK WORD(3)     // a lock of the caller, which the library does not know
#define TABLE WORD(4)          // hop_registry.table: 0 the first one, 1 the grown one
#define SLOT(table, key) WORD(5 + 2 * (table) + (key)) // hop_slot.stack
#define WORDS WORD(9)

byte memory[WORDS];

/// Temporaries of single steps; zero between the steps.
hidden byte stored, f, n, q;

// MARK: Buffers

#ifdef LONG_BUFFERS
#define ROOM 10
#define NEWER(me, a, older) OWN_(me, a, 9, OWN_(me, a, 8, older))
#else
#define ROOM 8
#define NEWER(me, a, older) older
#endif
byte buffered[THREADS];
byte buffer_address[THREADS * ROOM];
byte buffer_value[THREADS * ROOM];

#if THREADS == 2
#define BUFFERS_EMPTY (buffered[0] + buffered[1] == 0)
#elif THREADS == 3
#define BUFFERS_EMPTY (buffered[0] + buffered[1] + buffered[2] == 0)
#else
#define BUFFERS_EMPTY (buffered[0] + buffered[1] + buffered[2] + buffered[3] == 0)
#endif

#define OWN_(me, a, i, older) \
    ((buffered[me] > i && buffer_address[(me) * ROOM + i] == (a)) -> buffer_value[(me) * ROOM + i] : (older))
/// The value that thread `me` loads from `a`: its newest buffered store, else the memory.
#define LOAD(me, a) \
    NEWER(me, a, OWN_(me, a, 7, OWN_(me, a, 6, OWN_(me, a, 5, OWN_(me, a, 4, \
    OWN_(me, a, 3, OWN_(me, a, 2, OWN_(me, a, 1, OWN_(me, a, 0, memory[a])))))))))

/// A plain, relaxed or release store.
#define STORE(me, a, v) \
    assert(buffered[me] < ROOM); \
    stored = v; \
    buffer_address[(me) * ROOM + buffered[me]] = a; \
    buffer_value[(me) * ROOM + buffered[me]] = stored; \
    stored = 0; \
    buffered[me]++

/// The oldest buffered store of `t` becomes visible.
inline FLUSH_ONE(t) {
    memory[buffer_address[(t) * ROOM]] = buffer_value[(t) * ROOM];
    f = 0;
    do
    :: f + 1 < buffered[t] ->
        buffer_address[(t) * ROOM + f] = buffer_address[(t) * ROOM + f + 1];
        buffer_value[(t) * ROOM + f] = buffer_value[(t) * ROOM + f + 1];
        f++
    :: else -> break
    od;
    buffer_address[(t) * ROOM + f] = 0;
    buffer_value[(t) * ROOM + f] = 0;
    f = 0;
    buffered[t]--
}

#ifdef WEAK_RELAXED_NOTE
/// The note of an epoch overtakes the older stores of thread 0.
#define NOTED(i) (buffered[0] > i && buffer_address[i] >= EPOCH(0) && buffer_address[i] < EPOCH(LISTED))
inline FLUSH_NOTE(i) {
    memory[buffer_address[i]] = buffer_value[i];
    f = i;
    do
    :: f + 1 < buffered[0] ->
        buffer_address[f] = buffer_address[f + 1];
        buffer_value[f] = buffer_value[f + 1];
        f++
    :: else -> break
    od;
    buffer_address[f] = 0;
    buffer_value[f] = 0;
    f = 0;
    buffered[0]--
}
#endif

/// A full fence of `t`. A read-modify-write contains one.
inline DRAIN(t) {
    f = 0; // a step must neither begin nor end with a loop
    do
    :: buffered[t] > 0 -> FLUSH_ONE(t)
    :: else -> break
    od;
    f = 0
}

/// From `r` on, the first other thread that has buffered stores. A fence of a thread without any changes nothing.
inline skip_empty_buffers() {
    do
    :: r < THREADS && (r == me || buffered[r] == 0) -> r++
    :: else -> break
    od;
    f = 0
}

/// hop_fence_all_threads: membarrier begins with a full fence of its caller. Without it (SYMMETRIC) that fence is all there is. If it
/// was withdrawn (DENIED), the millisecond that the caller waits is modelled by its purpose: each buffer has been empty since.
inline fence_all_threads() {
#ifdef SYMMETRIC
    d_step { DRAIN(me) }
#else
    d_step { DRAIN(me); skip_empty_buffers() };
    do
#ifndef DENIED
    :: r < THREADS -> d_step { DRAIN(r); skip_empty_buffers() }
#elif !defined(WEAK_DENIED)
    :: r < THREADS -> d_step { buffered[r] == 0 -> skip_empty_buffers() }
#else
    :: r < THREADS -> r++
#endif
    :: else -> break
    od;
    r = 0
#endif
}

/// pthread_mutex_lock. Blocks while another thread holds it.
#define LOCK_FREE(a) (memory[a] == 0)
inline LOCK_TAKE(me, a) {
    DRAIN(me);
    memory[a] = 1
}

/// pthread_mutex_unlock, as weak as its contract allows: a release store. (The one in glibc is also a full fence.)
inline LOCK_GIVE(me, a) { STORE(me, a, 0) }
