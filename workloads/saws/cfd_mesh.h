/* The mesh of cfd: a box of cubes, each cut into six tetrahedra along its diagonal. Elements are numbered
 * cube by cube and then shuffled within windows, so that neighbours lie near, in no order. The body is the
 * floor; the far field is on all other sides. */
#ifndef WORKLOADS_CFD_MESH_H
#define WORKLOADS_CFD_MESH_H

#include "common/host.h"

enum { CFD_THREADS = 192, CFD_FACES = 4 }; /* as in cfd.cu */
enum { CFD_BODY = -1, CFD_FAR = -2 };      /* neighbours that are none, the same */

/* Invariant: `count` elements, a multiple of CFD_THREADS; those from `real` on repeat the last real one. */
typedef struct CfdMesh {
    uint32_t side, real, count;
    uint32_t *number;    /* of a tetrahedron as it was made: cube by cube */
    int32_t *neighbours; /* [CFD_FACES][count] */
    float *normals;      /* [3][CFD_FACES][count]: they point inwards, as long as the face is large */
    float *volume;       /* [count] */
} CfdMesh;

/* False: there is no memory, and the host keeps the sentence. cfd_free_mesh() in any case. */
bool cfd_make_mesh(Host *host, CfdMesh *mesh, uint32_t side, uint32_t seed);
void cfd_free_mesh(CfdMesh *mesh);

#endif
