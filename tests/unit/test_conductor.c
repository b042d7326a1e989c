/* The conductor alone: ranks here are lists of asks. Whatever the order in which those of different ranks come,
 * answers are the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "conduct/client.h"
#include "conduct/conductor.h"
#include "conduct/server.h"

enum { RANKS = 4, LATENCY = 1000, BYTE = 1000, MOST = 8 };

/* What came back last: entries, and the text of ANSWER_END or of the first payload. */
typedef struct Kept {
    unsigned count;
    Answer answer;
    AnswerEntry entries[MOST];
    char text[4096];
} Kept;

static Conductor *conductor;
static Kept kept[RANKS];
static const uint64_t both[] = {1, 2};

static void keep(void *context, uint32_t rank, const void *bytes, size_t size)
{
    (void)context;
    Kept *into = &kept[rank];
    const uint8_t *at = (const uint8_t *)bytes + sizeof into->answer;
    memset(into->entries, 0, sizeof into->entries);
    memset(into->text, 0, sizeof into->text);
    memcpy(&into->answer, bytes, sizeof into->answer);
    assert_int_equal(size, sizeof into->answer + into->answer.tail);
    into->count++;
    if (into->answer.kind == ANSWER_END)
        memcpy(into->text, at, into->answer.tail);
    for (uint32_t i = 0; i < into->answer.count && i < MOST; i++) {
        memcpy(&into->entries[i], at, sizeof *into->entries);
        at += sizeof *into->entries;
        memcpy(into->text, at, i == 0 ? into->entries[0].payload : 0);
        at += into->entries[i].payload;
    }
}

/* A latency of a nanosecond, and a nanosecond a byte; long messages have more than 4. */
static int begin(void **state)
{
    (void)state;
    const Network network = {.network_latency_ns = 1, .network_rate = 1000, .network_eager_bytes = 4};
    memset(kept, 0, sizeof kept);
    conductor = conductor_create(RANKS, &network, keep, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    conductor_free(conductor);
    return 0;
}

/* -- what ranks ask -- */

static void take(uint32_t rank, const Ask *ask, const void *tail)
{
    conductor_take(conductor, rank, ask, tail);
}

static void send_to(uint32_t from, int32_t to, uint64_t time, int32_t tag, const char *text, uint64_t id)
{
    const uint64_t bytes = strlen(text);
    const Ask ask = {.kind = ASK_SEND,
                     .time = time,
                     .peer = to,
                     .tag = tag,
                     .id = id,
                     .bytes = bytes,
                     .tail = bytes,
                     .call = "MPI_Isend"};
    take(from, &ask, text);
}

static void receive(uint32_t at, int32_t from, uint64_t time, int32_t tag, uint64_t id)
{
    const Ask ask = {
        .kind = ASK_RECEIVE, .time = time, .peer = from, .tag = tag, .id = id, .call = "MPI_Irecv"};
    take(at, &ask, NULL);
}

static void wait_for(uint32_t at, uint64_t time, AskKind kind, uint32_t count, uint64_t until)
{
    const Ask ask = {
        .kind = kind, .time = time, .until = until, .tail = count * sizeof *both, .call = "MPI_Wait"};
    take(at, &ask, both);
}

static void bye(uint32_t rank, uint64_t time)
{
    const Ask ask = {.kind = ASK_BYE, .time = time};
    take(rank, &ask, NULL);
}

static void reach(uint32_t rank, uint64_t time)
{
    const Ask ask = {.kind = ASK_TIME, .time = time};
    take(rank, &ask, NULL);
}

static void all_but_say_bye(uint32_t first)
{
    for (uint32_t i = first; i < RANKS; i++)
        bye(i, 0);
}

/* -- messages -- */

static void a_message_takes_latency_and_its_bytes(void **state)
{
    (void)state;
    receive(1, 0, 0, 7, 1);
    wait_for(1, 0, ASK_WAIT_ALL, 1, TIME_NEVER);
    send_to(0, 1, 500, 7, "abc", 0);
    assert_int_equal(kept[1].count, 0); /* ranks 2 and 3 are at 0, and may send to it */
    all_but_say_bye(2);
    bye(0, 5000);
    assert_int_equal(kept[1].answer.time, 500 + LATENCY + 3 * BYTE);
    assert_string_equal(kept[1].text, "abc");
    assert_int_equal(kept[1].entries[0].tag, 7);
    assert_int_equal(kept[1].entries[0].peer, 0);
}

static void a_card_sends_and_takes_one_after_the_other(void **state)
{
    (void)state;
    bye(3, 0);
    send_to(0, 2, 0, 1, "abc", 0);
    send_to(0, 2, 0, 2, "abcd", 0); /* leaves at 3 ns */
    send_to(1, 2, 0, 3, "ab", 0);   /* its first byte is there with that of the first message */
    bye(0, 0);
    bye(1, 0);
    receive(2, ANY_PEER, 0, 2, 1);
    receive(2, ANY_PEER, 0, 3, 2);
    wait_for(2, 0, ASK_WAIT_ANY, 2, TIME_NEVER);
    assert_int_equal(kept[2].entries[0].tag, 3);
    assert_int_equal(kept[2].answer.time, LATENCY + 5 * BYTE);
    wait_for(2, kept[2].answer.time, ASK_WAIT_ALL, 1, TIME_NEVER);
    assert_int_equal(kept[2].answer.time, LATENCY + 9 * BYTE);
}

static void a_long_message_asks_first(void **state)
{
    (void)state;
    all_but_say_bye(2);
    send_to(0, 1, 0, 7, "abcdef", 1);
    wait_for(0, 0, ASK_WAIT_ALL, 1, TIME_NEVER);
    receive(1, 0, 20000, 7, 1);
    wait_for(1, 20000, ASK_WAIT_ALL, 1, TIME_NEVER);
    assert_int_equal(kept[0].answer.time, 20000 + LATENCY + 6 * BYTE);
    bye(0, kept[0].answer.time);
    assert_int_equal(kept[1].answer.time, 20000 + 2 * LATENCY + 6 * BYTE);
    assert_string_equal(kept[1].text, "abcdef");
}

static void messages_of_a_rank_do_not_overtake(void **state)
{
    (void)state;
    all_but_say_bye(2);
    send_to(0, 1, 0, 7, "abcd", 0);
    send_to(0, 1, 0, 7, "longer", 1); /* its question is short */
    bye(0, 0);
    receive(1, 0, 0, ANY_TAG, 1);
    receive(1, 0, 0, ANY_TAG, 2);
    wait_for(1, 0, ASK_WAIT_ANY, 1, TIME_NEVER);
    assert_string_equal(kept[1].text, "abcd");
}

/* -- order -- */

/* Rank 3 takes from anybody; ranks 0 to 2 have sent at 300, 100 and 200, and come in any order. */
static void wildcards_take_the_earliest(void **state)
{
    (void)state;
    static const unsigned orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const uint64_t times[] = {300, 100, 200};
    static const int32_t expected[] = {1, 2, 0};
    for (unsigned i = 0; i < 6; i++) {
        uint64_t now = 0;
        for (unsigned j = 0; j < 3; j++) {
            send_to(orders[i][j], 3, times[orders[i][j]], 0, "a", 0);
            bye(orders[i][j], times[orders[i][j]]);
        }
        for (unsigned j = 0; j < 3; j++) {
            receive(3, ANY_PEER, now, ANY_TAG, 1);
            wait_for(3, now, ASK_WAIT_ALL, 1, TIME_NEVER);
            assert_int_equal(kept[3].entries[0].peer, expected[j]);
            now = kept[3].answer.time;
        }
        end(NULL);
        begin(NULL);
    }
}

static void of_messages_at_one_time_the_lowest_ranks_comes_first(void **state)
{
    (void)state;
    bye(3, 0);
    send_to(2, 0, 100, 0, "a", 0);
    bye(2, 100);
    receive(0, ANY_PEER, 0, 0, 1);
    wait_for(0, 0, ASK_WAIT_ALL, 1, TIME_NEVER);
    reach(1, 100); /* it may still send now */
    assert_int_equal(kept[0].count, 0);
    send_to(1, 0, 100, 0, "b", 0);
    bye(1, 100);
    assert_string_equal(kept[0].text, "b");
}

/* A look is answered when nothing can come before its end any more. */
static void looks_wait_for_those_behind(void **state)
{
    (void)state;
    all_but_say_bye(2);
    receive(0, 1, 0, 0, 1);
    wait_for(0, 0, ASK_WAIT_ALL, 1, 5000);
    reach(1, 4000); /* what it sends now comes at 5000 or later */
    assert_int_equal(kept[0].count, 0);
    reach(1, 4001);
    assert_int_equal(kept[0].answer.kind, ANSWER_NOT_YET);
    assert_int_equal(kept[0].answer.time, 5000);
    send_to(1, 0, 4001, 0, "a", 0);
    wait_for(0, 5000, ASK_WAIT_ALL, 1, 7000);
    reach(1, 6100);
    assert_int_equal(kept[0].answer.kind, ANSWER_DONE);
    assert_int_equal(kept[0].answer.time, 7000);
    assert_int_equal(kept[0].entries[0].time, 4001 + LATENCY + BYTE);
}

static void probes_find_and_take(void **state)
{
    (void)state;
    all_but_say_bye(2);
    send_to(1, 0, 0, 5, "a", 0);
    send_to(1, 0, 0, 6, "b", 0);
    bye(1, 0);
    Ask probe = {
        .kind = ASK_PROBE, .flags = ASK_TAKE, .id = 9, .peer = ANY_PEER, .tag = 6, .until = TIME_NEVER};
    take(0, &probe, NULL);
    const uint64_t now = kept[0].answer.time;
    assert_int_equal(now, LATENCY + 2 * BYTE);
    assert_int_equal(kept[0].entries[0].bytes, 1);
    probe = (Ask){.kind = ASK_PROBE, .time = now, .peer = ANY_PEER, .tag = 6, .until = now + 1};
    take(0, &probe, NULL);
    assert_int_equal(kept[0].answer.kind, ANSWER_NOT_YET);
    const Ask taken = {.kind = ASK_RECEIVE,
                       .flags = ASK_TAKEN,
                       .time = now + 1,
                       .id = 1,
                       .bytes = 9,
                       .peer = ANY_PEER,
                       .tag = ANY_TAG};
    take(0, &taken, NULL);
    wait_for(0, now + 1, ASK_WAIT_ALL, 1, TIME_NEVER);
    assert_string_equal(kept[0].text, "b");
}

/* -- together -- */

static void ranks_meet_behind_the_last(void **state)
{
    (void)state;
    static const uint64_t times[] = {300, 900, 100, 200};
    for (uint32_t i = 0; i < RANKS; i++) {
        const Ask ask = {.kind = ASK_MEET, .time = times[i], .id = 1, .count = RANKS, .bytes = 50};
        assert_int_equal(kept[0].count, 0);
        take(i, &ask, NULL);
    }
    for (uint32_t i = 0; i < RANKS; i++)
        assert_int_equal(kept[i].answer.time, 950);
}

static void ask_leave(uint32_t rank, uint64_t time, uint64_t until)
{
    const Ask ask = {.kind = ASK_LEAVE, .time = time, .until = until};
    take(rank, &ask, NULL);
}

/* Ranks advance side by side, none further than a latency ahead of the last. */
static void leave_is_given_a_latency_ahead(void **state)
{
    (void)state;
    all_but_say_bye(2);
    ask_leave(0, 0, 5000);
    assert_int_equal(kept[0].answer.time, LATENCY);
    ask_leave(1, 0, 700);
    assert_int_equal(kept[1].answer.time, 700);
    const Ask parcel = {.kind = ASK_PARCEL, .time = 300, .peer = 1, .until = 1300, .tail = 3};
    take(0, &parcel, "abc");
    ask_leave(0, LATENCY, 5000);
    assert_int_equal(kept[0].count, 1); /* rank 1 is at 0 */
    ask_leave(1, 700, 5000);
    assert_int_equal(kept[0].answer.time, 700 + LATENCY);
    assert_int_equal(kept[1].answer.time, 2 * LATENCY);
    assert_int_equal(kept[1].entries[0].time, 1300);
    assert_string_equal(kept[1].text, "abc");
}

/* A message that arrives later than a rank asks for it has not come, though the rank has leave to go beyond. */
static void leave_does_not_bring_messages_forward(void **state)
{
    (void)state;
    all_but_say_bye(2);
    receive(1, 0, 0, 7, 1);
    send_to(0, 1, 0, 7, "abc", 0);
    reach(0, 9000);
    ask_leave(1, 100, 5000);
    assert_int_equal(kept[1].answer.time, 100 + 2 * LATENCY);
    wait_for(1, 200, ASK_WAIT_ALL, 1, TIME_NEVER);
    assert_int_equal(kept[1].answer.kind, ANSWER_DONE);
    assert_int_equal(kept[1].answer.time, LATENCY + 3 * BYTE);
}

/* What a rank can do may come back to it: no leave is longer than that, though all others have ended. */
static void leave_ends_before_an_answer_can_come(void **state)
{
    (void)state;
    all_but_say_bye(1);
    const Ask work = {.kind = ASK_LEAVE, .time = 10, .next = 100, .until = TIME_NEVER};
    take(0, &work, NULL);
    assert_int_equal(kept[0].answer.kind, ANSWER_LEAVE);
    assert_int_equal(kept[0].answer.time, 100 + 2 * LATENCY);
    const Ask nothing = {.kind = ASK_LEAVE, .time = 200, .next = TIME_NEVER, .until = TIME_NEVER};
    take(0, &nothing, NULL);
    assert_int_equal(kept[0].answer.kind, ANSWER_ALONE);
    assert_int_equal(kept[0].answer.time, TIME_NEVER);
}

/* A rank that waits for a message is let serve a parcel that comes before it, and still waits. */
static void ranks_serve_while_they_wait(void **state)
{
    (void)state;
    all_but_say_bye(2);
    receive(1, 0, 0, 7, 1);
    const Ask wait = {.kind = ASK_WAIT_ALL,
                      .flags = ASK_SERVES,
                      .next = TIME_NEVER,
                      .until = TIME_NEVER,
                      .tail = sizeof *both};
    take(1, &wait, both);
    assert_int_equal(kept[1].count, 0);
    const Ask parcel = {.kind = ASK_PARCEL, .time = 300, .peer = 1, .until = 1300, .tail = 3};
    take(0, &parcel, "abc");
    reach(0, 600);
    assert_int_equal(kept[1].answer.kind, ANSWER_LEAVE);
    assert_int_equal(kept[1].answer.time, 600 + LATENCY);
    assert_int_equal(kept[1].entries[0].time, 1300);
    send_to(0, 1, 600, 7, "x", 0);
    reach(0, 9000);
    assert_int_equal(kept[1].count, 1); /* until it has done so */
    const Ask back = {.kind = ASK_PARCEL, .time = 0, .peer = 0, .until = 2400, .tail = 3};
    take(1, &back, "def");
    const Ask served = {.kind = ASK_SERVED, .time = 1600, .next = TIME_NEVER};
    take(1, &served, NULL);
    assert_int_equal(kept[1].answer.kind, ANSWER_DONE);
    assert_int_equal(kept[1].answer.time, 600 + LATENCY + BYTE);
}

/* -- strands -- */

static void strand_asks(uint32_t rank, uint32_t strand, AskKind kind, uint64_t time, uint64_t id)
{
    const Ask ask = {.kind = kind,
                     .time = time,
                     .strand = strand,
                     .id = id,
                     .peer = kind == ASK_RECEIVE ? 0 : 2,
                     .tag = 40 + (int32_t)strand,
                     .bytes = kind == ASK_SEND,
                     .until = TIME_NEVER,
                     .tail = kind == ASK_SEND       ? 1
                             : kind == ASK_WAIT_ALL ? sizeof id
                                                    : 0,
                     .call = "MPI_Ibcast"};
    take(rank, &ask, kind == ASK_SEND ? (const void *)"x" : &id);
}

/* Rank 1 passes on what rank 0 sends, by a strand, at its time: its own is later. */
static void strands_have_their_own_time(void **state)
{
    (void)state;
    bye(3, 0);
    strand_asks(1, 1, ASK_BEGIN, 100, 1);
    strand_asks(1, 1, ASK_RECEIVE, 100, 10);
    strand_asks(1, 1, ASK_WAIT_ALL, 100, 10);
    reach(1, 9000);
    send_to(0, 1, 200, 41, "a", 0);
    bye(0, 300);
    assert_int_equal(kept[1].count, 0);
    receive(2, 1, 0, 41, 1);
    wait_for(2, 0, ASK_WAIT_ALL, 1, TIME_NEVER);
    assert_int_equal(kept[1].answer.strand, 1);
    assert_int_equal(kept[1].answer.time, 200 + LATENCY + BYTE);
    strand_asks(1, 1, ASK_SEND, 2200, 0);
    strand_asks(1, 1, ASK_END, 2200, 1);
    assert_int_equal(kept[2].answer.time, 2200 + LATENCY + BYTE);
    bye(2, 4200);
    wait_for(1, 9500, ASK_WAIT_ALL, 1, TIME_NEVER);
    assert_int_equal(kept[1].answer.strand, 0);
    assert_int_equal(kept[1].answer.time, 9500); /* it has ended before */
}

/* A strand that has been answered and not gone on may still send: nobody looks beyond. */
static void a_strand_holds_others_back(void **state)
{
    (void)state;
    bye(3, 0);
    strand_asks(1, 1, ASK_BEGIN, 100, 1);
    wait_for(1, 8000, ASK_WAIT_ALL, 1, TIME_NEVER);
    bye(0, 300);
    receive(2, 1, 0, 41, 1);
    wait_for(2, 0, ASK_WAIT_ALL, 1, 100 + LATENCY + BYTE + 99);
    assert_int_equal(kept[2].count, 0);
    strand_asks(1, 1, ASK_SEND, 200, 0);
    strand_asks(1, 1, ASK_END, 250, 1);
    assert_int_equal(kept[2].answer.kind, ANSWER_NOT_YET); /* it comes a picosecond later */
    assert_int_equal(kept[2].answer.time, 100 + LATENCY + BYTE + 99);
    bye(2, 2500);
    assert_int_equal(kept[1].answer.time, 8000);
}

/* Two strands and the rank send at one time: it does first, whoever was heard first. */
static void strands_send_in_their_order(void **state)
{
    (void)state;
    bye(3, 0);
    bye(0, 0);
    receive(2, 1, 0, ANY_TAG, 1);
    receive(2, 1, 0, ANY_TAG, 2);
    wait_for(2, 0, ASK_WAIT_ALL, 2, TIME_NEVER);
    strand_asks(1, 1, ASK_BEGIN, 100, 1);
    strand_asks(1, 2, ASK_BEGIN, 100, 2);
    strand_asks(1, 2, ASK_SEND, 100, 0);
    strand_asks(1, 1, ASK_SEND, 100, 0);
    send_to(1, 2, 100, 7, "m", 0);
    strand_asks(1, 2, ASK_END, 100, 2);
    strand_asks(1, 1, ASK_END, 100, 1);
    wait_for(1, 100, ASK_WAIT_ALL, 2, TIME_NEVER);
    assert_int_equal(kept[1].answer.time, 100);
    bye(1, 100);
    assert_int_equal(kept[2].entries[0].tag, 7);
    assert_int_equal(kept[2].entries[1].tag, 41);
}

/* -- ends -- */

static void a_deadlock_is_told_by_rank_call_and_tag(void **state)
{
    (void)state;
    bye(3, 0);
    send_to(0, 1, 100, 5, "longer", 1);
    wait_for(0, 100, ASK_WAIT_ALL, 1, TIME_NEVER);
    receive(1, 0, 0, 6, 1);
    receive(1, ANY_PEER, 0, 8, 2);
    wait_for(1, 0, ASK_WAIT_ALL, 2, TIME_NEVER);
    const Ask probe = {.kind = ASK_PROBE, .peer = 1, .tag = 2, .until = TIME_NEVER, .call = "MPI_Probe"};
    take(2, &probe, NULL);
    const char *sentence = conductor_sentence(conductor);
    assert_non_null(strstr(sentence, "rank 0 waits in MPI_Wait for MPI_Isend to rank 1 with tag 5"));
    assert_non_null(strstr(sentence, "rank 1 waits in MPI_Wait for MPI_Irecv from rank 0 with tag 6 and for "
                                     "MPI_Irecv from any rank with tag 8;"));
    assert_non_null(strstr(sentence, "rank 2 waits in MPI_Probe from rank 1 with tag 2"));
    assert_non_null(strstr(sentence, "rank 3 has ended"));
    for (uint32_t i = 0; i < 3; i++)
        assert_string_equal(kept[i].text, sentence);
    assert_true(conductor_is_over(conductor));
}

static void a_rank_that_dies_is_named(void **state)
{
    (void)state;
    receive(1, 2, 0, 6, 1);
    wait_for(1, 0, ASK_WAIT_ALL, 1, TIME_NEVER);
    send_to(2, 0, 50, 1, "a", 0);
    conductor_lose(conductor, 2);
    assert_non_null(strstr(kept[1].text, "Rank 2 has died"));
    assert_non_null(strstr(kept[0].text, "it ran behind its call of MPI_Isend"));
    assert_int_equal(kept[2].count, 0);
}

static void goodbye_is_no_death(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < RANKS; i++) {
        assert_false(conductor_is_over(conductor));
        bye(i, i);
        conductor_lose(conductor, i);
    }
    assert_true(conductor_is_over(conductor));
    assert_string_equal(conductor_sentence(conductor), "");
}

/* -- over sockets -- */

/* What a rank does: meets the other, at that time. */
static bool meet_over_sockets(const ServerPlace *place, uint32_t rank, uint64_t time)
{
    char sentence[256];
    Answer answer;
    Ask ask = {.kind = ASK_MEET, .time = time, .count = 2, .bytes = 5};
    if (!client_open(place, rank, sentence, sizeof sentence))
        return false;
    client_ask(&ask, NULL);
    xfree(client_answer(&answer));
    ask = (Ask){.kind = ASK_BYE, .time = answer.time};
    client_ask(&ask, NULL);
    client_flush();
    client_close();
    return answer.kind == ANSWER_DONE && answer.time == 105;
}

/* As if it were on another machine: not by loopback's own way, but by the address that the server gave. */
static void ranks_reach_the_server_by_its_addresses(void **state)
{
    (void)state;
    char sentence[256];
    ServerPlace place;
    const Network network = {.network_latency_ns = 1, .network_rate = 1};
    Server *server = server_start(2, &network, &place, sentence, sizeof sentence);
    assert_non_null(server);
    const pid_t child = fork();
    if (child == 0) {
        ServerPlace far = place;
        snprintf(far.host, sizeof far.host, "elsewhere");
        far.addresses[0] = htonl(INADDR_LOOPBACK);
        far.address_count = 1;
        _exit(meet_over_sockets(&far, 1, 100) ? 0 : 1);
    }
    int status;
    assert_true(meet_over_sockets(&place, 0, 40));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    server_join(server);
}

/* Rank 0 may be killed, and the conductor with it: nobody is left to say so but the connection's end. */
static void a_conductor_that_dies_is_named(void **state)
{
    (void)state;
    char sentence[256];
    ServerPlace place = {0};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    gethostname(place.host, SERVER_HOST_SIZE - 1);
    place.port = ntohs(address.sin_port);
    assert_true(client_open(&place, 1, sentence, sizeof sentence));
    close(accept(listener, NULL, NULL));
    Answer answer;
    uint8_t *tail = client_answer(&answer);
    assert_int_equal(answer.kind, ANSWER_END);
    assert_string_equal((char *)tail,
                        "Rank 0, which conducts the others, has died, or ended without MPI_Finalize.");
    xfree(tail);
    client_close();
    close(listener);
}

static void knobs_come_as_lines(void **state)
{
    (void)state;
    Network network;
    const char *line;
    assert_true(network_read("network_rate=3\nnetwork_gpu_direct=false\n", &network, &line));
    assert_int_equal(network.network_rate, 3);
    assert_false(network.network_gpu_direct);
    assert_int_equal(network_transfer(&network, 10), 3333334);
    assert_true(network_read(NULL, &network, &line));
    assert_true(network.network_gpu_direct);
    assert_false(network_read("network_rate=3\nnetwork_speed=4\n", &network, &line));
    assert_string_equal(line, "network_speed=4\n");
}

int main(void)
{
#define STAGED(test) cmocka_unit_test_setup_teardown(test, begin, end)
    const struct CMUnitTest tests[] = {
        STAGED(a_message_takes_latency_and_its_bytes),
        STAGED(a_card_sends_and_takes_one_after_the_other),
        STAGED(a_long_message_asks_first),
        STAGED(messages_of_a_rank_do_not_overtake),
        STAGED(wildcards_take_the_earliest),
        STAGED(of_messages_at_one_time_the_lowest_ranks_comes_first),
        STAGED(looks_wait_for_those_behind),
        STAGED(probes_find_and_take),
        STAGED(ranks_meet_behind_the_last),
        STAGED(leave_is_given_a_latency_ahead),
        STAGED(leave_does_not_bring_messages_forward),
        STAGED(leave_ends_before_an_answer_can_come),
        STAGED(ranks_serve_while_they_wait),
        STAGED(strands_have_their_own_time),
        STAGED(a_strand_holds_others_back),
        STAGED(strands_send_in_their_order),
        STAGED(a_deadlock_is_told_by_rank_call_and_tag),
        STAGED(a_rank_that_dies_is_named),
        STAGED(goodbye_is_no_death),
        cmocka_unit_test(ranks_reach_the_server_by_its_addresses),
        cmocka_unit_test(a_conductor_that_dies_is_named),
        cmocka_unit_test(knobs_come_as_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
