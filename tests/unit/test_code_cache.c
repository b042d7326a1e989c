/* Instruction caches: when lines come, from which level, and what comes with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sm/code_cache.h"

enum { KERNEL_SHIFT = 32 };

/* One level of 64 lines: as the simulators of the papers have it. */
static GpuConfig one_level(void)
{
    GpuConfig config;
    knob_defaults(&config_knobs, &config);
    config.icache_bytes = 64 * 128;
    config.icache_line_bytes = 128;
    config.icache_ways = 4;
    config.icache_miss_latency = 100;
    config.icache_prefetch = 2;
    return config;
}

/* Eight lines, then 64, at different rates. */
static GpuConfig two_levels(void)
{
    GpuConfig config = one_level();
    config.icache_bytes = 8 * 128;
    config.icache_next_bytes = 64 * 128;
    config.icache_next_latency = 40;
    config.icache_next_interval = 10;
    config.icache_miss_interval = 30;
    return config;
}

static void check(CodeCache *cache, uint32_t line, Cycle now, Cycle ready, bool missed)
{
    const CodeLine found = code_cache_fetch(cache, (uint64_t)1 << KERNEL_SHIFT, line, now);
    assert_int_equal(found.ready, ready);
    assert_int_equal(found.missed, missed);
}

static void brings_lines_behind_a_miss(void **state)
{
    (void)state;
    const GpuConfig config = one_level();
    CodeCache *cache = code_cache_create(&config);
    check(cache, 0, 1000, 1100, true);
    check(cache, 1, 1001, 1101, false); /* asked for with line 0, one behind it */
    check(cache, 2, 1200, 1200, false);
    check(cache, 3, 1200, 1300, true); /* nobody asked for it: a line that is there brings none */
    code_cache_empty(cache);
    check(cache, 0, 2000, 2100, true);
    code_cache_free(cache);
}

static void streams_behind_hits(void **state)
{
    (void)state;
    GpuConfig config = one_level();
    config.icache_stream = true;
    CodeCache *cache = code_cache_create(&config);
    check(cache, 0, 1000, 1100, true);
    check(cache, 1, 1200, 1200, false); /* brings line 3 */
    check(cache, 3, 1200, 1302, false);
    code_cache_free(cache);
}

static void takes_the_rate_of_its_level(void **state)
{
    (void)state;
    GpuConfig config = two_levels();
    config.icache_prefetch = 0;
    CodeCache *cache = code_cache_create(&config);
    check(cache, 0, 1000, 1100, true);
    check(cache, 1, 1000, 1130, true); /* from beyond, 30 behind the other */
    for (uint32_t line = 2; line < 32; line++) /* the first level has eight lines */
        code_cache_fetch(cache, (uint64_t)1 << KERNEL_SHIFT, line, 3000);
    check(cache, 0, 9000, 9040, true); /* the second level has kept it */
    check(cache, 1, 9000, 9050, true);
    code_cache_free(cache);
}

static void launches_bring_code(void **state)
{
    (void)state;
    GpuConfig config = two_levels();
    config.icache_prefetch = 0;
    config.launch_prefetch = true;
    config.launch_code_bytes = 4 * 128;
    CodeCache *cache = code_cache_create(&config);
    check(cache, 0, 1000, 1000, true);
    check(cache, 3, 1000, 1040, true);
    check(cache, 4, 1000, 1100, true);
    code_cache_free(cache);
}

static void kernels_share_no_lines(void **state)
{
    (void)state;
    const GpuConfig config = one_level();
    CodeCache *cache = code_cache_create(&config);
    check(cache, 0, 1000, 1100, true);
    assert_true(code_cache_fetch(cache, (uint64_t)2 << KERNEL_SHIFT, 0, 2000).missed);
    code_cache_free(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brings_lines_behind_a_miss), cmocka_unit_test(streams_behind_hits),
        cmocka_unit_test(takes_the_rate_of_its_level), cmocka_unit_test(launches_bring_code),
        cmocka_unit_test(kernels_share_no_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
