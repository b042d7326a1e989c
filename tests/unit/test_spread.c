/* One simulation spread over processes: each has one GPU, and what happens is what happens to the same GPUs in
 * one process, cycle by cycle. */
#include "network_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/host_clock.h"
#include "api/spread.h"
#include "base/alloc.h"
#include "conduct/client.h"
#include "conduct/parcels.h"
#include "conduct/server.h"

/* What is compared: how far around the sums went, when the kernel ended, and all that the GPU counted. Only
 * what it counts while it is idle is not: GPUs of one process count that while any of them runs. */
typedef struct Result {
    uint32_t sum;
    double end;
    uint64_t counts;       /* all of them, hashed */
    uint64_t message_cycles, received;
    char sentence[1024];   /* of a failure; empty: there was none */
} Result;

/* The same begin for all, however they came there. */
enum { BEGIN = 500000000, ROUNDS = 8, BYTES = 5000 };

static void begin(Rig *rig, uint32_t index, uint32_t number, uint32_t count, WbEvent **event)
{
    const uint64_t bytes = BYTES, own = rig->words[index], from = own + 4 * (32 + 5 * number);
    const uint64_t got = own + 4 * 4096, sum = own + 4;
    const uint32_t rounds = ROUNDS, next = (number + 1) % count;
    const uint64_t to = remote(rig, next, 4096), flag = remote(rig, next, 0);
    launch(rig, index, "lend", 1, 1, (const void *[]){&to, &from, &bytes, &flag, &own, &rounds, &got, &sum});
    assert_int_equal(wb_event_create(rig->gpus[index], event) | wb_event_record(*event, NULL), WB_OK);
}

static Result result_of(Rig *rig, uint32_t index, WbEvent *event)
{
    Result result = {.sum = word(rig, index, 1)};
    assert_int_equal(wb_event_time(event, &result.end), WB_OK);
    for (size_t i = 0; i < wb_stat_count(rig->gpus[index]); i++) {
        WbStat stat;
        assert_int_equal(wb_stat_at(rig->gpus[index], i, &stat), WB_OK);
        if (strcmp(stat.name, "sm.idle_cycles") != 0 && strcmp(stat.name, "dram.refreshes") != 0)
            result.counts = (result.counts ^ stat.value) * 0x100000001B3u;
    }
    result.message_cycles = count_of(rig, index, "message_cycles");
    result.received = count_of(rig, index, "packets_received");
    wb_event_destroy(event);
    return result;
}

/* Knobs that make hosts alike: one of many GPUs launches one kernel after the other. */
static void prepare(Rig *rig, uint32_t count, const char *threads)
{
    open_rig(rig, count, "cycle", threads);
    set(rig, "host_launch_ns", "0");
    for (uint32_t i = 0; i < count; i++)
        write_word(rig, i, 0, 0);
}

static void run_together(uint32_t count, Result *results)
{
    Rig rig;
    WbEvent *events[MOST];
    prepare(&rig, count, "1");
    host_clock_reach(rig.gpus[0], BEGIN);
    for (uint32_t i = 0; i < count; i++)
        begin(&rig, i, i, count, &events[i]);
    for (uint32_t i = 0; i < count; i++)
        wait_for(&rig, i);
    for (uint32_t i = 0; i < count; i++)
        results[i] = result_of(&rig, i, events[i]);
    close_rig(&rig);
}

/* -- a process -- */

static uint8_t *answer(const Ask *ask, Answer *got)
{
    client_ask(ask, NULL);
    return client_answer(got);
}

static Leave leave(uint64_t now, uint64_t next, uint64_t until, TransportTake *take, void *taker)
{
    return parcels_leave(now, next, until, take, taker, answer);
}

static void take(void *gpu, const void *bytes, size_t size) { spread_take(gpu, bytes, size); }

/* Waits for all, and serves meanwhile. */
static void meet(WbGpu *gpu, uint32_t count)
{
    Answer got;
    Ask ask = {.kind = ASK_MEET,
               .flags = ASK_SERVES,
               .time = spread_now(gpu),
               .next = spread_next(gpu),
               .count = count,
               .call = "MPI_Barrier"};
    uint8_t *tail = answer(&ask, &got);
    while (got.kind == ANSWER_LEAVE || got.kind == ANSWER_ALONE) {
        const Leave given = parcels_take(&got, tail, take, gpu);
        xfree(tail);
        spread_serve(gpu, &given);
        ask = (Ask){.kind = ASK_SERVED, .time = spread_now(gpu), .next = spread_next(gpu)};
        tail = answer(&ask, &got);
    }
    xfree(tail);
    ask = (Ask){.kind = ASK_BYE, .time = got.time};
    client_ask(&ask, NULL);
    client_flush();
}

static void open_client(const ServerPlace *place, uint32_t node)
{
    char sentence[256];
    if (!client_open(place, node, sentence, sizeof sentence))
        fail_msg("%s", sentence);
}

static void join(Rig *rig, uint32_t node, uint32_t count, const char *threads)
{
    static Transport transport;
    transport = (Transport){.node = node, .nodes = count, .send = parcels_send, .leave = leave};
    prepare(rig, 1, threads);
    if (spread_join(rig->gpus[0], &transport))
        fail_msg("%s", wb_error(rig->gpus[0]));
    host_clock_reach(rig->gpus[0], BEGIN);
}

static void part(Rig *rig, uint32_t count)
{
    meet(rig->gpus[0], count);
    close_rig(rig);
    client_close();
}

/* Different processes use different numbers of threads, and some are slow. */
static Result run_node(uint32_t node, uint32_t count)
{
    Rig rig;
    WbEvent *event;
    join(&rig, node, count, node % 2 ? "2" : "1");
    usleep(node * 2000);
    begin(&rig, 0, node, count, &event);
    wait_for(&rig, 0);
    const Result result = result_of(&rig, 0, event);
    part(&rig, count);
    return result;
}

/* The first gets from the memory of others, which do nothing; what it does not find there is named. */
static Result get_from_idle(uint32_t node, uint32_t count)
{
    Rig rig;
    Result result = {0};
    const uint64_t bytes = 9000, to = node == 0 ? 4096 * 4 : 0;
    join(&rig, node, count, "1");
    if (node == 0) {
        uint64_t here = rig.words[0] + to, there = remote(&rig, 1, 3);
        launch(&rig, 0, "get", 1, 1, (const void *[]){&here, &there, &bytes});
        wait_for(&rig, 0);
        result.sum = word(&rig, 0, 4096 + 2249);
        there = remote(&rig, 1, WORDS - 1);
        launch(&rig, 0, "get", 1, 1, (const void *[]){&here, &there, &bytes});
        assert_int_equal(wb_wait(rig.gpus[0]), WB_ERROR_EXECUTION);
        snprintf(result.sentence, sizeof result.sentence, "%s", wb_error(rig.gpus[0]));
    }
    part(&rig, count);
    return result;
}

/* Nothing can come any more for a kernel that waits for an event, since the others wait for it. */
static Result wait_for_ever(uint32_t node, uint32_t count)
{
    Rig rig;
    Result result = {0};
    join(&rig, node, count, "1");
    if (node == 1) {
        launch(&rig, 0, "stay", 1, 1, (const void *[]){NULL});
        assert_int_equal(wb_wait(rig.gpus[0]), WB_ERROR_DEADLOCK);
        snprintf(result.sentence, sizeof result.sentence, "%s", wb_error(rig.gpus[0]));
    }
    part(&rig, count);
    return result;
}

/* -- all of them -- */

typedef Result NodeRun(uint32_t node, uint32_t count);

static void run_process(int place_pipe, int result_pipe, uint32_t node, uint32_t count, NodeRun *run)
{
    ServerPlace place;
    if (read(place_pipe, &place, sizeof place) != sizeof place)
        _exit(2);
    open_client(&place, node);
    const Result result = run(node, count);
    if (write(result_pipe, &result, sizeof result) != sizeof result)
        _exit(3);
    _exit(0);
}

static void run_spread(uint32_t count, NodeRun *run, Result *results)
{
    int places[MOST][2], ends[MOST][2];
    pid_t processes[MOST];
    ServerPlace place = {0};
    char sentence[256];
    Network network;
    const char *line;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(pipe(places[i]) | pipe(ends[i]), 0);
        processes[i] = fork();
        assert_true(processes[i] >= 0);
        if (!processes[i])
            run_process(places[i][0], ends[i][1], i, count, run);
    }
    assert_true(network_read(NULL, &network, &line));
    Server *server = server_start(count, &network, &place, sentence, sizeof sentence);
    assert_non_null(server);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(write(places[i][1], &place, sizeof place), sizeof place);
        close(ends[i][1]);
    }
    for (uint32_t i = 0; i < count; i++) {
        int status;
        const bool is_there = read(ends[i][0], &results[i], sizeof *results) == sizeof *results;
        waitpid(processes[i], &status, 0);
        assert_true(is_there);
        assert_int_equal(status, 0);
        close(places[i][0]);
        close(places[i][1]);
        close(ends[i][0]);
    }
    server_join(server);
}

static void assert_same(const Result *a, const Result *b)
{
    assert_int_equal(a->sum, b->sum);
    assert_int_equal(a->message_cycles, b->message_cycles);
    assert_true(a->end == b->end);
    assert_int_equal(a->counts, b->counts);
}

static void processes_are_as_one(void **state)
{
    (void)state;
    for (uint32_t count = 2; count <= MOST; count += 2) {
        Result together[MOST] = {0}, spread[MOST] = {0}, again[MOST] = {0};
        run_together(count, together);
        run_spread(count, run_node, spread);
        run_spread(count, run_node, again);
        for (uint32_t i = 0; i < count; i++) {
            assert_same(&spread[i], &again[i]);
            assert_same(&spread[i], &together[i]);
            assert_true(spread[i].sum >= ROUNDS * (ROUNDS + 1) && spread[i].received > 2 * ROUNDS);
        }
    }
}

static void others_serve_while_they_wait(void **state)
{
    (void)state;
    Result results[2] = {0};
    run_spread(2, get_from_idle, results);
    assert_int_equal(results[0].sum, 3 + 2249);
    assert_non_null(strstr(results[0].sentence, "of GPU 0: wb_get of 9000 bytes of GPU 1 at 0x"));
    assert_non_null(strstr(results[0].sentence, "cannot read"));
    run_spread(2, wait_for_ever, results);
    assert_non_null(strstr(results[1].sentence, "signals of an event"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_are_as_one),
        cmocka_unit_test(others_serve_while_they_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
