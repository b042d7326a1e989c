/* Comparisons that guard the branch at their block's end.
 *
 * A predicate takes long to reach a branch, so the assembler moves its comparison, with what that needs,
 * to where its operands are there, and lets the rest of the block pass in the meantime. Instructions keep
 * their places here; the comparison's latency is shortened by what would pass instead. */
#include "sm/native.h"

#include "base/alloc.h"

typedef struct Cone {
    const NativeFunction *f;
    bool *needed;   /* [register] that the comparison still needs, going backward */
    bool is_member; /* the instruction looked at writes one of them */
} Cone;

static void see_result(void *context, uint32_t reg, bool is_write, bool is_definite)
{
    (void)is_definite;
    Cone *cone = context;
    if (is_write && cone->needed[reg]) {
        cone->is_member = true;
        cone->needed[reg] = false;
    }
}

static void see_source(void *context, uint32_t reg, bool is_write, bool is_definite)
{
    (void)is_definite;
    Cone *cone = context;
    if (!is_write)
        cone->needed[reg] = true;
}

/* Issue slots of the block that can pass between the comparison and the end of the block. */
static uint32_t slots_to_pass(const NativeFunction *f, uint32_t test)
{
    Cone cone = {f, xcalloc(f->function->register_count + 1, sizeof *cone.needed), false};
    flow_visit_registers(f->function, f->code[test].ptx, see_source, &cone);
    uint32_t slots = 0;
    for (uint32_t i = test; i-- > 0 && f->block[i] == f->block[test];) {
        cone.is_member = false;
        flow_visit_registers(f->function, f->code[i].ptx, see_result, &cone);
        if (cone.is_member && f->code[i].action != ACTION_LANE && f->code[i].action != ACTION_MOVE)
            break; /* it waits for memory or another lane: nothing goes before that */
        if (cone.is_member)
            flow_visit_registers(f->function, f->code[i].ptx, see_source, &cone);
        else
            slots += work_total(&f->forms[i].slots);
    }
    xfree(cone.needed);
    return slots;
}

static bool guards_block_end(const NativeFunction *f, uint32_t test, uint32_t *end)
{
    const uint32_t predicate = native_register(f, &f->code[test], 0);
    for (uint32_t i = test + 1; i < f->count && f->block[i] == f->block[test]; i++)
        if (f->code[i].action == ACTION_BRANCH) {
            *end = i;
            return f->code[i].ptx->guard == predicate;
        }
    return false;
}

void native_hoist(NativeFunction *f)
{
    const uint32_t usual = work_latency(WORK_PREDICATE, f->config), least = work_latency(WORK_INT, f->config);
    for (uint32_t i = 0; i < f->count; i++) {
        NativeForm *form = &f->forms[i];
        uint32_t end;
        if (!f->code[i].ptx || !form->chain.count[WORK_PREDICATE] || form->slots.count[WORK_INT] == 0 ||
            isa_rows[f->code[i].row].operands[0] != 'P' || !guards_block_end(f, i, &end))
            continue;
        const uint32_t passes = slots_to_pass(f, i);
        const uint32_t latency = usual > passes ? usual - passes : 0;
        form->latency = (uint16_t)(latency > least ? latency : least);
    }
}
