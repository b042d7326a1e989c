/* The host's part of the product of matrices without channels. */
#include "channels/channels.h"

enum { SIDE = 8, TILE = 32 }; /* as in strassen_flat.cu */

bool channels_strassen_flat(Host *host, uint32_t n, uint32_t seed)
{
    Matrices matrices;
    bool is_right = false;
    if (matrices_make(host, &matrices, n, seed)) {
        const size_t bytes = (size_t)n * n * sizeof(float);
        const uint64_t left = host_buffer(host, matrices.left, bytes);
        const uint64_t right = host_buffer(host, matrices.right, bytes), to = host_buffer(host, NULL, bytes);
        HOST_LAUNCH(host, "strassen_flat", dim(n / TILE, n / TILE, 1), dim(SIDE, SIDE, 1), WB_ARG(left),
                    WB_ARG(right), WB_ARG(to), WB_ARG(n));
        is_right = host_equals(host, to, matrices.product, bytes);
        host_free(host, left), host_free(host, right), host_free(host, to);
    }
    matrices_free(&matrices);
    return is_right;
}
