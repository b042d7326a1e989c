/* Which sum takes which product, and the function that comes of it.
 *
 * A product is taken only while all that use it are sums that can take it: then it is never needed itself.
 * The assembler goes over the sums twice. First those take theirs that are a product's only use; then all
 * others, where of two products the one with fewer uses is preferred. Otherwise the first operand is. A sum
 * that has taken one product needs the other's value, which from then on no further sum takes. */
#include "ptx/contract.h"

#include <string.h>

/* The function being written; the vectors begin as copies of the function's own. */
typedef struct Writer {
    const Function *function;
    const ContractFacts *facts;
    PtxInsn *insns;
    VEC(PtxOperand) operands;
    VEC(Mod) mods;
    VEC(Register) registers;
    uint32_t *copied; /* [product] the factor that its place must keep, then the register that does it; or
                         NO_INDEX */
} Writer;

/* -- who takes what -- */

static bool can_take(const ContractFacts *facts, uint32_t product, bool only_use)
{
    if (product == NO_INDEX)
        return false;
    const ContractProduct *p = &facts->products.items[product];
    return p->lost == 0 && (!only_use || p->uses == 1);
}

static void take(ContractFacts *facts, ContractSum *sum, unsigned k)
{
    const uint32_t other = sum->product[1 - k];
    sum->taken = k;
    facts->products.items[sum->product[k]].taken++;
    /* The sum adds the other product's value, so that product must be computed. */
    if (other != NO_INDEX)
        facts->products.items[other].lost++;
}

static void choose(ContractFacts *facts, bool only_use)
{
    for (uint32_t i = 0; i < facts->sums.count; i++) {
        ContractSum *sum = &facts->sums.items[i];
        if (sum->taken != NO_INDEX)
            continue;
        const bool first = can_take(facts, sum->product[0], only_use);
        const bool second = can_take(facts, sum->product[1], only_use);
        if (first && second) {
            const ContractProduct *products = facts->products.items;
            take(facts, sum, products[sum->product[1]].uses < products[sum->product[0]].uses);
        } else if (first || second) {
            take(facts, sum, second);
        }
    }
}

/* -- factors that are written between product and sum -- */

static bool is_absorbed(const ContractProduct *product)
{
    return product->taken && product->taken == product->uses;
}

static uint32_t factor_register(const Writer *w, uint32_t product, unsigned factor)
{
    const PtxInsn *mul = &w->function->insns[w->facts->products.items[product].insn];
    const PtxOperand *operand = &w->function->operands[mul->first_operand + 1 + factor];
    return operand->kind == PTX_REGISTER ? operand->index : NO_INDEX;
}

static bool is_stale(const ContractSum *sum)
{
    return sum->taken != NO_INDEX && (sum->is_stale[sum->taken][0] || sum->is_stale[sum->taken][1]);
}

/* Finds the factor that a copy must keep for the sums. The place of an absorbed product is free for one. Sums
 * that would need more, which no compiler writes, keep to the text. */
static void keep_factors(Writer *w, ContractFacts *facts)
{
    uint8_t *needed = xcalloc(facts->products.count + 1, 1); /* bits: factors */
    for (uint32_t i = 0; i < facts->sums.count; i++) {
        const ContractSum *sum = &facts->sums.items[i];
        if (is_stale(sum))
            needed[sum->product[sum->taken]] |=
                (uint8_t)(sum->is_stale[sum->taken][0] | sum->is_stale[sum->taken][1] << 1);
    }
    for (uint32_t p = 0; p < facts->products.count; p++) {
        /* A copy keeps one register; of a square both factors are that one. */
        const bool is_square = factor_register(w, p, 0) == factor_register(w, p, 1);
        const bool has_room = is_absorbed(&facts->products.items[p]) && (needed[p] != 3 || is_square);
        w->copied[p] = !needed[p] || !has_room ? NO_INDEX : factor_register(w, p, needed[p] == 2);
    }
    for (uint32_t i = 0; i < facts->sums.count; i++) {
        ContractSum *sum = &facts->sums.items[i];
        if (is_stale(sum) && w->copied[sum->product[sum->taken]] == NO_INDEX) {
            /* The product is then not absorbed and stays in the text, which is right, if not what the
             * assembler does. */
            facts->products.items[sum->product[sum->taken]].taken--;
            sum->taken = NO_INDEX;
        }
    }
    xfree(needed);
}

static Mod bits_type(Type type)
{
    const unsigned bits = type_bits(type);
    return bits == 64 ? TYPE_b64 : bits == 32 ? TYPE_b32 : TYPE_b16;
}

/* Makes of the product a copy of its factor, in a new register. */
static void write_copy(Writer *w, uint32_t product)
{
    PtxInsn *insn = &w->insns[w->facts->products.items[product].insn];
    const uint32_t from = w->copied[product], to = w->registers.count;
    const Register copied = w->registers.items[from];
    const Mod type = bits_type(copied.type);
    VEC_PUSH(&w->registers, copied);
    insn->first_operand = w->operands.count;
    insn->operand_count = 2;
    VEC_PUSH(&w->operands, ((PtxOperand){.kind = PTX_REGISTER, .index = to}));
    VEC_PUSH(&w->operands, ((PtxOperand){.kind = PTX_REGISTER, .index = from}));
    insn->first_mod = w->mods.count;
    insn->mod_count = 1;
    VEC_PUSH(&w->mods, type);
    insn->mnemonic = "mov";
    insn->row = (uint32_t)isa_match("mov", 3, &type, 1);
    insn->is_absorbed = false;
    /* From now on the entry says where the copy is. */
    w->copied[product] = to;
}

/* -- the multiply-add -- */

static void write_mods(Writer *w, PtxInsn *insn)
{
    const Mod *from = &w->function->mods[insn->first_mod];
    const unsigned count = insn->mod_count;
    insn->first_mod = w->mods.count;
    /* fma has to say how it rounds; mul and add without .rn round to nearest, too. */
    VEC_PUSH(&w->mods, MOD_rn);
    for (unsigned k = 0; k < count; k++)
        VEC_PUSH(&w->mods, from[k]);
    insn->mod_count = (uint8_t)(count + 1);
    insn->mnemonic = "fma";
    insn->row = (uint32_t)isa_match("fma", 3, &w->mods.items[insn->first_mod], insn->mod_count);
}

static void write_sum(Writer *w, const ContractSum *sum)
{
    PtxInsn *insn = &w->insns[sum->insn];
    const unsigned taken = sum->taken;
    const uint32_t product = sum->product[taken];
    /* the operands as they were: the product may have become a copy */
    const PtxInsn *mul = &w->function->insns[w->facts->products.items[product].insn];
    const PtxOperand *own = &w->function->operands[w->function->insns[sum->insn].first_operand];
    PtxOperand operands[4] = {own[0], w->function->operands[mul->first_operand + 1],
                              w->function->operands[mul->first_operand + 2], own[2 - taken]};
    for (unsigned factor = 0; factor < 2; factor++)
        if (sum->is_stale[taken][factor])
            operands[1 + factor].index = w->copied[product];
    /* The sign of a product is that of one of its factors; a difference turns what it subtracts. */
    operands[1].minus ^= sum->minus[taken];
    operands[3].minus ^= taken == 0 && !strcmp(insn->mnemonic, "sub");
    insn->first_operand = w->operands.count;
    insn->operand_count = 4;
    for (unsigned k = 0; k < 4; k++)
        VEC_PUSH(&w->operands, operands[k]);
    write_mods(w, insn);
}

static void write_all(Writer *w, ContractFacts *facts)
{
    keep_factors(w, facts);
    for (uint32_t p = 0; p < facts->products.count; p++) {
        /* An absorbed instruction keeps its place but is not carried out: labels and lines stay right. */
        w->insns[facts->products.items[p].insn].is_absorbed = is_absorbed(&facts->products.items[p]);
        if (w->copied[p] != NO_INDEX)
            write_copy(w, p);
    }
    for (uint32_t i = 0; i < facts->copies.count; i++)
        w->insns[facts->copies.items[i].insn].is_absorbed =
            is_absorbed(&facts->products.items[facts->copies.items[i].product]);
    for (uint32_t i = 0; i < facts->sums.count; i++)
        if (facts->sums.items[i].taken != NO_INDEX)
            write_sum(w, &facts->sums.items[i]);
}

uint32_t contract_count_mods(const Function *function)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < function->insn_count; i++) {
        const uint32_t end = function->insns[i].first_mod + function->insns[i].mod_count;
        count = end > count ? end : count;
    }
    return count;
}

static const Function *write_function(const Function *function, ContractFacts *facts, Arena *arena)
{
    const uint32_t mod_count = contract_count_mods(function);
    Writer w = {.function = function,
                .facts = facts,
                .insns = arena_copy(arena, function->insns, function->insn_count * sizeof *function->insns),
                .copied = xcalloc(facts->products.count + 1, sizeof *w.copied)};
    VEC_FILL(&w.operands, function->operands, function->operand_count);
    VEC_FILL(&w.registers, function->registers, function->register_count);
    VEC_FILL(&w.mods, function->mods, mod_count);
    write_all(&w, facts);
    Function *made = arena_copy(arena, function, sizeof *function);
    made->insns = w.insns;
    made->operands = ARENA_KEEP(arena, &w.operands);
    made->operand_count = w.operands.count;
    made->registers = ARENA_KEEP(arena, &w.registers);
    made->register_count = w.registers.count;
    made->mods = ARENA_KEEP(arena, &w.mods);
    VEC_FREE(&w.operands);
    VEC_FREE(&w.registers);
    VEC_FREE(&w.mods);
    xfree(w.copied);
    return made;
}

const Function *contract_function(const Module *module, const Function *function, Arena *arena)
{
    ContractFacts facts = {0};
    if (!module->is_debug)
        contract_find(module, function, &facts);
    choose(&facts, true);
    choose(&facts, false);
    const Function *made = facts.sums.count ? write_function(function, &facts, arena) : function;
    VEC_FREE(&facts.products);
    VEC_FREE(&facts.copies);
    VEC_FREE(&facts.sums);
    return module->is_debug ? made : contract_signs(module, made, arena);
}
