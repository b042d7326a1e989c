/* The columns must be those that experiment_write_csv() would write now: numbers of other statistics would be
 * taken for these. */
#include "papers/reread.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static Run *find_run(Experiment *experiment, const char *benchmark, const char *mode)
{
    for (size_t i = 0; i < experiment->count; i++)
        if (strcmp(experiment->runs[i].benchmark, benchmark) == 0 &&
            strcmp(experiment->runs[i].mode, mode) == 0)
            return &experiment->runs[i];
    return NULL;
}

/* The first line as it must be. */
static char *header_of(const Experiment *experiment)
{
    char *text = NULL;
    size_t size = 0;
    Experiment none = *experiment;
    none.count = 0;
    FILE *out = open_memstream(&text, &size);
    experiment_write_csv(&none, out);
    fclose(out);
    text[strcspn(text, "\n")] = '\0';
    return text;
}

static void read_samples(const char *text, double samples[RUN_SAMPLES])
{
    char *end = NULL;
    memset(samples, 0, RUN_SAMPLES * sizeof *samples);
    for (size_t i = 0; i < RUN_SAMPLES && *text; i++, text = end) {
        samples[i] = strtod(text, &end);
        if (end == text)
            return;
    }
}

/* Names of benchmarks and modes have no commas, so no field is in quotes. */
static bool read_row(Experiment *experiment, char *line)
{
    char *rest = line;
    const char *benchmark = strsep(&rest, ","), *mode = strsep(&rest, ",");
    Run *run = mode ? find_run(experiment, benchmark, mode) : NULL;
    if (!run)
        return false;
    RunResult *result = &run->result;
    const char *field = strsep(&rest, ",");
    result->cycles = strtoull(field ? field : "", NULL, 10);
    field = strsep(&rest, ",");
    result->right = field && strcmp(field, "true") == 0;
    result->deadlocked = field && strcmp(field, "deadlock") == 0;
    for (size_t i = 0; experiment->statistics[i]; i++) {
        field = strsep(&rest, ",");
        result->statistics[i] = strtoull(field ? field : "", NULL, 10);
    }
    field = strsep(&rest, ",");
    result->nanoseconds = strtod(field ? field : "", NULL);
    field = experiment->sample ? strsep(&rest, ",") : rest;
    result->seconds = strtod(field ? field : "", NULL);
    if (experiment->sample && rest)
        read_samples(rest, result->samples);
    run->was_cut_off = false;
    return rest; /* the last field was there */
}

static bool read_rows(Experiment *experiment, FILE *file, Error *error)
{
    char *line = NULL, *header = header_of(experiment);
    size_t capacity = 0;
    for (int number = 1; error->status == WB_OK && getline(&line, &capacity, file) > 0; number++) {
        line[strcspn(line, "\r\n")] = '\0';
        if (number == 1 ? strcmp(line, header) != 0 : !read_row(experiment, line))
            error_set(error, WB_ERROR_ARGUMENT, "%s:%d: this is no %s of this paper.",
                      experiment->options->from, number, number == 1 ? "header of runs" : "run");
    }
    free(line);
    free(header);
    return error->status == WB_OK;
}

bool reread_runs(Experiment *experiment, Error *error)
{
    const char *path = experiment->options->from;
    for (size_t i = 0; i < experiment->count; i++)
        experiment->runs[i].was_cut_off = true;
    FILE *file = fopen(path, "r");
    if (!file) {
        error_set(error, WB_ERROR_ARGUMENT, "%s cannot be read: %s.", path, strerror(errno));
        return false;
    }
    const bool read = read_rows(experiment, file, error);
    fclose(file);
    return read;
}
