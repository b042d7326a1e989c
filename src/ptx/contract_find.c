/* Products and sums of a function, stretch by stretch.
 *
 * A stretch is what the assembler has as one basic block when it looks for multiply-adds: blocks that follow
 * each other without another way in or out are one, but whatever it will make branches of cuts: divisions and
 * roots rounded exactly, calls, fences, and guarded instructions that are more than arithmetic. Inside of a
 * stretch a register holds a product from the instruction that makes it, over copies and changes of sign, to
 * the next write. */
#include "ptx/contract.h"

#include <string.h>

/* What a register holds, if `stretch` is the present one. */
typedef struct Held {
    uint32_t stretch, product;
    bool minus;
} Held;

/* A register that holds a product behind an instruction that ends a stretch. */
typedef struct Left {
    uint32_t reg, product;
    uint32_t next; /* of the same instruction, or NO_INDEX */
} Left;

typedef struct Finder {
    const Function *function;
    const FlowLive *live;
    ContractFacts *facts;
    bool *needed;       /* [register] read by an instruction that does something */
    Held *held;         /* [register] */
    uint32_t *version;  /* [register] writes so far */
    uint32_t stretch;
    VEC(uint32_t) holders; /* registers that got a product in the stretch */
    VEC(Left) left;
    uint32_t *first_left;  /* [insn] */
} Finder;

typedef enum Role { ROLE_NONE, ROLE_PRODUCT, ROLE_SUM, ROLE_DIFFERENCE, ROLE_NEGATION, ROLE_COPY } Role;

static Role role_of(uint32_t row)
{
    switch (row) {
    case ROW_mul_f32: case ROW_mul_f32_flush: case ROW_mul_f64:
    case ROW_mul_f16: case ROW_mul_f16x2: case ROW_mul_bf16: case ROW_mul_bf16x2:
        return ROLE_PRODUCT;
    case ROW_add_f32: case ROW_add_f32_flush: case ROW_add_f64:
    case ROW_add_f16: case ROW_add_f16x2: case ROW_add_bf16: case ROW_add_bf16x2:
        return ROLE_SUM;
    case ROW_sub_f32: case ROW_sub_f32_flush: case ROW_sub_f64:
    case ROW_sub_f16: case ROW_sub_f16x2: case ROW_sub_bf16: case ROW_sub_bf16x2:
        return ROLE_DIFFERENCE;
    case ROW_neg_f32: case ROW_neg_f64:
    case ROW_neg_f16: case ROW_neg_f16x2: case ROW_neg_bf16: case ROW_neg_bf16x2:
        return ROLE_NEGATION;
    case ROW_mov_b16: case ROW_mov_b32: case ROW_mov_b64:
        return ROLE_COPY;
    default:
        return ROLE_NONE;
    }
}

static const PtxOperand *operand_at(const Finder *f, uint32_t insn, unsigned k)
{
    return &f->function->operands[f->function->insns[insn].first_operand + k];
}

static bool has_mod(const Finder *f, uint32_t insn, Mod mod)
{
    return function_has_mod(f->function, &f->function->insns[insn], mod);
}

static Type type_of(const Finder *f, uint32_t insn)
{
    const PtxInsn *ptx = &f->function->insns[insn];
    Type type = MOD_NONE;
    for (unsigned k = 0; k < ptx->mod_count; k++)
        if (mod_is_type(f->function->mods[ptx->first_mod + k]))
            type = f->function->mods[ptx->first_mod + k];
    return type;
}

/* -- what cuts -- */

static bool cuts(const Function *function, const PtxInsn *insn)
{
    switch (isa_rows[insn->row].action) {
    case ACTION_LANE:
        return function_divides_exactly(function, insn);
    case ACTION_MOVE:
    case ACTION_ADDRESS:
        return false;
    /* They end a block in machine code, though not in PTX. */
    case ACTION_CALL:
    case ACTION_FENCE:
    case ACTION_TRAP:
        return true;
    default:
        return insn->guard != NO_INDEX;
    }
}

/* -- what the assembler drops -- */

static bool is_plain(const Function *function, uint32_t insn)
{
    const Action action = isa_rows[function->insns[insn].row].action;
    return action == ACTION_LANE || action == ACTION_MOVE || action == ACTION_ADDRESS;
}

/* Arithmetic that only gives what nobody needs is no use of anything. */
static bool does_something(const Finder *f, uint32_t insn)
{
    const FlowAccesses *accesses = &f->live->accesses;
    /* Loads, stores, branches and all else that is no arithmetic count as needed. */
    bool does = !is_plain(f->function, insn);
    for (uint32_t k = accesses->begin[insn]; k < accesses->begin[insn + 1] && !does; k++)
        does = accesses->items[k].is_write && f->needed[accesses->items[k].reg];
    return does;
}

/* Where text follows its use, as in loops, another turn is needed. */
static void find_needed(Finder *f)
{
    const FlowAccesses *accesses = &f->live->accesses;
    for (uint32_t k = 0; k < f->function->result_count; k++)
        if (f->function->result_registers && f->function->result_registers[k] != NO_INDEX)
            f->needed[f->function->result_registers[k]] = true;
    /* Registers only become needed, so it ends; most functions take two rounds. */
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = f->function->insn_count; i-- > 0;) {
            if (!does_something(f, i))
                continue;
            for (uint32_t k = accesses->begin[i]; k < accesses->begin[i + 1]; k++)
                if (!accesses->items[k].is_write && !f->needed[accesses->items[k].reg])
                    changed = f->needed[accesses->items[k].reg] = true;
        }
    }
}

/* -- what registers hold -- */

static const Held *held_in(const Finder *f, uint32_t reg)
{
    return f->held[reg].stretch == f->stretch && f->held[reg].product != NO_INDEX ? &f->held[reg] : NULL;
}

static const Held *held_by(const Finder *f, const PtxOperand *operand)
{
    return operand->kind == PTX_REGISTER && !operand->negated ? held_in(f, operand->index) : NULL;
}

static void hold(Finder *f, uint32_t reg, uint32_t product, bool minus)
{
    f->held[reg] = (Held){f->stretch, product, minus};
    if (product != NO_INDEX)
        VEC_PUSH(&f->holders, reg);
}

static void lose(Finder *f, uint32_t reg)
{
    const Held *held = held_in(f, reg);
    if (!held)
        return;
    f->facts->products.items[held->product].uses++;
    /* A use that no sum can take: the product's value is needed. */
    f->facts->products.items[held->product].lost++;
}

/* Every read of what the instruction reads is one that takes no product; a guarded write keeps some of what
 * was there, which is a read of it. */
static void read_all(Finder *f, uint32_t insn, bool reads_are_lost)
{
    const FlowAccesses *accesses = &f->live->accesses;
    for (uint32_t k = accesses->begin[insn]; k < accesses->begin[insn + 1]; k++) {
        const FlowAccess access = accesses->items[k];
        /* A write under a guard keeps the old value in some lanes, so it reads it. */
        if (access.is_write ? !access.is_definite : reads_are_lost)
            lose(f, access.reg);
    }
}

static void write_all(Finder *f, uint32_t insn)
{
    const FlowAccesses *accesses = &f->live->accesses;
    for (uint32_t k = accesses->begin[insn]; k < accesses->begin[insn + 1]; k++)
        if (accesses->items[k].is_write) {
            /* Versions tell whether a factor is still what it was when the product was made. */
            f->version[accesses->items[k].reg]++;
            hold(f, accesses->items[k].reg, NO_INDEX, false);
        }
}

/* 1 or -1 where the operand is that constant, else 0. */
static int unit_value(const PtxOperand *operand)
{
    double value = 0;
    float single;
    const uint32_t bits = (uint32_t)operand->value;
    memcpy(&single, &bits, sizeof single);
    if (operand->kind == PTX_FLOAT64)
        memcpy(&value, &operand->value, sizeof value);
    else if (operand->kind == PTX_FLOAT32)
        value = (double)single;
    return value == 1.0 ? 1 : value == -1.0 ? -1 : 0;
}

/* The operand that the instruction copies, and whether it changes its sign: mov, neg, and a product with 1
 * or -1. Null: it does not copy. */
static const PtxOperand *copied_operand(const Finder *f, uint32_t insn, bool *minus)
{
    const PtxInsn *ptx = &f->function->insns[insn];
    const Role role = role_of(ptx->row);
    *minus = role == ROLE_NEGATION;
    if (ptx->guard != NO_INDEX || (role != ROLE_COPY && role != ROLE_NEGATION && role != ROLE_PRODUCT))
        return NULL;
    if (role != ROLE_PRODUCT)
        return operand_at(f, insn, 1);
    if (has_mod(f, insn, MOD_ftz) || has_mod(f, insn, MOD_sat))
        return NULL;
    for (unsigned k = 1; k <= 2; k++) {
        const int unit = unit_value(operand_at(f, insn, k));
        *minus = unit < 0;
        if (unit)
            return operand_at(f, insn, 3 - k);
    }
    return NULL;
}

/* A sign changed with .ftz flushes what the product has not. */
static bool keeps_value(const Finder *f, uint32_t insn, uint32_t product)
{
    const uint32_t from = f->facts->products.items[product].insn;
    const Role role = role_of(f->function->insns[insn].row);
    if (role == ROLE_COPY)
        return true;
    return type_of(f, insn) == type_of(f, from) && (!has_mod(f, insn, MOD_ftz) || has_mod(f, from, MOD_ftz));
}

/* True: the instruction only copies a product to another register. */
static bool visit_copy(Finder *f, uint32_t insn)
{
    bool minus;
    const PtxOperand *source = copied_operand(f, insn, &minus), *to = operand_at(f, insn, 0);
    const Held *held = source ? held_by(f, source) : NULL;
    if (!held || to->kind != PTX_REGISTER || !keeps_value(f, insn, held->product))
        return false;
    /* Before write_all() may forget it: source and destination can be one register. */
    const Held copy = *held;
    write_all(f, insn);
    hold(f, to->index, copy.product, copy.minus != minus);
    VEC_PUSH(&f->facts->copies, ((ContractCopy){insn, copy.product}));
    return true;
}

static bool is_product(const Finder *f, uint32_t insn)
{
    const PtxInsn *ptx = &f->function->insns[insn];
    bool minus;
    return role_of(ptx->row) == ROLE_PRODUCT && ptx->guard == NO_INDEX && !has_mod(f, insn, MOD_rn) &&
           !has_mod(f, insn, MOD_sat) && operand_at(f, insn, 0)->kind == PTX_REGISTER &&
           !copied_operand(f, insn, &minus);
}

static void visit_product(Finder *f, uint32_t insn)
{
    ContractProduct product = {.insn = insn};
    for (unsigned k = 0; k < 2; k++) {
        const PtxOperand *factor = operand_at(f, insn, k + 1);
        product.version[k] = factor->kind == PTX_REGISTER ? f->version[factor->index] : 0;
    }
    read_all(f, insn, true);
    write_all(f, insn);
    hold(f, operand_at(f, insn, 0)->index, f->facts->products.count, false);
    VEC_PUSH(&f->facts->products, product);
}

/* -- sums -- */

static bool fits(const Finder *f, uint32_t sum, uint32_t product)
{
    const uint32_t from = f->facts->products.items[product].insn;
    return type_of(f, sum) == type_of(f, from) && has_mod(f, sum, MOD_ftz) == has_mod(f, from, MOD_ftz);
}

static bool is_same_factor(const Finder *f, const ContractProduct *a, unsigned i, const ContractProduct *b,
                           unsigned j)
{
    const PtxOperand *x = operand_at(f, a->insn, i + 1), *y = operand_at(f, b->insn, j + 1);
    if (x->kind != y->kind)
        return false;
    return x->kind == PTX_REGISTER ? x->index == y->index && a->version[i] == b->version[j]
                                   : x->value == y->value && x->index == y->index;
}

/* a * b + a * b is twice one product, and stays a sum. */
static bool are_equal(const Finder *f, uint32_t first, uint32_t second)
{
    const ContractProduct *a = &f->facts->products.items[first], *b = &f->facts->products.items[second];
    if (first == second)
        return true;
    return (is_same_factor(f, a, 0, b, 0) && is_same_factor(f, a, 1, b, 1)) ||
           (is_same_factor(f, a, 0, b, 1) && is_same_factor(f, a, 1, b, 0));
}

static void note_stale(const Finder *f, ContractSum *sum, unsigned k)
{
    const ContractProduct *product = &f->facts->products.items[sum->product[k]];
    for (unsigned factor = 0; factor < 2; factor++) {
        const PtxOperand *operand = operand_at(f, product->insn, factor + 1);
        sum->is_stale[k][factor] =
            operand->kind == PTX_REGISTER && f->version[operand->index] != product->version[factor];
    }
}

static void visit_sum(Finder *f, uint32_t insn, bool is_difference)
{
    ContractSum sum = {.insn = insn, .product = {NO_INDEX, NO_INDEX}, .taken = NO_INDEX};
    const Held *held[2] = {held_by(f, operand_at(f, insn, 1)), held_by(f, operand_at(f, insn, 2))};
    bool is_twice = held[0] && held[1] && held[0]->product == held[1]->product;
    for (unsigned k = 0; k < 2; k++)
        sum.minus[k] = held[k] && held[k]->minus != (is_difference && k == 1);
    if (held[0] && held[1] && sum.minus[0] == sum.minus[1])
        is_twice |= are_equal(f, held[0]->product, held[1]->product);
    for (unsigned k = 0; k < 2; k++) {
        if (!held[k])
            continue;
        /* The assembler makes no fma of a product of another type or flushing, nor of one that is added to
         * itself. */
        if (is_twice || !fits(f, insn, held[k]->product)) {
            lose(f, operand_at(f, insn, k + 1)->index);
            continue;
        }
        f->facts->products.items[held[k]->product].uses++;
        sum.product[k] = held[k]->product;
        note_stale(f, &sum, k);
    }
    read_all(f, insn, false);
    write_all(f, insn);
    if (sum.product[0] != NO_INDEX || sum.product[1] != NO_INDEX)
        VEC_PUSH(&f->facts->sums, sum);
}

static void visit(Finder *f, uint32_t insn)
{
    if (!does_something(f, insn)) {
        write_all(f, insn);
        return;
    }
    const Role role = role_of(f->function->insns[insn].row);
    const bool is_free = !has_mod(f, insn, MOD_rn);
    if (visit_copy(f, insn))
        return;
    if (is_product(f, insn)) {
        visit_product(f, insn);
    } else if ((role == ROLE_SUM || role == ROLE_DIFFERENCE) && is_free) {
        visit_sum(f, insn, role == ROLE_DIFFERENCE);
    } else {
        read_all(f, insn, true);
        write_all(f, insn);
    }
}

/* -- stretches -- */

static void end_stretch(Finder *f, uint32_t insn)
{
    for (uint32_t i = 0; i < f->holders.count; i++) {
        const uint32_t reg = f->holders.items[i];
        const Held *held = held_in(f, reg);
        if (!held)
            continue;
        /* Whether anybody reads it behind the stretch is known only from liveness: lose_live(). */
        VEC_PUSH(&f->left, ((Left){reg, held->product, f->first_left[insn]}));
        f->first_left[insn] = f->left.count - 1;
        hold(f, reg, NO_INDEX, false);
    }
    f->holders.count = 0;
    /* All entries of `held` are of an older stretch from here on: nothing has to be cleared. */
    f->stretch++;
}

/* The block that only follows this one and that only this one leads to, or NO_INDEX. The first block has a
 * way in from outside. */
static uint32_t continuation(const FlowGraph *graph, uint32_t block)
{
    const FlowEdges *next = &graph->successors, *back = &graph->predecessors;
    if (next->begin[block + 1] - next->begin[block] != 1)
        return NO_INDEX;
    const uint32_t to = next->items[next->begin[block]];
    const bool is_only = to < graph->block_count && back->begin[to + 1] - back->begin[to] == 1;
    return is_only && to != 0 ? to : NO_INDEX;
}

static void visit_chain(Finder *f, uint32_t block)
{
    const FlowGraph *graph = f->live->graph;
    for (uint32_t next; block != NO_INDEX; block = next) {
        next = continuation(graph, block);
        for (uint32_t i = graph->first[block]; i < graph->first[block + 1]; i++) {
            visit(f, i);
            const bool is_last = i + 1 == graph->first[block + 1] && next == NO_INDEX;
            if (is_last || cuts(f->function, &f->function->insns[i]))
                end_stretch(f, i);
        }
    }
}

/* What is live behind a stretch is used there, where nothing can take it. */
static void lose_live(Finder *f, Arena *scratch)
{
    const FlowGraph *graph = f->live->graph;
    FlowWalk walk = flow_walk_new(f->function, f->live, scratch);
    for (uint32_t b = graph->block_count; b-- > 0;) {
        flow_walk_enter(&walk, b);
        for (uint32_t i = graph->first[b + 1]; i-- > graph->first[b];) {
            for (uint32_t k = f->first_left[i]; k != NO_INDEX; k = f->left.items[k].next)
                if (flow_set_has(&walk.set, f->left.items[k].reg)) {
                    f->facts->products.items[f->left.items[k].product].uses++;
                    f->facts->products.items[f->left.items[k].product].lost++;
                }
            flow_walk_step(&walk, i);
        }
    }
}

static bool has_products(const Function *function)
{
    for (uint32_t i = 0; i < function->insn_count; i++)
        if (role_of(function->insns[i].row) == ROLE_PRODUCT)
            return true;
    return false;
}

void contract_find(const Module *module, const Function *function, ContractFacts *facts)
{
    if (!has_products(function))
        return;
    Arena scratch = {0};
    const FlowGraph *graph = flow_graph_build(module, function, &scratch);
    Finder f = {.function = function,
                .live = flow_live_build(function, graph, &scratch),
                .facts = facts,
                .held = ARENA_ARRAY(&scratch, Held, function->register_count + 1),
                .version = ARENA_ARRAY(&scratch, uint32_t, function->register_count + 1),
                .first_left = ARENA_ARRAY(&scratch, uint32_t, function->insn_count + 1),
                .stretch = 1};
    f.needed = ARENA_ARRAY(&scratch, bool, function->register_count + 1);
    find_needed(&f);
    bool *continues = ARENA_ARRAY(&scratch, bool, graph->block_count + 1);
    memset(f.first_left, 0xFF, function->insn_count * sizeof *f.first_left);
    for (uint32_t b = 0; b < graph->block_count; b++)
        if (continuation(graph, b) != NO_INDEX)
            continues[continuation(graph, b)] = true;
    /* Chains begin at blocks that continue no other; a circle of such blocks is not reachable from
     * outside. */
    for (uint32_t b = 0; b < graph->block_count; b++)
        if (!continues[b])
            visit_chain(&f, b);
    lose_live(&f, &scratch);
    VEC_FREE(&f.holders);
    VEC_FREE(&f.left);
    arena_free(&scratch);
}
