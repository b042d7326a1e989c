/* Any two policies work together: for each pair of policies of different kinds there is a run with both, whose
 * results are right and whose report is the same on 1, 2, 3 and 8 threads.
 *
 * A run chooses a policy of every kind, so it covers many pairs at once. Runs are added until all pairs are
 * covered, with policies that the build finds and sums of admission policies. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph_nodes.h"
#include "grid/policy_kinds.h"

enum { MOST_KINDS = 8, MOST_CHOICES = 32 };

/* -- what is chosen -- */

/* Admission policies that are used together. */
static const char *const sums[] = {"claso+dyncta"};

typedef struct Kind {
    const char *knob, *names[MOST_CHOICES];
    size_t count;
} Kind;

/* The number of the chosen policy of each kind. */
typedef struct Choice {
    size_t of[MOST_KINDS];
} Choice;

static Kind kinds[MOST_KINDS];
static size_t kind_count;
static bool is_covered[MOST_KINDS][MOST_CHOICES][MOST_KINDS][MOST_CHOICES];

static void find_policies(void)
{
    kind_count = policy_kind_count;
    assert_true(kind_count <= MOST_KINDS);
    for (size_t k = 0; k < kind_count; k++) {
        Kind *kind = &kinds[k];
        kind->knob = policy_kinds[k]->knob;
        for (Policy policy; (policy = policy_kinds[k]->at(kind->count)).name;)
            kind->names[kind->count++] = policy.name;
        for (size_t i = 0; strcmp(kind->knob, "block_admit") == 0 && i < sizeof sums / sizeof *sums; i++)
            kind->names[kind->count++] = sums[i];
        assert_true(kind->count <= MOST_CHOICES);
    }
}

/* New pairs that a policy makes with those of the first `known` kinds of `order`. */
static size_t count_new(const Choice *choice, const size_t *order, size_t known, size_t k, size_t policy)
{
    size_t count = 0;
    for (size_t i = 0; i < known; i++)
        count += !is_covered[order[i]][choice->of[order[i]]][k][policy];
    return count;
}

static void cover(const Choice *choice)
{
    for (size_t a = 0; a < kind_count; a++)
        for (size_t b = 0; b < kind_count; b++)
            is_covered[a][choice->of[a]][b][choice->of[b]] = true;
}

/* The first pair that is not covered, and of the other kinds the policies with which most is. */
static Choice complete(size_t a, size_t policy_a, size_t b, size_t policy_b)
{
    Choice choice = {0};
    size_t order[MOST_KINDS] = {a, b}, known = 2;
    choice.of[a] = policy_a;
    choice.of[b] = policy_b;
    for (size_t k = 0; k < kind_count; k++) {
        if (k == a || k == b)
            continue;
        for (size_t policy = 0; policy < kinds[k].count; policy++)
            if (count_new(&choice, order, known, k, policy) >
                count_new(&choice, order, known, k, choice.of[k]))
                choice.of[k] = policy;
        order[known++] = k;
    }
    return choice;
}

static bool choose(Choice *choice)
{
    for (size_t a = 0; a < kind_count; a++)
        for (size_t i = 0; i < kinds[a].count; i++)
            for (size_t b = a + 1; b < kind_count; b++)
                for (size_t j = 0; j < kinds[b].count; j++)
                    if (!is_covered[a][i][b][j]) {
                        *choice = complete(a, i, b, j);
                        cover(choice);
                        return true;
                    }
    return false;
}

/* -- what runs -- */

/* Blocks pass words on through shared memory, behind barriers, and loop as often as their words say. Two such
 * grids run side by side. */
static const char source[] = PTX_HEADER
    ".visible .entry k(.param .u64 words) {\n.shared .align 4 .b8 box[384];\n"
    ".reg .b32 %r<16>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
    "ld.param.u64 %rd0, [words]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;\n"
    "mad.lo.u32 %r2, %r1, 96, %r0; mul.wide.u32 %rd1, %r2, 4; add.u64 %rd1, %rd0, %rd1;\n"
    "ld.global.u32 %r3, [%rd1]; and.b32 %r4, %r3, 7; mov.u32 %r5, box; shl.b32 %r6, %r0, 2;\n"
    "add.u32 %r6, %r5, %r6; xor.b32 %r7, %r0, 32; shl.b32 %r7, %r7, 2; add.u32 %r7, %r5, %r7;\n"
    "setp.lt.u32 %p0, %r0, 64;\n"
    "LOOP: mad.lo.u32 %r3, %r3, 5, %r4; sub.u32 %r4, %r4, 1; setp.ge.s32 %p1, %r4, 0; @%p1 bra LOOP;\n"
    "st.shared.u32 [%r6], %r3; bar.sync 0; mov.u32 %r8, %r3; @%p0 ld.shared.u32 %r8, [%r7];\n"
    "bar.sync 0; add.u32 %r3, %r3, %r8; st.global.u32 [%rd1], %r3; ret; }\n";

enum { BLOCKS = 14, THREADS = 96, GRIDS = 2, WORDS = BLOCKS * THREADS };

static uint32_t first_word(uint32_t i) { return i * 2654435761u >> 9; }

static uint32_t loop_word(uint32_t i)
{
    uint32_t word = first_word(i);
    for (int rounds = (int)(word & 7); rounds >= 0; rounds--)
        word = word * 5 + (uint32_t)rounds;
    return word;
}

static void check_words(const uint32_t *words, uint32_t grid)
{
    for (uint32_t i = 0; i < WORDS; i++) {
        const uint32_t thread = i % THREADS, at = grid * WORDS + i;
        const uint32_t other = thread < 64 ? at - thread + (thread ^ 32) : at;
        assert_int_equal(words[i], loop_word(at) + loop_word(other));
    }
}

static void must(WbGpu *gpu, WbStatus status)
{
    if (status != WB_OK)
        fail_msg("%s", wb_error(gpu));
}

static void run_grids(WbGpu *gpu)
{
    WbModule *module;
    WbKernel *kernel;
    uint32_t words[GRIDS][WORDS];
    uint64_t at[GRIDS];
    must(gpu, wb_module_load(gpu, "pairs.ptx", source, strlen(source), &module));
    must(gpu, wb_module_kernel(module, "k", &kernel));
    for (uint32_t grid = 0; grid < GRIDS; grid++) {
        WbStream *stream;
        for (uint32_t i = 0; i < WORDS; i++)
            words[grid][i] = first_word(grid * WORDS + i);
        must(gpu, wb_stream_create(gpu, WB_STREAM_NON_BLOCKING, 0, &stream));
        must(gpu, wb_malloc(gpu, sizeof words[grid], &at[grid]));
        must(gpu, wb_copy_to_device(gpu, at[grid], words[grid], sizeof words[grid]));
        WbArgument argument = WB_ARG(at[grid]);
        const WbLaunch launch = {
            .grid = {BLOCKS, 1, 1}, .block = {THREADS, 1, 1}, .arguments = &argument, .argument_count = 1};
        must(gpu, wb_stream_launch(stream, kernel, &launch));
    }
    must(gpu, wb_wait(gpu));
    for (uint32_t grid = 0; grid < GRIDS; grid++) {
        must(gpu, wb_copy_from_device(gpu, words[grid], at[grid], sizeof words[grid]));
        check_words(words[grid], grid);
    }
    wb_module_unload(module);
}

static void run_graph(WbGpu *gpu)
{
    NodeGraph graph = node_graph_wavefront(3, 3);
    WbGraph *dependencies = node_graph_dependencies(gpu, &graph);
    node_run_ok(&(NodeRun){.gpu = gpu, .graph = &graph, .dependencies = dependencies});
    wb_graph_destroy(dependencies);
    node_graph_free(&graph);
}

/* -- all of it -- */

/* Small groups and limits, so that they matter on a small SM; what a policy does in two ways it does in one
 * half of its runs each. */
static const char *const common[] = {
    "mode=cycle",    "sm_count=3",         "max_blocks_per_sm=4", "two_level_group=2",     "owl_group=1",
    "catls_group=1", "dyncta_interval=64", "dyncta_memory_low=8", "dyncta_memory_high=16", "dyncta_idle=4"};
static const char *const other_ways[] = {"two_level_fills=false", "owl_preempts=false", "owl_orders=2",
                                         "catls_long_waits=true", "claso_loose=1"};
enum { COMMON = sizeof common / sizeof *common, OTHER_WAYS = sizeof other_ways / sizeof *other_ways };

static void run_with(const Choice *choice, bool other_way, const char *threads, char **first)
{
    char chosen[MOST_KINDS][128];
    const char *knobs[COMMON + OTHER_WAYS + MOST_KINDS + 2] = {threads};
    size_t count = 1;
    for (size_t i = 0; i < COMMON; i++)
        knobs[count++] = common[i];
    for (size_t i = 0; other_way && i < OTHER_WAYS; i++)
        knobs[count++] = other_ways[i];
    for (size_t k = 0; k < kind_count; k++) {
        snprintf(chosen[k], sizeof chosen[k], "%s=%s", kinds[k].knob, kinds[k].names[choice->of[k]]);
        knobs[count++] = chosen[k];
    }
    WbGpu *gpu = harness_open("c2050", knobs);
    run_grids(gpu);
    run_graph(gpu);
    harness_same_report(gpu, "kernels", first);
    for (size_t k = 0; k < kind_count; k++) {
        snprintf(chosen[k], sizeof chosen[k], "\"%s\": \"%s\"", kinds[k].knob, kinds[k].names[choice->of[k]]);
        assert_non_null(strstr(*first, chosen[k]));
    }
    wb_gpu_close(gpu);
}

static void any_two_policies_work_together(void **state)
{
    (void)state;
    static const char *const threads[] = {"threads=1", "threads=2", "threads=3", "threads=8"};
    find_policies();
    size_t runs = 0;
    for (Choice choice; choose(&choice); runs++) {
        char *first = NULL;
        for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
            run_with(&choice, runs % 2, threads[i], &first);
        free(first);
    }
    for (size_t a = 0; a < kind_count; a++)
        for (size_t b = 0; b < a; b++)
            assert_true(runs >= kinds[a].count * kinds[b].count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_two_policies_work_together)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
