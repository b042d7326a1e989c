/* Graph colouring after Cohen and Castonguay (GTC 2012): every round computes a few hashes of every vertex
 * that has no colour yet, and a vertex whose hash is the largest or the smallest among its uncoloured
 * neighbours' takes the colour that belongs to that hash, that end and that round. Two neighbours cannot
 * both be the largest, so colours are never in conflict, and the colouring does not depend on the order of
 * threads.
 *
 * A thread compares one vertex with its neighbours, which leaves two bits a hash; a second kernel turns them
 * into colours. Where kernels launch work, the loop over whole warps of neighbours gives way to a launch with
 * a thread a neighbour. */
#include "launch.cuh"

constexpr unsigned BLOCK = 256, CHILD = 32, UNCOLOURED = 0xffffffffu;
constexpr unsigned HASHES = 4; /* as in the host's reference */

/* A bijection (the finalizer of MurmurHash3), so that no two vertices have the same. */
__device__ __forceinline__ unsigned hash(unsigned vertex, unsigned which)
{
    unsigned bits = vertex + which * 0x9e3779b9u;
    bits = (bits ^ bits >> 16) * 0x85ebca6bu;
    bits = (bits ^ bits >> 13) * 0xc2b2ae35u;
    return bits ^ bits >> 16;
}

/* Bit 2h: the neighbour's hash h is the larger one; bit 2h + 1: it is the smaller one. None for a neighbour
 * that has a colour, and none for the vertex itself. */
__device__ __forceinline__ unsigned compare_with(unsigned vertex, unsigned neighbour, const unsigned *colours)
{
    if (colours[neighbour] != UNCOLOURED)
        return 0;
    unsigned bits = 0;
    for (unsigned h = 0; h < HASHES; h++) {
        const unsigned mine = hash(vertex, h), other = hash(neighbour, h);
        bits |= (other > mine ? 1u : 0u) << 2 * h | (other < mine ? 2u : 0u) << 2 * h;
    }
    return bits;
}

/* The neighbours of one vertex, a thread each. */
extern "C" __global__ void compare_child(unsigned vertex, unsigned begin, unsigned end,
                                         const unsigned *columns, const unsigned *colours, unsigned *beaten)
{
    const unsigned edge = begin + blockIdx.x * CHILD + threadIdx.x;
    unsigned bits = edge < end ? compare_with(vertex, columns[edge], colours) : 0;
    for (unsigned distance = CHILD / 2; distance; distance /= 2)
        bits |= __shfl_xor_sync(0xffffffffu, bits, distance);
    if (threadIdx.x == 0 && bits)
        atomicOr(&beaten[vertex], bits);
}

/* beaten[v], 0 before, gets the bits of all neighbours of v. */
template <Mode mode>
__device__ __forceinline__ void compare(unsigned vertices, const unsigned *starts, const unsigned *columns,
                                        const unsigned *colours, unsigned *beaten, unsigned least)
{
    const unsigned vertex = blockIdx.x * BLOCK + threadIdx.x;
    if (vertex >= vertices || colours[vertex] != UNCOLOURED)
        return;
    unsigned begin = starts[vertex], end = starts[vertex + 1], launched = 0;
    if constexpr (mode != FLAT)
        if ((launched = launched_part(end - begin, least, CHILD))) {
            launch<mode>(compare_child, (launched + CHILD - 1) / CHILD, CHILD, vertex, begin,
                         begin + launched, columns, colours, beaten);
            begin += launched;
        }
    unsigned bits = 0;
    for (unsigned edge = begin; edge < end; edge++)
        bits |= compare_with(vertex, columns[edge], colours);
    if (launched)
        atomicOr(&beaten[vertex], bits); /* what was launched adds its own */
    else
        beaten[vertex] = bits;
}

MODES(compare,
      (unsigned vertices, const unsigned *starts, const unsigned *columns, const unsigned *colours,
       unsigned *beaten, unsigned least),
      (vertices, starts, columns, colours, beaten, least))

/* *left becomes 1 where a vertex stays without a colour. */
extern "C" __global__ void assign(unsigned vertices, unsigned *beaten, unsigned round, unsigned *colours,
                                  unsigned *left)
{
    const unsigned vertex = blockIdx.x * BLOCK + threadIdx.x;
    if (vertex >= vertices || colours[vertex] != UNCOLOURED)
        return;
    const unsigned ends = ~beaten[vertex] & ((1u << 2 * HASHES) - 1);
    beaten[vertex] = 0;
    if (ends)
        colours[vertex] = round * 2 * HASHES + __ffs(ends) - 1;
    else
        *left = 1;
}
