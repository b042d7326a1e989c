/* Sentences about launches that cannot end. */
#ifndef EXEC_HANG_H
#define EXEC_HANG_H

#include "exec/warp.h"

/* Where the warp's groups are and what they wait for, a line each; `ready` says it of those that could
 * run. Returns the length; groups that do not fit are left out. */
size_t hang_describe_warp(const Warp *warp, const char *ready, char *text, size_t size);

/* Every warp of the block waits inside the block: says which threads wait where. */
WbStatus hang_report_deadlock(Block *block);
/* The launch has issued more instructions than it may: says where this block is. */
WbStatus hang_report_limit(Block *block, uint64_t instructions);

#endif
