/* Packed counters come back as they were. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/alloc.h"
#include "base/packed.h"

enum { COUNT = 1000 };

/* Mostly zeros, in rows of all lengths, and numbers of all sizes. */
static void test_random(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int round = 0; round < 200; round++) {
        uint64_t values[COUNT], read[COUNT];
        for (size_t i = 0; i < COUNT; i++) {
            seed = seed * 6364136223846793005ull + 1442695040888963407ull;
            const unsigned zeros = round % 10 ? 95 : 0;
            values[i] = seed >> 40 & 127 && seed % 101 > zeros ? seed >> (seed >> 58) : 0;
        }
        const size_t count = round < 100 ? COUNT : (size_t)round;
        uint8_t *packed = packed_make(values, count);
        memset(read, 0xff, sizeof read);
        packed_read(packed, read, count);
        assert_memory_equal(read, values, count * sizeof *values);
        xfree(packed);
    }
}

static void test_ends(void **state)
{
    (void)state;
    const uint64_t values[] = {0, UINT64_MAX, 127, 128, 1ull << 63, 0, 0};
    uint64_t read[7], zeros[600] = {0}, many[600];
    uint8_t *packed = packed_make(values, 7);
    assert_int_equal(packed_read(packed, read, 7) - packed, 2 + 10 + 1 + 2 + 10 + 2);
    assert_memory_equal(read, values, sizeof values);
    xfree(packed);
    packed = packed_make(zeros, 600);
    assert_int_equal(packed_read(packed, many, 600) - packed, 6);
    assert_memory_equal(many, zeros, sizeof zeros);
    xfree(packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
