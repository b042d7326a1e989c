// Modules of the driver API: from PTX text, from a fat binary in memory, from files; and wrong ones.
// nvcc: -lcuda
// fatbin: parts/scale.cu
#include <vector>

#include "check_driver.h"

static const char ptx[] = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 total;
.visible .entry accumulate(.param .u64 values, .param .u32 count)
{
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    .reg .b64 %d<5>;
    ld.param.u64 %d1, [values];
    ld.param.u32 %r1, [count];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p1, %r2, %r1;
    @%p1 bra DONE;
    cvta.to.global.u64 %d2, %d1;
    mul.wide.u32 %d3, %r2, 4;
    add.s64 %d4, %d2, %d3;
    ld.global.u32 %r3, [%d4];
    atom.global.add.u32 %r4, [total], %r3;
DONE:
    ret;
}
)";

static std::vector<char> contents(const char *path)
{
    std::vector<char> bytes;
    FILE *file = fopen(path, "rb");
    if (!file)
        return bytes;
    for (int c; (c = fgetc(file)) != EOF;)
        bytes.push_back((char)c);
    fclose(file);
    bytes.push_back(0);
    return bytes;
}

static void check_scale(CUmodule module)
{
    CUfunction scale;
    CU(cuModuleGetFunction(&scale, module, "scale"));
    float host[100];
    for (int i = 0; i < 100; i++)
        host[i] = i;
    CUdeviceptr values, variable;
    CU(cuMemAlloc(&values, sizeof host));
    CU(cuMemcpyHtoD(values, host, sizeof host));
    float factor = 3.0f;
    int count = 100;
    void *parameters[] = {&values, &factor, &count};
    CU(cuLaunchKernel(scale, 4, 1, 1, 32, 1, 1, 32 * sizeof(float), nullptr, parameters, nullptr));
    CU(cuCtxSynchronize());
    CU(cuMemcpyDtoH(host, values, sizeof host));
    for (int i = 0; i < 100; i++)
        CHECK_EQUAL(host[i], 3.0f * i + (i % 2 ? -0.5f : 0.5f));
    size_t size;
    int launches = 0;
    CU(cuModuleGetGlobal(&variable, &size, module, "launches"));
    CHECK_EQUAL(size, 4);
    CU(cuMemcpyDtoH(&launches, variable, sizeof launches));
    CHECK_EQUAL(launches, 4);
    CU(cuMemFree(values));
}

int main(int, char **arguments)
{
    driver_context();
    CUmodule module;
    CU(cuModuleLoadData(&module, ptx));
    CUfunction function;
    CU_FAILS(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&function, module, "missing"));
    CUdeviceptr total, values;
    size_t size;
    CU_FAILS(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(&total, &size, module, "missing"));
    CU(cuModuleGetFunction(&function, module, "accumulate"));
    CU(cuModuleGetGlobal(&total, &size, module, "total"));
    CU(cuMemsetD32(total, 1000, 1));
    CU(cuMemAlloc(&values, 64 * sizeof(int)));
    CU(cuMemsetD32(values, 2, 64));
    int count = 50, sum = 0;
    void *parameters[] = {&values, &count};
    CU(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));
    CU(cuMemcpyDtoH(&sum, total, sizeof sum));
    CHECK_EQUAL(sum, 1100);
    CU(cuModuleUnload(module));

    // The compiler's log.
    char log[4096] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *option_values[] = {log, (void *)sizeof log};
    CU(cuModuleLoadDataEx(&module, ptx, 2, options, option_values));
    CU(cuModuleUnload(module));
    option_values[1] = (void *)sizeof log; // the call before has put the length of its log there
    CU_FAILS(CUDA_ERROR_INVALID_PTX,
             cuModuleLoadDataEx(&module, ".version 7.0\n.target sm_70\n.address_size 64\nnonsense;\n", 2,
                                options, option_values));
    CHECK(strlen(log) > 0);

    // A fat binary with PTX in it, and PTX: from memory and from a file.
    for (const char *ending : {".fatbin", ".ptx"}) {
        const char *path = beside_program(arguments[0], ending);
        CU(cuModuleLoad(&module, path));
        check_scale(module);
        CU(cuModuleUnload(module));
        std::vector<char> image = contents(path);
        CHECK(image.size() > 100);
        CU(cuModuleLoadData(&module, image.data()));
        check_scale(module);
        CU(cuModuleUnload(module));
    }
    std::vector<char> image = contents(beside_program(arguments[0], ".fatbin"));
    CU(cuModuleLoadFatBinary(&module, image.data()));
    check_scale(module);
    CU(cuModuleUnload(module));
    CU_FAILS(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&module, "/nowhere/at-all.ptx"));

    // The same as a library.
    CUlibrary library;
    CUkernel kernel;
    CU(cuLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    CU(cuLibraryGetKernel(&kernel, library, "accumulate"));
    CU(cuLibraryGetGlobal(&total, &size, library, "total"));
    CU(cuMemsetD32(total, 0, 1));
    CU(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));
    CU(cuMemcpyDtoH(&sum, total, sizeof sum));
    CHECK_EQUAL(sum, 100);
    CU(cuLibraryUnload(library));
    return check_result();
}
