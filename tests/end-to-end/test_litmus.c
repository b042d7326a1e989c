/* The memory model that docs/MEMORY.md promises: litmus tests over many delays, with caches cold and warm, on
 * one SM and on several, on a GPU of every kind of L1. Outcomes that are forbidden must not come, and those
 * that a weak machine shows must. */
#include "api/gpu.h"
#include "litmus.h"

#include <stdio.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
enum { RUNS = 8, RUNS_OF_MANY_SMS = 4, RUNS_OF_RARE_OUTCOMES = 40 }; /* more find no more bad accesses */
#else
enum { RUNS = 32, RUNS_OF_MANY_SMS = 16, RUNS_OF_RARE_OUTCOMES = 150 };
#endif

/* Loads into a register, by way of L1 (as a plain load), past it, and past it for synchronization. */
#define CA(to, word) "ld.global.ca.u32 %" to ", [%" word "];\n"
#define CG(to, word) "ld.global.cg.u32 %" to ", [%" word "];\n"
#define VOLATILE(to, word) "ld.volatile.global.u32 %" to ", [%" word "];\n"
#define RELAXED(to, word) "ld.relaxed.gpu.global.u32 %" to ", [%" word "];\n"
#define BLOCKWIDE(to, word) "ld.relaxed.cta.global.u32 %" to ", [%" word "];\n"
#define ACQUIRE(to, word) "ld.acquire.gpu.global.u32 %" to ", [%" word "];\n"
#define STORE(word, value) "st.global.u32 [%" word "], " value ";\n"
#define STORE_VOLATILE(word, value) "st.volatile.global.u32 [%" word "], " value ";\n"
#define STORE_RELEASE(word, value) "st.release.gpu.global.u32 [%" word "], " value ";\n"
#define EXCHANGE(to, word, value) "atom.global.exch.b32 %" to ", [%" word "], " value ";\n"
#define READ_BY_ATOMIC(order, to, word) "atom" order ".global.or.b32 %" to ", [%" word "], 0;\n"
#define FENCE "fence.acq_rel.gpu;\n"
#define STRONG_FENCE "fence.sc.gpu;\n"
#define OLD_FENCE "membar.gl;\n"
#define BLOCK_FENCE "membar.cta;\n"
#define BARRIER "bar.sync 0;\n"
/* Repeats a load into %r0 until it brings 1. */
#define UNTIL_SET(load) "AGAIN: " load "setp.ne.u32 %q, %r0, 1; @%q bra AGAIN;\n"

/* Some time between two accesses. */
#define PAUSE "LATER: sub.u32 %u0, %u0, 1; setp.gt.s32 %q, %u0, -8; @%q bra LATER;\n"
#define TERMS(...) .outcome = {__VA_ARGS__}, .terms = sizeof((LitmusTerm[]){__VA_ARGS__}) / sizeof(LitmusTerm)
#define ROLES(...)                                                                                           \
    .roles = {__VA_ARGS__}, .role_count = sizeof((LitmusRole[]){__VA_ARGS__}) / sizeof(LitmusRole)
/* A role with a cold L1, and one that has loaded something before. */
#define AT(place, code)                                                                                      \
    {                                                                                                        \
        place, code, NULL                                                                                    \
    }
#define WARM(place, before, code)                                                                            \
    {                                                                                                        \
        place, code, before                                                                                  \
    }
/* Role 1 has seen y set and x not. */
#define FLAG_WITHOUT_DATA TERMS({1, 0, 1}, {1, 1, 0})
/* Role 1 waited for y and finds x not set. */
#define NO_DATA TERMS({1, 1, 0})

static const Litmus tests[] = {
    /* Message passing: x is the message, y says that it is there. */
    {"mp", UNSEEN, FLAG_WITHOUT_DATA,
     ROLES(AT(FIRST_SM, STORE_VOLATILE("x", "1") STORE_VOLATILE("y", "1")),
           AT(SECOND_SM, VOLATILE("r0", "y") VOLATILE("r1", "x")))},
    {"mp+noise", UNSEEN, FLAG_WITHOUT_DATA, .noise = true,
     ROLES(AT(FIRST_SM, STORE_VOLATILE("x", "1") STORE_VOLATILE("y", "1")),
           AT(SECOND_SM, VOLATILE("r0", "y") VOLATILE("r1", "x")))},
    {"mp+relaxed+noise", UNSEEN, FLAG_WITHOUT_DATA, .noise = true,
     ROLES(AT(FIRST_SM, "st.relaxed.gpu.global.u32 [%x], 1;\nst.relaxed.gpu.global.u32 [%y], 1;\n"),
           AT(SECOND_SM, RELAXED("r0", "y") RELAXED("r1", "x")))},
    {"mp+fences", FORBIDDEN, FLAG_WITHOUT_DATA, .noise = true,
     ROLES(AT(FIRST_SM, STORE("x", "1") FENCE STORE_VOLATILE("y", "1")),
           AT(SECOND_SM, VOLATILE("r0", "y") FENCE CA("r1", "x")))},
    {"mp+stale", SEEN, FLAG_WITHOUT_DATA,
     ROLES(AT(FIRST_SM, STORE("x", "1") STORE_VOLATILE("y", "1")),
           WARM(SECOND_SM, CA("w", "x"), VOLATILE("r0", "y") CA("r1", "x")))},
    {"mp+stale+fence-of-writer", SEEN, FLAG_WITHOUT_DATA,
     ROLES(AT(FIRST_SM, STORE("x", "1") FENCE STORE_VOLATILE("y", "1")),
           WARM(SECOND_SM, CA("w", "x"), VOLATILE("r0", "y") CA("r1", "x")))},
    {"mp+stale+block-fences", SEEN, FLAG_WITHOUT_DATA,
     ROLES(AT(FIRST_SM, STORE("x", "1") BLOCK_FENCE STORE_VOLATILE("y", "1")),
           WARM(SECOND_SM, CA("w", "x"), VOLATILE("r0", "y") BLOCK_FENCE CA("r1", "x")))},
    {"mp+stale+fences", FORBIDDEN, FLAG_WITHOUT_DATA,
     ROLES(AT(FIRST_SM, STORE("x", "1") FENCE STORE_VOLATILE("y", "1")),
           WARM(SECOND_SM, CA("w", "x"), VOLATILE("r0", "y") FENCE CA("r1", "x")))},
    {"mp+stale+old-fences", FORBIDDEN, FLAG_WITHOUT_DATA,
     ROLES(AT(FIRST_SM, STORE("x", "1") OLD_FENCE STORE_VOLATILE("y", "1")),
           WARM(SECOND_SM, CA("w", "x"), VOLATILE("r0", "y") OLD_FENCE CA("r1", "x")))},
    {"mp+stale+release-acquire", FORBIDDEN, FLAG_WITHOUT_DATA,
     ROLES(AT(FIRST_SM, STORE("x", "1") STORE_RELEASE("y", "1")),
           WARM(SECOND_SM, CA("w", "x"), ACQUIRE("r0", "y") CA("r1", "x")))},
    {"mp+stale+atomics-of-both-orders", FORBIDDEN, FLAG_WITHOUT_DATA,
     ROLES(AT(FIRST_SM, STORE("x", "1") "atom.acq_rel.gpu.global.exch.b32 %r0, [%y], 1;\n"),
           WARM(SECOND_SM, CA("w", "x"), READ_BY_ATOMIC(".acq_rel.gpu", "r0", "y") CA("r1", "x")))},
    /* The same, but the reader waits for the flag. */
    {"wait+stale", SEEN, NO_DATA,
     ROLES(AT(FIRST_SM, STORE("x", "1") FENCE STORE_VOLATILE("y", "1")),
           WARM(SECOND_SM, CA("w", "x"), UNTIL_SET(VOLATILE("r0", "y")) CA("r1", "x")))},
    {"wait+stale+block-fence", SEEN, NO_DATA,
     ROLES(AT(FIRST_SM, STORE("x", "1") FENCE STORE_VOLATILE("y", "1")),
           WARM(SECOND_SM, CA("w", "x"), UNTIL_SET(VOLATILE("r0", "y")) BLOCK_FENCE CA("r1", "x")))},
    {"wait+stale+relaxed-atomic", SEEN, NO_DATA,
     ROLES(AT(FIRST_SM, STORE("x", "1") FENCE STORE_VOLATILE("y", "1")),
           WARM(SECOND_SM, CA("w", "x"), UNTIL_SET(READ_BY_ATOMIC("", "r0", "y")) CA("r1", "x")))},
    {"wait+past-l1", FORBIDDEN, NO_DATA, .noise = true,
     ROLES(AT(FIRST_SM, STORE("x", "1") FENCE STORE_VOLATILE("y", "1")),
           WARM(SECOND_SM, CA("w", "x"), UNTIL_SET(VOLATILE("r0", "y")) CG("r1", "x")))},
    {"wait+fence", FORBIDDEN, NO_DATA,
     ROLES(AT(FIRST_SM, STORE("x", "1") FENCE STORE_VOLATILE("y", "1")),
           WARM(SECOND_SM, CA("w", "x"), UNTIL_SET(VOLATILE("r0", "y")) FENCE CA("r1", "x")))},
    {"wait+acquire", FORBIDDEN, NO_DATA,
     ROLES(AT(FIRST_SM, STORE("x", "1") STORE_RELEASE("y", "1")),
           WARM(SECOND_SM, CA("w", "x"), UNTIL_SET(ACQUIRE("r0", "y")) CA("r1", "x")))},
    {"wait+acquiring-atomic", FORBIDDEN, NO_DATA, .noise = true,
     ROLES(
         AT(FIRST_SM, STORE("x", "1") FENCE "red.global.add.u32 [%y], 1;\n"),
         WARM(SECOND_SM, CA("w", "x"), UNTIL_SET(READ_BY_ATOMIC(".acquire.gpu", "r0", "y")) CA("r1", "x")))},
    {"wait+acquire-of-another-warp", FORBIDDEN, TERMS({2, 1, 0}),
     ROLES(AT(SECOND_SM, STORE("x", "1") STORE_RELEASE("y", "1")),
           WARM(FIRST_SM, CA("w", "x"), UNTIL_SET(ACQUIRE("r0", "y")) BARRIER),
           WARM(FIRST_SM, CA("w", "x"), BARRIER CA("r1", "x")))},

    /* Threads of one block share an L1; so do blocks of one SM, which nobody may rely on. */
    {"mp+one-sm", UNSEEN, FLAG_WITHOUT_DATA,
     ROLES(AT(FIRST_SM, STORE("x", "1") STORE_VOLATILE("y", "1")),
           WARM(FIRST_SM_TOO, CA("w", "x"), VOLATILE("r0", "y") CA("r1", "x")))},
    {"mp+one-block", FORBIDDEN, FLAG_WITHOUT_DATA,
     ROLES(AT(FIRST_SM, STORE("x", "1") BLOCK_FENCE STORE_VOLATILE("y", "1")),
           WARM(FIRST_SM, CA("w", "x"), VOLATILE("r0", "y") BLOCK_FENCE CA("r1", "x")))},
    {"mp+one-block+by-l1", FORBIDDEN, FLAG_WITHOUT_DATA,
     ROLES(
         AT(FIRST_SM, STORE("x", "1") "st.release.cta.global.u32 [%y], 1;\n"),
         WARM(FIRST_SM, CA("w", "x") CA("w", "y"), "ld.acquire.cta.global.u32 %r0, [%y];\n" CA("r1", "x")))},
    {"barrier", FORBIDDEN, TERMS({1, 0, 0}),
     ROLES(AT(FIRST_SM, STORE("x", "1") BARRIER), WARM(FIRST_SM, CA("w", "x"), BARRIER CA("r0", "x")))},
    {"barrier+atomic", FORBIDDEN, TERMS({1, 0, 0}), .noise = true,
     ROLES(AT(FIRST_SM, "red.global.add.u32 [%x], 1;\n" BARRIER),
           WARM(FIRST_SM, CA("w", "x"), BARRIER CA("r0", "x")))},
    {"barrier+late-load", FORBIDDEN, TERMS({0, 0, 1}), .noise = true,
     ROLES(AT(FIRST_SM, CA("r0", "x") BARRIER), AT(FIRST_SM, BARRIER STORE("x", "1")))},

    /* Store buffering: each stores, then looks for the other's. */
    {"sb", UNSEEN, TERMS({0, 0, 0}, {1, 0, 0}), .noise = true,
     ROLES(AT(FIRST_SM, STORE_VOLATILE("x", "1") VOLATILE("r0", "y")),
           AT(SECOND_SM, STORE_VOLATILE("y", "1") VOLATILE("r0", "x")))},
    {"sb+stale", SEEN, TERMS({0, 0, 0}, {1, 0, 0}),
     ROLES(WARM(FIRST_SM, CA("w", "y"), STORE("x", "1") CA("r0", "y")),
           WARM(SECOND_SM, CA("w", "x"), STORE("y", "1") CA("r0", "x")))},
    {"sb+stale+fences", FORBIDDEN, TERMS({0, 0, 0}, {1, 0, 0}),
     ROLES(WARM(FIRST_SM, CA("w", "y"), STORE("x", "1") STRONG_FENCE CA("r0", "y")),
           WARM(SECOND_SM, CA("w", "x"), STORE("y", "1") STRONG_FENCE CA("r0", "x")))},
    {"sb+old-fences+noise", FORBIDDEN, TERMS({0, 0, 0}, {1, 0, 0}), .noise = true,
     ROLES(AT(FIRST_SM, STORE("x", "1") OLD_FENCE CG("r0", "y")),
           AT(SECOND_SM, STORE("y", "1") OLD_FENCE CG("r0", "x")))},
    {"sb+atomics", UNSEEN, TERMS({0, 0, 0}, {1, 0, 0}),
     ROLES(AT(FIRST_SM, EXCHANGE("t", "x", "1") VOLATILE("r0", "y")),
           AT(SECOND_SM, EXCHANGE("t", "y", "1") VOLATILE("r0", "x")))},

    /* Load buffering: each loads what the other stores afterwards. */
    {"lb", UNSEEN, TERMS({0, 0, 1}, {1, 0, 1}), .noise = true,
     ROLES(AT(FIRST_SM, CG("r0", "x") STORE("y", "1")), AT(SECOND_SM, CG("r0", "y") STORE("x", "1")))},
    {"lb+fences", FORBIDDEN, TERMS({0, 0, 1}, {1, 0, 1}), .noise = true,
     ROLES(AT(FIRST_SM, CA("r0", "x") FENCE STORE_VOLATILE("y", "1")),
           AT(SECOND_SM, CA("r0", "y") FENCE STORE_VOLATILE("x", "1")))},
    {"lb+data", FORBIDDEN, TERMS({0, 0, 1}),
     ROLES(AT(FIRST_SM, CG("r0", "x") STORE("y", "%r0")), AT(SECOND_SM, CG("r0", "y") STORE("x", "%r0")))},

    /* Coherence: one word has one history. */
    {"corr+past-l1", FORBIDDEN, TERMS({1, 0, 1}, {1, 1, 0}), .noise = true,
     ROLES(AT(FIRST_SM, STORE("x", "1")), AT(SECOND_SM, CG("r0", "x") CG("r1", "x")))},
    {"corr+by-l1", FORBIDDEN, TERMS({1, 0, 1}, {1, 1, 0}),
     ROLES(AT(FIRST_SM, STORE("x", "1")), AT(SECOND_SM, CA("r0", "x") CA("r1", "x")))},
    {"corr+past-then-by-l1", SEEN, TERMS({1, 0, 1}, {1, 1, 0}),
     ROLES(AT(FIRST_SM, STORE("x", "1")), WARM(SECOND_SM, CA("w", "x"), VOLATILE("r0", "x") CA("r1", "x")))},
    {"corr+by-then-past-l1", FORBIDDEN, TERMS({1, 0, 1}, {1, 1, 0}),
     ROLES(AT(FIRST_SM, STORE("x", "1")), AT(SECOND_SM, CA("r0", "x") VOLATILE("r1", "x")))},
    {"corr+two-readers", FORBIDDEN, TERMS({2, 0, 1}, {2, 1, 2}, {3, 0, 2}, {3, 1, 1}),
     ROLES(AT(FIRST_SM, STORE("x", "1")), AT(SECOND_SM, STORE("x", "2")),
           AT(THIRD_SM, VOLATILE("r0", "x") PAUSE VOLATILE("r1", "x")),
           AT(FOURTH_SM, VOLATILE("r0", "x") PAUSE VOLATILE("r1", "x")))},
    {"coww", FORBIDDEN, TERMS({IN_MEMORY, 0, 1}), .noise = true,
     ROLES(AT(FIRST_SM, STORE("x", "1") STORE("x", "2")))},
    {"cowr", FORBIDDEN, TERMS({0, 0, 0}),
     ROLES(WARM(FIRST_SM, CA("w", "x"), STORE("x", "1") CA("r0", "x")), AT(SECOND_SM, STORE("x", "2")))},
    {"corw", FORBIDDEN, TERMS({0, 0, 1}), .noise = true, ROLES(AT(FIRST_SM, CA("r0", "x") STORE("x", "1")))},
    {"own-store-behind-a-miss", FORBIDDEN, TERMS({0, 1, 0}), .noise = true,
     ROLES(AT(FIRST_SM, CA("r0", "x") STORE("x", "1") CA("r1", "x")))},
    {"own-bytes-behind-a-miss", FORBIDDEN, TERMS({0, 1, 0}), .noise = true,
     ROLES(AT(FIRST_SM, CA("r0", "x") "st.global.u8 [%x+1], 7;\n" CA("r1", "x") CG("r2", "x")))},
    {"own-reduction-behind-a-miss", FORBIDDEN, TERMS({0, 1, 0}), .noise = true,
     ROLES(AT(FIRST_SM, CA("r0", "x") "red.global.add.u32 [%x], 1;\n" CA("r1", "x")))},
    {"own-reduction-of-a-copy", FORBIDDEN, TERMS({0, 1, 0}), .noise = true,
     ROLES(WARM(FIRST_SM, CA("w", "x"), "red.global.add.u32 [%x], 1;\n" CA("r1", "x")))},

    /* Two words, both written by both. */
    {"2+2w", UNSEEN, TERMS({IN_MEMORY, 0, 1}, {IN_MEMORY, 1, 1}), .noise = true,
     ROLES(AT(FIRST_SM, STORE("x", "1") STORE("y", "2")), AT(SECOND_SM, STORE("y", "1") STORE("x", "2")))},
    {"2+2w+fences", FORBIDDEN, TERMS({IN_MEMORY, 0, 1}, {IN_MEMORY, 1, 1}), .noise = true,
     ROLES(AT(FIRST_SM, STORE("x", "1") FENCE STORE("y", "2")),
           AT(SECOND_SM, STORE("y", "1") FENCE STORE("x", "2")))},
    {"s+fences", FORBIDDEN, TERMS({1, 0, 1}, {IN_MEMORY, 0, 2}), .noise = true,
     ROLES(AT(FIRST_SM, STORE("x", "2") FENCE STORE_VOLATILE("y", "1")),
           AT(SECOND_SM, VOLATILE("r0", "y") FENCE STORE("x", "1")))},
    {"r+fences", FORBIDDEN, TERMS({IN_MEMORY, 1, 2}, {1, 0, 0}), .noise = true,
     ROLES(AT(FIRST_SM, STORE("x", "1") STRONG_FENCE STORE("y", "1")),
           WARM(SECOND_SM, CA("w", "x"), STORE("y", "2") STRONG_FENCE CA("r0", "x")))},

    /* Causality: what one has seen, others see who see what it does next. */
    {"wrc+fences", FORBIDDEN, TERMS({1, 0, 1}, {2, 0, 1}, {2, 1, 0}), .noise = true,
     ROLES(AT(FIRST_SM, STORE("x", "1")), AT(SECOND_SM, VOLATILE("r0", "x") FENCE STORE_VOLATILE("y", "1")),
           WARM(THIRD_SM, CA("w", "x"), VOLATILE("r0", "y") FENCE CA("r1", "x")))},
    {"wrc+stale", SEEN, TERMS({1, 0, 1}, {2, 0, 1}, {2, 1, 0}),
     ROLES(AT(FIRST_SM, STORE("x", "1")), AT(SECOND_SM, VOLATILE("r0", "x") FENCE STORE_VOLATILE("y", "1")),
           WARM(THIRD_SM, CA("w", "x"), VOLATILE("r0", "y") CA("r1", "x")))},
    {"wrc+barrier", FORBIDDEN, TERMS({2, 0, 1}, {2, 1, 0}), .noise = true,
     ROLES(AT(FIRST_SM, STORE("x", "1") BARRIER), AT(FIRST_SM, BARRIER FENCE STORE_VOLATILE("y", "1")),
           WARM(SECOND_SM, CA("w", "x"), VOLATILE("r0", "y") FENCE CA("r1", "x")))},
    {"wrc+barrier+release", FORBIDDEN, TERMS({2, 0, 1}, {2, 1, 0}), .noise = true,
     ROLES(AT(FIRST_SM, STORE("x", "1") BARRIER), AT(FIRST_SM, BARRIER STORE_RELEASE("y", "1")),
           WARM(SECOND_SM, CA("w", "x"), ACQUIRE("r0", "y") CA("r1", "x")))},
    {"wrc+by-l1-of-the-block", FORBIDDEN, TERMS({1, 0, 1}, {2, 0, 1}, {2, 1, 0}), .noise = true,
     ROLES(AT(FIRST_SM, STORE("x", "1")),
           WARM(FIRST_SM, CA("w", "x"), BLOCKWIDE("r0", "x") STORE_RELEASE("y", "1")),
           WARM(SECOND_SM, CA("w", "x"), ACQUIRE("r0", "y") CA("r1", "x")))},
    {"iriw", UNSEEN, TERMS({2, 0, 1}, {2, 1, 0}, {3, 0, 1}, {3, 1, 0}), .noise = true,
     ROLES(AT(FIRST_SM, STORE("x", "1")), AT(SECOND_SM, STORE("y", "1")),
           AT(THIRD_SM, VOLATILE("r0", "x") VOLATILE("r1", "y")),
           AT(FOURTH_SM, VOLATILE("r0", "y") VOLATILE("r1", "x")))},
    {"iriw+stale", SEEN, TERMS({2, 0, 1}, {2, 1, 0}, {3, 0, 1}, {3, 1, 0}),
     ROLES(AT(FIRST_SM, STORE("x", "1")), AT(SECOND_SM, STORE("y", "1")),
           WARM(THIRD_SM, CA("w", "y"), VOLATILE("r0", "x") CA("r1", "y")),
           WARM(FOURTH_SM, CA("w", "x"), VOLATILE("r0", "y") CA("r1", "x")))},
    {"iriw+fences", FORBIDDEN, TERMS({2, 0, 1}, {2, 1, 0}, {3, 0, 1}, {3, 1, 0}),
     ROLES(AT(FIRST_SM, STORE("x", "1")), AT(SECOND_SM, STORE("y", "1")),
           WARM(THIRD_SM, CA("w", "y"), VOLATILE("r0", "x") STRONG_FENCE CA("r1", "y")),
           WARM(FOURTH_SM, CA("w", "x"), VOLATILE("r0", "y") STRONG_FENCE CA("r1", "x")))},
};

/* On a GPU whose load/store unit takes long for each instruction. A load of x by another warp is in its queue
 * before the load of y, but is done after the fence: it must not bring an x that is older than y. */
static const Litmus slow_unit_tests[] = {
    {"mp+fences+loads-of-another-warp", FORBIDDEN, FLAG_WITHOUT_DATA,
     ROLES(AT(SECOND_SM, STORE_VOLATILE("x", "1") STORE_VOLATILE("y", "1")),
           AT(FIRST_SM, VOLATILE("r0", "y") FENCE CA("r1", "x")),
           AT(FIRST_SM, CG("u0", "z") CG("u1", "z") CG("u2", "z") CA("r0", "x") CG("r1", "z") CG("r2", "z")
                            CG("r3", "z")))},
};

enum { TEST_COUNT = sizeof tests / sizeof *tests };

static void judge(WbGpu *gpu, const Litmus *of, size_t count, uint32_t runs)
{
    unsigned failures = 0;
    for (size_t i = 0; i < count; i++) {
        const char *complaint = litmus_run(&of[i], gpu, runs * of[i].role_count * of[i].role_count / 4);
        if (complaint)
            print_error("%s\n", complaint);
        failures += complaint != NULL;
    }
    wb_gpu_close(gpu);
    assert_int_equal(failures, 0);
}

static void run_all(const char *name, uint32_t runs)
{
    judge(harness_open(name, (const char *const[]){"mode=cycle", "cycle_limit=2000000", "l1_coherence=none",
                                                   "block_place=loose-round-robin", NULL}),
          tests, TEST_COUNT, runs);
}

static void test_stores_drop_copies(void **state)
{
    (void)state;
    run_all("gtx480", RUNS);
}

static void test_stores_update_copies(void **state)
{
    (void)state;
    run_all("h200", RUNS_OF_MANY_SMS);
}

static void test_wavefronts(void **state)
{
    (void)state;
    run_all("apu8", RUNS);
}

static void test_without_copies(void **state)
{
    (void)state;
    run_all("k20c", RUNS);
}

/* What is not the same where L1s are coherent. Other outcomes that nothing forbids may come or not: how long
 * it takes to own a word depends on who else has it. */
static const struct {
    const char *name;
    LitmusVerdict verdict;
} owned[] = {
    {"mp+stale", SEEN},
    {"wait+stale", FORBIDDEN},
    {"wait+stale+block-fence", FORBIDDEN},
    {"wait+stale+relaxed-atomic", FORBIDDEN},
    {"corr+past-then-by-l1", FORBIDDEN},
    {"sb+stale", SEEN},
};

static LitmusVerdict owned_verdict(const Litmus *litmus, bool is_first)
{
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        if (strcmp(owned[i].name, litmus->name) == 0 && (owned[i].verdict == FORBIDDEN || is_first))
            return owned[i].verdict;
    return litmus->verdict == FORBIDDEN ? FORBIDDEN : ALLOWED;
}

/* What can be seen must be on the first machine. */
static void run_owned(const char *gpu, const char *knob, const char *second, bool is_first)
{
    Litmus changed[TEST_COUNT];
    for (size_t i = 0; i < TEST_COUNT; i++) {
        changed[i] = tests[i];
        changed[i].verdict = owned_verdict(&tests[i], is_first);
    }
    judge(harness_open(gpu, (const char *const[]){"mode=cycle", "cycle_limit=2000000",
                                                  "l1_coherence=ownership", knob, second, NULL}),
          changed, TEST_COUNT, is_first ? RUNS : RUNS / 4);
}

/* One slice and several, an L1 that evicts all the time, and few SMs. */
static void test_ownership(void **state)
{
    static const char *const machines[][3] = {
        {"apu8", NULL},
        {"apu8", "l1_ways=1", "l1_bytes=128"},
        {"apu8", "sm_count=4"},
        {"gtx480", "crossbar_spread=40"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        run_owned(machines[i][0], machines[i][1], machines[i][2], i == 0);
}

static void test_slow_unit(void **state)
{
    static const char *const gpus[] = {"gtx480", "apu8"};
    (void)state;
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++)
        judge(harness_open(gpus[i], (const char *const[]){"mode=cycle", "lsu_lanes=1", NULL}),
              slow_unit_tests, sizeof slow_unit_tests / sizeof *slow_unit_tests, RUNS_OF_RARE_OUTCOMES);
}

/* -- kernels: their start, their end, and locks -- */

/* Each block adds 1 to word 0 sixteen times, in a critical section, the lock being word 64. */
#define LOCKED(name, fence)                                                                                  \
    ".visible .entry " name "(.param .u64 out)\n{\n.reg .b64 %a; .reg .b32 %r, %n; .reg .pred %p;\n"         \
    "ld.param.u64 %a, [out]; mov.u32 %n, 16;\n"                                                              \
    "TAKE: atom.global.cas.b32 %r, [%a+256], 0, 1; setp.ne.u32 %p, %r, 0; @%p bra TAKE;\n" fence             \
    "ld.global.ca.u32 %r, [%a]; add.u32 %r, %r, 1; st.global.u32 [%a], %r;\n" fence                          \
    "atom.global.exch.b32 %r, [%a+256], 0; sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra TAKE;\n"        \
    "ret;\n}\n"
/* Block 1 waits until block 0 has set word 0, of which it has a copy. */
#define WAITING(name, load)                                                                                  \
    ".visible .entry " name "(.param .u64 out)\n{\n.reg .b64 %a; .reg .b32 %r, %n; .reg .pred %p;\n"         \
    "ld.param.u64 %a, [out]; mov.u32 %n, %ctaid.x; setp.eq.u32 %p, %n, 0; @%p bra SET;\n"                    \
    "AGAIN: " load " %r, [%a]; setp.eq.u32 %p, %r, 0; @%p bra AGAIN; ret;\n"                                 \
    "SET: add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 200; @%p bra SET; st.global.u32 [%a], 1; ret;\n}\n"
/* Into register `to`, how long the instruction takes until the next can issue. */
#define TIMED(to, instruction)                                                                               \
    "mov.u32 %t0, %clock; " instruction " mov.u32 %t1, %clock; sub.u32 " to ", %t1, %t0;\n"

static const char kernels[] = PTX_HEADER
    /* Every block loads word 0 by way of L1 and stores it into word 32 + its index. */
    ".visible .entry look(.param .u64 out)\n{\n.reg .b64 %a, %b; .reg .b32 %r, %i;\n"
    "ld.param.u64 %a, [out]; ld.global.ca.u32 %r, [%a]; mov.u32 %i, %ctaid.x;\n"
    "mul.wide.u32 %b, %i, 4; add.u64 %b, %b, %a; st.global.u32 [%b+128], %r; ret;\n}\n"
    /* One more in word 0, as the last thing that the last block does; the others keep its slice busy. */
    ".visible .entry more(.param .u64 out)\n{\n.reg .b64 %a; .reg .b32 %r, %i, %n; .reg .pred %p;\n"
    "ld.param.u64 %a, [out]; mov.u32 %i, %ctaid.x; mov.u32 %n, %nctaid.x; sub.u32 %n, %n, 1;\n"
    "setp.eq.u32 %p, %i, %n; @%p bra LAST; atom.global.cas.b32 %r, [%a+4], 0, 0; ret;\n"
    "LAST: ld.global.cg.u32 %r, [%a]; add.u32 %r, %r, 1; st.global.u32 [%a], %r; ret;\n}\n"
    /* Fences of two warps, behind a store of warp 0 and behind none; a release of warp 0 behind a store. */
    ".visible .entry fences(.param .u64 out)\n{\n.reg .b64 %a, %b; .reg .b32 %r<3>, %w, %t<2>; .reg .pred "
    "%p;\n"
    "ld.param.u64 %b, [out]; mov.u32 %w, %tid.x; shr.u32 %w, %w, 5; mul.wide.u32 %a, %w, 16;\n"
    "add.u64 %a, %a, %b; setp.ne.u32 %p, %w, 0; mov.u32 %r2, 0; @%p bra MEET; st.global.u32 [%b+512], 1;\n"
    "MEET: bar.sync 0;\n" TIMED("%r0", FENCE) "bar.sync 0;\n" TIMED(
        "%r1",
        FENCE) "@%p bra END; st.global.u32 [%b+516], 1;\n" TIMED("%r2",
                                                                 "st.release.gpu.global.u32 [%b+768], "
                                                                 "1;") "END: st.global.u32 [%a], %r0; "
                                                                       "st.global.u32 [%a+4], %r1; "
                                                                       "st.global.u32 [%a+8], %r2; "
                                                                       "ret;\n}\n" LOCKED("locked_"
                                                                                          "with_"
                                                                                          "fences",
                                                                                          FENCE)
                                                                           LOCKED("locked_without", "")
                                                                               WAITING("waiting_plainly",
                                                                                       "ld.global.u32")
                                                                                   WAITING("waiting_past_"
                                                                                           "l1",
                                                                                           "ld.volatile."
                                                                                           "global.u32");

enum { OUT_WORDS = 256 };

static WbStatus run_kernel(WbGpu *gpu, const char *name, uint32_t blocks, uint32_t *out)
{
    return harness_run(&(HarnessRun){.gpu = gpu,
                                     .ptx = kernels,
                                     .kernel = name,
                                     .grid = {blocks, 1, 1},
                                     .block = {1, 1, 1},
                                     .out = out,
                                     .words = OUT_WORDS});
}

static WbGpu *open_cycle(const char *name)
{
    return harness_open(name, (const char *const[]){"mode=cycle", "cycle_limit=300000", NULL});
}

static const char *const every_gpu[] = {"gtx480", "h200", "apu8", "k20c"};
enum { GPUS = sizeof every_gpu / sizeof *every_gpu };

/* A kernel finds no copies of those before it in the L1s, whoever wrote in between, and all they stored. */
static void test_kernels(void **state)
{
    (void)state;
    for (size_t g = 0; g < GPUS; g++) {
        WbGpu *gpu = open_cycle(every_gpu[g]);
        WbModule *module;
        WbKernel *look, *more;
        uint64_t memory;
        uint32_t out[OUT_WORDS] = {0}, expected = 0;
        assert_int_equal(wb_module_load(gpu, "kernels.ptx", kernels, strlen(kernels), &module), WB_OK);
        assert_int_equal(wb_module_kernel(module, "look", &look), WB_OK);
        assert_int_equal(wb_module_kernel(module, "more", &more), WB_OK);
        assert_int_equal(wb_malloc(gpu, sizeof out, &memory), WB_OK);
        assert_int_equal(wb_copy_to_device(gpu, memory, out, sizeof out), WB_OK);
        const WbArgument argument = WB_ARG(memory);
        const WbLaunch looking = {
            .grid = {150, 1, 1}, .block = {1, 1, 1}, .arguments = &argument, .argument_count = 1};
        for (int round = 0; round < 6; round++) {
            if (round % 2) {
                assert_int_equal(wb_launch(more, &(WbLaunch){.grid = {40, 1, 1},
                                                             .block = {32, 1, 1},
                                                             .arguments = &argument,
                                                             .argument_count = 1}),
                                 WB_OK);
                expected++; /* all lanes load and store the same */
            } else {
                expected += 100;
                assert_int_equal(wb_copy_to_device(gpu, memory, &expected, sizeof expected), WB_OK);
            }
            assert_int_equal(wb_launch(look, &looking), WB_OK);
            assert_int_equal(wb_wait(gpu), WB_OK);
            assert_int_equal(wb_copy_from_device(gpu, out, memory, sizeof out), WB_OK);
            assert_int_equal(out[0], expected);
            for (int i = 0; i < 150; i++)
                assert_int_equal(out[32 + i], expected);
        }
        wb_gpu_close(gpu);
    }
}

static bool has_stale_copies(const WbGpu *gpu)
{
    return gpu->config.l1_global && gpu->config.l1_coherence == L1_COHERENCE_NONE;
}

static void test_locks(void **state)
{
    enum { BLOCKS = 6, TURNS = 16 };
    (void)state;
    for (size_t g = 0; g < GPUS; g++) {
        WbGpu *gpu = open_cycle(every_gpu[g]);
        uint32_t out[OUT_WORDS] = {0};
        if (run_kernel(gpu, "locked_with_fences", BLOCKS, out) != WB_OK)
            fail_msg("%s", wb_error(gpu));
        assert_int_equal(out[0], BLOCKS * TURNS);
        memset(out, 0, sizeof out);
        if (run_kernel(gpu, "locked_without", BLOCKS, out) != WB_OK)
            fail_msg("%s", wb_error(gpu));
        if (has_stale_copies(gpu) && gpu->config.l1_write_hit == WRITE_HIT_UPDATE)
            assert_in_range(out[0], 1, BLOCKS * TURNS - 1); /* additions to stale copies are lost */
        wb_gpu_close(gpu);
    }
}

/* A plain load may find the same copy for ever. */
static void test_waiting(void **state)
{
    (void)state;
    for (size_t g = 0; g < GPUS; g++) {
        WbGpu *gpu = open_cycle(every_gpu[g]);
        uint32_t out[OUT_WORDS] = {0};
        assert_int_equal(run_kernel(gpu, "waiting_plainly", 2, out),
                         has_stale_copies(gpu) ? WB_ERROR_DEADLOCK : WB_OK);
        memset(out, 0, sizeof out);
        if (run_kernel(gpu, "waiting_past_l1", 2, out) != WB_OK)
            fail_msg("%s", wb_error(gpu));
        assert_int_equal(out[0], 1);
        wb_gpu_close(gpu);
    }
}

/* Nobody sees it, since requests keep their order, but fences wait until the block's stores are confirmed. */
static void test_fence_times(void **state)
{
    (void)state;
    WbGpu *gpu = open_cycle("gtx480");
    uint32_t out[OUT_WORDS] = {0};
    harness_run_ok(&(HarnessRun){.gpu = gpu,
                                 .ptx = kernels,
                                 .kernel = "fences",
                                 .grid = {1, 1, 1},
                                 .block = {64, 1, 1},
                                 .out = out,
                                 .words = OUT_WORDS});
    const uint64_t trip = 2 * gpu->config.crossbar_latency + gpu->config.l2_latency;
    const uint64_t alone = gpu->config.fence_latency, some = gpu->config.barrier_latency + 30;
    for (uint32_t warp = 0; warp < 2; warp++) {
        assert_in_range(out[4 * warp], trip - some, trip + some);
        assert_in_range(out[4 * warp + 1], alone, alone + some);
    }
    assert_in_range(out[2], trip - some, trip + some);
    wb_gpu_close(gpu);
}

/* docs/MEMORY.md has a row for every test, with its verdict. */
static void test_documented(void **state)
{
    static const char *const verdicts[] = {[FORBIDDEN] = "forbidden", [SEEN] = "seen", [UNSEEN] = "not seen"};
    static char page[1 << 16];
    (void)state;
    FILE *file = fopen(SOURCE_DIRECTORY "/docs/MEMORY.md", "r");
    assert_non_null(file);
    assert_true(fread(page, 1, sizeof page - 1, file) < sizeof page - 1);
    fclose(file);
    for (size_t i = 0; i <= TEST_COUNT; i++) {
        const Litmus *litmus = i < TEST_COUNT ? &tests[i] : slow_unit_tests;
        char cell[128];
        snprintf(cell, sizeof cell, "\n| `%s` | %s |", litmus->name, verdicts[litmus->verdict]);
        if (!strstr(page, cell))
            fail_msg("docs/MEMORY.md lacks the row%s", cell);
    }
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(test_stores_drop_copies),
        cmocka_unit_test(test_stores_update_copies),
        cmocka_unit_test(test_wavefronts),
        cmocka_unit_test(test_without_copies),
        cmocka_unit_test(test_ownership),
        cmocka_unit_test(test_slow_unit),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_locks),
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_fence_times),
        cmocka_unit_test(test_documented),
    };
    return cmocka_run_group_tests_name("litmus", all, NULL, NULL);
}
