/* Stores of several warps to one line leave the load/store unit as one. Each scripted access has a warp of its
 * own, unless the test says otherwise. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "lsu_rig.h"

enum { GATHER = 30 };

static void gather(GpuConfig *config) { config->l1_store_gather = GATHER; }

static uint32_t word(const LsuRig *bench, unsigned index) { return ((uint32_t *)bench->bytes)[index]; }

static unsigned gathered(LsuRig *bench)
{
    return (unsigned)lsu_counters(bench->sm->lsu, bench->sm->now)->gathered_stores;
}

/* Stores of two warps, so many cycles apart: how many requests they are. */
static unsigned requests_of_two(unsigned apart, uint32_t second_warp, uint64_t second_place)
{
    LsuRig *bench = lsu_open(gather);
    script_store(bench, 100, "st.global.u32", bench->buffer, 4, 1000);
    Scripted *second =
        script_store(bench, 100 + apart, "st.global.u32", bench->buffer + second_place, 4, 5000);
    second->warp = second_warp;
    second->mask = 0xFF00;
    lsu_run(bench);
    for (unsigned lane = 0; lane < 32; lane++) {
        const bool over = second->mask >> lane & 1;
        const uint32_t below = second_place ? 0 : 1000 + lane;
        assert_int_equal(word(bench, (unsigned)second_place / 4 + lane), over ? 5000 + lane : below);
        assert_true(!second_place || word(bench, lane) == 1000 + lane);
    }
    const unsigned requests = bench->memory.stores;
    assert_int_equal(gathered(bench), 2 - requests);
    lsu_close(bench);
    return requests;
}

static void joins_until_the_first_leaves(void **state)
{
    (void)state;
    assert_int_equal(requests_of_two(1, 1, 0), 1);
    assert_int_equal(requests_of_two(GATHER - 1, 1, 0), 1);
    assert_int_equal(requests_of_two(GATHER, 1, 0), 2);
}

static void keeps_warps_and_lines_apart(void **state)
{
    (void)state;
    assert_int_equal(requests_of_two(5, 0, 0), 2); /* the same warp */
    assert_int_equal(requests_of_two(5, 1, 128), 2);
}

/* The third store is the second of its warp: it goes by itself, and the fourth with it, as it came later. */
static void later_stores_join_the_youngest(void **state)
{
    (void)state;
    LsuRig *bench = lsu_open(gather);
    for (uint32_t i = 0; i < 4; i++)
        script_store(bench, 100 + i, "st.global.u32", bench->buffer, 4, 1000 * i)->warp = i % 2;
    lsu_run(bench);
    assert_int_equal(bench->memory.stores, 2);
    assert_int_equal(word(bench, 7), 3007);
    lsu_close(bench);
}

/* What goes past the L1 finds the store, and the store waits no longer for it. */
static void loads_do_not_overtake(void **state)
{
    (void)state;
    LsuRig *bench = lsu_open(gather);
    script_store(bench, 100, "st.global.u32", bench->buffer, 4, 1000);
    const Scripted *load = script_load(bench, 110, "ld.global.cg.u32", 1, bench->buffer, 4);
    const Scripted *other = script_load(bench, 2000, "ld.global.cg.u32", 1, bench->buffer, 4);
    script_store(bench, 3000, "st.global.u32", bench->buffer, 4, 3000);
    const Scripted *apart = script_load(bench, 3001, "ld.global.cg.u32", 1, bench->buffer + 4096, 4);
    script_store(bench, 4000, "st.global.u32", bench->buffer + 4096, 4, 1);
    script_atomic(bench, 4001, "red.global.add.u32", false, bench->buffer + 4096, 4, 10);
    lsu_run(bench);
    assert_int_equal(load->result[0][5], 1005);
    assert_in_range(load->replied - 110, other->replied - 2000, other->replied - 2000 + 5);
    assert_in_range(apart->replied - 3001, other->replied - 2000, other->replied - 2000 + 2);
    assert_int_equal(word(bench, 1024 + 5), 16);
    lsu_close(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_until_the_first_leaves),
        cmocka_unit_test(keeps_warps_and_lines_apart),
        cmocka_unit_test(later_stores_join_the_youngest),
        cmocka_unit_test(loads_do_not_overtake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
