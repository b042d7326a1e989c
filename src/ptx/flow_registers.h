/* The register count of a function. */
#ifndef PTX_FLOW_REGISTERS_H
#define PTX_FLOW_REGISTERS_H

#include "ptx/flow_live.h"

/* 32-bit registers per thread that a real compiler would give the function, within .maxnreg, .maxntid
 * and .minnctapersm. Not rounded to the unit in which hardware allocates. */
uint32_t flow_estimate_registers(const Module *module, const Function *function, const FlowLive *live);

#endif
