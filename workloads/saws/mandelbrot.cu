/* The Mandelbrot set, as the SDK's Mandelbrot: a thread for each pixel, which iterates until its point leaves
 * the circle or the limit is reached. So lanes and warps part, and blocks take very different times. */
extern "C" __global__ void __launch_bounds__(256)
    mandelbrot(uchar4 *image, int width, int height, int limit, float left, float top, float scale)
{
    const int column = blockDim.x * blockIdx.x + threadIdx.x, row = blockDim.y * blockIdx.y + threadIdx.y;
    if (column >= width || row >= height)
        return;
    const float c_x = fmaf((float)column, scale, left), c_y = fmaf((float)row, scale, top);
    float x = 0, y = 0, xx = 0, yy = 0;
    int left_over = limit;
    while (--left_over && xx + yy < 4) {
        y = fmaf(x + x, y, c_y);
        x = xx - yy + c_x;
        yy = y * y;
        xx = x * x;
    }
    const unsigned char m = left_over;
    image[row * width + column] = make_uchar4(3 * m, 5 * m, 7 * m, 0);
}
