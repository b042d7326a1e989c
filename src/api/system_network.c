/* The network between the GPUs of a system (grid/nodes.h), and which of them are one node. */
#include "api/gpu.h"

#include "grid/network_card.h"

/* The first GPU that is open says it for all. */
uint32_t system_node_gpus(const System *system)
{
    FOR_GPUS(gpu, system)
        if (gpu->config.node_gpus)
            return (uint32_t)gpu->config.node_gpus;
        else
            return system->gpus.count;
    return 1;
}

uint32_t system_node(const WbGpu *gpu) { return gpu->index / system_node_gpus(gpu->system); }

static void connect_card(const OuterUnits *units, Nodes *nodes, uint32_t number)
{
    OuterUnit *card = outer_units_find(units, &unit_network);
    if (card)
        network_card_connect(card, nodes, number);
}

void system_join_network(System *system)
{
    Nodes *nodes = &system->nodes;
    *nodes = (Nodes){.count = system->gpus.count,
                     .node_gpus = system_node_gpus(system),
                     .here = system->gpus.count,
                     .epoch = nodes->epoch};
    system->spaces.node_gpus = nodes->node_gpus;
    system->units.node_gpus = system->timed_units.node_gpus = nodes->node_gpus;
    if (system->transport)
        spread_connect(system);
    FOR_GPUS(gpu, system) {
        nodes->gpus[gpu->index].space = &gpu->space;
        if (gpu->cycle) {
            nodes->gpus[gpu->index].card = outer_units_find(gpu->cycle->units, &unit_network);
            connect_card(gpu->cycle->units, nodes, nodes->first + gpu->index);
        }
        connect_card(gpu->units, nodes, nodes->first + gpu->index);
    }
}
