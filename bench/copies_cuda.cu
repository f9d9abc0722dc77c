// cudaMemcpyAsync again and again, between two events: for each line "way bytes loops" on its
// input, the seconds of a copy. Ways: 1 host to device, 2 device to host, 3 within the device.

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static void must(cudaError_t error)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
        exit(1);
    }
}

// Holds the queue while the copies are asked for.
__global__ void hold(long long cycles)
{
    long long began = clock64();
    while (clock64() - began < cycles) {
    }
}

int main()
{
    int way, loops;
    size_t bytes;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    must(cudaEventCreate(&begin));
    must(cudaEventCreate(&end));
    while (scanf("%d %zu %d", &way, &bytes, &loops) == 3) {
        void *source, *target;
        must(way == 1 ? cudaMallocHost(&source, bytes) : cudaMalloc(&source, bytes));
        must(way == 2 ? cudaMallocHost(&target, bytes) : cudaMalloc(&target, bytes));
        must(cudaMemset(way == 1 ? target : source, 1, bytes));
        for (int warm = 0; warm < 4; warm++)
            must(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDefault, stream));
        must(cudaStreamSynchronize(stream));
        hold<<<1, 1, 0, stream>>>(10000000);
        must(cudaEventRecord(begin, stream));
        for (int loop = 0; loop < loops; loop++)
            must(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDefault, stream));
        must(cudaEventRecord(end, stream));
        must(cudaEventSynchronize(end));
        float ms;
        must(cudaEventElapsedTime(&ms, begin, end));
        printf("%.9f\n", ms / 1e3 / loops);
        fflush(stdout);
        must(way == 1 ? cudaFreeHost(source) : cudaFree(source));
        must(way == 2 ? cudaFreeHost(target) : cudaFree(target));
    }
    return 0;
}
