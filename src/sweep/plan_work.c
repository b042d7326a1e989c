/* A workload or a program of the study, and the wheels of its cross product: each of its axes, then GPUs,
 * variants and knobs. */
#include "sweep/planner.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/nearest.h"
#include "config/gpu_set.h"
#include "sweep/named.h"

static void add_wheel(Planner *planner, WheelKind kind, const char *name, const StudyTexts *values)
{
    Wheel wheel = {.kind = kind, .name = name};
    for (uint32_t i = 0; i < values->count; i++)
        VEC_PUSH(&wheel.values, values->items[i]);
    VEC_PUSH(&planner->wheels, wheel);
}

static void add_axes(Planner *planner, WheelKind kind, const StudyAxes *axes)
{
    for (uint32_t i = 0; i < axes->count; i++)
        add_wheel(planner, kind, axes->items[i].name.text, &axes->items[i].values);
}

/* -- workloads -- */

static bool find_mode(const Workload *workload, const char *name, Error *error)
{
    size_t mode;
    return named_mode(workload, name, &mode, error);
}

static bool find_size(const Workload *workload, const char *name, Error *error)
{
    InputSize size;
    return named_size(workload, name, &size, error);
}

/* Everything that the workload has, for "all". */
static StudyTexts all_modes(const Workload *workload, size_t line)
{
    StudyTexts all = {0};
    for (size_t i = 0; i < workload->mode_count; i++)
        VEC_PUSH(&all, ((StudyText){workload->modes[i].name, line}));
    return all;
}

static StudyTexts all_sizes(const Workload *workload, size_t line)
{
    StudyTexts all = {0};
    for (size_t i = 0; i < INPUT_SIZES; i++)
        if (workload->sizes[i])
            VEC_PUSH(&all, ((StudyText){input_size_names[i], line}));
    return all;
}

/* A wheel of the workload's own list, or of those in the study's that it has, or of what is usual. */
typedef struct Choice {
    WheelKind kind;
    const char *name, *usual;
    const StudyTexts *own, *shared;
    bool (*find)(const Workload *workload, const char *name, Error *error);
    StudyTexts (*all)(const Workload *workload, size_t line);
} Choice;

static bool add_choice(Planner *planner, const Choice *choice)
{
    const bool is_own = choice->own->count;
    const StudyTexts *from = is_own ? choice->own : choice->shared;
    StudyTexts chosen = {0};
    for (uint32_t i = 0; i < from->count; i++) {
        const StudyText *text = &from->items[i];
        Error cause = {0};
        if (choice->all && strcmp(text->text, "all") == 0) {
            StudyTexts all = choice->all(&planner->workload, text->line);
            for (uint32_t k = 0; k < all.count; k++)
                VEC_PUSH(&chosen, all.items[k]);
            VEC_FREE(&all);
        } else if (choice->find(&planner->workload, text->text, &cause)) {
            VEC_PUSH(&chosen, *text);
        } else if (is_own) {
            VEC_FREE(&chosen);
            return PLAN_WRONG(planner, text->line, "%s", cause.text);
        }
    }
    if (!from->count)
        VEC_PUSH(&chosen, ((StudyText){choice->usual, planner->work->what.line}));
    if (!chosen.count)
        return PLAN_WRONG(planner, from->items[0].line, "%s has no %s of this list; give it one of its own.",
                          planner->workload.name, choice->name);
    add_wheel(planner, choice->kind, choice->name, &chosen);
    VEC_FREE(&chosen);
    return true;
}

/* A number, as has been checked. */
static bool find_count(const Workload *workload, const char *name, Error *error)
{
    uint64_t count = 0;
    if (knob_parse_bytes(name, &count) && count <= workload->most_gpus)
        return true;
    error_set(error, WB_ERROR_ARGUMENT, "%s runs on at most %u GPU%s, not on %s.", workload->name,
              workload->most_gpus, workload->most_gpus == 1 ? "" : "s", name);
    return false;
}

static bool add_gpu_counts(Planner *planner)
{
    const StudyTexts *own = &planner->work->gpu_counts, *shared = &planner->study->gpu_counts;
    return (!own->count && !shared->count) ||
           add_choice(planner, &(Choice){WHEEL_GPU_COUNT, "gpu_count", "1", own, shared, find_count, NULL});
}

static bool begin_workload(Planner *planner)
{
    const StudyWork *work = planner->work;
    workload_find(work->what.text, &planner->workload); /* it has been found before */
    return add_choice(planner, &(Choice){WHEEL_MODE, "mode", planner->workload.modes[0].name, &work->modes,
                                         &planner->study->modes, find_mode, all_modes}) &&
           add_choice(planner, &(Choice){WHEEL_SIZE, "size", input_size_names[INPUT_SMALL], &work->sizes,
                                         &planner->study->sizes, find_size, all_sizes});
}

/* -- programs -- */

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* From the study's folder on, or where a shell would find it. */
static bool find_program(Planner *planner)
{
    const char *name = planner->work->what.text, *folders = getenv("PATH");
    if (strchr(name, '/') && is_file(planner_path(planner, name, planner->program)))
        return true;
    for (const char *folder = strchr(name, '/') || !folders ? "" : folders; *folder;) {
        const int length = (int)strcspn(folder, ":");
        snprintf(planner->program, PATH_MAX, "%.*s/%s", length, folder, name);
        if (is_file(planner->program))
            return true;
        folder += length + (folder[length] == ':');
    }
    return PLAN_WRONG(planner, planner->work->what.line, "there is no program '%.200s' that can be executed.",
                      name);
}

/* The name in braces that begins here; 0: none does. */
static size_t placeholder(const char *at, char name[64])
{
    size_t length = 0;
    while (at[0] == '{' && (isalnum((unsigned char)at[1 + length]) || at[1 + length] == '_'))
        length++;
    if (!length || at[1 + length] != '}' || length >= 64)
        return 0;
    snprintf(name, 64, "%.*s", (int)length, at + 1);
    return length + 2;
}

static bool check_placeholder(Planner *planner, const char *name, size_t line)
{
    const StudyAxes *parameters = &planner->work->parameters;
    Nearest nearest = nearest_to(name);
    char hint[NEAREST_HINT_SIZE];
    for (uint32_t i = 0; i < parameters->count; i++) {
        nearest_offer(&nearest, parameters->items[i].name.text);
        if (strcmp(name, parameters->items[i].name.text) == 0)
            return true;
    }
    return PLAN_WRONG(planner, line, "there is no parameter '%s'%s", name,
                      nearest_hint(&nearest, hint, sizeof hint));
}

/* Each name in braces is a parameter. */
static bool check_arguments(Planner *planner)
{
    const StudyTexts *arguments = &planner->work->arguments;
    for (uint32_t i = 0; i < arguments->count; i++)
        for (const char *at = arguments->items[i].text; *at; at++) {
            char name[64];
            if (placeholder(at, name) && !check_placeholder(planner, name, arguments->items[i].line))
                return false;
        }
    return true;
}

/* Each parameter is in an argument: else its runs would all be the same. */
static bool check_parameters(Planner *planner)
{
    const StudyWork *work = planner->work;
    for (uint32_t p = 0; p < work->parameters.count; p++) {
        char wanted[80];
        bool used = false;
        snprintf(wanted, sizeof wanted, "{%.70s}", work->parameters.items[p].name.text);
        for (uint32_t i = 0; i < work->arguments.count; i++)
            used = used || strstr(work->arguments.items[i].text, wanted);
        if (!used)
            return PLAN_WRONG(planner, work->parameters.items[p].name.line, "no argument has %s in it.",
                              wanted);
    }
    return true;
}

static bool digest_inputs(Planner *planner)
{
    Digest all = digest_begin();
    for (uint32_t i = 0; i < planner->work->inputs.count; i++) {
        const StudyText *input = &planner->work->inputs.items[i];
        char path[PATH_MAX], one[DIGEST_TEXT_SIZE];
        Error cause = {0};
        if (!files_digest(planner->store, "input", planner_path(planner, input->text, path), one, &cause))
            return PLAN_WRONG(planner, input->line, "%s", cause.text);
        digest_add_text(&all, input->text);
        digest_add_text(&all, one);
    }
    digest_end(&all, planner->inputs);
    return true;
}

static bool begin_program(Planner *planner)
{
    if (!find_program(planner) || !check_arguments(planner) || !check_parameters(planner) ||
        !digest_inputs(planner) ||
        !files_digest(planner->store, "program", planner->program, planner->program_digest, planner->error))
        return false;
    planner->workload = (Workload){.most_gpus = GPU_SET_MOST};
    add_axes(planner, WHEEL_PARAMETER, &planner->work->parameters);
    return true;
}

/* -- both -- */

static void add_variants(Planner *planner)
{
    StudyTexts names = {0};
    for (uint32_t i = 0; i < planner->study->variants.count; i++)
        VEC_PUSH(&names, planner->study->variants.items[i].name);
    if (names.count)
        add_wheel(planner, WHEEL_VARIANT, "variant", &names);
    VEC_FREE(&names);
}

bool planner_begin_work(Planner *planner, const StudyWork *work)
{
    for (uint32_t i = 0; i < planner->wheels.count; i++)
        VEC_FREE(&planner->wheels.items[i].values);
    planner->wheels.count = 0;
    planner->work = work;
    if (!(work->is_program ? begin_program(planner) : begin_workload(planner)))
        return false;
    add_wheel(planner, WHEEL_GPU, "gpu", &planner->gpus);
    if (!add_gpu_counts(planner))
        return false;
    add_variants(planner);
    add_axes(planner, WHEEL_KNOB, &planner->study->knobs);
    add_axes(planner, WHEEL_KNOB, &work->knobs);
    return true;
}
