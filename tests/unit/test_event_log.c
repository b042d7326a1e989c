/* The log of a kernel's events: what it keeps when there is more than it may hold. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "grid/grid_kernel.h"

enum { LIMIT = 100, BLOCKS = 1000 };
static const uint32_t grid[3] = {10, 10, 10};

static void stay(const LogPlace *place, uint64_t index, Cycle time)
{
    const LoggedStay one = {
        .block = log_block(place, grid, index),
        .time = {.dispatched = time, .started = time + 8, .left = time + 20},
    };
    log_stay(place->log, &one);
}

static void numbers_and_places(void **state)
{
    (void)state;
    const LogPlace host = {.log = log_create("host", BLOCKS, LIMIT, 1, 1)};
    const LogPlace first = log_launch(&host, 7, "child", 3), second = log_launch(&first, 2, "host", 4);
    const LoggedBlock block = log_block(&second, (const uint32_t[]){2, 1, 2}, 3);
    assert_int_equal(first.number, 1);
    assert_int_equal(first.parent, 0);
    assert_int_equal(first.caller, 7);
    assert_int_equal(first.first_block, BLOCKS);
    assert_int_equal(second.parent, 1);
    assert_int_equal(second.caller, BLOCKS + 2);
    assert_int_equal(block.number, BLOCKS + 3 + 3);
    assert_int_equal(block.at[0], 1);
    assert_int_equal(block.at[1], 0);
    assert_int_equal(block.at[2], 1);
    assert_int_equal(host.log->names.count, 2);
    assert_string_equal(host.log->names.items[first.name], "child");
    assert_int_equal(second.name, 0);
    log_free(host.log);
}

/* Without a log nothing is counted. */
static void no_log(void **state)
{
    (void)state;
    const LogPlace none = {0}, launch = log_launch(&none, 7, "child", 3);
    assert_null(launch.log);
    assert_int_equal(launch.number, 0);
}

/* Every 16th of 1000 blocks is kept where 100 have room; the log is in order though blocks end in another. */
static void even_choice(void **state)
{
    (void)state;
    const LogPlace host = {.log = log_create("host", BLOCKS, LIMIT, 1, 1)};
    for (uint64_t i = 0; i < BLOCKS; i++)
        stay(&host, i * 7 % BLOCKS, i);
    log_sort(host.log);
    assert_int_equal(host.log->block_stride, 16);
    assert_int_equal(host.log->stays.count, (BLOCKS + 15) / 16);
    for (uint32_t i = 0; i < host.log->stays.count; i++)
        assert_int_equal(host.log->stays.items[i].block.index, 16 * i);
    log_thin(host.log, 8, 1); /* it is coarser already */
    assert_int_equal(host.log->block_stride, 16);
    log_thin(host.log, 32, 1);
    assert_int_equal(host.log->stays.count, (BLOCKS + 31) / 32);
    log_free(host.log);
}

/* A block that comes and goes without end does not grow the log without end. */
static void restless_block(void **state)
{
    (void)state;
    const LogPlace host = {.log = log_create("host", BLOCKS, LIMIT, 1, 1)};
    for (Cycle time = 0; time < 3 * LIMIT; time++) {
        const LoggedWait wait = {.block = log_block(&host, grid, 0), .left = 100 * time};
        stay(&host, 0, 100 * time);
        log_wait(host.log, &wait);
    }
    assert_int_equal(host.log->stays.count + host.log->waits.count, LIMIT);
    stay(&host, 0, 0);
    assert_int_equal(host.log->stays.count + host.log->waits.count, LIMIT);
    log_free(host.log);
}

static void launches(void **state)
{
    (void)state;
    const LogPlace host = {.log = log_create("host", BLOCKS, LIMIT, 1, 1)};
    LogPlace places[3 * LIMIT];
    for (uint32_t i = 0; i < 3 * LIMIT; i++)
        places[i] = log_launch(&host, i, "child", 1);
    for (uint32_t i = 3 * LIMIT; i--;)
        log_complete(&places[i], (LoggedLaunch){.launched = i});
    log_sort(host.log);
    assert_int_equal(host.log->launch_count, 3 * LIMIT);
    assert_int_equal(host.log->launch_stride, 4);
    assert_int_equal(host.log->launches.count, 3 * LIMIT / 4);
    for (uint32_t i = 0; i < host.log->launches.count; i++) {
        assert_int_equal(host.log->launches.items[i].number, 4 * i + 1);
        assert_int_equal(host.log->launches.items[i].launched, 4 * i);
        assert_int_equal(host.log->launches.items[i].parent_block, 4 * i);
    }
    log_free(host.log);
}

/* A launch that is kept has the records of its blocks; those of others are let go (which only a sanitizer
 * sees). */
static void blocks_of_launches(void **state)
{
    (void)state;
    const LogPlace host = {.log = log_create("host", BLOCKS, LIMIT, 1, 2)};
    const LogPlace first = log_launch(&host, 0, "child", 3);
    assert_null(log_new_blocks(&first, 3));
    host.log->keeps_blocks = true;
    LogPlace places[4] = {first};
    for (uint32_t i = 1; i < 4; i++)
        places[i] = log_launch(&host, i, "child", 3);
    assert_null(log_new_blocks(&places[1], 3)); /* only every second launch is kept */
    for (uint32_t i = 0; i < 4; i += 2) {
        BlockRecord *blocks = log_new_blocks(&places[i], 3);
        blocks[1] = (BlockRecord){.dispatched = 10 + i, .sm = 7};
        log_cut_blocks(blocks, 3, 50);
        log_complete(&places[i], (LoggedLaunch){.block_count = 3, .blocks = blocks});
    }
    assert_int_equal(host.log->launches.count, 2);
    const BlockRecord *kept = host.log->launches.items[1].blocks;
    assert_int_equal(kept[0].sm, NO_SM);
    assert_int_equal(kept[1].dispatched, 12);
    assert_int_equal(kept[1].started, 50);
    assert_int_equal(kept[1].ended, 50);
    log_thin(host.log, 1, 4);
    assert_int_equal(host.log->launches.count, 1);
    log_free(host.log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_places), cmocka_unit_test(no_log),
        cmocka_unit_test(even_choice),        cmocka_unit_test(restless_block),
        cmocka_unit_test(launches),           cmocka_unit_test(blocks_of_launches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
