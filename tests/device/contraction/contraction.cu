// What a GPU's assembler makes of products and sums, seen by their results: runs the kernels of cases.txt and
// prints, a line for each, a number for each of their eight outputs.
//
//     nvcc -O2 -o contraction contraction.cu -lcuda && ./contraction cases.txt > h200-contraction.csv
//
// The kernels are given to the driver as PTX. With a kernel's name behind the file, its outputs are printed.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cases.h"

static void check(CUresult result, const char *what)
{
    if (result != CUDA_SUCCESS) {
        const char *text = "?";
        cuGetErrorString(result, &text);
        fprintf(stderr, "%s: %s\n", what, text);
        exit(1);
    }
}

static void run(const char *line, const char *wanted)
{
    static char text[1 << 16];
    char name[32];
    int length = snprintf(text, sizeof text, "%s", case_header);
    length += case_kernel(line, text + length, sizeof text - length, name);
    text[length] = 0;
    if (wanted && strcmp(wanted, name))
        return;
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr in, out, spare;
    static uint64_t inputs[CASE_WORDS], outputs[CASE_WORDS];
    case_inputs(name, inputs);
    check(cuModuleLoadData(&module, text), name);
    check(cuModuleGetFunction(&kernel, module, name), name);
    check(cuMemAlloc(&in, sizeof inputs), "memory");
    check(cuMemAlloc(&out, sizeof outputs), "memory");
    check(cuMemAlloc(&spare, CASE_SPARE), "memory");
    check(cuMemcpyHtoD(in, inputs, sizeof inputs), "copy");
    check(cuMemsetD8(out, 0, sizeof outputs), "set");
    void *arguments[] = {&in, &out, &spare};
    check(cuLaunchKernel(kernel, 1, 1, 1, CASE_THREADS, 1, 1, 0, 0, arguments, 0), name);
    check(cuMemcpyDtoH(outputs, out, sizeof outputs), name);
    printf("%s", name);
    for (int k = 0; k < CASE_OUTPUTS; k++)
        printf(",%08x", case_sum(outputs + k * CASE_THREADS));
    printf("\n");
    for (int i = 0; wanted && i < CASE_WORDS; i++)
        printf("%d %d %016llx\n", i / CASE_THREADS, i % CASE_THREADS, (unsigned long long)outputs[i]);
    cuMemFree(in);
    cuMemFree(out);
    cuMemFree(spare);
    cuModuleUnload(module);
}

int main(int count, char **arguments)
{
    static char line[1 << 15];
    CUdevice device;
    CUcontext context;
    check(cuInit(0), "start");
    check(cuDeviceGet(&device, 0), "device");
    check(cuDevicePrimaryCtxRetain(&context, device), "context");
    check(cuCtxSetCurrent(context), "context");
    FILE *file = count > 1 ? fopen(arguments[1], "r") : NULL;
    if (!file) {
        fprintf(stderr, "usage: contraction cases.txt [kernel]\n");
        return 2;
    }
    while (fgets(line, sizeof line, file))
        run(line, count > 2 ? arguments[2] : NULL);
    fclose(file);
    return 0;
}
