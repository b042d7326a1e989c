/* The dispatcher's policies, as the build found them in source/, admit/ and place/, and the orders of graphs
 * in order/. */
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
static const BlockSource *const sources[] = {SOURCE_POLICIES(LIST_SOURCE)};
static const BlockAdmit *const admits[] = {ADMIT_POLICIES(LIST_ADMIT)};
static const BlockPlace *const places[] = {PLACE_POLICIES(LIST_PLACE)};
static const GraphOrder *const orders[] = {ORDER_POLICIES(LIST_ORDER)};

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static Policy source_at(size_t i) { return i < LENGTH(sources) ? sources[i]->base.about : (Policy){0}; }
static Policy admit_at(size_t i) { return i < LENGTH(admits) ? admits[i]->base.about : (Policy){0}; }
static Policy place_at(size_t i) { return i < LENGTH(places) ? places[i]->base.about : (Policy){0}; }
static Policy order_at(size_t i) { return i < LENGTH(orders) ? orders[i]->about : (Policy){0}; }

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
