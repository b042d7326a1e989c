/* What the suffixes of a memory instruction say, worked out once while linking. */
#include "exec/access.h"

static AtomicOp atomic_op(Mod mod)
{
    switch ((int)mod) {
    case MOD_add:
        return ATOMIC_ADD;
    case MOD_min:
        return ATOMIC_MIN;
    case MOD_max:
        return ATOMIC_MAX;
    case MOD_inc:
        return ATOMIC_INC;
    case MOD_dec:
        return ATOMIC_DEC;
    case MOD_and:
        return ATOMIC_AND;
    case MOD_or:
        return ATOMIC_OR;
    case MOD_xor:
        return ATOMIC_XOR;
    case MOD_exch:
        return ATOMIC_EXCH;
    case MOD_cas:
        return ATOMIC_CAS;
    default:
        return ATOMIC_NONE;
    }
}

/* What an instruction's cache operator, order and scope ask for. An order without a scope is that of the
 * whole GPU; within a block, all threads share one L1, so that nothing has to go past it. */
static uint32_t order_aux(const Function *function, const PtxInsn *ptx)
{
    const bool block = function_has_mod(function, ptx, MOD_cta);
    const bool acquires = function_has_mod(function, ptx, MOD_acquire);
    const bool both = function_has_mod(function, ptx, MOD_acq_rel);
    const bool strong = acquires || function_has_mod(function, ptx, MOD_relaxed);
    const bool system = function_has_mod(function, ptx, MOD_cv) ||
                        function_has_mod(function, ptx, MOD_mmio) ||
                        function_has_mod(function, ptx, MOD_volatile_) ||
                        (strong && function_has_mod(function, ptx, MOD_sys));
    uint32_t aux = system ? AUX_SYSTEM : 0;
    if (system || (strong && !block))
        aux |= AUX_STRONG | AUX_AT_L2;
    if (function_has_mod(function, ptx, MOD_cg))
        aux |= AUX_AT_L2;
    if ((acquires || both) && !block)
        aux |= AUX_ACQUIRE;
    if ((both || function_has_mod(function, ptx, MOD_release)) && !block)
        aux |= AUX_RELEASE;
    if (ptx->row == ROW_ldu || function_has_mod(function, ptx, MOD_nc))
        aux |= AUX_READ_ONLY;
    return aux;
}

typedef struct ResultSearch {
    const Function *function;
    uint32_t first, count; /* operands that are the result's registers */
    bool is_read;
} ResultSearch;

static void look_for_read(void *context, uint32_t reg, bool is_write, bool is_definite)
{
    ResultSearch *search = context;
    (void)is_definite;
    for (uint32_t i = 0; !is_write && i < search->count; i++) {
        const PtxOperand *operand = &search->function->operands[search->first + i];
        search->is_read |= operand->kind == PTX_REGISTER && operand->index == reg;
    }
}

/* Whether no instruction reads what an atomic returns. Compilers write atom where the result is not
 * needed, and the assembler makes a reduction of it. In functions, the result may be one of theirs. */
static bool result_is_unused(const Function *function, const PtxInsn *ptx)
{
    const IsaRow *row = &isa_rows[ptx->row];
    if (!function->is_entry || row->action != ACTION_ATOMIC || row->operands[0] != 'D')
        return false;
    const PtxOperand *to = &function->operands[ptx->first_operand];
    ResultSearch search = {.function = function, .first = ptx->first_operand, .count = 1};
    if (to->kind == PTX_VECTOR) {
        search.first = to->first;
        search.count = to->count;
    }
    for (uint32_t i = 0; i < function->insn_count && !search.is_read; i++)
        flow_visit_registers(function, &function->insns[i], look_for_read, &search);
    return !search.is_read;
}

uint32_t access_aux(const Function *function, const PtxInsn *ptx)
{
    uint32_t aux = order_aux(function, ptx) | (result_is_unused(function, ptx) ? AUX_UNUSED : 0);
    for (unsigned i = 0; i < ptx->mod_count; i++) {
        const Mod mod = function->mods[ptx->first_mod + i];
        const AtomicOp op = atomic_op(mod);
        if (mod_is_type(mod))
            aux = (aux & ~(uint32_t)(AUX_TYPE_MASK | AUX_FLOAT)) | (uint32_t)mod |
                  (type_is_float(mod) ? AUX_FLOAT : 0);
        else if (op)
            aux |= (uint32_t)op << AUX_OP_SHIFT;
        else if (mod == MOD_noinc)
            aux |= AUX_NOINC;
        else if (mod == MOD_l2_cache_hint)
            aux |= AUX_CACHE_HINT;
    }
    return aux;
}
