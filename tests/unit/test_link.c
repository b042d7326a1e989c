/* Links between GPUs: which ports a topology has, latency, rates that are fractions of flits a cycle, credits
 * that come back late. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "mem/link.h"

enum { GPUS = 4, HOST = GPUS, KHZ = 1000000 }; /* a cycle of the world is a nanosecond */

typedef struct Rig {
    GpuConfig configs[GPUS];
    Fabric *fabric;
} Rig;

/* 3 flits in 2 cycles: 24,000 MB/s, 16 bytes a flit, a cycle a nanosecond. */
static void set_knobs(GpuConfig *config, LinkTopology topology)
{
    memset(config, 0, sizeof *config);
    config->link_topology = topology;
    config->link_rate = 24000;
    config->link_latency_ns = 50;
    config->link_flit_bytes = 16;
    config->link_header_flits = 1;
    config->link_credits = 3;
    config->pcie_rate = 4000; /* a flit a cycle */
    config->pcie_latency_ns = 70;
    config->pcie_flit_bytes = 4;
    config->pcie_header_flits = 6;
    config->host_memory_rate = 8000;
    config->host_memory_latency_ns = 20;
    config->hub_queue = 4;
}

static void build(Rig *rig)
{
    const GpuConfig *configs[GPUS];
    for (uint32_t i = 0; i < GPUS; i++)
        configs[i] = &rig->configs[i];
    rig->fabric = fabric_create(configs, GPUS, KHZ);
}

static void build_all(Rig *rig, LinkTopology topology)
{
    for (uint32_t i = 0; i < GPUS; i++)
        set_knobs(&rig->configs[i], topology);
    build(rig);
}

static LinkPath *path_of(const Rig *rig, uint32_t from, uint32_t to)
{
    return fabric_path(rig->fabric, from, to);
}

static Cycle send(LinkPath *path, uint32_t bytes, Cycle now)
{
    Cycle last;
    assert_int_equal(link_when(path, LINK_REQUEST, now), now);
    return link_send(path, LINK_REQUEST, bytes, now, now, &last);
}

static void topologies_have_their_ports(void **state)
{
    (void)state;
    Rig rig;
    build_all(&rig, TOPOLOGY_SWITCH);
    assert_ptr_equal(path_of(&rig, 0, 1)->out, path_of(&rig, 0, 3)->out);
    assert_ptr_equal(path_of(&rig, 0, 2)->in, path_of(&rig, 1, 2)->in);
    assert_ptr_not_equal(path_of(&rig, 0, 1)->out, path_of(&rig, 0, HOST)->out);
    assert_true(fabric_is_linked(rig.fabric, 0, 1));
    assert_int_equal(fabric_lookahead(rig.fabric), 50);
    fabric_free(rig.fabric);

    build_all(&rig, TOPOLOGY_MESH);
    assert_ptr_not_equal(path_of(&rig, 0, 1)->out, path_of(&rig, 0, 3)->out);
    assert_ptr_not_equal(path_of(&rig, 0, 2)->in, path_of(&rig, 1, 2)->in);
    fabric_free(rig.fabric);

    build_all(&rig, TOPOLOGY_PCIE);
    assert_ptr_equal(path_of(&rig, 0, 1)->out, path_of(&rig, 0, HOST)->out);
    assert_ptr_equal(path_of(&rig, 0, 2)->in, path_of(&rig, HOST, 2)->in);
    assert_int_equal(path_of(&rig, 0, 1)->latency, 140);
    assert_int_equal(path_of(&rig, HOST, 1)->latency, 70);
    assert_false(fabric_is_linked(rig.fabric, 0, 1));
    fabric_free(rig.fabric);
}

/* Two of a switch, two of a mesh: they reach each other by PCIe, and the mesh's share is of its own members. */
static void what_does_not_fit_uses_pcie(void **state)
{
    (void)state;
    Rig rig;
    for (uint32_t i = 0; i < GPUS; i++)
        set_knobs(&rig.configs[i], i < 2 ? TOPOLOGY_SWITCH : TOPOLOGY_MESH);
    rig.configs[1].link_latency_ns = 90;
    build(&rig);
    assert_true(fabric_is_linked(rig.fabric, 0, 1));
    assert_true(fabric_is_linked(rig.fabric, 3, 2));
    assert_false(fabric_is_linked(rig.fabric, 1, 2));
    assert_int_equal(path_of(&rig, 0, 1)->latency, 90);
    assert_int_equal(path_of(&rig, 1, 2)->latency, 140);
    assert_int_equal(path_of(&rig, 2, 3)->out->flits.ticks, 3);
    assert_int_equal(path_of(&rig, 2, 3)->out->flits.cycles, 2);
    fabric_free(rig.fabric);
}

/* 9 flits of a line take 6 cycles, 2 flits one and a third: nothing is lost by rounding. */
static void a_rate_is_exact(void **state)
{
    (void)state;
    Rig rig;
    build_all(&rig, TOPOLOGY_SWITCH);
    LinkPath *path = path_of(&rig, 0, 1);
    path->credits = 3;
    Cycle now = 1000;
    for (uint32_t i = 0; i < 900; i++) {
        now = path->out->free > now ? path->out->free : now;
        assert_int_equal(send(path, 16, now), now + 50);
        link_take(path, LINK_REQUEST, 16, now + 50, now + 50);
        if (i % 3 == 2) { /* the credits of three are back */
            assert_int_equal(path->out->free, 1000 + (i + 1) / 3 * 4);
            path->sender.packets[LINK_REQUEST] = path->receiver.packets[LINK_REQUEST] = 0;
        }
    }
    assert_int_equal(path->out->free, 1000 + 1200);
    assert_int_equal(path->out->rest, 0);
    assert_int_equal(link_busy(path->out), 1200);
    fabric_free(rig.fabric);
}

static void a_mesh_shares_the_rate(void **state)
{
    (void)state;
    Rig rig;
    build_all(&rig, TOPOLOGY_MESH);
    Cycle last;
    link_send(path_of(&rig, 0, 1), LINK_REQUEST, 128, 10, 10, &last);
    assert_int_equal(last, 10 + 18 + 50); /* 9 flits, one in two cycles */
    assert_int_equal(link_when(path_of(&rig, 0, 1), LINK_REPLY, 10), 28);
    assert_int_equal(link_when(path_of(&rig, 0, 2), LINK_REPLY, 10), 10); /* another port */
    fabric_free(rig.fabric);
}

static void a_switch_shares_ports(void **state)
{
    (void)state;
    Rig rig;
    build_all(&rig, TOPOLOGY_SWITCH);
    send(path_of(&rig, 0, 2), 128, 10);
    assert_int_equal(link_when(path_of(&rig, 0, 1), LINK_REQUEST, 10), 16);
    assert_int_equal(link_when(path_of(&rig, 0, 1), LINK_REQUEST, 15), 16);
    assert_int_equal(link_when(path_of(&rig, 0, 1), LINK_REQUEST, 17), 17);
    assert_int_equal(link_when(path_of(&rig, 1, 2), LINK_REQUEST, 10), 10);
    assert_int_equal(link_when(path_of(&rig, 0, HOST), LINK_REQUEST, 10), 10);
    send(path_of(&rig, 1, 2), 128, 10);
    /* Both arrive at 60: the receiver's port takes one after the other. */
    assert_true(link_may_take(path_of(&rig, 0, 2), 60));
    assert_int_equal(link_take(path_of(&rig, 0, 2), LINK_REQUEST, 128, 66, 60), 66);
    assert_false(link_may_take(path_of(&rig, 1, 2), 65));
    assert_true(link_may_take(path_of(&rig, 1, 2), 66));
    assert_int_equal(link_take(path_of(&rig, 1, 2), LINK_REQUEST, 128, 66, 66), 72);
    fabric_free(rig.fabric);
}

/* The receiver of a slow sender has the packet when its last flit is there. */
static void a_packet_is_in_with_its_last_flit(void **state)
{
    (void)state;
    Rig rig;
    for (uint32_t i = 0; i < GPUS; i++)
        set_knobs(&rig.configs[i], TOPOLOGY_SWITCH);
    rig.configs[0].link_rate = 16000 / 8; /* a flit in 8 cycles */
    build(&rig);
    Cycle last;
    assert_int_equal(link_send(path_of(&rig, 0, 1), LINK_REQUEST, 32, 5, 5, &last), 55);
    assert_int_equal(last, 5 + 24 + 50);
    assert_int_equal(link_take(path_of(&rig, 0, 1), LINK_REQUEST, 32, last, 55), last);
    assert_true(link_may_take(path_of(&rig, 2, 1), 57)); /* its port is free long before */
    fabric_free(rig.fabric);
}

static void credits_come_back_a_latency_later(void **state)
{
    (void)state;
    Rig rig;
    build_all(&rig, TOPOLOGY_SWITCH);
    LinkPath *path = path_of(&rig, 0, 1);
    Cycle last;
    for (uint32_t i = 0; i < 3; i++)
        send(path, 0, 100 + i);
    assert_int_equal(link_when(path, LINK_REQUEST, 103), CYCLE_NEVER);
    assert_int_equal(link_when(path, LINK_REPLY, 103), 103); /* replies have their own */
    link_take(path, LINK_REQUEST, 0, 151, 170);
    assert_int_equal(link_when(path, LINK_REQUEST, 170), 220);
    assert_int_equal(link_when(path, LINK_REQUEST, 219), 220);
    assert_int_equal(link_when(path, LINK_REQUEST, 220), 220);
    link_send(path, LINK_REQUEST, 0, 110, 220, &last);
    assert_int_equal(path->sender.stalls, 110); /* from 110, when it was ready to go */
    assert_int_equal(link_when(path, LINK_REQUEST, 221), CYCLE_NEVER);
    fabric_free(rig.fabric);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(topologies_have_their_ports),
        cmocka_unit_test(what_does_not_fit_uses_pcie),
        cmocka_unit_test(a_rate_is_exact),
        cmocka_unit_test(a_mesh_shares_the_rate),
        cmocka_unit_test(a_switch_shares_ports),
        cmocka_unit_test(a_packet_is_in_with_its_last_flit),
        cmocka_unit_test(credits_come_back_a_latency_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
