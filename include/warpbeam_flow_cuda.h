/* Flow graphs of kernels and channels for CUDA programs [channels §4.2, figure 6]: what warpbeam_flow.h is for
 * programs of the C API.
 *
 *     #include "warpbeam_flow_cuda.h"           // device functions: warpbeam_device_channels.h
 *
 *     WbCudaFlow flow;
 *     if (flow.is_there()) {
 *         unsigned channel = flow.channel({.name = "ch", .element_bytes = sizeof(FibObj)});
 *         flow.connect(channel, flow.node(fib_kernel, channel, result));   // kernel and its arguments
 *         flow.put(channel, &first, 1);
 *         flow.launch(stream);
 *         cudaStreamSynchronize(stream);
 *     }
 *
 * The program is built by nvcc as always and needs no library of Warpbeam's (before glibc 2.34: -ldl). Where
 * it does not run on Warpbeam is_there() is false: no GPU has an aggregator. A call that fails says why on
 * stderr, as CUDA calls do there, and ok() is false from then on. */
#ifndef WARPBEAM_FLOW_CUDA_H
#define WARPBEAM_FLOW_CUDA_H

#include "warpbeam_flow.h"
#include "warpbeam_links.h"

#ifdef __cplusplus

class WbCudaFlow {
public:
    WbCudaFlow() { check(call<int (*)(WbFlow **)>("wb_cuda_flow_create", &flow_)); }
    ~WbCudaFlow()
    {
        if (flow_)
            call<int (*)(WbFlow *)>("wb_cuda_flow_destroy", flow_);
    }
    WbCudaFlow(const WbCudaFlow &) = delete;
    WbCudaFlow &operator=(const WbCudaFlow &) = delete;

    bool is_there() const { return flow_; }
    bool ok() const { return flow_ && !error_; }
    int error() const { return error_; } /* the first, as cudaError_t */

    unsigned channel(const WbFlowChannel &channel)
    {
        uint32_t number = 0;
        check(call<int (*)(WbFlow *, const WbFlowChannel *, uint32_t *)>("wb_cuda_flow_add_channel", flow_,
                                                                         &channel, &number));
        return number;
    }
    unsigned stack(const WbFlowChannel &channel, unsigned levels, bool is_after)
    {
        uint32_t first = 0;
        check(call<int (*)(WbFlow *, const WbFlowChannel *, uint32_t, bool, uint32_t *)>(
            "wb_cuda_flow_add_stack", flow_, &channel, levels, is_after, &first));
        return first;
    }
    /* Arguments become those of the kernel's parameters as in a call. */
    template <class... Parameters, class... Arguments>
    unsigned node(void (*kernel)(Parameters...), Arguments... arguments)
    {
        static_assert(sizeof...(Parameters) == sizeof...(Arguments), "the kernel has other arguments");
        return add(kernel, static_cast<Parameters>(arguments)...);
    }
    void connect(unsigned channel, unsigned node)
    {
        check(call<int (*)(WbFlow *, uint32_t, uint32_t)>("wb_cuda_flow_connect", flow_, channel, node));
    }
    void produces(unsigned node, unsigned channel)
    {
        check(call<int (*)(WbFlow *, uint32_t, uint32_t)>("wb_cuda_flow_produces", flow_, node, channel));
    }
    void policy(const char *name)
    {
        check(call<int (*)(WbFlow *, const char *)>("wb_cuda_flow_set_policy", flow_, name));
    }
    void put(unsigned channel, const void *elements, unsigned count)
    {
        check(call<int (*)(WbFlow *, uint32_t, const void *, uint32_t)>("wb_cuda_flow_put", flow_, channel,
                                                                        elements, count));
    }
    /* Into a cudaStream_t; null is the default stream. */
    void launch(void *stream = nullptr)
    {
        check(call<int (*)(WbFlow *, void *)>("wb_cuda_flow_launch", flow_, stream));
    }

private:
    template <class Function, class... Arguments> static int call(const char *name, Arguments... arguments)
    {
        Function function;
        void *const found = wb_links_find(name);
        memcpy(&function, &found, sizeof function);
        return found ? function(arguments...) : 0;
    }
    template <class... Parameters> unsigned add(void (*kernel)(Parameters...), Parameters... values)
    {
        void *pointers[] = {(void *)&values..., nullptr};
        uint32_t number = 0;
        check(call<int (*)(WbFlow *, const void *, void **, uint32_t *)>(
            "wb_cuda_flow_add_node", flow_, (const void *)kernel, pointers, &number));
        return number;
    }
    void check(int error) { error_ = error_ ? error_ : error; }

    WbFlow *flow_ = nullptr;
    int error_ = 0;
};

#endif
#endif
