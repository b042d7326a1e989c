/* Makes a core's code of a linked program: what reads and writes which number, and how long it takes. */
#include "core/code.h"

#include <string.h>

#include "base/alloc.h"
#include "exec/access.h"
#include "exec/lanes.h"

/* The program that is being made ready. */
typedef struct Maker {
    const Program *program;
    const uint8_t *parameters;
    CoreCode *code;
    const Insn *from;
    CoreInsn *to;
    uint16_t first_predicate, carry;
    Error *error;
} Maker;

static WbStatus refuse(const Maker *maker, const char *why)
{
    const Insn *insn = maker->from;
    const Module *module = maker->program->functions[insn->function].module;
    char place[512];
    size_t length = 0;
    const char *line = module_line(module, insn->ptx->place.line, &length);
    while (length && (*line == ' ' || *line == '\t'))
        line++, length--;
    module_place_text(module, insn->ptx, place, sizeof place);
    return error_set(maker->error, WB_ERROR_UNSUPPORTED, "%s: the aggregator's program '%.200s' %s\n    %.*s",
                     place, maker->program->name, why, (int)(length < 200 ? length : 200), line);
}

/* -- numbers of what is read and written -- */

/* Constants are few: those of a value are found by looking at all. */
static uint16_t constant(Maker *maker, uint64_t value)
{
    CoreCode *code = maker->code;
    for (uint32_t i = code->register_count; i < code->value_count; i++)
        if (code->initial[i] == value)
            return (uint16_t)i;
    if (code->value_count == code->value_capacity) {
        code->value_capacity *= 2;
        code->initial = xrealloc(code->initial, code->value_capacity * sizeof *code->initial);
    }
    code->initial[code->value_count] = value;
    return (uint16_t)code->value_count++;
}

/* There is one thread, in one block. */
static bool special_constant(uint32_t which, uint64_t *value)
{
    *value = which >= SPECIAL_ntid_x && which <= SPECIAL_ntid_z;
    *value |= which >= SPECIAL_nctaid_x && which <= SPECIAL_nctaid_z;
    return which <= SPECIAL_laneid;
}

static WbStatus number_of(Maker *maker, const Operand *operand, uint16_t *number)
{
    uint64_t value = (uint64_t)operand->value;
    switch (operand->kind) {
    case OPERAND_REGISTER:
        *number = (uint16_t)operand->slot;
        return operand->bytes > 8 ? refuse(maker, "uses a register of 128 bits, which its core has not")
                                  : WB_OK;
    case OPERAND_PREDICATE:
        *number = (uint16_t)(maker->first_predicate + operand->slot);
        return WB_OK;
    case OPERAND_SPECIAL:
        if (!special_constant(operand->slot, &value))
            return refuse(maker, "reads a special register that its core has not; it has those of threads "
                                 "and blocks, of which there is one");
        break;
    case OPERAND_LOCAL:
        value += maker->program->static_local_bytes;
        break;
    case OPERAND_PARAM:
        return refuse(maker, "passes something to a function; its core makes no calls, so have them inlined");
    default:
        break;
    }
    *number = constant(maker, value);
    return WB_OK;
}

static WbStatus add_source(Maker *maker, const Operand *operand)
{
    CoreInsn *to = maker->to;
    const unsigned k = to->source_count++;
    if (operand->negated)
        to->negated |= (uint16_t)(1u << k);
    return number_of(maker, operand, &to->source[k]);
}

static WbStatus add_destination(Maker *maker, const Operand *operand, unsigned part)
{
    CoreInsn *to = maker->to;
    if (operand->kind == OPERAND_NONE)
        return WB_OK;
    if (to->destination_count == CORE_DESTINATIONS)
        return refuse(maker, "writes more registers at once than its core can, which is four");
    CoreDestination *added = &to->to[to->destination_count++];
    *added = (CoreDestination){.bytes = operand->bytes, .part = (uint8_t)part};
    return number_of(maker, operand, &added->number);
}

/* The guard, and what stays if it is false. */
static void add_guard(Maker *maker)
{
    CoreInsn *to = maker->to;
    const Insn *from = maker->from;
    to->input_count = to->source_count;
    to->is_guarded = from->guard != NO_INDEX;
    if (!to->is_guarded)
        return;
    if (from->guard_negated)
        to->negated |= (uint16_t)(1u << to->input_count);
    to->source[to->input_count++] = (uint16_t)(maker->first_predicate + from->guard);
    for (unsigned k = 0; k < to->destination_count; k++)
        to->source[to->input_count++] = to->to[k].number;
}

/* -- kinds -- */

/* Ticks of an arithmetic instruction: those of the units of gem5's out-of-order core. */
static uint8_t latency_of(const Insn *insn)
{
    static const struct {
        const char *mnemonic;
        uint8_t ticks;
    } slow[] = {{"mul", 3}, {"mad", 3}, {"div", 20}, {"rem", 20}, {"sad", 3}, {"dp", 3}};
    const IsaRow *row = &isa_rows[insn->row];
    for (unsigned i = 0; row->unit == UNIT_INT && i < sizeof slow / sizeof *slow; i++)
        if (!strncmp(row->pattern, slow[i].mnemonic, strlen(slow[i].mnemonic)))
            return slow[i].ticks;
    return row->unit == UNIT_INT || row->unit == UNIT_CONTROL ? 1 : row->unit == UNIT_SFU ? 12 : 4;
}

static WbStatus make_lane(Maker *maker)
{
    const Insn *from = maker->from;
    CoreInsn *to = maker->to;
    const IsaRow *row = &isa_rows[from->row];
    WbStatus status = WB_OK;
    to->kind = CORE_LANE;
    for (unsigned i = 1; i < from->operand_count && status == WB_OK; i++) {
        const Operand *operand = &from->op[from->begin[i]];
        if (operand->kind == OPERAND_PREDICATE || row->operands[i] == 'p')
            to->predicates |= (uint16_t)(1u << to->source_count);
        status = add_source(maker, operand);
    }
    const bool is_predicate = row->operands[0] == 'P';
    if (status == WB_OK)
        status = add_destination(maker, &from->op[0], is_predicate ? CORE_FIRST_PREDICATE : CORE_RESULT);
    if (status == WB_OK && from->begin[1] == 2)
        status =
            add_destination(maker, &from->op[1], is_predicate ? CORE_SECOND_PREDICATE : CORE_FIRST_PREDICATE);
    to->has_carry = lanes_use_carry(from->row);
    if (to->has_carry) {
        to->source[to->source_count++] = maker->carry;
        to->to[to->destination_count++] = (CoreDestination){maker->carry, 0, CORE_CARRY};
    }
    return status;
}

static unsigned move_bits(const Insn *insn)
{
    return insn->row == ROW_mov_b64 ? 64 : insn->row == ROW_mov_b32 ? 32 : 16;
}

static WbStatus make_move(Maker *maker)
{
    const Insn *from = maker->from;
    const unsigned out = from->begin[1], in = from->begin[2] - out, bits = move_bits(from);
    WbStatus status = from->row == ROW_mov_b128
                          ? refuse(maker, "uses a register of 128 bits, which its core has not")
                          : WB_OK;
    maker->to->kind = CORE_MOVE;
    maker->to->bits_in = (uint8_t)(in > 1 ? bits / in : 64);
    maker->to->bits_out = (uint8_t)(out > 1 ? bits / out : 64);
    for (unsigned k = 0; k < in && status == WB_OK; k++)
        status = add_source(maker, &from->op[out + k]);
    for (unsigned k = 0; k < out && status == WB_OK; k++)
        status = add_destination(maker, &from->op[k], k);
    return status;
}

static uint64_t window_of(uint8_t space)
{
    return space == SPACE_LOCAL ? SPACE_LOCAL_BASE : space == SPACE_PARAM ? SPACE_PARAM_BASE : 0;
}

/* cvta and its way back. */
static WbStatus make_address(Maker *maker)
{
    const Insn *from = maker->from;
    if ((from->row != ROW_cvta && from->row != ROW_cvta_to) || from->space == SPACE_SHARED)
        return refuse(maker, "asks for spaces of addresses that its core has not; it has global and local "
                             "memory");
    const uint64_t window = window_of(from->space);
    maker->to->kind = CORE_ADD;
    maker->to->displacement = (int64_t)(from->row == ROW_cvta ? window : 0 - window);
    WbStatus status = add_source(maker, &from->op[from->begin[1]]);
    return status == WB_OK ? add_destination(maker, &from->op[0], 0) : status;
}

/* A parameter at a fixed place is a constant. */
static bool make_parameter(Maker *maker)
{
    const Insn *from = maker->from;
    const Operand *base = &from->op[from->begin[1]];
    const uint64_t offset = (uint64_t)(base->value + from->displacement);
    uint8_t bytes[8];
    uint64_t value;
    if (from->space != SPACE_PARAM || base->kind != OPERAND_IMMEDIATE || from->vector != 1 ||
        from->element_bytes > 8 || offset + from->element_bytes > maker->program->parameter_bytes)
        return false;
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, maker->parameters + offset, from->element_bytes);
    maker->to->insn = from;
    maker->to->to[0] = (CoreDestination){.bytes = 8};
    maker->to->destination_count = 1;
    core_unpack(maker->to, bytes, &value);
    maker->to->destination_count = 0;
    maker->to->kind = CORE_MOVE;
    maker->to->bits_in = maker->to->bits_out = 64;
    maker->to->source[maker->to->source_count++] = constant(maker, value);
    return true;
}

static WbStatus make_access(Maker *maker)
{
    const Insn *from = maker->from;
    CoreInsn *to = maker->to;
    const bool loads = from->action == ACTION_LOAD;
    const unsigned memory = loads ? 1 : 0, values = from->begin[2 - memory] - from->begin[1 - memory];
    const Operand *base = &from->op[from->begin[memory]], *value = &from->op[from->begin[1 - memory]];
    if (from->space == SPACE_SHARED || from->element_bytes > 8 || values > CORE_DESTINATIONS)
        return refuse(maker, from->space == SPACE_SHARED
                                 ? "uses shared memory, which its core has not; use global memory"
                                 : "moves more than its core can at once, which is four elements of 8 bytes");
    WbStatus status = WB_OK;
    if (!loads || !make_parameter(maker)) {
        to->kind = loads ? CORE_LOAD : CORE_STORE;
        to->displacement = from->displacement;
        to->window = window_of(from->space);
        to->is_narrow = base->kind == OPERAND_REGISTER && base->bytes == 4;
        to->is_strong = from->aux & AUX_AT_L2;
        to->is_acquire = from->aux & AUX_ACQUIRE;
        to->is_release = from->aux & AUX_RELEASE;
        status = add_source(maker, base);
    }
    for (unsigned k = 0; k < values && status == WB_OK; k++)
        status = loads ? add_destination(maker, &value[k], k) : add_source(maker, &value[k]);
    return status;
}

static WbStatus make_jump(Maker *maker)
{
    const Insn *from = maker->from;
    const bool is_table = from->action == ACTION_BRANCH_TABLE;
    maker->to->kind = is_table ? CORE_TABLE : CORE_BRANCH;
    maker->to->target = from->action == ACTION_BRANCH ? from->target : maker->code->count;
    if (!is_table)
        return WB_OK;
    maker->to->table = &maker->program->tables[from->target];
    return add_source(maker, &from->op[0]);
}

static WbStatus make_insn(Maker *maker)
{
    maker->to->latency = latency_of(maker->from);
    switch (maker->from->action) {
    case ACTION_LANE:
        return make_lane(maker);
    case ACTION_MOVE:
        return make_move(maker);
    case ACTION_ADDRESS:
        return make_address(maker);
    case ACTION_LOAD:
    case ACTION_STORE:
        return make_access(maker);
    case ACTION_BRANCH:
    case ACTION_BRANCH_TABLE:
    case ACTION_RETURN:
    case ACTION_EXIT:
        return make_jump(maker);
    case ACTION_FENCE:
        maker->to->kind = CORE_FENCE;
        return WB_OK;
    case ACTION_TRAP:
        maker->to->kind = CORE_TRAP;
        return WB_OK;
    case ACTION_NOP:
        maker->to->kind = CORE_NOTHING;
        return WB_OK;
    case ACTION_ATOMIC:
        return refuse(maker, "has an atomic, which its core has not: words that others change are theirs, "
                             "and it writes words of its own");
    case ACTION_CALL:
        return refuse(maker, "calls a function; its core makes no calls, so have them inlined");
    default:
        return refuse(maker, "has an instruction that its core has not");
    }
}

WbStatus core_code_make(CoreCode *code, const Program *program, const uint8_t *parameters, Error *error)
{
    const ProgramFunction *kernel = &program->functions[0];
    Maker maker = {.program = program, .parameters = parameters, .code = code, .error = error};
    maker.first_predicate = (uint16_t)kernel->slot_count;
    maker.carry = (uint16_t)(kernel->slot_count + kernel->predicate_count);
    *code = (CoreCode){.register_count = maker.carry + 1u, .value_count = maker.carry + 1u};
    code->value_capacity = 2 * code->value_count;
    code->initial = xcalloc(code->value_capacity, sizeof *code->initial);
    code->count = program->function_count > 1 ? program->functions[1].first : program->code_count;
    code->insns = xcalloc(code->count, sizeof *code->insns);
    WbStatus status = WB_OK;
    for (uint32_t i = 0; i < code->count && status == WB_OK; i++) {
        maker.from = &program->code[i];
        maker.to = &code->insns[i];
        maker.to->insn = maker.from;
        status = make_insn(&maker);
        add_guard(&maker);
    }
    if (status == WB_OK && code->value_count >= CORE_NONE)
        status = error_set(error, WB_ERROR_UNSUPPORTED,
                           "the aggregator's program '%.200s' has %u registers and constants; its core takes "
                           "up to %u",
                           program->name, code->value_count, CORE_NONE - 1u);
    return status;
}

void core_code_free(CoreCode *code)
{
    xfree(code->insns);
    xfree(code->initial);
}
