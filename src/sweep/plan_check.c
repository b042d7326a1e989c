/* Finds what a study names: knobs, GPUs, workloads, modes and sizes. A sentence says where, and what is
 * near. */
#include "sweep/planner.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/nearest.h"
#include "config/gpu_set.h"
#include "sweep/machine.h"
#include "sweep/named.h"

/* An error without a place gets one. */
static bool wrong_at(Planner *planner, size_t line, const Error *cause)
{
    return PLAN_WRONG(planner, line, "%s", cause->text);
}

const char *planner_path(const Planner *planner, const char *path, char whole[PATH_MAX])
{
    char joined[PATH_MAX];
    snprintf(joined, sizeof joined, "%s%s%s", *path == '/' ? "" : planner->study->folder,
             *path == '/' ? "" : "/", path);
    char *absolute = file_whole_path(joined);
    snprintf(whole, PATH_MAX, "%s", absolute);
    xfree(absolute);
    return whole;
}

static bool check_knob(Planner *planner, const StudyAxis *axis)
{
    GpuConfig scratch;
    Error cause = {0};
    if (strcmp(axis->name.text, "threads") == 0)
        return PLAN_WRONG(planner, axis->name.line,
                          "'threads' changes no result: the option --threads says how many.");
    if (!knob_find(&config_knobs, axis->name.text)) {
        knob_unknown(&config_knobs, axis->name.text, NULL, "", &cause);
        return wrong_at(planner, axis->name.line, &cause);
    }
    knob_defaults(&config_knobs, &scratch);
    for (uint32_t i = 0; i < axis->values.count; i++)
        if (knob_set(&config_knobs, &scratch, axis->name.text, axis->values.items[i].text, "", &cause))
            return wrong_at(planner, axis->values.items[i].line, &cause);
    return true;
}

static bool check_knobs(Planner *planner, const StudyAxes *axes)
{
    for (uint32_t i = 0; i < axes->count; i++)
        if (!check_knob(planner, &axes->items[i]))
            return false;
    return true;
}

static bool load_machine(Planner *planner, const StudyText *gpu)
{
    Machine machine = {0};
    Error cause = {0};
    if (config_is_path(gpu->text))
        planner_path(planner, gpu->text, machine.path);
    else
        snprintf(machine.path, sizeof machine.path, "%s", gpu->text);
    if (config_load(machine.path, &machine.config, &cause) || !machine_check(&machine.config, &cause) ||
        !machine_set(&machine.config, "mode", planner->study->is_functional ? "functional" : "cycle", &cause))
        return wrong_at(planner, gpu->line, &cause);
    VEC_PUSH(&planner->machines, machine);
    return true;
}

static bool load_machines(Planner *planner)
{
    const StudyTexts *given = &planner->study->gpus;
    for (uint32_t i = 0; i < given->count; i++)
        VEC_PUSH(&planner->gpus, given->items[i]);
    if (!given->count)
        VEC_PUSH(&planner->gpus, ((StudyText){"h200", 1}));
    for (uint32_t i = 0; i < planner->gpus.count; i++)
        if (!load_machine(planner, &planner->gpus.items[i]))
            return false;
    return true;
}

typedef const char *NameAt(const Workload *workload, size_t index);

static const char *mode_at(const Workload *workload, size_t index)
{
    return index < workload->mode_count ? workload->modes[index].name : NULL;
}

/* "" of a size that it has not. */
static const char *size_at(const Workload *workload, size_t index)
{
    return index >= INPUT_SIZES ? NULL : workload->sizes[index] ? input_size_names[index] : "";
}

/* Names that workloads without their own lists take from the study must be known to one of them. */
static bool check_shared(Planner *planner, const StudyText *text, const char *what, NameAt *at)
{
    Nearest nearest = nearest_to(text->text);
    char hint[NEAREST_HINT_SIZE];
    bool found = strcmp(text->text, "all") == 0;
    for (uint32_t w = 0; w < planner->study->works.count; w++) {
        const StudyWork *work = &planner->study->works.items[w];
        Workload workload;
        if (work->is_program || !workload_find(work->what.text, &workload))
            continue;
        const char *name;
        for (size_t i = 0; (name = at(&workload, i)); i++) {
            found = found || strcmp(name, text->text) == 0;
            if (*name)
                nearest_offer(&nearest, name);
        }
    }
    return found || PLAN_WRONG(planner, text->line, "no workload of this study has the %s '%.80s'%s", what,
                               text->text, nearest_hint(&nearest, hint, sizeof hint));
}

static bool check_all_shared(Planner *planner, const StudyTexts *texts, const char *what, NameAt *at)
{
    for (uint32_t i = 0; i < texts->count; i++)
        if (!check_shared(planner, &texts->items[i], what, at))
            return false;
    return true;
}

/* Names of the points that are left out: an axis of the study. */
static bool check_exception(Planner *planner, const StudyText *name)
{
    static const char *const fixed[] = {"what", "mode", "size", "gpu", "gpu_count", "variant"};
    const SweepStudy *study = planner->study;
    Nearest nearest = nearest_to(name->text);
    char hint[NEAREST_HINT_SIZE];
    bool found = false;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        found = found || strcmp(fixed[i], name->text) == 0;
        nearest_offer(&nearest, fixed[i]);
    }
    for (uint32_t w = 0; w <= study->works.count; w++) {
        const bool is_own = w < study->works.count;
        const StudyAxes lists[] = {is_own ? study->works.items[w].knobs : study->knobs,
                                   is_own ? study->works.items[w].parameters : (StudyAxes){0}};
        for (uint32_t i = 0; i < 2; i++)
            for (uint32_t k = 0; k < lists[i].count; k++) {
                found = found || strcmp(lists[i].items[k].name.text, name->text) == 0;
                nearest_offer(&nearest, lists[i].items[k].name.text);
            }
    }
    return found || PLAN_WRONG(planner, name->line, "the runs of this study do not differ in '%.80s'%s",
                               name->text, nearest_hint(&nearest, hint, sizeof hint));
}

static bool check_exceptions(Planner *planner)
{
    for (uint32_t i = 0; i < planner->study->exceptions.count; i++)
        for (uint32_t k = 0; k < planner->study->exceptions.items[i].count; k++)
            if (!check_exception(planner, &planner->study->exceptions.items[i].items[k].name))
                return false;
    return true;
}

static bool check_counts(Planner *planner, const StudyTexts *counts)
{
    for (uint32_t i = 0; i < counts->count; i++) {
        const StudyText *text = &counts->items[i];
        uint64_t count;
        if (!knob_parse_bytes(text->text, &count) || count < 1 || count > GPU_SET_MOST)
            return PLAN_WRONG(planner, text->line, "a system has 1 to %d GPUs, not '%.80s'.", GPU_SET_MOST,
                              text->text);
    }
    return true;
}

static bool check_works(Planner *planner)
{
    for (uint32_t i = 0; i < planner->study->works.count; i++) {
        const StudyWork *work = &planner->study->works.items[i];
        Workload workload;
        Error cause = {0};
        if (!check_knobs(planner, &work->knobs) || !check_counts(planner, &work->gpu_counts))
            return false;
        if (!work->is_program && !named_workload(work->what.text, "there is no workload", &workload, &cause))
            return wrong_at(planner, work->what.line, &cause);
    }
    return true;
}

bool planner_check_study(Planner *planner)
{
    const SweepStudy *study = planner->study;
    for (uint32_t i = 0; i < study->variants.count; i++)
        if (!check_knobs(planner, &study->variants.items[i].knobs))
            return false;
    return check_knobs(planner, &study->knobs) && load_machines(planner) && check_works(planner) &&
           check_all_shared(planner, &study->modes, "mode", mode_at) &&
           check_all_shared(planner, &study->sizes, "size", size_at) &&
           check_counts(planner, &study->gpu_counts) && check_exceptions(planner);
}

bool study_check(const SweepStudy *study, Error *error)
{
    Planner planner = {.study = study, .error = error};
    const bool right = planner_check_study(&planner);
    VEC_FREE(&planner.machines);
    VEC_FREE(&planner.gpus);
    return right;
}
