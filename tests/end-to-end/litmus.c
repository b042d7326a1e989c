#include "litmus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"
#include "mem/interleave.h"

enum {
    WORDS = 3,
    MEMORY_BYTES = 1 << 18,
    NOISE_BLOCKS = 4,
    BLOCK_WARPS = LITMUS_ROLES,
    TURNS = 32, /* of a longer and a shorter loop together */
    SLED = 16,
    PATIENCE = 10, /* times as many runs as were asked for, at most */
    LATEST = 1500, /* cycles */
    SOURCE_SIZE = 1 << 14,
    OUTCOMES = 256
};

/* What a launch is given, as it lies in device memory. */
typedef struct Script {
    uint64_t words[WORDS];
    uint64_t noise[WORDS];            /* lines of the words' slices */
    uint32_t delays[LITMUS_ROLES][4]; /* late start, turns of the two loops, place in the sled */
    uint32_t results[LITMUS_ROLES][LITMUS_RESULTS];
    uint32_t sms[LITMUS_ROLES];
} Script;

/* A run's outcome: the values of the terms. */
typedef struct Outcome {
    uint32_t values[LITMUS_TERMS];
} Outcome;

typedef struct Bench {
    const Litmus *litmus;
    WbGpu *gpu;
    WbModule *module;
    WbKernel *kernel;
    uint64_t memory, script;
    Script prepared;
    uint32_t blocks;
    Outcome outcomes[OUTCOMES];
    uint32_t outcome_count;
} Bench;

static void must(WbGpu *gpu, WbStatus status)
{
    if (status != WB_OK)
        fail_msg("%s", wb_error(gpu));
}

/* -- the program -- */

static uint32_t block_of(const WbGpu *gpu, LitmusPlace place)
{
    return place == FIRST_SM       ? 0
           : place == FIRST_SM_TOO ? (uint32_t)gpu->config.sm_count
                                   : (uint32_t)(place - SECOND_SM) + 1;
}

/* Roles in one block have different warps. */
static uint32_t warp_of(const Litmus *litmus, uint32_t role)
{
    uint32_t warp = 0;
    for (uint32_t i = 0; i < role; i++)
        warp += litmus->roles[i].place == litmus->roles[role].place;
    return warp;
}

static const char prologue[] =
    ".version 8.3\n.target sm_90\n.address_size 64\n"
    ".visible .entry litmus(.param .u64 script)\n{\n"
    ".reg .b64 %%s, %%x, %%y, %%z, %%a, %%b, %%c; .reg .pred %%p, %%q;\n"
    ".reg .b32 %%r<4>, %%t, %%w, %%n, %%m, %%k, %%u<16>, %%block, %%thread, %%warp, %%lane;\n"
    "ld.param.u64 %%s, [script];\n"
    "mov.u32 %%block, %%ctaid.x; mov.u32 %%thread, %%tid.x;\n"
    "div.u32 %%warp, %%thread, %u; rem.u32 %%lane, %%thread, %u; mov.u32 %%w, 0; mov.u32 %%u1, 5;\n"
    "mov.u32 %%r0, 0; mov.u32 %%r1, 0; mov.u32 %%r2, 0; mov.u32 %%r3, 0;\n"
    "setp.ge.u32 %%p, %%block, %u; @%%p bra NOISE;\n"
    "setp.ne.u32 %%p, %%lane, 0; @%%p exit;\n"
    "ld.global.cg.u64 %%x, [%%s]; ld.global.cg.u64 %%y, [%%s+8]; ld.global.cg.u64 %%z, [%%s+16];\n"
    "mad.lo.u32 %%t, %%block, 4, %%warp;\n";

/* Until cycle %b or a little later, with as few instructions as can be: divisions take long. */
static const char sleep_text[] = "SLEEP: div.u32 %u1, %u1, %u1; add.u32 %u1, %u1, 5;\n"
                                 "mov.u64 %c, %clock64; setp.lt.u64 %p, %c, %b; @%p bra SLEEP;\n";

/* Roles begin together, some time after the blocks have. Then time passes: in turns of two loops whose
 * lengths differ by an addition, and in a sled of additions that do not wait for each other. */
static const char role_text[] =
    "ROLE%u: {\n"
    "mov.u64 %%a, %%clock64;\n"
    "ld.global.cg.v4.u32 {%%u0, %%n, %%m, %%k}, [%%s+%u];\n"
    "mov.u32 %%t, %%smid; st.global.u32 [%%s+%u], %%t;\n"
    "%s\n"
    "and.b32 %%w, %%w, 0; add.u32 %%n, %%n, %%w; mov.u32 %%t, 0;\n"
    "cvt.u64.u32 %%b, %%u0; add.u64 %%a, %%a, %%b; add.u64 %%b, %%a, 1400; add.u64 %%a, %%a, 2000;\n"
    "%s"
    "START: mov.u64 %%b, %%clock64; setp.lt.u64 %%p, %%b, %%a; @%%p bra START;\n"
    "LONG: setp.eq.u32 %%p, %%n, 0; @%%p bra SHORT; sub.u32 %%n, %%n, 1; add.u32 %%n, %%n, %%t; bra LONG;\n"
    "SHORT: setp.eq.u32 %%p, %%m, 0; @%%p bra JUMP; sub.u32 %%m, %%m, 1; bra SHORT;\n"
    "JUMP:\n%s"
    "CODE:\n%s\n"
    "st.global.v4.u32 [%%s+%u], {%%r0, %%r1, %%r2, %%r3};\n"
    "exit;\n}\n";

/* Compare-and-swaps of several lanes at one word keep a slice's writing unit busy while the roles run. */
static const char noise_text[] = "NOISE: setp.ge.u32 %%p, %%lane, 8; @%%p exit;\n"
                                 "mov.u64 %%b, %%clock64; add.u64 %%y, %%b, 4200; add.u64 %%b, %%b, 1400;\n"
                                 "%s"
                                 "rem.u32 %%t, %%warp, 3; mul.wide.u32 %%a, %%t, 8; add.u64 %%a, %%a, %%s; "
                                 "ld.global.cg.u64 %%a, [%%a+24];\n"
                                 "MORE: atom.global.cas.b32 %%t, [%%a], 0, 0; add.u32 %%n, %%t, 1;\n"
                                 "mov.u64 %%x, %%clock64; setp.lt.u64 %%p, %%x, %%y; @%%p bra MORE;\n"
                                 "exit;\n}\n";

static void append(char *text, const char *more)
{
    const size_t length = strlen(text);
    assert_true(length + strlen(more) < SOURCE_SIZE);
    strcpy(text + length, more);
}

/* Entered at a place that a register chooses. */
static void write_sled(char *text)
{
    strcpy(text, "TABLE: .branchtargets ");
    for (uint32_t i = 0; i < SLED; i++)
        sprintf(text + strlen(text), "S%u%s", i, i + 1 < SLED ? ", " : ";\nbrx.idx %k, TABLE;\n");
    for (uint32_t i = 0; i < SLED; i++)
        sprintf(text + strlen(text), "S%u: add.u32 %%u%u, %%lane, %u;\n", i, i, i);
}

static void write_program(Bench *bench, char *text)
{
    const Litmus *litmus = bench->litmus;
    const uint32_t width = (uint32_t)bench->gpu->config.warp_width;
    static char part[SOURCE_SIZE], sled[SOURCE_SIZE / 8];
    write_sled(sled);
    snprintf(text, SOURCE_SIZE, prologue, width, width, bench->blocks);
    for (uint32_t i = 0; i < litmus->role_count; i++) {
        snprintf(part, sizeof part, "setp.eq.u32 %%p, %%t, %u; @%%p bra ROLE%u;\n",
                 block_of(bench->gpu, litmus->roles[i].place) * 4 + warp_of(litmus, i), i);
        append(text, part);
    }
    append(text, "exit;\n");
    for (uint32_t i = 0; i < litmus->role_count; i++) {
        const LitmusRole *role = &litmus->roles[i];
        snprintf(part, sizeof part, role_text, i, (unsigned)offsetof(Script, delays[i]),
                 (unsigned)offsetof(Script, sms[i]), role->warm ? role->warm : "", sleep_text, sled,
                 role->code, (unsigned)offsetof(Script, results[i]));
        append(text, part);
    }
    snprintf(part, sizeof part, noise_text, sleep_text);
    append(text, part);
}

/* -- running -- */

/* The first line from `from` on in slice `slice`, or, with `other`, in none of the slices before it. */
static uint64_t find_line(const Bench *bench, const Interleave *interleave, uint64_t from, uint32_t slice,
                          bool other)
{
    for (uint64_t line = from; line < bench->memory + MEMORY_BYTES; line += LINE_BYTES)
        if ((interleave_slice(interleave, line) == slice) != other)
            return line;
    fail_msg("all lines are in slice %u", slice);
    return 0;
}

/* Words in three lines, no two neighbours of one slice, and further lines of their slices. */
static void place_words(Bench *bench)
{
    Interleave interleave;
    interleave_init(&interleave, &bench->gpu->config, 0);
    Script *script = &bench->prepared;
    const bool single = bench->gpu->config.l2_slices == 1;
    script->words[0] = bench->memory;
    for (int i = 1; i < WORDS; i++)
        script->words[i] = find_line(bench, &interleave, script->words[i - 1] + LINE_BYTES,
                                     interleave_slice(&interleave, script->words[i - 1]), !single);
    for (int i = 0; i < WORDS; i++)
        script->noise[i] = find_line(bench, &interleave, script->words[WORDS - 1] + LINE_BYTES,
                                     interleave_slice(&interleave, script->words[i]), false);
}

static void open_bench(Bench *bench)
{
    WbGpu *gpu = bench->gpu;
    static char text[SOURCE_SIZE];
    for (uint32_t i = 0; i < bench->litmus->role_count; i++) {
        const uint32_t block = block_of(gpu, bench->litmus->roles[i].place);
        bench->blocks = block >= bench->blocks ? block + 1 : bench->blocks;
    }
    write_program(bench, text);
    must(gpu, wb_module_load(gpu, bench->litmus->name, text, strlen(text), &bench->module));
    must(gpu, wb_module_kernel(bench->module, "litmus", &bench->kernel));
    must(gpu, wb_malloc(gpu, MEMORY_BYTES, &bench->memory));
    must(gpu, wb_malloc(gpu, sizeof(Script), &bench->script));
    place_words(bench);
}

static void close_bench(Bench *bench)
{
    must(bench->gpu, wb_free(bench->gpu, bench->memory));
    must(bench->gpu, wb_free(bench->gpu, bench->script));
    wb_module_unload(bench->module);
}

static uint32_t draw(uint32_t *random)
{
    *random = *random * 1664525u + 1013904223u;
    return *random >> 16;
}

static void run_once(Bench *bench, uint32_t *random, Script *after, uint32_t *words)
{
    WbGpu *gpu = bench->gpu;
    Script script = bench->prepared;
    for (uint32_t i = 0; i < LITMUS_ROLES; i++) {
        const uint32_t late = draw(random) % (2 * LATEST);
        script.delays[i][0] = late < LATEST ? late : 0;
        script.delays[i][1] = draw(random) % (TURNS + 1);
        script.delays[i][2] = TURNS - script.delays[i][1];
        script.delays[i][3] = draw(random) % SLED;
    }
    must(gpu, wb_set_device(gpu, bench->memory, 0, MEMORY_BYTES));
    must(gpu, wb_copy_to_device(gpu, bench->script, &script, sizeof script));
    const WbArgument argument = WB_ARG(bench->script);
    const uint32_t threads = BLOCK_WARPS * (uint32_t)gpu->config.warp_width;
    const uint32_t blocks = bench->blocks + (bench->litmus->noise ? NOISE_BLOCKS : 0);
    must(gpu, wb_launch(bench->kernel, &(WbLaunch){.grid = {blocks, 1, 1},
                                                   .block = {threads, 1, 1},
                                                   .arguments = &argument,
                                                   .argument_count = 1}));
    must(gpu, wb_wait(gpu));
    must(gpu, wb_copy_from_device(gpu, after, bench->script, sizeof *after));
    for (int i = 0; i < WORDS; i++)
        must(gpu, wb_copy_from_device(gpu, &words[i], script.words[i], sizeof words[i]));
    wb_stats_reset(gpu);
}

/* Blocks go round the SMs, from where the last launch ended. */
static void check_places(const Bench *bench, const Script *after)
{
    const Litmus *litmus = bench->litmus;
    const uint32_t count = (uint32_t)bench->gpu->config.sm_count;
    const uint32_t first = after->sms[0] + count - block_of(bench->gpu, litmus->roles[0].place) % count;
    for (uint32_t i = 0; i < litmus->role_count; i++)
        assert_int_equal(after->sms[i], (first + block_of(bench->gpu, litmus->roles[i].place)) % count);
}

static void note_outcome(Bench *bench, const Outcome *outcome)
{
    for (uint32_t i = 0; i < bench->outcome_count; i++)
        if (memcmp(&bench->outcomes[i], outcome, sizeof *outcome) == 0)
            return;
    assert_true(bench->outcome_count < OUTCOMES);
    bench->outcomes[bench->outcome_count++] = *outcome;
}

/* What must come has not come so far. */
static bool is_wanting(const Bench *bench, uint32_t most)
{
    const bool must_come = bench->litmus->verdict == SEEN && bench->gpu->config.l1_global;
    return most + !must_come < bench->litmus->terms;
}

/* Which terms of the outcome that the test asks for held together at most, counted from the first. */
static uint32_t collect(Bench *bench, uint32_t runs)
{
    const Litmus *litmus = bench->litmus;
    uint32_t random = 1, words[WORDS], most = 0;
    for (uint32_t run = 0; run < runs || (run < PATIENCE * runs && is_wanting(bench, most)); run++) {
        Script after;
        Outcome outcome = {{0}};
        run_once(bench, &random, &after, words);
        check_places(bench, &after);
        uint32_t held = 0;
        for (uint32_t i = 0; i < litmus->terms; i++) {
            const LitmusTerm *term = &litmus->outcome[i];
            outcome.values[i] =
                term->role == IN_MEMORY ? words[term->index] : after.results[term->role][term->index];
            held += held == i && outcome.values[i] == term->value;
        }
        note_outcome(bench, &outcome);
        most = held > most ? held : most;
    }
    return most;
}

static void describe(const Bench *bench, char *text, size_t size)
{
    size_t length = 0;
    for (uint32_t i = 0; i < bench->outcome_count; i++) {
        length += (size_t)snprintf(text + length, size - length, "%s", i ? ", " : "");
        for (uint32_t k = 0; k < bench->litmus->terms && length < size - 16; k++)
            length += (size_t)snprintf(text + length, size - length, k ? " %u" : "%u",
                                       bench->outcomes[i].values[k]);
    }
}

const char *litmus_run(const Litmus *litmus, WbGpu *gpu, uint32_t runs)
{
    static char complaint[2048];
    Bench bench = {.litmus = litmus, .gpu = gpu};
    open_bench(&bench);
    const uint32_t held = collect(&bench, runs);
    close_bench(&bench);
    const bool came = held == litmus->terms;
    const bool is_unseen = litmus->verdict == UNSEEN && gpu->config.l2_halves == 1;
    const char *wrong = came && litmus->verdict == FORBIDDEN ? "an outcome came that is forbidden"
                        : came && is_unseen                  ? "an outcome came that is said not to"
                        : !came && litmus->verdict == SEEN && gpu->config.l1_global
                            ? "the weak outcome did not come"
                        : held + 1 < litmus->terms ? "the delays do not even lead up to the outcome"
                                                   : NULL;
    char outcomes[1024] = "";
    describe(&bench, outcomes, sizeof outcomes);
    if (getenv("LITMUS_OUTCOMES"))
        print_message("%s on %s: %s\n", litmus->name, gpu->config.name, outcomes);
    snprintf(complaint, sizeof complaint, "%s on %s: %s; outcomes were %s", litmus->name, gpu->config.name,
             wrong ? wrong : "", outcomes);
    return wrong ? complaint : NULL;
}
