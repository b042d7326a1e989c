/* All commands and their options. Help, man page and completion are made of these tables. */
#include "cli/command.h"

#include <string.h>

#define GROUP(title, form, options)                                                                          \
    {                                                                                                        \
        title, form, options, sizeof options / sizeof *options                                               \
    }
#define LIST(name)                                                                                           \
    {                                                                                                        \
        VALUE_LIST, name                                                                                     \
    }
#define LIST_OF(name)                                                                                        \
    {                                                                                                        \
        VALUE_LIST_OF, name                                                                                  \
    }
#define WORDS(words)                                                                                         \
    {                                                                                                        \
        VALUE_WORDS, words                                                                                   \
    }
#define FILE_VALUE                                                                                           \
    {                                                                                                        \
        VALUE_FILE, NULL                                                                                     \
    }
#define FOLDER_VALUE                                                                                         \
    {                                                                                                        \
        VALUE_FOLDER, NULL                                                                                   \
    }
#define ANY                                                                                                  \
    {                                                                                                        \
        VALUE_ANY, NULL                                                                                      \
    }

#define POLICY_OPTION                                                                                        \
    {                                                                                                        \
        "--policy", "FILE.so",                                                                               \
            "a policy in a shared object, which `warpbeam policy build` makes; any number of times",         \
            FILE_VALUE                                                                                       \
    }

static const Option running[] = {
    {"--gpu", "NAME", "the GPU: a name that `warpbeam list gpus` shows, or a YAML file; h200 unless given",
     LIST("gpus")},
    {"--set", "KNOB=VALUE", "changes a knob of it; any number of times", {VALUE_KNOB, NULL}},
    POLICY_OPTION,
    {"--threads", "N",
     "host threads of cycle mode: the number of processors unless given; the result is the same with any",
     ANY},
    {"--functional", NULL, "only the results, without time: much faster", ANY},
    {"--stats", "FILE",
     "all statistics: FILE.csv, else JSON; on standard output where FILE is -, but for CUDA programs, whose "
     "it "
     "is",
     FILE_VALUE},
    {"--timeline", "FILE", "what happened when, as a trace that ui.perfetto.dev opens; - as above",
     FILE_VALUE},
    {"--report", "FILE.html",
     "all of them, lines and series included, as a page for browsers; - as above; --stats of a CUDA "
     "program must then be JSON",
     FILE_VALUE},
    {"--progress", "WHEN",
     "auto: how far the simulation is, on a terminal; always: as lines elsewhere, too; never",
     WORDS("auto always never")},
    {"--detail", NULL, "statistics of every SM, slice and channel, not only sums", ANY},
    {"--blocks", NULL, "statistics of every block: SM, dispatched, started, ended", ANY},
    {"--profile-lines", NULL, "where warps spent their time, by line of source or of PTX", ANY},
};
const OptionGroup running_options = GROUP("Every run", NULL, running);

static const Option of_program[] = {
    {"--gpus", "GPUS",
     "several GPUs: how many, names with commas between them (h200,titanx), or a YAML file that lists them; "
     "at most 32; of a workload of multi/ too",
     LIST("gpus")},
    {"--kernels",
     "PATTERN",
     "only kernels of such a name take time: 'conv*,gemm'",
     {VALUE_OF_KNOB, "timed_kernels"}},
    {"--max-cycles", "N", "a kernel that takes longer is an error", {VALUE_OF_KNOB, "cycle_limit"}},
    {"--seed", "N", "of all that is random", {VALUE_OF_KNOB, "seed"}},
    {"--graph-profile", "FILE", "records which blocks read what others wrote, as a dependency graph",
     FILE_VALUE},
    {"--quiet", NULL, "no summary at the end", ANY},
};
const OptionGroup program_options = GROUP("A CUDA program", "run [OPTION]... -- PROGRAM", of_program);

static const Option of_workload[] = {
    {"--mode", "MODE", "how it runs: `warpbeam list workloads` shows its modes; the first one unless given",
     LIST_OF("modes")},
    {"--size", "SIZE", "of its input: small unless given", LIST_OF("sizes")},
    {"--input-seed", "N", "of the chance that makes its input, of workloads of dtbl/: 1 unless given", ANY},
    {"--least", "N",
     "elements from which a thread launches them, of workloads of dtbl/: each has its own unless given", ANY},
};
const OptionGroup workload_options = GROUP("A workload", "run WORKLOAD", of_workload);

static const Option of_ptx[] = {
    {"--kernel", "NAME", "which one; not needed where the file has only one", LIST_OF("kernels")},
    {"--grid", "X[,Y[,Z]]", "blocks", ANY},
    {"--block", "X[,Y[,Z]]", "threads of a block", ANY},
    {"--shared", "BYTES", "dynamic shared memory of a block", ANY},
    {"--arg", "ARGUMENT",
     "its next argument: TYPE:VALUE as u32:5 or f32:1.5, or buffer:BYTES[:FILL] with zero, iota, random or "
     "uniform",
     ANY},
};
const OptionGroup ptx_options = GROUP("One kernel of a PTX file", "run FILE.ptx", of_ptx);

static const Option of_paper[] = {
    {"--size", "small|full",
     "of the inputs: small, which takes minutes, unless given; tiny, a second's work, is for "
     "tests",
     WORDS("small full tiny")},
    {"--only", "NAME[,NAME]", "only these benchmarks; claims about all of them are then not measured",
     LIST_OF("benchmarks")},
    {"--graph", "FILE",
     "the user's graph instead of theirs, of benchmarks that work on one (bfs, clr, sssp, apsp): Matrix "
     "Market, DIMACS, METIS or a list of edges",
     FILE_VALUE},
    {"--seed", "N", "of the chance that makes the inputs (dtbl, wireframe): 1 unless given", ANY},
    {"--least", "N",
     "elements from which a thread launches them (dtbl): each benchmark has its own unless given", ANY},
    {"--jobs", "N", "runs at once, each a process of its own: the number of processors unless given", ANY},
    {"--threads", "N", "host threads of each run: its share of the processors unless given", ANY},
    {"--set", "KNOB=VALUE", "changes a knob for all runs; any number of times", {VALUE_KNOB, NULL}},
    POLICY_OPTION,
    {"--out", "FOLDER", "keeps claims.csv, a table for each figure, runs.csv, and a report of each run",
     FOLDER_VALUE},
    {"--from", "FILE",
     "runs nothing: makes the tables of the runs in FILE, a runs.csv that --out has written", FILE_VALUE},
    {"--markdown", "FILE", "replaces the generated part of FILE by the tables, and draws charts beside it",
     FILE_VALUE},
    {"--html", "FILE", "all tables and charts as one page for browsers, which needs no other file",
     FILE_VALUE},
    {"--database", "FILE",
     "keeps every run in a file as `warpbeam sweep` does: what is there is not run again, what was stopped "
     "goes on",
     FILE_VALUE},
    {"--slurm", NULL, "with --database: runs as an array of --jobs tasks on Slurm", ANY},
    {"--slurm-option", "OPTION", "for sbatch, as --partition=long; any number of times", ANY},
    {"--one", "BENCHMARK/MODE", "what a worker of --database starts: only that run, without tables", ANY},
    {"--stats", "FILE", "where the numbers of --one go, as JSON", FILE_VALUE},
};
static const OptionGroup paper_options = GROUP("Options", NULL, of_paper);

static const Option of_report[] = {
    {"--out", "FILE.html", "where the page goes: report.html unless given; - is standard output", FILE_VALUE},
    {"--megabytes", "N", "of data at most: 20 unless given; blocks are left out beyond, and the page says so",
     ANY},
};
static const OptionGroup report_options = GROUP("Options", NULL, of_report);

static const Option of_compare[] = {
    {"--top", "N", "so many differences of each part: 10 unless given", ANY},
    {"--all", NULL, "all differences", ANY},
    {"--each", NULL, "kernels one by one, matched by their place among those of their name", ANY},
    {"--csv", NULL, "all differences as comma-separated values", ANY},
};
static const OptionGroup compare_options = GROUP("Options", NULL, of_compare);

static const Option of_demo[] = {
    {"--size", "SIZE", "of the matrix: small unless given; tiny takes a second", WORDS("small full tiny")},
    {"--gpu", "NAME", "the GPU: gtx480, the paper's, unless given", LIST("gpus")},
    {"--threads", "N",
     "host threads: the number of processors unless given; the result is the same with any", ANY},
    {"--progress", "WHEN", "auto, on a terminal; always; or never", WORDS("auto always never")},
    {"--out", "FOLDER", "keeps the statistics of every run and the report; otherwise nothing is written",
     FOLDER_VALUE},
};
static const OptionGroup demo_options = GROUP("Options", NULL, of_demo);

static const Option of_sweep[] = {
    {"--database", "FILE", "the SQLite file: STUDY.sqlite beside STUDY.yaml unless given", FILE_VALUE},
    {"--processes", "N",
     "runs at once, each a process of its own: the number of processors unless given; with --slurm, tasks of "
     "the array",
     ANY},
    {"--threads", "N", "host threads of each run: its share of the processors unless given", ANY},
    {"--slurm", NULL, "runs as an array of jobs on Slurm instead of here", ANY},
    {"--slurm-option", "OPTION", "for sbatch, as --partition=long; any number of times", ANY},
    {"--detach", NULL, "with --slurm: only submits, and does not wait", ANY},
    {"--retry", NULL, "runs that have failed are run again", ANY},
    {"--plan", NULL, "only shows which runs there are", ANY},
    {"--reports", "FOLDER", "keeps the whole report of each run, as RUN.json", FOLDER_VALUE},
    {"--progress", "WHEN", "auto: a bar on a terminal; always: as lines elsewhere, too; never",
     WORDS("auto always never")},
    {"--worker", "STUDY", "what this command and Slurm start: does runs of that number until none is left",
     ANY},
};
static const OptionGroup sweep_options = GROUP("Running", "sweep STUDY.yaml", of_sweep);

static const Option of_sweep_show[] = {
    {"--table", NULL, "the runs: what they differ in, status, cycles and seconds", ANY},
    {"--columns", "NAME[,NAME]",
     "what the table has instead: any knob, parameter or statistic; knob.NAME and statistic.NAME where two "
     "have one name",
     ANY},
    {"--where", "CONDITION",
     "only runs of which that is true: NAME=VALUE, also !=, <, <=, >, >= and ~ for a pattern; any number of "
     "times",
     ANY},
    {"--sort", "NAME", "by that column; -NAME: falling", ANY},
    {"--csv", NULL, "the table as comma-separated values", ANY},
    {"--study", "NAME", "of a database: only that study", ANY},
    {"--export", "FILE.csv", "all runs with all columns, and FILE.schema.json with their types", FILE_VALUE},
    {"--plot", "FILE.html", "a page for browsers: any statistic over any knob", FILE_VALUE},
    {"--kind", "KIND", "of its first chart", WORDS("lines bars heat pareto")},
    {"--x", "NAME", "across", ANY},
    {"--y", "NAME", "upwards", ANY},
    {"--by", "NAME", "a line or colour for each value", ANY},
};
static const OptionGroup sweep_show_options = GROUP("Looking", "sweep FILE", of_sweep_show);

static const Option of_list[] = {
    {"--of", "NAME",
     "only what belongs to that: modes and sizes of a workload, benchmarks of a paper, values of a knob, "
     "kernels of a PTX file; policies with their state on that GPU",
     ANY},
    POLICY_OPTION,
    {"--names", NULL, "only the names, a line each, for scripts", ANY},
    {"--markdown", NULL, "tables for the documentation; only of statistics and cuda", ANY},
};
static const OptionGroup list_options = GROUP("Options", NULL, of_list);

static const Option of_config[] = {POLICY_OPTION};
static const OptionGroup config_options = GROUP("Options", NULL, of_config);

static const Option of_policy[] = {
    {"--out", "FILE.so", "the shared object: the source's name in this folder unless given", FILE_VALUE},
    {"--place", "N", "where its knobs lie, 0 to 511: by its name unless given", ANY},
    {"--print", NULL, "prints the compiler's command line instead, for a Makefile", ANY},
};
static const OptionGroup policy_options = GROUP("Options", NULL, of_policy);

static const Option of_cilk[] = {
    {"--call", "CALL",
     "runs a function with numbers for its parameters, and prints what it returns: 'fib(24)'", ANY},
    {"--host", NULL, "runs it on the host instead, as C without cilk_spawn and cilk_sync, for comparison",
     ANY},
    {"--out", "FILE", "keeps the translation: FILE.ptx, which this command can run, or FILE.cu, the CUDA C",
     FILE_VALUE},
    {"--levels", "N", "how deep functions may spawn functions: 64 unless given", ANY},
    {"--width", "N",
     "tasks that a channel holds, a power of two; the knob channel_width, or what fits, unless given", ANY},
};
static const OptionGroup cilk_options = GROUP("Cilk", NULL, of_cilk);

static const Option of_ptx_command[] = {
    {"--gpu", "NAME", "the GPU that it is read for: h200 unless given", LIST("gpus")},
};
static const OptionGroup ptx_command_options = GROUP("Options", NULL, of_ptx_command);

static const Option of_help[] = {
    {"--man", NULL, "all of it as a page for man", ANY},
};
static const OptionGroup help_options = GROUP("Options", NULL, of_help);

const Command commands[] = {
    {"run",
     command_run,
     "Run a CUDA program, a workload or one kernel, and show where its time went",
     {"[OPTION]... -- PROGRAM [ARGUMENT]...", "WORKLOAD [OPTION]...", "FILE.ptx [OPTION]..."},
     "A CUDA program is run unmodified, with stand-ins for CUDA's libraries; what it prints and how it ends "
     "is "
     "its own, and a summary of its kernels goes to stderr. Under mpirun, messages take simulated time, and "
     "every rank has files of its own: out.json becomes out.rank2.json (docs/MPI.md).\n"
     "A workload comes with the simulator, and checks its own results: `warpbeam list workloads`. Its suite "
     "may be left out where no other has that name: `warpbeam run sor`.\n"
     "One kernel of a PTX file gets its arguments from the command line.",
     {VALUE_FILE_OR_LIST, "workloads"},
     {&running_options, &program_options, &workload_options, &ptx_options},
     {"warpbeam run --gpu h200 --stats out.json -- ./program arguments",
      "warpbeam run wireframe/sor --mode lvl --gpu gtx480",
      "warpbeam run k.ptx --kernel k --grid 64 --block 256 --arg buffer:1MiB:iota --arg u32:5"}},
    {"paper",
     command_paper,
     "Repeat the measurements of a paper and compare them with what it published",
     {"NAME [OPTION]..."},
     "Runs what the paper ran, shows its figures as tables with the published numbers beside them, and says "
     "of "
     "each of its claims whether it agrees, differs or was not measured. `warpbeam list papers` has the "
     "names.\n"
     "The exit status is 0 when all runs gave right results, whatever the claims.",
     LIST("papers"),
     {&paper_options},
     {"warpbeam paper dtbl --only bht --out results"}},
    {"sweep",
     command_sweep,
     "Run a study: a cross product of GPUs, knobs, workloads and programs, here or on a cluster",
     {"STUDY.yaml [OPTION]...", "STUDY.yaml|FILE.sqlite --table|--plot FILE|--export FILE [OPTION]..."},
     "Every run is a row of an SQLite file, with its statistics and configuration: docs/SWEEP.md. What is "
     "there already is not run again, in whichever study it was. A sweep that was stopped, or whose workers "
     "were killed, goes on where it was when it is started again.\n"
     "The exit status is 0 when all runs are done and gave right results.",
     FILE_VALUE,
     {&sweep_options, &sweep_show_options},
     {"warpbeam sweep study.yaml --processes 8", "warpbeam sweep study.yaml --slurm --processes 64",
      "warpbeam sweep study.yaml --table --columns gpu,l2_bytes,kernels_cycles --where what=six/bfs",
      "warpbeam sweep study.yaml --plot study.html --x l2_bytes --y dram.reads --by what"}},
    {"compare",
     command_compare,
     "Show what differs between runs, the biggest difference first",
     {"A.json B.json [C.json]... [OPTION]..."},
     "Takes two to six JSON files that --stats wrote, - being standard input. First come knobs that differ, "
     "then totals, then "
     "counters "
     "of the kernels, those of one name together, and their ratios where there is one of the name. "
     "Differences "
     "are against the first file, what matters most first: a share by its difference, another ratio by which "
     "part the smaller one is less, a counter by its difference as a part of the largest counter of its "
     "component.",
     FILE_VALUE,
     {&compare_options},
     {"warpbeam compare global.json lvl.json --top 20"}},
    {"report",
     command_report,
     "Write a page for browsers that shows runs beside each other, and results of papers",
     {"[NAME=]RUN.json|FOLDER... [OPTION]..."},
     "Takes JSON files that --stats wrote (best with --detail, --blocks and --profile-lines), and folders "
     "that "
     "`warpbeam paper --out` filled. The page is one file and needs no network.",
     FILE_VALUE,
     {&report_options},
     {"warpbeam report global.json lvl.json -o both.html"}},
    {"list",
     command_list,
     "Show what there is: gpus, policies, knobs, statistics, workloads, papers ...",
     {"WHAT [WORD]... [OPTION]..."},
     "With words, only the entries that have all of them. Without anything, what can be listed.",
     LIST(""),
     {&list_options},
     {"warpbeam list knobs dram row"}},
    {"config",
     command_config,
     "Show a GPU's configuration with every value resolved",
     {"NAME [OPTION]..."},
     NULL,
     {VALUE_FILE_OR_LIST, "gpus"},
     {&config_options},
     {"warpbeam config h200"}},
    {"policy",
     command_policy,
     "Make a shared object of a policy's source, for --policy",
     {"build FILE.c [OPTION]..."},
     "A policy decides which warp issues, which block is next and where it goes: docs/POLICIES.md. Its "
     "source is what it would be inside of Warpbeam, with the .def of the same name beside it if it has "
     "knobs or counters. The object is of this version of Warpbeam, and refused by others. CC names the "
     "compiler; cc unless it is set.",
     FILE_VALUE,
     {&policy_options},
     {"warpbeam policy build throttle.c",
      "warpbeam run six/bfs --policy ./throttle.so --set block_admit=throttle"}},
    {"cilk",
     command_cilk,
     "Run a function of a Cilk program on a GPU with channels, or translate the program",
     {"FILE.c [OPTION]...", "FILE.ptx --call CALL [OPTION]..."},
     "Functions that spawn others become kernels that feed each other through channels: docs/CILK.md says "
     "how, and what of C is taken. The kernels are compiled by clang 14; CLANG names it, or it is clang.",
     FILE_VALUE,
     {&cilk_options, &running_options},
     {"warpbeam cilk fib.c --call 'fib(24)' --gpu apu8", "warpbeam cilk fib.c --call 'fib(24)' --host",
      "warpbeam cilk fib.c -o fib.ptx"}},
    {"ptx",
     command_ptx,
     "Read a PTX file and list its kernels and what they need",
     {"FILE [OPTION]..."},
     NULL,
     FILE_VALUE,
     {&ptx_command_options},
     {NULL}},
    {"demo",
     command_demo,
     "A wavefront under global barriers, nested launches and dependency graphs",
     {"[OPTION]..."},
     "Runs a sweep of successive over-relaxation in all ways that the Wireframe paper (MICRO 2017) compares, "
     "checks every result against one computed on the host, and shows what each way costs.",
     ANY,
     {&demo_options},
     {NULL}},
    {"completion",
     command_completion,
     "Print what makes a shell complete warpbeam's command lines",
     {"bash", "zsh"},
     "For bash: add `source <(warpbeam completion bash)` to ~/.bashrc. For zsh: write it to a file _warpbeam "
     "in a folder of $fpath.",
     WORDS("bash zsh"),
     {NULL},
     {NULL}},
    {"help",
     command_help,
     "Show how a command is used",
     {"[COMMAND]"},
     NULL,
     LIST("commands"),
     {&help_options},
     {NULL}},
};
const size_t command_count = sizeof commands / sizeof *commands;

const SettingVariable variables[] = {
    {"WARPBEAM_CONFIGS", "further folders with GPU configurations, colons between them"},
    {"WARPBEAM_GPU", "the GPU of `run` where --gpu is not given"},
    {"WARPBEAM_STATS", "as --stats, of CUDA programs that are run without this command"},
    {"WARPBEAM_TIMELINE", "as --timeline, of the same"},
    {"WARPBEAM_PROGRESS", "as --progress, of CUDA programs"},
    {"WARPBEAM_POLICY", "as --policy, before those: \"FILE.so;FILE.so\""},
    {"WARPBEAM_SET", "knobs of a CUDA program: \"KNOB=VALUE;KNOB=VALUE\"; --set comes after them"},
};
const size_t variable_count = sizeof variables / sizeof *variables;

const Command *command_find(const char *name)
{
    for (size_t i = 0; i < command_count; i++)
        if (strcmp(name, commands[i].name) == 0)
            return &commands[i];
    return NULL;
}

const char *option_short_name(const Option *option)
{
    return strcmp(option->name, "--out") == 0 ? "-o" : NULL;
}

bool option_is_called(const Option *option, const char *name)
{
    const char *short_name = option_short_name(option);
    return strcmp(name, option->name) == 0 || (short_name && strcmp(name, short_name) == 0);
}

const Option *command_option(const Command *command, const char *name)
{
    for (size_t g = 0; g < COMMAND_GROUPS && command->groups[g]; g++)
        for (size_t i = 0; i < command->groups[g]->count; i++)
            if (option_is_called(&command->groups[g]->options[i], name))
                return &command->groups[g]->options[i];
    return NULL;
}
