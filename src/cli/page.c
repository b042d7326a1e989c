/* The page is a template with a gap; what runs and papers have to say is put into it as JSON. */
#include "cli/page.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/output_file.h"
#include "base/vec.h"
#include "cli/comparable.h"
#include "cli/page_run.h"
#include "config/config.h"
#include "papers/paper.h"
#include "report/report.h"

enum { PATH_BYTES = 4096 };

static const char PLACEHOLDER[] = "/*DATA*/";

/* The last part of the path without its ending. */
static json_t *name_of(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    size_t from = length;
    while (from > 0 && path[from - 1] != '/')
        from--;
    if (length - from > 5 && strncmp(path + length - 5, ".json", 5) == 0)
        length -= 5;
    return json_stringn(path + from, length - from);
}

/* As the user wants it, else what the report says that it is of. */
static json_t *label_of(const PageInput *input, const json_t *report)
{
    const json_t *title = json_object_get(json_object_get(report, "run"), "title");
    if (input->label)
        return json_string(input->label);
    return title ? json_copy((json_t *)title) : name_of(input->path);
}

/* -- folders of papers -- */

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), wanted = strlen(end);
    return length > wanted && strcmp(text + length - wanted, end) == 0;
}

static int compare_names(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

/* {"name": without ending, "text": of the table} */
static bool add_table(json_t *tables, const char *folder, const char *name, Error *error)
{
    char path[PATH_BYTES];
    size_t length;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *text = file_read("table", path, &length, error);
    if (!text)
        return false;
    json_t *content = json_stringn(text, length);
    xfree(text);
    if (!content) {
        error_set(error, WB_ERROR_ARGUMENT, "%s is no text in UTF-8.", path);
        return false;
    }
    json_array_append_new(
        tables, json_pack("{s:s%, s:o}", "name", name, strlen(name) - strlen(".csv"), "text", content));
    return true;
}

static bool add_tables(json_t *tables, const char *folder, Error *error)
{
    VEC(char *) names = {0};
    DIR *directory = opendir(folder);
    if (!directory) {
        error_set(error, WB_ERROR_ARGUMENT, "The folder %s cannot be read: %s.", folder, strerror(errno));
        return false;
    }
    for (const struct dirent *entry; (entry = readdir(directory));)
        if (ends_with(entry->d_name, ".csv"))
            VEC_PUSH(&names, strdup(entry->d_name));
    closedir(directory);
    if (names.count)
        qsort(names.items, names.count, sizeof *names.items, compare_names);
    bool has_claims = false;
    for (uint32_t i = 0; i < names.count; i++) {
        has_claims = has_claims || strcmp(names.items[i], "claims.csv") == 0;
        if (error->status == WB_OK)
            add_table(tables, folder, names.items[i], error);
        free(names.items[i]);
    }
    VEC_FREE(&names);
    if (!has_claims)
        error_set(error, WB_ERROR_ARGUMENT,
                  "The folder %s has no claims.csv: `warpbeam paper NAME --out FOLDER` makes one that has.",
                  folder);
    return error->status == WB_OK;
}

/* What the tables are of (papers/output.c); null, if the folder does not say, or an error stands. */
static json_t *read_about(const char *folder, Error *error)
{
    char path[PATH_BYTES];
    json_error_t broken;
    snprintf(path, sizeof path, "%s/paper.json", folder);
    if (access(path, F_OK))
        return json_null();
    json_t *about = json_load_file(path, 0, &broken);
    if (about && json_string_value(json_object_get(about, "title")) && json_object_get(about, "figures"))
        return about;
    error_set(error, WB_ERROR_ARGUMENT, "%s is none that `warpbeam paper` has written: %s.", path,
              about ? "it has no title or no figures" : broken.text);
    json_decref(about);
    return json_null();
}

/* The claims' words come with the simulator; the folder has only their numbers. */
static json_t *read_paper(const PageInput *input, Error *error)
{
    char path[PATH_BYTES];
    json_t *tables = json_array(), *about = read_about(input->path, error);
    json_t *title = input->label ? NULL : json_object_get(about, "title");
    size_t length;
    char *claims = file_read("table", paper_data("papers/claims.csv", path, sizeof path), &length, error);
    json_t *made = NULL;
    if (claims && add_tables(tables, input->path, error))
        made = json_pack("{s:o, s:O, s:s%, s:O}", "label", title ? json_incref(title) : label_of(input, NULL),
                         "about", about, "claims", claims, length, "tables", tables);
    json_decref(tables);
    json_decref(about);
    xfree(claims);
    return made;
}

/* -- all of it -- */

static json_t *read_run(const PageInput *input, Error *error)
{
    json_t *report = page_run_read(input->path, error);
    return report ? json_pack("{s:o, s:s, s:[], s:o}", "label", label_of(input, report), "file", input->path,
                              "notes", "report", report)
                  : NULL;
}

/* What a page has of a file is never more than the file: then nobody needs to count. */
static bool files_fit(const json_t *runs, size_t bytes)
{
    size_t i, all = 0;
    const json_t *run;
    json_array_foreach(runs, i, run)
    {
        struct stat about;
        if (stat(json_string_value(json_object_get(run, "file")), &about) || !S_ISREG(about.st_mode))
            return false;
        all += (size_t)about.st_size;
    }
    return all <= bytes;
}

/* Each run keeps the same part of what it takes. */
static void fit(json_t *runs, size_t bytes)
{
    if (files_fit(runs, bytes))
        return;
    size_t i, all = 0, *sizes = xcalloc(json_array_size(runs) + 1, sizeof *sizes);
    json_t *run;
    json_array_foreach(runs, i, run) { all += sizes[i] = json_dumpb(run, NULL, 0, JSON_COMPACT); }
    json_array_foreach(runs, i, run)
    {
        /* Nothing is thinned where all of it fits. */
        if (all > bytes)
            page_run_shrink(json_object_get(run, "report"),
                            (size_t)((double)sizes[i] * (double)bytes / (double)all),
                            json_object_get(run, "notes"));
    }
    xfree(sizes);
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static bool shares_label(const json_t *runs, size_t which)
{
    const json_t *label = json_object_get(json_array_get(runs, which), "label");
    for (size_t i = 0; i < json_array_size(runs); i++)
        if (i != which && json_equal(label, json_object_get(json_array_get(runs, i), "label")))
            return true;
    return false;
}

/* Of runs with one label each gets what `make` makes of it. */
static void rename_shared(json_t *runs, json_t *(*make)(const json_t *run))
{
    json_t *labels = json_array();
    size_t i;
    json_t *run;
    json_array_foreach(runs, i, run)
    {
        json_array_append_new(labels,
                              shares_label(runs, i) ? make(run) : json_copy(json_object_get(run, "label")));
    }
    json_array_foreach(runs, i, run) { json_object_set(run, "label", json_array_get(labels, i)); }
    json_decref(labels);
}

static json_t *with_gpu(const json_t *run)
{
    return json_sprintf("%s on %s", json_string_value(json_object_get(run, "label")),
                        json_string_value(json_object_get(json_object_get(run, "report"), "gpu")));
}

static json_t *short_file(const json_t *run)
{
    return name_of(json_string_value(json_object_get(run, "file")));
}

static json_t *whole_file(const json_t *run) { return json_copy(json_object_get(run, "file")); }

/* Runs of the same on different GPUs say which; what is still called the same, is called after its file. */
static void tell_apart(json_t *runs)
{
    /* Each step renames only those that are still called the same. */
    rename_shared(runs, with_gpu);
    rename_shared(runs, short_file);
    rename_shared(runs, whole_file);
}

/* Says of runs that cannot be compared with the first why not. */
static void judge(json_t *runs)
{
    const json_t *first = json_object_get(json_array_get(runs, 0), "report");
    size_t i;
    json_t *run;
    json_array_foreach(runs, i, run)
    {
        char text[128];
        if (i > 0 && report_why_no_speedup(first, json_object_get(run, "report"), text, sizeof text))
            json_object_set_new(run, "no_speedup", json_string(text));
    }
}

/* Names of the knobs that are no difference between machines. */
static json_t *recording_knobs(void)
{
    json_t *names = json_array();
    for (size_t i = 0; i < config_knobs.count; i++)
        if (report_is_recording_knob(config_knobs.rows[i].name))
            json_array_append_new(names, json_string(config_knobs.rows[i].name));
    return names;
}

static json_t *read_inputs(const PageInput *inputs, size_t count, size_t bytes, Error *error)
{
    json_t *runs = json_array(), *papers = json_array();
    for (size_t i = 0; i < count && error->status == WB_OK; i++) {
        if (is_folder(inputs[i].path))
            json_array_append_new(papers, read_paper(&inputs[i], error));
        else
            json_array_append_new(runs, read_run(&inputs[i], error));
    }
    if (error->status == WB_OK) {
        tell_apart(runs);
        judge(runs);
        fit(runs, bytes);
    }
    return json_pack("{s:o, s:o, s:o}", "runs", runs, "papers", papers, "recording", recording_knobs());
}

/* Inside of a script element no "<" may stand; in JSON it is always part of a text. */
static void write_data(const char *text, FILE *to)
{
    for (const char *at = text; at;) {
        const size_t length = strcspn(at, "<");
        fwrite(at, 1, length, to);
        at = at[length] ? at + length + 1 : NULL;
        fputs(at ? "\\u003c" : "", to);
    }
}

static void write_page(const char *data, const char *path, Error *error)
{
    char template_path[PATH_BYTES];
    size_t length;
    char *template = file_read(
        "page", paper_data("web/dist/report.html", template_path, sizeof template_path), &length, error);
    char *place = template ? memmem(template, length, PLACEHOLDER, strlen(PLACEHOLDER)) : NULL;
    if (template && !place)
        error_set(error, WB_ERROR_ARGUMENT, "%s is no page to be filled.", template_path);
    OutputFile *file = place ? output_file_begin("page", path, error) : NULL;
    if (file) {
        const char *rest = place + strlen(PLACEHOLDER);
        FILE *to = output_file_stream(file);
        fwrite(template, 1, (size_t)(place - template), to);
        write_data(data, to);
        fwrite(rest, 1, length - (size_t)(rest - template), to);
        output_file_end(file, error);
    }
    xfree(template);
}

static char *text_of(json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(value);
    return text;
}

bool page_write(const PageInput *inputs, size_t count, size_t bytes, const char *path, Error *error)
{
    char *data = text_of(read_inputs(inputs, count, bytes, error));
    if (error->status == WB_OK)
        write_page(data, path, error);
    free(data);
    return error->status == WB_OK;
}

bool page_write_studies(json_t *studies, const char *path, Error *error)
{
    char *data = text_of(json_pack("{s:[], s:[], s:o}", "runs", "papers", "studies", studies));
    write_page(data, path, error);
    free(data);
    return error->status == WB_OK;
}

bool page_write_own(const char *statistics, const char *path, Error *error)
{
    static const char nothing[] = "\"kernels\": []";
    size_t length, size;
    char *text = file_read("statistics", statistics, &length, error), *data = NULL;
    if (!text)
        return false;
    /* The usual case needs no parsing: statistics that we wrote ourselves go into the page as they are. */
    const bool is_shown = length <= PAGE_BYTES && !memmem(text, length, nothing, strlen(nothing));
    if (!is_shown) {
        xfree(text);
        return page_write(&(PageInput){.path = statistics}, 1, PAGE_BYTES, path, error);
    }
    char *recording = text_of(recording_knobs());
    FILE *all = open_memstream(&data, &size);
    fputs("{\"runs\":[{\"label\":\"\",\"file\":\"\",\"notes\":[],\"report\":", all);
    fwrite(text, 1, length, all);
    fprintf(all, "}],\"papers\":[],\"recording\":%s}", recording);
    fclose(all);
    write_page(data, path, error);
    free(data);
    free(recording);
    xfree(text);
    return error->status == WB_OK;
}
