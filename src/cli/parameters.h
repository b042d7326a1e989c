/* Parameters of a kernel as its PTX declares them, for people: "u64, u32, f32, 16 bytes". */
#ifndef CLI_PARAMETERS_H
#define CLI_PARAMETERS_H

#include "warpbeam.h"

enum { PARAMETERS_TEXT_SIZE = 512 };

/* What does not fit is left out, and "..." says so; "none" of a kernel without. Returns `text`. */
const char *parameters_text(const WbKernel *kernel, char text[PARAMETERS_TEXT_SIZE]);

#endif
