/* The host's part of queens.
 *
 * "The base case is a 4x4 sub-section of the chessboard" (§7.1): but if tasks placed all queens except the last
 * four, 13 by 13 would take 54,460 wavefronts, and if they placed the first four, 145; table 3 has 1,114. Tasks
 * that place the first five and leave eight take 732, which is the nearest. The small size is 12 by 12, where
 * tasks place four. */
#include "channels/channels.h"

/* As in queens.cu. */
enum { MOST = 13, LEFT = 8 };
typedef struct Board {
    uint32_t columns, rising, falling;
} Board;
typedef struct Call {
    uint64_t result;
    Board board;
    uint32_t unused;
} Call;
typedef struct Sum {
    uint64_t result;
    int32_t ways[MOST + 1];
} Sum;

static uint32_t spawned_of(uint32_t n) { return n > LEFT ? n - LEFT : 1; }

bool channels_queens(Host *host, uint32_t n, uint32_t seed)
{
    (void)seed;
    const uint32_t spawned = spawned_of(n);
    const int expected = queens_solutions(n);
    const uint64_t result = host_buffer(host, NULL, sizeof expected);
    WbFlow *flow = channels_graph(host);
    const uint32_t calls = channels_stack(host, flow, "calls", sizeof(Call), spawned + 1, false);
    const uint32_t sums = channels_stack(host, flow, "sums", sizeof(Sum), spawned, true);
    const uint32_t both[] = {calls, sums};
    CHANNELS_NODE(host, flow, "queens_call", calls, both, WB_ARG(calls), WB_ARG(sums), WB_ARG(n),
                  WB_ARG(spawned));
    channels_node(host, flow, "queens_sum", (const WbArgument[]){WB_ARG(n)}, 1, sums, NULL, 0);
    channels_execute(host, flow, calls, &(Call){.result = result});
    const bool right = host_equals(host, result, &expected, sizeof expected);
    host_free(host, result);
    return right;
}
