/* What native mode makes of a kernel, instruction by instruction: its issue slots, pipe and latency, its
 * blocks, and the PTX that it comes from. Beside it, `python3 scripts/native_table.py --file FILE.ptx KERNEL`
 * shows what the assembler makes of the same kernel, so that a difference in issued instructions can be found
 * block by block. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "exec/intrinsic.h"
#include "native/timing.h"

static uint64_t address_of(void *context, uint32_t number)
{
    (void)context;
    return 0x10000 + 0x1000 * (uint64_t)number;
}

static const Intrinsic *intrinsic_of(void *context, const char *name)
{
    (void)context;
    return intrinsic_find(name);
}

/* The first instruction of every block that a branch begins or ends. */
static bool *find_leaders(const Program *program)
{
    bool *leads = xcalloc(program->code_count + 1u, sizeof *leads);
    for (uint32_t i = 0; i < program->code_count; i++)
        if (program->code[i].action == ACTION_BRANCH)
            leads[program->code[i].target] = leads[i + 1] = true;
    return leads;
}

static const char *const pipes[PIPE_COUNT] = {
    [PIPE_INT] = "int ",    [PIPE_FP32] = "fp32", [PIPE_FP64] = "fp64",    [PIPE_SFU] = "sfu ",
    [PIPE_TENSOR] = "mma ", [PIPE_LSU] = "lsu ",  [PIPE_CONTROL] = "ctrl",
};

/* Instructions that unrolling made have only a mnemonic; all others show their line. */
static void print_insn(const Program *program, uint32_t i, const InsnTiming *timing)
{
    const Insn *insn = &program->code[i];
    size_t length = 0;
    const char *text = "end",
               *line = insn->ptx ? module_line(program->module, insn->ptx->place.line, &length) : NULL;
    while (length && (*line == ' ' || *line == '\t'))
        line++, length--;
    const bool is_made = insn->ptx && !strchr(insn->ptx->opcode, '.');
    if (is_made || !line)
        text = insn->ptx ? insn->ptx->opcode : text, length = strlen(text);
    else
        text = line;
    printf("%5u  %2u %s %3u  %.*s", i, timing->slots, pipes[timing->pipe], timing->latency, (int)length,
           text);
    if (insn->action == ACTION_BRANCH)
        printf("   -> %u", insn->target);
    printf("\n");
}

static void print_code(const Program *program, const ProgramTiming *timing)
{
    bool *leads = find_leaders(program);
    unsigned block = 0, all = 0;
    for (uint32_t i = 0; i <= program->code_count; i++) {
        if (i == program->code_count || (leads[i] && i > 0)) {
            printf("       %u in this block\n", block);
            block = 0;
        }
        if (i == program->code_count)
            break;
        print_insn(program, i, &timing->insns[i]);
        block += timing->insns[i].slots;
        all += timing->insns[i].slots;
    }
    printf("%u in all, %u registers\n", all, program->registers);
    xfree(leads);
}

static int fail(const char *sentence)
{
    fprintf(stderr, "%s\n", sentence);
    return 1;
}

int main(int count, char **arguments)
{
    Error error = {0};
    GpuConfig config;
    Module *module;
    Program *program;
    size_t length;
    if (count != 3 && count != 4)
        return fail("usage: machine_code FILE.ptx KERNEL [GPU]  (h200)");
    if (config_load(count > 3 ? arguments[3] : "h200", &config, &error) != WB_OK)
        return fail(error.text);
    config.machine_code = MACHINE_CODE_NATIVE;
    char *text = file_read("PTX file", arguments[1], &length, &error);
    if (!text)
        return fail(error.text);
    if (module_parse(arguments[1], text, length, &module, &error) != WB_OK)
        return fail(error.text);
    const uint32_t entry = module_find_function(module, arguments[2]);
    if (entry == NO_INDEX)
        return fail("The file has no such kernel.");
    const LinkEnvironment environment = {.variable_address = address_of,
                                         .function_address = address_of,
                                         .intrinsic = intrinsic_of,
                                         .width = 32,
                                         .contracts = true,
                                         .target = (uint32_t)config.compute_capability};
    if (program_link(module, entry, &environment, &program, &error) != WB_OK)
        return fail(error.text);
    ProgramTiming *timing = timing_create(program, &config);
    print_code(program, timing);
    timing_free(timing);
    program_free(program);
    module_free(module);
    xfree(text);
    return 0;
}
