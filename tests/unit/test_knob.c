/* Knob and statistic tables, and the nearest-name search behind their errors. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/knob.h"
#include "base/nearest.h"
#include "base/stat.h"

typedef struct Oven {
    uint64_t degrees, bytes, shelves, sides;
    bool fan;
    uint32_t mode;
    char label[KNOB_STRING_SIZE];
} Oven;

static const char *const modes[] = {"bake", "grill", NULL};
static const Knob oven_rows[] = {
    {"degrees", KNOB_KIND_INTEGER, offsetof(Oven, degrees), "180", 50, 250, false, NULL, "degrees", "Heat"},
    {"bytes", KNOB_KIND_INTEGER, offsetof(Oven, bytes), "0", 0, UINT64_MAX, false, NULL, "bytes", "Room"},
    {"shelves", KNOB_KIND_INTEGER, offsetof(Oven, shelves), "4", 1, 16, true, NULL, "shelves", "Floors"},
    {"sides", KNOB_KIND_INTEGER, offsetof(Oven, sides), "2", 1, 2, true, NULL, "", "Doors"},
    {"fan", KNOB_KIND_BOOLEAN, offsetof(Oven, fan), "true", 0, 0, false, NULL, "", "Blows"},
    {"mode", KNOB_KIND_ENUMERATION, offsetof(Oven, mode), "grill", 0, 0, false, modes, "", "How"},
    {"label", KNOB_KIND_STRING, offsetof(Oven, label), "mine", 0, 0, false, NULL, "", "Name"},
};
static const KnobTable oven_knobs = {"oven", oven_rows, sizeof oven_rows / sizeof *oven_rows};

static WbStatus set(Oven *oven, const char *name, const char *value, Error *error)
{
    *error = (Error){0};
    return knob_set(&oven_knobs, oven, name, value, "menu:3: ", error);
}

static void defaults_are_set(void **state)
{
    (void)state;
    Oven oven = {0};
    knob_defaults(&oven_knobs, &oven);
    assert_int_equal(oven.degrees, 180);
    assert_true(oven.fan);
    assert_int_equal(oven.mode, 1);
    assert_string_equal(oven.label, "mine");
}

static void values_are_parsed_and_printed_back(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value, *text;
    } cases[] = {
        {"degrees", "0x64", "100"},
        {"bytes", "3 KiB", "3072"},
        {"bytes", "2MiB", "2097152"},
        {"bytes", "1 GiB", "1073741824"},
        {"shelves", "8", "8"},
        {"fan", "off", "false"},
        {"mode", "bake", "bake"},
        {"label", "", ""},
        {"bytes", "18446744073709551615", "18446744073709551615"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Oven oven = {0};
        Error error;
        char text[512];
        assert_int_equal(set(&oven, cases[i].name, cases[i].value, &error), WB_OK);
        assert_string_equal(knob_text(knob_find(&oven_knobs, cases[i].name), &oven, text, sizeof text),
                            cases[i].text);
    }
}

static void bad_values_change_nothing_and_name_the_domain(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value, *part;
    } cases[] = {
        {"degrees", "49", "50 to 250"},
        {"degrees", "251", "50 to 250"},
        {"degrees", "-60", "50 to 250"},
        {"degrees", "60 K", "50 to 250"},
        {"degrees", "", "50 to 250"},
        {"degrees", "0 KiB", "50 to 250"},
        {"degrees", "1 KiB", "50 to 250"},
        {"shelves", "5", "a power of two from 1 to 16"},
        {"shelves", "0", "a power of two from 1 to 16"},
        {"shelves", "1 KiB", "a power of two from 1 to 16"},
        {"sides", "3", "1 or 2"},
        {"bytes", "18446744073709551616", "0 to"},
        {"bytes", "18014398509481984 KiB", "0 to"},
        {"fan", "maybe", "true or false"},
        {"mode", "boil", "bake or grill"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Oven oven = {0}, before;
        Error error;
        knob_defaults(&oven_knobs, &oven);
        before = oven;
        assert_int_equal(set(&oven, cases[i].name, cases[i].value, &error), WB_ERROR_ARGUMENT);
        assert_memory_equal(&oven, &before, sizeof oven);
        assert_non_null(strstr(error.text, cases[i].part));
        assert_non_null(strstr(error.text, cases[i].name));
        assert_ptr_equal(strstr(error.text, "menu:3: "), error.text);
    }
    char longer[KNOB_STRING_SIZE + 1];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    Oven oven = {0};
    Error error;
    assert_int_equal(set(&oven, "label", longer, &error), WB_ERROR_ARGUMENT);
}

static void unknown_names_get_the_nearest(void **state)
{
    (void)state;
    Oven oven = {0};
    Error error;
    assert_int_equal(set(&oven, "degrese", "60", &error), WB_ERROR_NOT_FOUND);
    assert_non_null(strstr(error.text, "did you mean degrees?"));
    assert_int_equal(set(&oven, "something_else", "60", &error), WB_ERROR_NOT_FOUND);
    assert_null(strstr(error.text, "did you mean"));
}

/* All names, as long as they are few and short. */
static void few_names_are_listed(void **state)
{
    (void)state;
    char hint[NEAREST_HINT_SIZE], name[] = "aaaaaaaaaaaa-1";
    Nearest nearest = nearest_to("xyz");
    assert_string_equal(nearest_hint(&nearest, hint, sizeof hint), ".");
    nearest_offer(&nearest, "small");
    assert_string_equal(nearest_hint(&nearest, hint, sizeof hint), "; there is only small.");
    nearest_offer(&nearest, "large");
    assert_string_equal(nearest_hint(&nearest, hint, sizeof hint), "; choose from small, large.");
    for (int i = 2; i < NEAREST_FEW; i++)
        nearest_offer(&nearest, "other");
    assert_non_null(strstr(nearest_hint(&nearest, hint, sizeof hint), "large, other"));
    nearest_offer(&nearest, "other");
    assert_string_equal(nearest_hint(&nearest, hint, sizeof hint), ".");
    nearest = nearest_to("xyz");
    for (int i = 0; i < NEAREST_FEW; i++, name[13]++)
        nearest_offer(&nearest, name); /* 8 times 14 letters and what is between them */
    assert_string_equal(nearest_hint(&nearest, hint, sizeof hint), ".");
}

static void distances(void **state)
{
    (void)state;
    assert_int_equal(edit_distance("", "abc"), 3);
    assert_int_equal(edit_distance("kitten", "sitting"), 3);
    assert_int_equal(edit_distance("count", "cuont"), 1);
    assert_int_equal(edit_distance("same", "same"), 0);
}

typedef struct Counters {
    uint64_t hits, misses;
} Counters;
static const Stat counter_rows[] = {
    {"hits", "accesses", "Found", offsetof(Counters, hits)},
    {"misses", "accesses", "Not found", offsetof(Counters, misses)},
};
static const StatTable counters = {counter_rows, 2};

static void statistics_merge_and_reset(void **state)
{
    (void)state;
    Counters sum = {1, 2}, part = {10, 20};
    stat_merge(&counters, &sum, &part);
    assert_int_equal(stat_value(stat_find(&counters, "hits"), &sum), 11);
    assert_int_equal(stat_value(stat_find(&counters, "misses"), &sum), 22);
    assert_null(stat_find(&counters, "hit"));
    stat_reset(&counters, &sum);
    assert_int_equal(sum.hits + sum.misses, 0);
    assert_int_equal(part.hits, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_set),
        cmocka_unit_test(values_are_parsed_and_printed_back),
        cmocka_unit_test(bad_values_change_nothing_and_name_the_domain),
        cmocka_unit_test(unknown_names_get_the_nearest),
        cmocka_unit_test(few_names_are_listed),
        cmocka_unit_test(distances),
        cmocka_unit_test(statistics_merge_and_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
