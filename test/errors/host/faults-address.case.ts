// Writes far outside of a tensor on a GPU.
import { kernel, openDevice, type Tensor, tensorSpec, threadIdx } from "warpsmith";
import { dumpAt } from "../../support/written-dump.ts";

const fails = kernel({ block: 32, grid: 4 }, function fails(x: Tensor<"i32", 1>) {
  x[threadIdx.x * 5_000_000] = 1; // error: W7756
});

export const machine = {
  version: 13_000,
  coreDumps: true,
  kernels: {
    fails: {
      parameterBytes: [8],
      dumps: () => dumpAt(fails.compile(tensorSpec("i32", [64])).ptx, /st\.global/, { block: [2, 0, 0], exception: 14, threads: [[5, 0, 0], [6, 0, 0]] }),
    },
  },
};

export async function run(): Promise<void> {
  await using gpu = await openDevice("cuda");
  const x = gpu.zeros("i32", [64]);
  fails.launch({ watch: false }, x);
  await x.read();
}
