// cudaStreamTailLaunch: after the launching grid and all that it launched otherwise, in the order of launch;
// what the grid's own parent launched next waits for it.
// nvcc: -rdc=true
#include "check.h"

enum { SLOW = 20000 };

struct Journal {
    int count;
    int entry[64];
    float waste;
};

__device__ void note(Journal *journal, int what)
{
    journal->entry[atomicAdd(&journal->count, 1)] = what;
}

__global__ void work(Journal *journal, int what, int steps)
{
    float x = what;
    for (int i = 0; i < steps; i++)
        x = x * 0.5f + 1.0f;
    journal->waste = x;
    note(journal, what);
}

__global__ void parent(Journal *journal)
{
    for (int i = 0; i < 3; i++)
        work<<<1, 1, 0, cudaStreamTailLaunch>>>(journal, 100 + i, (3 - i) * 1000);
    work<<<1, 1>>>(journal, 1, SLOW);
    work<<<1, 1>>>(journal, 2, 0);
    float x = 0;
    for (int i = 0; i < SLOW; i++)
        x = x * 0.5f + 1.0f;
    journal->waste = x;
    note(journal, 0);
}

// Each grid launches its successor, which sees what it and its child wrote.
__global__ void add(long long *value, int what) { *value += what; }

__global__ void link_of_chain(long long *value, int left)
{
    *value = *value * 2;
    add<<<1, 1>>>(value, left);
    if (left > 0)
        link_of_chain<<<1, 1, 0, cudaStreamTailLaunch>>>(value, left - 1);
}

// The child's tail belongs to the child: it comes before the next launch of the parent's stream.
__global__ void child_with_tail(Journal *journal)
{
    work<<<1, 1, 0, cudaStreamTailLaunch>>>(journal, 2, SLOW);
    note(journal, 1);
}

__global__ void grandparent(Journal *journal)
{
    work<<<1, 1, 0, cudaStreamTailLaunch>>>(journal, 4, 0);
    child_with_tail<<<1, 1>>>(journal);
    work<<<1, 1>>>(journal, 3, 0);
}

// The tail stream is the grid's: launches of all blocks go one after the other.
__global__ void twice_plus(int *value, int *overlaps)
{
    *overlaps += atomicAdd(value, 1) & 1;
    __threadfence();
    *overlaps += !(atomicAdd(value, 1) & 1);
}

__global__ void blocks_with_tails(int *value, int *overlaps)
{
    twice_plus<<<1, 1, 0, cudaStreamTailLaunch>>>(value, overlaps);
}

int main()
{
    Journal *journal;
    int *value;
    long long *chained;
    CUDA(cudaMallocManaged(&journal, sizeof *journal));
    CUDA(cudaMallocManaged(&chained, sizeof *chained));
    CUDA(cudaMallocManaged(&value, 2 * sizeof *value));
    memset(journal, 0, sizeof *journal);
    parent<<<1, 1>>>(journal);
    work<<<1, 1>>>(journal, 200, 0);
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(journal->count, 7);
    int at[3] = {-1, -1, -1};
    for (int i = 0; i < 3; i++)
        if (journal->entry[i] >= 0 && journal->entry[i] < 3)
            at[journal->entry[i]] = i;
    CHECK(at[0] >= 0 && at[1] >= 0 && at[2] > at[1]);
    for (int i = 0; i < 3; i++)
        CHECK_EQUAL(journal->entry[3 + i], 100 + i);
    CHECK_EQUAL(journal->entry[6], 200);

    enum { LINKS = 40 };
    *chained = 1;
    long long expected = 1;
    link_of_chain<<<1, 1>>>(chained, LINKS);
    for (int left = LINKS; left >= 0; left--)
        expected = expected * 2 + left;
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(*chained, expected);

    memset(journal, 0, sizeof *journal);
    grandparent<<<1, 1>>>(journal);
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(journal->count, 4);
    for (int i = 0; i < 4; i++)
        CHECK_EQUAL(journal->entry[i], i + 1);

    value[0] = value[1] = 0;
    blocks_with_tails<<<4, 8>>>(value, value + 1);
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(value[0], 64);
    CHECK_EQUAL(value[1], 0);
    return check_result();
}
