// The list of the records, the sections, and the grace period: reclaim.c.

// The late record, if the configuration has it, is always the last one. LAST stands for it, or for the end of the list.
#ifdef LATE
#define LAST (LATE + 1)
#else
#define LAST 0
#endif

// If no record is linked or unlinked, the list does not change: it has all records, the one with the highest index first. Then a step along
// it is part of the step before.

/// hop_threads, into `cursor`: one more than the index of a record; zero at the end.
#ifdef RECYCLING
#define FIRST_RECORD() d_step { cursor = LOAD(me, HEAD) }
#define STEP_ON() skip
#define WALK_ON() d_step { cursor = LOAD(me, NEXT(cursor - 1)) } // hop_thread_next
#else
#define FIRST_RECORD() cursor = RECORDS
#define STEP_ON() cursor--
#define WALK_ON() skip
#endif

/// The fence after an announcement. The processor has to order it only if the system refuses membarrier, and in the first section of a
/// thread (story H).
#ifdef RECYCLING
#define FIRST_FENCE() \
    if \
    :: is_new -> DRAIN(me); is_new = false \
    :: else -> skip \
    fi
#else
#define FIRST_FENCE() skip
#endif

/// hop_section_enter, hop_section_begin_slow.
inline section_begin() {
    d_step {
        assert(!in_section);
        in_section = true;
        STORE(me, READS(record), LOAD(me, READS(record)) + 1);
#if defined(SYMMETRIC) && !defined(WEAK_BEGIN)
        DRAIN(me)
#else
        FIRST_FENCE()
#endif
    }
}

/// hop_section_leave.
inline section_end() {
    d_step {
        TOUCH(found);
        found = 0;
        in_section = false;
        STORE(me, READS(record), LOAD(me, READS(record)) + 1)
    }
}

#ifdef LATE
/// hop_late_begin: a section of a thread that is exiting. Story E.
inline late_begin() {
    record = LATE;
#ifdef WEAK_LATE
    d_step { seen = LOAD(me, READS(LATE)) };
    d_step { STORE(me, READS(LATE), seen + 1); DRAIN(me); seen = 0; in_section = true }
#else
    atomic {
        LOAD(me, READS(LATE)) % 2 == 0;
        d_step { DRAIN(me); memory[READS(LATE)] = memory[READS(LATE)] + 1; in_section = true }
    }
#endif
}
#endif

/// hop_fence_readers.
inline fence_readers() {
#ifndef WEAK_NO_HEAD_FENCE
    d_step { DRAIN(me) };
#endif
#if !defined(WEAK_NO_MEMBARRIER) && !defined(WEAK_NO_HEAD_FENCE)
    FIRST_RECORD();
#ifdef WEAK_ALONE
    slow = (cursor != LAST && cursor != record + 1);
#else
    if
    :: cursor == record + 1 -> STEP_ON(); WALK_ON()
    :: else -> skip
    fi;
    slow = (cursor != LAST);
#endif
    cursor = 0;
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
    FIRST_RECORD();
#ifdef WEAK_SKIPS
    if
    :: cursor != 0 -> STEP_ON(); WALK_ON()
    :: else -> skip
    fi;
#endif
    do
    :: cursor == 0 -> break
    :: cursor != 0 ->
        d_step {
            seen = LOAD(me, READS(cursor - 1));
            if
            :: seen % 2 == 0 -> seen = 0; STEP_ON()
            :: else -> skip
            fi
        };
        if
        :: seen != 0 ->
            atomic {
                LOAD(me, READS(cursor - 1)) != seen; // hop_wait_a_little
                seen = 0;
                STEP_ON()
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
