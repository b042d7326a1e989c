/* Distances of records from a place, as Rodinia's nn: a thread for each record, one load of a position, one
 * store of a distance. */
struct Position {
    float latitude, longitude;
};

extern "C" __global__ void __launch_bounds__(256)
    distances(const Position *records, float *distance, int count, float latitude, float longitude)
{
    const int i = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;
    if (i >= count)
        return;
    const Position record = records[i];
    const float north = latitude - record.latitude, east = longitude - record.longitude;
    distance[i] = sqrtf(fmaf(north, north, east * east));
}
