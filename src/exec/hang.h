/* Sentences about launches that cannot end. */
#ifndef EXEC_HANG_H
#define EXEC_HANG_H

#include "exec/warp.h"

/* Every warp of the block waits inside the block: says which threads wait where. */
WbStatus hang_report_deadlock(Block *block);
/* The launch has issued more instructions than it may: says where this block is. */
WbStatus hang_report_limit(Block *block, uint64_t instructions);

#endif
