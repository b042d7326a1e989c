/* Blocks that are away hold no more of the host's memory than their contexts need.
 *
 * A block that runs has room for all registers that its functions ever use, for one group a lane and for
 * every barrier. While it is packed, frames hold only slots that are live, one after the other, and the rest
 * only what is in use. Everything but registers can be read as before: groups, joins, waits, shared memory.
 * A kernel may have a hundred thousand blocks away at once. */
#ifndef EXEC_BLOCK_PACK_H
#define EXEC_BLOCK_PACK_H

#include "exec/warp.h"

/* None of its instructions is under way. */
void block_pack(Block *block);
/* As it was, dead registers apart: they are 0. Nothing, if it is not packed. */
void block_unpack(Block *block);

#endif
