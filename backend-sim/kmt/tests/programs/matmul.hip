// C = A * B for matrices of 256 x 256 floats, in tiles of 16 x 16 that a workgroup shares.
#include "check.hpp"

const int SIZE = 256, TILE = 16;

__global__ void multiply(const float *a, const float *b, float *c) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    float sum = 0;
    for (int start = 0; start < SIZE; start += TILE) {
        tile_a[y][x] = a[row * SIZE + start + x];
        tile_b[y][x] = b[(start + y) * SIZE + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum = fmaf(tile_a[y][k], tile_b[k][x], sum);
        __syncthreads();
    }
    c[row * SIZE + column] = sum;
}

int main() {
    std::vector<float> a(SIZE * SIZE), b(SIZE * SIZE);
    for (int i = 0; i < SIZE * SIZE; i++) a[i] = (i % 37) * 0.25f - 4, b[i] = 1.0f / (1 + i % 53);
    Buffer<float> on_a(a), on_b(b), on_c(SIZE * SIZE);
    multiply<<<dim3(SIZE / TILE, SIZE / TILE), dim3(TILE, TILE)>>>(on_a.data, on_b.data, on_c.data);
    OK(hipDeviceSynchronize());
    std::vector<float> c = on_c.host();
    for (int row = 0; row < SIZE; row++)
        for (int column = 0; column < SIZE; column++) {
            float sum = 0;
            for (int k = 0; k < SIZE; k++) sum = fmaf(a[row * SIZE + k], b[k * SIZE + column], sum);
            CHECK(c[row * SIZE + column] == sum);
        }
}
