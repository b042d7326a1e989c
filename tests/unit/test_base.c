/* The ground everything stands on: arena, growing arrays, map, error. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "base/vec.h"
#include "base/printable.h"

static void test_arena_is_zeroed_aligned_and_steady(void **state)
{
    (void)state;
    Arena arena = {0};
    enum { COUNT = 2000 };
    unsigned char *blocks[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        size_t size = i * 7 % 300;
        blocks[i] = arena_alloc(&arena, size);
        assert_int_equal((uintptr_t)blocks[i] % 16, 0);
        for (size_t k = 0; k < size; k++)
            assert_int_equal(blocks[i][k], 0);
        memset(blocks[i], (int)(i & 0xFF), size);
    }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < i * 7 % 300; k++)
            assert_int_equal(blocks[i][k], i & 0xFF);
    arena_free(&arena);
    assert_null(arena.chunks);
}

static void test_arena_takes_large_blocks(void **state)
{
    (void)state;
    Arena arena = {0};
    unsigned char *small = arena_alloc(&arena, 8);
    unsigned char *large = arena_alloc(&arena, 1 << 20);
    small[7] = 1;
    large[0] = large[(1 << 20) - 1] = 2;
    uint32_t *array = ARENA_ARRAY(&arena, uint32_t, 1000);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(array[i], 0);
    assert_int_equal(small[7], 1);
    arena_free(&arena);
}

static void test_arena_strings(void **state)
{
    (void)state;
    Arena arena = {0};
    assert_string_equal(arena_strndup(&arena, "warpbeam", 4), "warp");
    assert_string_equal(arena_strndup(&arena, "", 0), "");
    assert_string_equal(arena_printf(&arena, "%s:%d", "k.ptx", 12), "k.ptx:12");
    int numbers[] = {1, 2, 3};
    int *copy = arena_copy(&arena, numbers, sizeof numbers);
    numbers[1] = 9;
    assert_int_equal(copy[1], 2);
    assert_non_null(arena_copy(&arena, NULL, 0));
    arena_free(&arena);
}

static void test_vec_grows(void **state)
{
    (void)state;
    VEC(uint64_t) vec = {0};
    for (uint64_t i = 0; i < 10000; i++)
        VEC_PUSH(&vec, i * i);
    assert_int_equal(vec.count, 10000);
    assert_true(vec.capacity >= vec.count);
    for (uint64_t i = 0; i < 10000; i++)
        assert_int_equal(vec.items[i], i * i);
    uint64_t *items = vec.items;
    VEC_RESERVE(&vec, 5);
    assert_ptr_equal(vec.items, items);
    VEC_RESERVE(&vec, 100000);
    assert_true(vec.capacity >= 100000);
    assert_int_equal(vec.items[9999], 9999u * 9999u);
    VEC_FREE(&vec);
    assert_null(vec.items);
    assert_int_equal(vec.count, 0);
    assert_int_equal(vec.capacity, 0);
}

static void test_map_of_many_keys(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    Arena arena = {0};
    Map map = {0};
    uint32_t value = 0;
    assert_false(map_get(&map, "absent", 6, &value));
    const char **keys = (const char **)ARENA_ARRAY(&arena, char *, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        keys[i] = arena_printf(&arena, "%%r%u", i);
        map_put(&map, keys[i], strlen(keys[i]), i);
    }
    assert_int_equal(map.count, COUNT);
    assert_true(4 * map.count <= 3 * map.capacity);
    for (uint32_t i = 0; i < COUNT; i++) {
        char key[16];
        int length = snprintf(key, sizeof key, "%%r%u", i);
        assert_true(map_get(&map, key, (size_t)length, &value));
        assert_int_equal(value, i);
    }
    assert_false(map_get(&map, "%r20000", 7, &value));
    map_free(&map);
    assert_int_equal(map.count, 0);
    arena_free(&arena);
}

static void test_map_replaces_and_minds_length(void **state)
{
    (void)state;
    Map map = {0};
    uint32_t value = 0;
    map_put(&map, "label", 5, 1);
    map_put(&map, "label", 5, 2);
    assert_int_equal(map.count, 1);
    assert_true(map_get(&map, "label", 5, &value));
    assert_int_equal(value, 2);
    value = 77;
    assert_false(map_get(&map, "label", 4, &value));
    assert_int_equal(value, 77);
    map_put(&map, "label", 4, 3);
    map_put(&map, "", 0, 4);
    assert_int_equal(map.count, 3);
    assert_true(map_get(&map, "labe!", 4, &value));
    assert_int_equal(value, 3);
    assert_true(map_get(&map, "x", 0, &value));
    assert_int_equal(value, 4);
    map_free(&map);
}

static void test_first_error_wins(void **state)
{
    (void)state;
    Error error = {0};
    assert_int_equal(error_set(&error, WB_ERROR_PTX, "Line %d is broken.", 7), WB_ERROR_PTX);
    assert_int_equal(error_set(&error, WB_ERROR_LAUNCH, "A consequence."), WB_ERROR_PTX);
    assert_int_equal(error.status, WB_ERROR_PTX);
    assert_string_equal(error.text, "Line 7 is broken.");
    error_clear(&error);
    assert_int_equal(error.status, WB_OK);
    assert_string_equal(error.text, "");
    assert_int_equal(error_set(&error, WB_ERROR_LAUNCH, "Another."), WB_ERROR_LAUNCH);
    assert_string_equal(error.text, "Another.");
}

static void test_long_error_is_cut(void **state)
{
    (void)state;
    struct { Error error; char guard[8]; } box = {.guard = "guarded"};
    char word[4000];
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    error_set(&box.error, WB_ERROR_PTX, "%s", word);
    assert_int_equal(strlen(box.error.text), sizeof box.error.text - 1);
    assert_string_equal(box.guard, "guarded");
}

static void test_control_characters_are_written_out(void **state)
{
    (void)state;
    static const struct {
        const char *text, *lines, *name;
    } cases[] = {
        {"plain", "plain", "plain"},
        {"a\033[31mb", "a\\x1b[31mb", "a\\x1b[31mb"},
        {"a\nb\tc\r", "a\nb\tc\\x0d", "a\\x0ab\\x09c\\x0d"},
        {"\x7f", "\\x7f", "\\x7f"},
        {"\xc3\xa4 \xe2\x82\xac", "\xc3\xa4 \xe2\x82\xac", "\xc3\xa4 \xe2\x82\xac"},
        {"\xc2\x9b" "1m", "\\x9b" "1m", "\\x9b" "1m"},
        {"\x9b" "1m", "\\x9b" "1m", "\\x9b" "1m"},
        {"\xe4", "\xe4", "\xe4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char shown[64], name[PRINTABLE_NAME_SIZE];
        assert_string_equal(printable_text(cases[i].text, true, shown, sizeof shown), cases[i].lines);
        assert_string_equal(printable_name(cases[i].text, name), cases[i].name);
        assert_int_equal(printable_is(cases[i].text, true), strcmp(cases[i].text, cases[i].lines) == 0);
        assert_int_equal(printable_is(cases[i].text, false), strcmp(cases[i].text, cases[i].name) == 0);
    }
    char small[6];
    assert_string_equal(printable_text("ab\033", true, small, sizeof small), "ab");
    assert_string_equal(printable_text("a\033", true, small, sizeof small), "a\\x1b");
    Error error = {0};
    error_set(&error, WB_ERROR_ARGUMENT, "The file %s\nis none.", "\033x");
    assert_string_equal(error.text, "The file \\x1bx\nis none.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena_is_zeroed_aligned_and_steady),
        cmocka_unit_test(test_arena_takes_large_blocks),
        cmocka_unit_test(test_arena_strings),
        cmocka_unit_test(test_vec_grows),
        cmocka_unit_test(test_map_of_many_keys),
        cmocka_unit_test(test_map_replaces_and_minds_length),
        cmocka_unit_test(test_first_error_wins),
        cmocka_unit_test(test_control_characters_are_written_out),
        cmocka_unit_test(test_long_error_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
