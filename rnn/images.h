/* Kernels that are built in: the PTX of rnn/kernels, and machine code where it was compiled as well. The
 * build writes the table (cmake/Rnn.cmake). */
#ifndef WBRNN_IMAGES_H
#define WBRNN_IMAGES_H

#include <stddef.h>
#include <stdint.h>

typedef struct RnnImage {
    const char *module;  /* name of the source, without its ending */
    uint32_t capability; /* 90: machine code for these GPUs alone; 0: PTX, and a 0 behind it */
    const char *data, *end;
} RnnImage;

extern const RnnImage rnn_images[];
extern const size_t rnn_image_count;

/* The best for a GPU of this capability, 0: PTX. Null: there is none. */
const RnnImage *images_find(const char *module, uint32_t capability);

#endif
