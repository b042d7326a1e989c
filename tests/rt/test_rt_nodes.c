/* Devices of two nodes in one process (knob node_gpus): those of one node are peers, others are not. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "driver.h"

enum { UNSUPPORTED = 217, ACCESS = 2, ATOMICS = 3 };

int cudaSetDevice(int device);
int cudaDeviceCanAccessPeer(int *can, int device, int peer);
int cudaDeviceEnablePeerAccess(int peer, unsigned flags);
int cudaDeviceGetP2PAttribute(int *value, int attribute, int source, int destination);

static int begin(void **state)
{
    (void)state;
    setenv("WARPBEAM_GPUS", "h200,h200,h200,h200", 1);
    setenv("WARPBEAM_SET", "node_gpus=2", 1);
    setenv("WARPBEAM_FUNCTIONAL", "1", 1);
    return cuInit(0);
}

static void peers_are_those_of_the_node(void **state)
{
    (void)state;
    for (int device = 0; device < 4; device++)
        for (int peer = 0; peer < 4; peer++) {
            int can = -1, attribute = -1;
            OK(cudaDeviceCanAccessPeer(&can, device, peer));
            assert_int_equal(can, device != peer && device / 2 == peer / 2);
            if (device == peer)
                continue;
            OK(cudaDeviceGetP2PAttribute(&attribute, ACCESS, device, peer));
            assert_int_equal(attribute, can);
            OK(cudaDeviceGetP2PAttribute(&attribute, ATOMICS, device, peer));
            assert_int_equal(attribute, can);
        }
}

static void others_cannot_be_let_in(void **state)
{
    (void)state;
    OK(cudaSetDevice(1));
    assert_int_equal(cudaDeviceEnablePeerAccess(2, 0), UNSUPPORTED);
    OK(cudaDeviceEnablePeerAccess(0, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peers_are_those_of_the_node),
        cmocka_unit_test(others_cannot_be_let_in),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
