/* Suffixes that do not go together, or stand in the wrong place. Rows of the instruction table let suffixes
 * come in any order and combination; these are the exceptions. A spelling is looked at once a module. */
#include <string.h>

#include "ptx/check.h"

typedef struct Suffixes {
    const Mod *mods;
    unsigned count;
} Suffixes;

static bool has(const Suffixes *suffixes, Mod mod)
{
    for (unsigned i = 0; i < suffixes->count; i++)
        if (suffixes->mods[i] == mod)
            return true;
    return false;
}

static bool has_any(const Suffixes *suffixes, const Mod *mods)
{
    for (; *mods != MOD_NONE; mods++)
        if (has(suffixes, *mods))
            return true;
    return false;
}

/* Those that are part of the name: "mul.lo", "shf.l", "cvta.to". */
static const char *check_first(const char *mnemonic, const Suffixes *suffixes)
{
    static const struct { const char *mnemonic; Mod mods[4]; } names[] = {
        {"mul", {MOD_lo, MOD_hi, MOD_wide}}, {"mad", {MOD_lo, MOD_hi, MOD_wide}}, {"madc", {MOD_lo, MOD_hi}},
        {"mul24", {MOD_lo, MOD_hi}},         {"mad24", {MOD_lo, MOD_hi}},         {"dp2a", {MOD_lo, MOD_hi}},
        {"shf", {MOD_l, MOD_r}},             {"div", {MOD_full}},                 {"cvta", {MOD_to}},
        {"barrier", {MOD_cta}},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(mnemonic, names[i].mnemonic))
            for (unsigned k = 0; k < 4 && names[i].mods[k]; k++)
                if (has(suffixes, names[i].mods[k]) && suffixes->mods[0] != names[i].mods[k])
                    return "has a suffix that must stand right behind the name, as in mul.lo, shf.l or "
                           "cvta.to";
    return NULL;
}

static const Mod scopes[] = {MOD_cta, MOD_cluster, MOD_gpu, MOD_sys, MOD_NONE};
static const Mod ordered[] = {MOD_relaxed, MOD_acquire, MOD_release, MOD_acq_rel, MOD_NONE};
static const Mod cached[] = {MOD_ca, MOD_cg, MOD_cs, MOD_lu, MOD_cv, MOD_wb, MOD_wt, MOD_NONE};
static const Mod private[] = {MOD_local, MOD_const_, MOD_param, MOD_param_entry, MOD_param_func, MOD_NONE};
static const Mod shared[] = {MOD_shared, MOD_shared_cta, MOD_shared_cluster, MOD_NONE};
static const Mod evicted[] = {MOD_l1_evict_normal, MOD_l1_evict_unchanged, MOD_l1_evict_first,
                              MOD_l1_evict_last,   MOD_l1_no_allocate,     MOD_NONE};
static const Mod fetched[] = {MOD_l2_64b, MOD_l2_128b, MOD_l2_256b, MOD_NONE};
static const Mod kept[] = {MOD_l2_evict_normal, MOD_l2_evict_first, MOD_l2_evict_last, MOD_NONE};

/* How strong a load or store is, and for whom. */
static const char *check_strength(const Suffixes *suffixes)
{
    const bool is_ordered = has_any(suffixes, ordered), is_volatile = has(suffixes, MOD_volatile_);
    if (is_ordered && !has_any(suffixes, scopes))
        return "needs a scope such as .gpu beside its order";
    if (!is_ordered && has_any(suffixes, scopes))
        return "has a scope, which takes an order such as .relaxed";
    if ((is_ordered || is_volatile) && has_any(suffixes, private))
        return "is stronger than memory of one thread can be";
    if ((is_ordered || is_volatile) && has_any(suffixes, cached))
        return "cannot have both an order and a cache operator";
    if (has(suffixes, MOD_mmio) && (!has(suffixes, MOD_relaxed) || !has(suffixes, MOD_sys)))
        return "needs .relaxed and .sys beside .mmio";
    if (has(suffixes, MOD_mmio) && (has_any(suffixes, private) || has_any(suffixes, shared)))
        return "accesses .mmio in a space that has none";
    return NULL;
}

/* Where its line is kept. */
static const char *check_caching(const Suffixes *suffixes)
{
    const bool is_near = has_any(suffixes, private) || has_any(suffixes, shared);
    const bool is_wide = (has(suffixes, MOD_v8) && has(suffixes, TYPE_b32)) ||
                         (has(suffixes, MOD_v4) && has(suffixes, TYPE_b64));
    if (has(suffixes, MOD_nc) && !has(suffixes, MOD_global))
        return "has .nc, which takes .global";
    if (has(suffixes, MOD_nc) && (has_any(suffixes, ordered) || has(suffixes, MOD_volatile_)))
        return "cannot be .nc and have an order";
    if ((has_any(suffixes, evicted) || has_any(suffixes, fetched)) && is_near)
        return "has a cache hint for a space that is not cached in L2";
    if (has_any(suffixes, evicted) && (has_any(suffixes, cached) || has(suffixes, MOD_volatile_)))
        return "has two hints about caching that exclude each other";
    if (has_any(suffixes, kept) && !is_wide)
        return "has an L2 eviction hint, which only .v8.b32 and .v4.b64 take";
    return NULL;
}

const char *check_suffixes(const char *mnemonic, RowId row, const Mod *mods, unsigned mod_count)
{
    const Suffixes suffixes = {mods, mod_count};
    const char *problem = mod_count ? check_first(mnemonic, &suffixes) : NULL;
    const Action action = isa_rows[row].action;
    /* Only loads and stores have so many suffixes that some exclude each other. */
    if (problem || (action != ACTION_LOAD && action != ACTION_STORE))
        return problem;
    problem = check_strength(&suffixes);
    return problem ? problem : check_caching(&suffixes);
}
