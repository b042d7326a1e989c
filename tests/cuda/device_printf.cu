// printf in kernels: the text reaches this program's standard output by the next wait.
#include "capture.h"

__global__ void speak(int number)
{
    printf("block %d thread %d: %d %u %lld %#x\n", blockIdx.x, threadIdx.x, -number, 4000000000u, 1LL << 40,
           255);
    if (threadIdx.x == 0)
        printf("[%6.2f|%-8s|%c|%e|%%|%5d|%-5d|%05d]\n", 3.14159, "text", 'x', 0.000123, 42, 42, 42);
}

__global__ void result_of_printf(int *result) { *result = printf("%d %d\n", 1, 2); }

int main()
{
    std::string text = captured(1, [] {
        speak<<<2, 3>>>(7);
        CUDA(cudaDeviceSynchronize());
    });
    for (int block = 0; block < 2; block++)
        for (int thread = 0; thread < 3; thread++) {
            char line[100];
            snprintf(line, sizeof line, "block %d thread %d: -7 4000000000 1099511627776 0xff\n", block,
                     thread);
            CHECK(contains(text, line));
        }
    const char *formats = "[  3.14|text    |x|1.230000e-04|%|   42|42   |00042]\n";
    size_t first = text.find(formats);
    CHECK(first != std::string::npos);
    CHECK(text.find(formats, first + 1) != std::string::npos);
    if (check_failures)
        printf("%s", text.c_str());

    // It returns the number of arguments, as CUDA documents.
    int *result, host = 0;
    CUDA(cudaMalloc(&result, sizeof *result));
    text = captured(1, [&] {
        result_of_printf<<<1, 1>>>(result);
        CUDA(cudaMemcpy(&host, result, sizeof host, cudaMemcpyDeviceToHost));
        CUDA(cudaDeviceSynchronize());
    });
    CHECK(text == "1 2\n");
    CHECK_EQUAL(host, 2);
    return check_result();
}
