/* Makes of the COUNT rows of a policy's or unit's .def the struct that it counts in, and their table:
 *
 *     #define OWNER admit_waves
 *     #define OWNER_DEF "grid/admit/waves.def"
 *     #include "base/own_counters.h"
 *
 * gives `Counters`, with a field for each row, and `const StatTable admit_waves_counters`, which it names as
 * its .counters. A policy that is compiled outside of the tree (grid/outside.h) has its .def where it lies,
 * wherever that is. There is no include guard: each file includes it once. */
#include <stddef.h>
#include <stdint.h>

#include "base/stat.h"

#ifdef WARPBEAM_POLICY_DEF
#define COUNTERS_DEF WARPBEAM_POLICY_DEF
#else
#define COUNTERS_DEF OWNER_DEF
#endif

#define COUNT(field, unit, description) uint64_t field;
typedef struct Counters {
#include "base/def_begin.h"
#include COUNTERS_DEF
#include "base/def_end.h"
} Counters;
#undef COUNT

#define COUNT(field, unit, description) {#field, unit, description, offsetof(Counters, field)},
static const Stat counter_rows[] = {
#include "base/def_begin.h"
#include COUNTERS_DEF
#include "base/def_end.h"
};
#undef COUNT

#define COUNTERS_NAME_OF(owner) owner##_counters
#define COUNTERS_NAME(owner) COUNTERS_NAME_OF(owner)
extern const StatTable COUNTERS_NAME(OWNER);
const StatTable COUNTERS_NAME(OWNER) = {counter_rows, sizeof counter_rows / sizeof *counter_rows};

#undef COUNTERS_DEF
#undef COUNTERS_NAME
#undef COUNTERS_NAME_OF
