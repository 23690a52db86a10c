/** Stores by TMA to rows that end at no multiple of 16 bytes: what is refused at the launch (W7675), and what the checks of the emulator report (W9228). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Device,
  type DeviceTensor,
  type DType,
  fence,
  type i32,
  kernel,
  openDevice,
  range,
  type Static,
  sharedMemory,
  syncThreads,
  type Tensor,
  TMA,
  type TMAOptions,
  threadIdx,
  tma,
} from "warpsmith";
import { storedEnds, storeEnds } from "./row-ends-scenario.ts";

// biome-ignore lint/suspicious/noExplicitAny: maps and tensors of any type and rank
type Any = any;

/** Stores a box of ones at those coordinates. */
const store = kernel(
  { block: 32, grid: 1 },
  function store(to: TMA, shape: Static<readonly number[]>, at: Static<readonly number[]>, how: Static<"store" | "add">) {
    const count = shape.reduce((n, extent) => n * extent, 1);
    const tile = sharedMemory.alloc(to.dtype, shape as never, { align: 128 }) as Any;
    const flat = tile.reshape(count);
    for (const e of range(threadIdx.x, count, 32)) flat.at(e).store(1);
    fence.proxyAsync({ space: "shared::cta" });
    syncThreads();
    if (threadIdx.x === 0) {
      if (how === "add") to.reduce("add", tile, at as never);
      else to.store(tile, at as never);
      tma.commit();
      tma.wait(0);
    }
  },
);

type Range = readonly [number, number] | undefined;

/** Launches on part of new memory; gives all of it as it is then, from 2 on; without `fill` that part. */
async function stored(
  device: Device,
  dtype: DType,
  shape: readonly number[],
  part: readonly Range[],
  { box, at, how = "store", fill = true }: { box?: number[]; at?: number[]; how?: "store" | "add"; fill?: boolean } = {},
): Promise<readonly number[]> {
  using memory = device.empty(dtype, shape) as DeviceTensor;
  if (fill) memory.fill(2 as never);
  const boxes = box ?? shape.map((_, d) => (d === shape.length - 1 ? 32 : 2));
  const map = new TMA(memory.slice(...part), { box: boxes } as TMAOptions);
  store.launch({ device }, map as Any, boxes, at ?? shape.map(() => 0), how);
  return Array.from(await (fill ? memory : memory.slice(...part)).read(), Number);
}

const rows = undefined;

describe("a launch that stores by TMA over what lies behind rows", () => {
  let device: Device;
  beforeAll(async () => {
    device = await openDevice("emulator", { check: "off" });
  });
  afterAll(() => device.dispose());

  it.each([
    [
      "a slice on the left, f16",
      "f16",
      [4, 64],
      [rows, [0, 21]],
      /21 f16, 42 bytes: TMA writes on .* 6 bytes behind each row, .* next row begins 86 bytes/,
    ],
    ["a slice on the left, bf16", "bf16", [4, 64], [rows, [0, 9]], /9 bf16, 18 bytes/],
    ["a slice on the right", "f16", [4, 64], [rows, [8, 27]], /19 f16, 38 bytes/],
    ["f32", "f32", [4, 64], [rows, [0, 5]], /5 f32, 20 bytes: TMA writes on/],
    ["bytes", "u8", [4, 64], [rows, [16, 33]], /17 u8, 17 bytes: .* 15 bytes behind each row/],
    [
      "of one dimension",
      "f16",
      [64],
      [[8, 21]],
      /13 f16, 26 bytes: .* the 6 bytes behind the row, .* memory goes on for 86 bytes/,
    ],
    [
      "one row alone, of a matrix whose rows follow each other",
      "f16",
      [16, 21],
      [[8, 9], rows],
      /21 f16, 42 bytes: .* memory goes on for 294/,
    ],
    ["of three dimensions", "f16", [2, 4, 64], [rows, rows, [0, 21]], /next row begins 86 bytes/],
    [
      "rows of three dimensions with other matrices between",
      "f16",
      [4, 2, 24],
      [
        [0, 4],
        [0, 1],
        [0, 21],
      ],
      undefined,
    ],
  ] as const)("%s", async (_, dtype, shape, part, message) => {
    const launched = stored(device, dtype, shape, part as readonly Range[]);
    if (message) await expect(launched).rejects.toThrow(message);
    else await launched;
  });

  it("by a reduction, which goes on as a store does", async () => {
    const reduced = stored(device, "f16", [4, 64], [rows, [0, 21]], { how: "add" });
    await expect(reduced).rejects.toThrow(/W7675 .*TMA reduces on to the next multiple of 16, over the 6 bytes/);
  });

  it("names the store, and how to go on", async () => {
    const error = await stored(device, "f16", [4, 64], [rows, [0, 21]]).catch((e: Error) => e);
    expect(String(error)).toMatch(/to\.store\(tile, at as never\)/);
    expect(String(error)).toMatch(/first 16 columns, .*\[0, 16\].* store the others by threads; or, .* 24 columns/);
  });

  it("memory of another library, of one row: nobody knows what lies behind", async () => {
    using memory = device.empty("f16", [64]);
    const { addressOf } = await import("../../../src/runtime/index.ts");
    const other = device.tensorAt("f16", [21], addressOf(memory) + 16n);
    expect(() => store.launch({ device }, new TMA(other, { box: [32] }) as Any, [32], [0], "store")).toThrow(
      /W7675|memory goes on/,
    );
  });
});

describe("a launch that is taken", () => {
  let device: Device;
  beforeAll(async () => {
    device = await openDevice("emulator", { check: "off" });
  });
  afterAll(() => device.dispose());
  const only = (all: readonly number[], pitch: number, columns: number) =>
    all.every((value, i) => value === (i % pitch < columns ? 1 : 2));

  it("rows that lie as near as they may: what is behind them is padding, and written", async () => {
    expect(only(await stored(device, "f16", [2, 24], [rows, [0, 21]]), 24, 24)).toBe(true);
    expect(only(await stored(device, "u8", [2, 32], [rows, [0, 17]], { box: [2, 32] }), 32, 32)).toBe(true);
  });
  it("such rows of f32", async () => {
    expect(only(await stored(device, "f32", [2, 24], [rows, [0, 21]]), 24, 24)).toBe(true);
  });
  it("rows that end at multiples of 16 bytes", async () => {
    expect(only(await stored(device, "f16", [2, 64], [rows, [0, 24]]), 64, 24)).toBe(true);
  });
  it("a vector that ends where its memory ends, or where padding of less than 16 bytes does", async () => {
    expect(only(await stored(device, "f16", [21], [rows]), 21, 21)).toBe(true);
    expect(only(await stored(device, "f16", [23], [[0, 21]]), 23, 23)).toBe(true);
  });
  it("a box that never gets to the end of a row", async () => {
    const before = await stored(device, "f16", [2, 64], [rows, [0, 21]], { box: [2, 16] });
    expect(only(before, 64, 16)).toBe(true);
    const last = stored(device, "f16", [2, 64], [rows, [0, 21]], { box: [2, 8], at: [16, 0] });
    await expect(last).rejects.toThrow("W7675");
  });
  it("boxes of a loop that never get there; those that do are refused", async () => {
    const loop = kernel({ block: 32, grid: 1 }, function loop(to: TMA<"f16", 2>, boxes: Static<number>) {
      const tile = sharedMemory.alloc("f16", [2, 8], { align: 128 });
      if (threadIdx.x < 16) tile.at(threadIdx.x >> 3, threadIdx.x & 7).store(1);
      fence.proxyAsync({ space: "shared::cta" });
      syncThreads();
      if (threadIdx.x === 0) {
        for (const i of range(boxes)) to.store(tile, [8 * i, 0]);
        tma.commit();
        tma.wait(0);
      }
    });
    using memory = device.empty("f16", [2, 64]);
    memory.fill(2);
    const map = new TMA(memory.slice(rows, [0, 21]), { box: [2, 8] });
    loop.launch({}, map, 2);
    expect(only(Array.from(await memory.read()), 64, 16)).toBe(true);
    expect(() => loop.launch({}, map, 3)).toThrow("W7675");
  });
  it("a map that is loaded alone, and one whose columns only the launch knows", async () => {
    const touch = kernel({ block: 32, grid: 1 }, function touch(x: TMA<"f16", 2>) {
      x.prefetch();
    });
    using memory = device.zeros("f16", [2, 64]);
    touch.launch({}, new TMA(memory.slice(rows, [0, 21]), { box: [2, 32] }));
    const anywhere = kernel({ block: 32, grid: 1 }, function anywhere(to: TMA<"f16", 2>, column: i32) {
      const tile = sharedMemory.alloc("f16", [1, 8], { align: 128 });
      if (threadIdx.x === 0) to.store(tile, [column, 0], { pred: column > 100 });
    });
    const map = new TMA(memory.slice(rows, [0, 21]), { box: [1, 8] });
    expect(() => anywhere.launch({}, map, 0)).toThrow("W7675");
    await device.sync();
  });
  it("is the same on both devices", async () => expect(await storeEnds(device)).toEqual(storedEnds));
});

describe("the checks, of padding behind rows", () => {
  const under = async (check: "normal" | "strict", act: (device: Device) => Promise<unknown>) => {
    await using device = await openDevice("emulator", { check });
    return act(device).then(
      () => "silent",
      (error: Error) => error.message,
    );
  };

  it("are silent where nothing has been written there", async () => {
    for (const check of ["normal", "strict"] as const)
      expect(await under(check, (d) => stored(d, "f16", [2, 24], [rows, [0, 21]], { fill: false }))).toBe("silent");
  });
  it.each(["f16", "bf16", "u8", "i32", "f32"] as const)("report what it changes there: %s", async (dtype) => {
    const [wide, columns] = dtype === "i32" || dtype === "f32" ? [8, 6] : dtype === "u8" ? [32, 21] : [24, 21];
    const message = await under("normal", (d) => stored(d, dtype, [2, wide], [rows, [0, columns]]));
    expect(message).toMatch(/^W9228 .*changes \d+ bytes of global memory/);
  });
  it("report under `strict` alone what changes nothing", async () => {
    const ones = async (d: Device) => {
      using memory = d.empty("f16", [2, 24]);
      memory.fill(1);
      store.launch({}, new TMA(memory.slice(rows, [0, 21]), { box: [2, 32] }) as Any, [2, 32], [0, 0], "store");
      await d.sync();
    };
    expect(await under("normal", ones)).toBe("silent");
    expect(await under("strict", ones)).toMatch(/W9228/);
  });
  it("report what a reduction changes there", async () => {
    const sum = (d: Device) => stored(d, "f16", [2, 24], [rows, [0, 21]], { how: "add" });
    expect(await under("normal", sum)).toMatch(/^W9228 .*changes \d+ bytes of global memory/);
  });
  it("go on to count padding as never written", async () => {
    const readsPadding = kernel({ block: 32, grid: 1 }, function readsPadding(x: Tensor<"f16", 2>, out: Tensor<"f16", 1>) {
      out[threadIdx.x] = x.at(0, 16 + (threadIdx.x & 7)).load();
    });
    const act = async (d: Device) => {
      using memory = d.empty("f16", [2, 24]);
      using out = d.empty("f16", [32]);
      store.launch({}, new TMA(memory.slice(rows, [0, 21]), { box: [2, 32] }) as Any, [2, 32], [0, 0], "store");
      readsPadding.launch({}, memory, out);
      await d.sync();
    };
    expect(await under("normal", act)).toMatch(/^W9209/);
  });
  it("find who writes there at the same time", async () => {
    const race = kernel({ block: 64, grid: 1 }, function race(to: TMA<"f16", 2>, out: Tensor<"f16", 2>) {
      const tile = sharedMemory.alloc("f16", [1, 32], { align: 128 });
      if (threadIdx.x < 32) tile.at(0, threadIdx.x).store(1);
      fence.proxyAsync({ space: "shared::cta" });
      syncThreads();
      if (threadIdx.x === 0) {
        to.store(tile, [0, 0]);
        tma.commit();
        tma.wait(0);
      }
      if (threadIdx.x === 32) out.at(0, 22).store(5);
    });
    const act = async (d: Device) => {
      using memory = d.empty("f16", [2, 24]);
      race.launch({}, new TMA(memory.slice(rows, [0, 21]), { box: [1, 32] }), memory);
      await d.sync();
    };
    expect(await under("normal", act)).toMatch(/W9201|W9206/);
  });
});
