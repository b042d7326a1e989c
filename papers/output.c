#include "papers/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output_file.h"
#include "base/outputs.h"
#include "common/markdown.h"
#include "papers/html.h"
#include "papers/plot.h"
#include "report/json.h"

enum { PATH_BYTES = 4096 };

/* What a reader must know before all numbers. */
static const char *warning(const PaperOptions *options)
{
    return options->size == INPUT_TINY
               ? "Tiny inputs are for tests: of what the paper measured they tell nothing. "
               : "";
}

static bool make_folder(const char *path, Error *error)
{
    if (mkdir(path, 0777) && errno != EEXIST)
        error_set(error, WB_ERROR_ARGUMENT, "%s cannot be made: %s.", path, strerror(errno));
    else if (access(path, W_OK | X_OK))
        error_set(error, WB_ERROR_ARGUMENT, "%s cannot be written to: %s.", path, strerror(errno));
    return error->status == WB_OK;
}

bool output_begin(const PaperOptions *options, Error *error)
{
    char runs[PATH_BYTES];
    const OutputPath pages[] = {{.what = "--markdown", .path = options->markdown},
                                {.what = "--html", .path = options->html}};
    if (!outputs_check(pages, 2, error) || !options->out)
        return error->status == WB_OK;
    snprintf(runs, sizeof runs, "%s/runs", options->out);
    return make_folder(options->out, error) && make_folder(runs, error);
}

/* Null: an error stands. */
static OutputFile *open_file(const PaperOptions *options, const char *name, Error *error)
{
    char path[PATH_BYTES];
    snprintf(path, PATH_BYTES, "%s/%s", options->out, name);
    return output_file_begin("table", path, error);
}

static void write_sheet(const PaperOptions *options, const Sheet *sheet, Error *error)
{
    char name[64];
    snprintf(name, sizeof name, "%s.csv", sheet->name);
    OutputFile *file = open_file(options, name, error);
    if (!file)
        return;
    sheet_write_csv(sheet, output_file_stream(file));
    output_file_end(file, error);
}

static void write_plot(const Sheet *sheet, const char *path, Error *error)
{
    OutputFile *file = output_file_begin("chart", path, error);
    if (!file)
        return;
    plot_write(sheet, output_file_stream(file));
    output_file_end(file, error);
}

/* Which paper, and of each figure its title and the units of its columns. */
static void write_about(const PaperResults *results, FILE *file)
{
    JsonWriter json = json_begin(file);
    json_open(&json, NULL, '{');
    json_put_text(&json, "name", results->paper->name);
    json_put_text(&json, "title", results->paper->title);
    json_put_text(&json, "size", paper_sizes[results->experiment->options->size]);
    json_open(&json, "figures", '[');
    for (size_t i = 0; i < results->figure_count; i++) {
        const Sheet *sheet = &results->figures[i];
        json_open(&json, NULL, '{');
        json_put_text(&json, "name", sheet->name);
        json_put_text(&json, "title", sheet->title);
        json_open_line(&json, "units", '[');
        for (uint32_t c = 0; c < sheet->column_count; c++)
            json_put_text(&json, NULL, sheet->units[c] ? sheet->units[c] : "");
        json_close(&json);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
    fputc('\n', file);
}

static void write_files(const PaperResults *results, Error *error)
{
    const PaperOptions *options = results->experiment->options;
    for (size_t i = 0; i < results->figure_count; i++) {
        const Sheet *sheet = &results->figures[i];
        char path[PATH_BYTES];
        snprintf(path, sizeof path, "%s/%s.svg", options->out, sheet->name);
        write_sheet(options, sheet, error);
        if (sheet->plotted)
            write_plot(sheet, path, error);
    }
    OutputFile *file = open_file(options, "paper.json", error);
    if (file) {
        write_about(results, output_file_stream(file));
        output_file_end(file, error);
    }
    file = open_file(options, "claims.csv", error);
    if (file) {
        claims_write_csv(results->claims, results->judgements, output_file_stream(file));
        output_file_end(file, error);
    }
    file = open_file(options, "runs.csv", error);
    if (file) {
        experiment_write_csv(results->experiment, output_file_stream(file));
        output_file_end(file, error);
    }
}

/* Where the page's chart of a table lies, from the page's own folder. */
static const char *plot_name(const PaperResults *results, const Sheet *sheet, char name[PATH_BYTES])
{
    snprintf(name, PATH_BYTES, "images/%s-%s-%s.svg", results->paper->name,
             paper_sizes[results->experiment->options->size], sheet->name);
    return name;
}

/* Charts lie in the folder "images" beside the page. */
static void write_plots(const PaperResults *results, Error *error)
{
    const char *page = results->experiment->options->markdown, *slash = strrchr(page, '/');
    const int length = slash ? (int)(slash - page) + 1 : 0;
    char path[2 * PATH_BYTES], name[PATH_BYTES];
    bool has_folder = false;
    for (size_t i = 0; i < results->figure_count && error->status == WB_OK; i++) {
        const Sheet *sheet = &results->figures[i];
        if (!sheet->plotted)
            continue;
        snprintf(path, sizeof path, "%.*simages", length, page);
        has_folder = has_folder || make_folder(path, error);
        snprintf(path, sizeof path, "%.*s%s", length, page, plot_name(results, sheet, name));
        if (has_folder)
            write_plot(sheet, path, error);
    }
}

static void write_markdown(const PaperResults *results, const Sheet *claims, FILE *out)
{
    const PaperOptions *options = results->experiment->options;
    fprintf(out, "\nMade by `warpbeam paper %s --size %s", results->paper->name, paper_sizes[options->size]);
    for (size_t i = 0; i < options->only_count; i++)
        fprintf(out, "%s%s", i ? "," : " --only ", options->only[i]);
    if (options->seed)
        fprintf(out, " --seed %" PRIu64, options->seed);
    if (options->least)
        fprintf(out, " --least %" PRIu32, options->least);
    for (size_t i = 0; i < options->setting_count; i++)
        fprintf(out, " --set %s", options->settings[i]);
    fprintf(out, " --markdown papers/%s.md`%s. %s%s%s\n\n", results->paper->name,
            options->from ? ", of runs that were kept (`--from`)" : "", warning(options),
            options->only_count ? "Other benchmarks were not run, and averages are those of these. " : "",
            results->paper->remark);
    for (size_t i = 0; i < results->figure_count; i++) {
        const Sheet *sheet = &results->figures[i];
        char name[PATH_BYTES];
        sheet_write_markdown(sheet, out);
        if (sheet->plotted)
            fprintf(out, "![Bars of %s](%s)\n\n", sheet->name, plot_name(results, sheet, name));
    }
    if (results->claims->rows.count) {
        sheet_write_markdown(claims, out);
        claims_write_count(results->claims, results->judgements, out);
    }
    experiment_write_failures(results->experiment, out);
}

static void replace_markdown(const PaperResults *results, const Sheet *claims, Error *error)
{
    const PaperOptions *options = results->experiment->options;
    const char *size_name = paper_sizes[options->size];
    char *text = NULL, opening[256], heading[64], part[64];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    write_markdown(results, claims, out);
    fclose(out);
    snprintf(opening, sizeof opening, "# %s\n", results->paper->title);
    snprintf(heading, sizeof heading, "## Results with %s inputs", size_name);
    snprintf(part, sizeof part, "%s %s", results->paper->name, size_name);
    markdown_replace(options->markdown, part, opening, heading, text, error);
    free(text);
    if (error->status == WB_OK)
        write_plots(results, error);
}

void output_results(const PaperResults *results, Error *error)
{
    const PaperOptions *options = results->experiment->options;
    Sheet claims = claims_sheet(results->claims, results->judgements);
    if (options->out)
        write_files(results, error);
    if (options->markdown && !results->experiment->interrupted)
        replace_markdown(results, &claims, error);
    if (options->html && !results->experiment->interrupted)
        html_write(results, &claims, warning(options), error);
    fprintf(options->to, "\n%s%s\n\n", warning(options), results->paper->remark);
    for (size_t i = 0; i < results->figure_count; i++)
        sheet_write_text(&results->figures[i], options->to);
    if (results->claims->rows.count) {
        sheet_write_text(&claims, options->to);
        claims_write_count(results->claims, results->judgements, options->to);
    }
    experiment_write_failures(results->experiment, options->to);
    fflush(options->to);
    sheet_free(&claims);
}
