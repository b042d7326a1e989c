/* Tables are elements, charts are SVG inside of the page. */
#include "papers/html.h"

#include <stdlib.h>
#include <string.h>

#include "base/output_file.h"
#include "papers/plot.h"

static const char STYLE[] = "body{font:15px/1.5 sans-serif;max-width:960px;margin:2em auto;padding:0 1em}"
                            "table{border-collapse:collapse;font-size:13px;margin:.5em 0 1em}"
                            "th,td{border-bottom:1px solid #ddd;padding:2px 10px 2px 0;text-align:left}"
                            "td.n{text-align:right;font-variant-numeric:tabular-nums}"
                            "svg{max-width:100%;height:auto}code{background:#f3f3f3;padding:1px 4px}";

static void put_in(const char *element, const char *text, FILE *out)
{
    fprintf(out, "<%s>", element);
    plot_write_text(text, out);
    fprintf(out, "</%.*s>", (int)strcspn(element, " "), element);
}

static void put_table(const Sheet *sheet, FILE *out)
{
    fputs("<table><tr>", out);
    for (uint32_t column = 0; column < sheet->column_count; column++)
        put_in("th", sheet->columns[column], out);
    for (uint32_t i = 0; i < sheet->cells.count; i++) {
        const char *cell = sheet->cells.items[i] ? sheet->cells.items[i] : "-";
        if (i % sheet->column_count == 0)
            fputs("</tr>\n<tr>", out);
        put_in(sheet->units[i % sheet->column_count] ? "td class=\"n\"" : "td", cell, out);
    }
    fputs("</tr></table>\n", out);
}

static void put_sheet(const Sheet *sheet, FILE *out)
{
    fprintf(out, "<section id=\"%s\">", sheet->name);
    put_in("h2", sheet->title, out);
    fputc('\n', out);
    if (sheet->plotted)
        plot_write(sheet, out);
    put_table(sheet, out);
    fputs("</section>\n", out);
}

static void put_command(const PaperResults *results, FILE *out)
{
    const PaperOptions *options = results->experiment->options;
    fprintf(out, "<p>Made by <code>warpbeam paper %s --size %s", results->paper->name,
            paper_sizes[options->size]);
    for (size_t i = 0; i < options->setting_count; i++) {
        fputs(" --set ", out);
        plot_write_text(options->settings[i], out);
    }
    fputs("</code>. Settings of all runs:", out);
    for (const char *const *setting = results->experiment->settings; *setting; setting++) {
        fputc(' ', out);
        put_in("code", *setting, out);
    }
    fputs(".</p>\n", out);
}

/* Whose cells are dashes. */
static void put_failures(const PaperResults *results, FILE *out)
{
    char *text = NULL;
    size_t size;
    FILE *lines = open_memstream(&text, &size);
    experiment_write_failures(results->experiment, lines);
    fclose(lines);
    if (size)
        put_in("pre", text, out);
    free(text);
}

static void put_page(const PaperResults *results, const Sheet *claims, const char *warning, FILE *out)
{
    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", out);
    plot_write_text(results->paper->title, out);
    fprintf(out, "</title><style>%s</style></head><body>\n", STYLE);
    put_in("h1", results->paper->title, out);
    fputs("\n<p>", out);
    plot_write_text(warning, out);
    plot_write_text(results->paper->remark, out);
    fputs("</p>\n", out);
    put_command(results, out);
    for (size_t i = 0; i < results->figure_count; i++)
        put_sheet(&results->figures[i], out);
    if (results->claims->rows.count)
        put_sheet(claims, out);
    put_failures(results, out);
    fputs("</body></html>\n", out);
}

void html_write(const PaperResults *results, const Sheet *claims, const char *warning, Error *error)
{
    OutputFile *file = output_file_begin("page", results->experiment->options->html, error);
    if (!file)
        return;
    put_page(results, claims, warning, output_file_stream(file));
    output_file_end(file, error);
}
