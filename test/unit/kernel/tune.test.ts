import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { blockDim, blockIdx, type DeviceTensor, type f32, kernel, type Tensor, threadIdx } from "warpsmith";
import { type TuneOptions, tune } from "warpsmith/schedule";
import { defaultTarget } from "../../../src/base/target.ts";
import { fullness, noRoom, product, spread } from "../../../src/kernel/tune/space.ts";
import type { FakeLaunch } from "../cuda/fake-driver.ts";
import { openFake } from "../cuda/open-fake.ts";

/** One kernel for each number of threads in a block. */
const make = ({ block }: { readonly block: number }) =>
  kernel({ block, grid: (y) => Math.ceil(y.shape[0] / block) }, function axpy(y: Tensor<"f32", 1>, x: Tensor<"f32", 1>, a: f32) {
    const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < y.shape[0]) y[i] = y[i]! + a * x[i]!;
  });

const word = (launch: FakeLaunch, i: number): bigint => {
  const bytes = launch.parameters[i]!;
  return new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true);
};

/** Milliseconds by the number of threads. */
const times: Record<number, number> = { 32: 3, 64: 1, 96: 1.1, 128: 2, 256: 4 };

/** A device with a clock, on which `axpy` adds 1 to the first element of its first tensor; with `wrong` threads it adds 2. */
async function clocked({ wrong = 0, elements = 256 } = {}) {
  const opened = await openFake({
    l2Bytes: 256,
    kernels: {
      axpy: {
        parameterBytes: [8, 8, 4],
        takes: ({ block }) => times[block[0]!] ?? 1,
        run: (launch) => {
          const first = opened.fake.memoryAt(word(launch, 0), 4);
          const floats = new DataView(first.buffer, first.byteOffset);
          floats.setFloat32(0, floats.getFloat32(0, true) + (launch.block[0] === wrong ? 2 : 1), true);
          return undefined;
        },
      },
    },
  });
  const { device } = opened;
  const [y, x] = [device.zeros("f32", [elements]), device.zeros("f32", [elements])];
  const blocks = () => opened.fake.launches.map(({ block }) => block[0]);
  const options = {
    ...{ device, args: [y, x, 1], results: [y], seconds: 0.1 },
    reference: (tensor: DeviceTensor<"f32", 1>) => tensor.write([1, ...new Array<number>(elements - 1).fill(0)]),
  } satisfies TuneOptions;
  return { ...opened, y, options, blocks };
}

let cache: string;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), "warpsmith-tune-"));
  vi.stubEnv("WARPSMITH_CACHE", cache);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(cache, { recursive: true, force: true });
});

describe("tune", () => {
  it("checks each configuration, times all in turns, those near the fastest for longer, and gives the fastest", async () => {
    const { options, blocks, y } = await clocked();
    const found = await tune({ block: [32, 64, 96, 128] }, make, options);
    expect(found).toMatchObject({ config: { block: 64 }, time: 1250, kept: false });
    // Each once to be checked; three rounds, each of them first in turn; then 64 and 96 until 0.1 s are over.
    expect(blocks().slice(0, 4)).toEqual([32, 64, 96, 128]);
    expect(blocks().slice(4, 16)).toEqual([32, 64, 96, 128, 64, 96, 128, 32, 96, 128, 32, 64]);
    const late = blocks().slice(16);
    expect(late.slice(0, 4)).toEqual([64, 96, 96, 64]);
    expect(new Set(late)).toEqual(new Set([64, 96]));
    expect(late.length).toBeGreaterThan(60);
    expect(found.trials.map(({ config, outcome, time }) => [config.block, outcome, time])).toEqual([
      [32, "measured", 3250],
      [64, "measured", 1250],
      [96, "measured", expect.closeTo(1350)],
      [128, "measured", 2250],
    ]);
    // What was there before is there again.
    expect([...(await y.read())].slice(0, 2)).toEqual([0, 0]);
    found.kernel.launch({}, ...options.args);
    expect(blocks().at(-1)).toBe(64);
  });

  it("passes over what is wrong and what is refused, and says why in its table", async () => {
    const { options } = await clocked({ wrong: 64 });
    const found = await tune({ block: [2048, 64, 128, 32] }, make, options);
    expect(found.config).toEqual({ block: 128 });
    expect(found.trials.map(({ outcome }) => outcome)).toEqual(["refused", "wrong", "measured", "measured"]);
    expect(found.trials[0]!.error).toMatchObject({ code: "W7017" });
    expect(found.table().split("\n")).toEqual([
      "tune: a kernel on Fake H200",
      '* {"block":128}   2250.00 us',
      '  {"block":32}    3250.00 us',
      '  {"block":64}    wrong: 1 of 256 elements are wrong, the first at [0]: 2 for 1',
      '  {"block":2048}  refused: W7017 A block of [2048, 1, 1] has 2048 threads; a block has at most 1024, and at most 64 along z.',
    ]);
  });

  it("leaves out before anything is compiled what does not fit, what no multiprocessor has room for, and what leaves most of them idle", async () => {
    const { options, blocks } = await clocked();
    const made = vi.fn(make);
    const found = await tune({ block: [32, 64, 96, 128, 256] }, made, {
      ...options,
      fits: ({ block }) => block !== 32,
      resources: ({ block }) => ({
        threads: block,
        sharedBytes: block === 64 ? 300_000 : 1024,
        registers: 32,
        blocks: block === 96 ? 40 : 132,
      }),
    });
    expect(found.trials.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ["pruned", "fits() says no"],
      ["pruned", "300000 bytes of shared memory, of 232448"],
      ["pruned", "its blocks fill 30 % of their waves"],
      ["measured", undefined],
      ["measured", undefined],
    ]);
    expect(made.mock.calls.every(([{ block }]) => block >= 128)).toBe(true);
    expect(new Set(blocks())).toEqual(new Set([128, 256]));
  });

  it("compiles as many as the budget says, spread over the space", async () => {
    const { options, blocks } = await clocked();
    const found = await tune({ block: [32, 64, 96, 128, 256] }, make, { ...options, budget: 3 });
    expect(new Set(blocks())).toEqual(new Set([32, 96, 256]));
    expect(found.trials.filter(({ reason }) => reason === "beyond the budget")).toHaveLength(2);
  });

  it("keeps its choice on disk, for the device, the shapes, the space and the maker", async () => {
    const space = { block: [32, 64, 128] } as const;
    const { options } = await clocked();
    await tune(space, make, options);
    expect(readdirSync(join(cache, "tuned"))).not.toHaveLength(0);
    const second = await clocked();
    const found = await tune(space, make, second.options);
    expect(found).toMatchObject({ config: { block: 64 }, time: 1250, kept: true, trials: [] });
    expect(second.blocks()).toEqual([]);
    expect(found.table()).toBe('tune: a kernel on Fake H200\n* {"block":64}  1250.00 us, kept');
    for (const other of [
      tune({ block: [32, 64, 96] }, make, (await clocked()).options),
      tune(space, make, { ...(await clocked()).options, keep: false }),
      tune(space, make, (await clocked({ elements: 512 })).options),
      tune(space, (config) => make({ block: config.block }), (await clocked()).options),
    ])
      expect((await other).kept).toBe(false);
  });

  it("searches again where the kernel that was chosen is another one now", async () => {
    const { options } = await clocked();
    let factor = 1;
    const changing = ({ block }: { readonly block: number }) => {
      const times = factor;
      return kernel({ block, grid: 1 }, function axpy(y: Tensor<"f32", 1>, x: Tensor<"f32", 1>, a: f32) {
        y[threadIdx.x] = a * x[threadIdx.x]! * times;
      });
    };
    expect((await tune({ block: [32, 64] }, changing, options)).kept).toBe(false);
    expect((await tune({ block: [32, 64] }, changing, options)).kept).toBe(true);
    factor = 2;
    expect((await tune({ block: [32, 64] }, changing, options)).kept).toBe(false);
  });

  it("refuses with all reasons where nothing is left", async () => {
    const { options } = await clocked({ wrong: 64 });
    const asked = tune({ block: [2048, 64] }, make, options);
    await expect(asked).rejects.toMatchObject({ code: "W7545" });
    await expect(asked).rejects.toThrow('{"block":64}: 1 of 256 elements are wrong');
  });

  it("does not go on where something else than a kernel goes wrong", async () => {
    const { options } = await clocked();
    const broken = (): never => {
      throw new RangeError("the author's own");
    };
    await expect(tune({ block: [32] }, broken, options)).rejects.toThrow(RangeError);
  });
});

describe("a space", () => {
  const { limits } = defaultTarget;

  it("has one value for each knob, the last one first to change", () => {
    expect(product({ a: [1, 2], b: ["x", "y"] })).toEqual([
      { a: 1, b: "x" },
      { a: 1, b: "y" },
      { a: 2, b: "x" },
      { a: 2, b: "y" },
    ]);
  });

  it("knows what a multiprocessor has room for", () => {
    expect(noRoom({}, limits)).toBeUndefined();
    expect(noRoom({ threads: 384, registers: 168, sharedBytes: 200_000 }, limits)).toBeUndefined();
    expect(noRoom({ registers: 256 }, limits)).toBe("256 registers of a thread, of 255");
    expect(noRoom({ threads: 512, registers: 129 }, limits)).toBe("69632 registers of a block, of 65536");
  });

  it("counts the turns of multiprocessors", () => {
    expect(fullness({ blocks: 132 }, 132)).toBe(1);
    expect(fullness({ blocks: 133 }, 132)).toBeCloseTo(133 / 264);
    expect(fullness({}, 132)).toBeUndefined();
  });

  it("is thinned out evenly", () => {
    expect(spread([1, 2, 3, 4, 5], 3)).toEqual([1, 3, 5]);
    expect(spread([1, 2, 3], 1)).toEqual([1]);
    expect(spread([1, 2], 5)).toEqual([1, 2]);
  });
});
