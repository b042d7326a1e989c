/* Charts of tables: which numbers get where, how long bars are, and that the same table gives the same
 * bytes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "papers/plot.h"
#include "shell.h"

/* Two speedups of which one has an error bar, a share, and what was published. */
static Sheet make_sheet(const char *first_words, const char *second_words)
{
    Sheet sheet = {.name = "made_up", .title = "Speed < light & more"};
    sheet_column(&sheet, "benchmark");
    sheet_column_in(&sheet, "CDP", "times");
    sheet_column_in(&sheet, "DTBL ideal", "times");
    sheet_column_in(&sheet, "± CDP", "times");
    sheet_column_in(&sheet, "joined", "%");
    sheet_column(&sheet, "published");
    sheet_text(&sheet, "bfs");
    sheet_number(&sheet, 2, 2), sheet_number(&sheet, 4, 2), sheet_number(&sheet, 0.5, 2);
    sheet_number(&sheet, 50, 0);
    sheet_text(&sheet, first_words);
    sheet_text(&sheet, "join");
    sheet_number(&sheet, NAN, 2), sheet_number(&sheet, 1, 2), sheet_number(&sheet, NAN, 2);
    sheet_number(&sheet, 98, 0);
    sheet_text(&sheet, second_words);
    return sheet;
}

static char *draw(const Sheet *sheet)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    plot_write(sheet, out);
    fclose(out);
    return text;
}

static void expect_values(const PlotSeries *series, const char *name, bool is_published, double first,
                          double second)
{
    const double values[] = {first, second};
    assert_string_equal(series->name, name);
    assert_int_equal(series->is_published, is_published);
    for (int i = 0; i < 2; i++)
        if (isnan(values[i]) ? !isnan(series->values[i]) : series->values[i] != values[i])
            fail_msg("%s has %g in row %d, not %g", name, series->values[i], i, values[i]);
}

static void test_panels(void **state)
{
    (void)state;
    Sheet sheet = make_sheet("CDP 1/2, DTBL ideal 5; joined about 40", "DTBL ideal -1.5, CDP none");
    PlotPanel panels[SHEET_COLUMNS];
    assert_int_equal(plot_panels(&sheet, panels), 2);
    assert_string_equal(panels[0].unit, "times");
    assert_int_equal(panels[0].series_count, 4);
    expect_values(&panels[0].series[0], "CDP", false, 2, NAN);
    expect_values(&panels[0].series[1], "CDP", true, 0.5, NAN);
    expect_values(&panels[0].series[2], "DTBL ideal", false, 4, 1);
    expect_values(&panels[0].series[3], "DTBL ideal", true, 5, -1.5);
    assert_true(panels[0].series[0].spreads[0] == 0.5);
    assert_true(isnan(panels[0].series[2].spreads[0]));
    assert_string_equal(panels[1].unit, "%");
    assert_int_equal(panels[1].series_count, 1); /* "about 40" is no number */
    expect_values(&panels[1].series[0], "joined", false, 50, 98);
    plot_panels_free(panels, 2);
    sheet_free(&sheet);
}

/* It names no column, so that it is a bar of its own. */
static void test_number_alone(void **state)
{
    (void)state;
    Sheet sheet = make_sheet("1.1", "above all");
    PlotPanel panels[SHEET_COLUMNS];
    const uint32_t count = plot_panels(&sheet, panels);
    assert_int_equal(panels[0].series_count, 3);
    expect_values(&panels[0].series[2], "published", true, 1.1, NAN);
    plot_panels_free(panels, count);
    sheet_free(&sheet);
}

static void expect_bar(const char *text, double height, const char *fill, const char *edge, const char *says)
{
    char bar[256];
    snprintf(bar, sizeof bar, "height=\"%.1f\" fill=\"%s\" stroke=\"%s\"><title>%s", height, fill, edge,
             says);
    if (!strstr(text, bar))
        fail_msg("there is no %s", bar);
}

/* The axis goes from 0 to 5 in 200 pixels: 4 is 160 of them. */
static void test_bars(void **state)
{
    (void)state;
    Sheet sheet = make_sheet("CDP 5", "");
    char *text = draw(&sheet), *again = draw(&sheet);
    assert_string_equal(text, again);
    assert_non_null(strstr(text, "Speed &lt; light &amp; more"));
    expect_bar(text, 160, "#e69f00", "#e69f00", "bfs, DTBL ideal: 4 times");
    expect_bar(text, 200, "#fff", "#0072b2", "bfs, CDP, published: 5 times");
    assert_null(strstr(text, "join, CDP:")); /* there is no number */
    assert_non_null(strstr(text, "stroke-width=\"1.4\"/>")); /* the error bar */
    assert_non_null(strstr(text, "</svg>\n"));
    free(text);
    free(again);
    sheet_free(&sheet);
}

/* 0.01 and 100 are four decades apart: half of the height is 1. Below zero the axis is linear, and a table
 * without numbers has no bars. */
static void test_axes(void **state)
{
    (void)state;
    Sheet sheet = {.name = "wide", .title = "Wide"};
    sheet_column(&sheet, "benchmark");
    sheet_column(&sheet, "value");
    for (int i = -2; i <= 2; i += 2) {
        sheet_text(&sheet, "row");
        sheet_number(&sheet, pow(10, i), 2);
    }
    char *text = draw(&sheet);
    expect_bar(text, 100, "#0072b2", "#0072b2", "row, value: 1 ");
    free(text);
    sheet_text(&sheet, "below");
    sheet_number(&sheet, -100, 2);
    text = draw(&sheet);
    expect_bar(text, 100, "#0072b2", "#0072b2", "below, value: -100 ");
    free(text);
    sheet_free(&sheet);
    sheet_text(&sheet, "row");
    sheet_number(&sheet, NAN, 0);
    text = draw(&sheet);
    assert_null(strstr(text, "<title>"));
    free(text);
    sheet_free(&sheet);
}

/* A page refers to its charts, which lie beside it; a folder has them with its tables. Without time, since
 * numbers do not matter here. */
static void test_page(void **state)
{
    (void)state;
    static const char *const said[] = {"runs done: fib", NULL};
    char folder[] = "/tmp/warpbeam_plot_XXXXXX", command[256], output[4096];
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command,
             "paper channels --size tiny --set mode=functional --jobs 2 --markdown %s/page.md --out %s/out",
             folder, folder);
    shell_expect(command, said);
    snprintf(command, sizeof command,
             "grep -c '(images/channels-tiny-table5.svg)' %s/page.md && "
             "cmp %s/out/table5.svg %s/images/channels-tiny-table5.svg && rm -r %s",
             folder, folder, folder, folder);
    assert_int_equal(shell_run(command, output, sizeof output), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_panels), cmocka_unit_test(test_number_alone), cmocka_unit_test(test_bars),
        cmocka_unit_test(test_axes),   cmocka_unit_test(test_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
