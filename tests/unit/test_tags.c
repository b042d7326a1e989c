/* The tag array of the caches. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "mem/tags.h"

enum { LINE = 128 };

static uint32_t put(TagArray *tags, uint64_t address)
{
    const uint32_t index = tags_choose(tags, address);
    assert_int_not_equal(index, TAGS_NONE);
    tags_replace(tags, index, address);
    tags->lines[index].valid = 0xF;
    return index;
}

static void finds_what_was_put(void **state)
{
    (void)state;
    TagArray tags;
    tags_init(&tags, 5, 4);
    assert_int_equal(tags_find(&tags, 0), TAGS_NONE); /* memory full of zeros is no line at address 0 */
    const uint32_t index = put(&tags, 0);
    assert_int_equal(tags_find(&tags, 0), index);
    assert_int_equal(tags_find(&tags, 5 * LINE), TAGS_NONE);
    const uint64_t local = 1ull << 63 | 0x480;
    const uint32_t other = put(&tags, local);
    assert_int_equal(tags_find(&tags, local), other);
    assert_int_equal(tags_find(&tags, 0x480), TAGS_NONE);
    assert_int_equal(tags.lines[other].note, 0);
    tags_free(&tags);
}

/* Consecutive lines fill the array without an eviction, wherever a run of them begins and whatever the number
 * of sets. */
static void holds_as_many_neighbours_as_it_has_lines(void **state)
{
    (void)state;
    static const uint32_t set_counts[] = {1, 2, 3, 64, 320, 1000};
    for (unsigned i = 0; i < sizeof set_counts / sizeof *set_counts; i++) {
        const uint32_t sets = set_counts[i], ways = 4, lines = sets * ways;
        for (uint64_t first = 0; first < 1ull << 50; first = first * 37 + sets * 5) {
            TagArray tags;
            tags_init(&tags, sets, ways);
            for (uint32_t line = 0; line < lines; line++) {
                const uint64_t address = (first + line) * LINE;
                const uint32_t index = tags_choose(&tags, address);
                assert_in_range(index, 0, lines - 1);
                assert_int_equal(tags_replace(&tags, index, address).valid, 0);
                tags.lines[index].valid = 1;
            }
            tags_free(&tags);
        }
    }
}

/* A stride of the number of sets, or of a power of two, does not keep to a few sets. */
static void spreads_strides(void **state)
{
    (void)state;
    for (uint64_t stride = 16; stride < 1u << 24; stride *= 2) {
        TagArray tags;
        tags_init(&tags, 64, 4);
        uint32_t kept = 0;
        for (uint32_t k = 0; k < 128; k++)
            put(&tags, k * stride * LINE);
        for (uint32_t k = 0; k < 128; k++)
            kept += tags_find(&tags, k * stride * LINE) != TAGS_NONE;
        assert_in_range(kept, 110, 128); /* places at random would keep 123 on average */
        tags_free(&tags);
    }
}

static void evicts_the_least_recently_used(void **state)
{
    (void)state;
    TagArray tags;
    tags_init(&tags, 1, 3);
    tags.clock = UINT32_MAX - 3; /* the clock may go round */
    uint32_t index[3];
    for (uint64_t i = 0; i < 3; i++)
        index[i] = put(&tags, i * LINE);
    tags_use(&tags, index[0]);
    tags_find(&tags, LINE); /* looking is no use */
    tags_use(&tags, index[2]);
    tags.lines[index[1]].dirty = 0x5;
    assert_int_equal(tags_choose(&tags, 7 * LINE), index[1]);
    const TagVictim victim = tags_replace(&tags, index[1], 7 * LINE);
    assert_int_equal(victim.address, LINE);
    assert_int_equal(victim.valid, 0xF);
    assert_int_equal(victim.dirty, 0x5);
    assert_int_equal(tags.lines[index[1]].dirty, 0);
    assert_int_equal(tags_choose(&tags, 8 * LINE), tags_choose(&tags, 9 * LINE));
    tags.lines[index[1]].valid = 1;
    assert_int_equal(tags_choose(&tags, 8 * LINE), index[0]);
    tags_free(&tags);
}

static void lets_unused_lines_go_first(void **state)
{
    (void)state;
    TagArray tags;
    tags_init(&tags, 1, 3);
    const uint32_t old = put(&tags, 0), unused = put(&tags, LINE);
    tags.lines[unused].used = 0;
    const uint32_t young = put(&tags, 2 * LINE);
    assert_int_not_equal(young, unused); /* as long as a way is empty */
    assert_int_equal(tags_choose(&tags, 7 * LINE), unused);
    tags.lines[unused].pending = 1;
    assert_int_equal(tags_choose(&tags, 7 * LINE), old);
    tags.lines[unused].pending = 0;
    tags_use(&tags, unused);
    assert_int_equal(tags_choose(&tags, 7 * LINE), old); /* it has been used */
    tags.clock = UINT32_MAX; /* the clock goes round without 0, which would mean unused */
    tags_use(&tags, young);
    assert_int_equal(tags.lines[young].used, 1);
    tags_free(&tags);
}

static void never_evicts_pending_lines(void **state)
{
    (void)state;
    TagArray tags;
    tags_init(&tags, 1, 2);
    const uint32_t a = put(&tags, 0), b = put(&tags, LINE);
    tags.lines[a].valid = 0xE;
    tags.lines[a].pending = 0x1;
    assert_int_equal(tags_choose(&tags, 2 * LINE), b);
    tags.lines[b].pending = 0x2;
    tags.lines[b].valid = 0;
    assert_int_equal(tags_choose(&tags, 2 * LINE), TAGS_NONE);
    assert_true(tags_fill(&tags, a, tags.generation, 0x1));
    assert_int_equal(tags.lines[a].valid, 0xF);
    assert_int_equal(tags.lines[a].pending, 0);
    assert_int_equal(tags_choose(&tags, 2 * LINE), a);
    tags_free(&tags);
}

static void forgets_everything_at_once(void **state)
{
    (void)state;
    TagArray tags;
    tags_init(&tags, 4, 2);
    for (uint64_t i = 0; i < 8; i++)
        put(&tags, i * LINE);
    const uint32_t index = tags_find(&tags, 3 * LINE), generation = tags.generation;
    tags.lines[index].valid = 0xE;
    tags.lines[index].pending = 1;
    tags.lines[index].dirty = 3;
    tags_invalidate(&tags);
    for (uint64_t i = 0; i < 8; i++)
        assert_int_equal(tags_find(&tags, i * LINE), TAGS_NONE);
    assert_false(tags_fill(&tags, index, generation, 1)); /* what was asked for before is not welcome */
    for (uint64_t i = 8; i < 16; i++) {
        const uint32_t chosen = tags_choose(&tags, i * LINE);
        const TagVictim victim = tags_replace(&tags, chosen, i * LINE);
        assert_int_equal(victim.valid | victim.dirty, 0);
        tags.lines[chosen].valid = 1;
    }
    tags_free(&tags);
}

static void changes_its_size(void **state)
{
    (void)state;
    TagArray tags;
    tags_init(&tags, 8, 2);
    put(&tags, LINE);
    tags_resize(&tags, 3);
    assert_int_equal(tags_find(&tags, LINE), TAGS_NONE);
    for (uint64_t i = 0; i < 6; i++)
        assert_in_range(put(&tags, i * LINE), 0, 5);
    for (uint64_t i = 0; i < 6; i++)
        assert_int_not_equal(tags_find(&tags, i * LINE), TAGS_NONE);
    tags_resize(&tags, 8);
    for (uint64_t i = 0; i < 16; i++)
        assert_int_equal(tags_find(&tags, i * LINE), TAGS_NONE);
    tags_free(&tags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_was_put),
        cmocka_unit_test(holds_as_many_neighbours_as_it_has_lines),
        cmocka_unit_test(spreads_strides),
        cmocka_unit_test(evicts_the_least_recently_used),
        cmocka_unit_test(lets_unused_lines_go_first),
        cmocka_unit_test(never_evicts_pending_lines),
        cmocka_unit_test(forgets_everything_at_once),
        cmocka_unit_test(changes_its_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
