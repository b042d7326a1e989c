// What a GPU and CUDA answer to accesses beside allocations and to host memory that is not what it should be. Each case
// runs in a process of its own; h200-memory.txt is what an H200 printed (CUDA 13). docs/MEMORY.md says what follows.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cstdint>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cuda_runtime.h>

static const size_t PAGE = 4096;
static void say(const char *what, cudaError_t e) { printf("  %s: %d %s\n", what, (int)e, cudaGetErrorName(e)); fflush(stdout); }
static char *pages(int n, int prot) { return (char *)mmap(nullptr, n * PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
static void reg(void *p, size_t n, unsigned flags) { say("register", cudaHostRegister(p, n, flags)); say("last", cudaGetLastError()); }
__global__ void touch(volatile int *p) { p[0] = p[0] + 1; }
__global__ void readit(const volatile int *p, int *to) { *to = *p; }
static void run_touch(void *p) { void *d = nullptr; say("get pointer", cudaHostGetDevicePointer(&d, p, 0)); touch<<<1,1>>>((int *)(d ? d : p)); say("sync", cudaDeviceSynchronize()); }
static void copy_case(size_t bytes, bool to_device, bool hole_is_none, bool read_only, bool pinned)
{
    const int n = (int)((bytes + PAGE - 1) / PAGE);
    char *p = pages(n + 2, PROT_READ | PROT_WRITE); memset(p, 1, n * PAGE);
    char *d; cudaMalloc(&d, bytes + 2 * PAGE);
    if (read_only) mprotect(p, (n + 2) * PAGE, PROT_READ);
    else if (hole_is_none) mprotect(p + n * PAGE, 2 * PAGE, PROT_NONE);
    else munmap(p + n * PAGE, 2 * PAGE);
    size_t m = read_only ? bytes : bytes + PAGE;
    if (pinned) { say("register", cudaHostRegister(p, bytes, 0)); }
    say("copy", to_device ? cudaMemcpy(d, p, m, cudaMemcpyHostToDevice) : cudaMemcpy(p, d, m, cudaMemcpyDeviceToHost));
    say("sync", cudaDeviceSynchronize());
}
struct Case { const char *name; void (*run)(); };
static const Case cases[] = {
    {"attribute", [] { int v = -1; cudaDeviceGetAttribute(&v, cudaDevAttrHostRegisterReadOnlySupported, 0); printf("  read only register supported %d\n", v); cudaDeviceGetAttribute(&v, cudaDevAttrPageableMemoryAccess, 0); printf("  pageable access %d\n", v); cudaDeviceGetAttribute(&v, cudaDevAttrPageableMemoryAccessUsesHostPageTables, 0); printf("  host page tables %d\n", v); }},
    {"register 2^46", [] { reg(pages(1, PROT_READ | PROT_WRITE), (size_t)1 << 46, 0); }},
    {"register SIZE_MAX", [] { reg(pages(1, PROT_READ | PROT_WRITE), SIZE_MAX, 0); }},
    {"register 0", [] { reg(pages(1, PROT_READ | PROT_WRITE), 0, 0); }},
    {"register null", [] { reg(nullptr, 4096, 0); }},
    {"register unmapped", [] { char *p = pages(1, PROT_READ | PROT_WRITE); munmap(p, PAGE); reg(p, PAGE, 0); }},
    {"register half unmapped", [] { char *p = pages(2, PROT_READ | PROT_WRITE); munmap(p + PAGE, PAGE); reg(p, 2 * PAGE, 0); }},
    {"register none", [] { reg(pages(1, PROT_NONE), PAGE, 0); }},
    {"register read-only", [] { char *p = pages(1, PROT_READ); reg(p, PAGE, 0); run_touch(p); }},
    {"register read-only with flag", [] { char *p = pages(1, PROT_READ); reg(p, PAGE, cudaHostRegisterReadOnly); run_touch(p); }},
    {"register writable with read-only flag", [] { char *p = pages(1, PROT_READ | PROT_WRITE); reg(p, PAGE, cudaHostRegisterReadOnly); run_touch(p); }},
    {"register twice", [] { char *p = pages(1, PROT_READ | PROT_WRITE); reg(p, PAGE, 0); reg(p, PAGE, 0); }},
    {"register overlapping", [] { char *p = pages(3, PROT_READ | PROT_WRITE); reg(p, 2 * PAGE, 0); reg(p + PAGE, 2 * PAGE, 0); }},
    {"register unaligned", [] { char *p = pages(2, PROT_READ | PROT_WRITE); reg(p + 100, 200, 0); run_touch(p + 104); run_touch(p); run_touch(p + 4092); }},
    {"register, unmap, kernel", [] { char *p = pages(16, PROT_READ | PROT_WRITE); reg(p, 16 * PAGE, 0); munmap(p, 16 * PAGE); run_touch(p); say("unregister", cudaHostUnregister(p)); }},
    {"copy 4K past, to device, unmapped", [] { copy_case(4096, true, false, false, false); }},
    {"copy 4K past, to device, none", [] { copy_case(4096, true, true, false, false); }},
    {"copy 1M past, to device, unmapped", [] { copy_case(1 << 20, true, false, false, false); }},
    {"copy 4K past, from device, unmapped", [] { copy_case(4096, false, false, false, false); }},
    {"copy 1M past, from device, unmapped", [] { copy_case(1 << 20, false, false, false, false); }},
    {"copy 1M from device to read-only", [] { copy_case(1 << 20, false, false, true, false); }},
    {"copy 4K past registered, to device", [] { copy_case(4096, true, false, false, true); }},
    {"copy 1M past registered, to device", [] { copy_case(1 << 20, true, false, false, true); }},
    {"copy 1M past registered, from device", [] { copy_case(1 << 20, false, false, false, true); }},
    {"stray read behind 4000 bytes", [] { int *a, *b, *o; cudaMalloc(&a, 4000); cudaMalloc(&b, 4000); cudaMalloc(&o, 4); printf("  a %p b %p\n", a, b); cudaMemset(b, 7, 4000); readit<<<1,1>>>(a + 1000, o); say("right behind", cudaDeviceSynchronize()); readit<<<1,1>>>(a + 400000, o); say("1.6 MB behind", cudaDeviceSynchronize()); touch<<<1,1>>>(a + 1020); say("write 80 bytes behind", cudaDeviceSynchronize()); readit<<<1,1>>>(a - 4, o); say("before", cudaDeviceSynchronize()); }},
    {"stray 2.1 MB behind", [] { int *a, *o; cudaMalloc(&a, 4000); cudaMalloc(&o, 4); readit<<<1,1>>>(a + (2200 << 10) / 4, o); say("read", cudaDeviceSynchronize()); }},
    {"freed, neighbour lives", [] { int *a, *b, *o; cudaMalloc(&a, 4096); cudaMalloc(&b, 4096); cudaMalloc(&o, 4); cudaMemset(a, 5, 4096); cudaFree(a); readit<<<1,1>>>(a + 5, o); say("read", cudaDeviceSynchronize()); int v = 0; say("get", cudaMemcpy(&v, o, 4, cudaMemcpyDeviceToHost)); printf("  value %x\n", v); }},
    {"freed, all small", [] { int *a, *o; cudaMalloc(&o, 64 << 20); cudaMalloc(&a, 4096); cudaFree(a); readit<<<1,1>>>(a + 5, o); say("read", cudaDeviceSynchronize()); }},
    {"freed 64 MB", [] { int *a, *o; cudaMalloc(&o, 4); cudaMalloc(&a, 64 << 20); cudaFree(a); readit<<<1,1>>>(a + 5, o); say("read", cudaDeviceSynchronize()); }},
    {"stray behind 3 MB", [] { int *a, *o; cudaMalloc(&o, 4); cudaMalloc(&a, 3 << 20); printf("  a %p\n", a); readit<<<1,1>>>(a + (3 << 20) / 4, o); say("right behind", cudaDeviceSynchronize()); readit<<<1,1>>>(a + (4 << 20) / 4, o); say("1 MB behind", cudaDeviceSynchronize()); }},
    {"stray behind 4 MB", [] { int *a, *o; cudaMalloc(&o, 4); cudaMalloc(&a, 4 << 20); readit<<<1,1>>>(a + (4 << 20) / 4, o); say("right behind", cudaDeviceSynchronize()); }},
    {"stray behind managed 4000", [] { int *a, *o; cudaMalloc(&o, 4); cudaMallocManaged(&a, 4000); readit<<<1,1>>>(a + 1000, o); say("right behind", cudaDeviceSynchronize()); readit<<<1,1>>>(a + 2000, o); say("4 KB behind", cudaDeviceSynchronize()); readit<<<1,1>>>(a + 400000, o); say("1.6 MB behind", cudaDeviceSynchronize()); }},
    {"stray behind pinned 4000", [] { int *a, *o; cudaMalloc(&o, 4); cudaMallocHost(&a, 4000); readit<<<1,1>>>(a + 1000, o); say("right behind", cudaDeviceSynchronize()); readit<<<1,1>>>(a + 2000, o); say("4 KB behind", cudaDeviceSynchronize()); readit<<<1,1>>>(a + 400000, o); say("1.6 MB behind", cudaDeviceSynchronize()); }},
    {"cudaMemcpy past device allocation", [] { char *a, *b, h[8192]; cudaMalloc(&a, 4000); cudaMalloc(&b, 4000); say("to host 8000", cudaMemcpy(h, a, 8000, cudaMemcpyDeviceToHost)); say("to host 4001", cudaMemcpy(h, a, 4001, cudaMemcpyDeviceToHost)); say("memset 4001", cudaMemset(a, 0, 4001)); say("memset 4000", cudaMemset(a, 0, 4000)); }},
};
int main(int count, char **arguments)
{
    const int n = sizeof cases / sizeof *cases;
    if (count > 1) { cases[atoi(arguments[1])].run(); return 0; }
    for (int i = 0; i < n; i++) {
        printf("%s\n", cases[i].name); fflush(stdout);
        pid_t child = fork();
        if (child == 0) { execl(arguments[0], arguments[0], std::to_string(i).c_str(), (char *)nullptr); _exit(9); }
        int status; waitpid(child, &status, 0);
        if (WIFSIGNALED(status)) printf("  signal %d\n", WTERMSIG(status));
        else if (WEXITSTATUS(status)) printf("  exit %d\n", WEXITSTATUS(status));
    }
}
