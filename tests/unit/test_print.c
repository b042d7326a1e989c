/* The device's printf, over a small memory that stands for the device's. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "exec/intrinsic/print_format.h"

enum { BASE = 0x10000, FORMAT = BASE, ARGUMENTS = BASE + 256, STRINGS = BASE + 512, END = BASE + 768 };

static uint8_t memory[END - BASE];

static bool read_memory(void *context, uint64_t address, void *to, size_t size)
{
    (void)context;
    if (address < BASE || address + size > END)
        return false;
    memcpy(to, memory + (address - BASE), size);
    return true;
}

static void put_int(size_t offset, int32_t value) { memcpy(memory + ARGUMENTS - BASE + offset, &value, 4); }
static void put_long(size_t offset, int64_t value) { memcpy(memory + ARGUMENTS - BASE + offset, &value, 8); }
static void put_double(size_t offset, double value) { memcpy(memory + ARGUMENTS - BASE + offset, &value, 8); }

static int print(const char *format, char *text, size_t size, size_t *length)
{
    strcpy((char *)memory, format);
    Print call = {.read = read_memory};
    int count = print_format(&call, FORMAT, ARGUMENTS);
    assert_true(call.text.count < size);
    if (call.text.count)
        memcpy(text, call.text.items, call.text.count);
    text[call.text.count] = '\0';
    *length = call.text.count;
    print_free(&call);
    return count;
}

static void expect(const char *format, int count, const char *expected)
{
    char text[512];
    size_t length;
    assert_int_equal(print(format, text, sizeof text, &length), count);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

static void plain_text(void **state)
{
    (void)state;
    expect("", 0, "");
    expect("100%%\n", 0, "100%\n");
    expect("%", 0, "%");
    expect("%y %n", 0, "%y %n");
}

static void integers(void **state)
{
    (void)state;
    put_int(0, -5);
    put_int(4, 0x1234abcd);
    expect("%d %x", 2, "-5 1234abcd");
    expect("%5i|%-#12X|", 2, "   -5|0X1234ABCD  |");
    expect("%u %o", 2, "4294967291 2215125715");
    expect("%hd %hhd", 2, "-5 -51");
    expect("%hu %hhu", 2, "65531 205");
    expect("%+.3d", 1, "-005");
    put_long(8, -6000000000);
    expect("%d %d %lld", 3, "-5 305441741 -6000000000");
    put_long(8, 0);
    put_long(16, 6000000000);
    expect("%*s%ld", 3, "(null)6000000000");
}

static void alignment(void **state)
{
    (void)state;
    put_int(0, 7);
    put_int(4, 99); /* never read: what follows is aligned to 8 */
    put_double(8, 2.5);
    put_int(16, 8);
    put_long(24, 123456789012);
    expect("%d %f %d %zu", 4, "7 2.500000 8 123456789012");
    expect("%d %.1e %d %lx", 4, "7 2.5e+00 8 1cbe991a14");
    expect("%d %g %d %llX", 4, "7 2.5 8 1CBE991A14");
    expect("%d %a", 2, "7 0x1.4p+1");
}

static void stars(void **state)
{
    (void)state;
    put_int(0, 6);
    put_int(4, 2);
    put_double(8, 3.14159);
    expect("%*.*f|", 3, "  3.14|");
    put_int(0, -6);
    expect("%*.*f|", 3, "3.14  |");
}

static void strings_characters_pointers(void **state)
{
    (void)state;
    strcpy((char *)memory + STRINGS - BASE, "warp");
    put_long(0, STRINGS);
    expect("[%s] [%6s]", 2, "[warp] [(null)]");
    put_long(8, STRINGS);
    expect("[%6s] [%-6.2s]", 2, "[  warp] [wa    ]");
    expect("%p", 1, "0x10200");
    put_int(0, 'x');
    expect("%c%%", 1, "x%");
    expect("%-3c|", 1, "x  |");
    put_int(0, 0);
    char text[16];
    size_t length;
    assert_int_equal(print("a%cb", text, sizeof text, &length), 1);
    assert_memory_equal(text, "a\0b", 3);
    assert_int_equal(length, 3);
}

static void unreadable_memory(void **state)
{
    (void)state;
    Print call = {.read = read_memory};
    assert_int_equal(print_format(&call, 0, ARGUMENTS), PRINT_NO_FORMAT);
    strcpy((char *)memory, "%d");
    assert_int_equal(print_format(&call, FORMAT, END - 2), PRINT_UNREADABLE);
    assert_int_equal(call.bad_address, END);
    assert_int_equal(print_format(&call, END, ARGUMENTS), PRINT_UNREADABLE);
    print_free(&call);
    put_long(0, 0x55);
    strcpy((char *)memory, "%s");
    Print other = {.read = read_memory};
    assert_int_equal(print_format(&other, FORMAT, ARGUMENTS), PRINT_UNREADABLE);
    assert_int_equal(other.bad_address, 0x55);
    print_free(&other);
}

static int clear_memory(void **state)
{
    (void)state;
    memset(memory, 0, sizeof memory);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(plain_text, clear_memory),
        cmocka_unit_test_setup(integers, clear_memory),
        cmocka_unit_test_setup(alignment, clear_memory),
        cmocka_unit_test_setup(stars, clear_memory),
        cmocka_unit_test_setup(strings_characters_pointers, clear_memory),
        cmocka_unit_test_setup(unreadable_memory, clear_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
