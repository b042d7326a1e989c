/* Messages of kernels to the memory of GPUs on other nodes: where they go, in which order, how long they take,
 * and what is wrong with some. */
#include "network_rig.h"

#include "grid/network_card.h"

static const char *const modes[] = {"functional", "cycle"};

/* -- what they do -- */

/* Sizes and places that are no multiples of lines, sectors or packets. */
static void bytes_are_put_and_got(void **state)
{
    (void)state;
    for (uint32_t mode = 0; mode < 2; mode++) {
        Rig rig;
        const uint64_t bytes = 260, many = 9000;
        open_rig(&rig, 2, modes[mode], "1");
        uint64_t to = remote(&rig, 1, 1001), from = rig.words[0] + 4;
        launch(&rig, 0, "put", 1, 2, (const void *[]){&to, &from, &bytes});
        wait_for(&rig, 0);
        assert_int_equal(word(&rig, 1, 1000), 11000);
        for (uint32_t i = 0; i < 130; i++)
            assert_int_equal(word(&rig, 1, 1001 + i), 1 + i);
        assert_int_equal(word(&rig, 1, 1131), 11131);
        to = rig.words[1] + 4 * 3000 + 4;
        from = remote(&rig, 0, 5);
        launch(&rig, 1, "get", 1, 1, (const void *[]){&to, &from, &many});
        wait_for(&rig, 1);
        for (uint32_t i = 0; i < 2250; i++)
            assert_int_equal(word(&rig, 1, 3001 + i), 5 + i);
        assert_int_equal(word(&rig, 1, 3001 + 2250), 10000 + 3001 + 2250);
        assert_int_equal(count_of(&rig, 0, "puts"), 2);
        assert_int_equal(count_of(&rig, 0, "bytes_put"), 520);
        assert_int_equal(count_of(&rig, 1, "gets"), 1);
        assert_int_equal(count_of(&rig, 1, "bytes_got"), many);
        assert_int_equal(count_of(&rig, 1, "packets_received"), mode ? 2 + 3 : 0);
        close_rig(&rig);
    }
}

static void words_are_set_and_added_to(void **state)
{
    (void)state;
    for (uint32_t mode = 0; mode < 2; mode++) {
        Rig rig;
        const uint32_t value = 3;
        open_rig(&rig, 2, modes[mode], "1");
        const uint64_t flag = remote(&rig, 1, 10), sum = remote(&rig, 1, 20);
        launch(&rig, 0, "tell", 4, 32, (const void *[]){&flag, &sum, &value});
        wait_for(&rig, 0);
        assert_int_equal(word(&rig, 1, 10), 3);
        assert_int_equal(word(&rig, 1, 20), 10020 + 4 * 32 * 3);
        assert_int_equal(count_of(&rig, 0, "words"), 256);
        close_rig(&rig);
    }
}

/* A kernel ends when what it has put is there. A pointer of the same process needs no wb_remote(). */
static void a_kernel_ends_behind_its_messages(void **state)
{
    (void)state;
    for (uint32_t mode = 0; mode < 2; mode++) {
        Rig rig;
        const uint64_t bytes = 16384;
        open_rig(&rig, 2, modes[mode], "1");
        const uint64_t to = rig.words[1] + bytes, from = rig.words[0];
        launch(&rig, 0, "leave", 1, 1, (const void *[]){&to, &from, &bytes});
        wait_for(&rig, 0);
        assert_int_equal(word(&rig, 1, 4096), 0);
        assert_int_equal(word(&rig, 1, 8191), 4095);
        close_rig(&rig);
    }
}

/* Each puts a number and its copy at the far end of its bytes, then the flag; who sees the flag sees both. */
static double go_around(uint32_t count, const char *mode, const char *threads, uint64_t bytes)
{
    Rig rig;
    const uint32_t rounds = 12;
    const double begin = 0;
    open_rig(&rig, count, mode, threads);
    for (uint32_t i = 0; i < count; i++)
        write_word(&rig, i, 0, 0);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t next = (i + 1) % count;
        const uint64_t to = remote(&rig, next, 4096), from = rig.words[i] + 4 * 32, flag = remote(&rig, next, 0);
        const uint64_t own = rig.words[i], got = rig.words[i] + 4 * 4096, sum = rig.words[i] + 4;
        launch(&rig, i, "lend", 1, 1,
               (const void *[]){&to, &from, &bytes, &flag, &own, &rounds, &got, &sum});
    }
    for (uint32_t i = 0; i < count; i++)
        wait_for(&rig, i);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        found += word(&rig, i, 1);
    const double time = wb_time(rig.gpus[0]) - begin;
    /* the neighbour may be a round ahead, never behind */
    assert_true(found >= count * rounds * (rounds + 1));
    close_rig(&rig);
    return time;
}

static void flags_are_seen_behind_data(void **state)
{
    (void)state;
    go_around(2, "functional", "1", 1000);
    go_around(4, "functional", "1", 1000);
    const double two = go_around(2, "cycle", "1", 9000), four = go_around(4, "cycle", "1", 1000);
    assert_true(two == go_around(2, "cycle", "2", 9000));
    assert_true(four == go_around(4, "cycle", "2", 1000));
}

/* -- time -- */

/* Cycles from the call to word that it is complete. */
static uint64_t cycles_of(const char *kernel, uint64_t bytes, uint32_t threads, const char *knob,
                          const char *value)
{
    Rig rig;
    open_rig(&rig, 2, "cycle", "1");
    set(&rig, knob, value);
    uint64_t there = remote(&rig, 1, 4096), here = rig.words[0];
    const bool is_get = strcmp(kernel, "get") == 0;
    launch(&rig, 0, kernel, 1, threads, (const void *[]){is_get ? &here : &there, is_get ? &there : &here, &bytes});
    wait_for(&rig, 0);
    const uint64_t cycles = count_of(&rig, 0, "message_cycles");
    close_rig(&rig);
    return cycles;
}

/* A put goes there and its acknowledgement comes back, and so does a get with its answer. */
static void a_message_takes_its_latency_twice(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        const char *kernel = i ? "get" : "put";
        const uint64_t one = cycles_of(kernel, 64, 1, "network_latency_ns", "1000");
        assert_int_equal(cycles_of(kernel, 64, 1, "network_latency_ns", "2000"), one + 2 * 700);
        assert_int_equal(cycles_of(kernel, 64, 1, "network_latency_ns", "2010"), one + 2 * 707);
    }
}

/* 700 MHz and 700 MB/s: a byte a cycle. A packet of 1024 + 64 is there when its last byte is, and the
 * acknowledgement with its first. */
static void a_port_sends_so_many_bytes(void **state)
{
    (void)state;
    GpuConfig config = {.clock_khz = 700000, .network_rate = 700};
    NetworkPort port = {0};
    uint64_t busy = 0;
    assert_int_equal(network_port_use(&port, &config, 64, 100, &busy), 100);
    assert_int_equal(network_port_free(&port), 164);
    assert_int_equal(network_port_use(&port, &config, 1, 163, &busy), 164);
    assert_int_equal(network_port_use(&port, &config, 1, 165, &busy), 165);
    assert_int_equal(busy, 66);
    config.network_rate = 2100; /* three bytes a cycle: parts of cycles are not lost */
    port = (NetworkPort){0};
    for (uint32_t i = 0; i < 30; i++)
        network_port_use(&port, &config, 1, 0, &busy);
    assert_int_equal(network_port_free(&port), 10);
    const uint64_t fast = cycles_of("put", 1024, 1, "network_rate", "1400"),
                   slow = cycles_of("put", 1024, 1, "network_rate", "700");
    assert_int_equal(slow - fast, (1024 + 64) / 2);
}

static void a_full_window_holds_packets_back(void **state)
{
    (void)state;
    const uint64_t wide = cycles_of("put", 1024, 8, "network_window", "64"),
                   narrow = cycles_of("put", 1024, 8, "network_window", "1");
    assert_true(narrow > wide + 7 * 2 * 1050); /* each waits for the one before, there and back */
    Rig rig;
    const uint64_t bytes = 512;
    open_rig(&rig, 2, "cycle", "1");
    set(&rig, "network_window", "2");
    set(&rig, "network_queue", "1");
    set(&rig, "network_packet_bytes", "128");
    const uint64_t there = remote(&rig, 1, 4096), here = rig.words[0];
    launch(&rig, 0, "put", 2, 32, (const void *[]){&there, &here, &bytes});
    wait_for(&rig, 0);
    for (uint32_t i = 0; i < 4096; i++)
        assert_int_equal(word(&rig, 1, 4096 + i), i);
    assert_true(count_of(&rig, 0, "queue_wait_cycles") > 0);
    assert_true(count_of(&rig, 0, "window_full") > 0);
    assert_int_equal(count_of(&rig, 0, "queue_peak"), 1);
    assert_int_equal(count_of(&rig, 0, "packets_sent"), 64 * 4);
    close_rig(&rig);
}

/* What comes in one cycle is taken by senders, whatever the order in which the world has it. */
static void arrivals_of_a_cycle_have_one_order(void **state)
{
    (void)state;
    NetworkCard card = {0};
    const Heard heard[] = {{.time = 5, .from = 2, .value = 1}, {.time = 5, .from = 0, .value = 2},
                           {.time = 5, .from = 2, .value = 3}, {.time = 4, .from = 3, .value = 4}};
    const uint64_t wanted[] = {4, 2, 1, 3};
    for (uint32_t i = 0; i < 4; i++)
        network_hear(&card, &heard[i]);
    assert_int_equal(network_next(&card), 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(card.heard.items[i].value, wanted[i]);
    VEC_FREE(&card.heard);
}

/* -- what is wrong -- */

static void fails(const char *mode, const char *kernel, uint64_t to, uint64_t from, uint64_t bytes,
                  const char *const *wanted)
{
    Rig rig;
    open_rig(&rig, 2, mode, "1");
    to += to < 1 << 20 ? rig.words[0] : 0;
    from += from < 1 << 20 ? rig.words[0] : 0;
    launch(&rig, 0, kernel, 1, 1, (const void *[]){&to, &from, &bytes});
    assert_int_not_equal(wb_wait(rig.gpus[0]), WB_OK);
    for (; *wanted; wanted++)
        if (!strstr(wb_error(rig.gpus[0]), *wanted))
            fail_msg("\"%s\" does not say \"%s\"", wb_error(rig.gpus[0]), *wanted);
    close_rig(&rig);
}

static void bad_messages_are_named(void **state)
{
    (void)state;
    Rig rig;
    open_rig(&rig, 2, "functional", "1");
    const uint64_t there = remote(&rig, 1, 0), far = remote(&rig, 7, 0), end = remote(&rig, 1, WORDS - 1);
    close_rig(&rig);
    for (uint32_t mode = 0; mode < 2; mode++) {
        fails(modes[mode], "put", far, 0, 64, (const char *[]){"wb_put names GPU 7", "2 GPUs", "1 on a node", NULL});
        fails(modes[mode], "put", end, 0, 64,
              (const char *[]){"kernel 'put'", "block (0,0,0) of GPU 0", "wb_put of 64 bytes to GPU 1 at 0x",
                               "cannot write", "there", NULL});
        fails(modes[mode], "get", 0, end, 64,
              (const char *[]){"wb_get of 64 bytes of GPU 1 at 0x", "cannot read", NULL});
        fails(modes[mode], "put", there, WORDS * 4 - 8, 64,
              (const char *[]){"wb_put of 64 bytes uses 0x", "memory of GPU 0", NULL});
        fails(modes[mode], "put", (uint64_t)1 << 46, 0, 64, (const char *[]){"wb_remote()", NULL});
        fails(modes[mode], "tell", there + 2, there, 64, (const char *[]){"word of 4 bytes", NULL});
    }
}

static void nodes_have_no_links(void **state)
{
    (void)state;
    Rig rig;
    open_rig(&rig, 4, "functional", "1");
    set(&rig, "node_gpus", "2");
    assert_int_equal(wb_peer_enable(rig.gpus[0], rig.gpus[1], true), WB_OK);
    assert_int_equal(wb_peer_enable(rig.gpus[1], rig.gpus[2], true), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(wb_error(rig.gpus[1]), "GPU 2 on node 1"));
    close_rig(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_put_and_got),
        cmocka_unit_test(words_are_set_and_added_to),
        cmocka_unit_test(a_kernel_ends_behind_its_messages),
        cmocka_unit_test(flags_are_seen_behind_data),
        cmocka_unit_test(a_message_takes_its_latency_twice),
        cmocka_unit_test(a_port_sends_so_many_bytes),
        cmocka_unit_test(a_full_window_holds_packets_back),
        cmocka_unit_test(arrivals_of_a_cycle_have_one_order),
        cmocka_unit_test(bad_messages_are_named),
        cmocka_unit_test(nodes_have_no_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
