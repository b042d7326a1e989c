/* What cuLinkComplete returns in place of machine code: the PTX texts that were added, as one text that says
 * so in its first line, so that a program can copy it, keep it and load it. */
#ifndef LIBCUDA_LINK_H
#define LIBCUDA_LINK_H

#include "rt/module.h"

bool link_is_image(const void *image);
RtError link_load(const void *image, RtModule **module);

#endif
