/* The lists of policies: every kind has its default, names are unique, an unknown one is told; what policies
 * own says whose it is. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "api/record.h"
#include "grid/dispatcher.h"
#include "grid/graph_order.h"
#include "grid/unit.h"
#include "policy_lists.h"
#include "sm/sched/registry.h"
#include "sm/sched/sched.h"

/* Units are no policies, but own what is theirs as these do. */
static Policy unit_at(size_t index)
{
    return unit_kind_at(index) ? unit_kind_at(index)->about : (Policy){0};
}
static const PolicyKind units = {"", "", unit_at};

/* A kind and the folder of its files. */
typedef struct Kind {
    const char *folder;
    const PolicyKind *policies;
} Kind;

static const Kind kinds[] = {{"source", &source_policies},
                             {"admit", &admit_policies},
                             {"place", &place_policies},
                             {"order", &order_policies},
                             {"sched", &sched_policies},
                             {"unit", &units}};
enum { KINDS = sizeof kinds / sizeof *kinds, POLICY_KINDS = KINDS - 1 };

static void every_policy_says_what_it_is(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        size_t count = 0;
        for (Policy policy; (policy = kinds[k].policies->at(count)).name; count++) {
            Error error = {0};
            assert_int_equal(policy_find(kinds[k].policies, policy.name, &error), count);
            assert_true(strlen(policy.description) > 10);
            assert_true(strlen(policy.source) > 0);
            assert_null(strpbrk(policy.name, "_ ABCDEFGHIJKLMNOPQRSTUVWXYZ"));
        }
        assert_true(count >= 1 || k == POLICY_KINDS); /* there need be no unit */
    }
}

static void a_knob_names_one_of_every_kind(void **state)
{
    (void)state;
    GpuConfig config;
    knob_defaults(&config_knobs, &config);
    for (size_t k = 0; k < POLICY_KINDS; k++) {
        const Knob *knob = knob_find(&config_knobs, kinds[k].policies->knob);
        Error error = {0};
        assert_non_null(knob);
        assert_true(policy_find(kinds[k].policies, knob->initial, &error) >= 0);
    }
    DispatchPolicies policies;
    Error error = {0};
    assert_int_equal(dispatch_policies(&config, &policies, &error), WB_OK);
    assert_string_equal(policies.source->base.about.name, "grid-order");
    assert_string_equal(policies.admits[0]->base.about.name, "always");
    assert_string_equal(policies.place->base.about.name, "loose-round-robin");
    assert_string_equal(order_find(config.graph_order, &error)->about.name, "lrr");
}

static void an_unknown_name_is_told_with_the_nearest(void **state)
{
    (void)state;
    Error error = {0};
    assert_int_equal(policy_find(&place_policies, "lose-round-robin", &error), -1);
    assert_int_equal(error.status, WB_ERROR_NOT_FOUND);
    assert_non_null(strstr(error.text, "block_place"));
    assert_non_null(strstr(error.text, "did you mean loose-round-robin?"));
    GpuConfig config;
    knob_defaults(&config_knobs, &config);
    strcpy(config.block_source, "grid-ordr");
    DispatchPolicies policies;
    error_clear(&error);
    assert_int_equal(dispatch_policies(&config, &policies, &error), WB_ERROR_NOT_FOUND);
    assert_non_null(strstr(error.text, "did you mean grid-order?"));
    error_clear(&error);
    assert_null(order_find("lvll", &error));
    assert_non_null(strstr(error.text, "graph_order"));
}

static void warp_schedulers_are_found(void **state)
{
    (void)state;
    assert_string_equal(sched_find("gto")->about.name, "gto");
    assert_string_equal(sched_find("lrr")->about.name, "lrr");
    assert_null(sched_find("gtoo"));
}

/* -- what mechanisms take of the chip -- */

static uint64_t a_bit_each_sm(const GpuConfig *config) { return config->sm_count; }
static uint64_t nineteen_bits(const GpuConfig *config) { return (void)config, 19; }

static Policy stateful_at(size_t index)
{
    static const Policy all[] = {{.name = "wide", .state_bits = a_bit_each_sm},
                                 {.name = "wi"},
                                 {.name = "small", .state_bits = nineteen_bits}};
    return index < 3 ? all[index] : (Policy){0};
}

static void state_is_that_of_the_policies_in_use(void **state)
{
    (void)state;
    static const PolicyKind kind = {"", "", stateful_at};
    GpuConfig config = {.sm_count = 14};
    assert_int_equal(policy_state_bits(&kind, "wide", &config), 14);
    assert_int_equal(policy_state_bits(&kind, "wi", &config), 0);
    assert_int_equal(policy_state_bits(&kind, "small+wi+wide", &config), 33);
    assert_int_equal(policy_state_bits(&kind, "smaller", &config), 0);
    assert_int_equal(policy_state_bits(&kind, "", &config), 0);
    assert_int_equal(bits_for(0), 0);
    assert_int_equal(bits_for(7), 3);
    assert_int_equal(bits_for(8), 4);
    assert_int_equal(bits_bytes(33), 5);
    assert_int_equal(bits_bytes(32), 4);
}

/* -- what policies own -- */

/* A row of a policy's .def; of its first one, folder and file are given and no row. */
typedef struct OwnRow {
    const char *folder, *file, *knob, *counter;
} OwnRow;

/* The components' knobs come first, so a row counts only behind a file's name. */
static const OwnRow own_rows[] = {
#define POLICY(kind, name) {#kind, #name, NULL, NULL},
#define KNOB_INTEGER(field, initial, minimum, maximum, unit, description) {NULL, NULL, #field, NULL},
#define KNOB_POWER(field, initial, minimum, maximum, unit, description) {NULL, NULL, #field, NULL},
#define KNOB_ENUMERATION(field, initial, choices, description) {NULL, NULL, #field, NULL},
#define KNOB_BOOLEAN(field, initial, description) {NULL, NULL, #field, NULL},
#define KNOB_STRING(field, initial, description) {NULL, NULL, #field, NULL},
#define COUNT(field, unit, description) {NULL, NULL, NULL, #field},
#include "knob_files.def"
};
enum { OWN_ROWS = sizeof own_rows / sizeof *own_rows };

/* The policy of a file: its name has hyphens where the file's has underscores. */
static Policy policy_of(const char *folder, const char *file)
{
    char name[64];
    Error error = {0};
    snprintf(name, sizeof name, "%s", file);
    for (char *at = name; *at; at++)
        *at = *at == '_' ? '-' : *at;
    for (size_t k = 0; k < KINDS; k++) {
        if (strcmp(kinds[k].folder, folder) != 0)
            continue;
        const int found = policy_find(kinds[k].policies, name, &error);
        if (found < 0)
            fail_msg("%s/%s.def belongs to no policy: %s", folder, file, error.text);
        return kinds[k].policies->at((size_t)found);
    }
    fail_msg("There is no kind of policy with a folder %s.", folder);
    return (Policy){0};
}

static void what_is_owned_says_whose_it_is(void **state)
{
    (void)state;
    const OwnRow *owner = NULL;
    Policy policy = {0};
    for (size_t i = 0; i < OWN_ROWS; i++) {
        const OwnRow *row = &own_rows[i];
        if (row->folder) {
            owner = row;
            policy = policy_of(row->folder, row->file);
        } else if (owner && row->knob) {
            const size_t length = strlen(owner->file);
            assert_non_null(knob_find(&config_knobs, row->knob));
            if (strncmp(row->knob, owner->file, length) != 0 || row->knob[length] != '_')
                fail_msg("The knob %s of %s/%s.def must begin with %s_.", row->knob, owner->folder,
                         owner->file, owner->file);
        } else if (owner) {
            assert_non_null(policy.counters);
            assert_non_null(stat_find(policy.counters, row->counter));
        }
    }
}

/* A policy that counts is a component of its own, and the other way round. */
static void counters_are_a_component(void **state)
{
    (void)state;
    size_t counting = 0;
    for (size_t k = 0; k < KINDS; k++)
        for (size_t i = 0; kinds[k].policies->at(i).name; i++) {
            const StatTable *table = kinds[k].policies->at(i).counters;
            bool is_listed = !table;
            counting += table != NULL;
            for (unsigned c = COMPONENT_FIRST_POLICY; c < components_known; c++)
                is_listed |= components[c].table == table &&
                             strncmp(components[c].name, kinds[k].folder, strlen(kinds[k].folder)) == 0;
            assert_true(is_listed);
        }
    assert_int_equal(counting, components_known - COMPONENT_MANAGED - 1); /* behind those of systems */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_policy_says_what_it_is),
        cmocka_unit_test(a_knob_names_one_of_every_kind),
        cmocka_unit_test(an_unknown_name_is_told_with_the_nearest),
        cmocka_unit_test(warp_schedulers_are_found),
        cmocka_unit_test(state_is_that_of_the_policies_in_use),
        cmocka_unit_test(what_is_owned_says_whose_it_is),
        cmocka_unit_test(counters_are_a_component),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
