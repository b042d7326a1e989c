/* The order of blocks that a launch gives: which block begins when, and on which SM; in both modes. */
#include "fake_sms.h"

#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"
#include "warpbeam_graph.h"

enum { LOOKAHEAD = 10, MOST = 64 };

/* -- the dispatcher -- */

typedef struct Run {
    FakeGpu gpu;
    SmKernel seen;
    GridKernel grid;
    LaunchOrder *order;
} Run;

/* Blocks with these keys on a GPU of so many SMs, each of which takes `most` of them at once. */
static void run_keys(Run *run, const int32_t *keys, uint32_t count, uint32_t sms, uint32_t most)
{
    *run = (Run){.gpu = small_gpu(sms), .order = launch_order_create(keys, count)};
    run->gpu.config.max_blocks_per_sm = most;
    memcpy(run->gpu.config.block_source, "random-order", sizeof "random-order"); /* which does not matter */
    const DispatchPolicies policies = defaults(&run->gpu.config);
    fake_open(&run->gpu, &policies, LOOKAHEAD);
    run->seen.launch.order = run->order;
    fake_submit(&run->gpu, &run->grid, &run->seen, count, (BlockShape){.threads = 32});
    fake_run(&run->gpu);
}

static void close_run(Run *run)
{
    xfree(run->grid.blocks);
    fake_close(&run->gpu);
    xfree(run->order);
}

static void lowest_key_first_and_ties_by_index(void **state)
{
    (void)state;
    int32_t keys[MOST];
    for (uint32_t seed = 0; seed < 20; seed++) {
        srand(seed);
        for (uint32_t i = 0; i < MOST; i++)
            keys[i] = rand() % 9 - 4;
        keys[seed] = INT32_MIN;
        keys[seed + 1] = INT32_MAX;
        Run run;
        run_keys(&run, keys, MOST, 3, 4);
        for (uint32_t a = 0; a < MOST; a++) {
            for (uint32_t b = a + 1; b < MOST; b++) {
                const bool is_first = keys[a] <= keys[b];
                assert_int_equal(run.grid.blocks[a].dispatched < run.grid.blocks[b].dispatched, is_first);
            }
        }
        assert_int_equal(run.gpu.front_end->statistics.order_entries_peak, MOST);
        assert_int_equal(run.gpu.front_end->dispatcher.order_entries, 0);
        close_run(&run);
    }
}

/* Three blocks of key 0 lie between others: with blocks in the order of their index two of them would share
 * an SM. Then three of key 1: the fourth SM has none of them, and gets the first. */
static void equal_keys_are_spread(void **state)
{
    (void)state;
    const int32_t keys[] = {0, 5, 1, 6, 0, 1, 7, 1, 0};
    Run run;
    run_keys(&run, keys, 9, 4, 4);
    const uint32_t sms[] = {0, 2, 3, 3, 1, 0, 0, 1, 2};
    for (uint32_t i = 0; i < 9; i++)
        assert_int_equal(run.grid.blocks[i].sm, sms[i]);
    close_run(&run);
}

/* An SM without room is passed over, but gets the next block of the key before others get a second one. */
static void an_sm_that_was_full_gets_its_share(void **state)
{
    (void)state;
    int32_t keys[12] = {0};
    const LaunchOrder *order;
    GpuConfig config = small_gpu(3).config;
    config.max_blocks_per_sm = 4;
    const DispatchPolicies policies = defaults(&config);
    Dispatcher dispatcher;
    dispatcher_init(&dispatcher, &config, &policies);
    GridKernel grid = {.block_count = 12, .need = resources_of_block(&config, &(BlockShape){.threads = 32})};
    grid.seen.launch.order = order = launch_order_create(keys, 12);
    dispatcher_add(&dispatcher, &grid, 10);
    const Resources kept = dispatcher.sms[1].free;
    dispatcher.sms[1].free = (Resources){0};
    static const uint32_t sms[] = {0, 2, 0, 2, 1, 1, 2, 0, 1};
    for (uint32_t i = 0; i < 9; i++) {
        Dispatch dispatch;
        if (i == 4)
            dispatcher.sms[1].free = kept;
        assert_int_equal(dispatcher_next(&dispatcher, 11 + i, &dispatch), DISPATCHED);
        assert_int_equal(dispatch.sm, sms[i]);
    }
    dispatcher_free(&dispatcher);
    xfree((void *)order);
}

/* -- launches -- */

/* Every block draws a ticket. */
static const char source[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry draw(.param .u64 tickets) {\n"
    "  .reg .u64 %a, %o; .reg .u32 %b, %t;\n"
    "  ld.param.u64 %a, [tickets]; mov.u32 %b, %ctaid.x; atom.global.add.u32 %t, [%a], 1;\n"
    "  mul.wide.u32 %o, %b, 4; add.u64 %a, %a, %o; st.global.u32 [%a+4], %t; ret; }\n";

static WbGpu *gpu;
static WbKernel *draw;
static uint64_t tickets;

static void open_mode(const char *mode)
{
    WbModule *module;
    char error[256];
    assert_int_equal(wb_gpu_open("titanv", &gpu, error, sizeof error), WB_OK);
    assert_int_equal(wb_gpu_set(gpu, "mode", mode), WB_OK);
    assert_int_equal(wb_module_load(gpu, "draw.ptx", source, sizeof source - 1, &module), WB_OK);
    assert_int_equal(wb_module_kernel(module, "draw", &draw), WB_OK);
    assert_int_equal(wb_malloc(gpu, 4 + 4 * MOST, &tickets), WB_OK);
    assert_int_equal(wb_copy_to_device(gpu, tickets, &(uint32_t){0}, 4), WB_OK);
}

static void *pointers[] = {&tickets};

static WbLaunch ordered(const int32_t *keys, size_t count)
{
    return (WbLaunch){.grid = {MOST, 1, 1},
                      .block = {1, 1, 1},
                      .pointers = pointers,
                      .block_order = keys,
                      .block_order_count = count};
}

static void backwards(int32_t *keys)
{
    for (int32_t i = 0; i < MOST; i++)
        keys[i] = -i;
}

static void functional_blocks_begin_in_order(void **state)
{
    (void)state;
    int32_t keys[MOST];
    uint32_t drawn[MOST];
    open_mode("functional");
    backwards(keys);
    const WbLaunch plain = ordered(NULL, 0), launch = ordered(keys, MOST);
    assert_int_equal(wb_launch(draw, &plain), WB_OK);
    assert_int_equal(wb_launch(draw, &launch), WB_OK);
    memset(keys, 0, sizeof keys); /* they were copied */
    assert_int_equal(wb_wait(gpu), WB_OK);
    assert_int_equal(wb_copy_from_device(gpu, drawn, tickets + 4, sizeof drawn), WB_OK);
    for (uint32_t i = 0; i < MOST; i++)
        assert_int_equal(drawn[i], MOST + MOST - 1 - i);
    wb_gpu_close(gpu);
}

static void timed_blocks_begin_in_order(void **state)
{
    (void)state;
    int32_t keys[MOST];
    WbStat stat;
    open_mode("cycle");
    backwards(keys);
    const WbLaunch launch = ordered(keys, MOST);
    assert_int_equal(wb_launch(draw, &launch), WB_OK);
    memset(keys, 0, sizeof keys);
    assert_int_equal(wb_wait(gpu), WB_OK);
    const BlockRecord *blocks = gpu->records.items[0]->blocks;
    for (uint32_t i = 1; i < MOST; i++)
        assert_true(blocks[i].dispatched < blocks[i - 1].dispatched);
    assert_int_equal(wb_stat_find(gpu, "order_entries_peak", &stat), WB_OK);
    assert_int_equal(stat.value, MOST);
    wb_gpu_close(gpu);
}

static void refuse(const WbLaunch *launch, const char *sentence)
{
    assert_int_equal(wb_launch(draw, launch), WB_ERROR_ARGUMENT);
    assert_string_equal(wb_error(gpu), sentence);
}

static void nothing(WbLink *link, void *context) { (void)link, (void)context; }

static void bad_orders_are_told(void **state)
{
    (void)state;
    const int32_t keys[MOST] = {0};
    open_mode("functional");
    WbLaunch launch = ordered(keys, MOST - 1);
    refuse(&launch, "Kernel draw was launched with 64 blocks and an order of 63; every block needs one key.");
    launch = ordered(keys, 0);
    refuse(&launch, "Kernel draw was launched with 64 blocks and an order of 0; every block needs one key.");
    launch = ordered(NULL, MOST);
    refuse(&launch, "Kernel draw was launched with an order of 64 blocks at a null pointer.");
    static const char both[] = "Kernel draw was launched with an order of its blocks and with dependencies "
                               "between them; give one of the two.";
    launch = ordered(keys, MOST);
    launch.mapping = nothing;
    refuse(&launch, both);
    WbGraph *graph;
    assert_int_equal(wb_graph_create(gpu, &graph), WB_OK);
    assert_int_equal(wb_graph_add_grid(graph, launch.grid, NULL), WB_OK);
    launch.mapping = NULL;
    launch.graph = graph;
    refuse(&launch, both);
    launch.graph = NULL;
    assert_int_equal(wb_graph_launch(graph, NULL, &(WbGraphKernel){draw, launch}, 1), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(wb_error(gpu), "has an order of its blocks"));
    wb_graph_destroy(graph);
    assert_int_equal(wb_wait(gpu), WB_OK);
    wb_gpu_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lowest_key_first_and_ties_by_index),
        cmocka_unit_test(equal_keys_are_spread),
        cmocka_unit_test(an_sm_that_was_full_gets_its_share),
        cmocka_unit_test(functional_blocks_begin_in_order),
        cmocka_unit_test(timed_blocks_begin_in_order),
        cmocka_unit_test(bad_orders_are_told),
    };
    return cmocka_run_group_tests_name("block_order", tests, NULL, NULL);
}
