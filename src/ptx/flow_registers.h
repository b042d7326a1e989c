/* The register count of a function. */
#ifndef PTX_FLOW_REGISTERS_H
#define PTX_FLOW_REGISTERS_H

#include "ptx/flow_live.h"

/* 32-bit registers per thread that a real compiler for the target would give the function, within
 * .maxnreg, .maxntid and .minnctapersm. Not rounded to the unit in which hardware allocates. */
uint32_t flow_estimate_registers(const Module *module, const Function *function, const FlowLive *live,
                                 uint32_t target);

/* Marks in banked[register_count] those whose value needs no register until it is used. */
void flow_find_banked(const Function *function, const FlowLive *live, bool *banked);

/* The function that a call calls, if only its module knows it: the assembler then gives both registers
 * together, while other calls follow a convention. NO_INDEX: it is another. */
uint32_t flow_known_callee(const Module *module, const Function *function, const PtxInsn *insn);
/* Words that such a function needs besides those of its caller. */
uint32_t flow_callee_words(const Module *module, uint32_t callee, uint32_t target);

/* Words that the machine instructions of a division or root need besides its operands. */
uint32_t flow_temporaries(const Function *function, const PtxInsn *insn);

/* Words that may be live where so many must be, with no harm to how many warps an SM of the target holds
 * then. */
uint32_t flow_room(const Function *function, uint32_t target, uint32_t needed);

#endif
