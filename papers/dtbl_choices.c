/* How far claims hang on few benchmarks and on what the paper leaves open: each is judged again without the
 * three benchmarks whose speedup by groups is farthest from 1, with records of groups that are read in lines,
 * with groups that take as long as a call where they find no kernel, with kernels that go to the distributor
 * at once or at every edge of a clock nearer to it, and on the real chip. */
#include "papers/dtbl.h"

#include <math.h>
#include <string.h>

enum { OUTLIERS = 3 };

/* Another run in place of DTBL's or of CDP's, or the chip's runs in place of the first five. */
typedef struct Choice {
    DtblMode groups, kernels;
    bool is_chip;
} Choice;

static const Choice as_read = {DTBL_DTBL, DTBL_CDP, false};
static const Choice others[] = {{DTBL_LINES, DTBL_CDP, false},
                                {DTBL_FALLBACK, DTBL_CDP, false},
                                {DTBL_DTBL, DTBL_CDP_AT_ONCE, false},
                                {DTBL_DTBL, DTBL_CDP_EDGES, false},
                                {DTBL_CHIP_DTBL, DTBL_CHIP_CDP, true}};

/* How many of them there are runs of: the chip's are the last. */
static size_t other_count(const Results *results)
{
    return sizeof others / sizeof *others - (dtbl_has_chip(results) ? 0 : 1);
}

/* How far a benchmark's speedup is from 1, up or down. */
static double distance(const Results *results, size_t benchmark)
{
    const double speedup =
        quantity_value(results, (Quantity){METRIC_CYCLES, DTBL_FLAT, OVER, DTBL_DTBL}, benchmark);
    return isnan(speedup) ? -1 : fabs(log(speedup));
}

/* Marks the farthest that is not marked yet, if there is one. */
static void take_farthest(const Results *results, bool *taken)
{
    const size_t none = results->benchmark_count;
    size_t found = none;
    for (size_t i = 0; i < none; i++)
        if (!taken[i] && distance(results, i) >= 0 &&
            (found == none || distance(results, i) > distance(results, found)))
            found = i;
    if (found < none)
        taken[found] = true;
}

/* Results by a choice; `runs` is where they go. */
static Results chosen(const Results *results, Choice choice, const Run **runs)
{
    Results made = *results;
    made.runs = runs;
    for (size_t i = 0; i < results->benchmark_count; i++) {
        const Run **to = &runs[i * DTBL_MODES], **from = &results->runs[i * DTBL_MODES];
        memcpy(to, from, DTBL_MODES * sizeof *to);
        if (choice.is_chip)
            memcpy(to, &from[DTBL_CHIP], (DTBL_MODES - DTBL_CHIP) * sizeof *to);
        to[DTBL_DTBL] = from[choice.groups];
        to[DTBL_CDP] = from[choice.kernels];
    }
    return made;
}

/* Leaves out what is taken. Names are no longer right afterwards: only means can be asked for. */
static void leave_out(Results *results, const bool *taken)
{
    size_t left = 0;
    for (size_t i = 0; i < results->benchmark_count; i++)
        if (!taken[i])
            memmove(&results->runs[left++ * DTBL_MODES], &results->runs[i * DTBL_MODES],
                    DTBL_MODES * sizeof *results->runs);
    results->benchmark_count = left;
}

/* Whether the claim is about an average. */
static bool is_mean(const Claim *claim)
{
    static const char *const single[] = {"D19", "D20", "D21", "D22"};
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        if (strcmp(claim->id, single[i]) == 0)
            return false;
    return true;
}

/* Whether tables of groups of other sizes are compared, which were run as read only. */
static bool hangs_on_table(const Claim *claim)
{
    return strcmp(claim->id, "D12") == 0 || strcmp(claim->id, "D13") == 0;
}

static bool is_input(const Claim *claim) { return strncmp(claim->quantity, "INPUT", 5) == 0; }

static void add_verdict(Sheet *sheet, const Results *results, const Claim *claim)
{
    char text[CLAIM_TEXT + 32];
    const Judgement judgement = dtbl_judge(results, claim);
    snprintf(text, sizeof text, "%s %s", judgement.measured, verdict_names[judgement.verdict]);
    sheet_text(sheet, text);
}

/* Of the claims about single benchmarks, those without outliers are left empty. */
static void add_row(Sheet *sheet, const Results *results, const bool *taken, const Claim *claim)
{
    const Run *runs[DTBL_BENCHMARKS * DTBL_MODES];
    sheet_text(sheet, claim->id);
    sheet_text(sheet, claim->published);
    Results made = chosen(results, as_read, runs);
    add_verdict(sheet, &made, claim);
    leave_out(&made, taken);
    if (is_mean(claim))
        add_verdict(sheet, &made, claim);
    else
        sheet_text(sheet, "");
    for (size_t i = 0; i < other_count(results); i++) {
        made = chosen(results, others[i], runs);
        if (hangs_on_table(claim))
            sheet_text(sheet, "");
        else
            add_verdict(sheet, &made, claim);
    }
}

static void add_names(Sheet *sheet, const Results *results, const bool *taken)
{
    for (size_t i = 0; i < results->benchmark_count; i++)
        if (taken[i]) {
            sheet_text(sheet, "left out");
            sheet_text(sheet, results->benchmark(i));
            for (uint32_t k = 2; k < sheet->column_count; k++)
                sheet_text(sheet, "");
        }
}

Sheet dtbl_choices(const Results *results)
{
    static const char *const columns[] = {
        "id", "published", "as above", "without outliers", "lines", "fallback", "kernels at once",
        "kernels by edges", "k20c"};
    Sheet sheet = {.name = "choices",
                   .title = "Claims judged again: without the three benchmarks whose speedup by DTBL is "
                            "farthest from 1, by what the paper leaves open, and on the real chip if run"};
    const size_t column_count = sizeof columns / sizeof *columns - (dtbl_has_chip(results) ? 0 : 1);
    for (size_t i = 0; i < column_count; i++)
        sheet_column(&sheet, columns[i]);
    char path[4096];
    Claims claims;
    Error error = {0};
    bool taken[DTBL_BENCHMARKS] = {false};
    for (int i = 0; i < OUTLIERS; i++)
        take_farthest(results, taken);
    if (claims_read(paper_data("papers/claims.csv", path, sizeof path), "dtbl", &claims, &error))
        for (uint32_t i = 0; i < claims.rows.count; i++)
            if (!is_input(&claims.rows.items[i]))
                add_row(&sheet, results, taken, &claims.rows.items[i]);
    claims_free(&claims);
    add_names(&sheet, results, taken);
    return sheet;
}
