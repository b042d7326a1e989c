/* The L1: what hits, what merges, what goes stale, and what stores do to it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "mem/l1.h"

enum { ALL = 15, LINE = 0x10000 };
static const uint64_t EVERY_BYTE[2] = {UINT64_MAX, UINT64_MAX};

typedef struct Delivered {
    unsigned count;
    void *owners[16];
    uint32_t indices[16];
    uint8_t sectors[16], first_bytes[16];
} Delivered;

static void note(void *context, void *owner, uint32_t index, const uint8_t *data, uint8_t sectors)
{
    Delivered *delivered = context;
    const unsigned i = delivered->count++;
    delivered->owners[i] = owner;
    delivered->indices[i] = index;
    delivered->sectors[i] = sectors;
    delivered->first_bytes[i] = data[__builtin_ctz(sectors) * SECTOR_BYTES];
}

typedef struct Rig {
    GpuConfig config;
    L1 l1;
    L1Answer answer;
    Delivered delivered;
} Rig;

static void open_rig(Rig *rig)
{
    memset(rig, 0, sizeof *rig);
    knob_defaults(&config_knobs, &rig->config);
    rig->config.l1_mshrs = 4;
    rig->config.l1_merges = 3;
    l1_init(&rig->l1, &rig->config, rig->config.l1_bytes);
}

static L1Status ask(Rig *rig, uint64_t line, uint8_t sectors, uint32_t index)
{
    const L1Load load = {line, sectors, true, true, rig, index};
    return l1_load(&rig->l1, &load, &rig->answer);
}

static bool bring(Rig *rig, uint32_t ticket, uint8_t sectors, uint8_t byte)
{
    uint8_t data[LINE_BYTES];
    memset(data, byte, sizeof data);
    rig->delivered.count = 0;
    return l1_arrived(&rig->l1, ticket, sectors, data, note, &rig->delivered);
}

/* A line that is there, all bytes `byte`. */
static void load_all(Rig *rig, uint64_t line, uint8_t byte)
{
    assert_int_equal(ask(rig, line, ALL, 0), L1_MISS);
    bring(rig, rig->answer.ticket, ALL, byte);
}

static void test_sectors(void **state)
{
    (void)state;
    Rig rig;
    open_rig(&rig);
    assert_int_equal(ask(&rig, LINE, 1, 7), L1_MISS);
    assert_int_equal(rig.answer.fetch, 1);
    assert_true(bring(&rig, rig.answer.ticket, 1, 0x11));
    assert_int_equal(rig.delivered.count, 1);
    assert_int_equal(rig.delivered.indices[0], 7);
    assert_ptr_equal(rig.delivered.owners[0], &rig);
    assert_int_equal(rig.delivered.first_bytes[0], 0x11);
    assert_int_equal(ask(&rig, LINE, 1, 0), L1_HIT);
    assert_int_equal(rig.answer.data[31], 0x11);
    assert_int_equal(ask(&rig, LINE, 3, 0), L1_MISS);
    assert_int_equal(rig.answer.hit, 1);
    assert_int_equal(rig.answer.fetch, 2);
    bring(&rig, rig.answer.ticket, 2, 0x22);
    assert_int_equal(rig.delivered.sectors[0], 2);
    assert_int_equal(ask(&rig, LINE, 3, 0), L1_HIT);
    assert_int_equal(rig.answer.data[0], 0x11);
    assert_int_equal(rig.answer.data[32], 0x22);
    assert_int_equal(rig.l1.statistics.loads, 4);
    assert_int_equal(rig.l1.statistics.load_hits, 2);
    assert_int_equal(rig.l1.statistics.sector_hits, 4);
    assert_int_equal(rig.l1.statistics.sector_misses, 2);
    l1_free(&rig.l1);
}

static void test_merging(void **state)
{
    (void)state;
    Rig rig;
    open_rig(&rig);
    assert_int_equal(ask(&rig, LINE, 3, 0), L1_MISS);
    const uint32_t first = rig.answer.ticket;
    assert_int_equal(ask(&rig, LINE, 2, 1), L1_MERGED);
    assert_int_equal(ask(&rig, LINE, 6, 2), L1_MISS); /* one more sector of the same line */
    assert_int_equal(rig.answer.fetch, 4);
    assert_int_equal(rig.answer.ticket, first);
    assert_int_equal(ask(&rig, LINE, 1, 3), L1_FULL);
    assert_int_equal(rig.l1.used, 1);
    assert_false(bring(&rig, first, 3, 0x33));
    assert_int_equal(rig.delivered.count, 3);
    assert_int_equal(rig.delivered.indices[0], 0);
    assert_int_equal(rig.delivered.indices[2], 2);
    assert_int_equal(rig.delivered.sectors[2], 2);
    assert_int_equal(ask(&rig, LINE, 1, 4), L1_HIT);
    assert_true(bring(&rig, first, 4, 0x44));
    assert_int_equal(rig.delivered.count, 1);
    assert_int_equal(rig.delivered.sectors[0], 4);
    assert_int_equal(rig.l1.used, 0);
    assert_int_equal(rig.l1.statistics.load_merges, 1);
    l1_free(&rig.l1);
}

static void test_limits(void **state)
{
    (void)state;
    Rig rig;
    open_rig(&rig);
    uint32_t tickets[4];
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(ask(&rig, LINE + i * 128, ALL, 0), L1_MISS);
        tickets[i] = rig.answer.ticket;
    }
    assert_int_equal(ask(&rig, LINE + 4 * 128, ALL, 0), L1_FULL);
    const L1Load past = {LINE + 4 * 128, ALL, false, true, &rig, 0};
    assert_int_equal(l1_load(&rig.l1, &past, &rig.answer), L1_MISS); /* takes no MSHR */
    bring(&rig, rig.answer.ticket, ALL, 1);
    assert_int_equal(ask(&rig, LINE + 4 * 128, ALL, 0), L1_FULL); /* and leaves nothing */
    assert_true(bring(&rig, tickets[2], ALL, 1));
    assert_int_equal(ask(&rig, LINE + 4 * 128, ALL, 0), L1_MISS);
    const L1Load silent = {LINE, 1, true, false, &rig, 0};
    assert_int_equal(l1_load(&rig.l1, &silent, &rig.answer), L1_MERGED);
    const L1Load unsendable = {LINE + 5 * 128, 1, true, false, &rig, 0};
    bring(&rig, tickets[1], ALL, 1);
    assert_int_equal(l1_load(&rig.l1, &unsendable, &rig.answer), L1_CANNOT_SEND);
    assert_int_equal(rig.l1.used, 3);
    l1_free(&rig.l1);
}

static void test_stale_until_invalidated(void **state)
{
    (void)state;
    Rig rig;
    open_rig(&rig);
    load_all(&rig, LINE, 1);
    assert_int_equal(ask(&rig, LINE, ALL, 0), L1_HIT);
    assert_int_equal(rig.answer.data[5], 1);
    l1_invalidate(&rig.l1);
    load_all(&rig, LINE, 2);
    assert_int_equal(ask(&rig, LINE, ALL, 0), L1_HIT);
    assert_int_equal(rig.answer.data[5], 2);
    l1_free(&rig.l1);
}

/* What was asked for before an invalidation is given to those who asked, and to nobody else. */
static void test_invalidation_of_a_miss(void **state)
{
    (void)state;
    Rig rig;
    open_rig(&rig);
    assert_int_equal(ask(&rig, LINE, ALL, 1), L1_MISS);
    const uint32_t before = rig.answer.ticket;
    l1_invalidate(&rig.l1);
    assert_int_equal(ask(&rig, LINE, ALL, 2), L1_MISS);
    const uint32_t after = rig.answer.ticket;
    assert_int_not_equal(before, after);
    assert_true(bring(&rig, before, ALL, 1));
    assert_int_equal(rig.delivered.count, 1);
    assert_int_equal(rig.delivered.indices[0], 1);
    assert_int_equal(ask(&rig, LINE, ALL, 3), L1_MERGED);
    assert_true(bring(&rig, after, ALL, 2));
    assert_int_equal(rig.delivered.count, 2);
    assert_int_equal(ask(&rig, LINE, ALL, 4), L1_HIT);
    assert_int_equal(rig.answer.data[0], 2);
    assert_int_equal(rig.l1.statistics.dropped_fills, 4);
    l1_free(&rig.l1);
}

static void test_store_update(void **state)
{
    (void)state;
    Rig rig;
    uint8_t data[LINE_BYTES];
    const uint64_t written[2] = {0xF0, 0}; /* bytes 4 to 7 */
    memset(data, 9, sizeof data);
    open_rig(&rig);
    l1_store(&rig.l1, LINE, 1, written, data);
    assert_int_equal(ask(&rig, LINE, 1, 0), L1_MISS); /* a store allocates nothing */
    bring(&rig, rig.answer.ticket, 1, 1);
    l1_store(&rig.l1, LINE, 1, written, data);
    assert_int_equal(ask(&rig, LINE, 1, 0), L1_HIT);
    assert_int_equal(rig.answer.data[3], 1);
    assert_int_equal(rig.answer.data[4], 9);
    assert_int_equal(rig.answer.data[7], 9);
    assert_int_equal(rig.answer.data[8], 1);
    assert_int_equal(rig.l1.statistics.store_hits, 1);
    assert_int_equal(rig.l1.statistics.store_misses, 1);
    l1_store(&rig.l1, LINE, ALL, written, data); /* one sector is there, of four */
    assert_int_equal(rig.l1.statistics.store_sector_hits, 2);
    assert_int_equal(rig.l1.statistics.store_sector_misses, 4);
    l1_free(&rig.l1);
}

static void test_store_invalidate(void **state)
{
    (void)state;
    Rig rig;
    uint8_t data[LINE_BYTES] = {0};
    const uint64_t written[2] = {1, 0};
    open_rig(&rig);
    rig.l1.write_hit = WRITE_HIT_INVALIDATE;
    load_all(&rig, LINE, 1);
    l1_store(&rig.l1, LINE, 1, written, data);
    assert_int_equal(ask(&rig, LINE, 14, 0), L1_HIT);
    assert_int_equal(ask(&rig, LINE, 1, 0), L1_MISS);
    l1_free(&rig.l1);
}

/* What is written whole is there from then on, of a line that was not there or was on its way. */
static void test_store_allocates(void **state)
{
    (void)state;
    Rig rig;
    uint8_t data[LINE_BYTES];
    const uint64_t written[2] = {UINT32_MAX, 1}; /* all of sector 0, a byte of sector 2 */
    memset(data, 9, sizeof data);
    open_rig(&rig);
    rig.l1.write_miss = WRITE_MISS_ALLOCATE;
    l1_store(&rig.l1, LINE, 5, written, data);
    assert_int_equal(ask(&rig, LINE, 1, 0), L1_HIT);
    assert_int_equal(rig.answer.data[31], 9);
    assert_int_equal(ask(&rig, LINE, 4, 0), L1_MISS);
    l1_store(&rig.l1, LINE, 4, EVERY_BYTE, data);
    assert_int_equal(ask(&rig, LINE, 4, 0), L1_HIT);
    bring(&rig, rig.answer.ticket, 4, 1); /* what was asked for before the store */
    assert_int_equal(ask(&rig, LINE, 4, 0), L1_HIT);
    assert_int_equal(rig.answer.data[2 * SECTOR_BYTES], 9);
    l1_free(&rig.l1);
}

static void test_atomic_drops(void **state)
{
    (void)state;
    Rig rig;
    open_rig(&rig);
    load_all(&rig, LINE, 1);
    l1_atomic(&rig.l1, LINE, 2);
    assert_int_equal(ask(&rig, LINE, 13, 0), L1_HIT);
    assert_int_equal(ask(&rig, LINE, 2, 0), L1_MISS);
    l1_free(&rig.l1);
}

/* A load behind a store must not get what was asked for before it, now or later. */
static void test_store_overtakes_miss(void **state)
{
    (void)state;
    Rig rig;
    uint8_t data[LINE_BYTES] = {0};
    open_rig(&rig);
    assert_int_equal(ask(&rig, LINE, 3, 1), L1_MISS);
    const uint32_t before = rig.answer.ticket;
    l1_store(&rig.l1, LINE, 4, EVERY_BYTE, data); /* another sector: no matter */
    assert_int_equal(ask(&rig, LINE, 1, 2), L1_MERGED);
    l1_store(&rig.l1, LINE, 2, EVERY_BYTE, data);
    assert_int_equal(ask(&rig, LINE, 2, 3), L1_MISS);
    const uint32_t after = rig.answer.ticket;
    bring(&rig, before, 3, 1);
    assert_int_equal(rig.delivered.count, 2);
    assert_int_equal(ask(&rig, LINE, 2, 4), L1_MERGED);
    bring(&rig, after, 2, 2);
    assert_int_equal(rig.delivered.count, 2);
    assert_int_equal(ask(&rig, LINE, 2, 5), L1_HIT);
    assert_int_equal(rig.answer.data[32], 2);
    assert_int_equal(ask(&rig, LINE, 1, 6), L1_MISS); /* not kept */
    l1_free(&rig.l1);
}

static void test_replacement_and_size(void **state)
{
    (void)state;
    Rig rig;
    open_rig(&rig);
    const uint64_t lines = rig.config.l1_bytes / LINE_BYTES;
    for (uint64_t i = 0; i < lines; i++)
        load_all(&rig, LINE + i * LINE_BYTES, (uint8_t)i);
    for (uint64_t i = 0; i < lines; i++) {
        assert_int_equal(ask(&rig, LINE + i * LINE_BYTES, ALL, 0), L1_HIT);
        assert_int_equal(rig.answer.data[0], (uint8_t)i);
    }
    for (uint64_t i = 0; i < lines; i++)
        load_all(&rig, 2 * LINE + 8 * LINE + i * LINE_BYTES, 0);
    assert_int_equal(rig.l1.statistics.evictions, lines);
    l1_resize(&rig.l1, rig.config.l1_bytes / 2);
    for (uint64_t i = 0; i < lines; i++)
        load_all(&rig, LINE + i * LINE_BYTES, 0);
    assert_int_equal(rig.l1.statistics.evictions, lines + lines / 2);
    l1_free(&rig.l1);
}

/* Local memory has no bytes here; what a warp writes whole is there afterwards. */
static void test_local(void **state)
{
    (void)state;
    Rig rig;
    const uint64_t line = (uint64_t)1 << 63 | LINE, half[2] = {UINT64_MAX, 0};
    open_rig(&rig);
    l1_store(&rig.l1, line, 3, half, NULL);
    assert_int_equal(ask(&rig, line, 3, 0), L1_HIT);
    assert_int_equal(ask(&rig, line, ALL, 0), L1_MISS);
    l1_free(&rig.l1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sectors),
        cmocka_unit_test(test_merging),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_stale_until_invalidated),
        cmocka_unit_test(test_invalidation_of_a_miss),
        cmocka_unit_test(test_store_update),
        cmocka_unit_test(test_store_invalidate),
        cmocka_unit_test(test_store_allocates),
        cmocka_unit_test(test_atomic_drops),
        cmocka_unit_test(test_store_overtakes_miss),
        cmocka_unit_test(test_replacement_and_size),
        cmocka_unit_test(test_local),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
