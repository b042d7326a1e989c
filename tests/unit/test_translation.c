/* Pages that are new to the GPU: who waits for them, how long, and when they are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mem/backing.h"
#include "mem/space.h"
#include "mem/translation.h"

enum { WALK = 450 };

static uint64_t line_of(uint64_t page) { return SPACE_GLOBAL_BASE + page * PAGE_BYTES + 256; }

static void waits_for_one_walk(void **state)
{
    (void)state;
    Translation known = {0};
    Walks walks = {.known = &known, .cycles = WALK};
    assert_int_equal(walks_when(&walks, line_of(0), 1000), 1000 + WALK);
    assert_int_equal(walks_when(&walks, line_of(0), 1000 + WALK - 1), 1000 + WALK);
    assert_int_equal(walks_when(&walks, line_of(0), 1000 + WALK), 1000 + WALK);
    assert_int_equal(walks_when(&walks, line_of(0), 9000), 9000);
    assert_int_equal(walks_when(&walks, line_of(1), 9000), 9000 + WALK); /* by itself */
    assert_int_equal(walks.count, 2);
    walks_free(&walks);
}

static void knows_what_others_have_walked_for(void **state)
{
    (void)state;
    Translation known = {0};
    Walks one = {.known = &known, .cycles = WALK}, other = one;
    walks_when(&one, line_of(3), 1000);
    assert_int_equal(walks_when(&other, line_of(3), 1000), 1000 + WALK); /* not during the kernel */
    translation_learn(&known, &one, 2000);
    translation_learn(&known, &other, 2000);
    assert_int_equal(walks_when(&other, line_of(3), 2000), 2000);
    assert_int_equal(walks_when(&other, line_of(2), 2000), 2000 + WALK);
    assert_int_equal(one.count, 0);
    walks_free(&one);
    walks_free(&other);
    translation_free(&known);
}

/* A kernel ends while another one's walk is under way: what comes later must not pass what waits for it. */
static void keeps_walks_that_are_not_over(void **state)
{
    (void)state;
    Translation known = {0};
    Walks walks = {.known = &known, .cycles = WALK}, other = walks;
    walks_when(&walks, line_of(3), 1000);
    walks_when(&walks, line_of(5), 1200);
    translation_learn(&known, &walks, 1000 + WALK);
    assert_int_equal(walks.count, 1);
    assert_int_equal(walks_when(&walks, line_of(3), 1000 + WALK), 1000 + WALK);
    assert_int_equal(walks_when(&walks, line_of(5), 1000 + WALK), 1200 + WALK);
    assert_int_equal(walks_when(&other, line_of(5), 1000 + WALK), 1000 + WALK);
    walks_free(&walks);
    walks_free(&other);
    translation_free(&known);
}

static void keeps_many_walks(void **state)
{
    (void)state;
    enum { PAGES = 1000 };
    Translation known = {0};
    Walks walks = {.known = &known, .cycles = WALK};
    for (uint64_t page = 0; page < PAGES; page++)
        assert_int_equal(walks_when(&walks, line_of(7 * page), page), page + WALK);
    for (uint64_t page = 0; page < PAGES; page++)
        assert_int_equal(walks_when(&walks, line_of(7 * page), 0), page + WALK);
    translation_learn(&known, &walks, PAGES + WALK);
    for (uint64_t page = 0; page < PAGES; page++) {
        assert_int_equal(walks_when(&walks, line_of(7 * page), 5), 5);
        assert_int_equal(walks_when(&walks, line_of(7 * page + 1), 5), 5 + WALK);
    }
    walks_free(&walks);
    translation_free(&known);
}

static void leaves_other_memory_alone(void **state)
{
    (void)state;
    Translation known = {0};
    Walks walks = {.known = &known, .cycles = WALK}, none = {0};
    assert_int_equal(walks_when(&walks, SPACE_HOST_BASE + 128, 7), 7);
    assert_int_equal(walks_when(&walks, (uint64_t)1 << 63 | 128, 7), 7); /* local memory */
    assert_int_equal(walks_when(&none, line_of(0), 7), 7);
    assert_int_equal(walks.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_for_one_walk),
        cmocka_unit_test(knows_what_others_have_walked_for),
        cmocka_unit_test(keeps_walks_that_are_not_over),
        cmocka_unit_test(keeps_many_walks),
        cmocka_unit_test(leaves_other_memory_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
