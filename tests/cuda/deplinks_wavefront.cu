// A wavefront in one launch: every block waits for the ones above and to its left, which one call before
// <<<>>> says (warpbeam_links.h). Elsewhere that call returns 0, and the program launches a kernel for each
// wave.
// nvcc: -I../../include
#include <vector>

#include "check.h"
#include "warpbeam_links.h"

enum { TILE = 16, TILES = 12, SIZE = TILE * TILES + 1 }; // a row and a column more, for the edges

__host__ __device__ static int weight(int x, int y) { return (x * 31 + y * 17) % 11; }

// The best way to each cell of a tile, diagonal by diagonal. A wave of -1: the block's index is the tile's.
__global__ void walk(int *best, int wave)
{
    int tile_x = blockIdx.x, tile_y = blockIdx.y;
    if (wave >= 0) {
        tile_x = (wave < TILES ? 0 : wave - TILES + 1) + blockIdx.x;
        tile_y = wave - tile_x;
    }
    for (int diagonal = 0; diagonal < 2 * TILE - 1; diagonal++) {
        const int in_x = threadIdx.x, in_y = diagonal - in_x;
        if (in_y >= 0 && in_y < TILE) {
            const int x = 1 + tile_x * TILE + in_x, y = 1 + tile_y * TILE + in_y;
            const int above = best[(y - 1) * SIZE + x], left = best[y * SIZE + x - 1];
            best[y * SIZE + x] = (above > left ? above : left) + weight(x, y);
        }
        __syncthreads();
    }
}

static std::vector<int> expected()
{
    std::vector<int> best(SIZE * SIZE, 0);
    for (int y = 1; y < SIZE; y++)
        for (int x = 1; x < SIZE; x++) {
            const int above = best[(y - 1) * SIZE + x], left = best[y * SIZE + x - 1];
            best[y * SIZE + x] = (above > left ? above : left) + weight(x, y);
        }
    return best;
}

static void wavefront(WbLink *link, void *context)
{
    ++*(int *)context;
    wb_add_dependency(link, WbDim3{link->block.x - 1, link->block.y, 0});
    wb_add_dependency(link, WbDim3{link->block.x, link->block.y - 1, 0});
    wb_set_policy(link, WB_LVL, 4);
}

static void circle(WbLink *link, void *context)
{
    (void)context;
    wb_add_dependency(link, WbDim3{(link->block.x + 1) % link->grid.x, 0, 0});
}

// A launch that is refused uses its dependencies up, as any other does; a stream that captures takes none.
static void launches_that_are_refused(int *best)
{
    int calls = 0;
    cudaStream_t stream;
    cudaGraph_t graph;
    CUDA(cudaStreamCreate(&stream));
    wb_map_next_launch(circle, NULL);
    walk<<<dim3(3, 1), TILE>>>(best, -1);
    CUDA_FAILS(cudaErrorInvalidValue, cudaGetLastError());
    wb_map_next_launch(wavefront, &calls);
    wb_map_next_launch(NULL, NULL); // taken back
    walk<<<1, TILE, 0, stream>>>(best, 0);
    CUDA(cudaStreamSynchronize(stream));
    CHECK_EQUAL(calls, 0);
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    wb_map_next_launch(wavefront, &calls);
    walk<<<dim3(TILES, TILES), TILE, 0, stream>>>(best, -1);
    CUDA_FAILS(cudaErrorStreamCaptureUnsupported, cudaGetLastError());
    CUDA_FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
    CHECK_EQUAL(calls, 0);
    CUDA(cudaStreamDestroy(stream));
}

int main()
{
    const size_t bytes = SIZE * SIZE * sizeof(int);
    int *best, calls = 0;
    CUDA(cudaMalloc(&best, bytes));
    CUDA(cudaMemset(best, 0, bytes));
    const bool is_linked = wb_map_next_launch(wavefront, &calls);
    if (is_linked) {
        walk<<<dim3(TILES, TILES), TILE>>>(best, -1);
        CUDA(cudaGetLastError());
        CHECK_EQUAL(calls, TILES * TILES);
    } else {
        printf("Blocks cannot depend on each other here: a kernel for each wave.\n");
        for (int wave = 0; wave < 2 * TILES - 1; wave++)
            walk<<<wave < TILES ? wave + 1 : 2 * TILES - 1 - wave, TILE>>>(best, wave);
        CUDA(cudaGetLastError());
    }
    std::vector<int> found(SIZE * SIZE);
    CUDA(cudaMemcpy(found.data(), best, bytes, cudaMemcpyDeviceToHost));
    const std::vector<int> wanted = expected();
    for (int i = 0; i < SIZE * SIZE; i++)
        CHECK_EQUAL(found[i], wanted[i]);
    if (is_linked)
        launches_that_are_refused(best);
    CUDA(cudaFree(best));
    return check_result();
}
