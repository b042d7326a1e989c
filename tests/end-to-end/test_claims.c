/* Claims of papers: how they are read, judged and counted. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "papers/claims.h"
#include "papers/paper.h"

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void test_reading(void **state)
{
    (void)state;
    char path[] = "/tmp/warpbeam-claims-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    write_file(path, "id,paper,where,quantity,published,unit\n"
                     "A1,one,Fig 1,plain,1.5,x\n"
                     "B1,two,Fig 2,\"with, comma and \"\"quotes\"\"\",2 / 3,%\n"
                     "A2,one,,no unit,yes,\n");
    Claims claims;
    Error error = {0};
    assert_true(claims_read(path, NULL, &claims, &error));
    assert_int_equal(claims.rows.count, 3);
    assert_string_equal(claims.rows.items[1].quantity, "with, comma and \"quotes\"");
    assert_string_equal(claims.rows.items[1].published, "2 / 3");
    assert_string_equal(claims.rows.items[1].unit, "%");
    assert_string_equal(claims.rows.items[2].where, "");
    assert_string_equal(claims.rows.items[2].unit, "");
    claims_free(&claims);
    assert_true(claims_read(path, "one", &claims, &error));
    assert_int_equal(claims.rows.count, 2);
    assert_string_equal(claims.rows.items[1].id, "A2");
    claims_free(&claims);
    write_file(path, "id,paper,where,quantity,published,unit\nA1,one,Fig 1,plain,1.5\n");
    assert_false(claims_read(path, NULL, &claims, &error));
    assert_non_null(strstr(error.text, ":2: a claim needs six fields."));
    claims_free(&claims);
    unlink(path);
}

/* Judges a claim that was published as `published`. */
static Judgement judge(const char *quantity, const char *published, const char *unit, const double *values,
                       size_t count)
{
    char fields[3][CLAIM_TEXT];
    snprintf(fields[0], sizeof fields[0], "%s", quantity);
    snprintf(fields[1], sizeof fields[1], "%s", published);
    snprintf(fields[2], sizeof fields[2], "%s", unit);
    const Claim claim = {.quantity = fields[0], .published = fields[1], .unit = fields[2]};
    double numbers[CLAIM_NUMBERS];
    assert_int_equal(claim_numbers(&claim, numbers), count);
    Judgement judgement = judgement_none();
    memcpy(judgement.values, values, count * sizeof *values);
    judgement_end(&judgement, &claim);
    return judgement;
}

static void test_verdicts(void **state)
{
    static const struct {
        const char *quantity, *published, *unit, *measured;
        Verdict verdict;
        size_t count;
        double values[CLAIM_NUMBERS];
    } cases[] = {
        {"a ratio", "1.20", "x", "1.38", VERDICT_AGREES, 1, {1.38}},
        {"a ratio", "1.20", "x", "1.39", VERDICT_DIFFERS, 1, {1.39}},
        {"a ratio", "1.20", "x", "1.02", VERDICT_AGREES, 1, {1.02}},
        {"a ratio", "1.20", "x", "1.01", VERDICT_DIFFERS, 1, {1.01}},
        {"a ratio", "1.20", "x", "-", VERDICT_NOT_MEASURED, 1, {NAN}},
        {"small percentage", "10.0", "%", "11.5", VERDICT_AGREES, 1, {11.5}},
        {"small percentage", "10.0", "%", "11.6", VERDICT_DIFFERS, 1, {11.6}},
        {"very small percentage", "0.120", "%", "0.138", VERDICT_AGREES, 1, {0.138}},
        {"very small percentage", "0.120", "%", "0.139", VERDICT_DIFFERS, 1, {0.139}},
        {"nothing", "0", "% speedup", "-1.0", VERDICT_AGREES, 1, {-1}},
        {"nothing", "0", "% speedup", "1.1", VERDICT_DIFFERS, 1, {1.1}},
        {"overhead: below", "1", "%", "-0.1", VERDICT_AGREES, 1, {-0.1}},
        {"overhead: below", "1", "%", "1.0", VERDICT_DIFFERS, 1, {1}},
        {"share: average above", "30", "%", "33.0", VERDICT_AGREES, 1, {33}},
        {"share: average above", "30", "%", "60.0", VERDICT_DIFFERS, 1, {60}},
        {"what is below all", "60", "%", "40.0", VERDICT_DIFFERS, 1, {40}},
        {"large percentage: 15%", "80.0", "%", "68.0", VERDICT_AGREES, 1, {68}},
        {"large percentage", "80.0", "% (of what not stated)", "67.9", VERDICT_DIFFERS, 1, {67.9}},
        {"negative", "-80 / +23", "%", "-75.0 / 20.0", VERDICT_AGREES, 2, {-75, 20}},
        {"negative", "-80 / +23", "%", "-75.0 / 19.0", VERDICT_DIFFERS, 2, {-75, 19}},
        {"negative", "-80 / +23", "%", "75.0 / 20.0", VERDICT_DIFFERS, 2, {75, 20}},
        {"no percentage", "40", "threads", "34.0", VERDICT_AGREES, 1, {34}},
        {"no percentage", "40", "threads", "33.9", VERDICT_DIFFERS, 1, {33.9}},
        {"several", "2.73 / 3.10 / 0.95", "x", "2.70 / 3.00 / 1.00", VERDICT_AGREES, 3, {2.7, 3, 1}},
        {"several, one off",
         "2.73 / 3.10 / 0.95",
         "x",
         "2.70 / 3.00 / 1.10",
         VERDICT_DIFFERS,
         3,
         {2.7, 3, 1.1}},
        {"several, one missing", "1.14 / 1.08", "x", "9.00 / -", VERDICT_NOT_MEASURED, 2, {9, NAN}},
        {"a range", "1.1-1.8", "x", "1.2-1.7", VERDICT_AGREES, 2, {1.2, 1.7}},
        {"INPUT, to be checked: bytes",
         "283 / 8023+129x",
         "cycles",
         "283 / 8023+129x",
         VERDICT_INPUT,
         3,
         {283, 8023, 129}},
        {"INPUT, to be checked: bytes",
         "283 / 8023+129x",
         "cycles",
         "283 / 8023+130x",
         VERDICT_DIFFERS,
         3,
         {283, 8023, 130}},
        {"INPUT, to be checked: ratios", "8/5/3", "x", "11.9/5.0/3", VERDICT_DIFFERS, 3, {11.94, 5.04, 3}},
        {"no number", "yes", "", "yes", VERDICT_NOT_MEASURED, 0, {0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Judgement judgement =
            judge(cases[i].quantity, cases[i].published, cases[i].unit, cases[i].values, cases[i].count);
        assert_string_equal(judgement.measured, cases[i].measured);
        if (judgement.verdict != cases[i].verdict)
            fail_msg("%s as %s of %s: %s", judgement.measured, cases[i].quantity, cases[i].published,
                     verdict_names[judgement.verdict]);
    }
}

/* Chapters of the synchronization thesis are papers of their own. */
static const char *whose_claims(const char *paper)
{
    static const char *const chapters[] = {"gsync", "rnn", "saws", "wait-signal"};
    for (size_t i = 0; i < sizeof chapters / sizeof *chapters; i++)
        if (strcmp(paper, chapters[i]) == 0)
            return "sync-thesis";
    return paper;
}

/* The claims that come with the simulator: each paper's have one id each, and the papers here have some. */
static void test_shipped(void **state)
{
    (void)state;
    char path[4096];
    Claims claims;
    Error error = {0};
    const Paper *paper;
    assert_true(claims_read(paper_data("papers/claims.csv", path, sizeof path), NULL, &claims, &error));
    for (uint32_t i = 0; i < claims.rows.count; i++)
        for (uint32_t k = 0; k < i; k++)
            assert_string_not_equal(claims.rows.items[i].id, claims.rows.items[k].id);
    claims_free(&claims);
    for (size_t i = 0; (paper = paper_at(i)); i++) {
        assert_ptr_equal(paper_find(paper->name), paper);
        assert_true(claims_read(path, whose_claims(paper->name), &claims, &error));
        /* Of several GPUs nothing was published, nor of all mechanisms together. */
        const bool is_ours = strcmp(paper->name, "multi-gpu") == 0 || strcmp(paper->name, "together") == 0;
        assert_true((claims.rows.count > 0) != is_ours);
        claims_free(&claims);
    }
}

/* An input that is right is no result, and one that is wrong is none either. */
static void test_count(void **state)
{
    (void)state;
    char input[] = "INPUT, to be checked: a", result[] = "a", published[] = "10", unit[] = "%";
    Claim rows[6];
    Judgement judgements[6];
    static const double values[] = {10, 9, 10, 12, 11, NAN};
    for (size_t i = 0; i < 6; i++) {
        rows[i] = (Claim){.quantity = i < 2 ? input : result, .published = published, .unit = unit};
        judgements[i] = judgement_none();
        judgements[i].values[0] = values[i];
        judgement_end(&judgements[i], &rows[i]);
    }
    const Claims claims = {.rows = {.items = rows, .count = 6}};
    const ClaimCount count = claims_count(&claims, judgements);
    assert_int_equal(count.results, 4);
    assert_int_equal(count.agreeing, 2);
    assert_int_equal(count.unmeasured, 1);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    claims_write_count(&claims, judgements, out);
    fclose(out);
    assert_string_equal(text, "2 of 4 results agree; 1 of those that do not were not measured. Inputs are "
                              "not counted.\n\n");
    free(text);
}

static void test_csv(void **state)
{
    (void)state;
    Claim rows[] = {
        {.id = "A1", .quantity = "a", .published = "1.00", .unit = "x, times"},
        {.id = "A2", .quantity = "b", .published = "2 / 3", .unit = "%"},
    };
    const Claims claims = {.rows = {.items = rows, .count = 2}};
    Judgement judgements[] = {judgement_none(), judgement_none()};
    judgements[0].values[0] = 1.25;
    judgement_end(&judgements[0], &rows[0]);
    judgement_end(&judgements[1], &rows[1]);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    claims_write_csv(&claims, judgements, out);
    fclose(out);
    assert_string_equal(text, "id,published,measured,unit,verdict\n"
                              "A1,1.00,1.25,\"x, times\",differs\n"
                              "A2,2 / 3,- / -,%,not measured\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading), cmocka_unit_test(test_verdicts), cmocka_unit_test(test_shipped),
        cmocka_unit_test(test_count),   cmocka_unit_test(test_csv),
    };
    return cmocka_run_group_tests_name("claims", tests, NULL, NULL);
}
