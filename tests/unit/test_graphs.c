/* The inputs of the irregular workloads: rows made of edges, and generators with their promised shapes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graphs/dice.h"
#include "graphs/fingerprint.h"
#include "graphs/generate.h"
#include "graphs/networks.h"
#include "graphs/graph.h"
#include "graphs/statistics.h"
#include "graphs/tables.h"

enum { SEED = 1 };

static void assert_near(double value, double expected, double apart)
{
    if (!(fabs(value - expected) <= apart))
        fail_msg("%g is not within %g of %g", value, apart, expected);
}

static void assert_sound(const Graph *graph)
{
    assert_int_equal(graph->starts[0], 0);
    assert_int_equal(graph->starts[graph->vertices], graph->edges);
    for (uint32_t v = 0; v < graph->vertices; v++) {
        assert_true(graph->starts[v] <= graph->starts[v + 1]);
        for (uint32_t i = graph->starts[v]; i < graph->starts[v + 1]; i++) {
            assert_true(graph->columns[i] < graph->targets);
            assert_true(i == graph->starts[v] || graph->columns[i - 1] <= graph->columns[i]);
        }
    }
}

/* The lightest edge in a dense matrix, and how many there are. */
typedef struct Cell {
    uint32_t count, lightest;
} Cell;

enum { NAIVE_VERTICES = 37, NAIVE_EDGES = 600 };

static void note(Cell cells[NAIVE_VERTICES][NAIVE_VERTICES], uint32_t from, uint32_t to, uint32_t weight)
{
    Cell *cell = &cells[from][to];
    cell->lightest = cell->count && cell->lightest < weight ? cell->lightest : weight;
    cell->count++;
}

static void compare_with_naive(GraphOptions options)
{
    static Cell cells[NAIVE_VERTICES][NAIVE_VERTICES];
    memset(cells, 0, sizeof cells);
    Dice dice = {SEED};
    InputError error = {0};
    Graph graph;
    Edges edges = edges_begin(NAIVE_VERTICES, true);
    for (int i = 0; i < NAIVE_EDGES; i++) {
        const uint32_t from = dice_below(&dice, NAIVE_VERTICES), to = dice_below(&dice, NAIVE_VERTICES);
        const uint32_t weight = dice_below(&dice, 1000);
        assert_true(edges_add(&edges, from, to, weight, &error));
        if (from == to && options.drop_loops)
            continue;
        note(cells, from, to, weight);
        if (options.undirected && from != to)
            note(cells, to, from, weight);
    }
    assert_true(graph_make(&edges, options, &graph, &error));
    assert_sound(&graph);
    uint32_t next = 0;
    for (uint32_t from = 0; from < NAIVE_VERTICES; from++) {
        assert_int_equal(graph.starts[from], next);
        for (uint32_t to = 0; to < NAIVE_VERTICES; to++) {
            const uint32_t count = cells[from][to].count, first = next;
            uint32_t lightest = UINT32_MAX;
            next += options.drop_duplicates ? count > 0 : count;
            for (uint32_t i = first; i < next; i++) {
                assert_int_equal(graph.columns[i], to);
                lightest = graph.weights[i] < lightest ? graph.weights[i] : lightest;
            }
            assert_true(!count || lightest == cells[from][to].lightest);
        }
    }
    assert_int_equal(graph.edges, next);
    graph_discard(&graph);
}

static void test_rows_equal_a_naive_construction(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++)
        compare_with_naive((GraphOptions){i & 1, i & 2, i & 4});
}

static void test_graphs_without_vertices_or_edges(void **state)
{
    (void)state;
    for (uint32_t vertices = 0; vertices < 3; vertices++) {
        InputError error = {0};
        Graph graph;
        Edges edges = edges_begin(vertices, false);
        assert_true(graph_make(&edges, (GraphOptions){true, true, true}, &graph, &error));
        assert_sound(&graph);
        assert_null(graph.weights);
        const GraphStatistics statistics = graph_statistics(&graph);
        assert_int_equal(statistics.histogram[0], vertices);
        assert_true(statistics.mean == 0 && statistics.variance == 0 && !statistics.smallest);
        graph_discard(&graph);
    }
}

static void test_statistics_of_a_star(void **state)
{
    (void)state;
    InputError error = {0};
    Graph graph;
    Edges edges = edges_begin(10, false);
    for (uint32_t leaf = 1; leaf < 9; leaf++)
        assert_true(edges_add(&edges, 0, leaf, 0, &error));
    assert_true(graph_make(&edges, (GraphOptions){.undirected = true}, &graph, &error));
    const GraphStatistics statistics = graph_statistics(&graph);
    assert_int_equal(statistics.edges, 16);
    assert_int_equal(statistics.smallest, 0);
    assert_int_equal(statistics.largest, 8);
    assert_near(statistics.mean, 1.6, 1e-12);
    assert_near(statistics.variance, (64 + 8 * 1.0) / 10 - 1.6 * 1.6, 1e-9);
    assert_int_equal(statistics.histogram[0], 1);
    assert_int_equal(statistics.histogram[1], 8);
    assert_int_equal(statistics.histogram[4], 1);
    graph_discard(&graph);
}

static Graph small_graph(const char *name, uint64_t seed)
{
    InputError error = {0};
    Graph graph;
    assert_true(graph_generate(name, INPUT_SMALL, seed, &graph, &error));
    assert_string_equal(error.text, "");
    assert_sound(&graph);
    for (uint32_t i = 0; i < graph.edges; i++)
        assert_true(graph.weights[i] >= 1);
    return graph;
}

/* Changing a generator changes every result measured with it: this test makes that a decision. */
static void test_graphs_are_the_same_everywhere(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t fingerprint;
    } known[GRAPH_GENERATORS] = {
        {"citation", 0xb54eae6c821678b8u}, {"road", 0x1cfd397491a4226u},   {"cage", 0x7261b7a0cd814132u},
        {"graph500", 0x56bfa1969896a4bbu}, {"flight", 0x549ca49ccd3bfb4cu}, {"graph500-balanced", 0x85ba0f628cfde9beu},
    };
    for (int i = 0; i < GRAPH_GENERATORS; i++) {
        Graph graph = small_graph(known[i].name, SEED), other = small_graph(known[i].name, SEED + 1);
        assert_int_equal(graph_fingerprint(&graph), known[i].fingerprint);
        assert_int_not_equal(graph_fingerprint(&other), known[i].fingerprint);
        graph_discard(&graph);
        graph_discard(&other);
    }
}

/* How many vertices a search from the source finds. */
static uint32_t count_found(const Network *network)
{
    const Graph *graph = &network->graph;
    uint8_t *seen = calloc(graph->vertices, 1);
    uint32_t *queue = calloc(graph->vertices, sizeof *queue), tail = 1;
    assert_non_null(seen);
    assert_non_null(queue);
    queue[0] = network->source, seen[network->source] = 1;
    for (uint32_t head = 0; head < tail; head++)
        for (uint32_t edge = graph->starts[queue[head]]; edge < graph->starts[queue[head] + 1]; edge++)
            if (!seen[graph->columns[edge]])
                seen[graph->columns[edge]] = 1, queue[tail++] = graph->columns[edge];
    free(seen), free(queue);
    return tail;
}

/* The networks of the synchronization thesis: as they were when results were measured, and samples in one
 * piece around the source. */
static void test_networks_and_their_samples(void **state)
{
    (void)state;
    static const uint64_t known[NETWORKS] = {0x923a7d64371b9f6bu, 0x77ce9138cdeedd50u, 0xa4e7f77a97a82bbcu,
                                             0x49ea513973879a4au};
    for (int kind = 0; kind < NETWORKS; kind++) {
        InputError error = {0};
        NetworkWish wish = {.kind = (NetworkKind)kind, .tiny = true, .seed = 1};
        Network whole, sample;
        assert_true(network_make(&wish, &whole, &error));
        wish.sample = 300;
        assert_true(network_make(&wish, &sample, &error));
        assert_sound(&whole.graph);
        assert_sound(&sample.graph);
        assert_int_equal(graph_fingerprint(&whole.graph), known[kind]);
        assert_int_equal(sample.graph.vertices, 300);
        assert_int_equal(count_found(&sample), 300);
        assert_int_equal(graph_degree(&sample.graph, sample.source),
                         graph_degree(&whole.graph, whole.source));
        graph_discard(&sample.graph);
        graph_discard(&whole.graph);
    }
}

static void test_unknown_names_list_the_known(void **state)
{
    (void)state;
    InputError error = {0};
    Graph graph;
    assert_false(graph_generate("rode", INPUT_SMALL, SEED, &graph, &error));
    assert_non_null(strstr(error.text, "'rode'"));
    assert_non_null(strstr(error.text, "citation, road, cage, graph500, graph500-balanced, flight"));
}

/* Vertices that vertex 0 reaches, and in how many steps the last. */
static uint32_t reach(const Graph *graph, uint32_t *steps)
{
    uint32_t *queue = malloc(graph->vertices * sizeof *queue),
             *depth = calloc(graph->vertices, sizeof *depth);
    uint32_t head = 0, tail = 1;
    queue[0] = 0;
    depth[0] = 1;
    for (; head < tail; head++)
        for (uint32_t i = graph->starts[queue[head]]; i < graph->starts[queue[head] + 1]; i++)
            if (!depth[graph->columns[i]]) {
                depth[graph->columns[i]] = depth[queue[head]] + 1;
                queue[tail++] = graph->columns[i];
            }
    *steps = depth[queue[tail - 1]] - 1;
    free(queue);
    free(depth);
    return tail;
}

static void assert_symmetric(const Graph *graph)
{
    InputError error = {0};
    Graph transposed;
    assert_true(graph_transpose(graph, &transposed, &error));
    assert_int_equal(graph_fingerprint(graph), graph_fingerprint(&transposed));
    graph_discard(&transposed);
}

static void test_roads_are_long_and_thin(void **state)
{
    (void)state;
    uint32_t steps;
    Graph graph = small_graph("road", SEED);
    const GraphStatistics statistics = graph_statistics(&graph);
    assert_symmetric(&graph);
    assert_near(statistics.mean, 2.41, 0.1);
    assert_in_range(statistics.largest, 4, 9);
    assert_true(statistics.smallest >= 1);
    assert_int_equal(reach(&graph, &steps), graph.vertices);
    assert_in_range(steps, 128, 2000);
    graph_discard(&graph);
}

static void test_flights_have_few_hubs(void **state)
{
    (void)state;
    uint32_t steps;
    Graph graph = small_graph("flight", SEED);
    const GraphStatistics statistics = graph_statistics(&graph);
    assert_symmetric(&graph);
    const uint32_t few = statistics.histogram[1] + statistics.histogram[2] + statistics.histogram[3];
    assert_true(few > graph.vertices * 3 / 4);
    /* OpenFlights' largest hub reaches one airport in fourteen. */
    assert_in_range(statistics.largest, graph.vertices / 18, graph.vertices / 11);
    assert_near(statistics.mean, 11, 0.5);
    assert_int_equal(reach(&graph, &steps), graph.vertices);
    assert_true(steps < 10);
    graph_discard(&graph);
}

static void test_citations_point_back_and_follow_a_power_law(void **state)
{
    (void)state;
    InputError error = {0};
    Graph graph, cited;
    CitationParameters parameters = citation_sizes[INPUT_SMALL];
    parameters.directed = true;
    assert_true(citation_make(&parameters, SEED, &graph, &error));
    for (uint32_t v = 0; v < graph.vertices; v++)
        for (uint32_t i = graph.starts[v]; i < graph.starts[v + 1]; i++)
            assert_true(graph.columns[i] < v);
    assert_true(graph_transpose(&graph, &cited, &error));
    const GraphStatistics statistics = graph_statistics(&cited);
    assert_near(statistics.mean, 4, 0.3);
    assert_true(statistics.largest > 20 * statistics.mean);
    /* Each class of twice the citations is rarer than the one before, but the tail does not end. */
    for (int k = 4; k < 7; k++)
        assert_in_range(statistics.histogram[k + 1], statistics.histogram[k] / 12,
                        statistics.histogram[k] * 2 / 3);
    graph_discard(&graph);
    graph_discard(&cited);
}

static void test_cage_rows_are_alike_and_banded(void **state)
{
    (void)state;
    Graph graph = small_graph("cage", SEED);
    const GraphStatistics statistics = graph_statistics(&graph);
    uint32_t farthest = 0;
    assert_symmetric(&graph);
    assert_near(statistics.mean, 18.2, 0.5);
    assert_near(sqrt(statistics.variance), 5.5, 0.3);
    assert_true(statistics.largest <= 47);
    for (uint32_t v = 0; v < graph.vertices; v++)
        for (uint32_t i = graph.starts[v]; i < graph.starts[v + 1]; i++) {
            const uint32_t apart = (uint32_t)abs((int)graph.columns[i] - (int)v);
            farthest = apart > farthest ? apart : farthest;
            assert_true(apart > 0);
        }
    assert_in_range(farthest, graph.vertices / 32, graph.vertices / 8);
    graph_discard(&graph);
}

static void test_the_diagonal_of_a_cage_is_a_choice(void **state)
{
    (void)state;
    InputError error = {0};
    Graph graph;
    CageParameters parameters = {.rows = 500, .bands = 4, .fill_permille = 500, .diagonal = true};
    assert_true(cage_make(&parameters, SEED, &graph, &error));
    for (uint32_t v = 0; v < graph.vertices; v++) {
        bool found = false;
        for (uint32_t i = graph.starts[v]; i < graph.starts[v + 1]; i++)
            found |= graph.columns[i] == v;
        assert_true(found);
    }
    graph_discard(&graph);
}

static void test_graph500_is_skewed(void **state)
{
    (void)state;
    Graph graph = small_graph("graph500", SEED);
    const GraphStatistics statistics = graph_statistics(&graph);
    assert_symmetric(&graph);
    assert_true(statistics.largest > 40 * statistics.mean);
    assert_true(statistics.histogram[0] > graph.vertices / 10);
    for (uint32_t v = 0; v < graph.vertices; v++)
        for (uint32_t i = graph.starts[v]; i < graph.starts[v + 1]; i++)
            assert_true(graph.columns[i] != v &&
                        (i == graph.starts[v] || graph.columns[i] != graph.columns[i - 1]));
    graph_discard(&graph);
}

static void test_balanced_graph500_is_not(void **state)
{
    (void)state;
    Graph graph = small_graph("graph500-balanced", SEED);
    const GraphStatistics statistics = graph_statistics(&graph);
    assert_symmetric(&graph);
    assert_near(statistics.mean, 85.1, 1); /* of kron_g500-logn20 */
    assert_true(sqrt(statistics.variance) < statistics.mean / 5);
    assert_true(statistics.largest < 2 * statistics.mean);
    graph_discard(&graph);
}

static void test_bad_parameters_are_refused(void **state)
{
    (void)state;
    Graph graph;
    InputError errors[7] = {0};
    assert_false(rmat_make(&(RmatParameters){.scale = 29, .edge_factor = 1}, 1, &graph, &errors[0]));
    assert_false(rmat_make(&(RmatParameters){4, 4, 50, 50, 50}, 1, &graph, &errors[1]));
    assert_false(road_make(&(RoadParameters){.width = 0, .height = 4}, 1, &graph, &errors[2]));
    assert_false(flight_make(&(FlightParameters){.airports = 10, .hubs = 6, .hub_shift = 1}, 1, &graph, &errors[3]));
    assert_false(flight_make(&(FlightParameters){.airports = 10, .hubs = 5}, 1, &graph, &errors[6]));
    assert_false(citation_make(&(CitationParameters){.papers = 10}, 1, &graph, &errors[4]));
    assert_false(cage_make(&(CageParameters){.rows = 10, .bands = 65}, 1, &graph, &errors[5]));
    for (int i = 0; i < 7; i++)
        assert_non_null(strstr(errors[i].text, "cannot be made"));
}

static void test_smallest_sizes(void **state)
{
    (void)state;
    Graph graph;
    InputError error = {0};
    assert_true(rmat_make(&(RmatParameters){0, 3, 57, 19, 19}, 1, &graph, &error));
    graph_discard(&graph);
    assert_true(road_make(&(RoadParameters){1, 1, 500, 500}, 1, &graph, &error));
    graph_discard(&graph);
    assert_true(flight_make(&(FlightParameters){4, 2, 1, 5, 900}, 1, &graph, &error));
    graph_discard(&graph);
    assert_true(citation_make(&(CitationParameters){.papers = 2, .citations = 9}, 1, &graph, &error));
    assert_int_equal(graph.edges, 2);
    graph_discard(&graph);
    assert_true(
        cage_make(&(CageParameters){.rows = 3, .bands = 12, .fill_permille = 1000}, 1, &graph, &error));
    assert_sound(&graph);
    graph_discard(&graph);
}

static void test_ratings_have_popular_films(void **state)
{
    (void)state;
    InputError error = {0};
    Graph ratings, films;
    const RatingsParameters *size = &ratings_sizes[INPUT_SMALL];
    assert_true(ratings_make(size, SEED, &ratings, &error));
    assert_sound(&ratings);
    assert_int_equal(ratings.targets, size->items);
    assert_in_range(ratings.edges, size->count * 9 / 10, size->count);
    assert_int_equal(graph_fingerprint(&ratings), 0x58f577c4d2790407u);
    for (uint32_t i = 0; i < ratings.edges; i++)
        assert_in_range(ratings.weights[i], 1, 5);
    assert_true(graph_transpose(&ratings, &films, &error));
    const GraphStatistics by_user = graph_statistics(&ratings), by_film = graph_statistics(&films);
    assert_true(by_user.smallest >= size->least);
    assert_true(by_user.largest > 3 * by_user.mean && by_film.largest > 3 * by_film.mean);
    graph_discard(&ratings);
    graph_discard(&films);
}

static void test_tuples_have_the_keys_asked_for(void **state)
{
    (void)state;
    static const uint64_t known[] = {
        [KEYS_UNIFORM] = 0xeca2c937b3677bd3u, [KEYS_GAUSSIAN] = 0xb416e3466b32172cu};
    static const double deviation[] = {[KEYS_UNIFORM] = 0.2887, [KEYS_GAUSSIAN] = 0.125};
    const TuplesParameters *size = &tuples_sizes[INPUT_FULL];
    for (int kind = KEYS_UNIFORM; kind <= KEYS_GAUSSIAN; kind++) {
        InputError error = {0};
        Tuples tuples;
        double sum = 0, squares = 0;
        assert_true(tuples_make(size, (KeyDistribution)kind, SEED, &tuples, &error));
        for (uint32_t i = 0; i < tuples.count; i++) {
            assert_true(tuples.keys[i] < size->key_range && tuples.values[i] == i);
            const double part = (double)tuples.keys[i] / size->key_range - 0.5;
            sum += part;
            squares += part * part;
        }
        assert_near(sum / tuples.count, 0, 0.01);
        assert_near(sqrt(squares / tuples.count), deviation[kind], 0.01);
        assert_int_equal(fingerprint_words(0, tuples.keys, tuples.count), known[kind]);
        tuples_free(&tuples);
    }
}

static uint64_t texts_fingerprint(const Texts *texts)
{
    const uint64_t print = fingerprint_words(0, texts->starts, (size_t)texts->count + 1);
    return fingerprint_bytes(print, texts->bytes, texts->starts[texts->count]);
}

static void test_strings_are_letters(void **state)
{
    (void)state;
    InputError error = {0};
    Texts texts;
    const TextsParameters *size = &strings_sizes[INPUT_SMALL];
    assert_true(strings_make(size, SEED, &texts, &error));
    for (uint32_t i = 0; i < texts.count; i++)
        assert_in_range(texts.starts[i + 1] - texts.starts[i], size->shortest, size->longest);
    for (uint32_t i = 0; i < texts.starts[texts.count]; i++)
        assert_in_range(texts.bytes[i], 'a', 'z');
    assert_int_equal(texts_fingerprint(&texts), 0x153a2462c4a2b536u);
    texts_free(&texts);
}

static void test_packets_have_headers_that_say_their_length(void **state)
{
    (void)state;
    InputError error = {0};
    Texts texts;
    uint32_t shortest = 0, udp = 0;
    assert_true(packets_make(&packets_sizes[INPUT_SMALL], SEED, &texts, &error));
    for (uint32_t i = 0; i < texts.count; i++) {
        const uint8_t *packet = texts.bytes + texts.starts[i];
        const uint32_t length = texts.starts[i + 1] - texts.starts[i];
        assert_int_equal(packet[0], 0x45);
        assert_int_equal(packet[2] << 8 | packet[3], length);
        assert_true(packet[9] == 6 || packet[9] == 17);
        const uint32_t header = packet[9] == 6 ? 40 : 28;
        if (packet[9] == 17)
            assert_int_equal(packet[24] << 8 | packet[25], length - 20);
        udp += packet[9] == 17;
        shortest += length == header;
    }
    assert_in_range(shortest, texts.count * 2 / 5, texts.count * 3 / 5);
    assert_in_range(udp, texts.count / 8, texts.count / 3);
    assert_int_equal(texts_fingerprint(&texts), 0xf1b41018cb7cb14eu);
    texts_free(&texts);
}

static void test_points_have_the_density_asked_for(void **state)
{
    (void)state;
    static const uint64_t known[] = {
        [POINTS_UNIFORM] = 0xa34e17f42cf14fb9u, [POINTS_PLUMMER] = 0x3c6e8aa0b079d2d5u};
    const uint32_t count = points_sizes[INPUT_SMALL];
    for (int cloud = POINTS_UNIFORM; cloud <= POINTS_PLUMMER; cloud++) {
        InputError error = {0};
        float *points;
        uint32_t inside = 0;
        assert_true(points_make(count, (PointCloud)cloud, SEED, &points, &error));
        for (uint32_t i = 0; i < count; i++) {
            const float *p = points + 4 * i;
            inside += p[0] * p[0] + p[1] * p[1] + p[2] * p[2] < 1;
            assert_true(p[3] == 1.0f / (float)count);
        }
        /* pi / 6 of the cube; of the cluster 2^-1.5, a little more for the cut. */
        assert_near((double)inside / count, cloud == POINTS_UNIFORM ? 0.5236 : 0.358, 0.025);
        uint32_t *words = malloc(16u * count);
        memcpy(words, points, 16u * count);
        assert_int_equal(fingerprint_words(0, words, 4u * count), known[cloud]);
        free(words);
        free(points);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_equal_a_naive_construction),
        cmocka_unit_test(test_graphs_without_vertices_or_edges),
        cmocka_unit_test(test_statistics_of_a_star),
        cmocka_unit_test(test_graphs_are_the_same_everywhere),
        cmocka_unit_test(test_networks_and_their_samples),
        cmocka_unit_test(test_unknown_names_list_the_known),
        cmocka_unit_test(test_roads_are_long_and_thin),
        cmocka_unit_test(test_flights_have_few_hubs),
        cmocka_unit_test(test_citations_point_back_and_follow_a_power_law),
        cmocka_unit_test(test_cage_rows_are_alike_and_banded),
        cmocka_unit_test(test_the_diagonal_of_a_cage_is_a_choice),
        cmocka_unit_test(test_graph500_is_skewed),
        cmocka_unit_test(test_balanced_graph500_is_not),
        cmocka_unit_test(test_bad_parameters_are_refused),
        cmocka_unit_test(test_smallest_sizes),
        cmocka_unit_test(test_ratings_have_popular_films),
        cmocka_unit_test(test_tuples_have_the_keys_asked_for),
        cmocka_unit_test(test_strings_are_letters),
        cmocka_unit_test(test_packets_have_headers_that_say_their_length),
        cmocka_unit_test(test_points_have_the_density_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
