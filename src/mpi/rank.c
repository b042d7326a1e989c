/* The rank's clock, its begin and its end. */
#include "mpi/rank.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "conduct/client.h"
#include "conduct/parcels.h"
#include "conduct/server.h"
#include "mpi/communicator.h"
#include "mpi/strand.h"

Own own = {.next_id = 1};
static Server *server; /* of rank 0 */
/* Held by calls, and while the conductor is told how far CUDA is, by whatever thread that is. */
static pthread_mutex_t calls = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* -- calls -- */

void rank_begin(const char *call)
{
    const uint64_t time = device_time();
    pthread_mutex_lock(&calls);
    own.call = call;
    if (own.now < time)
        own.now = time;
    own.begun = own.now;
}

int rank_end(int error)
{
    if (own.is_open)
        client_flush();
    device_reach(own.now);
    own.inside += own.now - own.begun;
    pthread_mutex_unlock(&calls);
    return error;
}

/* A thread of the program may be in a call meanwhile: then its time is known. So it is where GPUs ask for
 * leave. */
void rank_is_at(uint64_t picoseconds)
{
    static uint64_t told;
    if (pthread_mutex_trylock(&calls))
        return;
    if (own.is_open && !own.network.network_ranks && picoseconds > own.now && picoseconds > told) {
        Ask ask = rank_ask(ASK_TIME);
        ask.time = told = picoseconds;
        client_ask(&ask, NULL);
        client_flush();
    }
    pthread_mutex_unlock(&calls);
}

void rank_spend(uint64_t picoseconds) { own.now += picoseconds; }

/* Before others hear that the rank is at some time, its GPUs are there. */
Ask rank_ask(AskKind kind)
{
    if (!strand_number()) /* whose time is not the host's */
        device_go(own.now);
    Ask ask = {.kind = kind, .time = own.now, .until = TIME_NEVER, .strand = strand_number()};
    snprintf(ask.call, sizeof ask.call, "%s", own.call);
    return ask;
}

/* Rank 0 stays until all have been told. */
static _Noreturn void end(int status)
{
    own.is_open = false;
    device_reach(own.now);
    server_join(server);
    exit(status ? status : EXIT_FAILURE);
}

/* The answer to what the rank has asked last; strands go on with theirs. */
static uint8_t *own_answer(Answer *answer)
{
    uint8_t *bytes;
    while (bytes = client_answer(answer), answer->strand)
        strand_go_on(answer, bytes);
    return bytes;
}

static uint8_t *take_answer(Answer *answer)
{
    uint8_t *bytes = own_answer(answer);
    if (answer->kind != ANSWER_END)
        return bytes;
    if (answer->count)
        fprintf(stderr, "warpbeam: rank %u, in %s: %s\n", own.rank, own.call, (const char *)bytes);
    end((int)answer->time);
}

/* For GPUs that want leave to go on. Where the program ends instead, the CUDA call fails that has made them
 * go on, and the next call of MPI ends the rank. */
static uint8_t *ask_leave(const Ask *ask, Answer *answer)
{
    client_ask(ask, NULL);
    uint8_t *bytes = own_answer(answer);
    if (answer->kind == ANSWER_END && answer->count)
        fprintf(stderr, "warpbeam: rank %u, in a CUDA call: %s\n", own.rank, (const char *)bytes);
    return bytes;
}

static Leave leave(uint64_t now, uint64_t next, uint64_t until, TransportTake *take, void *taker)
{
    return parcels_leave(now, next, until, take, taker, ask_leave);
}

const Transport *warpbeam_mpi_transport(void)
{
    static Transport transport;
    if (!own.is_open || !own.network.network_ranks)
        return NULL;
    transport = (Transport){own.rank, own.size, parcels_send, leave};
    return &transport;
}

/* The rank's GPUs go on while its host waits. */
static uint8_t *serve(uint8_t *bytes, Answer *answer)
{
    while (answer->kind == ANSWER_LEAVE || answer->kind == ANSWER_ALONE) {
        Ask ask = {.kind = ASK_SERVED};
        device_serve(answer, bytes);
        xfree(bytes);
        device_work(&ask.time, &ask.next);
        snprintf(ask.call, sizeof ask.call, "%s", own.call);
        client_ask(&ask, NULL);
        bytes = take_answer(answer);
    }
    return bytes;
}

uint8_t *rank_answer(const Ask *ask, const void *tail, Answer *answer)
{
    Ask asked = *ask;
    uint64_t now;
    if (strand_number()) {
        client_ask(ask, tail);
        return strand_wait(answer);
    }
    if (device_work(&now, &asked.next))
        asked.flags |= ASK_SERVES;
    client_ask(&asked, tail);
    device_wait(true);
    uint8_t *bytes = serve(take_answer(answer), answer);
    device_wait(false);
    if (answer->time > own.now)
        own.now = answer->time;
    return bytes;
}

_Noreturn void rank_abort(int status)
{
    Ask ask = rank_ask(ASK_ABORT);
    Answer answer;
    ask.tag = status;
    client_ask(&ask, NULL);
    client_answer(&answer);
    end(status);
}

/* -- what goes wrong -- */

int rank_fail(MPI_Comm communicator, int error, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    MPI_Errhandler handler;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "warpbeam: %s of rank %u: %s\n", own.call, own.rank, text);
    if (communicator == MPI_COMM_NULL)
        communicator = MPI_COMM_WORLD;
    PMPI_Comm_get_errhandler(communicator, &handler);
    if (handler == MPI_ERRORS_ARE_FATAL)
        rank_abort(error);
    PMPI_Errhandler_free(&handler);
    PMPI_Comm_call_errhandler(communicator, error);
    return error;
}

void rank_tell_uncovered(const char *call)
{
    enum { MOST = 512 };
    static const char *told[MOST];
    static size_t count;
    for (size_t i = 0; i < count; i++)
        if (told[i] == call)
            return;
    if (count < MOST)
        told[count++] = call;
    fprintf(stderr,
            "warpbeam: rank %u: %s is not covered: MPI does its work, in no simulated time, and may wait for "
            "ever for a rank that waits in another call.\n",
            own.rank, call);
}

/* -- the program's begin -- */

static _Noreturn void give_up(const char *sentence)
{
    fprintf(stderr, "warpbeam: %s\n", sentence);
    PMPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    exit(EXIT_FAILURE);
}

/* All ranks have one network. */
static void compare_networks(void)
{
    Network first = own.network;
    char sentence[128];
    PMPI_Bcast(&first, sizeof first, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (memcmp(&first, &own.network, sizeof first) == 0)
        return;
    snprintf(sentence, sizeof sentence,
             "Rank %u has other knobs network_... than rank 0: give all ranks the same.", own.rank);
    give_up(sentence);
}

/* Where rank 0 ends without MPI_Finalize, the conductor in its process still tells all ranks, and is not cut
 * off by the process's end: mpirun may kill ranks that wait before they find their connection closed. A child
 * that the program has forked has no conductor. */
static void part_at_exit(void)
{
    if (!own.is_open || own.process != getpid())
        return;
    own.is_open = false;
    client_close();
    server_join(server);
}

/* MPI tells all ranks where the conductor is. */
static void open_rank(void)
{
    int rank, size;
    const char *line;
    char sentence[512];
    ServerPlace place = {0};
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    own.rank = (uint32_t)rank;
    own.size = (uint32_t)size;
    if (!network_read(getenv("WARPBEAM_NETWORK"), &own.network, &line))
        give_up("WARPBEAM_NETWORK holds lines of knobs, network_...=VALUE, as `warpbeam run` writes them.");
    compare_networks();
    if (rank == 0 && !(server = server_start(own.size, &own.network, &place, sentence, sizeof sentence)))
        give_up(sentence);
    PMPI_Bcast(&place, sizeof place, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (!client_open(&place, own.rank, sentence, sizeof sentence))
        give_up(sentence);
    client_flush();
    own.is_open = true;
    own.process = getpid();
    if (rank == 0)
        atexit(part_at_exit);
    device_join();
    communicator_open();
}

/* Open MPI would take the signals of crashes, by which statistics are written (rt/finish.c). */
static void keep_signals(void) { setenv("OMPI_MCA_opal_signal", "", 0); }

int MPI_Init(int *argc, char ***argv)
{
    keep_signals();
    const int error = PMPI_Init(argc, argv);
    if (error)
        return error;
    rank_begin("MPI_Init");
    open_rank();
    return rank_end(MPI_SUCCESS);
}

/* Threads would ask in the order in which the host runs them. */
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    const int most = required > MPI_THREAD_SERIALIZED ? MPI_THREAD_SERIALIZED : required;
    keep_signals();
    const int error = PMPI_Init_thread(argc, argv, most, provided);
    if (error)
        return error;
    if (*provided > MPI_THREAD_SERIALIZED)
        *provided = MPI_THREAD_SERIALIZED;
    rank_begin("MPI_Init_thread");
    open_rank();
    return rank_end(MPI_SUCCESS);
}

int MPI_Query_thread(int *provided)
{
    const int error = PMPI_Query_thread(provided);
    if (*provided > MPI_THREAD_SERIALIZED)
        *provided = MPI_THREAD_SERIALIZED;
    return error;
}

/* -- its end -- */

static void tell_summary(void)
{
    const char *wanted = getenv("WARPBEAM_SUMMARY");
    if (wanted && strcmp(wanted, "1") == 0)
        fprintf(stderr,
                "warpbeam: rank %u: MPI took %.3f of %.3f us; it has sent %llu messages with %llu bytes.\n",
                own.rank, (double)own.inside * 1e-6, (double)own.now * 1e-6, (unsigned long long)own.messages,
                (unsigned long long)own.bytes);
}

int MPI_Finalize(void)
{
    rank_begin("MPI_Finalize");
    strand_wait_for_all();
    communicator_meet(communicator_of(MPI_COMM_WORLD), 0);
    const Ask ask = rank_ask(ASK_BYE);
    client_ask(&ask, NULL);
    client_flush();
    own.is_open = false;
    device_part();
    server_join(server);
    server = NULL;
    client_close();
    rank_end(MPI_SUCCESS);
    tell_summary();
    return PMPI_Finalize();
}

int MPI_Abort(MPI_Comm communicator, int status)
{
    if (!own.is_open)
        return PMPI_Abort(communicator, status);
    rank_begin("MPI_Abort");
    rank_abort(status);
}

/* -- time -- */

double MPI_Wtime(void)
{
    const uint64_t time = device_time();
    return (double)(time > own.now ? time : own.now) * 1e-12;
}

double MPI_Wtick(void) { return 1e-12; }
