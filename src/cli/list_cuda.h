/* `warpbeam list cuda`. */
#ifndef CLI_LIST_CUDA_H
#define CLI_LIST_CUDA_H

#include "cli/list.h"

int list_cuda(Listing *listing);
/* The tables of docs/CUDA.md. */
int list_cuda_markdown(void);

#endif
