/* Launches by kernels in the front end: entries of the distributor, when kernels and groups arrive, what
 * joins what and in which order blocks go, and who is complete when. The calls are made between windows, as
 * the intrinsics of SMs are. */
#include "fake_sms.h"

#include "grid/inspect.h"

#include "mem/space.h"

enum { LOOKAHEAD = 10, LAUNCH = 100, BLOCK = 10, BLOCK_END = 12, KERNEL_END = 50, DURATION = 1000 };

static const Program programs[2];

typedef struct Rig {
    FakeGpu gpu;
    AddressSpace space;
    DeviceRuntime runtime;
} Rig;

static void rig_open(Rig *rig, uint32_t sm_count, uint32_t entries)
{
    *rig = (Rig){.gpu = {.duration = DURATION}};
    GpuConfig *config = &rig->gpu.config;
    knob_defaults(&config_knobs, config);
    config->sm_count = sm_count;
    config->kernel_launch_cycles = LAUNCH;
    config->block_launch_cycles = BLOCK;
    config->block_end_cycles = BLOCK_END;
    config->kernel_end_cycles = KERNEL_END;
    config->concurrent_kernels = entries;
    config->aggregated_groups = 4;
    config->max_blocks_per_sm = 2;
    DispatchPolicies policies;
    Error error = {0};
    assert_int_equal(dispatch_policies(config, &policies, &error), WB_OK);
    fake_open(&rig->gpu, &policies, LOOKAHEAD);
    space_init(&rig->space, 1 << 24);
    rig->runtime.buffers.space = &rig->space;
    front_end_device_init(rig->gpu.front_end, &rig->runtime, 1);
}

static void rig_close(Rig *rig)
{
    assert_true(front_end_is_done(rig->gpu.front_end));
    assert_int_equal(rig->runtime.pending, 0);
    assert_int_equal(rig->gpu.front_end->launch_bytes, 0);
    assert_int_equal(rig->gpu.front_end->groups.used, 0);
    assert_int_equal(rig->gpu.front_end->kmu.distributor.used, 0);
    fake_close(&rig->gpu);
    buffer_pool_free(&rig->runtime.buffers);
    space_destroy(&rig->space);
}

static SmKernel seen_of(const Program *program, uint32_t threads)
{
    return (SmKernel){.launch = {.program = program, .block = {threads, 1, 1}}};
}

static void submit(Rig *rig, GridKernel *kernel, const SmKernel *seen, uint64_t blocks)
{
    fake_submit(&rig->gpu, kernel, seen, blocks, (BlockShape){.threads = seen->launch.block[0]});
}

/* What a thread of the parent launches in cycle rig->gpu.now; it asked for its buffer `since` cycles ago. */
static GridKernel *launch(Rig *rig, GridKernel *parent, bool is_group, uint64_t blocks, Cycle since,
                          Cycle arrives, LaunchStream *stream)
{
    GridKernel *grid = xcalloc(1, sizeof *grid);
    *grid = (GridKernel){
        .seen = seen_of(&programs[0], 32),
        .block_count = blocks,
        .need = resources_of_block(&rig->gpu.config, &(BlockShape){.threads = 32}),
        .buffer = buffer_take(&rig->runtime.buffers, 8, 16, rig->gpu.now - since),
        .is_group = is_group,
        .arrives = arrives,
        .callers = 1,
        .group = {.hardware_thread = 5},
    };
    front_end_launch(rig->gpu.front_end, grid,
                     &(DeviceLaunch){.parent = parent,
                                     .order = stream ? LAUNCH_IN_STREAM : LAUNCH_FREE,
                                     .stream = stream,
                                     .time = rig->gpu.now});
    rig->runtime.pending++;
    return grid;
}

static void run_to(Rig *rig, Cycle cycle)
{
    while (rig->gpu.now < cycle) {
        const WorldEnd end = world_run(rig->gpu.world, rig->gpu.now, cycle);
        rig->gpu.now = end.shard == UINT32_MAX ? cycle : end.time;
    }
}

static void run_out(Rig *rig)
{
    run_to(rig, 1000000);
    for (uint32_t i = 0; i < rig->gpu.kernel_count; i++)
        xfree(rig->gpu.kernels[i]->blocks);
}

/* When the launch's i-th block arrived at an SM; CYCLE_NEVER: it has not. */
static Cycle arrived(const Rig *rig, const SmKernel *seen, uint64_t block)
{
    for (uint32_t i = 0; i < rig->gpu.arrivals.count; i++)
        if (rig->gpu.arrivals.items[i].kernel == seen && rig->gpu.arrivals.items[i].block == block)
            return rig->gpu.arrivals.items[i].time;
    return CYCLE_NEVER;
}

/* A kernel waits for an entry of the distributor, not only for room on the SMs. */
static void entries_bound_kernels(void **state)
{
    (void)state;
    Rig rig;
    rig_open(&rig, 8, 2);
    SmKernel seen[3] = {seen_of(&programs[0], 32), seen_of(&programs[0], 32), seen_of(&programs[1], 32)};
    GridKernel kernels[3];
    for (size_t i = 0; i < 3; i++)
        submit(&rig, &kernels[i], &seen[i], 1);
    const FrontEnd *front_end = rig.gpu.front_end;
    assert_int_equal(front_end_entries(front_end), 2);
    assert_int_equal(front_end_waiting_kernels(front_end), 1);
    assert_false(front_end_is_active(front_end, &kernels[0])); /* it is on its way */
    const uint64_t moves = front_end_moves(front_end);
    run_to(&rig, LAUNCH + 5);
    assert_true(front_end_is_active(front_end, &kernels[0]) && front_end_is_active(front_end, &kernels[1]));
    assert_false(front_end_is_active(front_end, &kernels[2]));
    assert_int_equal(front_end_moves(front_end), moves + 2); /* a block of each */
    assert_int_equal(front_end_free_on(front_end, 0)->blocks, 1);
    assert_int_equal(front_end_free_on(front_end, 7)->blocks, 2);
    run_out(&rig);
    assert_int_equal(front_end_waiting_kernels(front_end), 0);
    assert_int_equal(front_end_moves(front_end), moves + 6);
    assert_int_equal(kernels[0].started, LAUNCH);
    assert_int_equal(kernels[1].started, LAUNCH);
    /* Word of the first one's block frees its entry. */
    assert_int_equal(kernels[2].started, LAUNCH + BLOCK + DURATION + BLOCK_END + LAUNCH);
    assert_int_equal(rig.gpu.front_end->statistics.entries_peak, 2);
    rig_close(&rig);
}

/* Of a serial unit one kernel is on its way at a time, and only that one holds an entry. */
static void serial_unit_sends_one_by_one(void **state)
{
    (void)state;
    Rig rig;
    rig_open(&rig, 8, 4);
    rig.gpu.config.kernel_launch_serial = true;
    SmKernel seen[3] = {seen_of(&programs[0], 32), seen_of(&programs[0], 32), seen_of(&programs[1], 32)};
    GridKernel kernels[3];
    for (size_t i = 0; i < 3; i++)
        submit(&rig, &kernels[i], &seen[i], 1);
    assert_int_equal(rig.gpu.front_end->kmu.distributor.used, 1);
    assert_int_equal(front_end_waiting_kernels(rig.gpu.front_end), 2);
    run_to(&rig, 2 * LAUNCH); /* not at t - 1 ... */
    assert_false(front_end_is_active(rig.gpu.front_end, &kernels[1]));
    run_to(&rig, 2 * LAUNCH + 1); /* ... and at t */
    assert_true(front_end_is_active(rig.gpu.front_end, &kernels[1]));
    run_out(&rig);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(kernels[i].started, (i + 1) * LAUNCH);
    rig_close(&rig);
}

/* A launched kernel is dispatched a launch latency after its arrival, and its parent ends with it. */
static void kernel_arrives_and_holds_its_parent(void **state)
{
    (void)state;
    Rig rig;
    rig_open(&rig, 4, 4);
    SmKernel seen = seen_of(&programs[1], 32);
    GridKernel parent;
    submit(&rig, &parent, &seen, 1);
    run_to(&rig, 200);
    GridKernel *child = launch(&rig, &parent, false, 3, 30, 700, NULL);
    const SmKernel *child_seen = &child->seen;
    assert_int_equal(rig.gpu.front_end->statistics.device_kernels, 1);
    assert_int_equal(rig.gpu.front_end->statistics.launch_bytes_peak, 64 + 20);
    run_to(&rig, 700 + LAUNCH + BLOCK); /* not at t - 1 ... */
    assert_int_equal(arrived(&rig, child_seen, 0), CYCLE_NEVER);
    run_to(&rig, 700 + LAUNCH + BLOCK + 1); /* ... and at t */
    assert_int_equal(arrived(&rig, child_seen, 0), 700 + LAUNCH + BLOCK);
    run_out(&rig);
    const Cycle last = 700 + LAUNCH + 2 + BLOCK + DURATION + BLOCK_END;
    assert_int_equal(parent.ended, last + KERNEL_END);
    assert_int_equal(rig.gpu.front_end->statistics.launches_begun, 1);
    assert_int_equal(rig.gpu.front_end->statistics.launch_wait_cycles, 700 + LAUNCH - 170);
    rig_close(&rig);
}

/* Where launch_latencies is off the way to the distributor takes no time either. */
static void ideal_kernels_arrive_at_once(void **state)
{
    (void)state;
    Rig rig;
    rig_open(&rig, 4, 4);
    rig.gpu.config.launch_latencies = false;
    rig.gpu.config.kernel_launch_serial = true; /* which makes no difference then */
    SmKernel seen = seen_of(&programs[1], 32);
    GridKernel parent;
    submit(&rig, &parent, &seen, 1);
    run_to(&rig, 200);
    const SmKernel *child = &launch(&rig, &parent, false, 1, 0, 220, NULL)->seen;
    const SmKernel *other = &launch(&rig, &parent, false, 1, 0, 220, NULL)->seen;
    run_out(&rig);
    assert_int_equal(arrived(&rig, child, 0), 220 + BLOCK);
    assert_int_equal(arrived(&rig, other, 0), 220 + 1 + BLOCK); /* a block a tick */
    rig_close(&rig);
}

/* Kernels of one stream follow each other; the second begins when the first has ended. */
static void streams_keep_their_order(void **state)
{
    (void)state;
    Rig rig;
    rig_open(&rig, 4, 4);
    SmKernel seen = seen_of(&programs[1], 32);
    GridKernel parent;
    LaunchStream stream = {0};
    submit(&rig, &parent, &seen, 1);
    run_to(&rig, 200);
    launch(&rig, &parent, false, 1, 0, 300, &stream);
    const SmKernel *second = &launch(&rig, &parent, false, 1, 0, 300, &stream)->seen;
    run_out(&rig);
    const Cycle first_ended = 300 + LAUNCH + BLOCK + DURATION + BLOCK_END + KERNEL_END;
    assert_int_equal(arrived(&rig, second, 0), first_ended + LAUNCH + BLOCK);
    assert_null(stream.last);
    rig_close(&rig);
}

/* Native blocks first, then those of the group; one that joins late makes the kernel queue again, behind a
 * kernel that came meanwhile. */
static void check_join(GroupRecords records, uint64_t fetches)
{
    Rig rig;
    rig_open(&rig, 1, 4); /* two blocks at a time */
    rig.gpu.config.group_records = records;
    SmKernel seen = seen_of(&programs[0], 32), other_seen = seen_of(&programs[1], 32);
    GridKernel kernel, other;
    submit(&rig, &kernel, &seen, 3);
    run_to(&rig, 150);
    const SmKernel *early = &launch(&rig, &kernel, true, 1, 150, 160, NULL)->seen;
    submit(&rig, &other, &other_seen, 3);
    run_to(&rig, 1200); /* two blocks of the kernel have ended: its third and the group's are under way */
    assert_int_equal(kernel.dispatched_blocks, 3);
    assert_true(arrived(&rig, early, 0) > arrived(&rig, &kernel.seen, 2));
    assert_int_equal(arrived(&rig, &other.seen, 0), CYCLE_NEVER);
    const SmKernel *late = &launch(&rig, &kernel, true, 1, 1000, 1210, NULL)->seen;
    run_to(&rig, 1300);
    assert_true(kernel.is_marked);
    assert_false(kernel.is_first);
    run_out(&rig);
    assert_true(arrived(&rig, late, 0) > arrived(&rig, &other.seen, 2));
    assert_int_equal(rig.gpu.front_end->statistics.groups_joined, 2);
    assert_int_equal(rig.gpu.front_end->statistics.groups_overflowed, 1); /* both are of thread 5 */
    assert_int_equal(rig.gpu.front_end->statistics.group_fetches, fetches);
    assert_true(kernel.ended > arrived(&rig, late, 0) + DURATION);
    rig_close(&rig);
}

static void groups_join_and_queue_again(void **state)
{
    (void)state;
    check_join(GROUP_RECORDS_LIST, 1);  /* its own record */
    check_join(GROUP_RECORDS_LINES, 2); /* a line and the next */
}

/* The search takes a cycle an entry and one for the table, from when the buffer was asked for; the kernel
 * that was found stays for the group though its last block has ended meanwhile. */
static void search_takes_its_time_and_holds(void **state)
{
    (void)state;
    Rig rig;
    rig_open(&rig, 4, 16);
    SmKernel seen = seen_of(&programs[0], 32);
    GridKernel kernel;
    submit(&rig, &kernel, &seen, 1);
    const Cycle word = LAUNCH + BLOCK + DURATION + BLOCK_END;
    run_to(&rig, 200);
    /* It arrives in the very last cycle before word of the last block comes, and is linked 2 cycles later. */
    rig.gpu.now = 200;
    GridKernel *group = launch(&rig, &kernel, true, 1, 0, word - 1, NULL);
    group->buffer->requested = word - 1;
    const SmKernel *group_seen = &group->seen;
    run_to(&rig, word + 1);
    assert_int_equal(kernel.groups.holds, 1);
    assert_int_equal(kernel.entry, 0);
    run_out(&rig);
    assert_int_equal(arrived(&rig, group_seen, 0), word + 1 + BLOCK);
    assert_int_equal(rig.gpu.front_end->statistics.groups_joined, 1);
    rig_close(&rig);
}

/* A group that finds no kernel becomes one; those that come later join that. */
static void groups_without_a_kernel_become_one(void **state)
{
    (void)state;
    Rig rig;
    rig_open(&rig, 4, 4);
    SmKernel seen = seen_of(&programs[1], 32);
    GridKernel parent;
    submit(&rig, &parent, &seen, 1);
    run_to(&rig, 200);
    const SmKernel *first = &launch(&rig, &parent, true, 1, 200, 300, NULL)->seen;
    const SmKernel *second = &launch(&rig, &parent, true, 1, 200, 300 + LAUNCH + 5, NULL)->seen;
    run_out(&rig);
    assert_int_equal(arrived(&rig, first, 0), 300 + LAUNCH + BLOCK);
    assert_int_equal(arrived(&rig, second, 0), 300 + LAUNCH + 5 + BLOCK);
    assert_int_equal(rig.gpu.front_end->statistics.groups_alone, 1);
    assert_int_equal(rig.gpu.front_end->statistics.groups_joined, 1);
    /* Where the knob says so, it also takes the time of a call that launches. */
    Rig slow;
    rig_open(&slow, 4, 4);
    slow.gpu.config.group_fallback_latencies = true;
    submit(&slow, &parent, &seen, 1);
    run_to(&slow, 200);
    const SmKernel *late = &launch(&slow, &parent, true, 1, 200, 300, NULL)->seen;
    run_out(&slow);
    assert_int_equal(arrived(&slow, late, 0), 300 + 12187 + 1592 + LAUNCH + BLOCK);
    rig_close(&slow);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_bound_kernels),
        cmocka_unit_test(serial_unit_sends_one_by_one),
        cmocka_unit_test(kernel_arrives_and_holds_its_parent),
        cmocka_unit_test(ideal_kernels_arrive_at_once),
        cmocka_unit_test(streams_keep_their_order),
        cmocka_unit_test(groups_join_and_queue_again),
        cmocka_unit_test(search_takes_its_time_and_holds),
        cmocka_unit_test(groups_without_a_kernel_become_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
