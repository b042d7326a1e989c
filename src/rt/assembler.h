/* The CUDA toolkit's own assembler, asked for what it gives each kernel: rt/assembler.c. */
#ifndef RT_ASSEMBLER_H
#define RT_ASSEMBLER_H

#include "warpbeam.h"

/* Whether the knob register_counts is `assembler`. */
bool assembler_is_wanted(void);
/* Notes what ptxas gives the kernels of a module that was made of this one text. Where it cannot be asked, a
 * sentence says once why, and registers stay estimated. */
void assembler_note(WbModule *module, const WbSource *text);

#endif
