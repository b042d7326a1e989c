/* Host code of sparse.cu. */
#include "suite/case.h"

/* Compressed rows; `rows` names the row of each entry. */
typedef struct Matrix {
    int count, entries; /* rows and columns; entries of all */
    int *begins, *rows;
    const int *columns;
    const float *values, *x;
} Matrix;

/* Rows have 1 to `most` entries, few of them many. */
static Matrix make_matrix(Case *c, int count, uint32_t most, uint32_t seed)
{
    Matrix m = {.count = count, .begins = case_array(c, (size_t)count + 1, sizeof(int))};
    const uint32_t *a = case_words(c, (size_t)count, most, seed),
                   *b = case_words(c, (size_t)count, most, seed + 1);
    for (int i = 0; i < count; i++)
        m.begins[i + 1] = m.begins[i] + 1 + (int)(a[i] * b[i] / most);
    m.entries = m.begins[count];
    m.rows = case_array(c, (size_t)m.entries, sizeof(int));
    for (int i = 0; i < count; i++)
        for (int e = m.begins[i]; e < m.begins[i + 1]; e++)
            m.rows[e] = i;
    m.columns = (int *)case_words(c, (size_t)m.entries, (uint32_t)count, seed + 2);
    m.values = case_floats(c, (size_t)m.entries, -1, 1, seed + 3);
    m.x = case_floats(c, (size_t)count, -1, 1, seed + 4);
    return m;
}

static bool is_product(Case *c, const Matrix *m, uint64_t y)
{
    const float *got = case_result(c, y, (size_t)m->count * 4);
    double *expected = case_array(c, (size_t)m->count, sizeof *expected);
    bool right = true;
    for (int e = 0; e < m->entries; e++)
        expected[m->rows[e]] += (double)m->values[e] * m->x[m->columns[e]];
    for (int i = 0; i < m->count; i++)
        right &= case_near(got[i], expected[i], 1e-5);
    return right;
}

static bool csr(Host *host, const char *kernel, int count, uint32_t most, int threads_a_row)
{
    Case c = {.host = host};
    const Matrix m = make_matrix(&c, count, most, most);
    const size_t entry_bytes = (size_t)m.entries * 4, row_bytes = (size_t)count * 4;
    const uint64_t begins = case_buffer(&c, m.begins, row_bytes + 4),
                   columns = case_buffer(&c, m.columns, entry_bytes),
                   values = case_buffer(&c, m.values, entry_bytes), x = case_buffer(&c, m.x, row_bytes),
                   y = case_buffer(&c, NULL, row_bytes);
    CASE_LAUNCH(&c, kernel, (count * threads_a_row + 127) / 128, 128, WB_ARG(begins), WB_ARG(columns),
                WB_ARG(values), WB_ARG(x), WB_ARG(y), WB_ARG(count));
    return case_end(&c, is_product(&c, &m, y));
}

bool suite_csr_scalar(Host *host) { return csr(host, "csr_scalar", case_size(host, 1000, 50000), 24, 1); }
bool suite_csr_vector(Host *host) { return csr(host, "csr_vector", case_size(host, 200, 8000), 200, 32); }

bool suite_ell_columns(Host *host)
{
    Case c = {.host = host};
    const int count = case_size(host, 1000, 60000), width = 12;
    const size_t padded = (size_t)(count * width), row_bytes = (size_t)count * 4;
    const Matrix m = make_matrix(&c, count, 12, 7);
    int *columns = case_array(&c, padded, sizeof *columns);
    float *values = case_array(&c, padded, sizeof *values);
    for (int i = 0; i < count * width; i++)
        columns[i] = -1;
    for (int e = 0; e < m.entries; e++) {
        const int to = (e - m.begins[m.rows[e]]) * count + m.rows[e];
        columns[to] = m.columns[e], values[to] = m.values[e];
    }
    const uint64_t dc = case_buffer(&c, columns, padded * 4), dv = case_buffer(&c, values, padded * 4),
                   x = case_buffer(&c, m.x, row_bytes), y = case_buffer(&c, NULL, row_bytes);
    CASE_LAUNCH(&c, "ell_columns", (count + 255) / 256, 256, WB_ARG(dc), WB_ARG(dv), WB_ARG(x), WB_ARG(y),
                WB_ARG(count), WB_ARG(width));
    return case_end(&c, is_product(&c, &m, y));
}

bool suite_coo_atomic(Host *host)
{
    Case c = {.host = host};
    const Matrix m = make_matrix(&c, case_size(host, 1000, 40000), 20, 11);
    const size_t bytes = (size_t)m.entries * 4;
    const uint64_t rows = case_buffer(&c, m.rows, bytes), columns = case_buffer(&c, m.columns, bytes),
                   values = case_buffer(&c, m.values, bytes), x = case_buffer(&c, m.x, (size_t)m.count * 4),
                   y = case_zeros(&c, (size_t)m.count * 4);
    CASE_LAUNCH(&c, "coo_atomic", (m.entries + 255) / 256, 256, WB_ARG(rows), WB_ARG(columns), WB_ARG(values),
                WB_ARG(x), WB_ARG(y), WB_ARG(m.entries));
    return case_end(&c, is_product(&c, &m, y));
}
