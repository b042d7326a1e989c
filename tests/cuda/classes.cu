// C++ in kernels: templates, inheritance with virtual functions, operators, constexpr.
#include "check.h"

class Shape {
  public:
    __device__ virtual ~Shape() {}
    __device__ virtual float area() const = 0;
    __device__ virtual int corners() const { return 0; }
};

class Rectangle : public Shape {
  public:
    __device__ Rectangle(float w, float h) : width(w), height(h) {}
    __device__ float area() const override { return width * height; }
    __device__ int corners() const override { return 4; }

  protected:
    float width, height;
};

class Square : public Rectangle {
  public:
    __device__ explicit Square(float side) : Rectangle(side, side) {}
    __device__ float area() const override { return Rectangle::area() + 0.5f; }
};

class Circle : public Shape {
  public:
    __device__ explicit Circle(float r) : radius(r) {}
    __device__ float area() const override { return 3.0f * radius * radius; }

  private:
    float radius;
};

__global__ void measure(float *areas, int *corners)
{
    int i = threadIdx.x;
    Shape *shape;
    switch (i % 3) {
    case 0:
        shape = new Rectangle(i, 2.0f);
        break;
    case 1:
        shape = new Square(i);
        break;
    default:
        shape = new Circle(i);
        break;
    }
    areas[i] = shape->area();
    corners[i] = shape->corners();
    delete shape;
}

template <typename T, int N> struct Vector {
    T items[N];
    __host__ __device__ T &operator[](int i) { return items[i]; }
    __host__ __device__ Vector operator+(const Vector &other) const
    {
        Vector sum;
        for (int i = 0; i < N; i++)
            sum.items[i] = items[i] + other.items[i];
        return sum;
    }
};

template <int N> constexpr __host__ __device__ int factorial()
{
    if constexpr (N <= 1)
        return 1;
    else
        return N * factorial<N - 1>();
}

template <typename T, int N> __global__ void add(Vector<T, N> a, Vector<T, N> b, Vector<T, N> *out)
{
    out[threadIdx.x] = a + b;
    out[threadIdx.x][0] += T(factorial<N>());
}

template <typename T> static void check_vectors()
{
    Vector<T, 5> a, b, *out;
    for (int i = 0; i < 5; i++) {
        a[i] = T(i);
        b[i] = T(10 * i);
    }
    CUDA(cudaMallocManaged(&out, 4 * sizeof *out));
    add<<<1, 4>>>(a, b, out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 5; i++)
        CHECK_EQUAL(out[3][i], T(11 * i + (i == 0 ? 120 : 0)));
    CUDA(cudaFree(out));
}

int main()
{
    float *areas;
    int *corners;
    CUDA(cudaMallocManaged(&areas, 32 * sizeof *areas));
    CUDA(cudaMallocManaged(&corners, 32 * sizeof *corners));
    measure<<<1, 32>>>(areas, corners);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++) {
        CHECK_EQUAL(areas[i], i % 3 == 0 ? 2.0f * i : i % 3 == 1 ? i * i + 0.5f : 3.0f * i * i);
        CHECK_EQUAL(corners[i], i % 3 == 2 ? 0 : 4);
    }
    check_vectors<int>();
    check_vectors<double>();
    check_vectors<unsigned char>();
    return check_result();
}
