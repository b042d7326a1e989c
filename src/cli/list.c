/* `warpbeam list`: the tables in which knobs, policies, statistics, ratios, instructions, intrinsics, calls
 * of CUDA and papers are declared. */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

#include "api/gpu.h"
#include "base/nearest.h"
#include "cli/list_cuda.h"
#include "exec/intrinsic.h"
#include "grid/policy.h"
#include "isa/isa.h"
#include "report/ratio.h"
#include "sm/sched/registry.h"

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
    for (unsigned c = 0; c < COMPONENT_COUNT; c++)
        for (size_t i = 0; i < components[c].table->count; i++) {
            const Stat *stat = &components[c].table->rows[i];
            char name[80];
            snprintf(name, sizeof name, "%s%s", components[c].prefix, stat->name);
            printf("%-30s %-13s %s\n", name, stat->unit, stat->description);
        }
    return EXIT_DONE;
}

static int list_ratios(void)
{
    for (unsigned i = 0; i < RATIO_COUNT; i++) {
        const RatioRow *row = &ratio_rows[i];
        char formula[RATIO_FORMULA_SIZE];
        printf("%s: %s%s%s\n    %s\n", row->name, row->description, ratio_is_share(row) ? "" : "; ",
               ratio_is_share(row) ? "" : row->unit, ratio_formula(row, formula));
    }
    return EXIT_DONE;
}

/* The tables of docs/STATISTICS.md. */
static int list_statistics_markdown(void)
{
    for (unsigned c = 0; c < COMPONENT_COUNT; c++) {
        printf("\n### `%s`, of each %s\n\n| counter | unit | |\n|---|---|---|\n", components[c].name,
               components[c].instance);
        for (size_t i = 0; i < components[c].table->count; i++) {
            const Stat *stat = &components[c].table->rows[i];
            printf("| `%s` | %s | %s |\n", stat->name, stat->unit, stat->description);
        }
    }
    puts("\n### `ratios`\n\n| ratio | unit | | how |\n|---|---|---|---|");
    for (unsigned i = 0; i < RATIO_COUNT; i++) {
        const RatioRow *row = &ratio_rows[i];
        char formula[RATIO_FORMULA_SIZE];
        printf("| `%s` | %s | %s | `%s` |\n", row->name, row->unit, row->description,
               ratio_formula(row, formula));
    }
    return EXIT_DONE;
}

static int list_policies(void)
{
    static const PolicyKind *const kinds[] = {&source_policies, &admit_policies, &place_policies,
                                              &order_policies, &sched_policies};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        printf("%s%s: %s\n", k ? "\n" : "", kinds[k]->knob, kinds[k]->question);
        Policy policy;
        for (size_t i = 0; (policy = kinds[k]->at(i)).name; i++)
            printf("  %-18s %s\n  %-18s %s\n", policy.name, policy.description, "", policy.source);
    }
    return EXIT_DONE;
}

static int list_instructions(void)
{
    for (int row = ROW_UNKNOWN + 1; row < ROW_COUNT; row++)
        printf("%-8s %s\n", unit_name(isa_rows[row].unit), isa_rows[row].pattern);
    return EXIT_DONE;
}

/* All names of each, for a program may call it by any. */
static int list_intrinsics(void)
{
    const Intrinsic *intrinsic;
    for (size_t i = 0; (intrinsic = intrinsic_at(i)); i++) {
        printf("%s", intrinsic->name);
        for (size_t a = 0; a < INTRINSIC_ALIASES && intrinsic->aliases[a]; a++)
            printf(", %s", intrinsic->aliases[a]);
        printf("\n    %s\n", intrinsic->description);
    }
    return EXIT_DONE;
}

int command_list(int argument_count, char **arguments)
{
    static const struct {
        const char *name;
        int (*print)(void);
        int (*print_markdown)(void);
    } lists[] = {
        {"gpus", list_gpus, NULL},
        {"knobs", list_knobs, NULL},
        {"policies", list_policies, NULL},
        {"statistics", list_statistics, list_statistics_markdown},
        {"ratios", list_ratios, NULL},
        {"instructions", list_instructions, NULL},
        {"intrinsics", list_intrinsics, NULL},
        {"cuda", list_cuda, list_cuda_markdown},
        {"papers", list_papers, NULL},
    };
    const bool markdown = take_flag(&argument_count, arguments, "--markdown");
    if (argument_count != 2)
        return misuse("list needs one word: gpus, knobs, policies, statistics, ratios, instructions, "
                      "intrinsics, cuda or papers.");
    Nearest nearest = nearest_to(arguments[1]);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        nearest_offer(&nearest, lists[i].name);
        if (strcmp(arguments[1], lists[i].name) != 0)
            continue;
        if (markdown && !lists[i].print_markdown)
            return misuse("only statistics, with their ratios, and cuda can be listed as Markdown.");
        return markdown ? lists[i].print_markdown() : lists[i].print();
    }
    char hint[64];
    return misuse("there is no list of '%s'%s", arguments[1], nearest_hint(&nearest, hint, sizeof hint));
}
