/* GPUs of one system that use each other's memory. */
#include "api/gpu.h"

#include <inttypes.h>

static WbStatus enable(WbGpu *gpu, const WbGpu *peer, bool may, Error *error)
{
    if (!peer || peer->system != gpu->system || peer == gpu)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "wb_peer_enable needs another GPU that was opened together with GPU %u.",
                         gpu->index);
    if (may && system_node(gpu) != system_node(peer))
        return error_set(error, WB_ERROR_ARGUMENT,
                         "GPU %u is on node %u and GPU %u on node %u (knob node_gpus): no link is between "
                         "them, only the network, which kernels use by wb_put and wb_get.",
                         gpu->index, system_node(gpu), peer->index, system_node(peer));
    if (may && wb_peer_is_enabled(gpu, peer))
        return error_set(error, WB_ERROR_ARGUMENT, "GPU %u may use the memory of GPU %u already.", gpu->index,
                         peer->index);
    if (!may && !wb_peer_is_enabled(gpu, peer))
        return error_set(error, WB_ERROR_ARGUMENT, "GPU %u may not use the memory of GPU %u as it is.",
                         gpu->index, peer->index);
    space_reach(&gpu->space, &peer->space, may);
    return WB_OK;
}

WbStatus wb_peer_enable(WbGpu *gpu, WbGpu *peer, bool may)
{
    return gpu ? gpu_end(gpu, enable(gpu, peer, may, gpu_begin(gpu))) : WB_ERROR_ARGUMENT;
}

bool wb_peer_is_enabled(const WbGpu *gpu, const WbGpu *peer)
{
    return gpu && peer && gpu->system == peer->system && gpu != peer &&
           gpu->space.reach >> peer->index & 1;
}

WbStatus wb_memory_settle(WbGpu *gpu, void *pointer)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    if (!space_settle(&gpu->space, (uint64_t)(uintptr_t)pointer))
        error_set(error, WB_ERROR_ARGUMENT,
                  "wb_memory_settle was given %p, where no memory is that wb_host_register() was given for "
                  "GPU %u.",
                  pointer, gpu->index);
    return gpu_end(gpu, error->status);
}

WbStatus wb_memory_grant(WbGpu *gpu, uint64_t address, uint32_t gpus)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    if (!space_grant(&gpu->space, address, gpus))
        error_set(error, WB_ERROR_ARGUMENT,
                  "wb_memory_grant was given 0x%" PRIx64 ", where no memory of GPU %u begins.", address,
                  gpu->index);
    return gpu_end(gpu, error->status);
}
