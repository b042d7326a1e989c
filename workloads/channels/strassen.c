/* The host's part of the product of matrices. Table 3 has 512 by 512; the small size is 256 by 256, an eighth
 * of the work. */
#include "channels/channels.h"

enum { BASE = 16 };

/* As in strassen.cu. */
typedef struct Product {
    uint32_t left, right, to, unused;
} Product;

static uint32_t levels_of(uint32_t n)
{
    uint32_t levels = 1;
    for (; n > BASE; n /= 2)
        levels++;
    return levels;
}

bool channels_strassen(Host *host, uint32_t n, uint32_t seed)
{
    Matrices matrices;
    bool is_right = false;
    if (matrices_make(host, &matrices, n, seed)) {
        const size_t bytes = (size_t)n * n * sizeof(float);
        const uint64_t left = host_buffer(host, matrices.left, bytes);
        const uint64_t right = host_buffer(host, matrices.right, bytes), to = host_buffer(host, NULL, bytes);
        WbFlow *flow = channels_graph(host);
        const uint32_t products =
            channels_stack(host, flow, "products", sizeof(Product), levels_of(n), false);
        const uint32_t own[] = {products};
        CHANNELS_NODE(host, flow, "strassen_product", products, own, WB_ARG(products), WB_ARG(left),
                      WB_ARG(right), WB_ARG(to), WB_ARG(n));
        channels_execute(host, flow, products, &(Product){0});
        is_right = host_equals(host, to, matrices.product, bytes);
        host_free(host, left), host_free(host, right), host_free(host, to);
    }
    matrices_free(&matrices);
    return is_right;
}
