/* Access between devices. The simulator knows who may use whose memory; here CUDA's rules are checked, whose
 * errors tell a wrong number, a second permission and a missing one apart. */
#include "rt/peer.h"

#include "mem/link.h"
#include "rt/device.h"
#include "rt/stream.h"

/* Links connect the GPUs of a node. */
static bool are_on_one_node(int device, int peer)
{
    uint64_t each = 0;
    RT_ON(0, (each = rt_knob("node_gpus"), RT_SUCCESS));
    return !each || (uint64_t)device / each == (uint64_t)peer / each;
}

RtError rt_peer_can(int device, int peer, int *can)
{
    *can = 0;
    RtError error = rt_device_check(device);
    if (!error)
        error = rt_device_check(peer);
    /* CUDA: a device is no peer of itself. */
    *can = !error && device != peer && are_on_one_node(device, peer);
    return error;
}

static RtError check_peer(int peer)
{
    RtError error = rt_device_check(peer);
    if (!error && peer == rt_device())
        error = rt_fail(RT_INVALID_DEVICE, "A device is no peer of itself%s.",
                        rt_device_count() == 1 ? ", and there is only one" : "");
    return error;
}

RtError rt_peer_enable(int peer, unsigned flags)
{
    RtError error = check_peer(peer);
    if (error)
        return error;
    if (flags)
        return rt_fail(RT_INVALID_VALUE, "The flags must be 0.");
    if (!are_on_one_node(rt_device(), peer))
        return rt_fail(RT_PEER_ACCESS_UNSUPPORTED,
                       "Devices %d and %d are on different nodes (knob node_gpus): no link is between them, "
                       "only the network, which kernels use by wb_put() and wb_get().",
                       rt_device(), peer);
    if (wb_peer_is_enabled(rt_gpu(), rt_gpu_of(peer)))
        return rt_fail(RT_PEER_ACCESS_ALREADY_ENABLED, "Device %d may use the memory of device %d already.",
                       rt_device(), peer);
    return rt_check(wb_peer_enable(rt_gpu(), rt_gpu_of(peer), true));
}

RtError rt_peer_disable(int peer)
{
    RtError error = check_peer(peer);
    if (error)
        return error;
    if (!wb_peer_is_enabled(rt_gpu(), rt_gpu_of(peer)))
        return rt_fail(RT_PEER_ACCESS_NOT_ENABLED,
                       "Device %d was not allowed to use the memory of device %d.", rt_device(), peer);
    /* Kernels that were launched before may still use it. */
    error = rt_wait_to_free();
    return error ? error : rt_check(wb_peer_enable(rt_gpu(), rt_gpu_of(peer), false));
}

/* By links of their own, or through a switch: two that differ in this have PCIe between them. */
static bool are_linked(int device, int peer)
{
    uint64_t topologies[2] = {0};
    RT_ON(device, (topologies[0] = rt_knob("link_topology"), RT_SUCCESS));
    RT_ON(peer, (topologies[1] = rt_knob("link_topology"), RT_SUCCESS));
    return topologies[0] == topologies[1] && topologies[0] != TOPOLOGY_PCIE && are_on_one_node(device, peer);
}

RtError rt_peer_attribute(int attribute, int device, int peer, int *value)
{
    enum { RANK = 1, ACCESS, ATOMICS, ARRAYS, SOME_ATOMICS };
    RtError error = rt_device_check(device);
    if (!error)
        error = RT_ON(device, check_peer(peer));
    if (!error && (attribute < RANK || attribute > SOME_ATOMICS))
        error = rt_fail(RT_INVALID_VALUE, "%d is no attribute of two devices: 1 to 5 are.", attribute);
    if (error)
        return error;
    switch (attribute) {
    case RANK: /* the best is 0 */
        *value = !are_linked(device, peer);
        break;
    case ACCESS:
        *value = are_on_one_node(device, peer);
        break;
    case ATOMICS: /* PCIe has no atomics of its own */
        *value = are_linked(device, peer);
        break;
    default:
        *value = attribute != SOME_ATOMICS;
        break;
    }
    return RT_SUCCESS;
}

void rt_peer_forget(void)
{
    for (int i = 0; i < rt_device_count(); i++)
        if (wb_peer_is_enabled(rt_gpu(), rt_gpu_of(i)))
            rt_check(wb_peer_enable(rt_gpu(), rt_gpu_of(i), false));
}
