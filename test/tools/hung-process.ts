// One process with a kernel that hangs under `watch`, and one way to end: what docs/hangs.md says of how a process ends is tried by it.
//
//   node --import warpsmith/register test/tools/hung-process.ts <kernel> <end> [--watch 2]
//
// Kernels: arrive, bytes, named, lock, grid, trap, healthy. Ends: throw (the error is not caught), catch (it is, and the emulator is used), natural (nobody waits), exit
// (process.exit(3) behind the launch), later (process.exit(3) when the error has been caught), load (another kernel is loaded behind the launch).
import { parseArgs } from "node:util";
import {
  blockIdx,
  fence,
  kernel,
  Mbarriers,
  namedBarrier,
  openDevice,
  sharedMemory,
  syncThreads,
  type Tensor,
  TMA,
  threadIdx,
} from "warpsmith";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { watch: { type: "string", default: "2" } } });
const [which = "arrive", end = "throw"] = positionals;
const watch = values.watch === "0" ? false : Number(values.watch);

/** One of two warps arrives. */
const arrive = kernel({ block: 64, grid: 2 }, function arrive(x: Tensor<"i32", 1>) {
  const full = new Mbarriers(2);
  if (threadIdx.x === 0) {
    full.at(0).init(1);
    full.at(1).init(64);
    fence.mbarrierInit();
  }
  syncThreads();
  if (threadIdx.x < 32) full.at(1).arrive();
  full.at(1).wait(false);
  x[threadIdx.x] = threadIdx.x;
});

/** Twice the bytes that come. */
const bytes = kernel({ block: 64, grid: 1 }, function bytes(a: TMA<"i32">, x: Tensor<"i32", 1>) {
  const tile = sharedMemory.alloc("i32", [8, 8], { align: 128 });
  const landed = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    landed.init(1);
    fence.mbarrierInit();
  }
  syncThreads();
  if (threadIdx.x === 0) {
    a.load(tile, landed, [0, 0]);
    landed.arrive({ tx: 2 * tile.bytes });
  }
  landed.wait(false);
  x[threadIdx.x] = tile[0]![threadIdx.x % 8]!;
});

/** Three warps are counted, two come. */
const named = kernel({ block: 128, grid: 1 }, function named(x: Tensor<"i32", 1>) {
  if (threadIdx.x < 64) namedBarrier(3, 96).sync();
  x[threadIdx.x % 64] = threadIdx.x;
});

/** The lock is never given back. */
const lock = kernel({ block: 32, grid: 4 }, function lock(x: Tensor<"i32", 1>) {
  if (threadIdx.x === 0) {
    while (x.at(0).compareAndSwap(0, 1, { order: "acquire" }) !== 0) {}
    x[1] = x[1]! + 1;
  }
});

/** More blocks than fit the GPU wait for each other. */
const grid = kernel({ block: 1024, grid: 1000 }, function grid(x: Tensor<"i32", 1>) {
  if (threadIdx.x === 0) {
    x.at(0).atomic("add", 1);
    while (x.at(0).loadAcquire() < 1000) {}
  }
  syncThreads();
  x[1] = blockIdx.x;
});

const trap = kernel({ block: 64, grid: 2, debug: false }, function trap(x: Tensor<"i32", 1>) {
  x[threadIdx.x * 100_000_000] = 1;
});

const healthy = kernel({ block: 64, grid: 2 }, function healthy(x: Tensor<"i32", 1>) {
  syncThreads();
  x[threadIdx.x] = threadIdx.x;
});

const gpu = await openDevice("cuda");
const x = gpu.zeros("i32", [64]);
const begin = performance.now();
const since = (): string => `${((performance.now() - begin) / 1000).toFixed(2)} s`;
process.on("exit", (code) => console.log(`exit listener ${code} after ${since()}`));
const simple = { arrive, named, lock, grid, trap, healthy };
if (which === "bytes") bytes.launch({ watch }, new TMA(gpu.zeros("i32", [8, 8]), { box: [8, 8] }), x);
else simple[which as keyof typeof simple].launch({ watch }, x);
console.log(`launched after ${since()}`);
if (end === "load") {
  healthy.launch({ watch: false }, gpu.zeros("i32", [64]));
  console.log(`another kernel was loaded and launched after ${since()}`);
}
if (end === "exit") process.exit(3);
if (end !== "natural") {
  try {
    await x.read();
    console.log(`read after ${since()}`);
  } catch (error) {
    console.log(`caught after ${since()}`);
    if (end !== "catch" && end !== "later") throw error;
    console.log(String(error instanceof Error ? error.message : error));
  }
}
if (end === "later") process.exit(3);
if (end === "catch") {
  await gpu.sync().catch((error: unknown) => console.log(`again: ${String(error).split("\n")[0]}`));
  await gpu.dispose();
  console.log(`disposed after ${since()}`);
  const other = await openDevice("emulator");
  const y = other.zeros("i32", [64]);
  healthy.launch({}, y);
  console.log(`the emulator goes on: ${(await y.read())[63]}`);
}
