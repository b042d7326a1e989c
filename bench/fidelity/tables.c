/* A table for each set, in its part of the Markdown file. */
#include "tables.h"

#include <stdlib.h>
#include <string.h>

#include "common/markdown.h"
#include "print.h"

static void write_row(const Row *row, FILE *out)
{
    fprintf(out, "| %s | %s | %s | ", row->name, row->unit, figure_text(row->expected).text);
    if (row->outcome.right)
        fprintf(out, "%s | %+.1f%% |", figure_text(row->outcome.value).text, row_error(row));
    else
        fprintf(out, "failed | |");
    if (row->set->counts_instructions)
        fprintf(out, " %s |", row->outcome.right ? instructions_text(row).text : "");
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
    fprintf(out, "\n| | unit | %s | ours | error |%s\n", set->theirs,
            set->counts_instructions ? " warp instructions, ours / theirs |" : "");
    fprintf(out, "|---|---|---:|---:|---:|%s\n", set->counts_instructions ? "---:|" : "");
    for (uint32_t i = 0; i < run->rows.count; i++)
        if (run->rows.items[i].set == set)
            write_row(&run->rows.items[i], out);
    fprintf(out, "\n");
}

/* What is said beside the table about single rows. */
static void write_notes(const Run *run, const Set *set, FILE *out)
{
    const char *last = NULL;
    for (uint32_t i = 0; i < run->rows.count; i++) {
        const Row *row = &run->rows.items[i];
        if (row->set != set || !row->note)
            continue;
        bool again = last && !strcmp(last, row->note);
        fprintf(out, again ? ", %s" : "%s- %s", again ? row->name : last ? "\n" : "", row->name);
        last = row->note;
        bool more = i + 1 < run->rows.count && row[1].note && !strcmp(row[1].note, last);
        if (!more)
            fprintf(out, ": %s", row->note);
    }
    if (last)
        fprintf(out, "\n\n");
}

static const char opening[] =
    "# Fidelity\n\nHow close simulated time is to what was measured. `build/bench/fidelity --write` makes "
    "all tables anew and keeps the text\noutside of them; `build/bench/fidelity --help` tells how to run "
    "one part, one row or changed knobs. Where the measured\nnumbers come from stands at the head of each "
    "`.csv` file in `workloads/`. An error is ours over theirs less one;\neach row runs on a GPU of its "
    "own, with empty caches.\n";

bool tables_write(const Run *run)
{
    for (SetNumber set = 0; set < SET_COUNT; set++) {
        if (!run->options.sets[set])
            continue;
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        write_table(run, sets[set], out);
        write_notes(run, sets[set], out);
        fclose(out);
        Error error = {0};
        markdown_replace(run->options.write, sets[set]->name, opening, sets[set]->heading, text, &error);
        free(text);
        if (error.status != WB_OK) {
            fprintf(stderr, "%s\n", error.text);
            return false;
        }
    }
    return true;
}
