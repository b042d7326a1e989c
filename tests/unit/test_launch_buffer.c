/* Parameter buffers: where they lie, how they are found again, and that none is lost. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "exec/runtime/launch_buffer.h"

typedef struct Rig {
    AddressSpace space;
    BufferPool pool;
} Rig;

static void rig_open(Rig *rig, uint64_t bytes)
{
    *rig = (Rig){.pool = {0}};
    space_init(&rig->space, bytes);
    rig->pool.space = &rig->space;
}

static void rig_close(Rig *rig)
{
    buffer_pool_free(&rig->pool);
    assert_int_equal(rig->space.used, 0);
    space_destroy(&rig->space);
}

static void buffers_are_aligned_and_apart(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {0, 1, 8, 48, 49, 100, 4096, 20008}, alignments[] = {1, 8, 16, 64, 256};
    Rig rig;
    rig_open(&rig, 1 << 24);
    uint64_t begin[40], end[40];
    uint32_t count = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t a = 0; a < sizeof alignments / sizeof *alignments; a++, count++) {
            const LaunchBuffer *buffer = buffer_take(&rig.pool, alignments[a], sizes[s], 5);
            assert_non_null(buffer);
            assert_int_equal(buffer->address % alignments[a], 0);
            assert_int_equal(buffer->asked, sizes[s]);
            assert_int_equal(buffer->requested, 5);
            assert_true(buffer->bytes >= sizes[s] + 16); /* vector loads may read behind the parameters */
            assert_int_equal(buffer_reserved(buffer), buffer->bytes + LAUNCH_RECORD_BYTES);
            const Allocation *allocation = space_find(&rig.space, buffer->address, buffer->bytes);
            assert_ptr_equal(buffer->host, allocation->host + (buffer->address - allocation->base));
            begin[count] = buffer->address;
            end[count] = buffer->address + buffer->bytes;
        }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < i; j++)
            assert_true(end[i] <= begin[j] || end[j] <= begin[i]);
    rig_close(&rig);
}

static void buffers_are_found_at_their_address_only(void **state)
{
    (void)state;
    Rig rig;
    rig_open(&rig, 1 << 24);
    assert_null(buffer_find(&rig.pool, 0));
    LaunchBuffer *small = buffer_take(&rig.pool, 8, 8, 0), *large = buffer_take(&rig.pool, 8, 1000, 0);
    LaunchBuffer *second = buffer_take(&rig.pool, 8, 8, 0);
    assert_ptr_equal(buffer_find(&rig.pool, small->address), small);
    assert_ptr_equal(buffer_find(&rig.pool, large->address), large);
    assert_ptr_equal(buffer_find(&rig.pool, second->address), second);
    assert_null(buffer_find(&rig.pool, small->address + 1));
    assert_null(buffer_find(&rig.pool, small->address - 64));
    assert_null(buffer_find(&rig.pool, large->address + 1024));
    assert_null(buffer_find(&rig.pool, second->address + 64)); /* a free one */
    assert_null(buffer_find(&rig.pool, UINT64_MAX));
    buffer_give_back(&rig.pool, small);
    assert_null(buffer_find(&rig.pool, small->address));
    rig_close(&rig);
}

static void what_is_given_back_is_used_again(void **state)
{
    (void)state;
    Rig rig;
    rig_open(&rig, 1 << 24);
    for (uint32_t i = 0; i < 5000; i++) {
        LaunchBuffer *buffer = buffer_take(&rig.pool, 8, 40, i);
        assert_false(buffer->is_launched);
        assert_int_equal(buffer->kernel, 0);
        buffer->is_launched = true;
        buffer->kernel = 1;
        buffer_give_back(&rig.pool, buffer);
    }
    assert_int_equal(rig.pool.chunks.count, 1);
    LaunchBuffer *kept[3000];
    for (uint32_t round = 0; round < 3; round++) { /* nobody gives these back */
        for (uint32_t i = 0; i < 3000; i++)
            kept[i] = buffer_take(&rig.pool, 8, 40, 0);
        buffer_reclaim(&rig.pool);
        for (uint32_t i = 0; i < 3000; i++)
            assert_null(buffer_find(&rig.pool, kept[i]->address));
        assert_int_equal(rig.pool.chunks.count, 3);
    }
    rig_close(&rig);
}

static void records_lie_in_the_order_of_calls(void **state)
{
    (void)state;
    Rig rig;
    rig_open(&rig, 1 << 24);
    const uint64_t first = buffer_take(&rig.pool, 8, 8, 0)->record;
    assert_int_equal(buffer_take(&rig.pool, 8, 5000, 0)->record, first + LAUNCH_RECORD_BYTES);
    assert_int_equal(buffer_take(&rig.pool, 8, 8, 0)->record, first + 2 * LAUNCH_RECORD_BYTES);
    assert_non_null(space_find(&rig.space, first, LAUNCH_RECORD_BYTES));
    rig_close(&rig);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    Rig rig;
    rig_open(&rig, 1 << 24);
    assert_null(buffer_take(&rig.pool, 3, 8, 0));
    assert_null(buffer_take(&rig.pool, 2 * SPACE_ALIGNMENT, 8, 0));
    assert_null(buffer_take(&rig.pool, 8, (uint64_t)SMALLEST_BUFFER << BUFFER_CLASSES, 0));
    assert_null(buffer_take(&rig.pool, 8, UINT64_MAX, 0));
    assert_int_equal(rig.space.used, 0);
    rig_close(&rig);
    rig_open(&rig, 4096); /* no room */
    assert_null(buffer_take(&rig.pool, 8, 8, 0));
    rig_close(&rig);
    rig_open(&rig, 1000000); /* for buffers, but not for records */
    assert_null(buffer_take(&rig.pool, 8, 8, 0));
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_are_aligned_and_apart),
        cmocka_unit_test(buffers_are_found_at_their_address_only),
        cmocka_unit_test(what_is_given_back_is_used_again),
        cmocka_unit_test(records_lie_in_the_order_of_calls),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
