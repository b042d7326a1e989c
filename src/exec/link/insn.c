/* Turns the PTX instructions of one function into code: row, handler, operands, and what the suffixes say.
 * All that can be decided without running is decided here, once, since every instruction may run millions of
 * times. */
#include "exec/link/link.h"

#include <string.h>

#include "exec/access.h"
#include "exec/lanes.h"
#include "exec/matrix/matrix.h"
#include "exec/texture/texture.h"

static bool has_mod(const Writer *writer, Mod mod)
{
    return function_has_mod(writer->function, writer->ptx, mod);
}

static unsigned lane_bytes(Type type) { return type_bits(type) > 32 ? 8 : 4; }

static void find_types(Writer *writer)
{
    writer->first_type = writer->last_type = MOD_NONE;
    for (unsigned i = 0; i < writer->ptx->mod_count; i++) {
        Mod mod = writer->function->mods[writer->ptx->first_mod + i];
        if (!mod_is_type(mod))
            continue;
        /* cvt names the result's type first; all others have one type, or the one that counts last. */
        if (writer->first_type == MOD_NONE)
            writer->first_type = mod;
        writer->last_type = mod;
    }
}

/* What a lane row says of its operands: lane sizes that they must have, and of video instructions the parts
 * of registers that the text selects. */
static void fill_lane(Writer *writer)
{
    const IsaRow *row = &isa_rows[writer->insn->row];
    LaneMods *mods = &writer->insn->mods;
    memcpy(writer->insn->bytes, row->bytes, sizeof writer->insn->bytes);
    for (unsigned k = 0; k < writer->ptx->operand_count; k++) {
        const PtxOperand *operand = link_operand_at(writer, k);
        if (operand->selector)
            isa_select(row, k, operand->selector, mods);
        if (operand->minus)
            mods->minus ^= k < 3 ? 1 : 2; /* -a * -b is a * b */
    }
    if (mods->minus && isa_signed_lane((RowId)writer->insn->row))
        writer->insn->lane = isa_signed_lane((RowId)writer->insn->row);
}

/* The lane size that an immediate at PTX operand k gets. */
static unsigned immediate_bytes(const Writer *writer, unsigned k)
{
    const Insn *insn = writer->insn;
    if (insn->action == ACTION_LANE && k < 5 && insn->bytes[k])
        return insn->bytes[k];
    if (link_operand_at(writer, k)->kind == PTX_ADDRESS)
        return 8;
    return writer->last_type == MOD_NONE ? 4 : lane_bytes(writer->last_type);
}

static WbStatus add_operand(Writer *writer, const PtxOperand *from, unsigned bytes)
{
    Operand operand;
    WbStatus status =
        link_operand(writer->linker, writer->number, writer->ptx, from, bytes, writer->last_type, &operand);
    VEC_PUSH(&writer->operands, operand);
    return status;
}

/* Of "[texture, {x, y}]" what comes behind the texture. */
static WbStatus add_coordinates(Writer *writer, const PtxOperand *address)
{
    const PtxOperand *places = &writer->function->operands[address->first + 1];
    const PtxOperand *first =
        places->kind == PTX_VECTOR ? &writer->function->operands[places->first] : places;
    const uint32_t count = places->kind == PTX_VECTOR ? places->count : 1;
    WbStatus status = WB_OK;
    for (uint32_t i = 0; i < count && status == WB_OK; i++)
        status = add_operand(writer, &first[i], 4);
    return status;
}

/* Operand k and, for vectors, pairs and addresses, what it holds. */
static WbStatus add_operands(Writer *writer, unsigned k)
{
    const PtxOperand *from = link_operand_at(writer, k);
    unsigned bytes = immediate_bytes(writer, k);
    WbStatus status = WB_OK;
    switch (from->kind) {
    case PTX_ADDRESS:
        writer->insn->displacement = from->value;
        status = add_operand(writer, &writer->function->operands[from->first], 8);
        return from->count > 1 && status == WB_OK ? add_coordinates(writer, from) : status;
    case PTX_VECTOR:
    case PTX_PAIR:
        /* mov.b64 of two elements has immediates of 32 bits in it. */
        if (from->kind == PTX_VECTOR && writer->insn->row == ROW_mov_b64)
            bytes = from->count == 2 ? 4 : bytes;
        for (uint32_t i = 0; i < from->count && status == WB_OK; i++)
            status = add_operand(writer, &writer->function->operands[from->first + i], bytes);
        return status;
    /* Labels are indices into the function; code is one array for all functions. */
    case PTX_LABEL:
        writer->insn->target = writer->to->first + from->index;
        return WB_OK;
    default:
        return add_operand(writer, from, bytes);
    }
}

static void keep_operands(Writer *writer)
{
    uint32_t count = writer->operands.count < 5 ? 5 : writer->operands.count; /* lanes.c looks at five */
    Operand *op = ARENA_ARRAY(writer->linker->arena, Operand, count);
    if (writer->operands.count)
        memcpy(op, writer->operands.items, writer->operands.count * sizeof *op);
    writer->insn->op = op;
}

static WbStatus write_operands(Writer *writer)
{
    WbStatus status = WB_OK;
    writer->operands.count = 0;
    unsigned count = writer->ptx->operand_count;
    if (count >= sizeof writer->insn->begin)
        return link_error(writer->linker, writer->number, writer->ptx, WB_ERROR_UNSUPPORTED,
                          "has an instruction with %u operands; at most %zu are executed", count,
                          sizeof writer->insn->begin - 1);
    writer->insn->operand_count = (uint8_t)count;
    for (unsigned k = 0; k < count && status == WB_OK; k++) {
        writer->insn->begin[k] = (uint8_t)writer->operands.count;
        status = add_operands(writer, k);
    }
    writer->insn->begin[count] = (uint8_t)writer->operands.count;
    keep_operands(writer);
    return status;
}

/* A generic access that names a variable means the variable's space. */
static Space named_space(const Writer *writer)
{
    for (unsigned k = 0; k < writer->ptx->operand_count; k++) {
        const PtxOperand *operand = link_operand_at(writer, k);
        if (operand->kind != PTX_ADDRESS)
            continue;
        const PtxOperand *base = &writer->function->operands[operand->first];
        if (base->kind != PTX_VARIABLE)
            return SPACE_GENERIC;
        const Space space = writer->linker->module->variables[base->index].space;
        /* Global addresses are generic ones already, so nothing is gained by naming their space. */
        return space == SPACE_SHARED || space == SPACE_LOCAL ? space : SPACE_GENERIC;
    }
    return SPACE_GENERIC;
}

static void fill_memory(Writer *writer)
{
    static const struct {
        Mod mod;
        Space space;
    } spaces[] = {
        {MOD_global, SPACE_GLOBAL},         {MOD_shared, SPACE_SHARED},     {MOD_shared_cta, SPACE_SHARED},
        {MOD_shared_cluster, SPACE_SHARED}, {MOD_local, SPACE_LOCAL},       {MOD_const_, SPACE_CONST},
        {MOD_param, SPACE_PARAM},           {MOD_param_entry, SPACE_PARAM}, {MOD_param_func, SPACE_PARAM}};
    Insn *insn = writer->insn;
    insn->space = SPACE_GENERIC;
    for (unsigned i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (has_mod(writer, spaces[i].mod))
            insn->space = (uint8_t)spaces[i].space;
    if (insn->space == SPACE_GENERIC)
        insn->space = (uint8_t)named_space(writer);
    insn->vector = has_mod(writer, MOD_v2)   ? 2
                   : has_mod(writer, MOD_v4) ? 4
                   : has_mod(writer, MOD_v8) ? 8
                                             : 1;
    insn->element_bytes = (uint8_t)(writer->last_type == MOD_NONE ? 0 : type_bytes(writer->last_type));
}

/* The variable that stands where a texture or surface is named, if it is neither. */
static const Variable *not_a_reference(const Writer *writer)
{
    for (unsigned k = 0; k < writer->ptx->operand_count; k++) {
        const PtxOperand *operand = link_operand_at(writer, k);
        if (operand->kind != PTX_ADDRESS)
            continue;
        const PtxOperand *base = &writer->function->operands[operand->first];
        const Variable *variable =
            base->kind == PTX_VARIABLE ? &writer->linker->module->variables[base->index] : NULL;
        return variable && variable->space != SPACE_TEXTURE ? variable : NULL;
    }
    return NULL;
}

static WbStatus fill_texture(Writer *writer)
{
    const char *problem;
    fill_memory(writer);
    writer->insn->space = SPACE_GENERIC; /* also where a reference is named, which lies in no memory */
    writer->insn->aux = access_aux(writer->function, writer->ptx);
    const Variable *other = not_a_reference(writer);
    if (other)
        return link_error(writer->linker, writer->number, writer->ptx, WB_ERROR_UNSUPPORTED,
                          "uses '%s' as a texture or surface, but it is no .texref or .surfref variable of "
                          "the module",
                          other->name);
    writer->insn->detail = texture_decode(writer->function, writer->ptx, writer->linker->arena, &problem);
    if (writer->insn->detail)
        return WB_OK;
    return link_error(writer->linker, writer->number, writer->ptx, WB_ERROR_UNSUPPORTED,
                      "has an instruction that %s", problem);
}

static WbStatus fill_matrix(Writer *writer)
{
    const char *problem;
    fill_memory(writer);
    writer->insn->detail = matrix_decode(writer->function, writer->ptx, writer->linker->arena, &problem);
    if (writer->insn->detail)
        return WB_OK;
    return link_error(writer->linker, writer->number, writer->ptx, WB_ERROR_PTX, "has an instruction that %s",
                      problem);
}

static WbStatus fill_by_action(Writer *writer)
{
    Insn *insn = writer->insn;
    switch (insn->action) {
    case ACTION_TEXTURE:
    case ACTION_TEXTURE_QUERY:
    case ACTION_SURFACE_LOAD:
    case ACTION_SURFACE_STORE:
        return fill_texture(writer);
    case ACTION_LOAD:
    case ACTION_STORE:
    case ACTION_ATOMIC:
    case ACTION_PREFETCH:
    case ACTION_COPY_ASYNC:
    case ACTION_MBARRIER:
    case ACTION_ADDRESS:
    case ACTION_FENCE:
        fill_memory(writer);
        insn->aux = access_aux(writer->function, writer->ptx);
        break;
    case ACTION_LDMATRIX:
    case ACTION_MMA:
    case ACTION_WMMA_LOAD:
    case ACTION_WMMA_STORE:
        return fill_matrix(writer);
    default:
        break;
    }
    return WB_OK;
}

/* Strong loads, atomics and sleeping: what a thread does in a loop while it waits for another one. */
static bool polls(const Writer *writer)
{
    uint8_t action = writer->insn->action;
    bool strong = has_mod(writer, MOD_volatile_) || has_mod(writer, MOD_relaxed) ||
                  has_mod(writer, MOD_acquire) || has_mod(writer, MOD_mmio);
    return action == ACTION_ATOMIC || action == ACTION_MBARRIER || writer->insn->row == ROW_nanosleep ||
           (action == ACTION_LOAD && strong);
}

/* Targets of brx become code indices, like those of any branch; lanes choose among them by number. */
static WbStatus write_branch_table(Writer *writer)
{
    const PtxOperand *operand = link_operand_at(writer, 1);
    const Table *table = &writer->function->tables[operand->index];
    uint32_t *targets = ARENA_ARRAY(writer->linker->arena, uint32_t, table->target_count + 1);
    for (uint32_t i = 0; i < table->target_count; i++)
        targets[i] = writer->to->first + table->targets[i];
    writer->insn->target = writer->linker->tables.count;
    VEC_PUSH(&writer->linker->tables, ((BranchTable){targets, table->target_count}));
    return write_operands(writer);
}

static bool is_vector_move(const Writer *writer)
{
    if (writer->insn->row != ROW_mov_b16 && writer->insn->row != ROW_mov_b32 &&
        writer->insn->row != ROW_mov_b64)
        return false;
    return link_operand_at(writer, 0)->kind == PTX_VECTOR || link_operand_at(writer, 1)->kind == PTX_VECTOR;
}

/* Global and constant addresses are the same as generic ones: converting them is a move. */
static bool is_same_address(const Writer *writer)
{
    return writer->insn->action == ACTION_ADDRESS && !strcmp(writer->ptx->mnemonic, "cvta") &&
           writer->last_type == TYPE_u64 && (has_mod(writer, MOD_global) || has_mod(writer, MOD_const_));
}

static void make_move(Insn *insn)
{
    const IsaRow *move = &isa_rows[ROW_mov_b64];
    insn->action = ACTION_LANE;
    insn->lane = move->lane;
    memcpy(insn->bytes, move->bytes, sizeof insn->bytes);
}

/* In a function, a parameter that is reached through a register or lies on the stack is local memory. */
static void settle_space(const Writer *writer)
{
    Insn *insn = writer->insn;
    unsigned memory = insn->action == ACTION_LOAD ? 1 : 0;
    if (writer->number == 0 || insn->space != SPACE_PARAM ||
        (insn->action != ACTION_LOAD && insn->action != ACTION_STORE))
        return;
    uint8_t kind = insn->op[insn->begin[memory]].kind;
    if (kind == OPERAND_LOCAL || kind == OPERAND_REGISTER)
        insn->space = SPACE_LOCAL;
}

static WbStatus refuse_insn(Writer *writer)
{
    return link_error(writer->linker, writer->number, writer->ptx, WB_ERROR_UNSUPPORTED,
                      "uses '%.100s', which Warpbeam does not execute", writer->ptx->opcode);
}

static WbStatus write_insn(Writer *writer)
{
    const PtxInsn *ptx = writer->ptx;
    Insn *insn = writer->insn;
    if (ptx->row == ROW_UNKNOWN)
        return refuse_insn(writer);
    const IsaRow *row = &isa_rows[ptx->row];
    insn->row = (uint16_t)ptx->row;
    insn->action = (uint8_t)row->action;
    insn->unit = (uint8_t)row->unit;
    insn->lane = row->lane;
    insn->ptx = ptx;
    insn->function = writer->number;
    insn->guard_negated = ptx->guard_negated;
    insn->guard = ptx->guard == NO_INDEX ? NO_INDEX : writer->to->flow->slot[ptx->guard];
    insn->mods = isa_lane_mods(writer->function->mods + ptx->first_mod, ptx->mod_count);
    find_types(writer);
    insn->sign_extend = type_is_signed(writer->first_type);
    if (insn->action == ACTION_CALL)
        return link_call(writer);
    if (insn->action == ACTION_BRANCH_TABLE)
        return write_branch_table(writer);
    /* The row is a lane function; with a vector on one side it packs or unpacks, which a handler does. */
    if (is_vector_move(writer))
        insn->action = ACTION_MOVE;
    if (insn->action == ACTION_LANE)
        fill_lane(writer);
    /* A move is a lane function and costs no handler. */
    if (is_same_address(writer))
        make_move(insn);
    WbStatus status = fill_by_action(writer);
    insn->polls = polls(writer);
    if (status == WB_OK)
        status = write_operands(writer);
    if (status == WB_OK)
        settle_space(writer);
    if (insn->action == ACTION_LANE)
        insn->shape = (uint8_t)lanes_shape(insn);
    return status;
}

static void write_end(Writer *writer)
{
    /* A body may end without ret: one instruction more catches lanes that fall off its end. */
    Insn *end = &writer->linker->program->code[writer->to->first + writer->to->count];
    *end = (Insn){.action = ACTION_RETURN,
                  .row = ROW_ret,
                  .unit = UNIT_CONTROL,
                  .guard = NO_INDEX,
                  .function = writer->number,
                  .reconverge = FLOW_AT_RETURN};
}

WbStatus link_function(Linker *linker, uint32_t number)
{
    ProgramFunction *to = &linker->program->functions[number];
    const Function *function = link_function_of(linker, number);
    Writer writer = {.linker = linker, .number = number, .to = to, .function = function};
    if (number != 0)
        link_formals(&writer);
    WbStatus status = WB_OK;
    for (uint32_t i = 0; i < function->insn_count && status == WB_OK; i++) {
        writer.ptx = &function->insns[i];
        writer.insn = &linker->program->code[to->first + i];
        status = write_insn(&writer);
        /* Every instruction has one; only branches use it. */
        uint32_t reconverge = to->flow->reconverge[i];
        writer.insn->reconverge = reconverge == FLOW_AT_RETURN ? FLOW_AT_RETURN : to->first + reconverge;
    }
    write_end(&writer);
    VEC_FREE(&writer.operands);
    return status;
}
