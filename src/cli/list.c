/* `warpbeam list`: the tables that knobs, statistics, instructions and intrinsics are declared in. */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

#include "api/gpu.h"
#include "base/nearest.h"
#include "exec/intrinsic.h"
#include "isa/isa.h"

static void print_gpu(void *context, const char *name, const char *path)
{
    GpuConfig config;
    Error error = {0};
    bool *broken = context;
    if (config_load(path, &config, &error)) {
        fail("%s", error.text);
        *broken = true;
        return;
    }
    printf("%-10s %s\n", name, config.description);
}

static int list_gpus(void)
{
    bool broken = false;
    config_list(print_gpu, &broken);
    return broken ? EXIT_FAILED : EXIT_DONE;
}

static int list_knobs(void)
{
    for (size_t i = 0; i < config_knobs.count; i++) {
        const Knob *knob = &config_knobs.rows[i];
        char domain[512];
        printf("%s: %s%s%s\n    %s; default %s\n", knob->name, knob_domain(knob, domain, sizeof domain),
               *knob->unit ? " " : "", knob->unit, knob->description,
               *knob->initial ? knob->initial : "empty");
    }
    return EXIT_DONE;
}

static int list_statistics(void)
{
    for (size_t i = 0; i < exec_statistics.count; i++) {
        const Stat *stat = &exec_statistics.rows[i];
        printf("%-22s %-13s %s\n", stat->name, stat->unit, stat->description);
    }
    return EXIT_DONE;
}

static int list_instructions(void)
{
    for (int row = ROW_UNKNOWN + 1; row < ROW_COUNT; row++)
        printf("%-8s %s\n", unit_name(isa_rows[row].unit), isa_rows[row].pattern);
    return EXIT_DONE;
}

static int list_intrinsics(void)
{
    const Intrinsic *intrinsic;
    for (size_t i = 0; (intrinsic = intrinsic_at(i)); i++)
        printf("%-14s %s\n", intrinsic->name, intrinsic->description);
    return EXIT_DONE;
}

int command_list(int argument_count, char **arguments)
{
    static const struct {
        const char *name;
        int (*print)(void);
    } lists[] = {
        {"gpus", list_gpus},
        {"knobs", list_knobs},
        {"statistics", list_statistics},
        {"instructions", list_instructions},
        {"intrinsics", list_intrinsics},
    };
    if (argument_count != 2)
        return misuse("list needs one word: gpus, knobs, statistics, instructions or intrinsics.");
    Nearest nearest = nearest_to(arguments[1]);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (strcmp(arguments[1], lists[i].name) == 0)
            return lists[i].print();
        nearest_offer(&nearest, lists[i].name);
    }
    char hint[64];
    return misuse("there is no list of '%s'%s", arguments[1], nearest_hint(&nearest, hint, sizeof hint));
}
