/* The page's script finds its data as JSON in a gap of the template (web/src/types.ts: Fidelity). */
#include "page.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/output_file.h"
#include "figures.h"

static const char TEMPLATE[] = SOURCE_DIRECTORY "/web/dist/report.html", GAP[] = "/*DATA*/";

/* -- data -- */

static json_t *text_or_null(const char *text) { return text ? json_string(text) : json_null(); }
static json_t *number_or_null(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *counters_json(void)
{
    json_t *made = json_array();
    for (CounterNumber i = 0; i < COUNTER_COUNT; i++)
        json_array_append_new(made, json_pack("{s:s, s:s, s:b, s:f, s:s, s:s, s:s}", "name", counters[i].name,
                                              "unit", counters[i].unit, "is_difference",
                                              counters[i].scale.is_difference, "least",
                                              counters[i].scale.least, "theirs", counters[i].theirs, "ours",
                                              counters[i].ours, "differs", counters[i].differs));
    return made;
}

static json_t *row_json(const Row *row)
{
    json_t *theirs = json_array(), *ours = json_array();
    for (CounterNumber i = 0; i < COUNTER_COUNT; i++) {
        json_array_append_new(theirs, number_or_null(row->counters[i]));
        json_array_append_new(ours, number_or_null(row->outcome.counters[i]));
    }
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "set", row->set->name, "name", row->name, "class",
                     text_or_null(row->class), "half", text_or_null(row->half ? half_names[row->half] : NULL),
                     "theirs", theirs, "ours", ours);
}

static json_t *data_json(const Run *run)
{
    json_t *rows = json_array(), *knobs = json_array();
    for (uint32_t i = 0; i < run->rows.count; i++)
        if (run->rows.items[i].set->has_counters && run->rows.items[i].outcome.right)
            json_array_append_new(rows, row_json(&run->rows.items[i]));
    for (int i = 0; i < run->options.knob_count; i++)
        json_array_append_new(knobs, json_string(run->options.knobs[i]));
    return json_pack("{s:[], s:[], s:{s:s, s:o, s:o, s:o}}", "runs", "papers", "fidelity", "gpu",
                     run->options.gpu, "knobs", knobs, "counters", counters_json(), "rows", rows);
}

/* -- the page -- */

/* Inside of a script element no "<" may stand; in JSON it is always part of a text. */
static void write_data(const char *text, FILE *to)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("\\u003c", to);
        else
            putc(*text, to);
    }
}

static void fill_template(const char *data, const char *path, Error *error)
{
    size_t length;
    char *page = file_read("page", TEMPLATE, &length, error);
    char *gap = page ? memmem(page, length, GAP, strlen(GAP)) : NULL;
    if (page && !gap)
        error_set(error, WB_ERROR_ARGUMENT, "%s is no page to be filled.", TEMPLATE);
    OutputFile *file = gap ? output_file_begin("page", path, error) : NULL;
    if (file) {
        const char *rest = gap + strlen(GAP);
        FILE *to = output_file_stream(file);
        fwrite(page, 1, (size_t)(gap - page), to);
        write_data(data, to);
        fwrite(rest, 1, length - (size_t)(rest - page), to);
        output_file_end(file, error);
    }
    xfree(page);
}

bool page_write(const Run *run, const char *path)
{
    Error error = {0};
    json_t *data = data_json(run);
    char *text = json_dumps(data, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(data);
    fill_template(text, path, &error);
    free(text);
    if (error.status != WB_OK)
        fprintf(stderr, "%s\n", error.text);
    return error.status == WB_OK;
}
