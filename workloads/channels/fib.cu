/* Fibonacci numbers as a flow graph of two kernels, by the transformation of figures 8 to 11 [channels §5.2]:
 *
 *     int fib(int n) { if (n <= 2) return 1;
 *                      int x = spawn fib(n - 1), y = spawn fib(n - 2); sync; return x + y; }
 *
 * A call lies in the channel of its depth of recursion. What comes after its sync lies in the channel of the
 * same depth of another stack, and its two calls write their results there. */
#include "warpbeam_device.h"

struct Call {
    int *result;
    int n, unused;
};

struct Sum {
    int *result;
    int parts[2];
};

/* Before the sync. */
extern "C" __global__ void fib_call(unsigned calls, unsigned sums)
{
    const unsigned channel = wb_source(), offset = wb_source_offset(), depth = channel - calls;
    const Call *call = deq(channel, offset);
    const int n = call->n;
    if (n <= 2) {
        *call->result = 1;
    } else {
        Sum *sum = talloc(sums + depth, 1);
        sum->result = call->result;
#pragma unroll 1 /* one talloc() in the code, not two: it is long */
        for (int i = 0; i < 2; i++) {
            Call *next = talloc(channel + 1, 1);
            next->n = n - 1 - i;
            next->result = &sum->parts[i];
            enq_n(channel + 1, next, 1);
        }
        enq_n(sums + depth, sum, 1);
    }
    tfree(channel, offset);
}

/* After it. */
extern "C" __global__ void fib_sum(void)
{
    const unsigned channel = wb_source(), offset = wb_source_offset();
    const Sum *sum = deq(channel, offset);
    *sum->result = sum->parts[0] + sum->parts[1];
    tfree(channel, offset);
}
