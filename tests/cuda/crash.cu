// A program that crashes after its kernels ends as it would have, with a message and the statistics so far.
#include <csignal>
#include <spawn.h>
#include <sys/wait.h>

#include "capture.h"

extern char **environ;

__global__ void count_to(int *out, int limit)
{
    int sum = 0;
    for (int i = 0; i < limit; i++)
        sum += i;
    out[threadIdx.x] = sum;
}

static int crash()
{
    int *out;
    CUDA(cudaMalloc(&out, 32 * sizeof *out));
    count_to<<<1, 32>>>(out, 100);
    CUDA(cudaDeviceSynchronize());
    raise(SIGSEGV);
    return 0;
}

int main(int count, char **arguments)
{
    if (count > 1)
        return crash();
    char path[] = "/tmp/crash-test-XXXXXX.json";
    close(mkstemps(path, 5));
    setenv("WARPBEAM_STATS", path, 1);
    int status = 0;
    std::string text = captured(2, [&] {
        pid_t child;
        char crash_now[] = "crash";
        char *child_arguments[] = {arguments[0], crash_now, nullptr};
        CHECK_EQUAL(posix_spawn(&child, arguments[0], nullptr, nullptr, child_arguments, environ), 0);
        waitpid(child, &status, 0);
    });
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    if (simulated()) {
        CHECK(contains(text, "warpbeam"));
        if (time_passes()) {
            char head[65536] = "";
            FILE *file = fopen(path, "r");
            CHECK(file && fread(head, 1, sizeof head - 1, file) > 0);
            if (file)
                fclose(file);
            CHECK(strstr(head, "count_to"));
        }
    }
    if (check_failures)
        printf("%s", text.c_str());
    remove(path);
    return check_result();
}
