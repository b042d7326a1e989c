/* `warpbeam compare`: what differs between runs, the biggest difference first.
 *
 * The answer, how long, comes first. The size of any other difference is between 0 and 1: of a share, the
 * difference itself; of another ratio, by which part the smaller one is less; of a counter, what it differs
 * by as a part of the largest counter of its component, so that what grew from almost nothing to little stays
 * behind what grew by much. Numbers that are zero in some files come behind the others. */
#include "cli/compare_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "base/knob.h"
#include "base/terminal.h"
#include "cli/comparable.h"
#include "report/ratio.h"
#include "report/report.h"

enum { MOST_FILES = 6, USUAL_TOP = 10, NAME_WIDTH = 34, VALUE_WIDTH = 15, CHANGE_WIDTH = 9 };

typedef struct Comparison {
    Report reports[MOST_FILES];
    size_t count;
    uint64_t top;
    bool csv, each;
} Comparison;

/* A name and its values, one for each report; null where it has none. */
typedef struct Row {
    const char *name;
    json_t *values[MOST_FILES];
    double size;  /* of the biggest difference */
    bool is_some; /* some files have nothing, or zero */
} Row;

typedef VEC(Row) Rows;

/* -- rows -- */

/* The length of the component's name with its dot, of "l2.loads"; 0: it has none. */
static size_t component_length(const char *name)
{
    const char *dot = strchr(name, '.');
    return dot ? (size_t)(dot - name) + 1 : 0;
}

static bool is_share(const char *name)
{
    if (strncmp(name, "scheduler_shares.", strlen("scheduler_shares.")) == 0)
        return true;
    for (unsigned i = 0; i < RATIO_COUNT; i++)
        if (strcmp(name + component_length(name), ratio_rows[i].name) == 0)
            return ratio_is_share(&ratio_rows[i]);
    return false;
}

/* What a difference of one is of, for all values of the part with that name's component. */
static double scale_of(const Comparison *comparison, const Part *part, const char *name)
{
    const size_t length = component_length(name);
    double most = 0;
    for (size_t i = 0; i < comparison->count; i++) {
        const char *other;
        json_t *value;
        json_object_foreach(part->objects[i], other, value)
        {
            if (component_length(other) == length && strncmp(other, name, length) == 0)
                most = fmax(most, fabs(json_number_value(value)));
        }
    }
    return most;
}

static double difference(const json_t *from, const json_t *to, const char *name, double scale)
{
    const double a = json_number_value(from), b = json_number_value(to);
    if (is_share(name))
        return fabs(a - b);
    /* A ratio is compared with itself, not with the counters around it. */
    if (json_is_real(from) || json_is_real(to))
        scale = fmax(fabs(a), fabs(b));
    return scale > 0 ? fabs(a - b) / scale : 0;
}

/* Null and zero are not the same: nothing was counted to divide by. */
static bool is_same(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b))
        return json_number_value(a) == json_number_value(b);
    return a == b || (a && b && json_equal(a, b));
}

static bool make_row(const Comparison *comparison, const Part *part, const char *name, Row *row)
{
    bool differs = false;
    *row = (Row){.name = name};
    const double scale = scale_of(comparison, part, name);
    for (size_t i = 0; i < comparison->count; i++) {
        row->values[i] = json_object_get(part->objects[i], name);
        differs |= !is_same(row->values[0], row->values[i]);
        if (part->objects[0] && part->objects[i])
            row->size = fmax(row->size, difference(row->values[0], row->values[i], name, scale));
        row->is_some |= part->objects[i] && !part->is_config && json_number_value(row->values[i]) == 0;
    }
    return differs;
}

static bool is_known_before(const Part *part, size_t file, const char *name)
{
    for (size_t i = 0; i < file; i++)
        if (json_object_get(part->objects[i], name))
            return true;
    return false;
}

/* The answer, and what it is of, before the reasons. */
static int rank(const Row *row)
{
    return strcmp(row->name, "cycles") == 0 ? 0 : strcmp(row->name, "launches") == 0 ? 1 : 2;
}

static int compare_rows(const void *left, const void *right)
{
    const Row *a = left, *b = right;
    if (rank(a) != rank(b))
        return rank(a) - rank(b);
    if (a->is_some != b->is_some)
        return a->is_some ? 1 : -1;
    if (a->size != b->size)
        return a->size < b->size ? 1 : -1;
    return strcmp(a->name, b->name);
}

static Rows find_rows(const Comparison *comparison, const Part *part)
{
    Rows rows = {0};
    for (size_t file = 0; file < comparison->count; file++) {
        const char *name;
        json_t *value;
        json_object_foreach(part->objects[file], name, value)
        {
            Row row;
            /* A name that several files have makes one row, at its first file. */
            if (!is_known_before(part, file, name) && make_row(comparison, part, name, &row))
                VEC_PUSH(&rows, row);
        }
    }
    if (!part->is_config && rows.count)
        qsort(rows.items, rows.count, sizeof *rows.items, compare_rows);
    return rows;
}

/* -- text -- */

/* A whole number, for people: with a comma before every three digits. */
static void group_digits(long long number, char *text, size_t size)
{
    char digits[32];
    const int length = snprintf(digits, sizeof digits, "%lld", number);
    size_t at = 0;
    for (int i = 0; i < length && at + 2 < size; i++) {
        if (i > 0 && (length - i) % 3 == 0 && digits[i - 1] != '-')
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
}

/* `grouped`: for people, in VALUE_WIDTH columns. */
static const char *value_text(const json_t *value, bool grouped, char *text, size_t size)
{
    if (json_is_string(value) && grouped && json_string_length(value) > VALUE_WIDTH)
        snprintf(text, size, "%.*s...", VALUE_WIDTH - 3, json_string_value(value));
    else if (json_is_string(value))
        snprintf(text, size, "%s", *json_string_value(value) || !grouped ? json_string_value(value) : "none");
    else if (json_is_boolean(value))
        snprintf(text, size, "%s", json_is_true(value) ? "true" : "false");
    else if (json_is_real(value))
        snprintf(text, size, grouped ? "%.4g" : "%.6f", json_real_value(value));
    else if (json_is_integer(value) && grouped)
        group_digits(json_integer_value(value), text, size);
    else if (json_is_integer(value))
        snprintf(text, size, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else
        snprintf(text, size, "%s", grouped ? "-" : "");
    return text;
}

/* "+12.3%", "x 3.21", "/ 3.21"; empty where no two numbers are compared. */
static const char *change_text(const json_t *from, const json_t *to, char *text, size_t size)
{
    const double a = json_number_value(from), b = json_number_value(to);
    *text = '\0';
    if (!json_is_number(from) || !json_is_number(to))
        return text;
    if (a == b)
        snprintf(text, size, "=");
    else if (a == 0 || b == 0)
        snprintf(text, size, "%s", a == 0 ? "from 0" : "to 0");
    /* Percentages beyond a factor of two are hard to read; beyond ten, digits behind the point mean
     * nothing. */
    else if (b / a > 10 || a / b > 10)
        snprintf(text, size, b > a ? "x %.0f" : "/ %.0f", b > a ? b / a : a / b);
    else if (b / a >= 2 || a / b >= 2)
        snprintf(text, size, b > a ? "x %.2f" : "/ %.2f", b > a ? b / a : a / b);
    else
        snprintf(text, size, "%+.1f%%", 100 * (b / a - 1));
    return text;
}

/* Values of all files, as long as a line has room for them. */
static bool shows_values(const Comparison *comparison)
{
    const size_t width =
        NAME_WIDTH + comparison->count * (VALUE_WIDTH + 1) + (comparison->count - 1) * (CHANGE_WIDTH + 1);
    return comparison->count <= 3 && (!terminal_is(stdout) || width <= terminal_columns(stdout));
}

static void print_row(const Comparison *comparison, const Row *row, bool is_config)
{
    char text[KNOB_STRING_SIZE];
    printf("  %-*s", NAME_WIDTH - 2, row->name);
    for (size_t i = 0; i < comparison->count; i++) {
        if (i == 0 || shows_values(comparison) || is_config)
            printf(" %*s", VALUE_WIDTH, value_text(row->values[i], true, text, sizeof text));
        if (i > 0 && !is_config)
            printf(" %*s", CHANGE_WIDTH, change_text(row->values[0], row->values[i], text, sizeof text));
    }
    putchar('\n');
}

static void print_head(const Comparison *comparison, const Part *part)
{
    printf("\n%-*s", NAME_WIDTH, part->title);
    for (size_t i = 0; i < comparison->count; i++) {
        const bool shown = i == 0 || shows_values(comparison) || part->is_config;
        if (shown)
            printf(" %*c", VALUE_WIDTH, (int)('A' + i));
        if (i > 0 && !part->is_config)
            printf(" %*.*s", CHANGE_WIDTH, shown ? 0 : 1, (char[]){(char)('A' + i), '\0'});
    }
    putchar('\n');
}

/* Prints the rows from `first` on that are alike in whether some files have nothing; returns the next one. */
static uint32_t print_rows(const Comparison *comparison, const Part *part, const Rows *rows, uint32_t first)
{
    uint32_t end = first;
    while (end < rows->count && rows->items[end].is_some == rows->items[first].is_some)
        end++;
    if (first < end && rows->items[first].is_some)
        puts(" nothing, or zero, in some:");
    for (uint32_t i = first; i < end && i - first < comparison->top; i++)
        print_row(comparison, &rows->items[i], part->is_config);
    if (end - first > comparison->top)
        printf("  ... and %" PRIu64 " more; --all shows them\n", end - first - comparison->top);
    return end;
}

/* The files that have the part, as letters. */
static size_t name_owners(const Comparison *comparison, const Part *part, char letters[MOST_FILES + 1])
{
    size_t count = 0;
    for (size_t i = 0; i < comparison->count; i++)
        if (part->objects[i])
            letters[count++] = (char)('A' + i);
    letters[count] = '\0';
    return count;
}

static void print_part(const Comparison *comparison, const Part *part)
{
    char owners[MOST_FILES + 1];
    if (part->is_told)
        return;
    if (name_owners(comparison, part, owners) < 2) {
        printf("\n%s: only in %s\n", part->title, owners);
        return;
    }
    Rows rows = find_rows(comparison, part);
    if (rows.count)
        print_head(comparison, part);
    for (uint32_t next = 0; next < rows.count;)
        next = print_rows(comparison, part, &rows, next);
    VEC_FREE(&rows);
}

static double microseconds(const Report *report)
{
    const double clock = report_clock(report);
    return clock > 0 ? 1e3 * report_kernel_cycles(report->report) / clock : 0;
}

/* "wireframe/sor cdp, tiny on gtx480: " */
static void print_what(const Report *report)
{
    const char *gpu = json_string_value(json_object_get(report->report, "gpu"));
    const char *title = json_string_value(json_object_get(json_object_get(report->report, "run"), "title"));
    printf("%s%s%s: ", title ? title : "", title ? " on " : "", gpu ? gpu : "?");
}

/* The first sentence of what the report says. */
static void print_limit(const Report *report)
{
    const json_t *limit = json_object_get(report->report, "limited_by");
    const char *text = json_string_value(json_object_get(limit, "text"));
    const char *end = text ? strstr(text, ". ") : NULL;
    if (!text)
        return;
    char sentence[1024];
    snprintf(sentence, sizeof sentence, "limited by %.*s", end ? (int)(end - text) : (int)strlen(text), text);
    report_wrapped(sentence, 3, stdout);
}

/* How long, and how that compares with the first file. */
static void print_time(const Comparison *comparison, size_t which)
{
    const Report *first = &comparison->reports[0], *report = &comparison->reports[which];
    const json_t *time = json_object_get(report->report, "time");
    const double span = report_kernel_cycles(report->report);
    char cycles[32], reason[128];
    group_digits((long long)span, cycles, sizeof cycles);
    printf("   %.2f us (%s cycles) from first launch to last end", microseconds(report), cycles);
    if (json_number_value(json_object_get(time, "all_cycles")) > span)
        printf(", %.2f us in all", json_number_value(json_object_get(time, "all_us")));
    putchar('\n');
    if (which == 0)
        return;
    if (report_why_no_speedup(first->report, report->report, reason, sizeof reason))
        printf("   no speedup over A: %s\n", reason);
    else
        printf("   %.3f times as fast as A\n", microseconds(first) / microseconds(report));
}

/* Times of a run that did not come to its end must not be taken for those of the whole. */
static void print_cut_off(const Report *report)
{
    size_t i;
    json_t *kernel;
    json_array_foreach(json_object_get(report->report, "kernels"), i, kernel)
    {
        const char *status = json_string_value(json_object_get(kernel, "status"));
        if (!json_is_true(json_object_get(kernel, "interrupted")))
            continue;
        printf("   cut off before its end: kernel %s, %s\n", report_kernel_name(kernel),
               status ? status : "interrupted");
        return;
    }
}

static void print_files(const Comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++) {
        char shown[PRINTABLE_NAME_SIZE];
        const Report *report = &comparison->reports[i];
        printf("%c  ", (int)('A' + i));
        print_what(report);
        printf("%s\n", printable_name(report->path, shown));
        print_time(comparison, i);
        print_cut_off(report);
        print_limit(report);
    }
}

static void print_csv(const Comparison *comparison, const Part *part)
{
    Rows rows = find_rows(comparison, part);
    for (uint32_t i = 0; i < rows.count; i++) {
        char text[KNOB_STRING_SIZE];
        printf("\"%s\",%s", part->title, rows.items[i].name);
        for (size_t f = 0; f < comparison->count; f++) {
            const json_t *value = rows.items[i].values[f];
            const char *quote = json_is_string(value) ? "\"" : "";
            printf(",%s%s%s", quote, value_text(value, false, text, sizeof text), quote);
        }
        putchar('\n');
    }
    VEC_FREE(&rows);
}

static size_t count_differences(const Comparison *comparison, const Parts *parts)
{
    size_t count = 0;
    for (uint32_t i = 0; i < parts->count; i++) {
        Rows rows = find_rows(comparison, &parts->items[i]);
        count += rows.count;
        VEC_FREE(&rows);
    }
    return count;
}

static int compare_all(const Comparison *comparison)
{
    Parts parts = parts_make(comparison->reports, comparison->count, comparison->each);
    if (comparison->csv) {
        fputs("part,name", stdout);
        for (size_t i = 0; i < comparison->count; i++) {
            char shown[PRINTABLE_NAME_SIZE];
            printf(",\"%s\"", printable_name(comparison->reports[i].path, shown));
        }
        putchar('\n');
    } else {
        print_files(comparison);
    }
    for (uint32_t i = 0; i < parts.count; i++)
        (comparison->csv ? print_csv : print_part)(comparison, &parts.items[i]);
    if (!comparison->csv && !count_differences(comparison, &parts))
        puts("\nNothing differs.");
    parts_free(&parts, comparison->count);
    return EXIT_DONE;
}

/* -- the command -- */

static int read_options(int *argument_count, char **arguments, Comparison *comparison)
{
    const char *top = take_option(argument_count, arguments, "--top");
    comparison->csv = take_flag(argument_count, arguments, "--csv");
    comparison->each = take_flag(argument_count, arguments, "--each");
    comparison->top = USUAL_TOP;
    if (top && !knob_parse_count(top, &comparison->top))
        return misuse("--top needs a number, not '%s'.", top);
    if (take_flag(argument_count, arguments, "--all"))
        comparison->top = UINT64_MAX;
    const int result = check_left_over(*argument_count, arguments, *argument_count);
    if (result == EXIT_DONE && *argument_count > MOST_FILES + 1)
        return misuse("compare takes at most %d files; '%s' is one more.", MOST_FILES,
                      arguments[MOST_FILES + 1]);
    if (result == EXIT_DONE && *argument_count < 3)
        return misuse("compare needs two files that --stats wrote, or more.");
    return result;
}

int command_compare(int argument_count, char **arguments)
{
    Comparison comparison = {0};
    int result = read_options(&argument_count, arguments, &comparison);
    for (int i = 1; i < argument_count && result == EXIT_DONE; i++) {
        if (report_load(arguments[i], &comparison.reports[comparison.count]))
            comparison.count++;
        else
            result = EXIT_FAILED;
    }
    if (result == EXIT_DONE)
        result = compare_all(&comparison);
    for (size_t i = 0; i < comparison.count; i++)
        json_decref(comparison.reports[i].report);
    return result;
}
