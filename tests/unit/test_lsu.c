/* The load/store unit: when results come, what they are, and that everything comes back. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "lsu_rig.h"

static uint32_t *word(LsuRig *bench, unsigned index) { return (uint32_t *)bench->bytes + index; }

static void fill(LsuRig *bench, uint32_t first)
{
    for (unsigned i = 0; i < BUFFER_BYTES / 4; i++)
        *word(bench, i) = first + i;
}

static LsuStatistics *counters(LsuRig *bench) { return lsu_counters(bench->sm->lsu, bench->sm->now); }
static L1Statistics *l1(LsuRig *bench) { return lsu_l1_counters(bench->sm->lsu); }

static void test_hit_and_miss_times(void **state)
{
    (void)state;
    LsuRig *bench = lsu_open(NULL);
    fill(bench, 1000);
    const Scripted *miss = script_load(bench, 10, "ld.global.u32", 1, bench->buffer, 4);
    const Scripted *hit = script_load(bench, 1000, "ld.global.u32", 1, bench->buffer, 4);
    const Scripted *vector = script_load(bench, 1100, "ld.global.v4.u32", 4, bench->buffer + 4096, 16);
    const Scripted *again = script_load(bench, 2000, "ld.global.v4.u32", 4, bench->buffer + 4096, 16);
    lsu_run(bench);
    assert_int_equal(miss->ready, miss->replied + bench->config.l1_fill_latency);
    assert_int_equal(miss->replied, 10 + 2 * bench->config.crossbar_latency + bench->memory.delay);
    assert_int_equal(hit->ready, 1000 + bench->config.l1_latency);
    assert_int_equal(again->ready, 2000 + 3 + bench->config.l1_latency); /* four lines, one a cycle */
    for (unsigned lane = 0; lane < 32; lane++) {
        assert_int_equal(miss->result[0][lane], 1000 + lane);
        assert_int_equal(hit->result[0][lane], 1000 + lane);
        for (unsigned i = 0; i < 4; i++) {
            assert_int_equal(vector->result[i][lane], 1000 + 1024 + lane * 4 + i);
            assert_int_equal(again->result[i][lane], 1000 + 1024 + lane * 4 + i);
        }
    }
    assert_int_equal(bench->memory.loads, 5);
    assert_int_equal(counters(bench)->global_loads, 4);
    assert_int_equal(counters(bench)->global_lines, 10);
    assert_int_equal(counters(bench)->global_sectors, 40);
    assert_int_equal(counters(bench)->global_load_sectors, 40);
    assert_int_equal(counters(bench)->global_store_sectors, 0);
    assert_int_equal(l1(bench)->load_hits, 5);
    lsu_close(bench);
}

/* Lanes all over the place, some of them off. */
static void test_scattered_load(void **state)
{
    (void)state;
    LsuRig *bench = lsu_open(NULL);
    fill(bench, 7);
    Scripted *cold = script_load(bench, 10, "ld.global.u32", 1, bench->buffer, 0);
    Scripted *warm = script_load(bench, 5000, "ld.global.u32", 1, bench->buffer, 0);
    cold->mask = warm->mask = 0xFFF0FFF7;
    for (unsigned lane = 0; lane < 32; lane++)
        cold->address[lane] = warm->address[lane] = bench->buffer + lane * 37 % 32 * 516;
    cold->address[3] = 1; /* is off and must not be looked at */
    lsu_run(bench);
    for (unsigned lane = 0; lane < 32; lane++)
        if (cold->mask >> lane & 1) {
            assert_int_equal(cold->result[0][lane], 7 + lane * 37 % 32 * 129);
            assert_int_equal(warm->result[0][lane], 7 + lane * 37 % 32 * 129);
        }
    assert_int_equal(bench->memory.loads, 27);
    assert_int_equal(warm->ready, 5000 + 26 + bench->config.l1_latency);
    lsu_close(bench);
}

static void test_merging(void **state)
{
    (void)state;
    LsuRig *bench = lsu_open(NULL);
    fill(bench, 50);
    const Scripted *a = script_load(bench, 10, "ld.global.u32", 1, bench->buffer, 4);
    const Scripted *b = script_load(bench, 20, "ld.global.u32", 1, bench->buffer, 0);
    const Scripted *c = script_load(bench, 30, "ld.global.u32", 1, bench->buffer + 64, 4); /* half of it */
    lsu_run(bench);
    assert_int_equal(bench->memory.loads, 2);
    assert_int_equal(a->ready, b->ready);
    assert_int_equal(l1(bench)->load_merges, 2);
    for (unsigned lane = 0; lane < 32; lane++) {
        assert_int_equal(a->result[0][lane], 50 + lane);
        assert_int_equal(b->result[0][lane], 50);
        assert_int_equal(c->result[0][lane], 66 + lane);
    }
    lsu_close(bench);
}

static void test_stale_lines(void **state)
{
    (void)state;
    LsuRig *bench = lsu_open(NULL);
    fill(bench, 0);
    script_load(bench, 10, "ld.global.u32", 1, bench->buffer, 4);
    lsu_run(bench);
    fill(bench, 500); /* another SM writes */
    const Scripted *stale = script_load(bench, 2000, "ld.global.u32", 1, bench->buffer, 4);
    const Scripted *fresh = script_load(bench, 2100, "ld.global.cg.u32", 1, bench->buffer, 4);
    const Scripted *still = script_load(bench, 2400, "ld.global.ca.u32", 1, bench->buffer, 4);
    const Scripted *strong = script_load(bench, 2500, "ld.relaxed.gpu.global.u32", 1, bench->buffer, 4);
    const Scripted *block = script_load(bench, 2800, "ld.relaxed.cta.global.u32", 1, bench->buffer, 4);
    const Scripted *acquire = script_load(bench, 2900, "ld.acquire.gpu.global.u32", 1, bench->buffer, 4);
    const Scripted *after = script_load(bench, 3500, "ld.global.u32", 1, bench->buffer, 4);
    lsu_run(bench);
    assert_int_equal(stale->result[0][5], 5);
    assert_int_equal(fresh->result[0][5], 505);
    assert_int_equal(still->result[0][5], 5);
    assert_int_equal(strong->result[0][5], 505);
    assert_int_equal(block->result[0][5], 5);
    assert_int_equal(acquire->result[0][5], 505);
    assert_int_equal(after->result[0][5], 505);
    assert_true(after->ready > 3500 + bench->config.l1_latency);
    fill(bench, 900);
    lsu_invalidate(bench->sm->lsu);
    const Scripted *last = script_load(bench, bench->now + 100, "ld.global.u32", 1, bench->buffer, 4);
    lsu_run(bench);
    assert_int_equal(last->result[0][5], 905);
    assert_int_equal(l1(bench)->bypasses, 3);
    lsu_close(bench);
}

static void invalidate_on_write(GpuConfig *config) { config->l1_write_hit = WRITE_HIT_INVALIDATE; }

static void check_store(bool invalidates)
{
    LsuRig *bench = lsu_open(invalidates ? invalidate_on_write : NULL);
    fill(bench, 0);
    script_load(bench, 10, "ld.global.u32", 1, bench->buffer, 4);
    script_store(bench, 1000, "st.global.u32", bench->buffer, 4, 3000);
    Scripted *partial = script_store(bench, 1010, "st.global.u32", bench->buffer, 4, 4000);
    partial->mask = 0x10;
    const Scripted *load = script_load(bench, 1020, "ld.global.u32", 1, bench->buffer, 4);
    lsu_run(bench);
    for (unsigned lane = 0; lane < 32; lane++) {
        const uint32_t expected = lane == 4 ? 4004 : 3000 + lane;
        assert_int_equal(load->result[0][lane], expected);
        assert_int_equal(*word(bench, lane), expected);
    }
    assert_int_equal(*word(bench, 32), 32);
    assert_int_equal(bench->memory.stores, 2);
    assert_int_equal(bench->memory.loads, invalidates ? 2 : 1);
    if (!invalidates)
        assert_int_equal(load->ready, 1020 + bench->config.l1_latency);
    lsu_close(bench);
}

static void test_store_update(void **state)
{
    (void)state;
    check_store(false);
}
static void test_store_invalidate(void **state)
{
    (void)state;
    check_store(true);
}

/* A load, a store and a load of one place while the first is still on its way. */
static void test_program_order(void **state)
{
    (void)state;
    LsuRig *bench = lsu_open(NULL);
    fill(bench, 0);
    const Scripted *before = script_load(bench, 10, "ld.global.u32", 1, bench->buffer, 4);
    script_store(bench, 12, "st.global.u32", bench->buffer, 4, 800);
    const Scripted *after = script_load(bench, 14, "ld.global.u32", 1, bench->buffer, 4);
    const Scripted *later = script_load(bench, 1000, "ld.global.u32", 1, bench->buffer, 4);
    script_atomic(bench, 2000, "red.global.add.u32", false, bench->buffer, 4, 1);
    const Scripted *behind_red = script_load(bench, 2001, "ld.global.u32", 1, bench->buffer, 4);
    lsu_run(bench);
    for (unsigned lane = 0; lane < 32; lane++) {
        assert_int_equal(before->result[0][lane], lane);
        assert_int_equal(after->result[0][lane], 800 + lane);
        assert_int_equal(later->result[0][lane], 800 + lane);
        assert_int_equal(behind_red->result[0][lane], 801 + lane);
    }
    lsu_close(bench);
}

/* Where lanes store to one place, the highest stays; lanes that are off write nothing. */
static void test_scattered_stores(void **state)
{
    (void)state;
    LsuRig *bench = lsu_open(NULL);
    Scripted *same = script_store(bench, 10, "st.global.u32", bench->buffer + 4, 0, 100);
    same->mask = 0x00FFFF00;
    Scripted *apart = script_store(bench, 20, "st.global.u32", bench->buffer + 1024, 260, 200);
    Scripted *pairs = script_store(bench, 30, "st.global.u32", bench->buffer + 32768, 0, 300);
    for (unsigned lane = 0; lane < 32; lane++)
        pairs->address[lane] = bench->buffer + 32768 + lane / 2 * 4;
    apart->mask = 0xFFFF;
    lsu_run(bench);
    assert_int_equal(*word(bench, 0), 0);
    assert_int_equal(*word(bench, 1), 123);
    assert_int_equal(*word(bench, 2), 0);
    for (unsigned lane = 0; lane < 32; lane++)
        assert_int_equal(*word(bench, 256 + lane * 65), lane < 16 ? 200 + lane : 0);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(*word(bench, 8192 + i), 300 + 2 * i + 1);
    assert_int_equal(counters(bench)->global_store_sectors, 1 + 16 + 2);
    assert_int_equal(counters(bench)->global_load_sectors, 0);
    lsu_close(bench);
}

static void test_atomics(void **state)
{
    (void)state;
    LsuRig *bench = lsu_open(NULL);
    fill(bench, 0);
    script_load(bench, 10, "ld.global.u32", 1, bench->buffer, 4);
    const Scripted *same = script_atomic(bench, 1000, "atom.global.add.u32", true, bench->buffer + 8, 0, 3);
    const Scripted *apart =
        script_atomic(bench, 1001, "atom.global.exch.b32", true, bench->buffer + 256, 132, 9);
    script_atomic(bench, 1002, "red.global.max.u32", false, bench->buffer + 12, 0, 77);
    const Scripted *load = script_load(bench, 1003, "ld.global.u32", 1, bench->buffer, 4);
    lsu_run(bench);
    for (unsigned lane = 0; lane < 32; lane++) {
        assert_int_equal(same->result[0][lane], 2 + 3 * lane); /* in the order of lanes */
        assert_int_equal(apart->result[0][lane], 64 + 33 * lane);
        assert_int_equal(*word(bench, 64 + 33 * lane), 9);
    }
    assert_int_equal(*word(bench, 2), 2 + 96);
    assert_int_equal(load->result[0][2], 98);
    assert_int_equal(load->result[0][3], 77);
    assert_int_equal(bench->memory.atomics, 34);
    assert_int_equal(counters(bench)->global_atomics, 3);
    lsu_close(bench);
}

static void test_shared_times(void **state)
{
    (void)state;
    LsuRig *bench = lsu_open(NULL);
    const Cycle latency = bench->config.shared_latency, lanes = 32 / bench->config.lsu_lanes;
    memset(bench->rig->shared, 0, RIG_SHARED);
    script_store(bench, 5, "st.shared.u32", 0, 4, 40);
    const Scripted *plain = script_load(bench, 100, "ld.shared.u32", 1, 0, 4);
    const Scripted *worst = script_load(bench, 200, "ld.shared.u32", 1, 0, 128);
    const Scripted *behind = script_load(bench, 201, "ld.shared.u32", 1, 0, 4);
    const Scripted *wide = script_load(bench, 300, "ld.shared.v4.u32", 4, 0, 16);
    const Scripted *atomic = script_atomic(bench, 400, "atom.shared.add.u32", true, 0, 0, 1);
    script_atomic(bench, 500, "red.shared.add.u32", false, 0, 0, 1);
    const Scripted *after = script_load(bench, 501, "ld.shared.u32", 1, 0, 0);
    lsu_run(bench);
    assert_int_equal(plain->ready, 100 + latency);
    assert_int_equal(plain->result[0][3], 43);
    assert_int_equal(worst->ready, 200 + 31 + latency);
    assert_int_equal(behind->ready, 232 + latency);
    assert_int_equal(wide->ready, 300 + 3 + latency);
    assert_int_equal(atomic->ready, 400 + 31 + latency);
    assert_int_equal(atomic->result[0][31], 71);
    assert_int_equal(after->ready, 500 + lanes + latency); /* a reduction to one word is one pass */
    assert_int_equal(after->result[0][9], 104);
    assert_int_equal(counters(bench)->shared_accesses, 8);
    assert_int_equal(counters(bench)->shared_conflicts, 62);
    assert_int_equal(bench->memory.loads + bench->memory.stores, 0);
    lsu_close(bench);
}

static void short_queues(GpuConfig *config)
{
    config->lsu_queue = 4;
    config->l1_miss_queue = 3;
    config->crossbar_credits = 2;
    config->l1_mshrs = 5;
}

/* A memory that takes nothing in for a long time: the unit fills up and refuses; then everything comes
 * out. */
static void test_back_pressure(void **state)
{
    (void)state;
    LsuRig *bench = lsu_open(short_queues);
    bench->memory.opens = 20000;
    const Scripted *scripted[60];
    for (unsigned i = 0; i < 60; i++)
        scripted[i] = i % 3 ? script_store(bench, 10 + 20 * i, "st.global.u32", bench->buffer + 128 * i, 4, i)
                            : script_load(bench, 10 + 20 * i, "ld.global.u32", 1, bench->buffer + 128 * i, 4);
    lsu_run(bench);
    assert_true(scripted[0]->had_room && scripted[8]->had_room);
    assert_true(!scripted[20]->had_room && !scripted[59]->had_room);
    for (unsigned i = 0; i < 60; i++) {
        if (i % 3)
            assert_int_equal(*word(bench, 32 * i + 7), i + 7);
        else
            assert_true(scripted[i]->ready > 20000 && scripted[i]->ready != CYCLE_NEVER);
    }
    assert_int_equal(bench->memory.stores, 40);
    assert_int_equal(bench->memory.loads, 20);
    assert_int_equal(counters(bench)->requests, 60);
    assert_true(counters(bench)->send_full_cycles > 10000);
    assert_true(lsu_has_room(bench->sm->lsu));
    lsu_close(bench);
}

static void test_mshr_limit(void **state)
{
    (void)state;
    LsuRig *bench = lsu_open(short_queues);
    const Scripted *load = script_load(bench, 10, "ld.global.u32", 1, bench->buffer, 256);
    lsu_run(bench);
    assert_int_equal(bench->memory.loads, 32);
    assert_true(load->ready >= 10 + 6 * (bench->memory.delay + 2 * bench->config.crossbar_latency));
    assert_true(counters(bench)->mshr_full_cycles > 0);
    lsu_close(bench);
}

static void test_local(void **state)
{
    (void)state;
    LsuRig *bench = lsu_open(NULL);
    Scripted *store = script_store(bench, 10, "st.local.u32", 64, 0, 600);
    Scripted *load = script_load(bench, 100, "ld.local.u32", 1, 64, 0);
    Scripted *cold = script_load(bench, 500, "ld.local.v2.u32", 2, 128, 0);
    store->insn.space = load->insn.space = cold->insn.space = SPACE_LOCAL;
    store->warp = load->warp = cold->warp = 3;
    lsu_run(bench);
    assert_int_equal(load->result[0][9], 609);
    assert_int_equal(load->ready, 100 + bench->config.l1_latency);
    assert_true(cold->ready > 500 + bench->memory.delay);
    assert_int_equal(bench->memory.stores, 1);
    assert_int_equal(bench->memory.loads, 2);
    assert_int_equal(counters(bench)->local_accesses, 3);
    assert_int_equal(counters(bench)->local_lines, 4);
    lsu_close(bench);
}

static uint64_t place_constants(LsuRig *bench)
{
    uint64_t constants;
    Error error;
    assert_int_equal(space_alloc(&bench->rig->space, RIG_CONSTANT_BYTES, "c", true, &constants, &error),
                     WB_OK);
    return constants;
}

static void seven_cycles_a_constant(GpuConfig *config) { config->const_interval = 7; }

static void test_constants_take_turns(void **state)
{
    (void)state;
    LsuRig *bench = lsu_open(seven_cycles_a_constant);
    const uint64_t constants = place_constants(bench);
    const GpuConfig *config = &bench->config;
    Scripted *loads[4];
    loads[0] = script_load(bench, 10, "ld.const.u32", 1, constants, 0);
    loads[1] = script_load(bench, 500, "ld.const.u32", 1, constants, 0);
    loads[2] = script_load(bench, 501, "ld.const.u32", 1, constants, 0);
    loads[3] = script_load(bench, 600, "ld.const.u32", 1, constants, 0);
    for (unsigned i = 0; i < 4; i++)
        loads[i]->insn.space = SPACE_CONST;
    lsu_run(bench);
    assert_int_equal(loads[1]->ready, 500 + config->const_latency);
    assert_int_equal(loads[2]->ready, 507 + config->const_latency);
    assert_int_equal(loads[3]->ready, 600 + config->const_latency);
    lsu_close(bench);
}

static void test_constants(void **state)
{
    (void)state;
    LsuRig *bench = lsu_open(NULL);
    const uint64_t constants = place_constants(bench);
    const GpuConfig *config = &bench->config;
    Scripted *loads[4];
    loads[0] = script_load(bench, 10, "ld.const.u32", 1, constants, 0);
    loads[1] = script_load(bench, 50, "ld.const.u32", 1, constants + 4, 0); /* the line is on its way */
    loads[2] = script_load(bench, 500, "ld.const.u32", 1, constants, 0);
    loads[3] = script_load(bench, 600, "ld.const.u32", 1, constants, 4); /* 32 addresses, two lines */
    for (unsigned i = 0; i < 4; i++)
        loads[i]->insn.space = SPACE_CONST;
    lsu_run(bench);
    assert_int_equal(loads[0]->ready, 10 + config->const_miss_latency + config->const_latency);
    assert_int_equal(loads[1]->ready, loads[0]->ready);
    assert_int_equal(loads[2]->ready, 500 + config->const_latency);
    assert_int_equal(loads[3]->ready, 600 + 16 + config->const_miss_latency + config->const_latency);
    assert_int_equal(counters(bench)->const_misses, 2);
    assert_int_equal(counters(bench)->const_hits, 33);
    assert_int_equal(counters(bench)->const_serial, 31);
    lsu_close(bench);
}

/* Lanes of one instruction in global and in shared memory. */
static void test_mixed_spaces(void **state)
{
    (void)state;
    LsuRig *bench = lsu_open(NULL);
    fill(bench, 0);
    for (unsigned i = 0; i < 64; i++)
        ((uint32_t *)bench->rig->shared)[i] = 7000 + i;
    Scripted *load = script_load(bench, 10, "ld.u32", 1, 0, 0);
    Scripted *store = script_store(bench, 1000, "st.u32", 0, 0, 0);
    for (unsigned lane = 0; lane < 32; lane++) {
        load->address[lane] = (lane & 1 ? SPACE_SHARED_BASE : bench->buffer) + lane * 4;
        store->address[lane] = load->address[lane];
    }
    lsu_run(bench);
    for (unsigned lane = 0; lane < 32; lane++) {
        assert_int_equal(load->result[0][lane], lane & 1 ? 7000 + lane : lane);
        assert_int_equal(lane & 1 ? ((uint32_t *)bench->rig->shared)[lane] : *word(bench, lane), lane);
    }
    assert_true(load->ready > 10 + bench->memory.delay);
    lsu_close(bench);
}

static Scripted *script_copy(LsuRig *bench, Cycle cycle, const char *opcode, uint32_t warp)
{
    Scripted *scripted = script(bench, cycle, opcode, 0, 1);
    scripted->run = exec_copy_async;
    scripted->warp = warp;
    scripted->insn.space = SPACE_SHARED;
    return scripted;
}

static void script_copy_16(LsuRig *bench, Cycle cycle, uint32_t warp, uint64_t to, uint64_t from)
{
    Scripted *scripted = script_copy(bench, cycle, "cp.async.cg.shared.global", warp);
    add_operand(scripted, rig_register(scripted->second_slot, 8), 1);
    add_operand(scripted, rig_register(scripted->address_slot, 8), 1);
    add_operand(scripted, (Operand){.kind = OPERAND_IMMEDIATE, .bytes = 4, .value = 16}, 1);
    for (unsigned lane = 0; lane < 32; lane++)
        scripted->address2[lane] = to + lane * 16;
    set_addresses(scripted, from, 16);
}

static void test_async_groups(void **state)
{
    (void)state;
    LsuRig *bench = lsu_open(NULL);
    fill(bench, 0);
    memset(bench->rig->shared, 0xFF, RIG_SHARED);
    script_copy_16(bench, 10, 5, 0, bench->buffer);
    script_copy(bench, 11, "cp.async.commit_group", 5);
    script_copy_16(bench, 100, 5, 512, bench->buffer + 512);
    script_copy(bench, 101, "cp.async.commit_group", 5);
    Scripted *wait = script_copy(bench, 102, "cp.async.wait_group", 5);
    add_operand(wait, (Operand){.kind = OPERAND_IMMEDIATE, .bytes = 4, .value = 1}, 1);
    /* by hand, to look in between */
    const Cycle way = bench->memory.delay + 2 * bench->config.crossbar_latency;
    bench->sm->shard.wake = 10;
    bench->now = world_run(bench->world, 0, 110).time;
    assert_true(bench->sm->lsu_held >> 5 & 1);
    assert_false(bench->sm->lsu_held >> 4 & 1);
    assert_int_equal(((uint32_t *)bench->rig->shared)[0], UINT32_MAX);
    bench->now = world_run(bench->world, bench->now, 11 + way + 40).time;
    assert_false(bench->sm->lsu_held >> 5 & 1); /* one group is done, the other is not */
    assert_int_equal(((uint32_t *)bench->rig->shared)[127], 127);
    assert_int_equal(((uint32_t *)bench->rig->shared)[128], UINT32_MAX);
    lsu_run(bench);
    assert_int_equal(((uint32_t *)bench->rig->shared)[255], 255);
    assert_int_equal(counters(bench)->async_copies, 2);
    lsu_close(bench);
}

static void many_slices(GpuConfig *config)
{
    config->l1_mshrs = 6;
    config->lsu_queue = 16;
    config->l1_bytes = 2048;
}

static void many_slices_gather(GpuConfig *config)
{
    many_slices(config);
    config->l1_store_gather = 100; /* longer than from one access to the next */
}

/* Random loads, stores and reductions of 16 warps, each in its own part of the buffer: every load must see
 * what the warp itself has done before, in its order. */
static void test_random(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 20; seed++) {
        LsuRig *bench = lsu_open(seed % 2 ? many_slices : many_slices_gather);
        static uint32_t model[16][1024], expected[SCRIPT_SIZE][LANES];
        memset(model, 0, sizeof model);
        srand(seed);
        for (unsigned i = 0; i < SCRIPT_SIZE - 1; i++) {
            const uint32_t warp = (uint32_t)rand() % 16, stride = (uint32_t)rand() % 6;
            const uint32_t first = (uint32_t)rand() % 200, kind = (uint32_t)rand() % 4;
            const uint64_t base = bench->buffer + warp * 4096 + first * 4;
            const Cycle cycle = 10 + 60 * i;
            Scripted *s = kind < 2 ? script_load(bench, cycle, kind ? "ld.global.u32" : "ld.global.cg.u32", 1,
                                                 base, 4 * stride)
                          : kind == 2
                              ? script_store(bench, cycle, "st.global.u32", base, 4 * stride, i * 100)
                              : script_atomic(bench, cycle, "red.global.add.u32", false, base, 4 * stride, i);
            s->warp = warp;
            s->result_slot = i % 60; /* no two results under way in one register */
            s->timing.registers[0] = (uint16_t)s->result_slot;
            if (kind < 2)
                s->operands[0] = rig_register(s->result_slot, 4);
            s->mask = (Mask)rand() & UINT32_MAX;
            s->mask |= 1;
            for (unsigned lane = 0; lane < 32; lane++) {
                uint32_t *at = &model[warp][first + lane * stride];
                if (!(s->mask >> lane & 1))
                    continue;
                if (kind < 2)
                    expected[i][lane] = *at;
                else
                    *at = kind == 2 ? i * 100 + lane : *at + i;
            }
        }
        lsu_run(bench);
        for (unsigned i = 0; i < bench->count; i++) {
            const Scripted *s = &bench->script[i];
            for (unsigned lane = 0; s->run == exec_load && lane < 32; lane++)
                if (s->mask >> lane & 1)
                    assert_int_equal(s->result[0][lane], expected[i][lane]);
        }
        assert_memory_equal(bench->bytes, model, sizeof model);
        lsu_close(bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hit_and_miss_times),
        cmocka_unit_test(test_scattered_load),
        cmocka_unit_test(test_merging),
        cmocka_unit_test(test_stale_lines),
        cmocka_unit_test(test_store_update),
        cmocka_unit_test(test_store_invalidate),
        cmocka_unit_test(test_program_order),
        cmocka_unit_test(test_scattered_stores),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_shared_times),
        cmocka_unit_test(test_back_pressure),
        cmocka_unit_test(test_mshr_limit),
        cmocka_unit_test(test_local),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_constants_take_turns),
        cmocka_unit_test(test_mixed_spaces),
        cmocka_unit_test(test_async_groups),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
