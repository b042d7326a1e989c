/* The lists of policies: every kind has its default, names are unique, an unknown one is told. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "grid/dispatcher.h"
#include "sm/sched/registry.h"
#include "sm/sched/sched.h"

static const PolicyKind *const kinds[] = {&source_policies, &admit_policies, &place_policies,
                                          &sched_policies};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void every_policy_says_what_it_is(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        size_t count = 0;
        for (Policy policy; (policy = kinds[k]->at(count)).name; count++) {
            Error error = {0};
            assert_int_equal(policy_find(kinds[k], policy.name, &error), count);
            assert_true(strlen(policy.description) > 10);
            assert_true(strlen(policy.source) > 0);
            assert_null(strpbrk(policy.name, "_ ABCDEFGHIJKLMNOPQRSTUVWXYZ"));
        }
        assert_true(count >= 1);
    }
}

static void a_knob_names_one_of_every_kind(void **state)
{
    (void)state;
    GpuConfig config;
    knob_defaults(&config_knobs, &config);
    for (size_t k = 0; k < KINDS; k++) {
        const Knob *knob = knob_find(&config_knobs, kinds[k]->knob);
        Error error = {0};
        assert_non_null(knob);
        assert_true(policy_find(kinds[k], knob->initial, &error) >= 0);
    }
    DispatchPolicies policies;
    Error error = {0};
    assert_int_equal(dispatch_policies(&config, &policies, &error), WB_OK);
    assert_string_equal(policies.source->base.about.name, "grid-order");
    assert_string_equal(policies.admit->base.about.name, "always");
    assert_string_equal(policies.place->base.about.name, "loose-round-robin");
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
}

static void warp_schedulers_are_found(void **state)
{
    (void)state;
    assert_string_equal(sched_find("gto")->name, "gto");
    assert_string_equal(sched_find("lrr")->name, "lrr");
    assert_null(sched_find("gtoo"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_policy_says_what_it_is),
        cmocka_unit_test(a_knob_names_one_of_every_kind),
        cmocka_unit_test(an_unknown_name_is_told_with_the_nearest),
        cmocka_unit_test(warp_schedulers_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
