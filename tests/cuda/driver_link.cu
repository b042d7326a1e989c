// The driver's linker: two PTX texts, one calling what the other one defines.
// nvcc: -lcuda
#include "check_driver.h"

static const char caller[] = R"(
.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .u32 result) triple(.param .u32 value);
.extern .global .align 4 .u32 base;
.visible .entry run(.param .u64 out)
{
    .reg .b32 %r<5>;
    .reg .b64 %d<5>;
    ld.param.u64 %d1, [out];
    mov.u32 %r1, %tid.x;
    {
        .param .u32 argument;
        .param .u32 answer;
        st.param.u32 [argument], %r1;
        call (answer), triple, (argument);
        ld.param.u32 %r2, [answer];
    }
    ld.global.u32 %r3, [base];
    add.u32 %r4, %r2, %r3;
    mul.wide.u32 %d2, %r1, 4;
    add.s64 %d3, %d1, %d2;
    st.u32 [%d3], %r4;
    ret;
}
)";

static const char callee[] = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 base = 7;
.visible .func (.param .u32 result) triple(.param .u32 value)
{
    .reg .b32 %r<3>;
    ld.param.u32 %r1, [value];
    mul.lo.u32 %r2, %r1, 3;
    st.param.u32 [result], %r2;
    ret;
}
)";

int main()
{
    driver_context();
    CUlinkState link;
    CU(cuLinkCreate(0, nullptr, nullptr, &link));
    CU(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)caller, sizeof caller, "caller", 0, nullptr, nullptr));
    CU(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)callee, sizeof callee, "callee", 0, nullptr, nullptr));
    void *image;
    size_t size;
    CU(cuLinkComplete(link, &image, &size));
    CHECK(size > 0);
    CUmodule module;
    CU(cuModuleLoadData(&module, image));
    CU(cuLinkDestroy(link));
    CUfunction run;
    CU(cuModuleGetFunction(&run, module, "run"));
    CUdeviceptr out;
    int host[32];
    CU(cuMemAlloc(&out, sizeof host));
    void *parameters[] = {&out};
    CU(cuLaunchKernel(run, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr));
    CU(cuMemcpyDtoH(host, out, sizeof host));
    for (int i = 0; i < 32; i++)
        CHECK_EQUAL(host[i], 3 * i + 7);

    // Half of it does not link.
    CU(cuLinkCreate(0, nullptr, nullptr, &link));
    CU(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)caller, sizeof caller, "caller", 0, nullptr, nullptr));
    CHECK(cuLinkComplete(link, &image, &size) != CUDA_SUCCESS);
    CU(cuLinkDestroy(link));
    return check_result();
}
