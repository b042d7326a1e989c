/* A cache that is coherent by ownership, alone and in front of a port beside SMs without caches: states, the
 * order of those that wait, units that leave, and recalls by the directory. */
#include "partition_rig.h"

#include "mem/memory_port.h"

/* -- the cache alone -- */

enum { UNIT = 64, MOST = 64 };

/* Accesses that were performed, by their index. */
typedef struct Performed {
    uint32_t indices[MOST], count;
} Performed;

static void note(void *context, const CoherentAccess *access)
{
    Performed *performed = context;
    performed->indices[performed->count++] = access->index;
}

static CoherentCache *new_cache(uint64_t bytes, uint32_t ways)
{
    static GpuConfig config;
    CoherentCache *cache = xcalloc(1, sizeof *cache);
    knob_defaults(&config_knobs, &config);
    coherent_init(cache, &config, bytes, ways);
    return cache;
}

static void free_cache(CoherentCache *cache)
{
    coherent_free(cache);
    xfree(cache);
}

static CoherentStatus touch(CoherentCache *cache, uint64_t unit, bool writes, uint32_t index,
                            CoherentAsk *ask)
{
    const CoherentAccess access = {
        .unit = unit, .sectors = 1, .writes = writes, .can_send = true, .index = index};
    *ask = (CoherentAsk){0};
    return coherent_access(cache, &access, ask);
}

static CoherentGrant give(CoherentCache *cache, uint64_t unit, UnitState state, Performed *performed)
{
    CoherentGrant grant = {.unit = unit, .state = (uint8_t)state};
    coherent_granted(cache, &grant, note, performed);
    return grant;
}

/* The answer to a probe that wants the bytes. */
static Request probe(CoherentCache *cache, uint64_t unit, RequestAsk ask)
{
    Request request = {.line = unit & ~127ull, .kind = REQUEST_PROBE, .ask = (uint8_t)ask, .has_data = true};
    request.sectors = unit % 128 ? 0xC : 0x3;
    coherent_probe(cache, &request);
    return request;
}

static void test_states(void **state)
{
    CoherentCache *cache = new_cache(1024, 4);
    Performed performed = {0};
    CoherentAsk ask;
    (void)state;
    assert_int_equal(touch(cache, 64, false, 1, &ask), COHERENT_MISS);
    assert_int_equal(ask.ask, ASK_READ);
    give(cache, 64, UNIT_EXCLUSIVE, &performed);
    /* the only copy is written without a word, and is what others get; then it is one of several */
    assert_int_equal(touch(cache, 64, true, 2, &ask), COHERENT_HIT);
    Request answer = probe(cache, 64, ASK_READ);
    assert_true(answer.state == UNIT_MODIFIED && answer.has_data);
    assert_int_equal(touch(cache, 64, false, 3, &ask), COHERENT_HIT);
    answer = probe(cache, 64, ASK_READ);
    assert_true(answer.state == UNIT_OWNED && answer.has_data);
    /* to write it again it must be owned alone */
    assert_int_equal(touch(cache, 64, true, 4, &ask), COHERENT_MISS);
    assert_true(ask.ask == ASK_OWN && ask.state == UNIT_OWNED);
    give(cache, 64, UNIT_MODIFIED, &performed);
    answer = probe(cache, 64, ASK_OWN);
    assert_true(answer.state == UNIT_MODIFIED && answer.has_data);
    answer = probe(cache, 64, ASK_OWN);
    assert_true(answer.state == UNIT_NONE && !answer.has_data);
    assert_int_equal(touch(cache, 64, false, 5, &ask), COHERENT_MISS);
    give(cache, 64, UNIT_SHARED, &performed);
    answer = probe(cache, 64, ASK_OWN);
    assert_true(answer.state == UNIT_SHARED && !answer.has_data);
    assert_int_equal(performed.count, 3);
    free_cache(cache);
}

/* Readers before a writer get what is granted; the writer and all behind it wait for more. */
static void test_order(void **state)
{
    CoherentCache *cache = new_cache(1024, 4);
    Performed performed = {0};
    CoherentAsk ask;
    (void)state;
    assert_int_equal(touch(cache, 0, false, 1, &ask), COHERENT_MISS);
    for (uint32_t i = 2; i <= 6; i++)
        assert_int_equal(touch(cache, 0, i == 3 || i == 5, i, &ask), COHERENT_MERGED);
    const CoherentGrant grant = give(cache, 0, UNIT_SHARED, &performed);
    assert_true(grant.asks && grant.again.ask == ASK_OWN && grant.again.state == UNIT_SHARED);
    assert_int_equal(performed.count, 2);
    /* somebody else writes first; the copy goes, the question stays */
    assert_int_equal(probe(cache, 0, ASK_OWN).state, UNIT_SHARED);
    assert_int_equal(touch(cache, 0, false, 7, &ask), COHERENT_MERGED);
    assert_false(give(cache, 0, UNIT_MODIFIED, &performed).asks);
    assert_int_equal(performed.count, 7);
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(performed.indices[i], i + 1);
    free_cache(cache);
}

/* A changed unit that has to go is written back, and answers probes until that is confirmed. */
static void test_leaving(void **state)
{
    CoherentCache *cache = new_cache(UNIT, 1);
    Performed performed = {0};
    CoherentAsk ask;
    (void)state;
    touch(cache, 0, true, 1, &ask);
    give(cache, 0, UNIT_MODIFIED, &performed);
    touch(cache, 1ull << 63 | 64, false, 2, &ask); /* of local memory */
    CoherentGrant grant = give(cache, 1ull << 63 | 64, UNIT_EXCLUSIVE, &performed);
    assert_true(grant.leaves && grant.victim.unit == 0 && grant.victim.ask == ASK_LEAVE);
    Request answer = probe(cache, 0, ASK_READ);
    assert_true(answer.state == UNIT_NONE && answer.has_data);
    coherent_left(cache, 0);
    assert_false(probe(cache, 0, ASK_READ).has_data);
    touch(cache, 128, true, 3, &ask);
    grant = give(cache, 128, UNIT_MODIFIED, &performed);
    assert_false(grant.leaves); /* a clean one goes without a word */
    CoherentAsk leaves;
    assert_true(coherent_take_changed(cache, &leaves) && leaves.unit == 128);
    assert_false(coherent_take_changed(cache, &leaves));
    free_cache(cache);
}

/* -- beside those who have no cache -- */

enum { SCRIPT = 512 };

typedef struct Increment {
    uint64_t address;
    Cycle not_before;
} Increment;

/* Adds 1 to words through its cache. */
typedef struct CachedPort {
    Shard shard;
    Rig *rig;
    MemoryPort *port;
    Increment script[SCRIPT];
    uint32_t count, next, performed;
} CachedPort;

static void increment(void *context, const CoherentAccess *access, Cycle now)
{
    CachedPort *cached = context;
    uint32_t *word = (uint32_t *)(void *)(cached->rig->memory + cached->script[access->index].address);
    (void)now;
    (*word)++;
    cached->performed++;
}

static void granted(void *context, Cycle now)
{
    (void)context;
    (void)now;
}

static void begin(CachedPort *cached, Cycle now)
{
    for (; cached->next < cached->count && cached->script[cached->next].not_before <= now; cached->next++) {
        const uint64_t address = cached->script[cached->next].address;
        const CoherentAccess access = {.unit = address & ~(uint64_t)(UNIT - 1),
                                       .sectors = (uint8_t)(1u << address % LINE_BYTES / SECTOR_BYTES),
                                       .writes = true,
                                       .can_send = true,
                                       .index = cached->next};
        if (memory_port_access(cached->port, &access, now) == COHERENT_HIT)
            increment(cached, &access, now);
    }
}

static void advance(Shard *shard, Cycle end)
{
    CachedPort *cached = (CachedPort *)shard;
    for (;;) {
        shard->wake = memory_port_next(cached->port);
        if (cached->next < cached->count)
            shard->wake = clock_earlier(shard->wake, cached->script[cached->next].not_before);
        const Cycle now = clock_earlier(shard_next_arrival(shard), shard->wake);
        if (now >= end)
            return;
        for (const Message *message; (message = shard_take(shard, now));)
            memory_port_take(cached->port, message->body, now);
        memory_port_advance(cached->port, now, end);
        begin(cached, now);
        memory_port_advance(cached->port, now, end);
    }
}

static CachedPort *new_port(uint64_t bytes, uint32_t slices)
{
    CachedPort *cached = xcalloc(1, sizeof *cached);
    cached->rig = rig_new();
    GpuConfig *config = &cached->rig->config;
    config->l1_coherence = L1_COHERENCE_OWNERSHIP;
    config->l2_slices = config->dram_channels = slices;
    cached->shard = (Shard){.advance = advance, .wake = CYCLE_NEVER};
    cached->rig->last = &cached->shard;
    rig_build(cached->rig, 1);
    cached->port = memory_port_create(config, &cached->rig->crossbar, &cached->shard, RIG_SMS);
    memory_port_use_cache(cached->port, bytes, 1, (MemoryCacheUser){increment, granted, NULL, cached, SCRIPT});
    return cached;
}

static void free_port(CachedPort *cached)
{
    memory_port_free(cached->port);
    rig_free(cached->rig);
    xfree(cached);
}

static void add(CachedPort *cached, uint64_t address, Cycle not_before)
{
    cached->script[cached->count++] = (Increment){address, not_before};
    cached->shard.wake = clock_earlier(cached->shard.wake, not_before);
}

/* What the cache owns is called back: a load finds what was written, a store is not lost. */
static void test_recalls(void **state)
{
    CachedPort *cached = new_port(1024, 1);
    Rig *rig = cached->rig;
    (void)state;
    add(cached, 256, 0);
    const Request *load = rig_load(rig, 0, 2000, 256, 1);
    const Request *other = rig_load(rig, 1, 4000, 256, 1);
    add(cached, 256, 6000);
    rig_store(rig, 2, 8000, 256, 0, 1, 41);
    add(cached, 256, 10000);
    rig_run(rig);
    assert_int_equal(load->data[0], 1);
    assert_int_equal(rig->memory[256], 42);
    const L2Statistics *counts = rig_counts(rig);
    assert_int_equal(counts->unit_recalls, 2);
    assert_int_equal(counts->ownership_grants, 3);
    assert_int_equal(counts->fetches, 2); /* the unit's sectors, once: what was recalled is in L2 */
    /* a recall takes the way to the cache and back */
    const uint64_t way = rig->config.crossbar_latency + rig->config.l1_probe_latency;
    const Cycle direct = rig_replied(rig, other) - rig->records[other->ticket].sent;
    assert_true(rig_replied(rig, load) - rig->records[load->ticket].sent > direct + way);
    free_port(cached);
}

/* Adds to few words on both sides at random times, with a cache of two units, so that units are recalled,
 * written back and asked for in every order; no addition is lost. */
static void test_additions(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 6; seed++) {
        enum { WORDS = 6, ATOMICS = 600 };
        CachedPort *cached = new_port(2 * UNIT, seed % 2 ? 1 : 2);
        Rig *rig = cached->rig;
        uint32_t wanted[WORDS] = {0}, sum = 0, random = seed * 7919;
        Cycle time = 0;
        for (int i = 0; i < ATOMICS; i++) {
            random = random * 1664525u + 1013904223u;
            const uint32_t word = (random >> 16) % WORDS;
            const uint64_t address = word * 320ull;
            wanted[word]++;
            time += random >> 28;
            if (random >> 24 & 1 && cached->count < SCRIPT)
                add(cached, address, time);
            else
                rig_atomic(rig, (random >> 8) % RIG_SMS, time, address & ~127ull, (unsigned)(address % 128),
                           1, 4);
        }
        rig_run(rig);
        assert_int_equal(cached->performed, cached->count);
        for (uint32_t word = 0; word < WORDS; word++) {
            uint32_t value;
            memcpy(&value, rig->memory + word * 320, sizeof value);
            assert_int_equal(value, wanted[word]);
            sum += value;
        }
        assert_int_equal(sum, ATOMICS);
        assert_true(rig_counts(rig)->unit_recalls > 20);
        free_port(cached);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states),  cmocka_unit_test(test_order),     cmocka_unit_test(test_leaving),
        cmocka_unit_test(test_recalls), cmocka_unit_test(test_additions),
    };
    return cmocka_run_group_tests_name("coherent", tests, NULL, NULL);
}
