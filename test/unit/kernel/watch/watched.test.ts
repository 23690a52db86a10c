import { afterAll, describe, expect, it } from "vitest";
import { fence, kernel, Mbarriers, openDevice, sharedMemory, syncThreads, type Tensor, threadIdx } from "warpsmith";
import { asks, tells, watchBytes, watchSlots } from "../../../../src/base/watch-layout.ts";
import { readWarps } from "../../../../src/kernel/watch/records.ts";
import { backendOf } from "../../../../src/runtime/index.ts";
import { compileWatched, watchOn } from "../../../support/watched.ts";

// A watched kernel reads the bits of its mbarriers, which the checks of a launch report.
const gpu = await openDevice("emulator", { check: "off" });
const { records } = watchOn(gpu);
afterAll(() => gpu.dispose());

/** The second warp hands a number to the first, and waits for a lock that it gives back itself. */
const handOver = kernel({ block: 64, grid: 2 }, function handOver(x: Tensor<"i32", 1>, lock: Tensor<"u32", 1>) {
  const cell = sharedMemory.alloc("i32", [1]);
  const full = new Mbarriers(2);
  const t = threadIdx.x;
  if (t === 0) {
    full.at(1).init(1);
    fence.mbarrierInit();
  }
  syncThreads();
  if (t === 32) {
    while (lock.at(0).compareAndSwap(0, 1, { order: "acquire" }) !== 0) {}
    cell[0] = 7;
    lock.at(0).storeRelease(0);
    full.at(1).arrive();
  }
  if (t >= 32) return;
  full.at(1).wait(false);
  x[t] = cell[0]! + t;
});

describe("a watched kernel", () => {
  it("gives what it gives otherwise; all its warps have ended in the records", async () => {
    using x = gpu.zeros("i32", [32]);
    using lock = gpu.zeros("u32", [1]);
    handOver.launch({ watch: true }, x, lock);
    expect(Array.from(await x.read())).toEqual(Array.from({ length: 32 }, (_, i) => 7 + i));
    const warps = readWarps(await records(), 32);
    expect(warps.map(({ block, warp }) => [block[0], warp])).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ]);
    expect(warps.every(({ live, waits }) => live === 0 && waits.length === 0)).toBe(true);
  });

  it("is another kernel than the one that is not watched, which has no record in it", () => {
    const [x, lock] = [gpu.empty("i32", [32]), gpu.empty("u32", [1])];
    const { ptx } = handOver.compile(x, lock);
    const watched = compileWatched(handOver, [x, lock]).ptx;
    expect(ptx).not.toContain("%watch");
    expect(watched).toContain("// %watch");
    expect(watched.match(/activemask/g)?.length).toBeGreaterThan(3);
  });

  it("has a number for each launch", async () => {
    using x = gpu.zeros("i32", [32]);
    using lock = gpu.zeros("u32", [1]);
    for (let i = 0; i < 3; i++) handOver.launch({ watch: 1 }, x, lock);
    await x.read();
    const words = await records();
    expect(readWarps(words, 128).length).toBe(4);
    expect(readWarps(words, 96)).toEqual([]);
  });
});

/** A thread looks for arrivals that never come. */
const looks = kernel({ block: 32, grid: 1 }, function looks(x: Tensor<"i32", 1>) {
  const full = new Mbarriers(2);
  if (threadIdx.x === 0) {
    full.at(1).init(3);
    fence.mbarrierInit();
  }
  syncThreads();
  if (threadIdx.x === 0) while (!full.at(1).tryWait(false)) {}
  x[threadIdx.x] = 1;
});

/** Half a warp waits for arrivals that never come. */
const waits = kernel({ block: 32, grid: 1 }, function waits(x: Tensor<"i32", 1>) {
  const full = new Mbarriers(2);
  if (threadIdx.x === 0) {
    full.at(1).init(3);
    fence.mbarrierInit();
  }
  syncThreads();
  if (threadIdx.x < 16) full.at(1).wait(false);
  x[threadIdx.x] = 1;
});

describe("a watched kernel that is asked what an mbarrier lacks", () => {
  it("tells which one it is and its state, under the number of the launch", async () => {
    await using other = await openDevice("emulator", { check: "off" });
    const { records: told } = watchOn(other);
    const backend = backendOf(other);
    const { address = 0n } = backend.watchRecords?.() ?? {};
    const word = new Uint8Array(Uint32Array.of(asks(1)).buffer);
    backend.fill(backend.defaultStream, address + BigInt(watchBytes), word, watchSlots);
    const x = other.zeros("i32", [32]);
    looks.launch({ watch: true }, x);
    // By the manual nobody looks at the mbarrier any more, which the emulator holds it to.
    await expect(x.read()).rejects.toMatchObject({ code: "W9102" });
    const [warp] = readWarps(await told(), 32);
    expect(warp?.waits.map(({ site, place, parity, answer }) => [site, place, parity, answer?.place])).toEqual([[1, 8, 0, 8]]);
  });

  it.each([
    ["tells which mbarrier its lanes wait for", tells, "W9001"],
    // By the manual nobody asks a barrier for its bits.
    ["is then asked what that lacks", asks(1), "W9102"],
  ] as const)("%s", async (_, word, code) => {
    await using other = await openDevice("emulator", { check: "off" });
    const { records: told } = watchOn(other);
    const backend = backendOf(other);
    const { address = 0n } = backend.watchRecords?.() ?? {};
    backend.fill(backend.defaultStream, address + BigInt(watchBytes), new Uint8Array(Uint32Array.of(word).buffer), watchSlots);
    const x = other.zeros("i32", [32]);
    waits.launch({ watch: true }, x);
    await expect(x.read()).rejects.toMatchObject({ code });
    const [warp] = readWarps(await told(), 32);
    expect(warp?.waits).toMatchObject([{ site: 1, lanes: 0xffff, told: true, place: 8, parity: 0 }]);
  });
});
