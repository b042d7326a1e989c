/* Hubs: requests of one GPU take effect in another's L2 slices or in the host's memory, and come back to whoever
 * made them; the same for every number of threads and every window. The SMs are scripted; crossbars,
 * partitions, hubs, links and the host's memory are real. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/alloc.h"
#include "mem/host_memory.h"
#include "mem/hub.h"
#include "mem/partition.h"
#include "sim/world.h"

enum { GPUS = 3, SMS = 2, REQUESTS = 512, LINES = 64, WORD_KIND = 77, LIMIT = 10000000 };

/* What an SM is to send, and what became of it. */
typedef struct Script {
    Request request;
    AtomicWork work;
    Cycle sent, replied;
} Script;

typedef struct RigSm {
    Shard shard;
    struct RigGpu *gpu;
    uint32_t number, count, next;
    Script *scripts; /* [REQUESTS] */
} RigSm;

/* In the front end's place: it sends a word, and keeps what comes. */
typedef struct RigUnit {
    Shard shard;
    HubPort *port;
    HubWord word; /* to send, in cycle `when` */
    Cycle when;
    Cycle came;
    uint64_t value;
    uint8_t data[HUB_WORD_BYTES];
} RigUnit;

typedef struct RigGpu {
    GpuConfig config;
    Crossbar crossbar;
    Interleave interleave;
    RigSm sms[SMS];
    Partition **partitions;
    RigUnit unit;
    Hub *hub;
    uint8_t *memory; /* LINES lines */
} RigGpu;

typedef struct Rig {
    RigGpu gpus[GPUS];
    Fabric *fabric;
    HostMemory *host;
    World *world;
    uint8_t *host_memory;
} Rig;

static void add(AtomicWork *work, uint8_t *place)
{
    for (uint32_t i = 0; i < work->count; i++) {
        uint32_t word;
        memcpy(&word, place + work->lanes[i].offset, sizeof word);
        work->lanes[i].old[0] = word;
        word += (uint32_t)work->lanes[i].b[0];
        memcpy(place + work->lanes[i].offset, &word, sizeof word);
    }
}

static void take_replies(RigSm *sm, Cycle now)
{
    for (const Message *message; (message = shard_take(&sm->shard, now));) {
        Request *reply = message->body;
        crossbar_take(&sm->gpu->crossbar, TO_SM, reply,
                      crossbar_in_free(&sm->gpu->crossbar, TO_SM, sm->number, now));
        assert_int_equal(reply->sm, sm->number);
        assert_ptr_equal(reply, &sm->scripts[reply->ticket].request);
        sm->scripts[reply->ticket].replied = now;
    }
}

static Cycle send_requests(RigSm *sm, Cycle now)
{
    RigGpu *gpu = sm->gpu;
    while (sm->next < sm->count) {
        Request *request = &sm->scripts[sm->next].request;
        const Cycle when = crossbar_when(&gpu->crossbar, TO_SLICE, sm->number, request->slice, now);
        if (when > now)
            return when;
        sm->scripts[sm->next++].sent = now;
        crossbar_send(&gpu->crossbar, TO_SLICE, request, &sm->shard,
                      route_shard(&gpu->crossbar.route, &gpu->interleave, SMS, request->slice), now);
    }
    return CYCLE_NEVER;
}

static void sm_advance(Shard *shard, Cycle end)
{
    RigSm *sm = (RigSm *)shard;
    Cycle next = shard->wake;
    for (;;) {
        const Cycle now = clock_earlier(next, shard_next_arrival(shard));
        if (now >= end)
            break;
        take_replies(sm, now);
        next = send_requests(sm, now);
    }
    shard->wake = sm->next < sm->count && next == CYCLE_NEVER ? end : next;
}

static void unit_advance(Shard *shard, Cycle end)
{
    RigUnit *unit = (RigUnit *)shard;
    if (unit->when < end) {
        hub_send_word(unit->port, &unit->word, unit->when);
        unit->when = CYCLE_NEVER;
    }
    for (const Message *message; (message = shard_take(shard, end - 1));) {
        assert_int_equal(message->kind, WORD_KIND);
        HubWord *word = message->body;
        unit->came = message->time;
        unit->value = message->value;
        memcpy(unit->data, word->data, sizeof unit->data);
        hub_word_read(word);
    }
    shard->wake = unit->when;
}

/* GPU i runs at clocks[i]; all have the same links. */
static void set_knobs(GpuConfig *config, uint64_t khz, bool plenty)
{
    Error error = {0};
    assert_int_equal(config_load("gtx480", config, &error), WB_OK);
    config->clock_khz = khz;
    config->sm_count = SMS;
    config->dram_channels = 2;
    config->l2_slices = 4;
    config->l2_bytes = config->l2_slices * config->l2_ways * LINE_BYTES * 64;
    config->crossbar_credits = plenty ? 64 : 4;
    config->link_topology = TOPOLOGY_SWITCH;
    config->link_rate = 24000;
    config->link_latency_ns = 200;
    config->link_flit_bytes = 16;
    config->link_header_flits = 1;
    config->link_credits = plenty ? 1024 : 8;
    config->pcie_latency_ns = 300;
    config->hub_queue = plenty ? 1024 : 4;
    config->hub_requests = plenty ? 1024 : 8;
}

static void build_gpu(Rig *rig, uint32_t index)
{
    RigGpu *gpu = &rig->gpus[index];
    const uint32_t channels = (uint32_t)gpu->config.dram_channels;
    crossbar_init_hub(&gpu->crossbar, &gpu->config, 0, index, true);
    interleave_init(&gpu->interleave, &gpu->config, index);
    gpu->partitions = xcalloc(channels, sizeof *gpu->partitions);
    for (uint32_t i = 0; i < channels; i++)
        gpu->partitions[i] = partition_create(&gpu->config, &gpu->crossbar, i, add);
    for (uint32_t i = 0; i < SMS; i++) {
        gpu->sms[i] = (RigSm){.shard = {.advance = sm_advance, .wake = CYCLE_NEVER}, .gpu = gpu, .number = i};
        gpu->sms[i].scripts = xaligned(64, REQUESTS * sizeof(Script));
        memset(gpu->sms[i].scripts, 0, REQUESTS * sizeof(Script));
    }
    gpu->unit = (RigUnit){.shard = {.advance = unit_advance, .wake = CYCLE_NEVER}, .when = CYCLE_NEVER};
    gpu->hub = hub_create(&gpu->config, &gpu->crossbar, rig->fabric);
    gpu->memory = xcalloc(LINES, LINE_BYTES);
}

/* `plenty`: credits and queues hold up nobody. */
static void build_with(Rig *rig, const uint64_t *clocks, uint32_t threads, Cycle window, bool plenty)
{
    const GpuConfig *configs[GPUS];
    uint64_t fastest = 0;
    memset(rig, 0, sizeof *rig);
    for (uint32_t i = 0; i < GPUS; i++) {
        set_knobs(&rig->gpus[i].config, clocks[i], plenty);
        configs[i] = &rig->gpus[i].config;
        fastest = clocks[i] > fastest ? clocks[i] : fastest;
    }
    rig->fabric = fabric_create(configs, GPUS, fastest);
    for (uint32_t i = 0; i < GPUS; i++)
        build_gpu(rig, i);
    rig->host = host_memory_create(rig->fabric, NULL, add);
    rig->host_memory = xcalloc(LINES, LINE_BYTES);
    const uint32_t channels = (uint32_t)configs[0]->dram_channels, each = SMS + channels + 2;
    const Cycle lookahead = configs[0]->crossbar_latency; /* shorter than all links */
    rig->world = world_create(GPUS * each + 1, threads, lookahead, window);
    for (uint32_t i = 0; i < GPUS; i++) {
        RigGpu *gpu = &rig->gpus[i];
        const Clock clock = clock_of(clocks[i], fastest);
        for (uint32_t k = 0; k < SMS; k++)
            world_add_to(rig->world, &gpu->sms[k].shard, clock, i * each, k);
        for (uint32_t k = 0; k < channels; k++)
            world_add_to(rig->world, &gpu->partitions[k]->shard, clock, i * each, SMS + k);
        world_add_to(rig->world, &gpu->unit.shard, clock, i * each, SMS + channels);
        world_add_to(rig->world, hub_shard(gpu->hub), clock, i * each, each - 1);
        gpu->unit.port = hub_port_create(&gpu->crossbar, &gpu->unit.shard);
    }
    world_add_to(rig->world, host_memory_shard(rig->host), clock_same, GPUS * each, 0);
}

static void build(Rig *rig, const uint64_t *clocks, uint32_t threads, Cycle window)
{
    build_with(rig, clocks, threads, window, false);
}

static void demolish(Rig *rig)
{
    world_free(rig->world);
    for (uint32_t i = 0; i < GPUS; i++) {
        RigGpu *gpu = &rig->gpus[i];
        for (uint32_t k = 0; k < gpu->config.dram_channels; k++)
            partition_free(gpu->partitions[k]);
        for (uint32_t k = 0; k < SMS; k++)
            xfree(gpu->sms[k].scripts);
        hub_port_free(gpu->unit.port);
        hub_free(gpu->hub);
        crossbar_free(&gpu->crossbar);
        xfree(gpu->partitions);
        xfree(gpu->memory);
    }
    host_memory_free(rig->host);
    fabric_free(rig->fabric);
    xfree(rig->host_memory);
}

/* Where line `line` of node `home` is for kernels, and for us. */
static uint64_t address_of(uint32_t home, uint32_t line)
{
    const uint64_t base =
        home < GPUS ? ((uint64_t)home << SPACE_HOME_SHIFT) + SPACE_GLOBAL_BASE : SPACE_HOST_BASE;
    return base + (uint64_t)line * LINE_BYTES;
}

static uint8_t *place_of(const Rig *rig, uint32_t home, uint32_t line)
{
    return (home < GPUS ? rig->gpus[home].memory : rig->host_memory) + (size_t)line * LINE_BYTES;
}

static Script *script(Rig *rig, uint32_t gpu, uint32_t sm, RequestKind kind, uint32_t home, uint32_t line)
{
    RigSm *from = &rig->gpus[gpu].sms[sm];
    Script *added = &from->scripts[from->count];
    added->request = (Request){
        .line = address_of(home, line),
        .place = place_of(rig, home, line),
        .sm = sm,
        .slice =
            route_slice(&rig->gpus[gpu].crossbar.route, &rig->gpus[gpu].interleave, address_of(home, line)),
        .ticket = from->count++,
        .kind = (uint8_t)kind,
        .sectors = 0xF,
    };
    if (kind == REQUEST_STORE) {
        request_mark_written(&added->request, 0, LINE_BYTES);
        memset(added->request.data, (int)(gpu * 16 + sm * 8 + line % 8), LINE_BYTES);
    }
    if (kind == REQUEST_ATOMIC) {
        added->work = (AtomicWork){.element_bytes = 4, .returns = true, .combines = true, .count = 1};
        added->work.lanes[0].b[0] = 1;
        added->request.atomic = &added->work;
        added->request.sectors = 1;
    }
    from->shard.wake = 0;
    return added;
}

static void run(Rig *rig)
{
    const WorldEnd end = world_run(rig->world, 0, LIMIT);
    assert_int_equal(end.next, CYCLE_NEVER);
    for (uint32_t i = 0; i < GPUS; i++) {
        assert_true(hub_is_idle(rig->gpus[i].hub));
        for (uint32_t k = 0; k < SMS; k++)
            for (uint32_t n = 0; n < rig->gpus[i].sms[k].count; n++)
                assert_true(rig->gpus[i].sms[k].scripts[n].replied > 0);
    }
}

static const uint64_t same_clocks[GPUS] = {1000000, 1000000, 1000000};
static const uint64_t other_clocks[GPUS] = {1000000, 700000, 1980000};

static void requests_go_where_the_memory_is(void **state)
{
    (void)state;
    Rig rig;
    build(&rig, same_clocks, 1, 0);
    const uint32_t hub = rig.gpus[0].crossbar.route.hub;
    assert_int_equal(hub, 4);
    assert_int_equal(script(&rig, 0, 0, REQUEST_STORE, 1, 3)->request.slice, hub);
    assert_int_equal(script(&rig, 0, 1, REQUEST_STORE, GPUS, 4)->request.slice, hub);
    assert_true(script(&rig, 0, 0, REQUEST_STORE, 0, 5)->request.slice < hub);
    run(&rig);
    assert_int_equal(place_of(&rig, 1, 3)[17], 3);
    assert_int_equal(place_of(&rig, GPUS, 4)[17], 8 + 4);
    assert_int_equal(place_of(&rig, 0, 5)[17], 5);
    uint64_t stores[2] = {0};
    for (uint32_t gpu = 0; gpu < 2; gpu++)
        for (uint32_t slice = 0; slice < 4; slice++)
            stores[gpu] += partition_statistics(rig.gpus[gpu].partitions[slice / 2], slice % 2)->stores;
    assert_int_equal(stores[0], 1); /* host memory is in nobody's L2 */
    assert_int_equal(stores[1], 1);
    assert_int_equal(fabric_path(rig.fabric, 0, 1)->sender.bytes, LINE_BYTES);
    assert_int_equal(fabric_path(rig.fabric, 1, 0)->sender.bytes, 0); /* a store's reply has no data */
    assert_int_equal(fabric_path(rig.fabric, 1, 0)->sender.packets[LINK_REPLY], 1);
    demolish(&rig);
}

/* A load of another GPU takes a load of this one's L2, the ways to and from the hubs, and the links. */
static void a_load_takes_the_ways_and_the_links(void **state)
{
    (void)state;
    Rig rig;
    build(&rig, same_clocks, 1, 0);
    memset(place_of(&rig, 1, 2), 0x5A, LINE_BYTES);
    Script *warm = script(&rig, 1, 0, REQUEST_LOAD, 1, 2);
    run(&rig);
    const Cycle begin = world_latest(rig.world) + 1000;
    Script *near = script(&rig, 1, 0, REQUEST_LOAD, 1, 2);
    rig.gpus[1].sms[0].shard.wake = begin;
    assert_int_equal(world_run(rig.world, begin, LIMIT).next, CYCLE_NEVER);
    Script *far = script(&rig, 0, 0, REQUEST_LOAD, 1, 2);
    rig.gpus[0].sms[0].shard.wake = begin + 100000;
    assert_int_equal(world_run(rig.world, begin + 100000, LIMIT).next, CYCLE_NEVER);
    assert_true(warm->replied - warm->sent > near->replied - near->sent);
    assert_int_equal(far->request.data[99], 0x5A);
    const Cycle way = rig.gpus[0].config.crossbar_latency;
    const Cycle less = near->replied - near->sent + 2 * way + 2 * 200; /* but for what flits take */
    assert_in_range(far->replied - far->sent, less, less + 40);
    demolish(&rig);
}

/* The link moves 3 flits in 2 cycles; a line's reply has 9: 6 cycles each. */
static void a_link_is_used_up_to_its_rate(void **state)
{
    (void)state;
    Rig rig;
    build_with(&rig, same_clocks, 1, 0, true);
    for (uint32_t n = 0; n < REQUESTS; n++)
        for (uint32_t sm = 0; sm < SMS; sm++)
            script(&rig, 0, sm, REQUEST_LOAD, 1, n % LINES);
    run(&rig);
    const LinkPort *port = fabric_path(rig.fabric, 1, 0)->out;
    assert_int_equal(port->moved, 9 * SMS * REQUESTS);
    assert_int_equal(link_busy(port), 6 * SMS * REQUESTS);
    Cycle first = CYCLE_NEVER, last = 0;
    for (uint32_t sm = 0; sm < SMS; sm++) {
        first = clock_earlier(first, rig.gpus[0].sms[sm].scripts[0].replied);
        last = clock_later(last, rig.gpus[0].sms[sm].scripts[REQUESTS - 1].replied);
    }
    assert_in_range(last - first, 6 * SMS * REQUESTS * 98 / 100, 6 * SMS * REQUESTS * 102 / 100);
    demolish(&rig);
}

/* What a load of the GPU's last SM takes that is sent alone in cycle `when`. */
static Cycle load_beside(Rig *rig, uint32_t gpu, uint32_t home, Cycle when)
{
    Script *load = script(rig, gpu, SMS - 1, REQUEST_LOAD, home, LINES - 1);
    rig->gpus[gpu].sms[SMS - 1].shard.wake = when;
    run(rig);
    assert_int_equal(load->sent, when);
    return load->replied - load->sent;
}

/* GPU 0's port is full with replies of both others for 6,000 cycles, and they have more to send all the time.
 * A request to it gets in all the same, and is answered. */
static void replies_do_not_hold_up_requests(void **state)
{
    (void)state;
    enum { AMIDST = 2500 };
    Rig rig;
    build_with(&rig, same_clocks, 1, 0, true);
    const Cycle alone = load_beside(&rig, 2, 0, AMIDST);
    demolish(&rig);
    build_with(&rig, same_clocks, 1, 0, true);
    for (uint32_t n = 0; n < REQUESTS; n++)
        for (uint32_t sm = 0; sm < SMS; sm++)
            script(&rig, 0, sm, REQUEST_LOAD, 1 + sm, n % LINES);
    assert_in_range(load_beside(&rig, 2, 0, AMIDST), alone, alone + 100);
    assert_true(rig.gpus[0].sms[0].scripts[REQUESTS - 1].replied > 2 * AMIDST);
    demolish(&rig);
}

/* One SM's requests fill all that the hub has for the host, whose link is slow; another SM's go to a GPU. */
static void a_slow_home_holds_up_no_other(void **state)
{
    (void)state;
    enum { AMIDST = 4000 };
    Rig rig;
    build(&rig, same_clocks, 1, 0);
    const Cycle alone = load_beside(&rig, 0, 1, AMIDST);
    demolish(&rig);
    build(&rig, same_clocks, 1, 0);
    for (uint32_t n = 0; n < REQUESTS; n++)
        script(&rig, 0, 0, REQUEST_STORE, GPUS, n % LINES);
    assert_in_range(load_beside(&rig, 0, 1, AMIDST), alone, alone + 100);
    assert_true(rig.gpus[0].sms[0].scripts[REQUESTS - 1].replied > 2 * AMIDST);
    demolish(&rig);
}

/* All GPUs use the memory of all, the host's included, by few credits and short queues: everything ends, no
 * addition is lost, and times depend neither on threads nor on windows. */
static uint64_t storm(const uint64_t *clocks, uint32_t threads, Cycle window)
{
    Rig rig;
    build(&rig, clocks, threads, window);
    uint64_t random = 42, hash = 0;
    for (uint32_t n = 0; n < 300; n++)
        for (uint32_t gpu = 0; gpu < GPUS; gpu++)
            for (uint32_t sm = 0; sm < SMS; sm++) {
                random = random * 6364136223846793005u + 1442695040888963407u;
                const uint32_t home = random >> 33 & 3, line = random >> 40 & 7;
                if (n % 3 == 0)
                    script(&rig, gpu, sm, REQUEST_ATOMIC, home, LINES - 1);
                else
                    script(&rig, gpu, sm, n % 3 == 1 ? REQUEST_LOAD : REQUEST_STORE, home, line);
            }
    run(&rig);
    uint32_t sum = 0;
    for (uint32_t home = 0; home <= GPUS; home++) {
        uint32_t word;
        memcpy(&word, place_of(&rig, home, LINES - 1), sizeof word);
        sum += word;
    }
    assert_int_equal(sum, 100 * GPUS * SMS);
    for (uint32_t gpu = 0; gpu < GPUS; gpu++)
        for (uint32_t sm = 0; sm < SMS; sm++)
            for (uint32_t n = 0; n < 300; n++)
                hash = (hash ^ rig.gpus[gpu].sms[sm].scripts[n].replied) * 0x9E3779B97F4A7C15u + (hash >> 7);
    for (uint32_t i = 0; i < (GPUS + 1) * (GPUS + 1); i++)
        hash = (hash ^ rig.fabric->paths[i].sender.stalls) * 0x9E3779B97F4A7C15u + (hash >> 7);
    demolish(&rig);
    return hash;
}

static void a_storm_ends_the_same_way(void **state)
{
    (void)state;
    const uint64_t *const clocks[] = {same_clocks, other_clocks};
    for (uint32_t i = 0; i < 2; i++) {
        const uint64_t once = storm(clocks[i], 1, 0);
        assert_int_equal(storm(clocks[i], 1, 1), once);
        assert_int_equal(storm(clocks[i], 2, 0), once);
        assert_int_equal(storm(clocks[i], 3, 3), once);
    }
}

static void words_reach_units_of_others(void **state)
{
    (void)state;
    Rig rig;
    build(&rig, other_clocks, 2, 0);
    RigUnit *from = &rig.gpus[0].unit, *to = &rig.gpus[2].unit;
    from->word = (HubWord){.gpu = 2, .shard = SMS + 2, .kind = WORD_KIND, .bytes = 32, .value = 4711};
    memcpy(from->word.data, "a word", 7);
    from->when = from->shard.wake = 500;
    run(&rig);
    assert_int_equal(to->value, 4711);
    assert_string_equal((const char *)to->data, "a word");
    /* To the hub and the link, with the first of two cycles of the world to one; 3 flits; from the hub. */
    const uint64_t way = rig.gpus[0].config.crossbar_latency;
    const Cycle at_hub = (500 + way) * 1980 / 1000, in = at_hub + 396;
    assert_in_range(to->came, in + way, in + way + 10);
    assert_int_equal(fabric_path(rig.fabric, 0, 2)->sender.packets[LINK_REQUEST], 1);
    demolish(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_go_where_the_memory_is),
        cmocka_unit_test(a_load_takes_the_ways_and_the_links),
        cmocka_unit_test(a_link_is_used_up_to_its_rate),
        cmocka_unit_test(replies_do_not_hold_up_requests),
        cmocka_unit_test(a_slow_home_holds_up_no_other),
        cmocka_unit_test(a_storm_ends_the_same_way),
        cmocka_unit_test(words_reach_units_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
