// The list of the records, and the short sections: reclaim.c.

// If no record is linked or unlinked, the list does not change. Then a step along it is part of the step before.

/// hop_threads, into `cursor`: one more than the index of a record; zero at the end.
inline FIRST_RECORD() { cursor = LOAD(me, HEAD) }

/// hop_thread_next, for a list that does not change meanwhile.
inline NEXT_RECORD() { cursor = LOAD(me, NEXT(cursor - 1)) }

#ifdef RECYCLING
#define WALK_ON() d_step { cursor = LOAD(me, NEXT(cursor - 1)) }
#else
#define WALK_ON() skip
#endif

/// The fence after an announcement. The processor has to order it only if the system refuses membarrier, and in the first section of a
/// thread (story J).
#ifdef RECYCLING
#define FIRST_FENCE() \
    if \
    :: is_new -> DRAIN(me); is_new = false \
    :: else -> skip \
    fi
#else
#define FIRST_FENCE() skip
#endif

/// hop_short_begin, hop_short_begin_slow.
inline short_begin() {
    d_step {
        assert(!in_short);
        in_short = true;
        STORE(me, READS(record), LOAD(me, READS(record)) + 1);
#if defined(SYMMETRIC) && !defined(WEAK_SHORT_BEGIN)
        DRAIN(me)
#else
        FIRST_FENCE()
#endif
    }
}

/// hop_section_end.
inline short_end() {
    d_step {
        TOUCH(held_short);
        held_short = 0;
        in_short = false;
        STORE(me, READS(record), LOAD(me, READS(record)) + 1)
    }
}

/// hop_fence_readers.
inline fence_readers() {
#ifndef WEAK_NO_HEAD_FENCE
    d_step { DRAIN(me) };
#endif
#if !defined(WEAK_NO_MEMBARRIER) && !defined(WEAK_NO_HEAD_FENCE)
    d_step {
        FIRST_RECORD();
#ifdef WEAK_ALONE
        slow = (cursor != 0 && cursor != record + 1);
#else
        slow = (cursor != 0 && (cursor != record + 1 || LOAD(me, NEXT(cursor - 1)) != 0));
#endif
        cursor = 0
    };
    if
    :: slow -> slow = false; fence_all_threads()
    :: else -> skip
    fi
#else
    skip
#endif
}

/// hop_wait_for_reads.
inline wait_for_reads() {
#if !defined(WEAK_MEMBARRIER_EARLY) && !defined(WEAK_LOOK_FIRST)
    fence_readers();
#endif
    d_step {
        FIRST_RECORD();
#ifdef WEAK_SKIPS
        if
        :: cursor != 0 -> NEXT_RECORD()
        :: else -> skip
        fi;
#endif
        f = 0
    };
    do
    :: cursor == 0 -> break
    :: cursor != 0 ->
        d_step {
            seen = LOAD(me, READS(cursor - 1));
            if
            :: seen % 2 == 0 ->
                seen = 0;
#ifndef RECYCLING
                NEXT_RECORD()
#endif
            :: else -> skip
            fi
        };
        if
        :: seen != 0 ->
            atomic {
                LOAD(me, READS(cursor - 1)) != seen; // hop_wait_a_little
                seen = 0;
#ifndef RECYCLING
                NEXT_RECORD()
#endif
            }
        :: else -> skip
        fi;
        WALK_ON()
    od;
    skip
#ifdef WEAK_LOOK_FIRST
    ; fence_readers()
#endif
}
