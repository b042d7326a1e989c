/* What policies of warp schedulers are promised: their states, what they are told and in which order, and
 * what becomes of cycles in which they let no warp issue. */
#include "suspend_rig.h"

#include "sm/sched/sched.h"
#include "sm/stages.h"

/* Every thread reads a word and waits for it, meets the others at a barrier, may have its block leave, reads
 * what its neighbour wrote, meets them again and writes. Warps of odd numbers end in between. */
static const char source[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func pause (.param .b32 point);\n"
    ".visible .entry k(.param .u64 words)\n{\n.shared .align 4 .b8 box[1024];\n"
    ".reg .b32 %r<24>; .reg .b64 %rd<8>; .reg .pred %p<4>;\n"
    "ld.param.u64 %rd0, [words]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %ctaid.x;\n"
    "mad.lo.u32 %r3, %r2, %r1, %r0; mul.wide.u32 %rd1, %r3, 4; add.u64 %rd1, %rd0, %rd1;\n"
    "ld.global.u32 %r4, [%rd1]; mul.lo.u32 %r4, %r4, 3;\n"
    "mov.u32 %r5, box; shl.b32 %r6, %r0, 2; add.u32 %r6, %r5, %r6; st.shared.u32 [%r6], %r4; bar.sync 0;\n"
    "setp.ne.u32 %p0, %r0, 0; @%p0 bra STAY; { .param .b32 p; st.param.b32 [p], 1; call pause, (p); }\n"
    "STAY: xor.b32 %r7, %r0, 1; shl.b32 %r7, %r7, 2; add.u32 %r7, %r5, %r7; ld.shared.u32 %r8, [%r7];\n"
    "mov.u32 %r10, 0;\nLOOP: mad.lo.u32 %r8, %r8, 5, %r4; mad.lo.u32 %r4, %r4, 3, %r10; add.u32 %r10, %r10, "
    "1;\n"
    "setp.lt.u32 %p1, %r10, 20; @%p1 bra LOOP; add.u32 %r8, %r8, %r4; st.global.u32 [%rd1], %r8;\n"
    "shr.u32 %r9, %r0, 5; and.b32 %r9, %r9, 1; setp.eq.u32 %p2, %r9, 1; @%p2 exit;\n"
    "bar.sync 0; ld.global.u32 %r11, [%rd1]; add.u32 %r11, %r11, 1; st.global.u32 [%rd1], %r11; ret;\n}\n";

enum { BLOCKS = 12, THREADS = 160, WORDS = BLOCKS * THREADS };

static uint32_t host_word(uint32_t i)
{
    const uint32_t thread = i % THREADS;
    uint32_t own = i * 3, other = (i - thread + (thread ^ 1)) * 3;
    for (uint32_t k = 0; k < 20; k++) {
        other = other * 5 + own;
        own = own * 3 + k;
    }
    return other + own + (thread / 32 % 2 == 0);
}

static uint64_t threads = 1, schedulers = 2, window, issue_width = 1;

static void change(GpuConfig *config)
{
    config->threads = threads;
    config->schedulers = schedulers;
    config->window = window;
    config->issue_width = issue_width;
}

static PauseRig *open_rig(const char *gpu, const WarpScheduler *policy)
{
    PauseRig *rig = pause_open(gpu, source, change);
    for (uint32_t i = 0; policy && i < rig->config.sm_count; i++) {
        policy_detach(rig->sms[i]);
        policy_attach(rig->sms[i], policy);
    }
    rig->parameters[0] = pause_buffer(rig, WORDS * 4);
    for (uint32_t i = 0; i < WORDS; i++)
        ((uint32_t *)pause_bytes(rig, rig->parameters[0]))[i] = i;
    pause_shape(rig, BLOCKS, THREADS);
    return rig;
}

static Cycle run_rig(PauseRig *rig)
{
    const WorldEnd end = pause_run(rig, 0, 10000000);
    assert_true(end.next == CYCLE_NEVER);
    pause_check(rig, end.time);
    const uint32_t *words = pause_bytes(rig, rig->parameters[0]);
    for (uint32_t i = 0; i < WORDS; i++)
        assert_int_equal(words[i], host_word(i));
    return end.time;
}

/* -- a witness: writes down what it is told, and compares it with what it sees -- */

typedef struct Shared {
    uint32_t sm, made, gone;   /* schedulers */
    uint32_t hit;              /* blocks in which a warp has come to a barrier; one bit each */
    uint32_t moved;            /* blocks that have been away, perhaps with warps at a barrier */
    uint32_t last_block_event; /* scheduler that was told last */
} Shared;

typedef struct Witness {
    WarpSet warps, waiting; /* that are there; of these, in a Wait of `waits` */
    uint32_t blocks;        /* that are there; one bit each */
    uint32_t came, left, returned, ended, reached, firsts, cleared, begun, over;
    uint32_t warps_came, warps_went;
    uint8_t wait[MAX_WARPS];
    int wrong_line; /* of this file; 0: all was right */
} Witness;

static Witness sums; /* of all states that have been freed */
static uint32_t shared_freed;

/* Only what a single thread may do: tests with a witness run on one. */
static void expect_at(const SchedulerView *view, bool is_right, int line)
{
    Witness *witness = view->state;
    witness->wrong_line = is_right || witness->wrong_line ? witness->wrong_line : line;
}
#define expect(view, is_right) expect_at(view, is_right, __LINE__)

static void *make_shared(const GpuConfig *config, uint32_t sm)
{
    assert_int_equal(config->schedulers, schedulers);
    Shared *shared = xcalloc(1, sizeof *shared);
    shared->sm = sm;
    return shared;
}

static void free_shared(void *shared)
{
    assert_int_equal(((Shared *)shared)->made, schedulers);
    shared_freed++;
    xfree(shared);
}

static void *make_witness(const SchedulerView *view, const GpuConfig *config, uint32_t sm)
{
    Shared *shared = view->shared;
    assert_int_equal(shared->sm, sm);
    assert_int_equal(shared->made++, view->number);
    assert_true(config->sm_count > sm);
    return xcalloc(1, sizeof(Witness));
}

static void free_witness(void *state)
{
    const Witness *witness = state;
    assert_int_equal(witness->wrong_line, 0);
    assert_true(!witness->warps && !witness->blocks);
    const uint32_t *counts = &witness->came;
    for (size_t i = 0; &counts[i] <= &witness->warps_went; i++)
        (&sums.came)[i] += counts[i];
    xfree(state);
}

static uint32_t witness_pick(SchedulerView *view)
{
    const Witness *witness = view->state;
    expect(view, view->ready && !(view->ready & ~view->mine) && view->mine == witness->warps);
    expect(view, !(view->ready & witness->waiting));
    for (WarpSet rest = view->mine; rest; rest &= rest - 1) {
        const uint32_t warp = warps_first(rest);
        expect(view, warp % schedulers == view->number);
        expect(view, (sched_wait(view, warp) == witness->wait[warp]) == (witness->waiting >> warp & 1));
        expect(view, sched_waits_since(view, warp) <= sched_now(view));
        expect(view, sched_block_warps(view, sched_block(view, warp)) >> warp & 1);
        expect(view, !(view->ready >> warp & 1) || sched_wait(view, warp) == WAIT_NONE);
    }
    return warps_next(view->ready, view->last_slot);
}

static void warp_came(SchedulerView *view, uint32_t warp)
{
    Witness *witness = view->state;
    expect(view, !(witness->warps >> warp & 1) && witness->blocks >> sched_block(view, warp) & 1);
    witness->warps |= warp_bit(warp);
    witness->wait[warp] = WAIT_COUNT;
    witness->warps_came++;
}

static void warp_went(SchedulerView *view, uint32_t warp)
{
    Witness *witness = view->state;
    expect(view, witness->warps >> warp & 1);
    witness->warps &= ~warp_bit(warp);
    witness->waiting &= ~warp_bit(warp);
    witness->wait[warp] = WAIT_COUNT;
    witness->warps_went++;
}

static void wait_begun(SchedulerView *view, uint32_t warp, Wait wait)
{
    Witness *witness = view->state;
    expect(view, witness->warps >> warp & 1 && !(witness->waiting >> warp & 1));
    expect(view, sched_wait(view, warp) == wait);
    witness->waiting |= warp_bit(warp);
    witness->wait[warp] = (uint8_t)wait;
    witness->begun++;
}

static void wait_ended(SchedulerView *view, uint32_t warp, Wait wait)
{
    Witness *witness = view->state;
    expect(view, witness->waiting >> warp & 1 && witness->wait[warp] == wait);
    expect(view, sched_wait(view, warp) != wait && sched_waits_since(view, warp) == sched_now(view));
    witness->waiting &= ~warp_bit(warp);
    witness->wait[warp] = WAIT_COUNT;
    witness->over++;
}

static void block_came(SchedulerView *view, uint32_t block, bool is_moved)
{
    Witness *witness = view->state;
    expect(view, !(witness->blocks >> block & 1) && !sched_block_warps(view, block));
    Shared *shared = view->shared;
    shared->moved = is_moved ? shared->moved | 1u << block : shared->moved & ~(1u << block);
    witness->blocks |= 1u << block;
    witness->came++;
    witness->returned += is_moved;
}

static void block_went(SchedulerView *view, uint32_t block, bool is_moved)
{
    Witness *witness = view->state;
    expect(view, witness->blocks >> block & 1 && !sched_block_warps(view, block));
    witness->blocks &= ~(1u << block);
    ((Shared *)view->shared)->hit &= ~(1u << block);
    witness->left += is_moved;
    witness->ended += !is_moved;
}

static void barrier_reached(SchedulerView *view, uint32_t warp, bool is_first)
{
    Witness *witness = view->state;
    Shared *shared = view->shared;
    const uint32_t bit = 1u << sched_block(view, warp);
    expect(view, view->number == 0 || shared->last_block_event == view->number - 1);
    expect(view, sched_wait(view, warp) == WAIT_NONE);
    if (view->number == 0 && !(shared->moved & bit))
        expect(view, is_first == !(shared->hit & bit));
    shared->hit |= bit;
    shared->last_block_event = view->number;
    witness->reached++;
    witness->firsts += is_first;
}

static void barrier_cleared(SchedulerView *view, uint32_t block)
{
    Witness *witness = view->state;
    expect(view, witness->blocks >> block & 1);
    ((Shared *)view->shared)->hit &= ~(1u << block);
    witness->cleared++;
}

static const WarpScheduler witness = {
    .about = {.name = "witness"},
    .init_sm = make_shared,
    .free_sm = free_shared,
    .init = make_witness,
    .free = free_witness,
    .pick = witness_pick,
    .warp_came = warp_came,
    .warp_went = warp_went,
    .waits =
        1u << WAIT_MEMORY | 1u << WAIT_BARRIER | 1u << WAIT_SUSPEND | 1u << WAIT_RESULT | 1u << WAIT_DRAIN,
    .wait_begun = wait_begun,
    .wait_ended = wait_ended,
    .block_came = block_came,
    .block_went = block_went,
    .barrier_reached = barrier_reached,
    .barrier_cleared = barrier_cleared,
};

static void a_policy_is_told_of_everything(void **state)
{
    (void)state;
    for (schedulers = 1; schedulers <= 4; schedulers *= 2)
        for (uint32_t leaves = 0; leaves < 2; leaves++) {
            memset(&sums, 0, sizeof sums);
            shared_freed = 0;
            PauseRig *rig = open_rig("titanv", &witness);
            rig->waits = leaves ? pause_always : NULL;
            rig->step = 1;
            run_rig(rig);
            const uint32_t sms = (uint32_t)rig->config.sm_count, each = (uint32_t)schedulers;
            pause_close(rig);
            assert_int_equal(shared_freed, sms);
            assert_int_equal(sums.came, BLOCKS * each * (1 + leaves));
            assert_int_equal(sums.left, BLOCKS * each * leaves);
            assert_int_equal(sums.returned, sums.left);
            assert_int_equal(sums.ended, BLOCKS * each);
            assert_int_equal(sums.reached, BLOCKS * each * (5 + 3)); /* warps 1 and 3 end before the second */
            assert_int_equal(sums.firsts, BLOCKS * each * 2);
            assert_int_equal(sums.cleared, BLOCKS * each * 2);
            assert_int_equal(sums.warps_came, sums.warps_went);
            assert_true(sums.warps_came >= BLOCKS * 5 && sums.begun > sums.over && sums.over > BLOCKS * 5);
        }
    schedulers = 2;
}

/* -- cycles in which nobody issues -- */

/* Issues in every fourth cycle alone. */
static uint32_t pick_rarely(SchedulerView *view)
{
    const Cycle now = sched_now(view);
    return now % 4 ? sched_nobody_before(view, now + 4 - now % 4) : warps_next(view->ready, view->last_slot);
}

static const WarpScheduler rarely = {.about = {.name = "rarely"}, .pick = pick_rarely};

/* Of its warps only those of the oldest block that waits for nothing long, so that it refuses until a wait
 * has ended or a warp has gone. */
static uint32_t pick_oldest_block(SchedulerView *view)
{
    uint32_t oldest = SCHED_NOBODY;
    for (WarpSet rest = view->mine; rest; rest &= rest - 1) {
        const uint32_t warp = warps_first(rest);
        const Wait wait = sched_wait(view, warp);
        const bool is_short = wait == WAIT_NONE || wait == WAIT_RESULT || wait == WAIT_SHARED ||
                              wait == WAIT_FETCH || wait == WAIT_BRANCH;
        if (is_short && (oldest == SCHED_NOBODY || sched_age(view, warp) < sched_age(view, oldest)))
            oldest = warp;
    }
    const WarpSet own = oldest == SCHED_NOBODY ? 0 : sched_block_warps(view, sched_block(view, oldest));
    return own & view->ready ? warps_first(own & view->ready) : SCHED_NOBODY;
}

static void hear_of_wait(SchedulerView *view, uint32_t warp, Wait wait)
{
    (void)view, (void)warp, (void)wait;
}

static const WarpScheduler block_by_block = {
    .about = {.name = "block-by-block"},
    .pick = pick_oldest_block,
    .waits = (1u << WAIT_COUNT) - 1,
    .wait_begun = hear_of_wait,
    .wait_ended = hear_of_wait,
};

static uint64_t sum_refused_cycles(const PauseRig *rig)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < rig->config.sm_count; i++)
        for (uint32_t k = 0; k < schedulers; k++)
            sum += rig->sms[i]->schedulers[k].statistics.stall_policy;
    return sum;
}

/* pause_check() has that a scheduler's cycles add up. */
static void cycles_without_an_issue_add_up(void **state)
{
    (void)state;
    static const WarpScheduler *const policies[] = {&rarely, &block_by_block};
    static const char *const gpus[] = {"gtx480", "titanv", "h200"};
    for (size_t g = 0; g < sizeof gpus / sizeof *gpus; g++)
        for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
            PauseRig *rig = open_rig(gpus[g], policies[p]);
            rig->waits = pause_always;
            const Cycle time = run_rig(rig);
            assert_true(sum_refused_cycles(rig) > 100);
            pause_close(rig);
            rig = open_rig(gpus[g], NULL);
            rig->waits = pause_always;
            assert_true(run_rig(rig) < time || policies[p] != &rarely);
            assert_int_equal(sum_refused_cycles(rig), 0);
            pause_close(rig);
        }
}

static void they_are_the_same_for_any_threads_and_windows(void **state)
{
    (void)state;
    static const WarpScheduler *const policies[] = {&rarely, &block_by_block};
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
        Scheduler first[3][2] = {0};
        for (uint32_t i = 0; i < 6; i++) {
            threads = i < 3 ? 1u << i : 1;
            window = i < 3 ? 0 : i - 2;
            PauseRig *rig = open_rig("titanv", policies[p]);
            rig->waits = pause_always;
            run_rig(rig);
            for (uint32_t k = 0; k < 6; k++) {
                const Scheduler *found = &rig->sms[k / 2]->schedulers[k % 2];
                if (i == 0)
                    first[k / 2][k % 2] = *found;
                assert_memory_equal(&found->statistics, &first[k / 2][k % 2].statistics,
                                    sizeof found->statistics);
                assert_int_equal(found->refusals, first[k / 2][k % 2].refusals);
            }
            pause_close(rig);
        }
    }
    threads = 1;
    window = 0;
}

/* -- how long a refusal stands -- */

/* Scheduler 1 lets nobody issue before a warp of scheduler 0 has come to a barrier. */
typedef struct Gate {
    bool is_open;
    Cycle opened, passed; /* passed: the first question behind that */
} Gate;

static Gate gates[3]; /* [sm] */

static void *find_gate(const GpuConfig *config, uint32_t sm)
{
    (void)config;
    gates[sm] = (Gate){0};
    return &gates[sm];
}

static uint32_t pick_behind_gate(SchedulerView *view)
{
    Gate *gate = view->shared;
    if (view->number == 1 && !gate->is_open)
        return SCHED_NOBODY;
    if (view->number == 1 && !gate->passed)
        gate->passed = sched_now(view);
    return warps_first(view->ready);
}

static void open_gate(SchedulerView *view, uint32_t warp, bool is_first)
{
    Gate *gate = view->shared;
    if (gate->is_open || !is_first)
        return;
    assert_int_equal(warp % schedulers, 0);
    gate->is_open = true;
    gate->opened = sched_now(view);
}

static void it_stands_until_the_policy_is_told_something(void **state)
{
    (void)state;
    static const WarpScheduler gated = {.about = {.name = "gated"},
                                        .init_sm = find_gate,
                                        .pick = pick_behind_gate,
                                        .barrier_reached = open_gate};
    for (uint32_t warps = 2; warps <= 5; warps++) { /* with two, nothing else happens in those cycles */
        PauseRig *rig = open_rig("titanv", &gated);
        pause_shape(rig, BLOCKS, warps * 32);
        rig->limit = warps / 2;
        const WorldEnd end = pause_run(rig, 0, 1000000);
        pause_check(rig, end.time);
        for (uint32_t i = 0; i < rig->config.sm_count; i++) {
            assert_true(gates[i].is_open && gates[i].opened > 100);
            assert_in_range(gates[i].passed, gates[i].opened, gates[i].opened + 1);
            /* Once for each warp that comes or becomes ready, not once a cycle. */
            assert_true(rig->sms[i]->schedulers[1].refusals <= 2 * rig->limit * warps);
        }
        pause_close(rig);
    }
}

static Cycle last_pick;

/* One instruction a cycle, where the scheduler could issue two. */
static uint32_t pick_once(SchedulerView *view)
{
    if (last_pick == sched_now(view))
        return SCHED_NOBODY;
    last_pick = sched_now(view);
    return warps_first(view->ready);
}

static void refusing_a_second_instruction_is_for_that_cycle(void **state)
{
    (void)state;
    static const WarpScheduler once = {.about = {.name = "once"}, .pick = pick_once};
    issue_width = 2;
    schedulers = 1;
    PauseRig *rig = open_rig("titanv", &once);
    pause_shape(rig, 1, 32); /* so that the same set is asked about again and again */
    last_pick = CYCLE_NEVER;
    const WorldEnd end = pause_run(rig, 0, 1000000);
    assert_int_equal(pause_count(rig, MESSAGE_BLOCK_DONE), 1);
    pause_check(rig, end.time);
    assert_true(rig->sms[0]->schedulers[0].refusals > 10);
    assert_int_equal(sum_refused_cycles(rig), 0);
    pause_close(rig);
    issue_width = 1;
    schedulers = 2;
}

/* -- policies that are wrong -- */

static uint32_t asked;

static uint32_t pick_nobody(SchedulerView *view)
{
    (void)view;
    asked++;
    return SCHED_NOBODY;
}

static void one_that_lets_nobody_issue_comes_to_an_end(void **state)
{
    (void)state;
    static const WarpScheduler nobody = {.about = {.name = "nobody"}, .pick = pick_nobody};
    PauseRig *rig = open_rig("titanv", &nobody);
    asked = 0;
    const WorldEnd end = pause_run(rig, 0, 10000000);
    assert_true(end.next == CYCLE_NEVER);
    assert_int_equal(pause_count(rig, MESSAGE_BLOCK_DONE), 0);
    uint32_t warps = 0;
    for (uint32_t i = 0; i < rig->config.sm_count; i++) {
        Sm *sm = rig->sms[i];
        warps += (uint32_t)__builtin_popcountll(sm_refused(sm));
        assert_true(sm_waits_for_policy(sm));
        assert_true(sm_refused(sm) == sm->ready);
        sm_account(sm, end.time + 1000); /* what is skipped is charged, too */
        assert_true(sm->schedulers[0].statistics.stall_policy > 1000);
    }
    assert_int_equal(warps, rig->config.sm_count * rig->limit * (THREADS / 32));
    assert_true(asked <= 2 * warps); /* once for every warp that becomes ready, and every one that comes */
    pause_close(rig);
}

static uint32_t pick_wrongly(SchedulerView *view)
{
    return view->mine == view->ready ? MAX_WARPS - 1 : warps_first(view->mine & ~view->ready);
}

static void one_that_picks_what_cannot_issue_is_told(void **state)
{
    (void)state;
    static const WarpScheduler wrong = {.about = {.name = "wrong"}, .pick = pick_wrongly};
    PauseRig *rig = open_rig("titanv", &wrong);
    VEC_PUSH(&rig->sending, ((Sending){.linear = 0}));
    rig->shard.wake = 0;
    const WorldEnd end = world_run(rig->world, 0, 1000000);
    assert_int_equal(end.shard, 0);
    const SmKernel *kernel;
    const Error *error = sm_failure(rig->sms[0], end.time, &kernel);
    assert_non_null(strstr(error->text, "policy 'wrong' of the warp schedulers picked slot"));
    assert_ptr_equal(kernel, &rig->kernel);
    pause_close(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_policy_is_told_of_everything),
        cmocka_unit_test(cycles_without_an_issue_add_up),
        cmocka_unit_test(they_are_the_same_for_any_threads_and_windows),
        cmocka_unit_test(it_stands_until_the_policy_is_told_something),
        cmocka_unit_test(refusing_a_second_instruction_is_for_that_cycle),
        cmocka_unit_test(one_that_lets_nobody_issue_comes_to_an_end),
        cmocka_unit_test(one_that_picks_what_cannot_issue_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
