/* One instruction of PTX at a time: its row of table.def says what it becomes, and rules say it of
 * what a table cannot hold. Costs of the pieces then add up to those of the instruction. */
#include "native/native.h"

#include <string.h>

#include "exec/access.h"

/* -- the table -- */

enum { PLAIN = 0, FLUSH = 1, IMMEDIATE = 2, REPEATED = 4 };

typedef struct NativeRow {
    uint16_t row;
    uint8_t variant;
    const char *slots[2], *chain[2]; /* sm_75, sm_90 */
} NativeRow;

static const NativeRow native_rows[] = {
#define NATIVE(row, variant, slots75, chain75, slots90, chain90)                                             \
    {ROW_##row, variant, {slots75, slots90}, {chain75, chain90}},
#include "native/table.def"
#undef NATIVE
};

enum { NATIVE_ROWS = sizeof native_rows / sizeof *native_rows };

/* Entries are in the order of the instruction table, so that those of a row are neighbours. */
static const NativeRow *find_row(uint16_t row, uint8_t variant)
{
    unsigned low = 0, high = NATIVE_ROWS;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (native_rows[middle].row < row)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < NATIVE_ROWS && native_rows[low].row == row; low++)
        if (native_rows[low].variant == variant)
            return &native_rows[low];
    return NULL;
}

NativeForm native_form_of(const char *slots, const char *chain)
{
    return (NativeForm){.slots = work_parse(slots), .chain = work_parse(chain)};
}

uint32_t native_register(const NativeFunction *f, const Insn *insn, unsigned k)
{
    if (!insn->ptx || k >= insn->ptx->operand_count)
        return NO_INDEX;
    const PtxOperand *operand = &f->function->operands[insn->ptx->first_operand + k];
    if (operand->kind == PTX_ADDRESS)
        operand = &f->function->operands[operand->first];
    return operand->kind == PTX_REGISTER ? operand->index : NO_INDEX;
}

bool native_is_immediate(const Insn *insn, unsigned k)
{
    return k < insn->operand_count && insn->op[insn->begin[k]].kind == OPERAND_IMMEDIATE;
}

static bool last_is_immediate(const Insn *insn)
{
    unsigned k = insn->operand_count;
    while (k > 1 && insn->op[insn->begin[k - 1]].kind == OPERAND_PREDICATE)
        k--;
    return k > 1 && native_is_immediate(insn, k - 1);
}

NativeForm native_single(Work work)
{
    NativeForm form = {0};
    form.slots.count[work] = form.chain.count[work] = 1;
    return form;
}

NativeForm native_copies(void) { return (NativeForm){.skips_unit = true}; }

/* A predicate takes longer to become a guard than an operand. The table has guards; rows that it leaves
 * out have neither. */
static void settle_predicate(NativeForm *form, bool is_guard)
{
    uint8_t *const guards = &form->chain.count[WORK_PREDICATE], *const operands =
                                                                    &form->chain.count[WORK_INT];
    if (!is_guard && *guards) {
        (*guards)--;
        (*operands)++;
    } else if (is_guard && !*guards && *operands) {
        (*operands)--;
        (*guards)++;
    }
}

static bool divides_words(const Insn *insn)
{
    return insn->row == ROW_div_u32 || insn->row == ROW_div_s32 || insn->row == ROW_rem_u32 ||
           insn->row == ROW_rem_s32;
}

static bool divides_signed(const Insn *insn) { return insn->row == ROW_div_s32 || insn->row == ROW_rem_s32; }

/* Whether a division before this one in its block has the same divisor, of which it left the reciprocal. */
static bool divided_before(const NativeFunction *f, uint32_t at, uint32_t divisor)
{
    for (uint32_t i = at; f->is_hopper && i-- > 0 && f->block[i] == f->block[at];)
        if (divides_words(&f->code[i]) && divides_signed(&f->code[i]) == divides_signed(&f->code[at]) &&
            native_register(f, &f->code[i], 2) == divisor)
            return true;
    return false;
}

/* Divisions by what does not change: the assembler works out the reciprocal before the loop, or once. */
static bool keeps_reciprocal(const NativeFunction *f, const Insn *insn)
{
    const bool divides = divides_words(insn);
    const uint32_t divisor = divides ? native_register(f, insn, 2) : NO_INDEX;
    const uint32_t i = (uint32_t)(insn - f->code);
    if (divides && native_is_immediate(insn, 2))
        return f->loop[i] != NO_INDEX;
    if (divisor == NO_INDEX || f->registers[divisor].definitions != 1)
        return false;
    /* Written once and before the loop: the value does not change in it. */
    const bool stays = f->loop[i] != NO_INDEX && f->registers[divisor].definition < f->loop[i];
    return stays || divided_before(f, i, divisor);
}

/* Two words side by side, or the upper one of two. */
static bool is_packing(const Insn *insn)
{
    const unsigned last = insn->operand_count;
    if (insn->row == ROW_shr_u64)
        return native_is_immediate(insn, 2) && insn->op[insn->begin[2]].value == 32;
    return insn->row == ROW_bfi_b64 && native_is_immediate(insn, last - 1) &&
           native_is_immediate(insn, last - 2) && insn->op[insn->begin[last - 1]].value == 32 &&
           insn->op[insn->begin[last - 2]].value == 32;
}

static NativeForm lower_by_table(const NativeFunction *f, const Insn *insn)
{
    uint8_t variant = insn->mods.ftz ? FLUSH : PLAIN;
    if (insn->unit == UNIT_INT && last_is_immediate(insn))
        variant |= IMMEDIATE;
    if (is_packing(insn))
        return native_copies();
    /* Rows are written by scripts/native_table.py, from what the assembler made of each instruction. */
    const NativeRow *row = find_row(insn->row, keeps_reciprocal(f, insn) ? REPEATED : variant);
    NativeForm form = row ? native_form_of(row->slots[f->is_hopper], row->chain[f->is_hopper])
                          : native_single(work_of_unit((Unit)insn->unit));
    form.slots.count[WORK_UNIFORM] =
        (uint8_t)(form.slots.count[WORK_UNIFORM] + native_extra_constants(f, insn));
    const uint32_t result = native_register(f, insn, 0);
    if (isa_rows[insn->row].operands[0] == 'P' && result != NO_INDEX)
        settle_predicate(&form, f->registers[result].is_guard);
    return form;
}

/* -- what the table cannot hold -- */

/* cvta between global and generic is a move; between shared or local and generic a window's base is added. */
static NativeForm lower_address(const NativeFunction *f, const Insn *insn)
{
    if (strcmp(insn->ptx->mnemonic, "cvta") != 0)
        return native_single(WORK_INT);
    if (insn->action == ACTION_LANE || function_has_mod(f->function, insn->ptx, MOD_to))
        return native_copies();
    return native_form_of("i2", "i2");
}

/* Parameters of the kernel lie in the constant bank: an operand on sm_75, a load of its own on sm_90.
 * Those of functions are registers. */
static bool is_parameter_copy(const NativeFunction *f, const Insn *insn, unsigned address)
{
    if (insn->space != SPACE_PARAM)
        return false;
    return insn->op[insn->begin[address]].kind == OPERAND_PARAM || !f->is_hopper;
}

static void add_order(const NativeFunction *f, const Insn *insn, NativeForm *form)
{
    const bool both = function_has_mod(f->function, insn->ptx, MOD_acq_rel);
    if (both || function_has_mod(f->function, insn->ptx, MOD_acquire))
        form->slots.count[WORK_MEMORY]++; /* invalidates L1 */
    if (both || function_has_mod(f->function, insn->ptx, MOD_release))
        form->slots.count[WORK_MEMORY] = (uint8_t)(form->slots.count[WORK_MEMORY] + (f->is_hopper ? 3 : 2));
}

static void add_data(const NativeFunction *f, const Insn *insn, NativeForm *form)
{
    form->slots.count[WORK_INT] = (uint8_t)(form->slots.count[WORK_INT] + native_stored_constants(f, insn));
}

/* Shared memory adds 32-bit integers; sums of floats and of 64 bits are a loop around a compare-and-swap. */
static NativeForm lower_atomic(const NativeFunction *f, const Insn *insn)
{
    NativeForm form = native_single(WORK_MEMORY);
    const bool is_float = function_has_mod(f->function, insn->ptx, TYPE_f32);
    const bool is_wide = insn->element_bytes == 8 && insn->row != ROW_atom_cas && insn->row != ROW_atom_exch;
    if (insn->space == SPACE_SHARED && is_float)
        form.slots = work_parse("i1 f1 l2 c1");
    else if (insn->space == SPACE_SHARED && is_wide)
        form.slots = work_parse("i3 m1 l2 c1");
    add_data(f, insn, &form);
    add_order(f, insn, &form);
    return form;
}

static NativeForm lower_fence(const NativeFunction *f, const Insn *insn)
{
    const bool is_block = function_has_mod(f->function, insn->ptx, MOD_cta);
    return native_form_of(is_block ? "l1" : f->is_hopper ? "l4" : "l3", "l1");
}

static NativeForm lower_barrier(const Insn *insn)
{
    if (insn->action == ACTION_WARP_SYNC)
        return native_is_immediate(insn, 0) ? native_copies() : native_single(WORK_CONTROL);
    const bool has_result = isa_destination_count(&isa_rows[insn->row]) > 0;
    return has_result ? native_form_of("i1 c1", "i1 c1") : native_single(WORK_CONTROL);
}

/* The return address, and the call; or the exchanges between lanes that stand in its place. */
static NativeForm lower_call(const NativeFunction *f, const Insn *insn)
{
    const WorkList exchange = work_of_exchange(insn, f->config);
    return work_total(&exchange) ? (NativeForm){.slots = exchange, .chain = exchange}
                                 : native_form_of("i1 c1", "c1");
}

static NativeForm lower_memory(const NativeFunction *f, const Insn *insn, unsigned address)
{
    if (is_parameter_copy(f, insn, address))
        return native_copies();
    NativeForm form = native_single(WORK_MEMORY);
    if (f->is_hopper && insn->space == SPACE_CONST)
        form.slots = native_single(native_is_immediate(insn, 1) ? WORK_UNIFORM : WORK_CONSTANT).slots;
    if (insn->action == ACTION_STORE)
        add_data(f, insn, &form);
    add_order(f, insn, &form);
    return form;
}

/* sm_90 has three loads of nothing before each copy. */
static NativeForm lower_async_copy(const NativeFunction *f, const Insn *insn)
{
    return insn->row == ROW_cp_async && f->is_hopper ? native_form_of("l4", "l1")
                                                     : native_single(WORK_MEMORY);
}

static NativeForm lower_insn(const NativeFunction *f, const Insn *insn)
{
    if (!insn->ptx)
        return native_single(WORK_CONTROL);
    switch ((Action)insn->action) {
    case ACTION_LOAD:
        return lower_memory(f, insn, 1);
    case ACTION_STORE:
        return lower_memory(f, insn, 0);
    case ACTION_ATOMIC:
        return lower_atomic(f, insn);
    case ACTION_FENCE:
        return lower_fence(f, insn);
    case ACTION_BARRIER:
    case ACTION_CLUSTER_BARRIER:
    case ACTION_WARP_SYNC:
        return lower_barrier(insn);
    case ACTION_MOVE:
        return native_lower_move(f, insn);
    case ACTION_ADDRESS:
        return lower_address(f, insn);
    case ACTION_CALL:
        return lower_call(f, insn);
    case ACTION_COPY_ASYNC:
        return lower_async_copy(f, insn);
    case ACTION_WMMA_LOAD:
    case ACTION_WMMA_STORE:
        return native_lower_fragment(insn);
    case ACTION_MMA:
        return native_lower_product(insn);
    case ACTION_SHUFFLE:
    case ACTION_VOTE:
    case ACTION_MATCH:
    case ACTION_REDUX:
        return lower_by_table(f, insn);
    case ACTION_LANE:
        break;
    default:
        return native_single(work_of_unit((Unit)insn->unit));
    }
    if (insn->row == ROW_mov_b16 || insn->row == ROW_mov_b32 || insn->row == ROW_mov_b64)
        return native_lower_move(f, insn);
    if (isa_rows[insn->row].action == ACTION_ADDRESS)
        return lower_address(f, insn);
    return lower_by_table(f, insn);
}

/* -- registers and blocks -- */

typedef struct Counter {
    NativeFunction *f;
    uint32_t insn;
} Counter;

static void count_register(void *context, uint32_t reg, bool is_write, bool is_definite)
{
    (void)is_definite;
    Counter *counter = context;
    NativeRegister *r = &counter->f->registers[reg];
    if (!is_write) {
        r->uses++;
        return;
    }
    r->definitions++;
    r->definition = counter->insn;
}

static bool ends_block(const Insn *insn)
{
    switch ((Action)insn->action) {
    case ACTION_BRANCH:
    case ACTION_BRANCH_TABLE:
    case ACTION_CALL:
    case ACTION_RETURN:
    case ACTION_EXIT:
    case ACTION_TRAP:
        return true;
    default:
        return false;
    }
}

static void find_blocks(NativeFunction *f)
{
    bool *leads = xcalloc(f->count + 1, sizeof *leads);
    for (uint32_t i = 0; i < f->count; i++) {
        const Insn *insn = &f->code[i];
        if (!ends_block(insn))
            continue;
        leads[i + 1] = true;
        if (insn->action == ACTION_BRANCH)
            leads[insn->target - f->first] = true;
        if (insn->action == ACTION_BRANCH_TABLE)
            for (uint32_t t = 0; t < f->program->tables[insn->target].count; t++)
                leads[f->program->tables[insn->target].targets[t] - f->first] = true;
    }
    uint32_t block = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        block += leads[i] && i > 0;
        f->block[i] = block;
    }
    xfree(leads);
}

/* The start of the innermost loop around each instruction: branches backward, shorter ones later. */
static void find_loops(NativeFunction *f)
{
    for (uint32_t i = 0; i < f->count; i++)
        f->loop[i] = NO_INDEX;
    for (uint32_t i = 0; i < f->count; i++) {
        const uint32_t target = f->code[i].action == ACTION_BRANCH ? f->code[i].target - f->first : NO_INDEX;
        /* Of nested loops the inner one begins later. */
        for (uint32_t j = target; target <= i && j <= i; j++)
            if (f->loop[j] == NO_INDEX || f->loop[j] < target)
                f->loop[j] = target;
    }
}

/* -- from forms to numbers -- */

/* Sums, differences and shifts by constants can be done by either pipe: IADD3 or SHF by the integer one,
 * IMAD or VIADD by the multiplier. */
static bool is_flexible(const Insn *insn, const NativeForm *form)
{
    return form->slots.count[WORK_MULTIPLY] == 1 && work_total(&form->slots) == 1 && insn->ptx &&
           !timing_multiplies(insn) && insn->action == ACTION_LANE;
}

static void use_integer_pipe(NativeForm *form)
{
    form->slots.count[WORK_MULTIPLY] = form->chain.count[WORK_MULTIPLY] = 0;
    form->slots.count[WORK_INT] = form->chain.count[WORK_INT] = 1;
}

/* The assembler gives both pipes the same number of instructions, block by block, as far as those that can
 * go either way allow: docs/NATIVE.md. They are spread evenly over the block. */
static void balance(NativeFunction *f, uint32_t begin, uint32_t end)
{
    int on_integer = 0, on_multiply = 0, flexible = 0;
    for (uint32_t i = begin; i < end; i++) {
        const WorkList *slots = &f->forms[i].slots;
        if (is_flexible(&f->code[i], &f->forms[i])) {
            flexible++;
            continue;
        }
        on_integer += slots->count[WORK_INT];
        on_multiply += slots->count[WORK_MULTIPLY] + slots->count[WORK_WIDE] + slots->count[WORK_FP32] +
                       slots->count[WORK_HALF];
    }
    /* So many on the integer pipe make both as busy, if there are that many to choose from. Before Volta
     * there was no second pipe to choose. */
    int share = f->config->int_multiply_on_fp32 ? (on_multiply - on_integer + flexible) / 2 : flexible;
    share = share < 0 ? 0 : share > flexible ? flexible : share;
    int turn = 0;
    for (uint32_t i = begin; i < end; i++) {
        if (!is_flexible(&f->code[i], &f->forms[i]))
            continue;
        /* Bresenham's line: `share` of `flexible` steps, evenly spread and the same in every run. */
        turn += share;
        if (turn >= flexible) {
            turn -= flexible;
            use_integer_pipe(&f->forms[i]);
        }
    }
}

static void balance_blocks(NativeFunction *f)
{
    for (uint32_t begin = 0, end; begin < f->count; begin = end) {
        for (end = begin + 1; end < f->count && f->block[end] == f->block[begin];)
            end++;
        balance(f, begin, end);
    }
}

/* The chain says how many of each kind depend on each other, not in which order: from each pipe to the next
 * is one crossing at least. */
static unsigned chain_latency(const NativeForm *form, const GpuConfig *config)
{
    unsigned latency = 0, pipes = 0;
    for (unsigned work = 0; work < WORK_COUNT; work++) {
        if (!form->chain.count[work])
            continue;
        latency += form->chain.count[work] * work_latency((Work)work, config);
        if (work < WORK_PREDICATE)
            pipes |= 1u << work_pipe((Work)work, config);
    }
    const unsigned count = (unsigned)__builtin_popcount(pipes);
    return latency + (count ? count - 1 : 0) * (unsigned)config->pipe_crossing;
}

static void settle(const NativeFunction *f, const Insn *insn, const NativeForm *form, InsnTiming *to)
{
    const unsigned slots = work_total(&form->slots);
    to->slots = (uint8_t)(slots < UINT8_MAX ? slots : UINT8_MAX);
    native_mix_slots(insn, form, f->config, to);
    if (insn->action == ACTION_MMA)
        return; /* as in PTX mode: its shape says what it costs */
    /* It came with another load: it waits for its data, but asks nothing of the unit. */
    if (to->kind == CLASS_MEMORY && form->skips_unit)
        to->kind = CLASS_COMPUTE;
    to->lead = form->lead;
    to->tail = form->tail;
    to->reads_parameters = form->reads_parameters;
    to->comes_along = form->comes_along;
    if (to->kind == CLASS_BRANCH) {
        to->latency = (uint16_t)(form->jumps_freely ? 0 : f->config->branch_latency);
    } else {
        const uint16_t wait = f->config->address_unit ? 0 : form->wait;
        to->latency = form->latency ? form->latency : (uint16_t)(chain_latency(form, f->config) + wait);
    }
    native_occupy(insn, form, f->config, to);
}

/* The second half of a d|p result that nothing reads has no register in machine code, so nobody waits for
 * it. */
static void drop_unread_half(const NativeFunction *f, const Insn *insn, InsnTiming *to)
{
    if (!insn->ptx || !insn->ptx->operand_count || insn->begin[1] != 2)
        return;
    const PtxOperand *pair = &f->function->operands[insn->ptx->first_operand];
    if (pair->kind != PTX_PAIR)
        return;
    const PtxOperand *half = &f->function->operands[pair->first + 1];
    if (half->kind == PTX_REGISTER && !f->registers[half->index].uses)
        timing_drop_write(to, &insn->op[1]);
}

/* A vote waits for its predicate as a guarded instruction does, on sm_90 as measured. */
static void note_uses(NativeFunction *f, uint32_t i)
{
    const Insn *insn = &f->code[i];
    const PtxInsn *ptx = insn->ptx;
    flow_visit_registers(f->function, ptx, count_register, &(Counter){f, i});
    if (ptx->guard != NO_INDEX)
        f->registers[ptx->guard].is_guard = true;
    const uint32_t vote = insn->action == ACTION_VOTE ? native_register(f, insn, 1) : NO_INDEX;
    if (f->is_hopper && vote != NO_INDEX)
        f->registers[vote].is_guard = true;
    for (unsigned k = 1; k < ptx->operand_count && insn->unit == UNIT_FP64; k++)
        if (native_register(f, insn, k) != NO_INDEX)
            f->registers[native_register(f, insn, k)].is_double = true;
}

static void lower_function(const Program *program, const GpuConfig *config, uint32_t number,
                           InsnTiming *insns)
{
    const ProgramFunction *owner = &program->functions[number];
    NativeFunction f = {
        .program = program,
        .config = config,
        .function = owner->function,
        .number = number,
        .first = owner->first,
        .code = &program->code[owner->first],
        .count = owner->count + 1,
        .is_hopper = config->compute_capability >= NATIVE_HOPPER,
    };
    f.forms = xcalloc(f.count, sizeof *f.forms);
    f.block = xcalloc(f.count, sizeof *f.block);
    f.registers = xcalloc(f.function->register_count + 1, sizeof *f.registers);
    f.loop = xcalloc(f.count, sizeof *f.loop);
    find_blocks(&f);
    find_loops(&f);
    for (uint32_t i = 0; i < f.count; i++)
        if (f.code[i].ptx)
            note_uses(&f, i);
    /* The order matters: forms first, then what fuses them, then control flow, which counts the slots that
     * are left, and last the balance of pipes, which counts what really issues. */
    native_find_divergence(&f);
    for (uint32_t i = 0; i < f.count; i++)
        f.forms[i] = lower_insn(&f, &f.code[i]);
    native_fuse(&f);
    native_hoist_comparisons(&f);
    native_vectorize(&f);
    native_copy_pointers(&f);
    native_flow(&f);
    balance_blocks(&f);
    for (uint32_t i = 0; i < f.count; i++) {
        settle(&f, &f.code[i], &f.forms[i], &insns[f.first + i]);
        drop_unread_half(&f, &f.code[i], &insns[f.first + i]);
        native_inline_constant(&f, &f.code[i], &insns[f.first + i]);
        native_find_steps(&f.forms[i], f.config, &insns[f.first + i]);
    }
    xfree(f.forms);
    xfree(f.block);
    xfree(f.loop);
    xfree(f.registers);
}

void native_lower(const Program *program, const GpuConfig *config, InsnTiming *insns)
{
    for (uint32_t i = 0; i < program->function_count; i++)
        lower_function(program, config, i, insns);
}
