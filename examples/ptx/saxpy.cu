// nvcc -arch=sm_90a -lineinfo -ptx saxpy.cu
__constant__ float a = 2;

__global__ void saxpy(int n, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
