/* The shadow of global memory: who meets whom, byte by byte, and what a write forgets. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "watch/shadow.h"

enum { MOST = 512, PLACE = 7 };

/* Meetings in the order in which they were told. Nodes are in order if the test says so. */
typedef struct Log {
    Shadow shadow;
    bool in_order;
    uint32_t count;
    struct {
        uint32_t earlier, later; /* nodes */
        uint64_t address;
    } meetings[MOST];
} Log;

static bool note(void *context, uint32_t earlier, uint32_t later, uint64_t address)
{
    Log *log = context;
    assert_true(log->count < MOST);
    log->meetings[log->count].earlier = log->shadow.touchers.items[earlier].node;
    log->meetings[log->count].later = log->shadow.touchers.items[later].node;
    log->meetings[log->count++].address = address;
    return log->in_order;
}

static int set_up(void **state)
{
    Log *log = xcalloc(1, sizeof *log);
    log->in_order = true;
    shadow_init(&log->shadow, note, log);
    *state = log;
    return 0;
}

static int tear_down(void **state)
{
    Log *log = *state;
    shadow_free(&log->shadow);
    xfree(log);
    return 0;
}

/* How many meetings the touch brings. */
static uint32_t touch(Log *log, uint32_t node, Touch touch, uint64_t address, uint64_t bytes)
{
    log->count = 0;
    shadow_touch(&log->shadow, shadow_toucher(&log->shadow, node, PLACE, touch), address, bytes);
    return log->count;
}

static bool met(const Log *log, uint32_t earlier, uint32_t later)
{
    for (uint32_t i = 0; i < log->count; i++)
        if (log->meetings[i].earlier == earlier && log->meetings[i].later == later)
            return true;
    return false;
}

static void test_reader_meets_writer(void **state)
{
    Log *log = *state;
    assert_int_equal(touch(log, 1, TOUCH_WRITE, 0x1000, 4), 0);
    assert_int_equal(touch(log, 1, TOUCH_READ, 0x1000, 4), 0); /* its own */
    assert_int_equal(touch(log, 2, TOUCH_READ, 0x1004, 4), 0); /* beside it */
    assert_int_equal(touch(log, 2, TOUCH_READ, 0x0FFC, 8), 1);
    assert_true(met(log, 1, 2));
    assert_int_equal(log->meetings[0].address, 0x1000);
    assert_int_equal(touch(log, 3, TOUCH_READ, 0x1000, 4), 1); /* readers do not meet readers */
    assert_true(met(log, 1, 3));
}

static void test_writer_meets_readers_and_writer(void **state)
{
    Log *log = *state;
    touch(log, 1, TOUCH_WRITE, 0x1000, 4);
    touch(log, 2, TOUCH_READ, 0x1000, 4);
    touch(log, 3, TOUCH_READ, 0x1000, 4);
    assert_int_equal(touch(log, 4, TOUCH_WRITE, 0x1000, 4), 3);
    assert_true(met(log, 1, 4) && met(log, 2, 4) && met(log, 3, 4));
    /* All were over before it, so it alone counts from then on. */
    assert_int_equal(touch(log, 5, TOUCH_WRITE, 0x1000, 4), 1);
    assert_true(met(log, 4, 5));
}

static void test_unordered_ones_stay(void **state)
{
    Log *log = *state;
    log->in_order = false;
    touch(log, 1, TOUCH_WRITE, 0x1000, 4);
    touch(log, 2, TOUCH_READ, 0x1000, 4);
    assert_int_equal(touch(log, 3, TOUCH_WRITE, 0x1000, 4), 2);
    assert_int_equal(touch(log, 4, TOUCH_READ, 0x1000, 4), 2); /* both writers */
    assert_true(met(log, 1, 4) && met(log, 3, 4));
    log->in_order = true;
    assert_int_equal(touch(log, 5, TOUCH_WRITE, 0x1000, 4), 4);
    assert_int_equal(touch(log, 6, TOUCH_READ, 0x1000, 4), 1);
}

static void test_atomics(void **state)
{
    Log *log = *state;
    touch(log, 1, TOUCH_WRITE, 0x1000, 4);
    assert_int_equal(touch(log, 2, TOUCH_ATOMIC, 0x1000, 4), 1);
    assert_int_equal(touch(log, 3, TOUCH_ATOMIC, 0x1000, 4), 1); /* the writer, not the other atomic */
    assert_true(met(log, 1, 3));
    assert_int_equal(touch(log, 4, TOUCH_READ, 0x1000, 4), 3);
    assert_true(met(log, 1, 4) && met(log, 2, 4) && met(log, 3, 4));
    assert_int_equal(touch(log, 5, TOUCH_ATOMIC, 0x1000, 4), 2);
    assert_true(met(log, 1, 5) && met(log, 4, 5));
    assert_int_equal(touch(log, 6, TOUCH_WRITE, 0x1000, 4), 5);
}

static void test_bytes_of_a_word(void **state)
{
    Log *log = *state;
    touch(log, 1, TOUCH_WRITE, 0x1000, 8);
    assert_int_equal(touch(log, 2, TOUCH_WRITE, 0x1001, 1), 1);
    assert_int_equal(touch(log, 3, TOUCH_WRITE, 0x1002, 2), 1);
    assert_true(met(log, 1, 3));
    assert_int_equal(touch(log, 4, TOUCH_READ, 0x1003, 1), 1);
    assert_true(met(log, 3, 4));
    assert_int_equal(touch(log, 5, TOUCH_READ, 0x1000, 4), 3);
    assert_true(met(log, 1, 5) && met(log, 2, 5) && met(log, 3, 5));
    assert_int_equal(touch(log, 6, TOUCH_READ, 0x1004, 4), 1); /* what was known of the word stays */
    assert_true(met(log, 1, 6));
}

static void test_ranges_across_pages(void **state)
{
    Log *log = *state;
    touch(log, 1, TOUCH_WRITE, 3 * SHADOW_PAGE_BYTES - 16, 2 * SHADOW_PAGE_BYTES);
    touch(log, 2, TOUCH_WRITE, 3 * SHADOW_PAGE_BYTES - 2, 4); /* half of a word each */
    assert_true(met(log, 1, 2));
    assert_int_equal(touch(log, 3, TOUCH_READ, 3 * SHADOW_PAGE_BYTES - 16, 2 * SHADOW_PAGE_BYTES), 2);
    assert_int_equal(touch(log, 4, TOUCH_READ, 5 * SHADOW_PAGE_BYTES - 17, 1), 1);
    assert_int_equal(touch(log, 4, TOUCH_READ, 5 * SHADOW_PAGE_BYTES - 16, 1), 0);
    assert_int_equal(touch(log, 5, TOUCH_READ, ((uint64_t)1 << 44) + 3 * SHADOW_PAGE_BYTES, 4), 0);
}

/* Against a plain list of all touches, on few bytes and few nodes. */
enum { BYTES = 24, NODES = 6, STEPS = 4000 };
typedef struct Byte {
    bool wrote[NODES], updated[NODES], read[NODES];
} Byte;

static bool expected_of(const Byte *byte, uint32_t earlier, Touch touch)
{
    return byte->wrote[earlier] || (byte->updated[earlier] && touch != TOUCH_ATOMIC) ||
           (byte->read[earlier] && touch != TOUCH_READ);
}

static void take_effect(Byte *byte, uint32_t node, Touch touch)
{
    if (touch == TOUCH_WRITE)
        memset(byte, 0, sizeof *byte);
    (touch == TOUCH_WRITE ? byte->wrote : touch == TOUCH_READ ? byte->read : byte->updated)[node] = true;
}

/* Touchers that have touched before may or may not be told again of those that they have met; new ones must
 * be told of all. */
static void random_step(Log *log, Byte *bytes, uint32_t random, uint32_t place)
{
    const uint32_t node = (random >> 8) % NODES, first = (random >> 12) % BYTES;
    const Touch kind = (Touch)((random >> 20) % 3);
    const uint32_t length = 1 + (random >> 24) % (BYTES - first);
    bool expected[NODES] = {0};
    for (uint32_t b = first; b < first + length; b++) {
        for (uint32_t other = 0; other < NODES; other++)
            expected[other] |= other != node && expected_of(&bytes[b], other, kind);
        take_effect(&bytes[b], node, kind);
    }
    log->count = 0;
    shadow_touch(&log->shadow, shadow_toucher(&log->shadow, node, place, kind), 0x2000 + first, length);
    for (uint32_t i = 0; i < log->count; i++) {
        assert_int_equal(log->meetings[i].later, node);
        assert_true(expected[log->meetings[i].earlier]);
    }
    for (uint32_t other = 0; place && other < NODES; other++)
        assert_int_equal(expected[other], met(log, other, node));
}

static void test_random(void **state)
{
    Log *log = *state;
    static Byte bytes[BYTES];
    uint32_t random = 1;
    for (uint32_t step = 0; step < STEPS; step++) {
        random = random * 1664525 + 1013904223;
        random_step(log, bytes, random, step % 2 ? step : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_reader_meets_writer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_writer_meets_readers_and_writer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unordered_ones_stay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_atomics, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bytes_of_a_word, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ranges_across_pages, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_random, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
