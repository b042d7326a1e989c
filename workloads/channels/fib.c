/* The host's part of Fibonacci numbers. Table 3 has fib(24), at size small, too: it takes seconds. */
#include "channels/channels.h"

/* As in fib.cu. */
typedef struct Call {
    uint64_t result;
    int32_t n, unused;
} Call;
typedef struct Sum {
    uint64_t result;
    int32_t parts[2];
} Sum;

static int32_t fibonacci(uint32_t n)
{
    int32_t last = 0, value = 1;
    for (uint32_t i = 1; i < n; i++) {
        const int32_t next = last + value;
        last = value;
        value = next;
    }
    return value;
}

/* Calls of 2 or less spawn nothing: they are n - 2 deep, and what comes after a sync one less. */
bool channels_fib(Host *host, uint32_t n, uint32_t seed)
{
    (void)seed;
    const uint32_t depth = n > 2 ? n - 2 : 1;
    const int32_t expected = fibonacci(n);
    const uint64_t result = host_buffer(host, NULL, sizeof expected);
    WbFlow *flow = channels_graph(host);
    const uint32_t calls = channels_stack(host, flow, "calls", sizeof(Call), depth + 1, false);
    const uint32_t sums = channels_stack(host, flow, "sums", sizeof(Sum), depth, true);
    const uint32_t both[] = {calls, sums};
    CHANNELS_NODE(host, flow, "fib_call", calls, both, WB_ARG(calls), WB_ARG(sums));
    channels_node(host, flow, "fib_sum", NULL, 0, sums, NULL, 0);
    channels_execute(host, flow, calls, &(Call){.result = result, .n = (int32_t)n});
    const bool right = host_equals(host, result, &expected, sizeof expected);
    host_free(host, result);
    return right;
}
