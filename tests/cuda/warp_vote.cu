// Votes, matches and reductions of a warp, whole and in part.
// nvcc: -gencode arch=compute_80,code=compute_80
#include "check.h"

struct Result {
    unsigned ballot, active, match, match_all[2], added, smallest, largest, conjunction, disjunction,
        exclusive;
    int any, all, match_predicate[2], least;
};

__global__ void vote(Result *results)
{
    int lane = threadIdx.x;
    const unsigned all = 0xffffffffu;
    Result r = {};
    r.ballot = __ballot_sync(all, lane % 3 == 0);
    r.any = __any_sync(all, lane == 17);
    r.all = __all_sync(all, lane < 31);
    r.match = __match_any_sync(all, lane / 5);
    r.match_all[0] = __match_all_sync(all, 42LL, &r.match_predicate[0]);
    r.match_all[1] = __match_all_sync(all, lane < 9 ? 1.5f : 2.5f, &r.match_predicate[1]);
    if (lane >= 20)
        r.active = __activemask();
    __syncwarp();
    r.added = __reduce_add_sync(all, lane);
    r.least = __reduce_min_sync(all, 10 - lane);
    unsigned odd = 0xaaaaaaaau;
    if (lane % 2) {
        r.smallest = __reduce_min_sync(odd, (unsigned)lane + 5);
        r.largest = __reduce_max_sync(odd, (unsigned)lane + 5);
        r.conjunction = __reduce_and_sync(odd, lane);
        r.disjunction = __reduce_or_sync(odd, lane);
        r.exclusive = __reduce_xor_sync(odd, lane);
    }
    results[lane] = r;
}

__global__ void vote_of_block(int *out)
{
    int thread = threadIdx.x;
    int count = __syncthreads_count(thread % 7 == 0);
    int both = __syncthreads_and(thread < 100), either = __syncthreads_or(thread == 99);
    out[thread] = count * 100 + both * 10 + either;
}

int main()
{
    Result *results;
    int *out;
    CUDA(cudaMallocManaged(&results, 32 * sizeof *results));
    CUDA(cudaMallocManaged(&out, 100 * sizeof *out));
    vote<<<1, 32>>>(results);
    vote_of_block<<<1, 100>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int lane = 0; lane < 32; lane++) {
        const Result &r = results[lane];
        CHECK_EQUAL(r.ballot, 0x49249249u);
        CHECK_EQUAL(r.any, 1);
        CHECK_EQUAL(r.all, 0);
        CHECK_EQUAL(r.match, (unsigned)(0x1full << lane / 5 * 5));
        CHECK(r.match_all[0] == 0xffffffffu && r.match_predicate[0]);
        CHECK(r.match_all[1] == 0 && !r.match_predicate[1]);
        CHECK((r.active & 1u << lane) || lane < 20);
        CHECK((r.active & 0xfffffu) == 0);
        CHECK_EQUAL(r.added, 496);
        CHECK_EQUAL(r.least, -21);
        if (lane % 2) {
            CHECK_EQUAL(r.smallest, 6);
            CHECK_EQUAL(r.largest, 36);
            CHECK_EQUAL(r.conjunction, 1);
            CHECK_EQUAL(r.disjunction, 31);
            CHECK_EQUAL(r.exclusive, 0);
        }
    }
    for (int thread = 0; thread < 100; thread++)
        CHECK_EQUAL(out[thread], 1511);
    return check_result();
}
