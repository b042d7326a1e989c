/* Special registers: what a thread can ask about itself and the machine. */
#ifndef EXEC_SPECIAL_H
#define EXEC_SPECIAL_H

#include "exec/warp.h"

uint64_t special_value(const Warp *warp, SpecialRegister reg, unsigned lane);
/* All lanes at once, of 4 or 8 bytes each. */
void special_lanes(const Warp *warp, SpecialRegister reg, unsigned bytes, void *lanes);

#endif
