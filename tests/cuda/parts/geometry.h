/* What the separately compiled files of separate_compilation.cu share. */
#pragma once

struct Box {
    float width, height;
    __device__ float area() const; /* defined in geometry.cu */
};

extern __device__ float scale;      /* defined in geometry.cu, used in both */
extern __constant__ int offsets[4]; /* defined in geometry.cu, filled by the program */
extern __device__ int calls;        /* defined in separate_compilation.cu, used in both */
__device__ float volume(Box box, float depth);
__device__ int twice(int value); /* in separate_compilation.cu */
void launch_from_other_file(int *out);
