/* From PTX to the operations of machine code for debuggers, in which nothing is folded, moved or shared.
 *
 * Every word of a PTX register is a value of its own, parameters and constants included; the words of a wide
 * one need not lie side by side. Accesses to global memory need a descriptor, which stands in a pair from the
 * function's start to the last of them. */
#include "ptx/machine_values.h"

#include "ptx/flow_registers.h"

typedef struct Plain {
    const Function *function;
    const FlowLive *live;
    uint32_t *first;     /* [register] its first value; those of its other words follow */
    const uint8_t *words_of;
    MachineCode *code;
} Plain;

static void add_accesses(Plain *p, uint32_t insn, bool are_writes)
{
    const FlowAccesses *accesses = &p->live->accesses;
    for (uint32_t k = accesses->begin[insn]; k < accesses->begin[insn + 1]; k++) {
        const FlowAccess access = accesses->items[k];
        for (uint32_t w = 0; access.is_write == are_writes && w < p->words_of[access.reg]; w++)
            VEC_PUSH(&p->code->accesses,
                     ((MachineAccess){p->first[access.reg] + w, access.is_write, access.is_definite}));
    }
}

/* Global memory, or an address that may be of it. */
static bool needs_descriptor(const Plain *p, const PtxInsn *insn)
{
    static const Mod others[] = {MOD_param, MOD_shared, MOD_local, MOD_const_};
    const Action action = isa_rows[insn->row].action;
    bool is_global = action == ACTION_LOAD || action == ACTION_STORE || action == ACTION_ATOMIC;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        is_global &= !function_has_mod(p->function, insn, others[i]);
    return is_global;
}

static uint32_t new_value(MachineCode *code, unsigned words)
{
    VEC_PUSH(&code->words, (uint8_t)words);
    VEC_PUSH(&code->is_odd, false);
    return code->words.count - 1;
}

static void add_access(Plain *p, uint32_t value, bool is_write)
{
    VEC_PUSH(&p->code->accesses, ((MachineAccess){value, is_write, true}));
}

static void begin_op(Plain *p, uint32_t block)
{
    VEC_PUSH(&p->code->ops, ((MachineOp){.begin = p->code->accesses.count, .block = block}));
}

/* The address of an access to global memory is copied into a pair. */
static void add_op(Plain *p, uint32_t i)
{
    const PtxInsn *insn = &p->function->insns[i];
    const uint32_t block = p->live->graph->block_of[i];
    const bool is_global = needs_descriptor(p, insn);
    const uint32_t address = is_global ? new_value(p->code, 2) : NO_INDEX;
    if (is_global) {
        begin_op(p, block);
        add_access(p, address, true);
    }
    begin_op(p, block);
    MachineOp *op = &p->code->ops.items[p->code->ops.count - 1];
    op->is_call = isa_rows[insn->row].action == ACTION_CALL;
    op->temporaries = (uint8_t)flow_temporaries(p->function, insn);
    add_accesses(p, i, false);
    if (is_global) {
        add_access(p, address, false);
        add_access(p, p->code->last, false);
    }
    add_accesses(p, i, true);
}

void machine_debug_values(const Function *function, const FlowLive *live, MachineCode *code)
{
    Arena scratch = {0};
    Plain p = {.function = function,
               .live = live,
               .first = ARENA_ARRAY(&scratch, uint32_t, function->register_count + 1),
               .words_of = flow_set_new(function, &scratch).words_of,
               .code = code};
    for (uint32_t r = 0; r < function->register_count; r++) {
        p.first[r] = code->words.count;
        for (unsigned w = 0; w < p.words_of[r]; w++)
            new_value(code, 1);
    }
    code->last = new_value(code, 2);
    begin_op(&p, 0);
    add_access(&p, code->last, true);
    for (uint32_t i = 0; i < function->insn_count; i++)
        add_op(&p, i);
    begin_op(&p, live->graph->block_count);
    arena_free(&scratch);
}
