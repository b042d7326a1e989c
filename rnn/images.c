/* Finding built-in kernels: machine code of the GPU's own architecture goes before PTX. */
#include "images.h"

#include <string.h>

const RnnImage *images_find(const char *module, uint32_t capability)
{
    const RnnImage *found = NULL;
    for (size_t i = 0; i < rnn_image_count; i++) {
        const RnnImage *image = &rnn_images[i];
        if (strcmp(image->module, module) == 0 && (image->capability == capability || !image->capability) &&
            (!found || image->capability))
            found = image;
    }
    return found;
}
