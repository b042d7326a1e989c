/* common/host.h on a real GPU, by the CUDA driver: host_cuda.c is linked in place of common/host.c, so
 * that the very same host code runs on both. Modules are cubins: name.cubin where the code asks for
 * name.ptx. */
#ifndef WORKLOADS_RECORD_HOST_CUDA_H
#define WORKLOADS_RECORD_HOST_CUDA_H

#include <stddef.h>

/* The name of a launch since the program began; null behind the last one. */
const char *host_cuda_launch(size_t index);

#endif
