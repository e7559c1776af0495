// The slabs of records, the sections, and the grace period: reclaim.c and ck_epoch.c.

// The records of a slab have consecutive indices. The late record, if the configuration has it, is the last one of the first slab.
#define SLAB(r) ((r) / PER_SLAB)
#define FIRST_OF(d) ((d) * PER_SLAB)
#define AFTER(d) ((d) == SLABS - 1 -> LISTED : ((d) + 1) * PER_SLAB)

/// Whether hop_slab_next passes over a slab. If no record is taken or returned, this is no step.
#ifndef RECYCLING
#define PASSED_OVER(d) false
#elif defined(LATE) && !defined(WEAK_PASSES_LATE)
#define PASSED_OVER(d) ((d) != 0 && LOAD(me, IN_USE(d)) == 0)
#elif defined(WEAK_PASSES_EARLY)
#define PASSED_OVER(d) (!((early >> (d)) & 1))
#else
#define PASSED_OVER(d) (LOAD(me, IN_USE(d)) == 0)
#endif

// MARK: Sections

/// The section notes the epoch. If it has noted the same before, the store changes nothing.
inline note_epoch() {
    d_step {
        n = LOAD(me, CURRENT(SLAB(record)));
        if
        :: n != LOAD(me, EPOCH(record)) -> STORE(me, EPOCH(record), n)
        :: else -> skip
        fi;
        n = 0
    }
}

#if defined(WEAK_NEVER_NOTES) || defined(WEAK_NOTES_LATE)
#define NOTE_EPOCH() skip
#else
#define NOTE_EPOCH() note_epoch()
#endif

/// hop_section_enter, hop_section_begin_slow. The processor has to order the announcement and the lookup only if the system refuses
/// membarrier, and in the first section of a thread (story H).
inline section_begin() {
#ifdef NOTES_FIRST
    NOTE_EPOCH();
#endif
    d_step { assert(!in_section); in_section = true; STORE(me, ACTIVE(record), 1) };
#ifndef NOTES_FIRST
    NOTE_EPOCH();
#endif
#ifdef SYMMETRIC
#ifndef WEAK_BEGIN
    d_step { DRAIN(me) }
#else
    skip
#endif
#elif defined(RECYCLING)
    if
    :: is_new -> d_step { DRAIN(me); is_new = false }
    :: else -> skip
    fi
#else
    skip
#endif
}

/// hop_section_leave.
inline section_end() {
    d_step {
        TOUCH(found);
        found = 0;
        held = 0;
        in_section = false;
        STORE(me, ACTIVE(record), 0)
    }
}

#ifdef LATE
/// The section of a thread that is exiting, in hop_section_begin_slow. Story E.
inline late_begin() {
    record = LATE;
#ifdef WEAK_LATE
    d_step { STORE(me, ACTIVE(LATE), 1); in_section = true };
#else
    atomic { LOAD(me, ACTIVE(LATE)) == 0; d_step { DRAIN(me); memory[ACTIVE(LATE)] = 1; in_section = true } };
#endif
    NOTE_EPOCH();
    d_step { DRAIN(me) }
}
#endif

// MARK: The grace period

/// hop_thread_records_in_use, into `seen`.
inline count_records() {
#ifdef RECYCLING
    do
    :: slab < SLABS -> d_step { seen = seen + LOAD(me, IN_USE(slab)); slab++ }
    :: else -> break
    od;
    slab = 0
#else
    seen = RECORDS
#endif
}

#ifdef WEAK_ALONE
#define ALONE ((seen != 0) == (record != NONE))
#else
#define ALONE (seen == (record != NONE))
#endif
/// hop_fence_readers.
inline fence_readers() {
#ifdef WEAK_PASSES_EARLY
    do
    :: slab < SLABS ->
        d_step {
           if
           :: LOAD(me, IN_USE(slab)) != 0 -> early = early | SET(slab)
           :: else -> skip
           fi;
           slab++
       }
    :: else -> break
    od;
    slab = 0;
#endif
#if defined(WEAK_NO_FENCE)
    skip
#elif defined(WEAK_NO_MEMBARRIER)
    d_step { DRAIN(me) }
#else
#if defined(RECYCLING) && !defined(WEAK_NO_HEAD_FENCE)
    d_step { DRAIN(me) }; // Otherwise the count is no step, and the fence that follows it is enough.
#endif
    count_records();
    if
    :: ALONE -> d_step { seen = 0; DRAIN(me) }
    :: !ALONE -> seen = 0; fence_all_threads()
    fi
#endif
}

// What a writer does next, in `phase`.
#define PASSES 0   // to the next slab of which a thread has a record
#define BEGINS 1   // to wait for the sections of a slab
#define LOOKS 2    // at `active` of the next record
#define COMPARES 3 // its epoch with the current one
#define WAITS 4    // for the section, or for another writer

#ifdef WEAK_ONE_ROUND
#define ROUNDS 1
#else
#define ROUNDS 2
#endif
/// The advances by other writers after which a writer need not wait any more.
#ifdef WEAK_GOAL
#define GRACE 1
#else
#define GRACE 3
#endif

/// ck_epoch_scan from the first record of a slab.
inline scan_again() {
    any_active = false;
    cursor = FIRST_OF(slab);
#ifdef WEAK_SKIPS
    cursor++;
#endif
    phase = LOOKS
}

#define IS_ACTIVE(r) (LOAD(me, USED(r)) && LOAD(me, ACTIVE(r)))

inline next_slab() {
    phase = PASSES;
    any_active = false;
    cursor = 0;
    delta = 0;
    goal = 0;
    advances = 0;
    slab++
}

/// If the last record has been looked at, and no section was open, the wait is over.
inline next_record() {
    phase = LOOKS;
    cursor++;
    if
    :: cursor == AFTER(slab) && !any_active -> next_slab()
    :: else -> skip
    fi
}

inline compare() {
    if
    :: LOAD(me, EPOCH(cursor)) == delta -> next_record()
    :: else -> phase = WAITS
    fi
}
/// If no record is returned, `active` and the epoch are one step: the epoch changes only while `active` is 1.
#ifdef RECYCLING
#define FOUND_ACTIVE() phase = COMPARES
#else
#define FOUND_ACTIVE() compare()
#endif

/// hop_wait_for_reads, with ck_epoch_synchronize_wait for each slab.
inline wait_for_reads() {
#if !defined(WEAK_MEMBARRIER_EARLY) && !defined(WEAK_LOOK_FIRST)
    fence_readers();
#endif
    do // Its end is an option like the others: that takes fewer states.
#ifdef RECYCLING
    :: d_step {
           phase == PASSES && slab < SLABS ->
           if
           :: PASSED_OVER(slab) -> slab++
           :: else -> phase = BEGINS
           fi
       }
    :: d_step {
           phase == BEGINS ->
#else
    :: d_step {
           phase == PASSES && slab < SLABS ->
#endif
#ifndef WEAK_NO_FENCE
           DRAIN(me);
#endif
           delta = LOAD(me, CURRENT(slab));
           goal = delta + GRACE;
           scan_again()
       }
    :: d_step { // The state and `active` are one step: the state changes only while `active` is 0.
           phase == LOOKS && cursor < AFTER(slab) ->
           if
           :: IS_ACTIVE(cursor) -> any_active = true; FOUND_ACTIVE()
           :: else -> next_record()
           fi
       }
#ifdef RECYCLING
    :: d_step {
           phase == COMPARES ->
           compare()
       }
#endif
    :: d_step { // If it loads the epoch in vain, it looks at the same record again. Without a change, it would find the same.
           phase == WAITS && (!IS_ACTIVE(cursor) || LOAD(me, EPOCH(cursor)) == delta) ->
           next_record()
       }
    :: d_step { // Another writer has advanced the epoch.
           phase == WAITS && LOAD(me, CURRENT(slab)) != delta ->
           delta = LOAD(me, CURRENT(slab));
           if
           :: delta >= goal -> next_slab()
           :: else -> scan_again()
           fi
       }
    :: d_step { // All have noted this epoch: the compare-and-exchange.
           phase == LOOKS && cursor == AFTER(slab) ->
           DRAIN(me);
           if
           :: memory[CURRENT(slab)] == delta -> delta++; memory[CURRENT(slab)] = delta
           :: else -> delta = memory[CURRENT(slab)]
           fi;
           advances++;
           if
           :: advances == ROUNDS -> next_slab()
           :: else -> scan_again()
           fi
       }
    :: phase == PASSES && slab == SLABS -> break
    od;
    slab = 0
#ifdef WEAK_LOOK_FIRST
    ; fence_readers()
#endif
}
