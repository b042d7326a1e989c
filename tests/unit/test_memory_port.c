/* The front end's port into the memory system: when accesses end, what they move, whom they wait for. */
#include "grid/front_end.h"
#include "memory_port_rig.h"

/* Defaults of the rig: a way of 8 cycles, flits of 32 bytes, one clock for everything. */
enum { WAY = 8, HEADER = 1 };

static PortRig *open_rig(void)
{
    PortRig *port_rig = port_rig_new();
    port_rig->rig->config.dram_command_khz = port_rig->rig->config.clock_khz;
    port_rig->rig->config.dram_data_khz = 4 * port_rig->rig->config.clock_khz;
    port_rig_build(port_rig, 1);
    assert_int_equal(port_rig->rig->config.crossbar_latency, WAY);
    return port_rig;
}

/* Lines with bytes that differ, all in L2 from then on; returns a cycle in which all is quiet. */
static Cycle warm_up(PortRig *port_rig, uint64_t address, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        port_rig->rig->memory[address + i] = (uint8_t)(i * 7 + 1);
    port_rig_read(port_rig, port_rig->rig->now, address, bytes);
    port_rig_run(port_rig);
    return port_rig->rig->now + 100;
}

/* The access ends in cycle `due` and not before. */
static void expect_end(PortRig *port_rig, const PortAccess *access, Cycle due)
{
    rig_run_until(port_rig->rig, due);
    assert_int_equal(access->ends, 0);
    assert_false(memory_port_is_idle(port_rig->port));
    rig_run_until(port_rig->rig, due + 1);
    assert_int_equal(access->ends, 1);
    assert_int_equal(access->ended, due);
    assert_true(memory_port_is_idle(port_rig->port));
    port_rig_run(port_rig);
}

static void a_hit_takes_the_way_the_lookup_and_its_flits(void **state)
{
    (void)state;
    PortRig *port_rig = open_rig();
    const Cycle latency = port_rig->rig->config.l2_latency;
    Cycle start = warm_up(port_rig, 0x1000, 128);
    const PortAccess *sector = port_rig_read(port_rig, start, 0x1020, 24);
    expect_end(port_rig, sector, start + WAY + HEADER + latency + WAY + HEADER + 1);
    start = port_rig->rig->now + 100;
    const PortAccess *line = port_rig_read(port_rig, start, 0x1000, 128);
    expect_end(port_rig, line, start + WAY + HEADER + latency + WAY + HEADER + 4);
    assert_int_equal(rig_counts(port_rig->rig)->load_hits, 5);
    assert_int_equal(rig_counts(port_rig->rig)->load_misses, 4);
    port_rig_free(port_rig);
}

static void a_miss_takes_the_time_of_dram_besides(void **state)
{
    (void)state;
    PortRig *port_rig = open_rig();
    const GpuConfig *config = &port_rig->rig->config;
    const Cycle start = 100, burst = 2;
    const PortAccess *read = port_rig_read(port_rig, start, 0x1000, 32);
    const Cycle dram = config->dram_trcd + config->dram_tcl + burst + config->dram_latency;
    expect_end(port_rig, read, start + WAY + HEADER + dram + config->l2_fill_latency + WAY + HEADER + 1);
    assert_int_equal(rig_counts(port_rig->rig)->load_misses, 1);
    assert_int_equal(partition_dram_statistics(port_rig->rig->partitions[0], start + 1000)->reads, 1);
    port_rig_free(port_rig);
}

/* A write's bytes go with the request, and are there for all from its lookup on. */
static void a_write_takes_effect_at_the_lookup(void **state)
{
    (void)state;
    PortRig *port_rig = open_rig();
    Rig *rig = port_rig->rig;
    const Cycle start = 100, lookup = start + WAY + HEADER + 4;
    const PortAccess *write = port_rig_write(port_rig, start, 0x2000, 128, 9);
    rig_run_until(rig, lookup);
    assert_int_equal(rig->memory[0x2000], 0);
    rig_run_until(rig, lookup + 1);
    assert_int_equal(rig->memory[0x2000], 9);
    assert_int_equal(rig->memory[0x207F], 9);
    expect_end(port_rig, write, lookup + rig->config.l2_latency + WAY + HEADER);
    assert_int_equal(rig_counts(rig)->stores, 1);
    port_rig_free(port_rig);
}

static void an_access_spans_lines(void **state)
{
    (void)state;
    PortRig *port_rig = open_rig();
    Rig *rig = port_rig->rig;
    const Cycle start = warm_up(port_rig, 0x1000, 512);
    const uint64_t before = rig_counts(rig)->loads;
    PortAccess *read = port_rig_read(port_rig, start, 0x1000 + 120, 144);
    memset(read->bytes, 0xEE, sizeof read->bytes);
    /* Three flits leave one after the other; 2, 5 and 2 come back, the last ones when the port is free. */
    expect_end(port_rig, read, start + WAY + HEADER + rig->config.l2_latency + WAY + 2 + 5 + 2);
    assert_int_equal(rig_counts(rig)->loads - before, 3);
    assert_memory_equal(read->bytes, rig->memory + 0x1000 + 120, 144);
    assert_int_equal(read->bytes[144], 0xEE);
    port_rig_free(port_rig);
}

static void a_write_changes_its_bytes_and_no_others(void **state)
{
    (void)state;
    PortRig *port_rig = open_rig();
    Rig *rig = port_rig->rig;
    warm_up(port_rig, 0x1000, 512);
    uint8_t wanted[512];
    memcpy(wanted, rig->memory + 0x1000, sizeof wanted);
    memset(wanted + 101, 0xAB, 190);
    port_rig_write(port_rig, rig->now, 0x1000 + 101, 190, 0xAB);
    port_rig_run(port_rig);
    assert_memory_equal(rig->memory + 0x1000, wanted, sizeof wanted);
    assert_int_equal(rig_counts(rig)->stores, 3);
    port_rig_free(port_rig);
}

static void a_read_returns_what_the_port_wrote_before(void **state)
{
    (void)state;
    PortRig *port_rig = open_rig();
    port_rig_write(port_rig, 10, 0x3000, 64, 1);
    const PortAccess *between = port_rig_read(port_rig, 10, 0x3000, 64);
    port_rig_write(port_rig, 10, 0x3000, 64, 2);
    const PortAccess *last = port_rig_read(port_rig, 10, 0x3000, 64);
    port_rig_run(port_rig);
    assert_int_equal(between->bytes[63], 1);
    assert_int_equal(last->bytes[63], 2);
    port_rig_free(port_rig);
}

/* Two additions between a read and another one: each sees what came before it, and bytes beside them stay. */
static void additions_take_effect_in_their_order(void **state)
{
    (void)state;
    PortRig *port_rig = port_rig_new();
    port_rig_build(port_rig, 1);
    memset(port_rig->rig->memory + 128, 7, 128);
    const PortAccess *before = port_rig_read(port_rig, 0, 128, 128);
    port_rig_add(port_rig, 0, 128 + 40, 5);
    port_rig_add(port_rig, 0, 128 + 40, 6);
    const PortAccess *after = port_rig_read(port_rig, 0, 128, 128);
    port_rig_run(port_rig);
    assert_int_equal(before->bytes[40], 7);
    assert_int_equal(after->bytes[40], 18);
    for (unsigned byte = 0; byte < 128; byte++)
        if (byte != 40)
            assert_int_equal(after->bytes[byte], 7);
    port_rig_free(port_rig);
}

/* A caller without a place gets the same traffic in the same time. */
static void an_access_without_a_place_takes_as_long(void **state)
{
    (void)state;
    Cycle ended[2][2];
    for (int without = 0; without < 2; without++) {
        PortRig *port_rig = open_rig();
        PortAccess *write = port_rig_write(port_rig, 10, 0x3010, 200, 5);
        PortAccess *read = port_rig_read(port_rig, 300, 0x3010, 400);
        if (without)
            write->access.place = read->access.place = write->access.data = read->access.data = NULL;
        port_rig_run(port_rig);
        assert_int_equal(port_rig->rig->memory[0x3010], without ? 0 : 5);
        assert_int_equal(rig_counts(port_rig->rig)->stores, 2);
        ended[without][0] = write->ended;
        ended[without][1] = read->ended;
        port_rig_free(port_rig);
    }
    assert_memory_equal(ended[0], ended[1], sizeof ended[0]);
}

static void waits_for_credits(void **state)
{
    (void)state;
    PortRig *port_rig = port_rig_new();
    port_rig->rig->config.crossbar_credits = 1;
    port_rig_build(port_rig, 1);
    const Cycle start = warm_up(port_rig, 0x1000, 384), one = WAY + HEADER + 120 + WAY + HEADER + 1;
    const PortAccess *reads[3];
    for (uint32_t i = 0; i < 3; i++)
        reads[i] = port_rig_read(port_rig, start, 0x1000 + i * LINE_BYTES, 32);
    rig_run_until(port_rig->rig, start + 1);
    assert_int_equal(memory_port_waiting(port_rig->port), 2);
    port_rig_run(port_rig);
    for (uint32_t i = 0; i < 3; i++) /* a credit comes back when a request was taken in and word has come */
        assert_int_equal(reads[i]->ended, start + 2 * WAY * i + one);
    port_rig_free(port_rig);
}

/* A small machine of four slices with two channels. */
static PortRig *wide_rig(void)
{
    PortRig *port_rig = port_rig_new();
    port_rig->rig->config.l2_slices = 4;
    port_rig->rig->config.dram_channels = 2;
    return port_rig;
}

/* The first line of a slice. */
static uint64_t line_of(const Rig *rig, uint32_t slice)
{
    uint64_t line = 0;
    while (interleave_slice(&rig->interleave, line) != slice)
        line += LINE_BYTES;
    return line;
}

static void lies_in_the_middle_of_the_line(void **state)
{
    (void)state;
    static const Cycle farther[4] = {20, 10, 0, 10}; /* half of the line, a quarter, nothing, a quarter */
    PortRig *port_rig = wide_rig();
    Rig *rig = port_rig->rig;
    rig->config.crossbar_spread = 40;
    port_rig_build(port_rig, 1);
    for (uint32_t slice = 0; slice < 4; slice++) {
        const uint64_t line = line_of(rig, slice);
        const Cycle start = warm_up(port_rig, line, 128);
        const PortAccess *read = port_rig_read(port_rig, start, line, 128);
        expect_end(port_rig, read,
                   start + 2 * (WAY + farther[slice]) + HEADER + rig->config.l2_latency + HEADER + 4);
        assert_int_equal(partition_accesses(rig->partitions[slice / 2])[RIG_SMS], 2 * (slice % 2 + 1));
    }
    partition_reset_statistics(rig->partitions[0], rig->now);
    assert_int_equal(partition_accesses(rig->partitions[0])[RIG_SMS], 0);
    port_rig_free(port_rig);
}

/* A reply that finds the port busy is taken in later, and so the credit for the next one comes later. */
static void replies_wait_for_the_port(void **state)
{
    (void)state;
    PortRig *port_rig = port_rig_new();
    Rig *rig = port_rig->rig;
    rig->config.l2_slices = 2;
    rig->config.l2_latency = rig->config.crossbar_credits = 1;
    port_rig_build(port_rig, 1);
    const uint64_t here = line_of(rig, 0), there = line_of(rig, 1);
    warm_up(port_rig, here, 128);
    const Cycle start = warm_up(port_rig, there, 128), reply = HEADER + 4;
    const PortAccess *first = port_rig_read(port_rig, start, here, 128);
    const PortAccess *second = port_rig_read(port_rig, start, there, 128);
    const PortAccess *third = port_rig_read(port_rig, start, there, 128);
    port_rig_run(port_rig);
    const Cycle arrival = start + WAY + HEADER + rig->config.l2_latency + WAY; /* of the first reply */
    assert_int_equal(first->ended, arrival + reply);
    assert_int_equal(second->ended, arrival + 2 * reply);
    assert_int_equal(third->ended, arrival + reply + 2 * WAY + reply);
    port_rig_free(port_rig);
}

/* Requests of an SM and of the port meet at the slice: the SM's is first, and each gets its own reply. */
static void shares_slices_with_sms(void **state)
{
    (void)state;
    PortRig *port_rig = open_rig();
    Rig *rig = port_rig->rig;
    const Cycle start = warm_up(port_rig, 0x1000, 128), latency = rig->config.l2_latency;
    const PortAccess *read = port_rig_read(port_rig, start, 0x1000, 32);
    const Request *load = rig_load(rig, RIG_SMS - 1, start, 0x1000, 0x1);
    port_rig_run(port_rig);
    assert_int_equal(rig_replied(rig, load), start + WAY + HEADER + latency + WAY);
    /* A flit later in, and its reply waits for the two flits of the other. */
    assert_int_equal(read->ended, start + WAY + HEADER + latency + WAY + 2 + HEADER + 1);
    port_rig_free(port_rig);
}

/* Where L2 is two halves, the port asks the one that owns the line, and copies in the other do not
 * outlive its writes. */
static void asks_the_half_that_owns_the_line(void **state)
{
    (void)state;
    PortRig *port_rig = wide_rig();
    Rig *rig = port_rig->rig;
    rig->config.l2_halves = 2;
    port_rig_build(port_rig, 1);
    for (uint32_t slice = 0; slice < 2; slice++) {
        const uint64_t line = line_of(rig, slice);
        const uint32_t far_sm = slice ? 0 : 2;
        assert_int_not_equal(interleave_near(&rig->interleave, slice, far_sm), slice);
        const Cycle start = warm_up(port_rig, line, 128);
        const PortAccess *read = port_rig_read(port_rig, start, line, 32);
        const Cycle due = start + WAY + HEADER + rig->config.l2_latency + WAY + HEADER + 1;
        expect_end(port_rig, read, due);
        rig_load(rig, far_sm, rig->now + 100, line, 0xF); /* a copy of the line is made */
        port_rig_run(port_rig);
        const Cycle later = rig->now + 100;
        const PortAccess *write = port_rig_write(port_rig, later, line, 128, 0x5A);
        expect_end(port_rig, write, later + WAY + HEADER + 4 + rig->config.l2_latency + WAY + HEADER);
        const Request *again = rig_load(rig, far_sm, rig->now + 100, line, 0xF);
        port_rig_run(port_rig);
        assert_int_equal(again->data[17], 0x5A);
    }
    port_rig_free(port_rig);
}

/* What is told of the end of an access may begin the next: a walk along a list. */
static void follow(void *context, uint64_t tag, Cycle now)
{
    PortRig *port_rig = context;
    PortAccess *done = &port_rig->script[tag];
    port_rig_done(context, tag, now);
    if (done->bytes[0])
        port_rig_read(port_rig, now, done->bytes[0] * (uint64_t)LINE_BYTES, 1)->access.done = follow;
}

static void an_end_may_begin_the_next(void **state)
{
    (void)state;
    static const uint8_t list[] = {1, 7, 3, 200, 0};
    PortRig *port_rig = open_rig();
    for (uint32_t i = 0; list[i]; i++)
        port_rig->rig->memory[list[i] * LINE_BYTES] = list[i + 1];
    port_rig_read(port_rig, 10, LINE_BYTES, 1)->access.done = follow;
    port_rig_run(port_rig);
    assert_int_equal(port_rig->count, 4);
    for (uint32_t i = 1; i < 4; i++)
        assert_true(port_rig->script[i].ended > port_rig->script[i - 1].ended + 2 * WAY);
    port_rig_free(port_rig);
}

/* -- the same on any number of threads and for any window -- */

static uint32_t next_random(uint32_t *seed) { return (*seed = *seed * 1664525 + 1013904223) >> 8; }

/* Everything is scarce; SMs and the port use the same lines. */
static PortRig *busy_rig(uint32_t threads, Cycle window)
{
    PortRig *port_rig = wide_rig();
    Rig *rig = port_rig->rig;
    uint32_t seed = 3;
    rig->window = window;
    rig->config.l2_bytes = 16384;
    rig->config.l2_khz = 700000;
    rig->config.crossbar_khz = 1300000;
    rig->config.crossbar_credits = 2;
    rig->config.crossbar_spread = 7;
    rig->config.l2_queue = rig->config.l2_reply_queue = 2;
    rig->config.l2_mshrs = 3;
    rig->config.dram_queue = 2;
    port_rig_build(port_rig, threads);
    for (uint32_t i = 0; i < 1000; i++) {
        const uint64_t line = next_random(&seed) % 256 * LINE_BYTES;
        const uint32_t offset = next_random(&seed) % 128, bytes = 1 + next_random(&seed) % 300;
        if (i % 3)
            port_rig_read(port_rig, 2 * i, line + offset, bytes);
        else
            port_rig_write(port_rig, 2 * i, line + offset, bytes, (uint8_t)i);
        if (i % 2)
            rig_load(rig, i % RIG_SMS, i, line, 0xF);
        else
            rig_store(rig, i % RIG_SMS, i, line, offset, 128 - offset, (uint8_t)(i + 100));
    }
    port_rig_run(port_rig);
    assert_true(port_rig->waited > 1000);
    return port_rig;
}

static void is_the_same_for_any_threads_and_windows(void **state)
{
    (void)state;
    static const struct {
        uint32_t threads;
        Cycle window;
    } cases[] = {{2, 0}, {3, 0}, {1, 1}, {2, 3}, {11, 5}};
    PortRig *one = busy_rig(1, 0);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        PortRig *other = busy_rig(cases[c].threads, cases[c].window);
        for (uint32_t i = 0; i < one->count; i++) {
            assert_int_equal(one->script[i].ended, other->script[i].ended);
            assert_memory_equal(one->script[i].bytes, other->script[i].bytes, sizeof one->script[i].bytes);
        }
        for (uint32_t i = 0; i < one->rig->count; i++)
            assert_int_equal(one->rig->records[i].replied, other->rig->records[i].replied);
        assert_memory_equal(one->rig->memory, other->rig->memory, RIG_MEMORY);
        port_rig_free(other);
    }
    port_rig_free(one);
}

/* -- in the front end -- */

static void note_end(void *context, uint64_t tag, Cycle now) { ((Cycle *)context)[tag] = now; }

static void the_front_end_lets_its_port_work(void **state)
{
    (void)state;
    Rig *rig = rig_new();
    DispatchPolicies policies;
    Error error = {0};
    Cycle ended[2] = {0};
    uint8_t bytes[48];
    assert_int_equal(dispatch_policies(&rig->config, &policies, &error), WB_OK);
    rig->config.crossbar_credits = 1;
    FrontEnd *front_end = front_end_create(&rig->config, &policies, &rig->crossbar);
    rig->last = &front_end->shard;
    rig_build(rig, 1);
    for (uint32_t i = 0; i < sizeof bytes; i++)
        rig->memory[0x1000 + i] = (uint8_t)(i + 1);
    rig_store(rig, 0, 0, 0x1080, 0, 128, 1);
    rig_load(rig, 0, 0, 0x1000, 0xF);
    rig_run(rig);
    const Cycle start = rig->now + 100, hit = WAY + HEADER + rig->config.l2_latency + WAY + HEADER;
    const MemoryAccess read = {0x1000, sizeof bytes, rig->memory + 0x1000, bytes, note_end, ended, 0};
    const MemoryAccess next = {.address = 0x1080, .bytes = 8, .done = note_end, .context = ended, .tag = 1};
    memory_port_read(front_end->port, &read, start);
    memory_port_read(front_end->port, &next, start);
    front_end->shard.wake = memory_port_next(front_end->port);
    rig_run(rig);
    assert_int_equal(ended[0], start + hit + 2);
    assert_int_equal(ended[1], start + 2 * WAY + hit + 1);
    assert_memory_equal(bytes, rig->memory + 0x1000, sizeof bytes);
    assert_int_equal(front_end->shard.wake, CYCLE_NEVER);
    rig_free(rig);
    front_end_free(front_end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hit_takes_the_way_the_lookup_and_its_flits),
        cmocka_unit_test(a_miss_takes_the_time_of_dram_besides),
        cmocka_unit_test(a_write_takes_effect_at_the_lookup),
        cmocka_unit_test(an_access_spans_lines),
        cmocka_unit_test(a_write_changes_its_bytes_and_no_others),
        cmocka_unit_test(a_read_returns_what_the_port_wrote_before),
        cmocka_unit_test(additions_take_effect_in_their_order),
        cmocka_unit_test(an_access_without_a_place_takes_as_long),
        cmocka_unit_test(waits_for_credits),
        cmocka_unit_test(lies_in_the_middle_of_the_line),
        cmocka_unit_test(replies_wait_for_the_port),
        cmocka_unit_test(shares_slices_with_sms),
        cmocka_unit_test(asks_the_half_that_owns_the_line),
        cmocka_unit_test(an_end_may_begin_the_next),
        cmocka_unit_test(is_the_same_for_any_threads_and_windows),
        cmocka_unit_test(the_front_end_lets_its_port_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
