/* Per instruction: what it reads and writes, what kind it is, and the numbers of PTX mode. */
#include "native/timing.h"

#include <string.h>

#include "exec/intrinsic.h"
#include "exec/matrix/matrix.h"
#include "native/native.h"
#include "native/work.h"

/* -- registers -- */

static bool is_listed(const uint16_t *registers, unsigned count, uint16_t reg)
{
    for (unsigned i = 0; i < count; i++)
        if (registers[i] == reg)
            return true;
    return false;
}

/* Slots of very large programs wrap around: that costs a wait too many now and then, never one too few. */
static uint16_t number_of(const Operand *operand)
{
    /* Registers and predicates share one row of numbers, which the scoreboard keeps. */
    const uint32_t base = operand->kind == OPERAND_PREDICATE ? FIRST_PREDICATE : 0;
    return (uint16_t)(base + operand->slot % FIRST_PREDICATE);
}

static void add_write(InsnTiming *to, uint16_t reg)
{
    if (is_listed(to->registers, to->write_count, reg))
        return;
    if (to->write_count < TIMING_REGISTERS)
        to->registers[to->write_count++] = reg;
    else
        to->drains = true;
}

static void add_read(InsnTiming *to, uint16_t reg)
{
    const unsigned count = (unsigned)to->write_count + to->read_count;
    if (is_listed(to->registers + to->write_count, to->read_count, reg))
        return;
    /* Too many to list: the instruction waits until everything under way has come, which is always right. */
    if (count == TIMING_REGISTERS) {
        to->drains = true;
        return;
    }
    to->registers[count] = reg;
    to->read_count++;
}

static bool is_register(const Operand *operand)
{
    return operand->kind == OPERAND_REGISTER || operand->kind == OPERAND_PREDICATE;
}

static bool reads_carry(const char *mnemonic)
{
    return !strcmp(mnemonic, "addc") || !strcmp(mnemonic, "subc") || !strcmp(mnemonic, "madc");
}

/* Of a call that the SM answers by itself: it waits for no more than it needs. */
static void list_call(const Call *call, InsnTiming *to)
{
    for (uint32_t i = 0; i < call->result_count; i++)
        if (is_register(&call->results[i].outside))
            add_write(to, number_of(&call->results[i].outside));
    for (uint32_t i = 0; i < call->argument_count; i++)
        if (is_register(&call->arguments[i].outside))
            add_read(to, number_of(&call->arguments[i].outside));
}

/* Other calls are left out: they wait for all that is pending. */
static void list_registers(const Program *program, const Insn *insn, InsnTiming *to)
{
    if (to->kind == CLASS_EXCHANGE)
        list_call(insn->call, to);
    if (insn->guard != NO_INDEX && (insn->action == ACTION_CALL || !insn->op))
        add_read(to, (uint16_t)(FIRST_PREDICATE + insn->guard % FIRST_PREDICATE));
    if (insn->action == ACTION_CALL || !insn->op)
        return;
    const Function *function = program->functions[insn->function].function;
    const unsigned written = isa_destination_count(&isa_rows[insn->row]);
    for (unsigned k = 0; k < insn->operand_count && k < written; k++)
        for (unsigned i = insn->begin[k]; i < insn->begin[k + 1]; i++)
            if (is_register(&insn->op[i]))
                add_write(to, number_of(&insn->op[i]));
    if (insn->ptx && function_has_mod(function, insn->ptx, MOD_cc))
        add_write(to, TIMING_CARRY);
    if (insn->guard != NO_INDEX)
        add_read(to, (uint16_t)(FIRST_PREDICATE + insn->guard % FIRST_PREDICATE));
    for (unsigned k = written; k < insn->operand_count; k++)
        for (unsigned i = insn->begin[k]; i < insn->begin[k + 1]; i++)
            if (is_register(&insn->op[i]))
                add_read(to, number_of(&insn->op[i]));
    if (insn->ptx && reads_carry(insn->ptx->mnemonic))
        add_read(to, TIMING_CARRY);
}

static void make_filter(InsnTiming *to)
{
    to->filter = 0;
    for (unsigned i = 0; i < (unsigned)to->write_count + to->read_count; i++)
        to->filter |= (uint64_t)1 << (to->registers[i] % 64);
}

void timing_inline_read(InsnTiming *timing, const Operand *operand)
{
    uint16_t *reads = &timing->registers[timing->write_count];
    const uint16_t reg = number_of(operand);
    for (unsigned i = 0; i < timing->operand_count; i++)
        if (reads[i] == reg) {
            reads[i] = reads[--timing->operand_count];
            reads[timing->operand_count] = reg;
            return;
        }
}

void timing_drop_write(InsnTiming *timing, const Operand *operand)
{
    const uint16_t reg = number_of(operand);
    unsigned i = 0;
    while (i < timing->write_count && timing->registers[i] != reg)
        i++;
    if (i == timing->write_count)
        return;
    const unsigned left = (unsigned)timing->write_count + timing->read_count - i - 1;
    memmove(&timing->registers[i], &timing->registers[i + 1], left * sizeof *timing->registers);
    timing->write_count--;
    make_filter(timing);
}

/* -- classes -- */

static InsnClass class_of(const Insn *insn)
{
    switch ((Action)insn->action) {
    case ACTION_BRANCH:
    case ACTION_BRANCH_TABLE:
        return CLASS_BRANCH;
    case ACTION_CALL:
        return insn->call->intrinsic && insn->call->intrinsic->steps != NO_STEPS ? CLASS_EXCHANGE
                                                                                 : CLASS_CALL;
    case ACTION_RETURN:
        /* Function 0 is the kernel: its return ends the thread. */
        return insn->function == 0 ? CLASS_EXIT : CLASS_CALL;
    case ACTION_EXIT:
    case ACTION_TRAP:
        return CLASS_EXIT;
    case ACTION_BARRIER:
    case ACTION_CLUSTER_BARRIER:
        return CLASS_BARRIER;
    case ACTION_FENCE:
        return CLASS_FENCE;
    case ACTION_LOAD:
    case ACTION_STORE:
    case ACTION_ATOMIC:
    case ACTION_PREFETCH:
    case ACTION_COPY_ASYNC:
    case ACTION_MBARRIER:
    case ACTION_LDMATRIX:
    case ACTION_WMMA_LOAD:
    case ACTION_WMMA_STORE:
    case ACTION_TEXTURE:
    case ACTION_SURFACE_LOAD:
    case ACTION_SURFACE_STORE:
        return CLASS_MEMORY;
    default:
        return CLASS_COMPUTE;
    }
}

/* -- PTX mode -- */

static bool is_one_of(const char *mnemonic, const char *const *names)
{
    for (; *names; names++)
        if (!strcmp(mnemonic, *names))
            return true;
    return false;
}

bool timing_multiplies(const Insn *insn)
{
    static const char *const names[] = {"mul", "mad", "madc", "mul24", "mad24", "dp4a", "dp2a", "vmad", NULL};
    return insn->unit == UNIT_INT && insn->ptx && is_one_of(insn->ptx->mnemonic, names);
}

/* Division and its kin, which take many instructions on every GPU. Approximations are work of the special
 * function unit. */
static bool divides(const Insn *insn)
{
    static const char *const names[] = {"div", "rem", "rcp", "sqrt", "rsqrt", NULL};
    return insn->unit != UNIT_SFU && insn->ptx && is_one_of(insn->ptx->mnemonic, names);
}

unsigned timing_tensor_interval(const Insn *insn, const GpuConfig *config)
{
    const Matrix *matrix = insn->detail;
    if (!matrix)
        return 1;
    const uint64_t products = (uint64_t)matrix->a.rows * matrix->a.cols * matrix->b.cols;
    const uint64_t bits = products * matrix->a.bits; /* narrower elements go faster in proportion */
    const uint64_t cycles = bits / 16 / config->tensor_lanes;
    return (unsigned)(cycles ? cycles : 1);
}

/* Occupation of a pipe by a division, in instructions: initiation intervals of GPGPU-Sim's GTX 480. */
enum { DIVIDE_INTERVALS = 8 };

static void time_division(const Insn *insn, const GpuConfig *config, InsnTiming *to)
{
    const uint64_t latency = insn->unit == UNIT_FP32   ? config->fp32_divide_latency
                             : insn->unit == UNIT_FP64 ? config->fp64_divide_latency
                                                       : config->int_divide_latency;
    to->latency = (uint16_t)latency;
    to->interval =
        (uint16_t)(to->interval * (insn->unit == UNIT_FP32 ? DIVIDE_INTERVALS / 2 : DIVIDE_INTERVALS));
}

static bool writes_predicate(const Insn *insn) { return isa_rows[insn->row].operands[0] == 'P'; }

static void time_exchange(const Insn *insn, const GpuConfig *config, InsnTiming *to)
{
    const WorkList list = work_of_exchange(insn, config);
    const unsigned shuffles = list.count[WORK_MEMORY], sums = list.count[WORK_INT];
    to->pipe = (uint8_t)work_pipe(WORK_MEMORY, config);
    to->slots = (uint8_t)work_total(&list);
    to->interval = (uint16_t)(shuffles * work_interval(WORK_MEMORY, config));
    to->latency =
        (uint16_t)(shuffles * work_latency(WORK_MEMORY, config) + sums * work_latency(WORK_INT, config));
}

static void time_as_ptx(const Insn *insn, const GpuConfig *config, InsnTiming *to)
{
    Work work = timing_multiplies(insn) ? WORK_MULTIPLY : work_of_unit((Unit)insn->unit);
    to->pipe = (uint8_t)work_pipe(work, config);
    to->interval = (uint16_t)work_interval(work, config);
    to->latency = (uint16_t)work_latency(work, config);
    to->slots = 1;
    if (to->kind == CLASS_EXCHANGE) {
        time_exchange(insn, config, to);
    } else if (insn->action == ACTION_MMA) {
        to->interval = (uint16_t)timing_tensor_interval(insn, config);
        to->latency = (uint16_t)(to->latency + to->interval);
    } else if (divides(insn)) {
        time_division(insn, config, to);
    } else if (writes_predicate(insn) && config->predicate_latency) {
        to->latency = (uint16_t)config->predicate_latency;
    }
    mix_put(&to->mix, (SlotKind)to->pipe, to->slots);
}

static void give_addresses(ProgramTiming *timing, uint32_t count, bool is_native)
{
    uint32_t address = 0;
    for (uint32_t i = 0; i < count; i++) {
        InsnTiming *insn = &timing->insns[i];
        insn->words = is_native ? insn->slots : 1;
        insn->address = address;
        address += insn->words;
    }
    timing->insns[count].address = UINT32_MAX;
}

ProgramTiming *timing_create(const Program *program, const GpuConfig *config)
{
    ProgramTiming *timing = xcalloc(1, sizeof *timing);
    timing->program = program;
    timing->insns = xcalloc((size_t)program->code_count + 1, sizeof *timing->insns);
    for (uint32_t i = 0; i < program->code_count; i++) {
        const Insn *insn = &program->code[i];
        InsnTiming *to = &timing->insns[i];
        to->kind = (uint8_t)class_of(insn);
        list_registers(program, insn, to);
        make_filter(to);
        to->operand_count = to->read_count;
        time_as_ptx(insn, config, to);
    }
    if (config->machine_code == MACHINE_CODE_NATIVE)
        native_lower(program, config, timing->insns);
    give_addresses(timing, program->code_count, config->machine_code == MACHINE_CODE_NATIVE);
    return timing;
}

void timing_free(ProgramTiming *timing)
{
    if (!timing)
        return;
    for (uint32_t i = 0; i < timing->program->code_count; i++)
        xfree(timing->insns[i].steps);
    xfree(timing->insns);
    xfree(timing);
}
