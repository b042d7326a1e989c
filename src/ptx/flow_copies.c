/* The kernel is read once for what it writes, and then store by store for what each shared variable is filled
 * with. One doubt about a store of unknown address ends the search for all variables; one about a value ends
 * it for that variable alone. */
#include "ptx/flow_copies.h"

#include <string.h>

#include "ptx/flow_graph.h"
#include "ptx/schedule_region.h"

/* A store to one shared variable, or an atomic there. */
typedef struct SharedStore {
    uint32_t insn, variable;
} SharedStore;

typedef struct Search {
    const Module *module;
    const Function *function;
    Arena *arena, scratch;
    FlowGraph *graph;
    FlowPointers pointers;
    PointerRoots roots, written, sources;
    VEC(SharedStore) stores;
    bool *is_open;          /* [variable_count] all that has been seen of it copies */
    bool *is_late;          /* [block_count + 1] control may come there after the block has left */
    uint32_t *first_call;   /* [block_count] the first such call in it, or NO_INDEX */
} Search;

static const PtxOperand *operand_of(const Search *s, const PtxInsn *insn, uint32_t k)
{
    return &s->function->operands[insn->first_operand + k];
}

/* -- calls -- */

typedef enum CallKind { CALL_LEAVES, CALL_WRITES_NOTHING, CALL_UNKNOWN } CallKind;

static CallKind kind_of_call(const Search *s, const PtxInsn *insn)
{
    static const char *const leaving[] = {"wb_global_sync", "wb_wait"};
    static const char *const harmless[] = {"wb_signal", "wb_signal_each", "wb_read_only", "vprintf",
                                           "__assertfail"};
    const char *name = NULL;
    for (uint32_t k = 0; k < insn->operand_count; k++)
        if (operand_of(s, insn, k)->kind == PTX_FUNCTION)
            name = s->module->functions[operand_of(s, insn, k)->index].name;
    for (size_t i = 0; name && i < sizeof leaving / sizeof *leaving; i++)
        if (!strcmp(name, leaving[i]))
            return CALL_LEAVES;
    for (size_t i = 0; name && i < sizeof harmless / sizeof *harmless; i++)
        if (!strcmp(name, harmless[i]))
            return CALL_WRITES_NOTHING;
    return CALL_UNKNOWN;
}

/* -- what is written -- */

static void add_written(Search *s, PointerRoot root)
{
    for (uint32_t i = 0; i < s->written.count; i++)
        if (pointer_root_is(&s->written.items[i], &root))
            return;
    VEC_PUSH(&s->written, root);
}

/* All extern shared arrays are one memory: the dynamic one. */
static uint32_t memory_of(const Search *s, uint32_t variable)
{
    const Variable *variables = s->module->variables;
    if (variables[variable].size)
        return variable;
    for (uint32_t i = 0; i < variable; i++)
        if (variables[i].space == SPACE_SHARED && !variables[i].size)
            return i;
    return variable;
}

/* False: it may write anything. */
static bool note_root(Search *s, uint32_t insn, PointerRoot root)
{
    const Space space = s->module->variables[root.variable].space;
    if (root.is_parameter || space == SPACE_GLOBAL) {
        add_written(s, root);
        return true;
    }
    if (space == SPACE_SHARED) {
        const SharedStore store = {insn, memory_of(s, root.variable)};
        s->is_open[store.variable] &= s->roots.count == 1;
        VEC_PUSH(&s->stores, store);
    }
    return space == SPACE_SHARED || space == SPACE_LOCAL || space == SPACE_PARAM;
}

static bool note_write(Search *s, uint32_t number)
{
    const PtxInsn *insn = &s->function->insns[number];
    const Space space = schedule_space(s->function, insn);
    const PtxOperand *address = NULL;
    if (space == SPACE_LOCAL || space == SPACE_PARAM)
        return true;
    for (uint32_t k = 0; k < insn->operand_count && !address; k++)
        if (operand_of(s, insn, k)->kind == PTX_ADDRESS)
            address = operand_of(s, insn, k);
    if (!address || !flow_pointer_roots(&s->pointers, address, &s->roots))
        return false;
    for (uint32_t i = 0; i < s->roots.count; i++)
        if (!note_root(s, number, s->roots.items[i]))
            return false;
    return true;
}

/* False: nobody knows what the kernel writes. */
static bool note_insn(Search *s, uint32_t number)
{
    const PtxInsn *insn = &s->function->insns[number];
    if (insn->row == ROW_UNKNOWN)
        return false;
    switch (isa_rows[insn->row].action) {
    case ACTION_STORE:
    case ACTION_ATOMIC:
        return note_write(s, number);
    case ACTION_CALL:
        return kind_of_call(s, insn) != CALL_UNKNOWN;
    case ACTION_CLUSTER_BARRIER: /* others of a cluster may write the block's shared memory */
    case ACTION_COPY_ASYNC:
    case ACTION_MBARRIER:
    case ACTION_WMMA_STORE:
    case ACTION_SURFACE_STORE:
        return false;
    default:
        return true;
    }
}

/* -- what comes behind a call -- */

static void spread_late(Search *s)
{
    const FlowEdges *next = &s->graph->successors;
    VEC(uint32_t) rest = {0};
    for (uint32_t b = 0; b < s->graph->block_count; b++)
        if (s->first_call[b] != NO_INDEX)
            VEC_PUSH(&rest, b);
    while (rest.count) {
        const uint32_t block = rest.items[--rest.count];
        for (uint32_t k = next->begin[block]; k < next->begin[block + 1]; k++) {
            const uint32_t to = next->items[k];
            if (s->is_late[to])
                continue;
            s->is_late[to] = true;
            if (to < s->graph->block_count)
                VEC_PUSH(&rest, to);
        }
    }
    VEC_FREE(&rest);
}

static bool is_leaving(const Search *s, const PtxInsn *insn)
{
    return insn->row != ROW_UNKNOWN && isa_rows[insn->row].action == ACTION_CALL &&
           kind_of_call(s, insn) == CALL_LEAVES;
}

static bool may_leave(const Search *s)
{
    for (uint32_t i = 0; i < s->function->insn_count; i++)
        if (is_leaving(s, &s->function->insns[i]))
            return true;
    return false;
}

static void find_late(Search *s)
{
    const uint32_t blocks = s->graph->block_count;
    s->is_late = ARENA_ARRAY(&s->scratch, bool, blocks + 1);
    s->first_call = ARENA_ARRAY(&s->scratch, uint32_t, blocks + 1);
    memset(s->first_call, 0xFF, (blocks + 1) * sizeof *s->first_call);
    for (uint32_t i = s->function->insn_count; i-- > 0;) {
        if (is_leaving(s, &s->function->insns[i]))
            s->first_call[s->graph->block_of[i]] = i;
    }
    spread_late(s);
}

static bool comes_late(const Search *s, uint32_t insn)
{
    const uint32_t block = s->graph->block_of[insn];
    return s->is_late[block] || s->first_call[block] < insn;
}

/* -- where a value comes from -- */

/* Does every way to instruction `to` pass `from`? A walk from the entry that stops there tells. */
static bool dominates(const Search *s, uint32_t from, uint32_t to)
{
    const FlowEdges *next = &s->graph->successors;
    const uint32_t target = s->graph->block_of[to], wall = s->graph->block_of[from];
    if (target == wall)
        return from < to;
    bool *seen = xcalloc(s->graph->block_count + 1, sizeof *seen);
    VEC(uint32_t) rest = {0};
    if (wall)
        VEC_PUSH(&rest, 0);
    while (rest.count && !seen[target]) {
        const uint32_t block = rest.items[--rest.count];
        seen[block] = true;
        for (uint32_t k = next->begin[block]; k < next->begin[block + 1]; k++) {
            const uint32_t to_block = next->items[k];
            if (to_block < s->graph->block_count && to_block != wall && !seen[to_block])
                VEC_PUSH(&rest, to_block);
        }
    }
    const bool is_reached = seen[target];
    VEC_FREE(&rest);
    xfree(seen);
    return !is_reached;
}

/* The instruction that gives the register its value at `user`, by whichever way control has come there. */
static uint32_t definition(const Search *s, uint32_t reg, uint32_t user)
{
    const uint32_t writer = flow_only_writer(&s->pointers, reg);
    return writer != NO_INDEX && s->function->insns[writer].guard == NO_INDEX && dominates(s, writer, user)
               ? writer
               : NO_INDEX;
}

static bool is_plain_move(const Search *s, const PtxInsn *insn)
{
    return !strcmp(insn->mnemonic, "mov") && operand_of(s, insn, 0)->kind == PTX_REGISTER &&
           operand_of(s, insn, 1)->kind == PTX_REGISTER;
}

static uint32_t element_bytes(const Search *s, const PtxInsn *insn)
{
    uint32_t bytes = 0;
    for (unsigned i = 0; i < insn->mod_count; i++)
        if (mod_is_type(s->function->mods[insn->first_mod + i]))
            bytes = type_bytes(s->function->mods[insn->first_mod + i]);
    return bytes;
}

/* A load of global memory that other threads do not synchronize by. */
static bool is_global_load(const Search *s, const PtxInsn *insn)
{
    static const Mod strong[] = {MOD_volatile_, MOD_relaxed, MOD_acquire, MOD_mmio, MOD_cv};
    for (size_t i = 0; i < sizeof strong / sizeof *strong; i++)
        if (function_has_mod(s->function, insn, strong[i]))
            return false;
    return isa_rows[insn->row].action == ACTION_LOAD && schedule_space(s->function, insn) == SPACE_GLOBAL;
}

/* Whether nothing that the kernel writes is where the load reads. Adds what it reads to the sources. */
static bool reads_what_nobody_writes(Search *s, const PtxInsn *load)
{
    if (!flow_pointer_roots(&s->pointers, operand_of(s, load, 1), &s->roots))
        return false;
    for (uint32_t i = 0; i < s->roots.count; i++) {
        const PointerRoot *root = &s->roots.items[i];
        if (!root->is_parameter && s->module->variables[root->variable].space != SPACE_GLOBAL)
            return false;
        for (uint32_t k = 0; k < s->written.count; k++)
            if (pointer_root_is(&s->written.items[k], root))
                return false;
    }
    for (uint32_t i = 0; i < s->roots.count; i++)
        VEC_PUSH(&s->sources, s->roots.items[i]);
    return true;
}

/* Which element of the load the register is; NO_INDEX: none. */
static uint32_t element_of(const Search *s, const PtxInsn *load, uint32_t reg)
{
    const PtxOperand *to = operand_of(s, load, 0);
    if (to->kind == PTX_REGISTER)
        return to->index == reg ? 0 : NO_INDEX;
    for (uint32_t k = 0; k < to->count; k++)
        if (s->function->operands[to->first + k].kind == PTX_REGISTER &&
            s->function->operands[to->first + k].index == reg)
            return k;
    return NO_INDEX;
}

/* The load whose value the operand of the instruction has, and its element there. */
static bool trace_value(const Search *s, const PtxOperand *value, uint32_t user, uint32_t *load,
                        uint32_t *element)
{
    while (value->kind == PTX_REGISTER) {
        const uint32_t writer = definition(s, value->index, user);
        if (writer == NO_INDEX || s->function->insns[writer].row == ROW_UNKNOWN)
            return false;
        const PtxInsn *insn = &s->function->insns[writer];
        if (is_global_load(s, insn)) {
            *load = writer;
            *element = element_of(s, insn, value->index);
            return *element != NO_INDEX;
        }
        if (!is_plain_move(s, insn))
            return false;
        value = operand_of(s, insn, 1);
        user = writer;
    }
    return false;
}

/* -- stores -- */

/* The elements of a store if all of them copy; else null. Loads are not numbered yet: CopyElement.load is the
 * instruction. */
static CopyElement *copies_of(Search *s, uint32_t number)
{
    const PtxInsn *insn = &s->function->insns[number];
    if (isa_rows[insn->row].action != ACTION_STORE || schedule_space(s->function, insn) != SPACE_SHARED ||
        comes_late(s, number))
        return NULL;
    const PtxOperand *values = operand_of(s, insn, 1);
    const uint32_t count = values->kind == PTX_VECTOR ? values->count : 1, bytes = element_bytes(s, insn);
    CopyElement *elements = ARENA_ARRAY(s->arena, CopyElement, count);
    for (uint32_t k = 0; k < count; k++) {
        const PtxOperand *value =
            values->kind == PTX_VECTOR ? &s->function->operands[values->first + k] : values;
        uint32_t load, element;
        if (!trace_value(s, value, number, &load, &element) ||
            element_bytes(s, &s->function->insns[load]) != bytes ||
            !reads_what_nobody_writes(s, &s->function->insns[load]))
            return NULL;
        elements[k] = (CopyElement){load, element * bytes};
    }
    return elements;
}

static void keep_store(FlowCopies *found, uint32_t insn, uint32_t element_count, CopyElement *elements)
{
    found->stores[insn] = elements;
    for (uint32_t k = 0; k < element_count; k++) {
        uint32_t *number = &found->loads[elements[k].load];
        if (*number == NO_INDEX)
            *number = found->load_count++;
        elements[k].load = *number;
    }
}

static FlowCopies *find_copies(Search *s)
{
    const uint32_t insns = s->function->insn_count;
    FlowCopies *found = ARENA_NEW(s->arena, FlowCopies);
    CopyElement **elements = ARENA_ARRAY(&s->scratch, CopyElement *, insns + 1);
    found->loads = ARENA_ARRAY(s->arena, uint32_t, insns + 1);
    found->stores = ARENA_ARRAY(s->arena, const CopyElement *, insns + 1);
    memset(found->loads, 0xFF, (insns + 1) * sizeof *found->loads);
    for (uint32_t i = 0; i < s->stores.count; i++) {
        const SharedStore store = s->stores.items[i];
        if (s->is_open[store.variable])
            s->is_open[store.variable] = (elements[store.insn] = copies_of(s, store.insn)) != NULL;
    }
    for (uint32_t i = 0; i < s->stores.count; i++) {
        const SharedStore store = s->stores.items[i];
        const PtxOperand *values = operand_of(s, &s->function->insns[store.insn], 1);
        if (s->is_open[store.variable])
            keep_store(found, store.insn, values->kind == PTX_VECTOR ? values->count : 1,
                       elements[store.insn]);
    }
    found->source_count = s->sources.count;
    found->sources = arena_copy(s->arena, s->sources.items, s->sources.count * sizeof *found->sources);
    found->written_count = s->written.count;
    found->written = arena_copy(s->arena, s->written.items, s->written.count * sizeof *found->written);
    return found->load_count ? found : NULL;
}

FlowCopies *flow_copies_find(const Module *module, const Function *kernel, Arena *arena)
{
    Search s = {.module = module, .function = kernel, .arena = arena};
    FlowCopies *found = NULL;
    if (may_leave(&s)) {
        s.graph = flow_graph_build(module, kernel, &s.scratch);
        find_late(&s);
        bool is_known = true;
        s.is_open = ARENA_ARRAY(&s.scratch, bool, module->variable_count + 1);
        memset(s.is_open, true, module->variable_count + 1);
        flow_pointers_init(&s.pointers, module, kernel, &s.scratch);
        for (uint32_t i = 0; i < kernel->insn_count && is_known; i++)
            is_known = note_insn(&s, i);
        if (is_known && s.stores.count)
            found = find_copies(&s);
        flow_pointers_free(&s.pointers);
    }
    VEC_FREE(&s.roots);
    VEC_FREE(&s.written);
    VEC_FREE(&s.sources);
    VEC_FREE(&s.stores);
    arena_free(&s.scratch);
    return found;
}
