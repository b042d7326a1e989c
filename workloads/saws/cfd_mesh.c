/* See cfd_mesh.h. */
#include "saws/cfd_mesh.h"

#include <stdlib.h>
#include <string.h>

enum { TETRAHEDRA = 6, WINDOW = 1024 }; /* elements are shuffled within */
static const float SPACING = 1.0f / 32; /* of cubes */

/* A cube's tetrahedra go from its first corner to its last, along axes in this order. */
static const int orders[TETRAHEDRA][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};

static uint32_t find_order(int first, int second)
{
    uint32_t i = 0;
    while (orders[i][0] != first || orders[i][1] != second)
        i++;
    return i;
}

/* The tetrahedron with that order of axes in the cube that lies `step` cubes along an axis; CFD_BODY or
 * CFD_FAR beyond the mesh. */
static int32_t tetrahedron(const CfdMesh *mesh, const int cube[3], int axis, int step, int first, int second)
{
    int at[3] = {cube[0], cube[1], cube[2]};
    at[axis] += step;
    if (at[axis] < 0 || at[axis] >= (int)mesh->side)
        return axis == 2 && step < 0 ? CFD_BODY : CFD_FAR;
    const uint32_t index = ((uint32_t)at[2] * mesh->side + (uint32_t)at[1]) * mesh->side + (uint32_t)at[0];
    return (int32_t)mesh->number[index * TETRAHEDRA + find_order(first, second)];
}

/* Half of the product of two edges of the face opposite corner f, so turned that it points there. */
static void set_normal(CfdMesh *mesh, uint32_t element, int f, float corners[CFD_FACES][3])
{
    const float *a = corners[(f + 1) % 4], *b = corners[(f + 2) % 4], *c = corners[(f + 3) % 4];
    float normal[3], towards = 0;
    for (int k = 0; k < 3; k++) {
        const int u = (k + 1) % 3, v = (k + 2) % 3;
        normal[k] = 0.5f * ((b[u] - a[u]) * (c[v] - a[v]) - (b[v] - a[v]) * (c[u] - a[u]));
        towards += normal[k] * (corners[f][k] - a[k]);
    }
    for (int k = 0; k < 3; k++)
        mesh->normals[(uint32_t)(k * CFD_FACES + f) * mesh->count + element] =
            towards < 0 ? -normal[k] : normal[k];
}

static void make_element(CfdMesh *mesh, const int cube[3], const int *order, uint32_t element)
{
    float corners[CFD_FACES][3] = {{0}};
    for (int f = 1; f < CFD_FACES; f++) {
        memcpy(corners[f], corners[f - 1], sizeof corners[f]);
        corners[f][order[f - 1]] = SPACING;
    }
    const int a = order[0], b = order[1], c = order[2];
    const int32_t neighbours[CFD_FACES] = {
        tetrahedron(mesh, cube, a, 1, b, c), tetrahedron(mesh, cube, 0, 0, b, a),
        tetrahedron(mesh, cube, 0, 0, a, c), tetrahedron(mesh, cube, c, -1, c, a)};
    for (int f = 0; f < CFD_FACES; f++) {
        mesh->neighbours[(uint32_t)f * mesh->count + element] = neighbours[f];
        set_normal(mesh, element, f, corners);
    }
    mesh->volume[element] = SPACING * SPACING * SPACING / TETRAHEDRA;
}

static void number_elements(CfdMesh *mesh, uint32_t seed)
{
    for (uint32_t i = 0; i < mesh->real; i++)
        mesh->number[i] = i;
    for (uint32_t i = 1; i < mesh->real; i++) {
        const uint32_t first = i / WINDOW * WINDOW,
                       other = first + (random_next(&seed) >> 8) % (i - first + 1);
        const uint32_t swapped = mesh->number[i];
        mesh->number[i] = mesh->number[other];
        mesh->number[other] = swapped;
    }
}

static void pad(CfdMesh *mesh)
{
    for (uint32_t i = mesh->real; i < mesh->count; i++) {
        mesh->volume[i] = mesh->volume[mesh->real - 1];
        for (uint32_t f = 0; f < CFD_FACES; f++)
            mesh->neighbours[f * mesh->count + i] = mesh->neighbours[f * mesh->count + mesh->real - 1];
        for (uint32_t f = 0; f < 3 * CFD_FACES; f++)
            mesh->normals[f * mesh->count + i] = mesh->normals[f * mesh->count + mesh->real - 1];
    }
}

bool cfd_make_mesh(Host *host, CfdMesh *mesh, uint32_t side, uint32_t seed)
{
    mesh->side = side;
    mesh->real = TETRAHEDRA * side * side * side;
    mesh->count = (mesh->real + CFD_THREADS - 1) / CFD_THREADS * CFD_THREADS;
    mesh->number = host_array(host, mesh->real, sizeof(uint32_t));
    mesh->neighbours = host_array(host, CFD_FACES * mesh->count, sizeof(int32_t));
    mesh->normals = host_array(host, 3 * CFD_FACES * mesh->count, sizeof(float));
    mesh->volume = host_array(host, mesh->count, sizeof(float));
    if (!mesh->number || !mesh->neighbours || !mesh->normals || !mesh->volume)
        return false;
    number_elements(mesh, seed);
    for (uint32_t i = 0; i < mesh->real; i++) {
        const uint32_t at = i / TETRAHEDRA;
        const int cube[] = {(int)(at % side), (int)(at / side % side), (int)(at / side / side)};
        make_element(mesh, cube, orders[i % TETRAHEDRA], mesh->number[i]);
    }
    pad(mesh);
    return true;
}

void cfd_free_mesh(CfdMesh *mesh)
{
    free(mesh->number), free(mesh->neighbours), free(mesh->normals), free(mesh->volume);
}
