// A program whose library holds the static runtime: Warpbeam names the library. The program itself carries a
// static runtime too, but opens libcuda on its own, which works.
// nvcc: -cudart static
// library: parts/static_library.cu
#include <dlfcn.h>

#include "capture.h"

template <typename Type> static Type find(void *library, const char *name)
{
    void *function = dlsym(library, name);
    if (!function) {
        printf("%s is missing\n", name);
        exit(1);
    }
    return (Type)function;
}

static void *open_library(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    if (!library) {
        printf("%s\n", dlerror());
        exit(1);
    }
    return library;
}

int main(int, char **arguments)
{
    void *driver = open_library("libcuda.so.1");
    int count = 0;
    CHECK_EQUAL(find<int (*)(unsigned)>(driver, "cuInit")(0), 0);
    CHECK_EQUAL(find<int (*)(int *)>(driver, "cuDeviceGetCount")(&count), 0);
    CHECK(count > 0);

    const std::string path = std::string(arguments[0]) + ".so";
    auto answer = find<int (*)(int *)>(open_library(path.c_str()), "library_answer");
    int value = 0, error = 0;
    std::string text = captured(2, [&] { error = answer(&value); });
    if (simulated()) {
        CHECK(error != 0);
        CHECK(contains(text, "static_library.so holds the static CUDA runtime"));
        CHECK(!contains(text, "driver function ."));
        CHECK(text.find("static CUDA runtime") == text.rfind("static CUDA runtime")); // said once
        if (check_failures)
            printf("%s", text.c_str());
    } else {
        CHECK_EQUAL(error, 0);
        CHECK_EQUAL(value, 42);
    }
    return check_result();
}
