// Launches by the functions that <<<>>> stands for: a buffer for the arguments, then the launch.
// nvcc: -rdc=true
#include "check.h"

struct Arguments {
    int *out;
    double scale;
    short addend;
};

__global__ void child(int *out, double scale, short addend)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (int)(i * scale) + addend;
}

__global__ void parent(int *out, int *errors)
{
    Arguments arguments = {out, 1.5, -3};
    void *buffer = cudaGetParameterBufferV2((void *)child, dim3(2), dim3(16), 0);
    *(Arguments *)buffer = arguments;
    errors[0] = cudaLaunchDeviceV2(buffer, 0);

    // Into a stream; the buffer's launch knows nothing of what is written into it later.
    arguments.out = out + 32, arguments.addend = 4;
    buffer = cudaGetParameterBufferV2((void *)child, dim3(4), dim3(8), 0);
    *(Arguments *)buffer = arguments;
    errors[1] = cudaLaunchDeviceV2(buffer, cudaStreamFireAndForget);

    // A buffer is there for a wrong launch, too, which then says what is wrong.
    buffer = cudaGetParameterBufferV2((void *)child, dim3(1), dim3(2000), 0);
    errors[2] = buffer ? cudaSuccess : cudaErrorUnknown;
    *(Arguments *)buffer = arguments;
    errors[3] = cudaPeekAtLastError();
    errors[4] = cudaLaunchDeviceV2(buffer, 0);
    errors[5] = cudaGetLastError();
}

__global__ void older(int *out, int *errors)
{
    Arguments *buffer = (Arguments *)cudaGetParameterBuffer(alignof(Arguments), sizeof(Arguments));
    buffer->out = out, buffer->scale = 2, buffer->addend = 9;
    errors[0] = cudaLaunchDevice((void *)child, buffer, dim3(2), dim3(16), 0, 0);
}

int main()
{
    int *out, *errors;
    CUDA(cudaMallocManaged(&out, 96 * sizeof *out));
    CUDA(cudaMallocManaged(&errors, 7 * sizeof *errors));
    memset(out, 0, 96 * sizeof *out);
    parent<<<1, 1>>>(out, errors);
    CUDA(cudaDeviceSynchronize());
    older<<<1, 1>>>(out + 64, errors + 6);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++) {
        CHECK_EQUAL(out[i], (int)(i * 1.5) - 3);
        CHECK_EQUAL(out[32 + i], (int)(i * 1.5) + 4);
        CHECK_EQUAL(out[64 + i], 2 * i + 9);
    }
    const int expected[] = {0, 0, 0, 0, 9, 9, 0};
    for (int i = 0; i < 7; i++)
        CHECK_EQUAL(errors[i], expected[i]);
    return check_result();
}
