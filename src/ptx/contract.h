/* Products and sums that a GPU's assembler makes one multiply-add of.
 *
 * A product that is only added or subtracted is never rounded on a GPU: ptxas writes one fma for `mul` and
 * `add`, so the result differs in its last bits from what the text says. Instructions with a rounding in
 * their name (.rn) are left alone. docs/NATIVE.md, "Multiply-add", has the rules and how they were found.
 *
 * contract_find.c     which products and sums there are, and who uses what
 * contract.c          which sum takes which product, and the function that comes of it
 * contract_sign.c     signs that are taken by selects, which treat NaNs in another way */
#ifndef PTX_CONTRACT_H
#define PTX_CONTRACT_H

#include "base/vec.h"
#include "ptx/flow_live.h"

/* A copy of the function, owned by the arena, in which sums have become multiply-adds and signs that selects
 * take logic on bits; the function itself where there are none. Instructions keep their places: a product
 * that no instruction uses any more stays and is marked (PtxInsn.is_absorbed), so that what issues PTX as it
 * stands still issues it. */
const Function *contract_function(const Module *module, const Function *function, Arena *arena);

/* -- between its files -- */

/* A product that sums may take. Those of one stretch of code follow each other. */
typedef struct ContractProduct {
    uint32_t insn;
    uint32_t uses;       /* reads of it, through copies and changes of sign too */
    uint32_t lost;       /* of them, those that can never or no longer take it: none may be left over */
    uint32_t taken;      /* of them, those that have taken it */
    uint32_t version[2]; /* of its factors, where they are registers: how often those had been written */
} ContractProduct;

/* A sum or difference, and the products among its two operands. */
typedef struct ContractSum {
    uint32_t insn;
    uint32_t product[2];   /* NO_INDEX: the operand is none, or none that fits */
    bool minus[2];         /* the operand, as a product, is subtracted */
    bool is_stale[2][2];   /* [operand][factor] the register has been written since the product was made */
    uint32_t taken;        /* the operand whose product it takes, or NO_INDEX */
} ContractSum;

/* An instruction that only hands a product on, or its opposite. */
typedef struct ContractCopy {
    uint32_t insn, product;
} ContractCopy;

typedef struct ContractFacts {
    VEC(ContractProduct) products;
    VEC(ContractCopy) copies;
    VEC(ContractSum) sums;
} ContractFacts;

void contract_find(const Module *module, const Function *function, ContractFacts *facts);

/* The function with signs that selects take as logic on bits, as above. */
const Function *contract_signs(const Module *module, const Function *function, Arena *arena);

/* The length of its modifiers. */
uint32_t contract_count_mods(const Function *function);

#endif
