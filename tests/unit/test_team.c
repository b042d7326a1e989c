/* A team does every item once, with as many helpers as the host lets join, and none that it has to have. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/team.h"

enum { ITEMS = 64 };

/* What was done; `by` holds bits of members, `strays` counts members that are none. */
typedef struct Board {
    uint32_t done[ITEMS];
    _Atomic uint32_t by;
    _Atomic uint32_t strays;
    uint32_t members;
    uint32_t load;
} Board;

static void mark(void *context, uint32_t member, uint32_t item)
{
    Board *board = context;
    volatile uint32_t sum = 0;
    for (uint32_t i = 0; i < board->load; i++)
        sum += i;
    board->done[item]++;
    atomic_fetch_or(&board->by, 1u << member);
    atomic_fetch_add(&board->strays, member >= board->members);
}

static void give_all(Team *team, const Board *board, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        team_give(team, i % board->members, i);
}

static void every_item_is_done_once(void **state)
{
    (void)state;
    for (uint32_t members = 1; members <= 7; members++) {
        Board board = {.members = members, .load = 50};
        Team *team = team_create(members, ITEMS, mark, &board);
        uint32_t expected[ITEMS] = {0};
        for (uint32_t run = 0; run < 3000; run++) {
            const uint32_t count = run * 31 % (ITEMS + 1);
            give_all(team, &board, count);
            team_run(team);
            for (uint32_t i = 0; i < ITEMS; i++)
                assert_int_equal(board.done[i], expected[i] += i < count);
        }
        assert_int_equal(board.strays, 0);
        team_free(team);
    }
}

/* However short runs are: helpers that join stay for the next ones. */
static void helpers_join_in_short_runs(void **state)
{
    (void)state;
    if (team_processors() == 1)
        skip();
    Board board = {.members = 2, .load = 200};
    Team *team = team_create(2, ITEMS, mark, &board);
    const time_t end = time(NULL) + 60; /* a busy host may take its time */
    while (atomic_load(&board.by) != 3 && time(NULL) < end) {
        give_all(team, &board, 8);
        team_run(team);
    }
    assert_int_equal(board.by, 3);
    team_free(team);
}

/* Helpers of a parent are not there in its fork, which goes on alone. */
static void a_fork_works_without_helpers(void **state)
{
    (void)state;
    Board board = {.members = 4, .load = 100};
    Team *team = team_create(4, ITEMS, mark, &board);
    for (uint32_t run = 0; run < 200; run++) {
        give_all(team, &board, ITEMS);
        team_run(team);
    }
    const pid_t child = fork();
    if (child == 0) {
        for (uint32_t run = 0; run < 2000; run++) {
            give_all(team, &board, ITEMS);
            team_run(team);
        }
        team_free(team);
        _exit(board.done[0] == 2200 && board.done[ITEMS - 1] == 2200 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    team_free(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_done_once),
        cmocka_unit_test(helpers_join_in_short_runs),
        cmocka_unit_test(a_fork_works_without_helpers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
