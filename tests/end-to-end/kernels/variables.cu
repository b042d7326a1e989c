// Variables with initializers: addresses of other variables at odd offsets, packed structs, strings.
#pragma pack(push, 1)
struct Record { char tag; int value; const int *link; short tail; };
#pragma pack(pop)
struct Node { int value; const Node *next; };

__device__ int numbers[6] = {1, -2, 3, -4, 5, -6};
__device__ const int *picked = &numbers[2];
__device__ Record records[3] = {{'a', 10, &numbers[1], -1}, {'b', 20, numbers + 5, -2}, {'c', 30, nullptr, -3}};
__constant__ Record constant_record = {'z', 77, &numbers[4], 5};
__device__ Node last_nodes[2] = {{-1, nullptr}, {200, nullptr}};
__device__ Node middle_node = {300, &last_nodes[1]};
__constant__ Node first_node = {100, &middle_node};
__device__ double ratios[4] = {0.5, -1e300, 1.0 / 3, 4e-320};
__device__ float singles[3] = {1.5f, -0.0f, 3e38f};
__device__ char text[] = "warp\tbeam\n\x01";
__device__ const char *const words[3] = {"alpha", "beta", "gamma"};
__constant__ unsigned long long wide[2] = {0xfedcba9876543210ull, 5};
__device__ unsigned short zeros[40];
__constant__ float later[8];
__device__ int counter = 41;

extern "C" __global__ void initializers(double *out, char *bytes)
{
    if (threadIdx.x)
        return;
    double sum = *picked * 1000;
    for (int i = 0; i < 3; i++)
        sum += records[i].tag + records[i].value + (records[i].link ? *records[i].link * 7 : 0.5) + records[i].tail;
    sum += constant_record.tag + constant_record.value + *constant_record.link + constant_record.tail;
    out[0] = sum;
    double chain = 0;
    for (const Node *node = &first_node; node; node = node->next)
        chain = chain * 10 + node->value;
    out[1] = chain;
    for (int i = 0; i < 4; i++)
        out[2 + i] = ratios[i];
    for (int i = 0; i < 3; i++)
        out[6 + i] = singles[i];
    out[9] = (double)(wide[0] >> 40) + (double)wide[1] + zeros[39];
    out[10] = later[0] + later[7];
    out[11] = counter++;
    for (unsigned i = 0; i < sizeof text; i++)
        bytes[i] = text[i];
    char *to = bytes + 16;
    for (int i = 0; i < 3; i++)
        for (const char *from = words[i]; *from; from++)
            *to++ = *from;
    *to = 0;
}
