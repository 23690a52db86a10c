// Loads CUDA C++ where PTX is expected.
import { loadPtx } from "warpsmith/ptx";

const source = `
extern "C" __global__ void fill(float *x) {
  x[threadIdx.x] = 1.0f;
}
`;

export const run = () => loadPtx(source); // error: W7810
