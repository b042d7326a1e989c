/* Launches behind each other in a stream: what each takes, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 queue.cu -o queue && ./queue > h200-queue.csv
 *
 * `count` launches of a kernel that reads `bytes` (0: an empty one), 1,056 blocks of 512 threads, behind each other
 * between two events, or as one graph, after one such launch. Columns: how, bytes, launches, microseconds of all (the
 * least of 20), and of each launch beyond the first. */
#include <algorithm>
#include <vector>

#include "caches.cuh"

__global__ void empty() {}

__global__ void __launch_bounds__(512) read(const float4 *data, size_t count, float *out)
{
    float sum = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
        const float4 v = data[i];
        sum += v.x + v.y + v.z + v.w;
    }
    if (sum == 12345.678f)
        *out = sum;
}

static cudaStream_t stream;
static cudaEvent_t before, after;

static void launch(const float4 *data, size_t bytes, float *out)
{
    if (bytes)
        read<<<1056, 512, 0, stream>>>(data, bytes / 16, out);
    else
        empty<<<1056, 512, 0, stream>>>();
}

static float once(const float4 *data, size_t bytes, float *out, int count, cudaGraphExec_t graph)
{
    float ms;
    CHECK(cudaEventRecord(before, stream));
    if (graph)
        CHECK(cudaGraphLaunch(graph, stream));
    else
        for (int i = 0; i < count; i++)
            launch(data, bytes, out);
    CHECK(cudaEventRecord(after, stream));
    CHECK(cudaEventSynchronize(after));
    CHECK(cudaEventElapsedTime(&ms, before, after));
    return ms * 1000;
}

int main()
{
    float4 *data;
    float *out;
    CHECK(cudaMalloc(&data, 64 << 20));
    CHECK(cudaMalloc(&out, 4));
    CHECK(cudaMemset(data, 0, 64 << 20));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&before));
    CHECK(cudaEventCreate(&after));
    printf("how,bytes,launches,us,us_each_further\n");
    for (int is_graph = 0; is_graph < 2; is_graph++)
        for (size_t bytes : {(size_t)0, (size_t)1 << 20, (size_t)4 << 20, (size_t)8 << 20, (size_t)20 << 20}) {
            float first = 0;
            for (int count : {1, 2, 5, 20}) {
                cudaGraphExec_t exec = NULL;
                if (is_graph) {
                    cudaGraph_t graph;
                    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
                    for (int i = 0; i < count; i++)
                        launch(data, bytes, out);
                    CHECK(cudaStreamEndCapture(stream, &graph));
                    CHECK(cudaGraphInstantiate(&exec, graph, 0));
                }
                float least = 1e9;
                for (int round = 0; round < 20; round++)
                    least = std::min(least, once(data, bytes, out, count, exec));
                if (count == 1)
                    first = least;
                printf("%s,%zu,%d,%.2f,%.3f\n", is_graph ? "graph" : "stream", bytes, count, least,
                       count > 1 ? (least - first) / (count - 1) : 0);
            }
        }
    return 0;
}
