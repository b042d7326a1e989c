/* The tree, held against a plain sorted array. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "base/tree.h"

enum { MOST = 3000 };

typedef struct Place {
    uint64_t base;
} Place;

/* Invariant: `sorted` holds what the tree does, by base. */
typedef struct Rig {
    Tree tree;
    Place *sorted[MOST];
    uint32_t count;
    Place places[MOST];
    uint64_t state;
} Rig;

static uint32_t draw(Rig *rig, uint32_t below)
{
    rig->state = rig->state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(rig->state >> 33) % below;
}

static uint32_t up_to(const Rig *rig, uint64_t address)
{
    uint32_t count = 0;
    while (count < rig->count && rig->sorted[count]->base <= address)
        count++;
    return count;
}

static void add(Rig *rig, uint32_t place)
{
    Place *added = &rig->places[place];
    const uint32_t at = up_to(rig, added->base);
    memmove(&rig->sorted[at + 1], &rig->sorted[at], (rig->count - at) * sizeof *rig->sorted);
    rig->sorted[at] = added;
    rig->count++;
    tree_add(&rig->tree, added->base, added);
}

static void drop(Rig *rig, uint32_t at)
{
    tree_remove(&rig->tree, rig->sorted[at]->base);
    rig->count--;
    memmove(&rig->sorted[at], &rig->sorted[at + 1], (rig->count - at) * sizeof *rig->sorted);
}

static void expect_same(const Rig *rig, uint64_t address)
{
    const uint32_t count = up_to(rig, address);
    const TreeNeighbours found = tree_neighbours(&rig->tree, address);
    assert_ptr_equal(found.before, count ? rig->sorted[count - 1] : NULL);
    assert_ptr_equal(found.after, count < rig->count ? rig->sorted[count] : NULL);
    assert_int_equal(rig->tree.count, rig->count);
}

static void next_in_order(void *context, void *thing)
{
    Rig *rig = context;
    assert_ptr_equal(thing, rig->sorted[rig->state++]);
}

static Rig *new_rig(void)
{
    static Rig rig;
    rig = (Rig){.state = 7};
    for (uint32_t i = 0; i < MOST; i++)
        rig.places[i].base = 1000 + 10 * (uint64_t)i;
    return &rig;
}

/* Grows and shrinks again and again, at places at random. */
static void test_at_random(void **state)
{
    (void)state;
    Rig *rig = new_rig();
    bool is_there[MOST] = {false};
    for (uint32_t i = 0; i < 30000; i++) {
        const uint32_t place = draw(rig, i % 8000 < 5000 ? MOST : 300);
        const bool wanted = i / 4000 % 2 == 0;
        if (is_there[place] != wanted) {
            is_there[place] = wanted;
            if (wanted)
                add(rig, place);
            else
                drop(rig, up_to(rig, rig->places[place].base) - 1);
        }
        expect_same(rig, 990 + draw(rig, 10 * MOST + 30));
    }
    rig->state = 0;
    tree_clear(&rig->tree, next_in_order, rig);
    assert_int_equal(rig->state, rig->count);
    assert_int_equal(rig->tree.count, 0);
}

/* As programs do: in order, and freed from either end or from the middle. */
static void test_in_order(void **state)
{
    (void)state;
    for (uint32_t way = 0; way < 3; way++) {
        Rig *rig = new_rig();
        for (uint32_t i = 0; i < MOST; i++)
            add(rig, way == 2 ? MOST - 1 - i : i);
        while (rig->count) {
            expect_same(rig, 995 + draw(rig, 10 * MOST));
            drop(rig, way == 0 ? 0 : way == 1 ? rig->count - 1 : rig->count / 2);
        }
        expect_same(rig, 2000);
    }
}

/* However many there are, and in whatever order they go. */
static void test_depth(void **state)
{
    (void)state;
    enum { MANY = 200000 };
    static uint64_t things[MANY];
    Tree tree = {0};
    for (uint64_t i = 0; i < MANY; i++)
        tree_add(&tree, i, &things[i]);
    assert_in_range(tree.depth, 2, 4);
    for (uint64_t i = 0; i < MANY; i++) {
        assert_ptr_equal(tree_neighbours(&tree, 0).after, i ? &things[i] : &things[1]);
        tree_remove(&tree, i);
    }
    assert_int_equal(tree.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_at_random),
        cmocka_unit_test(test_in_order),
        cmocka_unit_test(test_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
