/* The cross product, turned like the wheels of a counter: a digit for each axis, the last one fastest. */
#include "sweep/planner.h"

#include <string.h>

#include "base/file.h"

enum { MOST_RUNS = 200000 };

static const char *text_at(const Planner *planner, const char *axis)
{
    if (strcmp(axis, "what") == 0)
        return planner->work->is_program ? planner->work->what.text : planner->workload.name;
    for (uint32_t i = 0; i < planner->wheels.count; i++)
        if (strcmp(planner->wheels.items[i].name, axis) == 0)
            return planner->wheels.items[i].values.items[planner->wheels.items[i].at].text;
    return NULL;
}

static bool has_value(const StudyTexts *values, const char *text)
{
    for (uint32_t i = 0; text && i < values->count; i++)
        if (strcmp(values->items[i].text, text) == 0)
            return true;
    return false;
}

/* Whether the study leaves out the point that the wheels stand at. */
static bool is_left_out(const Planner *planner)
{
    for (uint32_t i = 0; i < planner->study->exceptions.count; i++) {
        const StudyAxes *names = &planner->study->exceptions.items[i];
        bool fits = names->count > 0;
        for (uint32_t k = 0; fits && k < names->count; k++)
            fits = has_value(&names->items[k].values, text_at(planner, names->items[k].name.text));
        if (fits)
            return true;
    }
    return false;
}

/* False: all have been round. */
static bool turn(Planner *planner)
{
    for (uint32_t i = planner->wheels.count; i-- > 0;) {
        Wheel *wheel = &planner->wheels.items[i];
        if (++wheel->at < wheel->values.count)
            return true;
        wheel->at = 0;
    }
    return false;
}

static bool add_work(Planner *planner, const StudyWork *work)
{
    if (!planner_begin_work(planner, work))
        return false;
    do {
        if (planner->plan->runs.count == MOST_RUNS)
            return PLAN_WRONG(planner, work->what.line, "this study has more than %d runs.", MOST_RUNS);
        if (!is_left_out(planner) && !planner_add_run(planner))
            return false;
    } while (turn(planner));
    return true;
}

/* What all runs depend on. */
static bool digest_all(Planner *planner)
{
    static const char *const libraries[] = {"libwarpbeam_cuda.so", "libcuda.so.1", "libcudart.so.11.0",
                                            "libcudart.so.12", "libcudart.so.13"};
    const StudyTexts *policies = &planner->study->policies;
    Digest all = digest_begin();
    for (uint32_t i = 0; i < policies->count; i++) {
        char path[PATH_MAX], one[DIGEST_TEXT_SIZE];
        if (!files_digest(planner->store, "policy", planner_path(planner, policies->items[i].text, path), one,
                          planner->error))
            return false;
        digest_add_text(&all, one);
    }
    digest_end(&all, planner->policies);
    return files_own_digest(planner->store, planner->plan->binary, planner->error) &&
           files_digest_below(planner->store, planner->places->workloads, ".ptx", planner->kernels,
                              planner->error) &&
           files_digest_some(planner->store, planner->places->libraries, libraries,
                             sizeof libraries / sizeof *libraries, planner->libraries, planner->error);
}

/* Names of what takes more than one value, in the order of the first run that has them. */
static json_t *find_axes(const Plan *plan)
{
    json_t *axes = json_array(), *first = json_object(), *varies = json_object(), *value;
    const char *name;
    for (uint32_t i = 0; i < plan->runs.count; i++) {
        json_object_foreach(plan->runs.items[i].point, name, value)
        {
            const json_t *known = json_object_get(first, name);
            if (!known)
                json_object_set(first, name, value);
            if (known ? !json_equal(known, value) : i > 0)
                json_object_set_new(varies, name, json_true());
        }
        /* A run without what others have differs from them in it. */
        json_object_foreach(first, name, value)
        {
            if (!json_object_get(plan->runs.items[i].point, name))
                json_object_set_new(varies, name, json_true());
        }
    }
    json_object_foreach(first, name, value)
    {
        if (json_object_get(varies, name))
            json_array_append_new(axes, json_string(name));
    }
    json_decref(first);
    json_decref(varies);
    return axes;
}

static void end(Planner *planner)
{
    for (uint32_t i = 0; i < planner->wheels.count; i++)
        VEC_FREE(&planner->wheels.items[i].values);
    VEC_FREE(&planner->wheels);
    VEC_FREE(&planner->machines);
    VEC_FREE(&planner->gpus);
}

bool study_plan(const SweepStudy *study, const PlanPlaces *places, const Store *store, Plan *plan,
                Error *error)
{
    *plan = (Plan){.name = study->name, .text = study->text, .machines = json_object()};
    Planner planner = {.study = study, .places = places, .store = store, .plan = plan, .error = error};
    char *file = file_whole_path(study->path), *folder = file_whole_path(study->folder);
    plan->file = arena_printf(&plan->arena, "%s", file);
    plan->folder = arena_printf(&plan->arena, "%s", folder);
    xfree(file);
    xfree(folder);
    bool right = planner_check_study(&planner) && digest_all(&planner);
    for (uint32_t i = 0; right && i < study->works.count; i++)
        right = add_work(&planner, &study->works.items[i]);
    if (right && !plan->runs.count)
        right = PLAN_WRONG(&planner, 1, "'except' leaves out every point: there is no run.");
    plan->axes = find_axes(plan);
    end(&planner);
    return right;
}

void study_plan_free(Plan *plan)
{
    for (uint32_t i = 0; i < plan->runs.count; i++) {
        json_decref(plan->runs.items[i].arguments);
        json_decref(plan->runs.items[i].command);
        json_decref(plan->runs.items[i].point);
        json_decref(plan->runs.items[i].knobs);
    }
    VEC_FREE(&plan->runs);
    json_decref(plan->axes);
    json_decref(plan->machines);
    arena_free(&plan->arena);
}
