// The naive Fibonacci of a channel-flow graph [channels, figure 6] in an ordinary CUDA program: one kernel
// node and one channel, through warpbeam_flow_cuda.h. No GPU has an aggregator; there the program only shows
// that it is not there.
// nvcc: -I../../include
// gpus: apu8 titanv
#include "check.h"
#include "warpbeam_device.h"
#include "warpbeam_flow_cuda.h"

struct Fib {
    int value;
};

__global__ void fib(unsigned destination, unsigned *result)
{
    const Fib *source = deq(wb_source(), wb_source_offset());
    if (source->value <= 2) {
        atomicAdd(result, 1);
    } else {
        WbElements<Fib> object = talloc(destination, 2);
        object[0].value = source->value - 1;
        object[1].value = source->value - 2;
        enq(destination, object);
    }
    tfree(wb_source(), wb_source_offset());
}

static unsigned expected(int n) { return n <= 2 ? 1 : expected(n - 1) + expected(n - 2); }

// What the graph computes for several numbers at once, into a stream or the default one.
static void check_sums(cudaStream_t stream)
{
    unsigned *result, found = 0;
    CUDA(cudaMalloc(&result, sizeof *result));
    CUDA(cudaMemset(result, 0, sizeof *result));
    WbCudaFlow flow;
    const unsigned channel = flow.channel({"numbers", sizeof(Fib), 4096});
    const unsigned node = flow.node(fib, channel, result);
    flow.connect(channel, node);
    flow.produces(node, channel);
    const Fib numbers[] = {{12}, {3}, {7}};
    flow.put(channel, numbers, 3);
    flow.policy("fifo");
    flow.launch(stream);
    CHECK(flow.ok());
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(&found, result, sizeof found, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(found, expected(12) + expected(3) + expected(7));
    CUDA(cudaFree(result));
}

// Calls that cannot be: the first error stays.
static void check_refusals()
{
    WbCudaFlow flow;
    const unsigned channel = flow.channel({"odd", sizeof(Fib), 100});
    CHECK(!flow.ok());
    CHECK_EQUAL(flow.error(), (int)cudaErrorInvalidValue);
    flow.connect(channel, 0);
    CHECK_EQUAL(flow.error(), (int)cudaErrorInvalidValue);
}

int main()
{
    {
        WbCudaFlow flow;
        if (!flow.is_there()) {
            printf("no aggregator\n");
            return check_result();
        }
    }
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    check_sums(nullptr);
    check_sums(stream);
    check_refusals();
    return check_result();
}
