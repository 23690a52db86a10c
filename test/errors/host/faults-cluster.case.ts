// Writes to the shared memory of a block that has ended, on a GPU.
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";
import { writeDump } from "../../support/written-dump.ts";

const fails = kernel({ block: 32, grid: 4 }, function fails(x: Tensor<"i32", 1>) {
  x[threadIdx.x] = 1;
});

export const machine = {
  version: 13_000,
  coreDumps: true,
  kernels: {
    fails: {
      parameterBytes: [8],
      dumps: () => writeDump({ entry: "fails", warps: [], exceptionOfAll: 18 }),
    },
  },
};

export async function run(): Promise<void> {
  await using gpu = await openDevice("cuda");
  const x = gpu.zeros("i32", [64]);
  fails.launch({ watch: false }, x); // error: W7761
  await x.read();
}
