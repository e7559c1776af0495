// The load test: threads that use the registry in every way at once, with objects that detect a premature release (objects.c). It
// detects:
//
//   dead, foreign    a grace period or a deferral that is too short: an object was released, or released and reused, while a
//                    reader was in its section, or while a thread borrowed it
//   resurrected      the same, seen by a reader that takes a reference
//   twice, leaked    a release that does not happen exactly once
//   gaps, backwards  a change that is not atomic, or not in order
//   miscounted       a place for a borrow that is lost, or used twice
//
// Every thread reads and writes. One thread makes a random walk. With more threads than processors, sections are preempted in the
// middle, where the races are. Random choices come from the seed of the plan, but the interleaving differs in every run.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "objects.h"

enum {
    /// Pushed objects that a thread remembers in order to remove them. It stops pushing at this limit.
    OUTSTANDING = 16,
    /// The size of buffers for copies of stacks. Some stacks are higher.
    COPIES = 64,
    /// Keys of a short-lived registry.
    PRIVATE_KEYS = 40,
    /// Cache lines that all threads write to.
    BUSY_LINES = 32,
    /// The payloads that a thread can borrow at once.
    BORROWS = 4,
    /// The payloads that a thread uses at once: more than it can borrow.
    USES = 6,
};

struct run {
    struct torture_plan plan;
    hop_registry *registry;
    /// The registry that release callbacks use. It outlives `registry`.
    hop_registry *side;
    struct torture_nursery *nursery;
    _Atomic bool over;
    /// The first of the keys in use. It advances, so that keys fall out of use and the table has to be rebuilt.
    _Atomic uint64_t first_key;
    /// The newest version that is completely published.
    _Atomic uint64_t latest;
    struct {
        _Alignas(64) _Atomic unsigned word;
    } busy[BUSY_LINES];
};

struct pushed {
    const struct torture_object *object;
    uint64_t number;
};

struct worker {
    struct run *run;
    pthread_t thread;
    unsigned index;
    uint64_t random;
    uint64_t seen_version;
    unsigned outstanding_count;
    struct pushed outstanding[OUTSTANDING];
    struct torture_report report;
};

// MARK: Random choices

/// xorshift64* (S. Vigna, 2016).
static uint64_t next_random(struct worker *worker) {
    worker->random ^= worker->random >> 12;
    worker->random ^= worker->random << 25;
    worker->random ^= worker->random >> 27;
    return worker->random * UINT64_C(0x2545F4914F6CDD1D) >> 16;
}

static bool one_in(struct worker *worker, unsigned count) { return next_random(worker) % count == 0; }

/// Returns a key. Four keys share a type and collide in the table, so that a reader skips slots that differ in the discriminator
/// only. (The discriminators are multiples of the inverse of the low half of the hash's factor.)
static hop_key key_of(uint64_t number) {
    return (hop_key){.type = (uintptr_t)(number / 4 + 1) * 16,
                     .discriminator = (uintptr_t)(number % 4 * UINT64_C(0x9937733D) & UINT32_MAX)};
}

/// Zero marks objects that are not inspected.
static uint64_t stamp_of(uint64_t number) { return number + 1; }

static uint64_t some_number(struct worker *worker) {
    const uint64_t first = atomic_load_explicit(&worker->run->first_key, memory_order_relaxed);
    return first + next_random(worker) % worker->run->plan.keys;
}

/// Simulates code of the user, of varying length.
static void linger(struct worker *worker) {
    switch (next_random(worker) % 32) {
        case 0:
            nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
            break;
        case 1 ... 6:
            sched_yield();
            break;
        default:
            for (volatile unsigned left = (unsigned)(next_random(worker) % 256); left != 0;) left -= 1;
    }
}

// MARK: Writing

static void push_or_remove(struct worker *worker) {
    hop_registry *registry = worker->run->registry;
    if (worker->outstanding_count < OUTSTANDING && one_in(worker, 2)) {
        const uint64_t number = some_number(worker);
        struct torture_object *object = torture_object_make(worker->run->nursery, stamp_of(number));
        hop_push(registry, key_of(number), object, NULL);
        worker->outstanding[worker->outstanding_count++] = (struct pushed){object, number};
    } else if (worker->outstanding_count != 0) {
        // Other threads may have removed the object and even reused it. It is only compared.
        const size_t index = next_random(worker) % worker->outstanding_count;
        const struct pushed pushed = worker->outstanding[index];
        worker->outstanding[index] = worker->outstanding[--worker->outstanding_count];
        worker->report.removals += hop_remove(registry, key_of(pushed.number), pushed.object, torture_object_release);
    }
}

static void replace(struct worker *worker) {
    const uint64_t number = some_number(worker);
    struct torture_object *object = torture_object_make(worker->run->nursery, stamp_of(number));
    hop_replace(worker->run->registry, key_of(number), object, NULL, torture_object_release);
}

static void write_something(struct worker *worker) {
    if (one_in(worker, 8)) {
        replace(worker);
    } else if (one_in(worker, 256)) {
        hop_remove_all(worker->run->registry, torture_object_release);
    } else {
        push_or_remove(worker);
    }
    if (worker->run->plan.keys > 1 && one_in(worker, 64)) {
        atomic_fetch_add_explicit(&worker->run->first_key, 1, memory_order_relaxed);
    }
}

// MARK: Reading

static void note_read(struct worker *worker, const void *_Nullable payload) {
    worker->report.reads += 1;
    worker->report.found += payload != NULL;
}

static void read_briefly(struct worker *worker, uint64_t number) {
    const hop_found found = hop_read_begin(worker->run->registry, key_of(number));
    if (found.payload != NULL) torture_object_inspect(found.payload, stamp_of(number), 8, &worker->report);
    hop_section_end(found.thread);
    note_read(worker, found.payload);
}

static void read_and_keep(struct worker *worker, uint64_t number) {
    const hop_found found = hop_read_begin(worker->run->registry, key_of(number));
    if (found.payload != NULL) torture_object_retain(found.payload);
    hop_section_end(found.thread);
    note_read(worker, found.payload);
    if (found.payload == NULL) return;
    linger(worker);
    torture_object_inspect(found.payload, stamp_of(number), 2, &worker->report);
    torture_object_drop(found.payload);
}

/// Some payloads that a thread uses: borrowed, or with a reference if they have no borrow.
struct uses {
    unsigned count;
    /// The number of borrows among them.
    unsigned borrows;
    struct {
        const void *payload;
        hop_borrow *_Nullable borrow;
        uint64_t number;
    } all[USES];
};

/// Adds the newest payload of a key, if it has one.
static void use(struct worker *worker, struct uses *uses, uint64_t number) {
    const hop_registry *registry = worker->run->registry;
    hop_borrowed found = {NULL, NULL};
    if (one_in(worker, 2)) found = hop_borrow_begin(registry, key_of(number));
    if (found.borrow == NULL) {
        const hop_found read = hop_read_begin(registry, key_of(number));
        found.payload = read.payload;
        if (read.payload != NULL) found.borrow = hop_section_borrow(read.thread, read.payload);
        if (found.borrow == NULL) {
            if (read.payload != NULL) torture_object_retain(read.payload);
            hop_section_end(read.thread);
        }
    }
    note_read(worker, found.payload);
    if (found.payload == NULL) return;
    if ((found.borrow != NULL) != (uses->borrows < BORROWS)) worker->report.miscounted += 1;
    uses->borrows += found.borrow != NULL;
    uses->all[uses->count].payload = found.payload;
    uses->all[uses->count].borrow = found.borrow;
    uses->all[uses->count++].number = number;
    torture_object_inspect(found.payload, stamp_of(number), 2, &worker->report);
}

/// Ends one of the uses.
static void end_use(struct worker *worker, struct uses *uses, unsigned index) {
    const void *payload = uses->all[index].payload;
    hop_borrow *borrow = uses->all[index].borrow;
    const uint64_t number = uses->all[index].number;
    if (one_in(worker, 4)) {
        const bool is_removed = hop_remove(worker->run->registry, key_of(number), payload, torture_object_release);
        worker->report.removals_while_borrowed += is_removed && borrow != NULL;
        linger(worker);
    }
    torture_object_inspect(payload, stamp_of(number), 8, &worker->report);
    uses->all[index] = uses->all[--uses->count];
    if (borrow == NULL) {
        torture_object_drop(payload);
    } else {
        uses->borrows -= 1;
        hop_borrow_end(borrow);
    }
}

/// Borrows payloads, up to six at once, and ends the borrows in any order.
static void borrow(struct worker *worker, uint64_t number) {
    struct uses uses = {.count = 0};
    use(worker, &uses, number);
    while (uses.count != 0) {
        linger(worker);
        while (uses.count < USES && one_in(worker, 2)) use(worker, &uses, some_number(worker));
        if (one_in(worker, 4)) read_briefly(worker, some_number(worker));
        if (one_in(worker, 8)) write_something(worker);
        // Each step ends more uses than it begins, on average.
        for (unsigned ends = 2; ends != 0 && uses.count != 0; ends--) {
            end_use(worker, &uses, (unsigned)(next_random(worker) % uses.count));
        }
    }
}

static void copy(struct worker *worker, uint64_t number) {
    const void *copies[COPIES];
    const size_t capacity = one_in(worker, 4) ? 1 : COPIES;
    const size_t height =
        hop_copy_stack(worker->run->registry, key_of(number), torture_object_retain, copies, capacity);
    note_read(worker, height == 0 ? NULL : copies);
    for (size_t index = 0; height <= capacity && index < height; index++) {
        torture_object_inspect(copies[index], stamp_of(number), 2, &worker->report);
        torture_object_drop(copies[index]);
    }
}

static void read_something(struct worker *worker) {
    const uint64_t number = some_number(worker);
    switch (next_random(worker) % 8) {
        case 0 ... 2:
            read_briefly(worker, number);
            break;
        case 3 ... 4:
            read_and_keep(worker, number);
            break;
        case 5 ... 6:
            borrow(worker, number);
            break;
        default:
            copy(worker, number);
    }
}

// MARK: Short-lived registries and threads

/// Creates, uses and destroys a registry concurrently with others, and destroys it while the thread borrows from another one.
static void private_registry(struct worker *worker) {
    const hop_borrowed found = hop_borrow_begin(worker->run->registry, key_of(some_number(worker)));
    hop_registry *registry = hop_registry_make();
    for (uint64_t number = 0; number < PRIVATE_KEYS; number++) {
        const void *object = torture_object_make(worker->run->nursery, stamp_of(number));
        hop_push(registry, key_of(number), object, NULL);
        const hop_borrowed borrowed = hop_borrow_begin(registry, key_of(number));
        if (borrowed.payload != object) worker->report.foreign += 1;
        if (one_in(worker, 4)) hop_remove(registry, key_of(number), object, torture_object_release);
        torture_object_inspect(object, stamp_of(number), 2, &worker->report);
        if (borrowed.borrow != NULL) hop_borrow_end(borrowed.borrow);
    }
    if (one_in(worker, 2)) hop_remove_all(registry, torture_object_release);
    hop_registry_destroy(registry, torture_object_release);
    if (found.borrow != NULL) hop_borrow_end(found.borrow);
}

/// Starts threads that take the records of threads that have ended. These threads borrow, so removals may defer releases until they end.
static void visitors(struct worker *worker) {
    const hop_key key = key_of(some_number(worker));
    torture_crowd(worker->run->registry, key, 2, 2, one_in(worker, 2) ? TORTURE_EXITS_INSIDE : TORTURE_RETURNS);
}

static void *mixed_worker(void *argument) {
    struct worker *worker = argument;
    while (!atomic_load_explicit(&worker->run->over, memory_order_relaxed)) {
        if (one_in(worker, 4)) {
            write_something(worker);
        } else {
            read_something(worker);
        }
        if (one_in(worker, 1024)) private_registry(worker);
        if (one_in(worker, 1024)) visitors(worker);
    }
    return NULL;
}

// MARK: Replacing

enum {
    /// The number of the tested key.
    REPLACED = 0,
    /// The number of consecutive reads or replacements.
    BURST = 64,
};

/// Fills the store buffer of the processor. A missing fence delays the announcement of a reader only as long as it waits in the
/// store buffer, which is too short to be observed by chance. Behind stores to contended cache lines, it waits longer.
static void keep_stores_waiting(struct worker *worker) {
    for (unsigned line = 0; line < BUSY_LINES; line++) {
        atomic_store_explicit(&worker->run->busy[line].word, worker->index, memory_order_relaxed);
    }
}

static void inspect_latest(struct worker *worker, const void *_Nullable payload, uint64_t latest, unsigned rounds) {
    note_read(worker, payload);
    if (payload == NULL) {
        worker->report.gaps += 1;
        return;
    }
    const uint64_t version = ((const struct torture_object *)payload)->version;
    worker->report.backwards += version < latest || version < worker->seen_version;
    worker->seen_version = version;
    torture_object_inspect(payload, stamp_of(REPLACED), rounds, &worker->report);
}

static void read_latest(struct worker *worker, bool borrows, unsigned rounds) {
    const uint64_t latest = atomic_load_explicit(&worker->run->latest, memory_order_acquire);
    keep_stores_waiting(worker);
    if (borrows) {
        const hop_borrowed found = hop_borrow_begin(worker->run->registry, key_of(REPLACED));
        inspect_latest(worker, found.payload, latest, rounds);
        if (found.borrow != NULL) hop_borrow_end(found.borrow);
    } else {
        const hop_found found = hop_read_begin(worker->run->registry, key_of(REPLACED));
        inspect_latest(worker, found.payload, latest, rounds);
        hop_section_end(found.thread);
    }
}

static void replace_latest(struct worker *worker) {
    struct torture_object *object = torture_object_make(worker->run->nursery, stamp_of(REPLACED));
    const uint64_t version = object->version;
    keep_stores_waiting(worker);
    hop_replace(worker->run->registry, key_of(REPLACED), object, NULL, torture_object_release);
    atomic_store_explicit(&worker->run->latest, version, memory_order_release);
}

static void *replacing_worker(void *argument) {
    struct worker *worker = argument;
    while (!atomic_load_explicit(&worker->run->over, memory_order_relaxed)) {
        const bool borrows = one_in(worker, 2);
        const unsigned rounds = 1 + (unsigned)(next_random(worker) % 256);
        for (unsigned left = BURST; left != 0; left--) {
            if (worker->index == 0) replace_latest(worker);
            if (worker->index != 0 || left == 1) read_latest(worker, borrows, rounds);
        }
        if (borrows) linger(worker);
        for (unsigned left = BURST / 4; left != 0; left--) push_or_remove(worker);
        atomic_fetch_add_explicit(&worker->run->first_key, 1, memory_order_relaxed);
    }
    return NULL;
}

// MARK: Running

static void add_report(struct torture_report *sum, const struct torture_report *part) {
    sum->reads += part->reads;
    sum->found += part->found;
    sum->removals_while_borrowed += part->removals_while_borrowed;
    sum->removals += part->removals;
    sum->dead += part->dead;
    sum->foreign += part->foreign;
    sum->gaps += part->gaps;
    sum->backwards += part->backwards;
    sum->miscounted += part->miscounted;
}

static struct torture_report run_workers(struct torture_plan plan, bool replacing) {
    struct run run = {.plan = plan,
                      .registry = hop_registry_make(),
                      .side = hop_registry_make(),
                      .nursery = torture_nursery_make(plan.threads),
                      .first_key = REPLACED + 1};
    struct worker *workers = calloc(plan.threads, sizeof *workers);
    if (workers == NULL) abort();
    torture_nursery_reenter(run.nursery, run.side);
    if (replacing) {
        workers[0].run = &run;
        replace_latest(&workers[0]);
    }
    for (unsigned index = 0; index < plan.threads; index++) {
        struct worker *worker = &workers[index];
        worker->run = &run;
        worker->index = index;
        worker->random = (plan.seed + index + 1) * UINT64_C(0x9E3779B97F4A7C15);
        void *(*body)(void *) = replacing ? replacing_worker : mixed_worker;
        if (pthread_create(&worker->thread, NULL, body, worker) != 0) abort();
    }
    nanosleep(&(struct timespec){.tv_sec = (time_t)(plan.milliseconds / 1000),
                                 .tv_nsec = (long)(plan.milliseconds % 1000) * 1000000},
              NULL);
    atomic_store_explicit(&run.over, true, memory_order_relaxed);
    struct torture_report report = {0};
    for (unsigned index = 0; index < plan.threads; index++) {
        pthread_join(workers[index].thread, NULL);
        add_report(&report, &workers[index].report);
    }
    free(workers);
    hop_registry_destroy(run.registry, torture_object_release);
    torture_nursery_reenter(run.nursery, NULL);
    hop_remove_all(run.side, torture_object_release);
    torture_nursery_end(run.nursery, &report);
    hop_registry_destroy(run.side, torture_object_release);
    return report;
}

struct torture_report torture_run(struct torture_plan plan) {
    return run_workers(plan, false);
}

struct torture_report torture_replacing(struct torture_plan plan) {
    return run_workers(plan, true);
}
