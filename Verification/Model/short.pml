// The short sections: ck_epoch 0.7.1 as reclaim.c uses it.

/// hop_short_begin, that is ck_epoch_begin.
inline short_begin() {
    d_step {
        assert(!in_short);
        in_short = true;
#ifdef WEAK_SHORT_BEGIN
        STORE(me, ACTIVE(record), 1)
#else
        // ck_pr_fas_uint(&record->active, 1): a read-modify-write, and so the fence of story A.
        DRAIN(me);
        memory[ACTIVE(record)] = 1
#endif
    };
    d_step { seen = LOAD(me, GLOBAL_EPOCH) };
    d_step { STORE(me, EPOCH(record), seen); seen = 0 }
}

/// hop_section_end, that is ck_epoch_end.
inline short_end() {
    d_step {
        TOUCH(held_short);
        held_short = 0;
        in_short = false;
        STORE(me, ACTIVE(record), 0)
    }
}

// `cursor` is one more than the index of a record; the list runs down to 1, zero is its end.

/// One round of ck_epoch_scan at `cursor`; moves it on, or sets `blocked`.
inline scan_record() {
#ifdef RECYCLING
    d_step { skipped = (LOAD(me, STATE(cursor - 1)) == 1) };
    if
    :: skipped -> d_step { skipped = false; cursor-- }
    :: else ->
#endif
    d_step {
        f = 0;
        if
        :: LOAD(me, ACTIVE(cursor - 1)) != 0 -> any_active = true; blocked = true
        :: else -> cursor--
        fi
    };
    if
    :: blocked ->
        d_step {
            f = 0;
            if
            :: LOAD(me, EPOCH(cursor - 1)) == delta -> blocked = false; cursor--
            :: else -> skip
            fi
        }
    :: else -> skip
    fi
#ifdef RECYCLING
    fi
#endif
}

/// ck_epoch_synchronize_wait, that is hop_wait_for_reads.
inline wait_for_reads() {
#ifndef WEAK_NO_HEAD_FENCE
    d_step { DRAIN(me) };
#endif
    d_step { delta = LOAD(me, GLOBAL_EPOCH); goal = delta + 3; phase = 0 };
    do
    :: phase < PHASES ->
        d_step { cursor = LOAD(me, SHORT_HEAD); any_active = false };
        do
        :: cursor == 0 -> break
        :: cursor != 0 ->
            scan_record();
            if
            :: blocked ->
                d_step {
                    blocked = false;
                    seen = LOAD(me, GLOBAL_EPOCH);
                    if
                    :: seen == delta -> skip // hop_wait_step, then the same record again
                    :: else ->
                        delta = seen;
                        if
                        :: delta >= goal -> phase = LEAVE; cursor = 0
                        :: else -> cursor = LOAD(me, SHORT_HEAD); any_active = false
                        fi
                    fi;
                    seen = 0
                }
            :: else -> skip
            fi
        od;
        skip;
        d_step {
            seen = 0;
            if
            :: phase == LEAVE || !any_active -> phase = LEAVE // the shortcut: none was active
            :: else -> // ck_pr_cas_uint_value(&global->epoch, delta, delta + 1, &delta)
                DRAIN(me);
                if
                :: memory[GLOBAL_EPOCH] == delta -> memory[GLOBAL_EPOCH] = delta + 1; delta++
                :: else -> delta = memory[GLOBAL_EPOCH]
                fi;
                phase++
            fi
        }
    :: else -> break
    od;
    skip;
    d_step {
#ifndef WEAK_NO_TAIL_FENCE
        DRAIN(me);
#endif
        delta = 0; goal = 0; phase = 0; any_active = false
    }
}
