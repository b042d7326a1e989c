/* What blocks take of an SM: rounding of each kind, and how many fit. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "grid/resources.h"

/* An SM on which nothing but what a test sets is scarce. */
static GpuConfig roomy(void)
{
    GpuConfig config;
    knob_defaults(&config_knobs, &config);
    config.max_blocks_per_sm = 1000;
    config.max_threads_per_sm = 65536;
    config.registers_per_sm = 1 << 24;
    config.shared_bytes_per_sm = 1 << 24;
    config.shared_bytes_per_block = 1 << 24;
    config.register_allocation_unit = 256;
    config.warp_allocation_unit = 1;
    config.shared_allocation_unit = 128;
    config.shared_reserved_bytes = 0;
    config.barriers_per_sm = 0;
    return config;
}

static uint64_t fit(const GpuConfig *config, BlockShape shape)
{
    const Resources sm = resources_of_sm(config), block = resources_of_block(config, &shape);
    return resources_fit(&sm, &block);
}

static void counts_blocks(void **state)
{
    (void)state;
    GpuConfig config = roomy();
    config.max_blocks_per_sm = 7;
    assert_int_equal(fit(&config, (BlockShape){.threads = 1, .registers = 1}), 7);
}

static void counts_threads_by_whole_warps(void **state)
{
    (void)state;
    GpuConfig config = roomy();
    config.max_threads_per_sm = 1536;
    assert_int_equal(fit(&config, (BlockShape){.threads = 256}), 6);
    assert_int_equal(fit(&config, (BlockShape){.threads = 257}), 5);
    assert_int_equal(fit(&config, (BlockShape){.threads = 1}), 48);
    config.warp_width = 64;
    assert_int_equal(fit(&config, (BlockShape){.threads = 1}), 24);
}

static void rounds_registers_of_a_warp(void **state)
{
    (void)state;
    GpuConfig config = roomy();
    config.registers_per_sm = 65536;
    /* 32 registers: 1024 a warp. 33: 1056, which takes 1280. */
    assert_int_equal(fit(&config, (BlockShape){.threads = 256, .registers = 32}), 8);
    assert_int_equal(fit(&config, (BlockShape){.threads = 256, .registers = 33}), 6);
    assert_int_equal(fit(&config, (BlockShape){.threads = 256, .registers = 40}), 6);
    assert_int_equal(fit(&config, (BlockShape){.threads = 256, .registers = 41}), 5);
}

static void rounds_warps_for_registers(void **state)
{
    (void)state;
    GpuConfig config = roomy();
    config.registers_per_sm = 32768;
    assert_int_equal(fit(&config, (BlockShape){.threads = 96, .registers = 32}), 10);
    config.warp_allocation_unit = 4;
    assert_int_equal(fit(&config, (BlockShape){.threads = 96, .registers = 32}), 8);
    /* Only registers are handed out in that unit: warp slots are not. */
    config.registers_per_sm = 1 << 24;
    config.max_threads_per_sm = 96 * 10;
    assert_int_equal(fit(&config, (BlockShape){.threads = 96, .registers = 32}), 10);
}

static void rounds_shared_memory_with_the_system_part(void **state)
{
    (void)state;
    GpuConfig config = roomy();
    config.shared_bytes_per_sm = 48 * 1024;
    assert_int_equal(fit(&config, (BlockShape){.threads = 32, .shared_bytes = 4096}), 12);
    assert_int_equal(fit(&config, (BlockShape){.threads = 32, .shared_bytes = 4097}), 11);
    assert_int_equal(fit(&config, (BlockShape){.threads = 32, .shared_bytes = 1}), 384);
    config.shared_reserved_bytes = 1024;
    assert_int_equal(fit(&config, (BlockShape){.threads = 32, .shared_bytes = 3072}), 12);
    assert_int_equal(fit(&config, (BlockShape){.threads = 32}), 48);
}

static void counts_barriers_where_they_are_limited(void **state)
{
    (void)state;
    GpuConfig config = roomy();
    assert_int_equal(fit(&config, (BlockShape){.threads = 32, .barriers = 16}), 1000);
    config.barriers_per_sm = 16;
    assert_int_equal(fit(&config, (BlockShape){.threads = 32, .barriers = 16}), 1);
    assert_int_equal(fit(&config, (BlockShape){.threads = 32, .barriers = 3}), 5);
    assert_int_equal(fit(&config, (BlockShape){.threads = 32}), 1000);
}

static void nothing_fits_that_is_too_large(void **state)
{
    (void)state;
    GpuConfig config = roomy();
    config.registers_per_sm = 65536;
    assert_int_equal(fit(&config, (BlockShape){.threads = 1024, .registers = 65}), 0);
}

static void taking_and_giving_agree_with_room(void **state)
{
    (void)state;
    GpuConfig config = roomy();
    config.max_threads_per_sm = 2048;
    config.registers_per_sm = 65536;
    config.shared_bytes_per_sm = 100000;
    config.barriers_per_sm = 64;
    const BlockShape shape = {.threads = 200, .registers = 37, .shared_bytes = 10000, .barriers = 2};
    const Resources empty = resources_of_sm(&config), block = resources_of_block(&config, &shape);
    Resources free = empty;
    const uint64_t count = resources_fit(&empty, &block);
    for (uint64_t i = 0; i < count; i++) {
        assert_true(resources_have_room(&free, &block));
        assert_int_equal(resources_fit(&free, &block), count - i);
        resources_take(&free, &block);
    }
    assert_false(resources_have_room(&free, &block));
    for (uint64_t i = 0; i < count; i++)
        resources_give(&free, &block);
    assert_memory_equal(&free, &empty, sizeof empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_blocks),
        cmocka_unit_test(counts_threads_by_whole_warps),
        cmocka_unit_test(rounds_registers_of_a_warp),
        cmocka_unit_test(rounds_warps_for_registers),
        cmocka_unit_test(rounds_shared_memory_with_the_system_part),
        cmocka_unit_test(counts_barriers_where_they_are_limited),
        cmocka_unit_test(nothing_fits_that_is_too_large),
        cmocka_unit_test(taking_and_giving_agree_with_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
