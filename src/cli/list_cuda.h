/* `warpbeam list cuda`. */
#ifndef CLI_LIST_CUDA_H
#define CLI_LIST_CUDA_H

int list_cuda(void);
/* The tables of docs/CUDA.md. */
int list_cuda_markdown(void);

#endif
