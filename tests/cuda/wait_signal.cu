// Blocks that wait for each other: the summed area table of an image in one kernel. A block waits for its
// neighbours in the west and in the north, and signals to those in the east and in the south. No GPU has such
// calls; there the program only shows that it cannot be loaded.
// nvcc: -I../../include
// gpus: gtx970 h200
#include "check.h"
#include "warpbeam_device.h"
#include "warpbeam_links.h"

enum { TILE = 8, TILES = 10, SIDE = TILE * TILES };

__device__ int left_of(const int *table, int x, int y) { return x < 0 || y < 0 ? 0 : table[y * SIDE + x]; }

__global__ void sum_area(const int *image, int *table)
{
    const unsigned x = blockIdx.x, y = blockIdx.y, me = y * TILES + x;
    // The event of a block is its number. Who calls it: the block itself, and its neighbours before it.
    if (x > 0 || y > 0)
        wb_wait(me, 1 + (x > 0) + (y > 0));
    __shared__ int tile[TILE][TILE];
    const int column = x * TILE + threadIdx.x, row = y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = image[row * SIDE + column];
    __syncthreads();
    int sum = 0;
    for (int j = 0; j <= threadIdx.y; j++)
        for (int i = 0; i <= threadIdx.x; i++)
            sum += tile[j][i];
    const int west = (int)x * TILE - 1, north = (int)y * TILE - 1;
    table[row * SIDE + column] =
        sum + left_of(table, west, row) + left_of(table, column, north) - left_of(table, west, north);
    if (x + 1 < TILES)
        wb_signal(me + 1, 2 + (y > 0));
    if (y + 1 < TILES)
        wb_signal(me + TILES, 2 + (x > 0));
}

// Threads signal to the blocks that they find, and these wake one after the other.
__global__ void wake_each(const int *order, int *seen)
{
    if (blockIdx.x == 0) {
        wb_signal_each(1 + order[threadIdx.x], 2);
        return;
    }
    wb_wait(blockIdx.x, 2);
    if (threadIdx.x == 0)
        seen[blockIdx.x - 1] = 1;
}

// A kernel and those that it launches have their events in common.
__global__ void tell(int *word)
{
    if (threadIdx.x == 0)
        *word = 5;
    wb_signal(40, 2);
}

__global__ void launch_and_wait(int *words)
{
    if (threadIdx.x == 0) {
        int **buffer = (int **)wb_get_parameter_buffer(8, sizeof(int *));
        *buffer = words;
        words[2] = wb_launch_device((const void *)tell, buffer, dim3(1), dim3(64), 0, 0);
    }
    __syncthreads();
    wb_wait(40, 2);
    if (threadIdx.x == 0)
        words[1] = words[0] + 1;
}

int main()
{
    static int image[SIDE * SIDE], table[SIDE * SIDE];
    int *device_image, *device_table;
    for (int i = 0; i < SIDE * SIDE; i++)
        image[i] = i * 7 % 23;
    CUDA(cudaMalloc(&device_image, sizeof image));
    CUDA(cudaMalloc(&device_table, sizeof table));
    if (!simulated()) {
        sum_area<<<dim3(TILES, TILES), dim3(TILE, TILE)>>>(device_image, device_table);
        CHECK(cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess);
        return check_result();
    }
    CUDA(cudaMemcpy(device_image, image, sizeof image, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(device_table, 0, sizeof table));
    sum_area<<<dim3(TILES, TILES), dim3(TILE, TILE)>>>(device_image, device_table);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(table, device_table, sizeof table, cudaMemcpyDeviceToHost));
    // The same with the last block first: those before it find room, as blocks that wait leave.
    static int again[SIDE * SIDE], keys[TILES * TILES];
    for (int i = 0; i < TILES * TILES; i++)
        keys[i] = -i;
    CHECK(wb_order_next_launch(keys, TILES * TILES));
    CUDA(cudaMemset(device_table, 0, sizeof table));
    sum_area<<<dim3(TILES, TILES), dim3(TILE, TILE)>>>(device_image, device_table);
    CUDA(cudaMemcpy(again, device_table, sizeof table, cudaMemcpyDeviceToHost));
    CHECK(!memcmp(table, again, sizeof table));
    static int sums[SIDE][SIDE];
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            sums[y][x] = image[y * SIDE + x] + (x ? sums[y][x - 1] : 0) + (y ? sums[y - 1][x] : 0) -
                         (x && y ? sums[y - 1][x - 1] : 0);
            CHECK_EQUAL(table[y * SIDE + x], sums[y][x]);
        }
    int order[32], seen[32], *device_order, *device_seen;
    for (int i = 0; i < 32; i++)
        order[i] = i * 11 % 32;
    CUDA(cudaMalloc(&device_order, sizeof order));
    CUDA(cudaMalloc(&device_seen, sizeof seen));
    CUDA(cudaMemcpy(device_order, order, sizeof order, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(device_seen, 0, sizeof seen));
    wake_each<<<33, 32>>>(device_order, device_seen);
    CUDA(cudaMemcpy(seen, device_seen, sizeof seen, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        CHECK_EQUAL(seen[i], 1);
    CUDA(cudaMemset(device_seen, 0, sizeof seen));
    launch_and_wait<<<1, 64>>>(device_seen);
    CUDA(cudaMemcpy(seen, device_seen, sizeof seen, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(seen[1], 6);
    CHECK_EQUAL(seen[2], 0);
    return check_result();
}
