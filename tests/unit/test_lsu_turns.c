/* Accesses of several warps that take turns in the load/store unit, and what stays in order. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "lsu_rig.h"

static uint32_t *word_at(LsuRig *bench, unsigned index) { return (uint32_t *)bench->bytes + index; }

static void two_turns(GpuConfig *config)
{
    config->lsu_pass_interval = 2;
    config->lsu_lanes = 32;
    config->lsu_queue = 16;
    config->l1_bytes = 65536;
}

static Scripted *load_shared(LsuRig *bench, Cycle cycle, uint32_t warp, unsigned stride)
{
    Scripted *load = script_load(bench, cycle, "ld.shared.u32", 1, 0, stride);
    load->warp = warp;
    return load;
}

/* Of `lines` lines, each in several lanes. */
static Scripted *load_lines(LsuRig *bench, Cycle cycle, uint32_t warp, unsigned lines)
{
    Scripted *load = script_load(bench, cycle, "ld.global.u32", 1, bench->buffer, 4);
    load->warp = warp;
    for (unsigned lane = 0; lane < 32; lane++)
        load->address[lane] = bench->buffer + lane % lines * 128;
    return load;
}

/* A warp has a pass every other cycle, two warps one in each, three as many as there are cycles. */
static void test_passes(void **state)
{
    (void)state;
    LsuRig *bench = lsu_open(two_turns);
    const Cycle latency = bench->config.shared_latency;
    memset(bench->rig->shared, 0, RIG_SHARED);
    const Scripted *alone = load_shared(bench, 100, 0, 128);
    const Scripted *first = load_shared(bench, 300, 0, 128), *second = load_shared(bench, 300, 1, 128);
    const Scripted *one = load_shared(bench, 500, 0, 128), *two = load_shared(bench, 500, 1, 128),
                   *three = load_shared(bench, 500, 2, 128);
    const Scripted *plain = load_shared(bench, 900, 0, 4), *next = load_shared(bench, 901, 0, 4);
    lsu_run(bench);
    assert_int_equal(alone->ready, 100 + 62 + latency);
    assert_int_equal(first->ready, 300 + 62 + latency);
    assert_int_equal(second->ready, 300 + 63 + latency);
    assert_int_equal(one->ready, 500 + 62 + latency);
    assert_int_equal(two->ready, 500 + 63 + latency);
    assert_int_equal(three->ready, 500 + 64 + 62 + latency);
    assert_int_equal(plain->ready, 900 + latency);
    assert_int_equal(next->ready, 902 + latency);
    lsu_close(bench);
}

/* A warp's own loads do not overlap; misses go out in every cycle, hits come every other. */
static void test_lines(void **state)
{
    (void)state;
    LsuRig *bench = lsu_open(two_turns);
    const Cycle latency = bench->config.l1_latency;
    const Scripted *miss = load_lines(bench, 100, 0, 8);
    const Scripted *hit = load_lines(bench, 2000, 0, 8), *behind = load_lines(bench, 2001, 0, 2);
    lsu_run(bench);
    assert_int_equal(bench->memory.loads, 8);
    assert_true(miss->replied < 100 + 2 * bench->config.crossbar_latency + bench->memory.delay + 16);
    assert_int_equal(hit->ready, 2000 + 14 + latency);
    assert_int_equal(behind->ready, 2000 + 16 + 2 + latency);
    lsu_close(bench);
}

static void longer_by_lines(GpuConfig *config)
{
    two_turns(config);
    config->l1_latency_lines = 2;
}

static void test_latency_of_lines(void **state)
{
    (void)state;
    LsuRig *bench = lsu_open(longer_by_lines);
    load_lines(bench, 100, 0, 8);
    const Scripted *hit = load_lines(bench, 2000, 0, 8), *one = load_lines(bench, 3000, 0, 1);
    lsu_run(bench);
    assert_int_equal(hit->ready, 2000 + 14 + 3 + bench->config.l1_latency);
    assert_int_equal(one->ready, 3000 + bench->config.l1_latency);
    lsu_close(bench);
}

/* Whoever has a turn keeps it; the next one goes to shared memory first. */
static void test_shared_goes_first(void **state)
{
    (void)state;
    LsuRig *bench = lsu_open(two_turns);
    memset(bench->rig->shared, 0, RIG_SHARED);
    load_lines(bench, 100, 0, 8);
    for (uint32_t warp = 0; warp < 3; warp++)
        load_lines(bench, 2000, warp, 8);
    const Scripted *shared = load_shared(bench, 2001, 3, 4);
    lsu_run(bench);
    assert_int_equal(shared->ready, 2000 + 16 + bench->config.shared_latency);
    lsu_close(bench);
}

/* A load overtakes stores of another warp, but not one to its line. */
static void test_order(void **state)
{
    (void)state;
    LsuRig *bench = lsu_open(two_turns);
    for (unsigned i = 0; i < BUFFER_BYTES / 4; i++)
        *word_at(bench, i) = i;
    load_lines(bench, 100, 0, 32);
    Scripted *store = script_store(bench, 2000, "st.global.u32", bench->buffer, 4, 5000);
    for (unsigned lane = 0; lane < 32; lane++)
        store->address[lane] = bench->buffer + lane * 128;
    Scripted *same = load_lines(bench, 2001, 1, 1), *other = load_lines(bench, 2001, 2, 1);
    for (unsigned lane = 0; lane < 32; lane++) {
        same->address[lane] = bench->buffer + 31 * 128;
        other->address[lane] = bench->buffer + 64;
        other->address[lane] += 40 * 128;
    }
    lsu_run(bench);
    assert_int_equal(same->result[0][0], 5000 + 31);
    assert_int_equal(other->result[0][0], 40 * 32 + 16);
    assert_true(same->ready >= 2000 + 32 + bench->config.l1_latency);
    assert_true(other->replied <= 2004 + 2 * bench->config.crossbar_latency + bench->memory.delay + 8);
    lsu_close(bench);
}

static void slow_stores(GpuConfig *config)
{
    two_turns(config);
    config->l1_send_line = 2;
    config->l1_send_begin = 1;
}

/* The unit is held for every line of a store, and a cycle more for the store. */
static void test_stores_take_longer(void **state)
{
    (void)state;
    for (unsigned lines = 1; lines <= 4; lines += 3) {
        LsuRig *bench = lsu_open(slow_stores);
        memset(bench->rig->shared, 0, RIG_SHARED);
        Scripted *store = script_store(bench, 1000, "st.global.u32", bench->buffer, 4, 5000);
        for (unsigned lane = 0; lane < 32; lane++)
            store->address[lane] = bench->buffer + lane % lines * 128 + lane * 4;
        Scripted *behind = load_shared(bench, 1001, 0, 4);
        lsu_run(bench);
        assert_int_equal(behind->ready, 1000 + 2 * lines + 1 + bench->config.shared_latency);
        lsu_close(bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_passes),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_latency_of_lines),
        cmocka_unit_test(test_shared_goes_first),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_stores_take_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
