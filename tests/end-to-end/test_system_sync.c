/* Kernels of several GPUs that meet: at their global sync units, by flags in memory and by events of GPUs; what
 * that takes, and what is told where somebody does not come. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"
#include "harness.h"

#define PTX SOURCE_DIRECTORY "/tests/end-to-end/kernels/system_sync.sm_75.ptx"

enum { MOST = 4, LINE = 32, FLAG_GPUS = 32 };

/* As the device has them. */
typedef struct Flags {
    uint64_t arrived, mine[FLAG_GPUS], theirs[FLAG_GPUS];
    uint32_t gpus, self;
} Flags;

typedef struct Meeting {
    uint64_t words[MOST], flags;
    uint32_t gpus, self, rounds, set;
} Meeting;

typedef struct Rig {
    WbGpu *gpus[MOST];
    WbModule *modules[MOST];
    uint64_t meetings[MOST], words[MOST];
    uint32_t count;
} Rig;

/* Where flags lie: with the GPU that sets them, with the one that looks, or in the host's memory. */
typedef enum FlagPlace { WITH_SETTER, WITH_READER, WITH_HOST } FlagPlace;

static uint64_t allocate(WbGpu *gpu, size_t size)
{
    uint64_t address;
    assert_int_equal(wb_malloc(gpu, size, &address), WB_OK);
    return address;
}

static void set(Rig *rig, const char *knob, const char *value)
{
    for (uint32_t i = 0; i < rig->count; i++)
        if (wb_gpu_set(rig->gpus[i], knob, value))
            fail_msg("%s", wb_error(rig->gpus[i]));
}

/* Small GPUs that may use each other's memory. */
static Rig open_rig(uint32_t count, const char *mode)
{
    static const char *const names[MOST] = {"h200", "h200", "h200", "h200"};
    Rig rig = {.count = count};
    char error[512];
    if (wb_gpus_open(names, count, rig.gpus, error, sizeof error))
        fail_msg("%s", error);
    set(&rig, "mode", mode);
    set(&rig, "sm_count", "2");
    for (uint32_t i = 0; i < count; i++) {
        if (wb_module_load_file(rig.gpus[i], PTX, &rig.modules[i]))
            fail_msg("%s", wb_error(rig.gpus[i]));
        for (uint32_t k = 0; k < count; k++)
            if (k != i)
                assert_int_equal(wb_peer_enable(rig.gpus[i], rig.gpus[k], true), WB_OK);
    }
    return rig;
}

static void close_rig(Rig *rig)
{
    for (uint32_t i = 0; i < rig->count; i++)
        wb_gpu_close(rig->gpus[i]);
}

/* The flags of all GPUs; a flag has a line to itself. */
static void make_flags(const Rig *rig, FlagPlace place, uint64_t *flags)
{
    uint64_t lines[MOST], host = 0;
    void *mapped;
    if (place == WITH_HOST) {
        assert_int_equal(wb_host_alloc(rig->gpus[0], 4 * LINE * MOST, WB_MEMORY_HOST, &mapped), WB_OK);
        host = (uintptr_t)mapped;
    }
    for (uint32_t i = 0; i < rig->count; i++)
        lines[i] = allocate(rig->gpus[i], 4 * LINE * MOST);
    for (uint32_t i = 0; i < rig->count; i++) {
        Flags made = {.gpus = rig->count, .self = i, .arrived = allocate(rig->gpus[i], 4)};
        for (uint32_t k = 0; k < rig->count; k++) {
            made.mine[k] = place == WITH_SETTER ? lines[i] : place == WITH_READER ? lines[k] + 4 * LINE * i
                                                                                  : host + 4 * LINE * i;
            made.theirs[k] = place == WITH_SETTER ? lines[k] : place == WITH_READER ? lines[i] + 4 * LINE * k
                                                                                    : host + 4 * LINE * k;
        }
        flags[i] = allocate(rig->gpus[i], sizeof made);
        assert_int_equal(wb_copy_to_device(rig->gpus[i], flags[i], &made, sizeof made), WB_OK);
    }
}

/* What kernels of so many blocks need for so many rounds; `set` is what some of them call with. */
static void prepare(Rig *rig, FlagPlace place, uint32_t blocks, uint32_t rounds, uint32_t given)
{
    uint64_t flags[MOST];
    make_flags(rig, place, flags);
    for (uint32_t i = 0; i < rig->count; i++)
        rig->words[i] = allocate(rig->gpus[i], 8 * blocks);
    for (uint32_t i = 0; i < rig->count; i++) {
        Meeting meeting = {.flags = flags[i], .gpus = rig->count, .self = i, .rounds = rounds, .set = given};
        memcpy(meeting.words, rig->words, sizeof meeting.words);
        rig->meetings[i] = allocate(rig->gpus[i], sizeof meeting);
        assert_int_equal(wb_copy_to_device(rig->gpus[i], rig->meetings[i], &meeting, sizeof meeting), WB_OK);
    }
}

static void launch(Rig *rig, uint32_t gpu, const char *name, uint32_t blocks)
{
    WbKernel *kernel;
    if (wb_module_kernel(rig->modules[gpu], name, &kernel))
        fail_msg("%s", wb_error(rig->gpus[gpu]));
    const WbLaunch launched = {
        .grid = {blocks, 1, 1}, .block = {64, 1, 1}, .pointers = (void *[]){&rig->meetings[gpu]}};
    if (wb_stream_launch(NULL, kernel, &launched))
        fail_msg("%s", wb_error(rig->gpus[gpu]));
}

static void wait_for_all(const Rig *rig)
{
    for (uint32_t i = 0; i < rig->count; i++)
        if (wb_stream_wait(rig->gpus[i], NULL))
            fail_msg("%s", wb_error(rig->gpus[i]));
}

static void run_all(Rig *rig, const char *kernel, uint32_t blocks)
{
    for (uint32_t i = 0; i < rig->count; i++)
        launch(rig, i, kernel, blocks);
    wait_for_all(rig);
}

static uint64_t stat(const WbGpu *gpu, const char *name)
{
    WbStat found;
    assert_int_equal(wb_stat_find(gpu, name, &found), WB_OK);
    return found.value;
}

/* What add_next() of the kernels leaves, computed here. `at`: which of the two places it is in. */
static void check_sums(const Rig *rig, uint32_t blocks, uint32_t rounds, uint32_t at)
{
    uint32_t *sums = calloc(rig->count * blocks, sizeof *sums), *next = calloc(rig->count * blocks, sizeof *next);
    uint32_t *found = calloc(2 * blocks, sizeof *found);
    for (uint32_t i = 0; i < rig->count * blocks; i++)
        sums[i] = i;
    for (uint32_t r = 0; r < rounds; r++) {
        for (uint32_t i = 0; i < rig->count * blocks; i++)
            next[i] = sums[i] + sums[(i + blocks) % (rig->count * blocks)];
        memcpy(sums, next, rig->count * blocks * sizeof *sums);
    }
    for (uint32_t i = 0; i < rig->count; i++) {
        assert_int_equal(wb_copy_from_device(rig->gpus[i], found, rig->words[i], 8 * blocks), WB_OK);
        assert_memory_equal(found + at * blocks, sums + i * blocks, 4 * blocks);
    }
    free(sums);
    free(next);
    free(found);
}

static const char *const modes[] = {"functional", "cycle"};

/* -- results -- */

static void check_way(const char *kernel, FlagPlace place, uint32_t count, const char *mode)
{
    enum { BLOCKS = 5, ROUNDS = 3 };
    Rig rig = open_rig(count, mode);
    prepare(&rig, place, BLOCKS, ROUNDS, (1u << count) - 1);
    run_all(&rig, kernel, BLOCKS);
    check_sums(&rig, BLOCKS, ROUNDS, strcmp(kernel, "prefetches") == 0 ? ROUNDS % 2 : 0);
    close_rig(&rig);
}

static void all_gpus_see_what_others_wrote_before(void **state)
{
    (void)state;
    for (size_t m = 0; m < 2; m++)
        for (uint32_t count = 2; count <= 4; count += 2) {
            check_way("by_units", WITH_SETTER, count, modes[m]);
            check_way("by_set", WITH_SETTER, count, modes[m]);
            check_way("by_event", WITH_SETTER, count, modes[m]);
        }
}

static void flags_may_lie_anywhere(void **state)
{
    (void)state;
    for (size_t m = 0; m < 2; m++)
        for (FlagPlace place = WITH_SETTER; place <= WITH_HOST; place++) {
            check_way("by_flags", place, 3, modes[m]);
            check_way("prefetches", place, 3, modes[m]);
        }
}

/* Of a tree, and of a system of one GPU. */
static void whoever_tells_whom(void **state)
{
    (void)state;
    enum { BLOCKS = 2, ROUNDS = 2 };
    static const char *const fans[] = {"1", "2", "31"};
    for (size_t m = 0; m < 2; m++)
        for (size_t f = 0; f < 3; f++)
            for (uint32_t count = 1; count <= 4; count += 3) {
                Rig rig = open_rig(count, modes[m]);
                set(&rig, "global_sync_fan", fans[f]);
                prepare(&rig, WITH_SETTER, BLOCKS, ROUNDS, 0);
                run_all(&rig, "by_units", BLOCKS);
                check_sums(&rig, BLOCKS, ROUNDS, 0);
                uint64_t messages = 0;
                for (uint32_t i = 0; i < count; i++) {
                    messages += stat(rig.gpus[i], "unit_global_sync.system_messages");
                    assert_int_equal(stat(rig.gpus[i], "unit_global_sync.system_syncs"), ROUNDS + 1);
                }
                assert_int_equal(messages, 2 * (count - 1) * (ROUNDS + 1)); /* up and down each branch */
                close_rig(&rig);
            }
}

/* A block that waits leaves its SM: there may be more blocks than places on each GPU. */
static void grids_may_be_larger_than_their_gpus(void **state)
{
    (void)state;
    for (size_t m = 0; m < 2; m++)
        for (size_t k = 0; k < 2; k++) {
            Rig rig = open_rig(2, modes[m]);
            set(&rig, "max_blocks_per_sm", "3");
            set(&rig, "functional_resident_blocks", "6");
            prepare(&rig, WITH_SETTER, 20, 2, 0);
            run_all(&rig, k ? "by_flags" : "by_units", 20);
            check_sums(&rig, 20, 2, 0);
            close_rig(&rig);
        }
}

/* GPUs that meet by themselves, beside others; and one after the other, kernels of a stream. */
static void sets_do_not_meet(void **state)
{
    (void)state;
    for (size_t m = 0; m < 2; m++) {
        Rig rig = open_rig(4, modes[m]);
        uint32_t sums[8];
        prepare(&rig, WITH_SETTER, 2, 1, 0);
        for (uint32_t i = 0; i < 4; i++) { /* GPUs 0 and 3, and 1 and 2 */
            const uint32_t other = 3 - i;
            Meeting meeting = {.gpus = 2, .self = i > other, .rounds = 1, .set = 1u << i | 1u << other};
            meeting.words[i > other] = rig.words[i];
            meeting.words[i < other] = rig.words[other];
            assert_int_equal(wb_copy_to_device(rig.gpus[i], rig.meetings[i], &meeting, sizeof meeting), WB_OK);
            launch(&rig, i, "by_set", 2);
            launch(&rig, i, "by_set", 2);
        }
        wait_for_all(&rig);
        for (uint32_t i = 0; i < 4; i++) {
            assert_int_equal(wb_copy_from_device(rig.gpus[i], &sums[2 * i], rig.words[i], 8), WB_OK);
            assert_int_equal(sums[2 * i], 0 + 2); /* of two blocks on each GPU, numbered from the first GPU on */
            assert_int_equal(sums[2 * i + 1], 1 + 3);
        }
        close_rig(&rig);
    }
}

static void events_belong_to_gpus(void **state)
{
    (void)state;
    for (size_t m = 0; m < 2; m++)
        for (uint32_t count = 2; count <= 4; count += 2) {
            Rig rig = open_rig(count, modes[m]);
            uint32_t value;
            prepare(&rig, WITH_SETTER, 1, 3, 0);
            run_all(&rig, "relay", 1);
            assert_int_equal(wb_copy_from_device(rig.gpus[0], &value, rig.words[0], sizeof value), WB_OK);
            assert_int_equal(value, 3 * count);
            assert_int_equal(stat(rig.gpus[1], "unit_wait_signal.remote_received"), 3);
            assert_int_equal(stat(rig.gpus[1], "unit_wait_signal.remote_sent"), count == 2 ? 2 : 3);
            close_rig(&rig);
        }
}

/* A signal that comes while its GPU has no kernel is there for the next one. */
static void signals_come_before_kernels(void **state)
{
    (void)state;
    for (size_t m = 0; m < 2; m++) {
        Rig rig = open_rig(2, modes[m]);
        prepare(&rig, WITH_SETTER, 1, 1, 1);
        launch(&rig, 0, "signals", 1); /* to GPU 1 */
        wait_for_all(&rig);
        launch(&rig, 1, "waits", 1);
        wait_for_all(&rig);
        close_rig(&rig);
    }
}

static void kernels_know_their_gpu(void **state)
{
    (void)state;
    for (size_t m = 0; m < 2; m++)
        for (uint32_t count = 1; count <= 3; count += 2) {
            Rig rig = open_rig(count, modes[m]);
            uint32_t numbers[2];
            for (uint32_t i = 0; i < count; i++) {
                rig.meetings[i] = allocate(rig.gpus[i], sizeof numbers);
                launch(&rig, i, "numbers", 1);
            }
            wait_for_all(&rig);
            for (uint32_t i = 0; i < count; i++) {
                assert_int_equal(wb_copy_from_device(rig.gpus[i], numbers, rig.meetings[i], 8), WB_OK);
                assert_int_equal(numbers[0], i);
                assert_int_equal(numbers[1], count);
            }
            close_rig(&rig);
        }
}

/* -- time -- */

/* When the kernel of each GPU ended: one block a GPU meets the others once. A cycle is a nanosecond. */
static void times_of(const char *knob, const char *value, const char *fan, uint64_t *ended)
{
    Rig rig = open_rig(2, "cycle");
    set(&rig, "clock_khz", "1000000");
    set(&rig, "link_topology", "switch");
    set(&rig, "link_latency_ns", "500");
    set(&rig, "global_sync_latency", "40");
    set(&rig, "global_sync_fan", fan);
    set(&rig, knob, value);
    prepare(&rig, WITH_SETTER, 1, 1, 0);
    run_all(&rig, "once", 1);
    for (uint32_t i = 0; i < 2; i++)
        ended[i] = rig.gpus[i]->records.items[0]->ended;
    close_rig(&rig);
}

/* The host launches the kernel of GPU 1 later by more than the way of a word. Then GPU 0 waits for one word, and
 * GPU 1 for none. If GPU 0 gathers, GPU 1 waits for the way there and back. */
static void a_sync_takes_the_way_of_its_words(void **state)
{
    (void)state;
    static const struct {
        const char *knob, *value, *fan;
        uint64_t more[2];
    } ways[] = {
        {"link_latency_ns", "501", "0", {1, 0}},        {"link_latency_ns", "501", "1", {1, 2}},
        {"global_sync_latency", "41", "0", {2, 2}},     {"global_sync_latency", "41", "1", {2, 2}},
        {"global_sync_send_cycles", "9", "0", {0, 0}},
    };
    uint64_t plain[2], other[2], tree[2];
    times_of("global_sync_send_cycles", "1", "0", plain);
    times_of("global_sync_send_cycles", "1", "1", tree);
    assert_true(tree[1] > plain[1]);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const uint64_t *before = *ways[i].fan == '0' ? plain : tree;
        times_of(ways[i].knob, ways[i].value, ways[i].fan, other);
        assert_int_equal(other[0] - before[0], ways[i].more[0]);
        assert_int_equal(other[1] - before[1], ways[i].more[1]);
    }
}

/* Reports hold every cycle and every counter. */
static void threads_and_windows_change_nothing(void **state)
{
    (void)state;
    static const char *const settings[][2] = {{"threads", "1"}, {"threads", "2"}, {"window", "1"}};
    char *first[2] = {0};
    for (size_t i = 0; i < 3; i++) {
        Rig rig = open_rig(2, "cycle");
        assert_int_equal(wb_gpu_set(rig.gpus[1], "clock_khz", "1234567"), WB_OK);
        set(&rig, settings[i][0], settings[i][1]);
        prepare(&rig, WITH_READER, 5, 2, 3);
        run_all(&rig, "by_set", 5);
        check_sums(&rig, 5, 2, 0);
        run_all(&rig, "by_event", 5);
        run_all(&rig, "by_flags", 5);
        check_sums(&rig, 5, 2, 0);
        for (uint32_t k = 0; k < 2; k++)
            harness_same_report(rig.gpus[k], "\"unit_global_sync\"", &first[k]);
        close_rig(&rig);
    }
    free(first[0]);
    free(first[1]);
}

/* -- what is wrong -- */

/* Waits for all; fails unless that ends with this status and a sentence that has the parts. */
static void expect(const Rig *rig, WbStatus status, const char *const *parts)
{
    uint32_t failed = 0;
    while (failed < rig->count && wb_stream_wait(rig->gpus[failed], NULL) == WB_OK)
        failed++;
    assert_true(failed < rig->count);
    const char *sentence = wb_error(rig->gpus[failed]);
    for (; *parts; parts++)
        if (!strstr(sentence, *parts))
            fail_msg("'%s' is not in: %s", *parts, sentence);
    assert_int_equal(rig->gpus[failed]->last.status, status);
}

/* One that failed leaves nothing behind. */
static void check_that_it_still_works(Rig *rig)
{
    prepare(rig, WITH_SETTER, 2, 2, 3);
    run_all(rig, "by_units", 2);
    check_sums(rig, 2, 2, 0);
    run_all(rig, "by_event", 2);
}

static void wrong_calls_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        bool on_both;
        const char *parts[5];
    } wrong[] = {
        {"set_without_itself", false, {"kernel 'set_without_itself'", "0x2", "do not include GPU 0", "block (0,0,0)"}},
        {"set_too_large", false, {"on GPU 0 names GPU 8, but the system has 2 GPUs", "block (0,0,0)"}},
        {"no_such_gpu", false, {"wb_signal_gpu on GPU 0 names GPU 7, but the system has 2 GPUs"}},
        {"no_such_event", false, {"there is no event 1048576"}},
        {"other_sync", false, {"kernel 'other_sync' on GPU 0", "comes to the", "waits at the", "GPUs 0 and 1"}},
        {"other_set", false, {"with GPUs 0x1", "with GPUs 0x3", "all warps of a block"}},
        {"other_target", true, {"kernel 'other_target' on GPU", "gives event 4 of GPU 1 the target 6",
                                "of kernel 'other_target' on GPU 0 gave it 5"}},
        {"ends", false, {"block (0,0,0): the block ends without coming to the sync of GPUs 0 and 1 at", "1 of"}},
    };
    for (size_t m = 0; m < 2; m++)
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            Rig rig = open_rig(2, modes[m]);
            prepare(&rig, WITH_SETTER, 2, 1, 0);
            launch(&rig, 0, wrong[i].kernel, 2);
            if (wrong[i].on_both)
                launch(&rig, 1, wrong[i].kernel, 2);
            expect(&rig, WB_ERROR_EXECUTION, wrong[i].parts);
            if (i == sizeof wrong / sizeof *wrong - 1)
                check_that_it_still_works(&rig);
            close_rig(&rig);
        }
}

static void who_does_not_come_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second; /* kernels of GPUs 0 and 1; null: none */
        const char *parts[4];
    } stuck[] = {
        {"once", NULL, {"3 of the 3 blocks of kernel 'once' have come to the sync of GPUs 0, 1 and 2 on GPU 0 at",
                        "wait for GPU 1, where no kernel is there that has come to one, and GPU 2, where no"}},
        {"once", "only_first", {"wait for GPU 1, where 1 of the 3 blocks of kernel 'only_first' has come",
                                "On GPU 1: 1 of the 3 blocks of kernel 'only_first' has come to the sync"}},
        {"waits", NULL, {"Event 3 of GPU 1 has had 3 of its 4 calls, 3 waits and 0 signals: 1 is missing",
                         "of kernel 'waits' on GPU 0 waits for it at"}},
    };
    for (size_t m = 0; m < 2; m++)
        for (size_t i = 0; i < sizeof stuck / sizeof *stuck; i++) {
            Rig rig = open_rig(3, modes[m]);
            prepare(&rig, WITH_SETTER, 3, 1, 1);
            launch(&rig, 0, stuck[i].first, 3);
            if (stuck[i].second)
                launch(&rig, 1, stuck[i].second, 3);
            expect(&rig, WB_ERROR_DEADLOCK, stuck[i].parts);
            if (i == sizeof stuck / sizeof *stuck - 1)
                check_that_it_still_works(&rig);
            close_rig(&rig);
        }
}

/* One GPU waits, and the other spins: neither goes on. */
static void a_gpu_that_spins_is_told(void **state)
{
    (void)state;
    static const char *const parts[] = {"kernel 'polls'", "On GPU 0: 2 of the 2 blocks of kernel 'once' have come",
                                        "wait for GPU 1, where no kernel is there that has come to one", NULL};
    for (size_t m = 0; m < 2; m++) {
        Rig rig = open_rig(2, modes[m]);
        set(&rig, "watchdog_cycles", "30000");
        prepare(&rig, WITH_SETTER, 2, 1, 1);
        launch(&rig, 0, "once", 2);
        launch(&rig, 1, "polls", 2);
        expect(&rig, WB_ERROR_DEADLOCK, parts);
        close_rig(&rig);
    }
}

/* A GPU takes part with one kernel at a time. */
static void two_kernels_of_a_gpu_cannot_meet_others(void **state)
{
    (void)state;
    static const char *const parts[] = {"kernel 'once' on GPU 0", "in which kernel 'once' of the same GPU", NULL};
    for (size_t m = 0; m < 2; m++) {
        Rig rig = open_rig(2, modes[m]);
        WbStream *stream;
        WbKernel *kernel;
        prepare(&rig, WITH_SETTER, 1, 1, 1);
        launch(&rig, 0, "once", 1);
        assert_int_equal(wb_stream_create(rig.gpus[0], WB_STREAM_NON_BLOCKING, 0, &stream), WB_OK);
        assert_int_equal(wb_module_kernel(rig.modules[0], "once", &kernel), WB_OK);
        const WbLaunch launched = {
            .grid = {1, 1, 1}, .block = {64, 1, 1}, .pointers = (void *[]){&rig.meetings[0]}};
        assert_int_equal(wb_stream_launch(stream, kernel, &launched), WB_OK);
        expect(&rig, WB_ERROR_EXECUTION, parts);
        close_rig(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_gpus_see_what_others_wrote_before),
        cmocka_unit_test(flags_may_lie_anywhere),
        cmocka_unit_test(whoever_tells_whom),
        cmocka_unit_test(grids_may_be_larger_than_their_gpus),
        cmocka_unit_test(sets_do_not_meet),
        cmocka_unit_test(events_belong_to_gpus),
        cmocka_unit_test(signals_come_before_kernels),
        cmocka_unit_test(kernels_know_their_gpu),
        cmocka_unit_test(a_sync_takes_the_way_of_its_words),
        cmocka_unit_test(threads_and_windows_change_nothing),
        cmocka_unit_test(wrong_calls_are_told),
        cmocka_unit_test(who_does_not_come_is_told),
        cmocka_unit_test(a_gpu_that_spins_is_told),
        cmocka_unit_test(two_kernels_of_a_gpu_cannot_meet_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
