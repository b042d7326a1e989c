/* Which accesses to memory keep their order.
 *
 * Loads pass loads. A store or atomic and another access of the same bytes do not pass each other, and if
 * the bytes are the same is judged as a compiler can: spaces are apart, except that a generic address may be
 * in any; addresses at constant distances from one value, and variables, are compared; all else may be the
 * same. Accesses that threads synchronize by, fences, barriers and what makes the lanes of a warp wait for
 * each other are passed by no access. */
#include "ptx/schedule_region.h"

enum { COMPARED_ACCESSES = 256 }; /* at most, which bounds the time for a region */

Space schedule_space(const Function *function, const PtxInsn *insn)
{
    for (unsigned i = 0; i < insn->mod_count; i++)
        switch (function->mods[insn->first_mod + i]) {
        case MOD_global:
            return SPACE_GLOBAL;
        case MOD_shared:
        case MOD_shared_cta:
        case MOD_shared_cluster:
            return SPACE_SHARED;
        case MOD_local:
            return SPACE_LOCAL;
        case MOD_const_:
            return SPACE_CONST;
        case MOD_param:
        case MOD_param_entry:
        case MOD_param_func:
            return SPACE_PARAM;
        default:
            break;
        }
    return SPACE_GENERIC;
}

/* -- what an instruction is to memory -- */

typedef enum Role { ROLE_NONE, ROLE_READ, ROLE_WRITE, ROLE_ORDER } Role;

/* Does it take part in synchronizing threads? */
static bool is_strong(const Function *function, const PtxInsn *insn)
{
    for (unsigned i = 0; i < insn->mod_count; i++)
        switch (function->mods[insn->first_mod + i]) {
        case MOD_volatile_:
        case MOD_relaxed:
        case MOD_acquire:
        case MOD_release:
        case MOD_acq_rel:
        case MOD_mmio:
            return true;
        default:
            break;
        }
    return false;
}

/* Constants, and the parameters of a kernel; in a kernel, other parameters are those of calls. */
bool schedule_is_kernel_constant(const Function *function, const PtxInsn *insn)
{
    const Space space = schedule_space(function, insn);
    if (space != SPACE_PARAM || !function->is_entry)
        return space == SPACE_CONST;
    const PtxOperand *address = &function->operands[insn->first_operand + 1];
    const PtxOperand *base = &function->operands[address->first];
    for (uint32_t i = 0; i < function->parameter_count; i++)
        if (base->kind == PTX_VARIABLE && base->index == function->parameters[i])
            return true;
    return false;
}

static Role role_of(const Function *function, const PtxInsn *insn)
{
    switch (isa_rows[insn->row].action) {
    case ACTION_LOAD:
        if (schedule_is_kernel_constant(function, insn))
            return ROLE_NONE;
        return is_strong(function, insn) ? ROLE_ORDER : ROLE_READ;
    case ACTION_STORE:
    case ACTION_ATOMIC:
        return is_strong(function, insn) ? ROLE_ORDER : ROLE_WRITE;
    case ACTION_LDMATRIX:
    case ACTION_WMMA_LOAD:
    case ACTION_PREFETCH:
    case ACTION_TEXTURE:
    case ACTION_SURFACE_LOAD:
        return ROLE_READ;
    case ACTION_WMMA_STORE:
    case ACTION_SURFACE_STORE:
        return ROLE_WRITE;
    case ACTION_LANE:
    case ACTION_MOVE:
    case ACTION_ADDRESS:
    case ACTION_MMA:
    case ACTION_TEXTURE_QUERY:
        return ROLE_NONE;
    default:
        return ROLE_ORDER;
    }
}

/* Is it memory that no thread writes while the kernel runs? */
static bool is_never_written(const Function *function, const PtxInsn *insn)
{
    return isa_rows[insn->row].action == ACTION_TEXTURE || function_has_mod(function, insn, MOD_nc);
}

/* -- where it is -- */

/* Bytes of a load, store or atomic; its last type is that of an element. */
static uint32_t access_bytes(const Function *function, const PtxInsn *insn)
{
    uint32_t bytes = 0, elements = 1;
    for (unsigned i = 0; i < insn->mod_count; i++) {
        const Mod mod = function->mods[insn->first_mod + i];
        elements = mod == MOD_v2 ? 2 : mod == MOD_v4 ? 4 : mod == MOD_v8 ? 8 : elements;
        bytes = mod_is_type(mod) ? type_bytes(mod) : bytes;
    }
    return bytes * elements;
}

static const PtxOperand *address_of(const Function *function, const PtxInsn *insn)
{
    switch (isa_rows[insn->row].action) {
    case ACTION_LOAD:
    case ACTION_STORE:
    case ACTION_ATOMIC:
        break;
    default:
        return NULL; /* its bytes are not together */
    }
    for (unsigned k = 0; k < insn->operand_count; k++) {
        const PtxOperand *operand = &function->operands[insn->first_operand + k];
        if (operand->kind == PTX_ADDRESS)
            return operand;
    }
    return NULL;
}

static void find_place(const ScheduleRegion *region, const PtxInsn *insn, ScheduleAccess *access)
{
    const PtxOperand *address = address_of(region->function, insn);
    access->bytes = access_bytes(region->function, insn);
    if (!address || !access->bytes)
        return;
    const PtxOperand *base = &region->function->operands[address->first];
    access->offset = address->value + (base->kind == PTX_VARIABLE ? base->value : 0);
    if (base->kind == PTX_VARIABLE) {
        access->has_base = access->is_variable = true;
        access->base = base->index;
    } else if (base->kind == PTX_REGISTER) {
        const ScheduleValue *value = &region->values.items[region->registers[base->index].value];
        access->has_base = value->base != NO_INDEX;
        access->base = value->base;
        access->offset += value->distance;
    }
}

/* -- whether two are the same bytes -- */

static bool are_in_bounds(const ScheduleRegion *region, const ScheduleAccess *access)
{
    return access->offset >= 0 &&
           (uint64_t)access->offset + access->bytes <= region->module->variables[access->base].size;
}

static bool are_apart(const ScheduleRegion *region, const ScheduleAccess *a, const ScheduleAccess *b)
{
    if (!a->has_base || !b->has_base || a->is_variable != b->is_variable)
        return false;
    /* An access that leaves its variable may well reach another one. Two different register values are
     * never known to be apart. */
    if (a->base != b->base)
        return a->is_variable && are_in_bounds(region, a) && are_in_bounds(region, b);
    return a->offset + a->bytes <= b->offset || b->offset + b->bytes <= a->offset;
}

/* A function's parameters may lie in its local memory. */
static bool may_share_space(Space a, Space b)
{
    const bool in_frame = (a == SPACE_LOCAL || a == SPACE_PARAM) && (b == SPACE_LOCAL || b == SPACE_PARAM);
    return a == b || a == SPACE_GENERIC || b == SPACE_GENERIC || in_frame;
}

static bool may_meet(const ScheduleRegion *region, const ScheduleAccess *a, const ScheduleAccess *b)
{
    if (!a->writes && !b->writes)
        return false;
    if (a->is_constant || b->is_constant)
        return false;
    return may_share_space(a->space, b->space) && !are_apart(region, a, b);
}

/* -- edges -- */

static void order_all(ScheduleRegion *region, uint32_t node)
{
    schedule_add_edge(region, region->memory_order, node, 1);
    for (uint32_t i = 0; i < region->memory.count; i++)
        schedule_add_edge(region, region->memory.items[i].node, node, 1);
    region->memory.count = 0;
    region->memory_order = node;
}

void schedule_order_memory(ScheduleRegion *region, uint32_t node)
{
    const Function *function = region->function;
    const PtxInsn *insn = schedule_insn(region, node);
    const Role role = role_of(function, insn);
    if (role == ROLE_NONE)
        return;
    /* With too many to compare, the order of all is kept from here on, which is always right. */
    if (role == ROLE_ORDER || region->memory.count == COMPARED_ACCESSES) {
        order_all(region, node);
        return;
    }
    ScheduleAccess access = {.node = node,
                             .space = schedule_space(function, insn),
                             .writes = role == ROLE_WRITE,
                             .is_constant = is_never_written(function, insn)};
    find_place(region, insn, &access);
    schedule_add_edge(region, region->memory_order, node, 1);
    for (uint32_t i = 0; i < region->memory.count; i++)
        if (may_meet(region, &region->memory.items[i], &access))
            schedule_add_edge(region, region->memory.items[i].node, node, 1);
    VEC_PUSH(&region->memory, access);
}

/* -- walls -- */

static bool changes_by_itself(uint32_t special)
{
    return (special >= SPECIAL_clock && special <= SPECIAL_globaltimer_hi) || special >= SPECIAL_pm0;
}

static bool names_changing(const Function *function, const PtxOperand *operand)
{
    if (operand->kind == PTX_SPECIAL)
        return changes_by_itself(operand->index);
    if (operand->kind != PTX_VECTOR && operand->kind != PTX_ADDRESS)
        return false;
    for (uint32_t k = 0; k < operand->count; k++)
        if (names_changing(function, &function->operands[operand->first + k]))
            return true;
    return false;
}

/* Reading a clock measures what is around it. A call leaves the region. */
bool schedule_is_wall(const Function *function, const PtxInsn *insn)
{
    switch (isa_rows[insn->row].action) {
    case ACTION_BRANCH:
    case ACTION_BRANCH_TABLE:
    case ACTION_CALL:
    case ACTION_RETURN:
    case ACTION_EXIT:
    case ACTION_TRAP:
        return true;
    default:
        break;
    }
    for (unsigned k = 0; k < insn->operand_count; k++)
        if (names_changing(function, &function->operands[insn->first_operand + k]))
            return true;
    return insn->row == ROW_UNKNOWN;
}
