/* Who tells whom in a sync of several GPUs: whatever the order of arrivals and words, nobody goes on before all
 * have come, and everybody does then. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "grid/system_sync.h"

enum { GPUS = 9, SYNCS = 40, MOST = 256 };

typedef struct Word {
    uint32_t from, to, gpus;
    SystemWord word;
} Word;

typedef struct Rig Rig;

typedef struct Side {
    SystemSync sync;
    Rig *rig;
    uint32_t number;
    uint32_t came, gone;
} Side;

/* Words are taken in the order of each pair of GPUs, but else at random. */
struct Rig {
    Side sides[GPUS];
    uint32_t gpus, fan;
    Word words[MOST];
    uint32_t count;
    uint64_t sent, random;
};

static uint32_t draw(Rig *rig, uint32_t below)
{
    rig->random = rig->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(rig->random >> 33) % below;
}

static void tell(void *context, uint32_t gpu, SystemWord word, uint32_t gpus, Cycle now)
{
    const Side *side = context;
    Rig *rig = side->rig;
    (void)now;
    assert_int_equal(gpus, rig->gpus);
    assert_int_not_equal(gpu, side->number);
    assert_true(rig->count < MOST);
    rig->words[rig->count++] = (Word){side->number, gpu, gpus, word};
    rig->sent++;
}

/* All have come as often as this one goes on. */
static void release(void *context, const SyncGroup *group, Cycle now)
{
    Side *side = context;
    const Rig *rig = side->rig;
    (void)now;
    side->gone++;
    assert_int_equal(group->gone, side->gone);
    for (uint32_t i = 0; i < GPUS; i++)
        if (rig->gpus >> i & 1)
            assert_true(rig->sides[i].came >= side->gone);
}

static Rig *open_rig(uint32_t gpus, uint32_t fan, uint64_t seed)
{
    Rig *rig = xcalloc(1, sizeof *rig);
    rig->gpus = gpus;
    rig->fan = fan;
    rig->random = seed;
    for (uint32_t i = 0; i < GPUS; i++) {
        Side *side = &rig->sides[i];
        side->rig = rig;
        side->number = i;
        side->sync = (SystemSync){.gpu = i, .hooks = {tell, release, side}};
    }
    return rig;
}

static void close_rig(Rig *rig)
{
    for (uint32_t i = 0; i < GPUS; i++)
        system_sync_free(&rig->sides[i].sync);
    xfree(rig);
}

static SyncGroup *group_of(Rig *rig, Side *side) { return system_sync_group(&side->sync, rig->gpus, rig->fan); }

/* The first word of a pair of GPUs that has one. */
static void deliver(Rig *rig)
{
    const Word *picked = &rig->words[draw(rig, rig->count)];
    uint32_t at = 0;
    while (rig->words[at].from != picked->from || rig->words[at].to != picked->to)
        at++;
    const Word word = rig->words[at];
    rig->count--;
    for (; at < rig->count; at++)
        rig->words[at] = rig->words[at + 1];
    Side *side = &rig->sides[word.to];
    system_sync_told(&side->sync, group_of(rig, side), word.from, word.word, 0);
}

/* Somebody who does not wait comes; false: all wait, or have come to all syncs. */
static bool come(Rig *rig)
{
    uint32_t able[GPUS], count = 0;
    for (uint32_t i = 0; i < GPUS; i++)
        if (rig->gpus >> i & 1 && rig->sides[i].came == rig->sides[i].gone && rig->sides[i].came < SYNCS)
            able[count++] = i;
    if (!count)
        return false;
    Side *side = &rig->sides[able[draw(rig, count)]];
    side->came++;
    system_sync_arrive(&side->sync, group_of(rig, side), 0);
    return true;
}

static void check(uint32_t gpus, uint32_t fan, uint64_t seed)
{
    Rig *rig = open_rig(gpus, fan, seed);
    const uint32_t count = (uint32_t)__builtin_popcount(gpus);
    for (bool goes_on = true; goes_on;) {
        goes_on = draw(rig, 2) && come(rig);
        if (!goes_on && rig->count) {
            deliver(rig);
            goes_on = true;
        }
        goes_on = goes_on || come(rig);
    }
    for (uint32_t i = 0; i < GPUS; i++)
        assert_int_equal(rig->sides[i].gone, gpus >> i & 1 ? SYNCS : 0);
    assert_int_equal(rig->sent, (uint64_t)SYNCS * (fan ? 2 * (count - 1) : count * (count - 1)));
    close_rig(rig);
}

static void all_go_on_when_all_have_come(void **state)
{
    (void)state;
    static const uint32_t sets[] = {1, 3, 5, 0x1ff, 0x152, 0x180};
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
        for (uint32_t fan = 0; fan <= 31; fan += fan < 4 ? 1 : 27)
            for (uint64_t seed = 1; seed <= 8; seed++)
                check(sets[s], fan, seed);
}

/* In a tree of two branches below each GPU: 0 gathers from 1 and 2, 1 from 3 and 4. */
static void a_tree_gathers_branch_by_branch(void **state)
{
    (void)state;
    Rig *rig = open_rig(0x1f, 2, 1);
    static const uint32_t order[] = {1, 3, 4};
    for (size_t i = 0; i < 3; i++) {
        Side *side = &rig->sides[order[i]];
        side->came++;
        system_sync_arrive(&side->sync, group_of(rig, side), 0);
        assert_int_equal(rig->count, i); /* the leaves tell; 1 does not, who has had no word of them */
    }
    deliver(rig);
    assert_int_equal(rig->count, 1);
    deliver(rig);
    assert_int_equal(rig->count, 1);
    assert_int_equal(rig->words[0].from, 1);
    assert_int_equal(rig->words[0].to, 0);
    close_rig(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_go_on_when_all_have_come),
        cmocka_unit_test(a_tree_gathers_branch_by_branch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
