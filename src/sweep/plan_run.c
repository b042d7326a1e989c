/* One run: the machine of its point, the command that runs it, and the hash of all that its result can depend
 * on: the simulator, the kernels or the program, what is given to it, and every knob. */
#include "sweep/planner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sweep/machine.h"

static const StudyText *value_at(const Wheel *wheel) { return &wheel->values.items[wheel->at]; }

/* -- the machine -- */

/* What the knobs make of it cannot be: names the point. */
static bool cannot_be(Planner *planner, size_t line, const Error *cause)
{
    char point[512] = "";
    for (uint32_t i = 0; i < planner->wheels.count; i++) {
        const Wheel *wheel = &planner->wheels.items[i];
        const size_t used = strlen(point);
        if (wheel->kind >= WHEEL_GPU)
            snprintf(point + used, sizeof point - used, "%s%s: %s", used ? ", " : "", wheel->name,
                     value_at(wheel)->text);
    }
    return PLAN_WRONG(planner, line, "{%s} cannot be: %s 'except' leaves such points out.", point,
                      cause->text);
}

static bool set_variant(Planner *planner, uint32_t variant, GpuConfig *config, Error *cause)
{
    const StudyAxes *knobs = &planner->study->variants.items[variant].knobs;
    for (uint32_t i = 0; i < knobs->count; i++)
        if (!machine_set(config, knobs->items[i].name.text, knobs->items[i].values.items[0].text, cause))
            return false;
    return true;
}

static bool make_machine(Planner *planner, GpuConfig *config)
{
    const char *const *needed = planner->work->is_program ? NULL : planner->workload.settings;
    Error cause = {0};
    size_t line = planner->work->what.line;
    bool right = true;
    for (size_t i = 0; right && needed && needed[i]; i += 2)
        right = machine_set(config, needed[i], needed[i + 1], &cause);
    for (uint32_t i = 0; right && i < planner->wheels.count; i++) {
        const Wheel *wheel = &planner->wheels.items[i];
        line = wheel->kind == WHEEL_VARIANT || wheel->kind == WHEEL_KNOB ? value_at(wheel)->line : line;
        if (wheel->kind == WHEEL_VARIANT)
            right = set_variant(planner, wheel->at, config, &cause);
        else if (wheel->kind == WHEEL_KNOB)
            right = machine_set(config, wheel->name, value_at(wheel)->text, &cause);
    }
    right = right && (planner->study->is_functional || machine_check(config, &cause));
    return right || cannot_be(planner, line, &cause);
}

/* -- the command -- */

static void add(json_t *command, const char *text) { json_array_append_new(command, json_string(text)); }

static void add_setting(json_t *command, const char *knob, const char *value)
{
    add(command, "--set");
    json_array_append_new(command, json_sprintf("%s=%s", knob, value));
}

static void add_settings(const Planner *planner, json_t *command)
{
    for (uint32_t i = 0; i < planner->wheels.count; i++) {
        const Wheel *wheel = &planner->wheels.items[i];
        if (wheel->kind == WHEEL_KNOB)
            add_setting(command, wheel->name, value_at(wheel)->text);
        if (wheel->kind != WHEEL_VARIANT)
            continue;
        const StudyAxes *knobs = &planner->study->variants.items[wheel->at].knobs;
        for (uint32_t k = 0; k < knobs->count; k++)
            add_setting(command, knobs->items[k].name.text, knobs->items[k].values.items[0].text);
    }
}

static const Wheel *wheel_of(const Planner *planner, WheelKind kind)
{
    for (uint32_t i = 0; i < planner->wheels.count; i++)
        if (planner->wheels.items[i].kind == kind)
            return &planner->wheels.items[i];
    return NULL;
}

/* GPUs of the system; "": one, whether the study says so or not. */
static const char *count_text(const Planner *planner)
{
    const Wheel *wheel = wheel_of(planner, WHEEL_GPU_COUNT);
    return !wheel || strcmp(value_at(wheel)->text, "1") == 0 ? "" : value_at(wheel)->text;
}

/* The argument with parameters instead of their names in braces. */
static json_t *fill_in(const Planner *planner, const char *text)
{
    VEC(char) made = {0};
    for (const char *at = text; *at;) {
        const Wheel *found = NULL;
        size_t length = 0;
        for (uint32_t i = 0; *at == '{' && i < planner->wheels.count && !found; i++) {
            const Wheel *wheel = &planner->wheels.items[i];
            length = strlen(wheel->name);
            if (wheel->kind == WHEEL_PARAMETER && strncmp(at + 1, wheel->name, length) == 0 &&
                at[1 + length] == '}')
                found = wheel;
        }
        if (found)
            for (const char *from = value_at(found)->text; *from; from++)
                VEC_PUSH(&made, *from);
        else
            VEC_PUSH(&made, *at);
        at += found ? length + 2 : 1;
    }
    json_t *filled = json_stringn(made.count ? made.items : "", made.count);
    VEC_FREE(&made);
    return filled;
}

static json_t *make_arguments(const Planner *planner)
{
    json_t *arguments = json_array();
    for (uint32_t i = 0; i < planner->work->arguments.count; i++)
        json_array_append_new(arguments, fill_in(planner, planner->work->arguments.items[i].text));
    return arguments;
}

static json_t *make_command(const Planner *planner, const PlannedRun *run)
{
    json_t *command = json_array();
    add(command, "run");
    if (run->size) {
        add(command, run->what);
        add(command, "--mode");
        add(command, value_at(wheel_of(planner, WHEEL_MODE))->text);
        add(command, "--size");
        add(command, run->size);
    }
    add(command, "--gpu");
    add(command, planner->machines.items[wheel_of(planner, WHEEL_GPU)->at].path);
    if (*count_text(planner)) {
        add(command, "--gpus");
        add(command, count_text(planner));
    }
    for (uint32_t i = 0; i < planner->study->policies.count; i++) {
        char path[PATH_MAX];
        add(command, "--policy");
        add(command, planner_path(planner, planner->study->policies.items[i].text, path));
    }
    if (planner->study->is_functional)
        add(command, "--functional");
    add_settings(planner, command);
    if (!run->size) {
        add(command, "--quiet");
        add(command, "--");
        add(command, planner->program);
        json_array_extend(command, run->arguments);
    }
    return command;
}

/* -- its hash -- */

/* An argument that names a file stands for what is in it. */
static bool add_arguments(Planner *planner, const PlannedRun *run, Digest *digest)
{
    size_t i;
    json_t *argument;
    json_array_foreach(run->arguments, i, argument)
    {
        const char *text = json_string_value(argument);
        char path[PATH_MAX], one[DIGEST_TEXT_SIZE];
        struct stat about;
        digest_add_text(digest, text);
        if (!*text || stat(planner_path(planner, text, path), &about) || !S_ISREG(about.st_mode))
            continue;
        if (!files_digest(planner->store, "argument", path, one, planner->error))
            return false;
        digest_add_text(digest, one);
    }
    return true;
}

static bool make_hash(Planner *planner, PlannedRun *run)
{
    Digest digest = digest_begin();
    const char *const parts[] = {"warpbeam sweep 1",
                                 planner->plan->binary,
                                 planner->policies,
                                 run->machine,
                                 count_text(planner),
                                 run->kind,
                                 run->size ? run->what : planner->program_digest,
                                 run->mode ? run->mode : "",
                                 run->size ? run->size : "",
                                 run->size ? planner->kernels : planner->libraries,
                                 run->size ? "" : planner->inputs};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        digest_add_text(&digest, parts[i]);
    if (!add_arguments(planner, run, &digest))
        return false;
    digest_end(&digest, run->hash);
    return true;
}

/* -- its point -- */

/* A number, if it is one from its first letter to its last. */
static json_t *typed(const char *text)
{
    char *end;
    errno = 0;
    const long long whole = strtoll(text, &end, 10);
    if (*text && !*end && !errno)
        return json_integer(whole);
    const double real = strtod(text, &end);
    return *text && !*end && real - real == 0 ? json_real(real) : json_string(text);
}

static json_t *make_point(const Planner *planner, const PlannedRun *run)
{
    json_t *point = json_pack("{s:s}", "what", run->what);
    for (uint32_t i = 0; i < planner->wheels.count; i++) {
        const Wheel *wheel = &planner->wheels.items[i];
        const char *text = value_at(wheel)->text;
        json_t *value = wheel->kind == WHEEL_KNOB ? json_incref(json_object_get(run->knobs, wheel->name))
                        : wheel->kind == WHEEL_PARAMETER || wheel->kind == WHEEL_GPU_COUNT ? typed(text)
                                                         : json_string(text);
        json_object_set_new(point, wheel->name, value);
    }
    return point;
}

/* Equal machines share their knobs: a study has far fewer of them than runs. */
static json_t *shared_knobs(Planner *planner, const GpuConfig *config, char digest[DIGEST_TEXT_SIZE])
{
    json_t *made = machine_knobs(config), *all = planner->plan->machines;
    machine_digest(made, digest);
    if (!json_object_get(all, digest))
        json_object_set(all, digest, made);
    json_decref(made);
    return json_incref(json_object_get(all, digest));
}

bool planner_add_run(Planner *planner)
{
    Plan *plan = planner->plan;
    const bool is_program = planner->work->is_program;
    GpuConfig config = planner->machines.items[wheel_of(planner, WHEEL_GPU)->at].config;
    if (!make_machine(planner, &config))
        return false;
    PlannedRun run = {.kind = is_program ? "program" : "workload",
                      .what = arena_printf(&plan->arena, "%s",
                                           is_program ? planner->work->what.text : planner->workload.name),
                      .gpu = arena_printf(&plan->arena, "%s", value_at(wheel_of(planner, WHEEL_GPU))->text),
                      .arguments = make_arguments(planner)};
    run.knobs = shared_knobs(planner, &config, run.machine);
    if (!is_program) {
        run.size = value_at(wheel_of(planner, WHEEL_SIZE))->text;
        run.mode = planner->workload.mode_count > 1 ? value_at(wheel_of(planner, WHEEL_MODE))->text : NULL;
    }
    run.command = make_command(planner, &run);
    run.point = make_point(planner, &run);
    const bool hashed = make_hash(planner, &run);
    VEC_PUSH(&plan->runs, run);
    return hashed;
}
