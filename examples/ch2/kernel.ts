import { blockIdx, fence, kernel, Mbarriers, sharedMemory, syncThreads, type Tensor, TMA, threadIdx, type f32 } from "warpsmith";

export const M = 256, N = 32;

/** out = y + alpha * x. The rows arrive by TMA: one thread asks, an mbarrier counts the bytes, everyone waits. */
export const saxpy = kernel({ block: N, grid: M }, function saxpy(x: TMA<"f32", 2>, y: TMA<"f32", 2>, out: Tensor<"f32", 2>, alpha: f32) {
  const row = blockIdx.x, col = threadIdx.x;
  const xRow = sharedMemory.alloc("f32", [1, N]);
  const yRow = sharedMemory.alloc("f32", [1, N]);
  const loaded = new Mbarriers(1).at(0);
  const elected = threadIdx.x === 0;

  if (elected) {
    loaded.init(1);                                    // one arrival a phase: the one below
    fence.mbarrierInit();                              // … which the copy engine must see
  }
  syncThreads();                                       // nobody waits on a barrier that is not there yet

  if (elected) {
    loaded.arrive({ tx: xRow.bytes + yRow.bytes });    // first what is expected,
    x.load(xRow, loaded, [0, row]);                    // then the copies. Innermost coordinate first
    y.load(yRow, loaded, [0, row]);
  }
  loaded.wait(false);                                  // phase 0 is complete: one arrival, all bytes
  out[row][col] = yRow[0][col] + xRow[0][col] * alpha;
});
