// Chapter 2. The same, but the rows arrive by TMA: one thread asks, an mbarrier counts the bytes, everyone waits.
import {
  blockIdx,
  type Compiled,
  type f32,
  fence,
  kernel,
  Mbarriers,
  sharedMemory,
  syncThreads,
  type Tensor,
  TMA,
  tensorSpec,
  threadIdx,
} from "warpsmith";

const M = 256,
  N = 32;

const saxpy = kernel(
  { block: N, grid: M },
  function saxpy(x: TMA<"f32", 2>, y: TMA<"f32", 2>, out: Tensor<"f32", 2>, alpha: f32) {
    const row = blockIdx.x,
      col = threadIdx.x;
    const xRow = sharedMemory.alloc("f32", [1, N]);
    const yRow = sharedMemory.alloc("f32", [1, N]);
    const loaded = new Mbarriers(1).at(0);

    if (threadIdx.x === 0) {
      loaded.init(1);
      fence.mbarrierInit();
    }
    syncThreads();

    if (threadIdx.x === 0) {
      loaded.arrive({ tx: xRow.bytes + yRow.bytes });
      x.load(xRow, loaded, [0, row]); // innermost coordinate first
      y.load(yRow, loaded, [0, row]);
    }
    loaded.wait(false);
    out[row][col] = yRow[0][col] + xRow[0][col] * alpha;
  },
);

const spec = tensorSpec("f32", [M, N]),
  map = new TMA(spec, { box: [1, N] });

/** What the host would pass. */
export const compiled = (): readonly Compiled[] => [saxpy.compile(map, map, spec, 2)];
