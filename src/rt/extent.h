/* How far memory of the process goes, for what a program passes without a size. */
#ifndef RT_EXTENT_H
#define RT_EXTENT_H

#include <stddef.h>

/* Bytes that can be read from the pointer on: to the end of the segment, where it points into a program or
 * library, otherwise to the end of what is mapped without a gap. 0: nothing can be read there. */
size_t extent_of(const void *pointer);

#endif
