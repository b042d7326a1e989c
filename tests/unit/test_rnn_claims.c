/* Claims of SMs: who waits for whom, on a device that only notes it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "claims.h"

enum { SMS = 132, NETWORKS = 4 };

/* An event is an entry of `done`. Waits are noted as bits. */
static uint32_t waits;
static bool done[NETWORKS];

static WbRnnStatus record(RnnDevice *device, void *event, void *stream)
{
    (void)device;
    (void)stream;
    *(bool *)event = false;
    return WBRNN_OK;
}

static WbRnnStatus wait_for(RnnDevice *device, void *event, void *stream)
{
    (void)device;
    (void)stream;
    waits |= 1u << ((bool *)event - done);
    return WBRNN_OK;
}

static bool is_done(RnnDevice *device, void *event)
{
    (void)device;
    return *(bool *)event;
}

static const RnnDeviceCalls calls = {.event_record = record, .event_wait = wait_for, .event_done = is_done};
static RnnDevice devices[] = {{.calls = &calls, .gpu = {.sms = SMS}},
                              {.calls = &calls, .identity = 1, .gpu = {.sms = SMS}}};
static RnnClaim claims[NETWORKS];

/* Enqueues a run of a network; which others it waits for, or -1: it was refused. */
static int run_on(RnnDevice *device, uint32_t network, uint32_t sms, bool refuse)
{
    uint32_t taken;
    waits = 0;
    const WbRnnStatus status = claims_begin(&claims[network], device, sms, refuse, NULL, &taken);
    if (status) {
        assert_int_equal(status, WBRNN_BUSY);
        return -1;
    }
    assert_int_equal(claims_finish(&claims[network], &done[network], NULL), WBRNN_OK);
    return (int)waits;
}

static int run(uint32_t network, uint32_t sms)
{
    return run_on(&devices[0], network, sms, false);
}

static int forget(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < NETWORKS; i++)
        claims_drop(&claims[i]);
    return 0;
}

static void those_that_fit_run_side_by_side(void **state)
{
    (void)state;
    assert_int_equal(run(0, 64), 0);
    assert_int_equal(run(1, 64), 0);
    assert_int_equal(run(2, 4), 0);
    assert_int_equal(run(3, 0), 0); /* claims none, waits for none */
}

static void those_that_do_not_fit_wait_for_the_oldest(void **state)
{
    (void)state;
    assert_int_equal(run(0, 64), 0);
    assert_int_equal(run(1, 32), 0);
    assert_int_equal(run(2, 64), 1 << 0);
    assert_int_equal(run(3, SMS), 1 << 0 | 1 << 1 | 1 << 2);
    assert_int_equal(run(0, 1), 1 << 1 | 1 << 2 | 1 << 3); /* its own last run is no other */
}

static void a_run_that_has_ended_holds_nothing(void **state)
{
    (void)state;
    assert_int_equal(run(0, SMS), 0);
    assert_int_equal(run(1, SMS), 1 << 0);
    done[0] = true;
    assert_int_equal(run(2, SMS), 1 << 1);
    done[1] = done[2] = true;
    assert_int_equal(run(3, SMS), 0);
}

static void a_network_waits_for_no_run_of_its_own(void **state)
{
    (void)state;
    assert_int_equal(run(0, SMS), 0);
    assert_int_equal(run(0, SMS), 0);
    assert_int_equal(run(1, SMS), 1 << 0);
}

static void who_refuses_does_not_wait(void **state)
{
    (void)state;
    assert_int_equal(run(0, 100), 0);
    assert_int_equal(run_on(&devices[0], 1, 33, true), -1);
    assert_int_equal(run_on(&devices[0], 1, 32, true), 0);
    assert_int_equal(run(2, 32), 1 << 0); /* what was refused holds nothing */
}

static void gpus_have_sms_of_their_own(void **state)
{
    (void)state;
    assert_int_equal(run(0, SMS), 0);
    assert_int_equal(run_on(&devices[1], 1, SMS, true), 0);
    claims_drop(&claims[0]);
    assert_int_equal(run(2, SMS), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(those_that_fit_run_side_by_side, forget),
        cmocka_unit_test_teardown(those_that_do_not_fit_wait_for_the_oldest, forget),
        cmocka_unit_test_teardown(a_run_that_has_ended_holds_nothing, forget),
        cmocka_unit_test_teardown(a_network_waits_for_no_run_of_its_own, forget),
        cmocka_unit_test_teardown(who_refuses_does_not_wait, forget),
        cmocka_unit_test_teardown(gpus_have_sms_of_their_own, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
