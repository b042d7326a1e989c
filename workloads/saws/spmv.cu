/* A sparse matrix times a vector, as Parboil's spmv: jagged diagonal storage. Rows are sorted by length, and
 * entry k of all rows that have one lies side by side, so that a warp reads its entries without gaps, and
 * only the vector is gathered. A warp's rows are padded to the same length, which lies in constant memory
 * with the starts of the diagonals. What the next two iterations need is on its way while one is added. */
constexpr int MOST = 5000; /* diagonals and warps, as the host has it */
__constant__ int diagonal[MOST], warp_length[MOST];

/* A thread for each row; all rows have one entry at least. `place`: the row of the sorted matrix's row i. */
extern "C" __global__ void __launch_bounds__(192) spmv(float *product, const float *value, const int *column,
                                                       const int *place, const float *vector, int rows)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const int length = warp_length[row / 32];
    float sum = 0, factor = value[row], entry = vector[column[row]];
    if (length > 1) {
        int at = diagonal[1] + row, next = column[at];
#pragma unroll 1 /* it is pipelined as it stands */
        for (int k = 2; k < length; k++) {
            const float next_factor = value[at], next_entry = vector[next];
            at = diagonal[k] + row;
            next = column[at];
            sum = fmaf(factor, entry, sum);
            factor = next_factor;
            entry = next_entry;
        }
        sum = fmaf(factor, entry, sum);
        factor = value[at];
        entry = vector[next];
    }
    product[place[row]] = fmaf(factor, entry, sum);
}
