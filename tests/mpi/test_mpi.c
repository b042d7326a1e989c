/* MPI programs as users run them: mpirun -n N warpbeam run -- ./program. The programs check results and times
 * themselves (programs/check.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shell.h"

enum { OUTPUT = 16384 };

/* How programs/check.h has the network. */
static const char knobs[] =
    "--set network_latency_ns=1000 --set network_rate=1000 --set network_send_ns=100 "
    "--set network_poll_ns=50 --set network_eager_bytes=64 --set network_ring_bytes=1024";

/* Tests may run as root, on a machine with fewer processors than ranks; the rest saves time. */
static int prepare(void **state)
{
    (void)state;
    static const char *const settings[][2] = {
        {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
        {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
        {"OMPI_MCA_plm", "isolated"},
        {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
        {"OMPI_MCA_btl", "self,vader"},
        {"OMPI_MCA_pml", "ob1"},
        {"OMPI_MCA_orte_base_help_aggregate", "0"},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        setenv(settings[i][0], settings[i][1], 1);
    return 0;
}

/* The exit status; lines of what was printed come sorted, as those of ranks come in any order. */
static int run(int ranks, const char *options, const char *program, char output[OUTPUT])
{
    char command[4096];
    snprintf(command, sizeof command,
             "{ timeout 60 mpirun -n %d '%s/bin/warpbeam' run --quiet %s %s -- '%s/tests/mpi_'%s 2>&1; "
             "echo \"status $?\"; } | LC_ALL=C sort",
             ranks, shell_build_folder(), knobs, options, shell_build_folder(), program);
    assert_int_equal(shell_run(command, output, OUTPUT), 0);
    const char *status = strstr(output, "status ");
    return status ? atoi(status + strlen("status ")) : -1;
}

static void expect(const char *output, const char *text)
{
    if (!strstr(output, text))
        fail_msg("'%s' was not said, but:\n%s", text, output);
}

/* Of a program that fails, which mpirun need not give time to end; what ranks say last it may lose then. */
static void run_badly(const char *program, char output[OUTPUT])
{
    setenv("OMPI_MCA_odls_base_sigkill_timeout", "0", 1);
    assert_int_not_equal(run(3, "", program, output), 0);
    unsetenv("OMPI_MCA_odls_base_sigkill_timeout");
}

/* Every rank says that it is good. */
static void expect_good(int ranks, const char *options, const char *program)
{
    char output[OUTPUT], text[64];
    const int status = run(ranks, options, program, output);
    for (int i = 0; i < ranks; i++) {
        snprintf(text, sizeof text, "rank %d is good", i);
        expect(output, text);
    }
    assert_int_equal(status, 0);
}

static void messages_take_their_time(void **state)
{
    (void)state;
    expect_good(4, "", "points");
}

static void collective_calls_take_their_time(void **state)
{
    (void)state;
    expect_good(4, "", "collect");
    expect_good(5, "", "collect");
}

static void collective_calls_go_on_beside_ranks(void **state)
{
    (void)state;
    expect_good(4, "", "overlap");
    expect_good(5, "", "overlap");
}

/* With naps of the host that are different each time. WARPBEAM_MPI_REPETITIONS has more of it. */
static void all_runs_are_the_same(void **state)
{
    (void)state;
    static const int ranks[] = {1, 2, 4};
    char first[OUTPUT], output[OUTPUT];
    const char *more = getenv("WARPBEAM_MPI_REPETITIONS");
    const int repetitions = more ? atoi(more) : 2;
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        assert_int_equal(run(ranks[i], "", "wild", first), 0);
        for (int j = 1; j < repetitions; j++) {
            assert_int_equal(run(ranks[i], "", "wild", output), 0);
            assert_string_equal(output, first);
        }
    }
}

static void device_memory_is_sent_and_received(void **state)
{
    (void)state;
    expect_good(2, "", "device");
    expect_good(3, "--functional --set network_gpu_direct=false", "device");
}

/* One simulation over ranks, with naps of the host that are different each time. */
static void kernels_reach_other_ranks(void **state)
{
    (void)state;
    static const char options[] = "--gpu gtx480 --set network_ranks=true --set newer_ptx=take";
    char first[OUTPUT], output[OUTPUT];
    expect_good(2, options, "remote");
    assert_int_equal(run(4, options, "remote", first), 0);
    expect(first, "rank 3 is good");
    assert_int_equal(run(4, options, "remote", output), 0);
    assert_string_equal(output, first);
    run(2, options, "remote beyond", output);
    expect(output, "of GPU 1: wb_get of 8000 bytes of GPU 0 at 0x");
    expect(output, "reaches what it cannot read there: 4 bytes into the allocation of 8000 bytes");
    run(2, options, "remote silent", output);
    expect(output, "kernel 'ring' spins on GPU 1: ");
}

/* 64 GPUs, each of one SM to save time. */
static void many_gpus_are_one_simulation(void **state)
{
    (void)state;
    expect_good(
        8, "--gpu gtx480 --gpus 8 --threads 1 --set sm_count=1 --set network_ranks=true --set newer_ptx=take",
        "remote");
}

static void deadlocks_are_named(void **state)
{
    (void)state;
    char output[OUTPUT];
    run_badly("faults sends", output);
    expect(output, "rank 0 waits in MPI_Send to rank 1 with tag 40");
    expect(output, "rank 2 waits in MPI_Send to rank 0 with tag 42");
    run_badly("faults receives", output);
    expect(output,
           "rank 1 waits in MPI_Wait for MPI_Irecv from any rank with tag 8; rank 2 waits in MPI_Barrier");
    run_badly("faults misses", output);
    expect(output, "rank 0 waits in MPI_Wait for MPI_Iallreduce for rank 1; rank 1 waits in MPI_Wait for "
                   "MPI_Iallreduce for rank 2; rank 2 waits in MPI_Recv from rank 0 with tag 7");
}

/* What ranks had run is in their files: so many kernels, 0 for no file. Removes them. */
static void expect_kernels(const char *folder, const int counts[3])
{
    for (int i = 0; i < 3; i++) {
        char command[256], output[OUTPUT];
        snprintf(command, sizeof command,
                 "grep -o '\"status\": *\"ended\"' '%s/out.rank%d.json' 2>/dev/null | wc -l; "
                 "rm -f '%s/out.rank%d.json'",
                 folder, i, folder, i);
        assert_int_equal(shell_run(command, output, sizeof output), 0);
        assert_int_equal(atoi(output), counts[i]);
    }
}

/* Its statistics are kept, and the others'. */
static void ranks_that_die_are_named(void **state)
{
    (void)state;
    char output[OUTPUT], folder[] = "/tmp/warpbeam-mpi-XXXXXX", options[128];
    assert_non_null(mkdtemp(folder));
    snprintf(options, sizeof options, "--stats %s/out.json", folder);
    assert_int_not_equal(run(3, options, "device crash", output), 0);
    expect(output, "Rank 2 has died, or ended without MPI_Finalize: it ran behind its call of MPI_Allreduce");
    expect(output, "rank 2, was ended by signal 11");
    expect_kernels(folder, (const int[]){2, 1, 1});
    assert_int_not_equal(run(3, options, "device kill", output), 0);
    expect(output, "Rank 2 has died, or ended without MPI_Finalize: it ran behind its call of MPI_Allreduce");
    expect(output, "rank 2, was ended by signal 9");
    expect_kernels(folder, (const int[]){2, 1, 0}); /* who is killed can write nothing */
    rmdir(folder);
    assert_int_not_equal(run(3, "", "faults first", output), 0);
    expect(output, "Rank 0 has died, or ended without MPI_Finalize: it ran behind its call of MPI_Barrier");
    run_badly("faults abort", output);
    expect(output, "status 42");
    expect(output, "Rank 2 ends all ranks by MPI_Abort, with status 42");
}

static void errors_are_named(void **state)
{
    (void)state;
    char output[OUTPUT];
    run_badly("faults errors", output);
    expect(output, "MPI_Send of rank 2: there is no rank 77: the communicator has 3.");
    expect(output,
           "MPI_Recv of rank 1: a message of 8 bytes from rank 1 with tag 0 does not fit into 4 bytes.");
    expect(output, "MPI_Request_free of rank 1: the request of a collective call cannot be freed");
    expect(output, "rank 0: MPI_Win_create is not covered");
    expect(output, "Rank 1 ends all ranks by an error in MPI_Recv");
    assert_int_not_equal(run(2, "--set network_speed=3", "wild", output), 0);
    expect(output, "network_speed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_take_their_time),
        cmocka_unit_test(collective_calls_take_their_time),
        cmocka_unit_test(collective_calls_go_on_beside_ranks),
        cmocka_unit_test(all_runs_are_the_same),
        cmocka_unit_test(device_memory_is_sent_and_received),
        cmocka_unit_test(kernels_reach_other_ranks),
        cmocka_unit_test(many_gpus_are_one_simulation),
        cmocka_unit_test(deadlocks_are_named),
        cmocka_unit_test(ranks_that_die_are_named),
        cmocka_unit_test(errors_are_named),
    };
    return cmocka_run_group_tests(tests, prepare, NULL);
}
