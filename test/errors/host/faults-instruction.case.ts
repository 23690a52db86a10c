// Arrives at an mbarrier that waits for nobody, on a GPU.
import { fence, kernel, Mbarriers, openDevice, syncThreads, type Tensor, tensorSpec, threadIdx } from "warpsmith";
import { dumpAt } from "../../support/written-dump.ts";

const fails = kernel({ block: 32, grid: 4 }, function fails(x: Tensor<"i32", 1>) {
  const full = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    full.init(1);
    fence.mbarrierInit();
  }
  syncThreads();
  full.arrive({ tx: 16 }); // error: W7759
  x[threadIdx.x] = 1;
});

export const machine = {
  version: 13_000,
  coreDumps: true,
  kernels: {
    fails: {
      parameterBytes: [8],
      dumps: () => dumpAt(fails.compile(tensorSpec("i32", [64])).ptx, /mbarrier\.arrive/, { block: [2, 0, 0], exception: 4, threads: [[5, 0, 0], [6, 0, 0]] }),
    },
  },
};

export async function run(): Promise<void> {
  await using gpu = await openDevice("cuda");
  const x = gpu.zeros("i32", [64]);
  fails.launch({ watch: false }, x);
  await x.read();
}
