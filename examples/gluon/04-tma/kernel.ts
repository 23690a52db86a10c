import {
  blockIdx, cdiv, fence, kernel, Mbarriers, sharedMemory, syncThreads, type Static, type Tensor, TMA, threadIdx, tma,
} from "warpsmith";
import { sameShape } from "../shapes.ts";

export const BLOCK = 64, N = 32;

/** A copy through shared memory by TMA alone: the data never passes a register, and the hardware clips the last block. */
export const memcpyTma = kernel({ block: 32, grid: (src) => cdiv(src.shape[0], BLOCK) }, function memcpyTma(src: TMA<"f32", 1>, dst: TMA<"f32", 1>) {
  sameShape(src, dst);
  const buffer = sharedMemory.alloc("f32", [BLOCK], { align: 128 });
  const loaded = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    loaded.init(1);
    fence.mbarrierInit();
  }
  syncThreads();
  if (threadIdx.x !== 0) return;

  const at = blockIdx.x * BLOCK;
  loaded.arrive({ tx: buffer.bytes });
  src.load(buffer, loaded, [at]);
  loaded.wait(false);
  dst.store(buffer, [at]);
  tma.commit();
  tma.wait(0);
});

/** out[i] = x[i] + x[N + i] through one buffer: threads read it, then a copy overwrites it. */
export const loadThenCopyIn = kernel({ block: N, grid: 1 }, function loadThenCopyIn(x: TMA<"f32", 1>, out: Tensor<"f32", 1>, fenced: Static<boolean>) {
  const buffer = sharedMemory.alloc("f32", [N], { align: 128 }), t = threadIdx.x;
  const loaded = new Mbarriers(1).at(0);
  if (t === 0) {
    loaded.init(1);
    fence.mbarrierInit();
    loaded.arrive({ tx: buffer.bytes });
    x.load(buffer, loaded, [0]);
  }
  syncThreads();
  loaded.wait(false);
  const value = buffer[t];
  if (fenced) fence.proxyAsync();
  syncThreads();
  if (t === 0) {
    loaded.arrive({ tx: buffer.bytes });
    x.load(buffer, loaded, [N]);
  }
  loaded.wait(true);
  out[t] = value + buffer[t];
});

/** out = x: threads write the buffer, then a copy reads it. */
export const storeThenCopyOut = kernel({ block: N, grid: 1 }, function storeThenCopyOut(x: Tensor<"f32", 1>, out: TMA<"f32", 1>, fenced: Static<boolean>) {
  const buffer = sharedMemory.alloc("f32", [N], { align: 128 }), t = threadIdx.x;
  buffer[t] = x[t];
  if (fenced) fence.proxyAsync();
  syncThreads();
  if (t === 0) {
    out.store(buffer, [0]);
    tma.commit();
    tma.wait(0);
  }
});

/** out = x: a copy fills the buffer, and its barrier says when; then threads read it. */
export const copyInThenLoad = kernel({ block: N, grid: 1 }, function copyInThenLoad(x: TMA<"f32", 1>, out: Tensor<"f32", 1>, fenced: Static<boolean>) {
  const buffer = sharedMemory.alloc("f32", [N], { align: 128 }), t = threadIdx.x;
  const loaded = new Mbarriers(1).at(0);
  if (t === 0) {
    loaded.init(1);
    fence.mbarrierInit();
    loaded.arrive({ tx: buffer.bytes });
    x.load(buffer, loaded, [0]);
  }
  syncThreads();
  loaded.wait(false);
  if (fenced) fence.proxyAsync();
  out[t] = buffer[t];
});

/** out = x: threads write the buffer and meet at a barrier of their own; then a copy reads it. */
export const storeArriveThenCopyOut = kernel({ block: N, grid: 1 }, function storeArriveThenCopyOut(x: Tensor<"f32", 1>, out: TMA<"f32", 1>, fenced: Static<boolean>) {
  const buffer = sharedMemory.alloc("f32", [N], { align: 128 }), t = threadIdx.x;
  const stored = new Mbarriers(1).at(0);
  if (t === 0) stored.init(N);
  syncThreads();
  buffer[t] = x[t];
  stored.arrive();
  stored.wait(false);
  if (fenced) fence.proxyAsync();
  if (t === 0) {
    out.store(buffer, [0]);
    tma.commit();
    tma.wait(0);
  }
});
