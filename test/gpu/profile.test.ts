import { afterAll, describe, expect, it } from "vitest";
import { type Device, kernel, openDevice, profile, range, type Tensor, TileScheduler, TMA, threadIdx, type u32 } from "warpsmith";
import { randn } from "warpsmith/testing";
import { gemmWarpSpecialized } from "../../examples/ch5/kernel.ts";

/** A device that runs kernels, or why there is none. */
async function findDevice(): Promise<Device | string> {
  try {
    return await openDevice("cuda");
  } catch (error) {
    return error instanceof Error ? (error.message.split("\n")[0] ?? "no CUDA device") : String(error);
  }
}

const gpu = await findDevice();
if (typeof gpu === "string") console.warn(`kernel.profile does not run on a GPU: ${gpu}`);
const opened = (): Device => {
  if (typeof gpu === "string") throw new Error(gpu);
  return gpu;
};

const spins = kernel({ block: 64 }, function spins(x: Tensor<"u32", 1>, turns: u32) {
  for (const { index } of new TileScheduler([2, 4], { mode: "persistent" })) {
    profile.begin("spin");
    let sum = x.at(threadIdx.x).load();
    for (const i of range(turns)) sum = (sum * 3 + i) >>> 0;
    profile.end("spin");
    x.at(64 + 64 * index + threadIdx.x).store(sum);
  }
});

describe.skipIf(typeof gpu === "string")("kernel.profile on a GPU", () => {
  afterAll(() => opened().dispose());

  it("has marks and tiles of every warp in nanoseconds, and what takes longer is longer", async () => {
    const x = opened().zeros("u32", [64 * 9]);
    const spinsOf = async (turns: number) => {
      const found = await spins.profile({ grid: 4 }, x, turns);
      expect(found).toMatchObject({ unit: "ns", unpaired: 0, dropped: 0 });
      expect(found.blocks.length).toBe(4);
      expect(found.lanes.length).toBe(8);
      expect(new Set(found.spans.filter((s) => s.kind === "tile").map((s) => s.details?.index)).size).toBe(8);
      const marks = found.spans.filter((s) => s.kind === "mark");
      expect(marks.length).toBe(16);
      return marks.reduce((sum, { begin, end }) => sum + end - begin, 0) / marks.length;
    };
    await spinsOf(10);
    const [short, long] = [await spinsOf(1000), await spinsOf(100_000)];
    expect(long).toBeGreaterThan(20 * short);
  });

  it("has the roles of a specialised kernel, whose result it leaves as it is", async () => {
    const [M, N, K] = [256, 128, 512];
    const [a, b] = [opened().tensor("f16", [M, K], randn(M * K, 1)), opened().tensor("f16", [K, N], randn(K * N, 2))];
    const maps = [new TMA(a, { box: [128, 64], swizzle: "128B" }), new TMA(b, { box: [64, 64], swizzle: "128B" })] as const;
    const [d, plain] = [opened().empty("f32", [M, N]), opened().empty("f32", [M, N])];
    const found = await gemmWarpSpecialized.profile({}, ...maps, d, 3);
    gemmWarpSpecialized.launch({}, ...maps, plain, 3);
    expect(await d.read()).toEqual(await plain.read());
    const roles = found.lanes.map(({ role }) => role).toSorted();
    expect(roles).toEqual([...new Array(8).fill("consumer"), ...new Array(8).fill("producer")]);
    expect(
      found.blocks.every(({ multiprocessor }) => multiprocessor !== undefined && multiprocessor < opened().multiprocessors),
    ).toBe(true);
  });
});
