// An exception out of a host function ends the program, though main would catch it: on a GPU because the
// function runs on a thread of the driver's, here because the simulator is in the middle of its work.
#include <csignal>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum Way { HOST_FUNCTION, CALLBACK, GRAPH };

static void explode(void *) { throw std::runtime_error("boom"); }
static void CUDART_CB explode_too(cudaStream_t, cudaError_t, void *) { throw std::runtime_error("boom"); }

static void run(Way way)
{
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    if (way == GRAPH) {
        cudaGraph_t graph;
        cudaGraphExec_t executable;
        CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        CUDA(cudaLaunchHostFunc(stream, explode, nullptr));
        CUDA(cudaStreamEndCapture(stream, &graph));
        CUDA(cudaGraphInstantiate(&executable, graph, 0));
        CUDA(cudaGraphLaunch(executable, stream));
    } else if (way == CALLBACK) {
        CUDA(cudaStreamAddCallback(stream, explode_too, nullptr, 0));
    } else {
        CUDA(cudaLaunchHostFunc(stream, explode, nullptr));
    }
    CUDA(cudaStreamSynchronize(stream));
}

/* The signal that ends a child which does it; 0: it ended by itself. */
static int signal_of(Way way)
{
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        alarm(50);
        try {
            run(way);
        } catch (...) {
            _exit(2);
        }
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

int main()
{
    CHECK_EQUAL(signal_of(HOST_FUNCTION), SIGABRT);
    CHECK_EQUAL(signal_of(CALLBACK), SIGABRT);
    CHECK_EQUAL(signal_of(GRAPH), SIGABRT);
    return check_result();
}
