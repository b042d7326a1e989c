/* `warpbeam list`: the tables in which GPUs, knobs, policies, statistics, workloads and more are declared.
 *
 * A list prints its entries one by one with list_entry(), which leaves out what was not asked for. */
#include "cli/list.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/gpu.h"
#include "base/printable.h"
#include "base/nearest.h"
#include "base/terminal.h"
#include "cli/list_cuda.h"
#include "cli/list_of.h"
#include "cli/policies.h"
#include "exec/intrinsic.h"
#include "grid/policy_kinds.h"
#include "isa/isa.h"
#include "papers/paper.h"
#include "registry/registry.h"
#include "report/ratio.h"
#include "report/report.h"

static bool has_words(const Listing *listing, const char *name, const char *text)
{
    for (int i = 0; i < listing->word_count; i++)
        if (!strcasestr(name, listing->words[i]) && !strcasestr(text, listing->words[i]))
            return false;
    return true;
}

/* On a terminal each line of the text is wrapped below its last column, or where that is too far to the
 * right, below its beginning; elsewhere an entry stays in its lines, for scripts. */
static void print_entry(const char *text)
{
    if (!terminal_is(stdout)) {
        puts(text);
        return;
    }
    const unsigned columns = terminal_columns(stdout);
    for (const char *end; *text; text = *end ? end + 1 : end) {
        end = strchrnul(text, '\n');
        unsigned indent = (unsigned)strspn(text, " ") + 4;
        for (const char *at = text; at + 2 < end; at++)
            if (at[0] == ' ' && at[1] == ' ' && at[2] != ' ' && (unsigned)(at + 2 - text) < columns / 2)
                indent = (unsigned)(at + 2 - text);
        char line[2048];
        snprintf(line, sizeof line, "%.*s", (int)(end - text), text);
        terminal_wrap(line, 0, indent, columns, stdout);
    }
}

void list_entry(Listing *listing, const char *name, const char *format, ...)
{
    char raw[2048], text[4096], shown[PRINTABLE_NAME_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    printable_text(raw, true, text, sizeof text);
    if (!has_words(listing, name, text))
        return;
    listing->count++;
    if (listing->only_names)
        puts(printable_name(name, shown));
    else
        print_entry(text);
}

typedef struct GpuListing {
    Listing *listing;
    bool broken;
} GpuListing;

static void print_gpu(void *context, const char *name, const char *path)
{
    GpuConfig config;
    Error error = {0};
    GpuListing *gpus = context;
    if (config_load(path, &config, &error)) {
        fail("%s", error.text);
        gpus->broken = true;
        return;
    }
    list_entry(gpus->listing, name, "%-10s %s", name, config.description);
}

static int list_gpus(Listing *listing)
{
    GpuListing gpus = {listing, false};
    config_list(NULL, print_gpu, &gpus);
    return gpus.broken ? EXIT_FAILED : EXIT_DONE;
}

static int list_knobs(Listing *listing)
{
    for (size_t i = 0; i < config_knobs.count; i++) {
        const Knob *knob = &config_knobs.rows[i];
        char domain[512];
        list_entry(listing, knob->name, "%s: %s%s%s\n    %s; default %s", knob->name,
                   knob_domain(knob, domain, sizeof domain), *knob->unit ? " " : "", knob->unit,
                   knob->description, *knob->initial ? knob->initial : "empty");
    }
    return EXIT_DONE;
}

static int list_statistics(Listing *listing)
{
    for (unsigned c = 0; c < components_known; c++)
        for (size_t i = 0; i < components[c].table->count; i++) {
            const Stat *stat = &components[c].table->rows[i];
            char name[80];
            snprintf(name, sizeof name, "%s%s", components[c].prefix, stat->name);
            list_entry(listing, name, "%-30s %-13s %s", name, stat->unit, stat->description);
        }
    return EXIT_DONE;
}

static int list_ratios(Listing *listing)
{
    for (unsigned i = 0; i < RATIO_COUNT; i++) {
        const RatioRow *row = &ratio_rows[i];
        char formula[RATIO_FORMULA_SIZE];
        list_entry(listing, row->name, "%s: %s%s%s\n    %s", row->name, row->description,
                   ratio_is_share(row) ? "" : "; ", ratio_is_share(row) ? "" : row->unit,
                   ratio_formula(row, formula));
    }
    return EXIT_DONE;
}

/* The tables of docs/STATISTICS.md. */
static int list_statistics_markdown(void)
{
    for (unsigned c = 0; c < components_known; c++) {
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

static int list_schema(Listing *listing)
{
    (void)listing;
    report_schema(stdout);
    return EXIT_DONE;
}

/* Behind what a policy says of itself: what its mechanism takes of the chip. */
static const char *state_text(const Policy *policy, const GpuConfig *config, char *text, size_t size)
{
    *text = 0;
    const uint64_t bits = policy->state_bits ? policy->state_bits(config) : 0;
    if (bits)
        snprintf(text, size, "\n  %-18s State on %s: %" PRIu64 " bits, %" PRIu64 " bytes", "", config->name,
                 bits, bits_bytes(bits));
    return text;
}

static int list_policies(Listing *listing)
{
    const PolicyKind *const *kinds = policy_kinds;
    GpuConfig config;
    Error error = {0};
    char state[KNOB_STRING_SIZE + 100];
    if (config_load(listing->of ? listing->of : "h200", &config, &error))
        return fail("%s", error.text);
    for (size_t k = 0; k < policy_kind_count; k++) {
        if (!listing->only_names && !listing->word_count)
            printf("%s%s: %s\n", k ? "\n" : "", kinds[k]->knob, kinds[k]->question);
        Policy policy;
        for (size_t i = 0; (policy = kinds[k]->at(i)).name; i++)
            list_entry(listing, policy.name, "  %-18s %s\n  %-18s %s%s", policy.name, policy.description, "",
                       policy.source, state_text(&policy, &config, state, sizeof state));
    }
    return EXIT_DONE;
}

static int list_instructions(Listing *listing)
{
    for (int row = ROW_UNKNOWN + 1; row < ROW_COUNT; row++)
        list_entry(listing, isa_rows[row].pattern, "%-8s %s", unit_name(isa_rows[row].unit),
                   isa_rows[row].pattern);
    return EXIT_DONE;
}

/* All names of each, for a program may call it by any. */
static int list_intrinsics(Listing *listing)
{
    const Intrinsic *intrinsic;
    for (size_t i = 0; (intrinsic = intrinsic_at(i)); i++) {
        char names[512];
        int length = snprintf(names, sizeof names, "%s", intrinsic->name);
        for (size_t a = 0; a < INTRINSIC_ALIASES && intrinsic->aliases[a]; a++)
            length += snprintf(names + length, sizeof names - (size_t)length, ", %s", intrinsic->aliases[a]);
        list_entry(listing, intrinsic->name, "%s\n    %s", names, intrinsic->description);
    }
    return EXIT_DONE;
}

/* "flat|cdp|dtbl small|full": what --mode and --size take. */
static void choices(const Workload *workload, char *text, size_t size)
{
    int length = 0;
    for (size_t i = 0; i < workload->mode_count && workload->mode_count > 1; i++)
        length +=
            snprintf(text + length, size - (size_t)length, "%s%s", i ? "|" : "", workload->modes[i].name);
    const char *before = length ? "  " : "";
    for (size_t i = 0; i < INPUT_SIZES; i++)
        if (workload->sizes[i]) {
            length += snprintf(text + length, size - (size_t)length, "%s%s", before, input_size_names[i]);
            before = "|";
        }
}

static int list_workloads(Listing *listing)
{
    Workload workload;
    for (size_t i = 0; workload_at(i, &workload); i++) {
        char text[256];
        choices(&workload, text, sizeof text);
        list_entry(listing, workload.name, "%-28s %-46s %s", workload.name, workload.description, text);
    }
    return EXIT_DONE;
}

static int list_papers(Listing *listing)
{
    const Paper *paper;
    for (size_t i = 0; (paper = paper_at(i)); i++)
        list_entry(listing, paper->name, "%-12s %s", paper->name, paper->title);
    return EXIT_DONE;
}

static int list_commands(Listing *listing)
{
    for (size_t i = 0; i < command_count; i++)
        list_entry(listing, commands[i].name, "%-12s %s", commands[i].name, commands[i].description);
    return EXIT_DONE;
}

/* Whether a list can be of something that --of names. */
typedef enum Of { OF_NOTHING, OF_SOMETHING, OF_NEEDED } Of;

typedef struct List {
    const char *name, *description;
    int (*print)(Listing *listing);
    int (*print_markdown)(void);
    Of of;
} List;

static const List lists[] = {
    {"gpus", "GPUs, for --gpu", list_gpus, NULL, OF_NOTHING},
    {"policies", "Decisions that can be replaced, with their state on h200 or the GPU --of", list_policies,
     NULL, OF_SOMETHING},
    {"knobs", "All that a configuration and --set can set", list_knobs, NULL, OF_NOTHING},
    {"statistics", "Counters, as in --stats", list_statistics, list_statistics_markdown, OF_NOTHING},
    {"ratios", "What is computed of them", list_ratios, NULL, OF_NOTHING},
    {"schema", "JSON Schema of the report that --stats writes", list_schema, NULL, OF_NOTHING},
    {"workloads", "What `warpbeam run` can run by name", list_workloads, NULL, OF_NOTHING},
    {"modes", "Ways to run workloads, or one --of them, for --mode", list_modes, NULL, OF_SOMETHING},
    {"sizes", "Inputs of workloads, or of one --of them, for --size", list_sizes, NULL, OF_SOMETHING},
    {"papers", "What `warpbeam paper` repeats", list_papers, NULL, OF_NOTHING},
    {"benchmarks", "What papers run, or one --of them, for --only", list_benchmarks, NULL, OF_SOMETHING},
    {"values", "What a knob takes: --of KNOB", list_values, NULL, OF_NEEDED},
    {"kernels", "What a PTX file has: --of FILE.ptx", list_kernels, NULL, OF_NEEDED},
    {"instructions", "PTX that runs, and the unit that executes it", list_instructions, NULL, OF_NOTHING},
    {"intrinsics", "Functions that kernels can call", list_intrinsics, NULL, OF_NOTHING},
    {"cuda", "Calls of CUDA's runtime and driver API", list_cuda, list_cuda_markdown, OF_NOTHING},
    {"commands", "What warpbeam can do", list_commands, NULL, OF_NOTHING},
};
enum { LIST_COUNT = sizeof lists / sizeof *lists };

static const List *find_list(const char *name)
{
    Nearest nearest = nearest_to(name);
    for (size_t i = 0; i < LIST_COUNT; i++) {
        nearest_offer(&nearest, lists[i].name);
        if (strcmp(name, lists[i].name) == 0)
            return &lists[i];
    }
    char hint[NEAREST_HINT_SIZE];
    misuse("there is no list of '%s'%s", name, nearest_hint(&nearest, hint, sizeof hint));
    return NULL;
}

static int list_lists(Listing *listing)
{
    for (size_t i = 0; i < LIST_COUNT; i++)
        list_entry(listing, lists[i].name, "%-14s %s", lists[i].name, lists[i].description);
    return EXIT_DONE;
}

static int check_of(const List *list, const char *of)
{
    if (of && list->of == OF_NOTHING)
        return misuse(
            "--of is for policies, modes, sizes, benchmarks, values and kernels: %s belong to nothing.",
            list->name);
    if (!of && list->of == OF_NEEDED)
        return misuse("list %s needs --of and a name: %s.", list->name, list->description);
    return EXIT_DONE;
}

int command_list(int argument_count, char **arguments)
{
    Listing listing = {0};
    const bool markdown = take_flag(&argument_count, arguments, "--markdown");
    listing.only_names = take_flag(&argument_count, arguments, "--names");
    listing.of = take_option(&argument_count, arguments, "--of");
    int result = policies_take_and_load(&argument_count, arguments);
    if (result == EXIT_DONE)
        result = check_left_over(argument_count, arguments, argument_count);
    if (result != EXIT_DONE)
        return result;
    if (argument_count == 1)
        return list_lists(&listing);
    const List *list = find_list(arguments[1]);
    if (!list || check_of(list, listing.of) != EXIT_DONE)
        return EXIT_USAGE;
    listing.words = arguments + 2;
    listing.word_count = argument_count - 2;
    if (markdown && (!list->print_markdown || listing.only_names || listing.word_count))
        return misuse("only statistics, with their ratios, and cuda can be listed as Markdown, and whole.");
    result = markdown ? list->print_markdown() : list->print(&listing);
    if (listing.word_count && !listing.count && result == EXIT_DONE)
        return fail("none of the %s has '%s'%s.", list->name, listing.words[0],
                    listing.word_count > 1 ? " and all the words behind it" : "");
    return result;
}
