/* A table for each set, in its part of the Markdown file. */
#include "tables.h"

#include <stdlib.h>
#include <string.h>

#include "common/markdown.h"
#include "print.h"
#include "summary.h"

/* A text that is written as a file is. */
typedef struct Text {
    FILE *out;
    char *text;
    size_t size;
} Text;

static FILE *text_open(Text *text) { return text->out = open_memstream(&text->text, &text->size); }

static void write_row(const Row *row, FILE *out)
{
    fprintf(out, "| %s | %s | %s | ", row->name, row->unit, figure_text(row->expected).text);
    if (row->outcome.right)
        fprintf(out, "%s | %s |", figure_text(row->outcome.value).text, row_error_text(row).text);
    else
        fprintf(out, "failed | |");
    if (row->set->counts_instructions)
        fprintf(out, " %s |", row->outcome.right ? instructions_text(row).text : "");
    if (row->set->cells)
        row->set->write_cells(row, out);
    fprintf(out, "\n");
}

static void write_table(const Run *run, const Set *set, FILE *out)
{
    fprintf(out, "\nMade by `bench/fidelity %s", set->name);
    if (strstr(set->data, "{gpu}"))
        fprintf(out, " --gpu %s", run->options.gpu);
    for (int i = 0; i < run->options.knob_count; i++)
        fprintf(out, " --knob %s", run->options.knobs[i]);
    fprintf(out, " --write`.\n");
    print_summary(run, set, out);
    fprintf(out, "\n| | unit | %s | ours | error |%s%s\n", set->theirs,
            set->counts_instructions ? " warp instructions, ours / theirs |" : "",
            set->cells ? set->cells : "");
    fprintf(out, "|---|---|---:|---:|---:|%s", set->counts_instructions ? "---:|" : "");
    for (const char *cell = set->cells; cell && (cell = strchr(cell, '|')); cell++)
        fputs("---|", out);
    fputs("\n", out);
    for (uint32_t i = 0; i < run->rows.count; i++)
        if (run->rows.items[i].set == set && run->rows.items[i].half != HALF_UNSEEN)
            write_row(&run->rows.items[i], out);
    summary_write(run, set, false, out);
    fprintf(out, "\n");
}

/* Whether two rows of a table have the same thing said about them. */
static bool share_note(const Row *row, const Row *other)
{
    return row->set == other->set && row->note && other->note && !strcmp(row->note, other->note);
}

/* What is said beside the table about single rows. */
static void write_notes(const Run *run, const Set *set, FILE *out)
{
    bool any = false;
    for (uint32_t i = 0; i < run->rows.count; i++) {
        const Row *row = &run->rows.items[i];
        if (row->set != set || !row->note)
            continue;
        const bool again = i > 0 && share_note(row, row - 1);
        fprintf(out, again ? ", %s" : "%s- %s", again ? row->name : any ? "\n" : "", row->name);
        any = true;
        if (i + 1 == run->rows.count || !share_note(row, row + 1))
            fprintf(out, ": %s", row->note);
    }
    if (any)
        fprintf(out, "\n\n");
}

static const char opening[] =
    "# Fidelity\n\nHow close simulated time is to what was measured. `build/bench/fidelity --write` makes "
    "all tables anew and keeps the text\noutside of them; `build/bench/fidelity --help` tells how to run "
    "one part, one row or changed knobs. Where the measured\nnumbers come from stands at the head of each "
    "`.csv` file in `workloads/`. An error is ours over theirs less one;\neach row runs on a GPU of its "
    "own, with empty caches.\n";

/* Texts of a table cell: a | of an expression must not end it. */
static void write_cell(const char *text, bool is_code, FILE *out)
{
    fputs(is_code ? " `" : " ", out);
    for (; *text; text++)
        fprintf(out, *text == '|' ? "\\%c" : "%c", *text);
    fputs(is_code ? "` |" : " |", out);
}

/* What each counter is on both sides. */
static void write_counters(FILE *out)
{
    fprintf(out, "\n| counter | unit | silicon | ours | what differs |\n|---|---|---|---|---|\n");
    for (CounterNumber i = 0; i < COUNTER_COUNT; i++) {
        fputs("|", out);
        write_cell(counters[i].name, false, out);
        write_cell(counters[i].unit, false, out);
        write_cell(counters[i].theirs, true, out);
        write_cell(counters[i].ours, true, out);
        write_cell(counters[i].differs, false, out);
        fputs("\n", out);
    }
    fputs("\n", out);
}

/* Puts what is written by then into its part of the file; the stream is closed. */
static bool replace_part(const Run *run, const char *name, const char *heading, Text *text)
{
    fclose(text->out);
    Error error = {0};
    markdown_replace(run->options.write, name, opening, heading, text->text, &error);
    free(text->text);
    if (error.status != WB_OK)
        fprintf(stderr, "%s\n", error.text);
    return error.status == WB_OK;
}

bool tables_write(const Run *run)
{
    Text text;
    write_counters(text_open(&text));
    if (!replace_part(run, "counters", "## What is compared", &text))
        return false;
    for (SetNumber set = 0; set < SET_COUNT; set++) {
        if (!run->options.sets[set])
            continue;
        FILE *out = text_open(&text);
        write_table(run, sets[set], out);
        write_notes(run, sets[set], out);
        if (!replace_part(run, sets[set]->name, sets[set]->heading, &text))
            return false;
    }
    return true;
}
