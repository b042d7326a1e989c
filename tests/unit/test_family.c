/* Who waits for whom among grids: streams, events, tail launches, blocks that wait, runs that fail. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "exec/runtime/family.h"
#include "exec/warp.h"

enum { GRIDS = 8, GRID_ID = 7 };

/* Grids by number, and what happened to them since the last look: 'r' ready, 'c' complete. */
typedef struct Rig {
    Family grids[GRIDS];
    char log[256];
    uint32_t length;
    const Block *resumed;
    FamilyEvents events;
} Rig;

static void note(Rig *rig, char what, const Family *family)
{
    rig->log[rig->length++] = what;
    rig->log[rig->length++] = (char)('0' + (family - rig->grids));
    rig->log[rig->length] = '\0';
}

static void on_ready(void *context, Family *family) { note(context, 'r', family); }

static void on_complete(void *context, Family *family) { note(context, 'c', family); }

static void on_resume(void *context, Block *block) { ((Rig *)context)->resumed = block; }

/* Grid 0 is the host's. */
static Rig *rig_open(void)
{
    Rig *rig = test_calloc(1, sizeof *rig);
    rig->events = (FamilyEvents){on_ready, on_complete, on_resume, rig};
    return rig;
}

static void rig_close(Rig *rig) { test_free(rig); }

static void expect(Rig *rig, const char *log)
{
    assert_string_equal(rig->log, log);
    rig->length = 0;
    rig->log[0] = '\0';
}

static void launch_for(Rig *rig, uint32_t child, uint32_t parent, BlockFamily *block, LaunchOrderKind kind,
                       LaunchStream *stream)
{
    family_launch(&rig->grids[child], &rig->grids[parent], block, kind, stream);
    family_arrived(&rig->grids[child], &rig->events);
}

static void launch(Rig *rig, uint32_t child, uint32_t parent, LaunchOrderKind kind, LaunchStream *stream)
{
    launch_for(rig, child, parent, NULL, kind, stream);
}

static void end(Rig *rig, uint32_t grid) { family_ended(&rig->grids[grid], &rig->events); }

static void free_launches_run_at_once(void **state)
{
    (void)state;
    Rig *rig = rig_open();
    launch(rig, 1, 0, LAUNCH_FREE, NULL);
    family_launch(&rig->grids[2], &rig->grids[0], NULL, LAUNCH_FREE, NULL);
    expect(rig, "r1"); /* the other one is still on its way */
    family_arrived(&rig->grids[2], &rig->events);
    end(rig, 0);
    end(rig, 2);
    expect(rig, "r2c2");
    end(rig, 1);
    expect(rig, "c1c0");
    rig_close(rig);
}

static void launches_of_a_stream_wait_for_each_other(void **state)
{
    (void)state;
    Rig *rig = rig_open();
    LaunchStream *stream = family_stream(&rig->grids[0], GRID_ID, family_new_stream(&rig->grids[0], GRID_ID));
    LaunchStream *other = family_stream(&rig->grids[0], GRID_ID, family_new_stream(&rig->grids[0], GRID_ID));
    launch(rig, 1, 0, LAUNCH_IN_STREAM, stream);
    launch(rig, 2, 0, LAUNCH_IN_STREAM, stream);
    launch(rig, 3, 0, LAUNCH_IN_STREAM, other);
    expect(rig, "r1r3");
    launch(rig, 4, 1, LAUNCH_FREE, NULL); /* what it waits for is complete with its children only */
    end(rig, 1);
    expect(rig, "r4");
    end(rig, 4);
    expect(rig, "c4r2c1");
    end(rig, 2);
    launch(rig, 5, 0, LAUNCH_IN_STREAM, stream); /* nothing is left in it */
    expect(rig, "c2r5");
    end(rig, 3);
    end(rig, 5);
    end(rig, 0);
    expect(rig, "c3c5c0");
    rig_close(rig);
}

static void a_late_arrival_keeps_its_place(void **state)
{
    (void)state;
    Rig *rig = rig_open();
    LaunchStream stream = {0};
    family_launch(&rig->grids[1], &rig->grids[0], NULL, LAUNCH_IN_STREAM, &stream);
    launch(rig, 2, 0, LAUNCH_IN_STREAM, &stream);
    expect(rig, "");
    family_arrived(&rig->grids[1], &rig->events);
    end(rig, 1);
    expect(rig, "r1r2c1");
    end(rig, 2);
    end(rig, 0);
    expect(rig, "c2c0");
    rig_close(rig);
}

static LaunchEvent *new_event(Rig *rig, uint64_t *handle)
{
    *handle = family_new_event(&rig->grids[0], GRID_ID);
    return family_event(&rig->grids[0], GRID_ID, *handle);
}

static void a_stream_waits_for_what_was_before_the_record(void **state)
{
    (void)state;
    Rig *rig = rig_open();
    LaunchStream first = {0}, second = {0};
    uint64_t handle;
    LaunchEvent *event = new_event(rig, &handle);
    stream_wait_event(&rig->grids[0], NULL, &second, event); /* never recorded: no reason to wait */
    launch(rig, 1, 0, LAUNCH_IN_STREAM, &first);
    event_record(event, &first);
    launch(rig, 2, 0, LAUNCH_IN_STREAM, &first);
    stream_wait_event(&rig->grids[0], NULL, &second, event);
    event_record(event, &first); /* too late to matter to that wait */
    launch(rig, 3, 0, LAUNCH_IN_STREAM, &second);
    expect(rig, "r1");
    end(rig, 1);
    expect(rig, "r2r3c1");
    stream_wait_event(&rig->grids[0], NULL, &second, event);
    launch(rig, 4, 0, LAUNCH_IN_STREAM, &second);
    end(rig, 3);
    expect(rig, "c3");
    end(rig, 0);
    end(rig, 2);
    expect(rig, "r4c2");
    stream_wait_event(&rig->grids[0], NULL, &second, event); /* it has come */
    end(rig, 4);
    expect(rig, "c4c0");
    rig_close(rig);
}

/* A wait that nothing was launched behind keeps its grid from completing, as the event is awaited. */
static void a_wait_alone_is_waited_for(void **state)
{
    (void)state;
    Rig *rig = rig_open();
    LaunchStream first = {0}, second = {0};
    uint64_t handle;
    LaunchEvent *event = new_event(rig, &handle);
    launch(rig, 1, 0, LAUNCH_IN_STREAM, &first);
    event_record(event, &first);
    stream_wait_event(&rig->grids[0], NULL, &second, event);
    end(rig, 0);
    expect(rig, "r1");
    end(rig, 1);
    expect(rig, "c1c0");
    rig_close(rig);
}

static void tails_come_last_and_one_by_one(void **state)
{
    (void)state;
    Rig *rig = rig_open();
    launch(rig, 1, 0, LAUNCH_TAIL, NULL);
    launch(rig, 2, 0, LAUNCH_TAIL, NULL);
    launch(rig, 3, 0, LAUNCH_FREE, NULL);
    expect(rig, "r3");
    end(rig, 0);
    expect(rig, "");
    end(rig, 3);
    expect(rig, "c3r1");
    end(rig, 1);
    expect(rig, "c1r2");
    end(rig, 2);
    expect(rig, "c2c0");
    rig_close(rig);
}

/* The last tail launch of a grid takes its place: in its stream, for events and for the block that waits. */
static void the_last_tail_takes_its_grids_place(void **state)
{
    (void)state;
    Rig *rig = rig_open();
    LaunchStream stream = {0}, other = {0};
    BlockFamily *block = xcalloc(1, sizeof *block);
    Block waiting;
    uint64_t handle;
    LaunchEvent *event = new_event(rig, &handle);
    launch_for(rig, 1, 0, block, LAUNCH_IN_STREAM, &stream);
    event_record(event, &stream);
    launch(rig, 2, 0, LAUNCH_IN_STREAM, &stream);
    stream_wait_event(&rig->grids[0], NULL, &other, event);
    launch(rig, 3, 0, LAUNCH_IN_STREAM, &other);
    launch(rig, 4, 1, LAUNCH_TAIL, NULL);
    launch(rig, 5, 1, LAUNCH_TAIL, NULL);
    assert_int_equal(rig->grids[4].depth, 1);
    block->waiting = &waiting;
    end(rig, 1);
    expect(rig, "r1r4");
    end(rig, 4);
    expect(rig, "c4c1r5"); /* 1 is gone, and all that waited for it waits for 5 */
    assert_null(rig->resumed);
    end(rig, 5);
    expect(rig, "r2r3c5");
    assert_ptr_equal(rig->resumed, &waiting);
    block_family_ended(block);
    end(rig, 2);
    end(rig, 3);
    end(rig, 0);
    expect(rig, "c2c3c0");
    rig_close(rig);
}

/* A stream whose last launch hands over to its tail still keeps the order. */
static void launches_wait_for_the_tail_of_the_one_before(void **state)
{
    (void)state;
    Rig *rig = rig_open();
    LaunchStream stream = {0};
    launch(rig, 1, 0, LAUNCH_IN_STREAM, &stream);
    launch(rig, 2, 1, LAUNCH_TAIL, NULL);
    end(rig, 1);
    expect(rig, "r1c1r2");
    launch(rig, 3, 0, LAUNCH_IN_STREAM, &stream);
    expect(rig, "");
    end(rig, 2);
    expect(rig, "r3c2");
    end(rig, 3);
    end(rig, 0);
    expect(rig, "c3c0");
    rig_close(rig);
}

static void chains_of_tails_may_be_long(void **state)
{
    (void)state;
    Rig *rig = rig_open();
    launch(rig, 1, 0, LAUNCH_FREE, NULL);
    end(rig, 0);
    for (uint32_t i = 0; i < 100000; i++) {
        const uint32_t now = 1 + i % 2, next = 2 - i % 2;
        rig->length = 0;
        launch(rig, next, now, LAUNCH_TAIL, NULL);
        end(rig, now); /* its memory is the next but one's */
        assert_int_equal(rig->log[0], 'c');
        assert_int_equal(rig->grids[next].depth, 1);
    }
    end(rig, 1);
    assert_int_equal(rig->log[rig->length - 1], '0');
    rig_close(rig);
}

static void blocks_wait_for_their_own_launches(void **state)
{
    (void)state;
    Rig *rig = rig_open();
    BlockFamily *block = xcalloc(1, sizeof *block);
    Block waiting;
    launch_for(rig, 1, 0, block, LAUNCH_FREE, NULL);
    launch_for(rig, 2, 0, block, LAUNCH_IN_STREAM, &block->stream);
    launch(rig, 3, 0, LAUNCH_FREE, NULL); /* another block's, or a group */
    launch_for(rig, 4, 0, block, LAUNCH_TAIL, NULL);
    assert_int_equal(block->unfinished, 2);
    block->waiting = &waiting;
    end(rig, 1);
    assert_null(rig->resumed);
    end(rig, 2);
    assert_ptr_equal(rig->resumed, &waiting);
    assert_null(block->waiting);
    launch_for(rig, 5, 0, block, LAUNCH_FREE, NULL);
    block_family_ended(block); /* freed with its last launch */
    end(rig, 5);
    end(rig, 3);
    end(rig, 0);
    end(rig, 4);
    expect(rig, "r1r2r3c1c2r5c5c3r4c4c0");
    rig_close(rig);
}

static void handles_belong_to_their_grid(void **state)
{
    (void)state;
    Rig *rig = rig_open();
    Family *grid = &rig->grids[0], *other = &rig->grids[1];
    const uint64_t stream = family_new_stream(grid, GRID_ID), second = family_new_stream(grid, GRID_ID);
    const uint64_t foreign = family_new_stream(other, GRID_ID + 1);
    assert_true(stream != second && stream != foreign);
    assert_non_null(family_stream(grid, GRID_ID, stream));
    assert_ptr_not_equal(family_stream(grid, GRID_ID, stream), family_stream(grid, GRID_ID, second));
    assert_null(family_stream(grid, GRID_ID, foreign));
    assert_null(family_stream(other, GRID_ID + 1, second));
    assert_null(family_stream(grid, GRID_ID, second + 1));
    assert_true(family_is_stream(foreign));
    static const uint64_t none[] = {0, 1, 2, 3, 4, 0x100, 0x7fffdeadbeef, UINT64_MAX};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_null(family_stream(grid, GRID_ID, none[i]));
        assert_false(family_is_stream(none[i]));
    }
    const uint64_t event = family_new_event(grid, GRID_ID);
    assert_null(family_event(grid, GRID_ID, stream));
    assert_false(family_is_stream(event));
    assert_int_equal(grid->live_events, 1);
    family_destroy_event(grid, family_event(grid, GRID_ID, event));
    assert_null(family_event(grid, GRID_ID, event));
    assert_int_equal(grid->live_events, 0);
    end(rig, 0);
    end(rig, 1);
    rig_close(rig);
}

/* All that a failed run leaves is freed: the sanitizers see it. */
static void runs_that_fail_are_given_up(void **state)
{
    (void)state;
    Rig *rig = rig_open();
    BlockFamily *waiting = xcalloc(1, sizeof *waiting), *ended = xcalloc(1, sizeof *ended);
    waiting->of_threads = xcalloc(4, sizeof *waiting->of_threads);
    LaunchStream stream = {0};
    uint64_t handle;
    LaunchEvent *event = new_event(rig, &handle);
    family_new_stream(&rig->grids[1], GRID_ID);
    family_new_event(&rig->grids[1], GRID_ID);
    launch_for(rig, 2, 0, waiting, LAUNCH_IN_STREAM, &waiting->of_threads[1]);
    launch_for(rig, 3, 0, waiting, LAUNCH_IN_STREAM, &waiting->of_threads[1]);
    launch_for(rig, 4, 0, ended, LAUNCH_FREE, NULL);
    launch(rig, 5, 0, LAUNCH_TAIL, NULL);
    event_record(event, &waiting->of_threads[1]);
    stream_wait_event(&rig->grids[0], waiting, &stream, event);
    stream_wait_event(&rig->grids[0], waiting, &stream, event);
    launch(rig, 6, 0, LAUNCH_IN_STREAM, &stream);
    block_family_ended(ended);
    for (uint32_t i = 0; i < 7; i++) {
        family_give_up(&rig->grids[i]);
        assert_int_equal(waiting->unfinished != 0, i < 3); /* the waits go with grid 3 */
    }
    block_family_free(waiting); /* its block is, when all are given up */
    rig_close(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_launches_run_at_once),
        cmocka_unit_test(launches_of_a_stream_wait_for_each_other),
        cmocka_unit_test(a_late_arrival_keeps_its_place),
        cmocka_unit_test(a_stream_waits_for_what_was_before_the_record),
        cmocka_unit_test(a_wait_alone_is_waited_for),
        cmocka_unit_test(tails_come_last_and_one_by_one),
        cmocka_unit_test(the_last_tail_takes_its_grids_place),
        cmocka_unit_test(launches_wait_for_the_tail_of_the_one_before),
        cmocka_unit_test(chains_of_tails_may_be_long),
        cmocka_unit_test(blocks_wait_for_their_own_launches),
        cmocka_unit_test(handles_belong_to_their_grid),
        cmocka_unit_test(runs_that_fail_are_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
