/* What opening a centre would gain, as Rodinia's streamcluster: a thread for each point compares its distance
 * from the candidate with what it pays now. A coordinate of all points is an array of its own; the
 * candidate's is the same for all threads. A point adds what it would save, or what its own centre would
 * lose, to its row of sums, which has a column for each centre: these stores are far apart. */
struct Point {
    float weight;
    int centre; /* a point too */
    float cost; /* what it pays now */
};

/* coordinates[dimensions][count]; sums[count][centres + 1], the last column for the candidate; column[point]:
 * a centre's column. */
extern "C" __global__ void __launch_bounds__(512)
    compare_costs(const float *coordinates, const Point *points, const int *column, float *sums,
                  unsigned char *switches, int count, int dimensions, int candidate, int centres)
{
    const int i = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;
    if (i >= count)
        return;
    float distance = 0;
#pragma unroll 1
    for (int k = 0; k < dimensions; k++) {
        const float difference = coordinates[k * count + i] - coordinates[k * count + candidate];
        distance = fmaf(difference, difference, distance);
    }
    const Point point = points[i];
    const float cost = distance * point.weight;
    float *const own = &sums[i * (centres + 1)];
    if (cost < point.cost) {
        switches[i] = 1;
        own[centres] += cost - point.cost;
    } else {
        own[column[point.centre]] += point.cost - cost;
    }
}
