/* Matrix Market, coordinate form: a banner, comments, a line of sizes, then a line for every nonzero. Row i
 * with column j is an edge from i to j; of a value its magnitude is the weight. */
#include "graphs/graph_reader.h"

#include <math.h>
#include <string.h>
#include <strings.h>

typedef struct Banner {
    bool pattern, real, symmetric;
    uint64_t vertices, entries;
} Banner;

enum { REAL_SCALE = 1000 };

/* One of the words of a list that ends with null; its index, or -1 and an error. */
static int choose(Scanner *scanner, const char *what, const char *const *words)
{
    char word[SCANNER_WORD], known[128] = "";
    scanner_word(scanner, word);
    for (int i = 0; words[i]; i++) {
        if (!strcasecmp(word, words[i]))
            return i;
        strcat(strcat(known, i ? ", " : ""), words[i]);
    }
    scanner_fail(scanner, "expected %s (%s), found '%s'.", what, known, word);
    return -1;
}

static bool read_banner(Scanner *scanner, Banner *banner)
{
    static const char *const banners[] = {"%%MatrixMarket", NULL}, *const objects[] = {"matrix", NULL};
    static const char *const forms[] = {"coordinate", NULL};
    static const char *const fields[] = {"pattern", "integer", "real", "double", NULL};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", NULL};
    if (choose(scanner, "the banner of a Matrix Market file", banners) < 0 ||
        choose(scanner, "the object of the file", objects) < 0 ||
        choose(scanner, "the form of the matrix", forms) < 0)
        return false;
    const int field = choose(scanner, "the field of the matrix", fields);
    const int symmetry = field < 0 ? -1 : choose(scanner, "the symmetry of the matrix", symmetries);
    if (symmetry < 0)
        return false;
    banner->pattern = field == 0;
    banner->real = field >= 2;
    banner->symmetric = symmetry > 0;
    return scanner_end_line(scanner, "the banner");
}

static bool read_sizes(GraphReader *reader, Banner *banner)
{
    Scanner *scanner = &reader->scanner;
    uint64_t columns;
    scanner_next_line(scanner, "%");
    if (!scanner_whole(scanner, "the number of rows", 0, reader->most_vertices, &banner->vertices) ||
        !scanner_whole(scanner, "the number of columns", 0, reader->most_vertices, &columns))
        return false;
    if (columns != banner->vertices)
        return scanner_fail(scanner,
                            "expected a square matrix, for that is what a graph is; this one has %llu "
                            "rows and %llu columns.",
                            (unsigned long long)banner->vertices, (unsigned long long)columns);
    return scanner_whole(scanner, "the number of entries", 0, GRAPH_MOST_EDGES, &banner->entries) &&
           scanner_end_line(scanner, "the sizes");
}

static bool read_entry(GraphReader *reader, const Banner *banner)
{
    Scanner *scanner = &reader->scanner;
    uint64_t row, column;
    double value = 0;
    return scanner_whole(scanner, "a row", 1, banner->vertices, &row) &&
           scanner_whole(scanner, "a column", 1, banner->vertices, &column) &&
           (banner->pattern || scanner_real(scanner, "a value", &value)) &&
           scanner_end_line(scanner, "the entry") &&
           edges_add(&reader->edges, (uint32_t)row - 1, (uint32_t)column - 1,
                     reader_weight(reader, fabs(value), banner->real ? REAL_SCALE : 1), scanner->error);
}

bool read_matrix_market(GraphReader *reader)
{
    Scanner *scanner = &reader->scanner;
    Banner banner = {0};
    if (!read_banner(scanner, &banner) || !read_sizes(reader, &banner))
        return false;
    reader->undirected = banner.symmetric;
    reader->edges = edges_begin((uint32_t)banner.vertices, !banner.pattern);
    for (uint64_t i = 0; i < banner.entries; i++) {
        if (!scanner_next_line(scanner, "%"))
            return scanner_fail(scanner, "expected %llu entries, found the end of the file after %llu.",
                                (unsigned long long)banner.entries, (unsigned long long)i);
        if (!read_entry(reader, &banner))
            return false;
    }
    if (scanner_next_line(scanner, "%"))
        return scanner_expected(scanner, "the end of the file after %llu entries",
                                (unsigned long long)banner.entries);
    return !input_failed(scanner->error);
}
