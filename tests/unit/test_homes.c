/* Whose memory lies at addresses of the host. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "mem/line_guard.h"
#include "mem/route.h"

#define AT(offset) (SPACE_HOST_BASE + (uint64_t)(offset))

/* Ranges in any order; what is beside them, and what was removed, is nobody's. */
static void ranges_have_homes(void **state)
{
    (void)state;
    Homes homes = {0};
    assert_int_equal(homes_home(&homes, AT(0)), HOME_UNKNOWN);
    homes_add(&homes, AT(0x3000), 0x1000, 2);
    homes_add(&homes, AT(0x1000), 0x1000, 1);
    homes_add(&homes, AT(0x2000), 0x1000, 0);
    assert_int_equal(homes_home(&homes, AT(0xfff)), HOME_UNKNOWN);
    assert_int_equal(homes_home(&homes, AT(0x1000)), 1);
    assert_int_equal(homes_home(&homes, AT(0x1fff)), 1);
    assert_int_equal(homes_home(&homes, AT(0x2000)), 0);
    assert_int_equal(homes_home(&homes, AT(0x3fff)), 2);
    assert_int_equal(homes_home(&homes, AT(0x4000)), HOME_UNKNOWN);
    homes_remove(&homes, AT(0x2000));
    homes_remove(&homes, AT(0x2800)); /* where none begins */
    assert_int_equal(homes_home(&homes, AT(0x2800)), HOME_UNKNOWN);
    homes_add(&homes, AT(0x3000), 0x800, 3);
    assert_int_equal(homes_home(&homes, AT(0x3000)), 3);
    assert_int_equal(homes_home(&homes, AT(0x3800)), HOME_UNKNOWN);
    homes_remove(&homes, AT(0x1000));
    homes_remove(&homes, AT(0x3000));
    assert_int_equal(homes_home(&homes, AT(0x3000)), HOME_UNKNOWN);
    homes_free(&homes);
}

/* The table goes before what the address says; all else is as it was. */
static void routes_ask_homes(void **state)
{
    (void)state;
    Homes homes = {0};
    Route route = {.hub = 8, .gpu = 1, .host_is_away = true, .homes = &homes};
    homes_add(&homes, AT(0x1000), 0x1000, 1);
    homes_add(&homes, AT(0x2000), 0x1000, 0);
    assert_false(route_is_away(&route, AT(0x1000)));
    assert_true(route_is_away(&route, AT(0x2000)));
    assert_int_equal(route_home(&route, AT(0x2000)), 0);
    assert_int_equal(route_home(&route, AT(0x3000)), HOME_HOST);
    assert_int_equal(route_home(&route, (uint64_t)3 << SPACE_HOME_SHIFT), 3);
    assert_false(route_is_away(&route, SPACE_UNIT_BASE));
    route.host_is_away = false;
    assert_true(route_is_away(&route, AT(0x2000)));
    assert_false(route_is_away(&route, AT(0x3000)));
    route.hub = ROUTE_NO_HUB;
    assert_false(route_is_away(&route, AT(0x2000)));
    homes_free(&homes);
}

enum { BLOCK = 65536 };

static Homes make_managed(void)
{
    Homes homes = {.block_bytes = BLOCK};
    homes_add_managed(&homes, AT(0), 3 * BLOCK - 100);
    return homes;
}

static HomeBlock *block_at(Homes *homes, uint64_t offset)
{
    uint64_t base, bytes;
    return homes_block(homes, AT(offset), &base, &bytes);
}

static int32_t where(const Homes *homes, int32_t node, bool writes, Cycle now)
{
    return homes_look(homes, AT(BLOCK), node, writes, now).home;
}

/* Managed memory begins at the host, block by block, the last of them shorter. */
static void managed_memory_begins_at_the_host(void **state)
{
    (void)state;
    Homes homes = make_managed();
    uint64_t base, bytes;
    assert_int_equal(homes_home(&homes, AT(BLOCK)), HOME_MOVES);
    assert_int_equal(where(&homes, HOME_HOST, true, 0), HOME_HOST);
    assert_int_equal(where(&homes, 0, false, 0), HOME_NOWHERE);
    assert_non_null(homes_block(&homes, AT(2 * BLOCK + 5), &base, &bytes));
    assert_int_equal(base, AT(2 * BLOCK));
    assert_int_equal(bytes, BLOCK - 100);
    assert_null(homes_block(&homes, AT(3 * BLOCK), &base, &bytes));
    homes_free(&homes);
}

/* Before `until` at the old home, from `since` on at the new one, between the two nowhere; the version is
 * another one. Other blocks stay. */
static void blocks_are_at_one_place_at_a_time(void **state)
{
    (void)state;
    Homes homes = make_managed();
    homes_change(block_at(&homes, BLOCK), (HomeState){.home = 1}, 100, 200, false);
    assert_int_equal(where(&homes, HOME_HOST, true, 99), HOME_HOST);
    for (Cycle now = 100; now < 200; now += 33) {
        assert_int_equal(where(&homes, HOME_HOST, false, now), HOME_NOWHERE);
        assert_int_equal(where(&homes, 1, false, now), HOME_NOWHERE);
    }
    assert_int_equal(where(&homes, 1, true, 199), HOME_NOWHERE);
    assert_int_equal(where(&homes, 1, true, 200), 1);
    assert_int_equal(where(&homes, HOME_HOST, false, 200), HOME_NOWHERE);
    assert_int_equal(homes_look(&homes, AT(BLOCK), HOME_HOST, false, 99).version, 0);
    assert_int_equal(homes_look(&homes, AT(BLOCK), 1, false, 200).version, 1);
    assert_int_equal(homes_look(&homes, AT(0), HOME_HOST, false, 200).home, HOME_HOST);
    homes_leave(&homes, 1);
    assert_int_equal(where(&homes, HOME_HOST, true, 200), HOME_HOST);
    homes_free(&homes);
}

/* Mappings reach the home; copies serve loads, and nobody writes while there are any. */
static void mappings_and_copies(void **state)
{
    (void)state;
    Homes homes = make_managed();
    HomeBlock *block = block_at(&homes, BLOCK);
    homes_change(block, (HomeState){.home = 0, .mapped = 2}, 10, 10, true);
    assert_int_equal(where(&homes, 1, true, 10), 0);
    assert_int_equal(where(&homes, 2, true, 10), HOME_NOWHERE);
    homes_advise(&homes, AT(BLOCK), 1, ADVICE_ACCESSED_BY, 2, true, 10);
    assert_int_equal(where(&homes, 2, true, 10), 0);
    homes_change(block, (HomeState){.home = 0, .copies = 2}, 20, 30, true);
    assert_int_equal(where(&homes, 0, false, 25), 0);
    assert_int_equal(where(&homes, 0, true, 25), HOME_NOWHERE);
    assert_int_equal(where(&homes, 1, false, 30), 1);
    assert_int_equal(where(&homes, 0, false, 30), 0);
    assert_int_equal(where(&homes, 0, true, 30), HOME_NOWHERE);
    homes_advise(&homes, AT(BLOCK), 1, ADVICE_READ_MOSTLY, HOME_HOST, false, 40);
    assert_int_equal(where(&homes, 1, false, 40), HOME_NOWHERE);
    assert_int_equal(where(&homes, 0, true, 40), 0);
    homes_free(&homes);
}

/* What a mover has not brought is nowhere, until all is to be settled. */
static void moves_without_an_end_are_settled(void **state)
{
    (void)state;
    Homes homes = make_managed();
    homes_change(block_at(&homes, BLOCK), (HomeState){.home = 1}, 10, CYCLE_NEVER, false);
    homes_settle(&homes, false);
    assert_int_equal(where(&homes, 1, false, CYCLE_NEVER - 1), HOME_NOWHERE);
    homes_settle(&homes, true);
    assert_int_equal(where(&homes, 1, false, 0), 1);
    homes_free(&homes);
}

/* One way at a time for a line; another one when all are back. */
static void guards_keep_to_one_way(void **state)
{
    (void)state;
    LineGuard guard = {0};
    const uint64_t way = line_guard_way((HomeView){1, 3}), other = line_guard_way((HomeView){1, 4});
    line_guard_enter(&guard, AT(0), way);
    assert_true(line_guard_lets(&guard, AT(0), way));
    assert_false(line_guard_lets(&guard, AT(0), other));
    line_guard_enter(&guard, AT(0), way);
    assert_false(line_guard_leave(&guard, AT(0)));
    assert_false(line_guard_lets(&guard, AT(0), other));
    assert_true(line_guard_leave(&guard, AT(0)));
    assert_true(line_guard_lets(&guard, AT(0), other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_have_homes),
        cmocka_unit_test(routes_ask_homes),
        cmocka_unit_test(managed_memory_begins_at_the_host),
        cmocka_unit_test(blocks_are_at_one_place_at_a_time),
        cmocka_unit_test(mappings_and_copies),
        cmocka_unit_test(moves_without_an_end_are_settled),
        cmocka_unit_test(guards_keep_to_one_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
