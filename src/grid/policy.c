/* The dispatcher's policies, as the build found them in source/, admit/ and place/, and the orders of graphs
 * in order/; behind them those that were loaded. */
#include "grid/policy.h"

#include "grid/graph_order.h"
#include "policy_lists.h"

#define DECLARE_ORDER(file) extern const GraphOrder order_##file;
#define DECLARE_SOURCE(file) extern const BlockSource source_##file;
#define DECLARE_ADMIT(file) extern const BlockAdmit admit_##file;
#define DECLARE_PLACE(file) extern const BlockPlace place_##file;
SOURCE_POLICIES(DECLARE_SOURCE)
ADMIT_POLICIES(DECLARE_ADMIT)
PLACE_POLICIES(DECLARE_PLACE)
ORDER_POLICIES(DECLARE_ORDER)

#define LIST_SOURCE(file) &source_##file,
#define LIST_ADMIT(file) &admit_##file,
#define LIST_PLACE(file) &place_##file,
#define LIST_ORDER(file) &order_##file,
#define ONE(file) +1
/* Each has room for those that are loaded; null from behind the last on. */
static const BlockSource *sources[MOST_LOADED_POLICIES SOURCE_POLICIES(ONE)] = {SOURCE_POLICIES(LIST_SOURCE)};
static const BlockAdmit *admits[MOST_LOADED_POLICIES ADMIT_POLICIES(ONE)] = {ADMIT_POLICIES(LIST_ADMIT)};
static const BlockPlace *places[MOST_LOADED_POLICIES PLACE_POLICIES(ONE)] = {PLACE_POLICIES(LIST_PLACE)};
static const GraphOrder *orders[MOST_LOADED_POLICIES ORDER_POLICIES(ONE)] = {ORDER_POLICIES(LIST_ORDER)};

#define IS_THERE(list, i) ((i) < sizeof(list) / sizeof *(list) && list[i])

static Policy source_at(size_t i) { return IS_THERE(sources, i) ? sources[i]->base.about : (Policy){0}; }
static Policy admit_at(size_t i) { return IS_THERE(admits, i) ? admits[i]->base.about : (Policy){0}; }
static Policy place_at(size_t i) { return IS_THERE(places, i) ? places[i]->base.about : (Policy){0}; }
static Policy order_at(size_t i) { return IS_THERE(orders, i) ? orders[i]->about : (Policy){0}; }

const PolicyKind source_policies = {"block_source", "Which block of a kernel is ready next?", source_at};
const PolicyKind admit_policies = {"block_admit", "May this SM take a block now?", admit_at};
const PolicyKind place_policies = {"block_place", "On which SM does a block run?", place_at};
const PolicyKind order_policies = {"graph_order", "Which ready node of a dependency graph is next?",
                                   order_at};

const BlockSource *source_find(const char *name, Error *error)
{
    const int found = policy_find(&source_policies, name, error);
    return found < 0 ? NULL : sources[found];
}

const BlockAdmit *admit_find(const char *name, Error *error)
{
    const int found = policy_find(&admit_policies, name, error);
    return found < 0 ? NULL : admits[found];
}

const BlockPlace *place_find(const char *name, Error *error)
{
    const int found = policy_find(&place_policies, name, error);
    return found < 0 ? NULL : places[found];
}

const GraphOrder *order_find(const char *name, Error *error)
{
    const int found = policy_find(&order_policies, name, error);
    return found < 0 ? NULL : orders[found];
}

static size_t length(const PolicyKind *kind)
{
    size_t count = 0;
    while (kind->at(count).name)
        count++;
    return count;
}

void source_add(const BlockSource *policy) { sources[length(&source_policies)] = policy; }
void admit_add(const BlockAdmit *policy) { admits[length(&admit_policies)] = policy; }
void place_add(const BlockPlace *policy) { places[length(&place_policies)] = policy; }
void order_add(const GraphOrder *policy) { orders[length(&order_policies)] = policy; }
