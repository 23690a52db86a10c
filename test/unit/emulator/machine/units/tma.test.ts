import { describe, expect, it } from "vitest";
import { elementBytes } from "../../../../../src/base/element-types.ts";
import type { Im2colMap, TiledMap } from "../../../../../src/base/tensor-map.ts";
import type { DType, Swizzle } from "../../../../../src/base/types.ts";
import {
  commitGroup,
  createAsyncGroups,
  decodeTensorMap,
  encodeTensorMap,
  groupsThrough,
  issueTensorLoad,
  issueTensorStore,
} from "../../../../../src/emulator/machine/units/index.ts";
import { some } from "../../../../support/amount.ts";
import { barrier, below, machine, origin, random } from "./machine.ts";

const start = 0x2480;
const decoded = (map: TiledMap | Im2colMap) => decodeTensorMap({ bytes: encodeTensorMap(origin, map), offset: 0 });

function tiled(changes: Partial<TiledMap> & Pick<TiledMap, "dims" | "box">): TiledMap {
  const size = elementBytes[changes.dtype ?? "f16"];
  let bytes = size;
  const strides = changes.dims.slice(0, -1).map((extent) => {
    bytes = Math.ceil((bytes * extent) / 32) * 32;
    return bytes;
  });
  return {
    mode: "tiled",
    dtype: "f16",
    strides,
    elementStrides: changes.dims.map(() => 1),
    interleave: "none",
    swizzle: "none",
    l2Promotion: "none",
    oobFill: "zero",
    ...changes,
  };
}

const memoryOf = (map: TiledMap | Im2colMap): Uint8Array => {
  const next = random(9);
  const last = map.dims.length - 1;
  return new Uint8Array((map.strides[last - 1] ?? map.dims[0]! * 8) * (map.dims[last] ?? 1)).map(() => below(next, 256));
};

/** Swizzle<B, 4, 3> of CUTLASS on the address as bits: bits 7, 8, 9 are added to bits 4, 5, 6 without carry. */
const swizzleBits: Record<Swizzle, number> = { none: 0, "32B": 1, "64B": 2, "128B": 3 };
function physical(address: number, swizzle: Swizzle): number {
  let result = address;
  for (let b = 0; b < swizzleBits[swizzle]; b += 1) {
    const from = Math.floor(address / 2 ** (7 + b)) % 2;
    const to = Math.floor(address / 2 ** (4 + b)) % 2;
    result += (((from + to) % 2) - to) * 2 ** (4 + b);
  }
  return result;
}

/** From one row of an image to the next: as the span of the swizzle, where the row is shorter (docs/hardware.md). */
const spans = { none: 0, "32B": 32, "64B": 64, "128B": 128 } as const;
const pitch = (swizzle: Swizzle, rowBytes: number): number => Math.max(rowBytes, spans[swizzle]);

/**
 * Every element of an image: where it lies in shared memory, and where in the tensor (undefined: outside). `reach`: so many bytes at a time belong to a row
 * if the first of them does.
 */
function* elements(
  map: TiledMap,
  coordinates: readonly number[],
  reach = 1,
): Generator<{ shared: number; global: number | undefined }> {
  const size = elementBytes[map.dtype];
  const counts = map.box.map((extent, d) => Math.ceil(extent / map.elementStrides[d]!));
  const total = counts.reduce((n, c) => n * c, 1);
  for (let e = 0; e < total; e += 1) {
    let rest = e;
    let global: number | undefined = 0;
    counts.forEach((count, d) => {
      const at = coordinates[d]! + (rest % count) * map.elementStrides[d]!;
      rest = Math.floor(rest / count);
      const first = d === 0 ? Math.floor((at * size) / Math.max(reach, size)) * Math.max(reach, size) : at;
      if (at < 0 || first >= map.dims[d]! * (d === 0 ? size : 1)) global = undefined;
      if (global !== undefined) global += at * (d === 0 ? size : map.strides[d - 1]!);
    });
    const [row, column] = [Math.floor(e / counts[0]!), e % counts[0]!];
    const place = start + row * pitch(map.swizzle, counts[0]! * size) + column * size;
    yield { shared: physical(place, map.swizzle) - 0x400, global };
  }
}

function checkLoad(map: TiledMap, coordinates: readonly number[], fill: readonly number[] = []): void {
  const memory = memoryOf(map);
  const units = machine(memory);
  const size = elementBytes[map.dtype];
  const expected = units.shared[0]!.bytes.slice();
  let count = 0;
  for (const { shared, global } of elements(map, coordinates)) {
    count += 1;
    for (let b = 0; b < size; b += 1) expected[shared + b] = global === undefined ? (fill[b] ?? 0) : memory[global + b]!;
  }
  issueTensorLoad(units, { map: decoded(map), coordinates, destination: start, barrier });
  expect(Buffer.compare(units.shared[0]!.bytes, expected)).toBe(0);
  expect(units.barriers.barriers.get(barrier)!.tx).toBe(-count * size);
}

function checkStore(map: TiledMap, coordinates: readonly number[]): void {
  const memory = memoryOf(map);
  const expected = memory.slice();
  const units = machine(memory);
  const size = elementBytes[map.dtype];
  for (const { shared, global } of elements(map, coordinates, 16)) {
    if (global === undefined || global + size > memory.length) continue;
    for (let b = 0; b < size; b += 1) expected[global + b] = units.shared[0]!.bytes[shared + b]!;
  }
  issueTensorStore(units, { map: decoded(map), coordinates, source: start, groups: createAsyncGroups() });
  expect(Buffer.compare(memory, expected)).toBe(0);
}

const swizzles: readonly Swizzle[] = ["none", "32B", "64B", "128B"];
const span = { none: 64, "32B": 32, "64B": 64, "128B": 128 } as const;
const dtypes: readonly DType[] = ["u8", "e4m3", "f16", "bf16", "f32", "i32", "f64", "u64"];

describe("tiles", () => {
  for (const swizzle of swizzles) {
    it.each(some(dtypes, 2))(`moves %s through swizzle ${swizzle}`, (dtype) => {
      const unit = 16 / elementBytes[dtype];
      const width = span[swizzle] / elementBytes[dtype];
      const map = tiled({ dtype, swizzle, dims: [3 * width - 5, 40], box: [width, 16] });
      for (const at of [
        [0, 0],
        [width, 5],
        [-unit, 3],
        [2 * width + unit, 30],
        [2 * width, 25],
        [-width, 0],
        [0, -20],
        [unit, 39],
      ]) {
        checkLoad(map, at);
        if (Math.min(...at) >= 0) checkStore(map, at);
      }
    });
  }

  it("walks five dimensions, any of them over the edge", () => {
    const map = tiled({ dtype: "i32", dims: [7, 5, 4, 3, 3], box: [4, 3, 2, 2, 2] });
    const next = random(3);
    for (let i = 0; i < 30; i += 1) {
      const at = map.dims.map((extent, d) => (d === 0 ? 4 * below(next, 4) - 4 : below(next, extent + 4) - 2));
      checkLoad(map, at);
      checkStore(
        map,
        at.map((x) => Math.max(x, 0)),
      );
    }
  });

  it("moves narrow rows of a swizzled image, at a place that is no multiple of its pattern", () => {
    const map = tiled({ swizzle: "128B", dims: [64, 20], box: [16, 7] });
    checkLoad(map, [8, 2]);
    checkStore(map, [8, 2]);
  });

  it("strides over elements", () => {
    checkLoad(tiled({ dims: [40, 20], elementStrides: [1, 3], box: [8, 10] }), [-8, -4]);
    const map = tiled({ dims: [64, 9, 6], elementStrides: [1, 3, 2], box: [32, 8, 4] });
    for (const at of [
      [0, 0, 0],
      [-8, -4, 1],
      [56, 3, -3],
      [56, 3, 1],
    ]) {
      checkLoad(map, at);
      if (Math.min(...at) >= 0) checkStore(map, at);
    }
  });

  it.each(["16B", "32B"] as const)("refuses interleave %s", (interleave) => {
    const map = tiled({ interleave, swizzle: interleave === "32B" ? "32B" : "none", dims: [64, 9, 6], box: [32, 8, 4] });
    expect(() => checkLoad(map, [0, 0, 0])).toThrow("W9124");
  });

  it("fills with NaN", () => {
    checkLoad(tiled({ dtype: "f16", oobFill: "nan", dims: [32, 8], box: [16, 8] }), [24, 3], [0xf7, 0x7f]);
    checkLoad(tiled({ dtype: "f32", oobFill: "nan", dims: [32, 8], box: [16, 8] }), [-4, -3], [0xf7, 0x7f, 0xf7, 0x7f]);
  });

  it("rounds tf32 as it loads", () => {
    const map = tiled({ dtype: "tf32", dims: [4, 1], box: [4, 1] });
    const words = Uint32Array.of(0x3f800fff, 0x3f801000, 0x3f803000, 0x7f800001);
    const units = machine(new Uint8Array(words.buffer));
    issueTensorLoad(units, { map: decoded(map), coordinates: [0, 0], destination: start, barrier });
    const at = start - 0x400;
    expect([...new Uint32Array(units.shared[0]!.bytes.slice(at, at + 16).buffer)]).toEqual([
      0x3f800000, 0x3f800000, 0x3f804000, 0x7fffe000,
    ]);
  });

  it("delivers to every block of a mask, and to its barrier", () => {
    const map = tiled({ dims: [32, 8], box: [32, 8] });
    const memory = memoryOf(map);
    const units = machine(memory, { blocks: 4 });
    const before = units.shared.map((s) => s.bytes.slice());
    issueTensorLoad(units, {
      map: decoded(map),
      coordinates: [0, 0],
      destination: start + 2 ** 24,
      barrier: barrier + 2 ** 24,
      multicast: 0b1010,
    });
    units.shared.forEach(({ bytes }, rank) => {
      const at = start - 0x400;
      const expected = before[rank]!;
      if (rank % 2 === 1) expected.set(memory.subarray(0, 512), at);
      expect(Buffer.compare(bytes, expected)).toBe(0);
      expect(units.barriers.barriers.get(barrier + rank * 2 ** 24)!.tx).toBe(rank % 2 === 1 ? -512 : 0);
    });
  });

  it("lands when the queue says so", () => {
    const map = tiled({ dims: [32, 8], box: [32, 8] });
    const memory = memoryOf(map);
    const units = machine(memory, { schedule: "lazy" });
    const groups = createAsyncGroups();
    const sent = units.shared[0]!.bytes.slice(start - 0x400, start - 0x400 + 512);
    issueTensorStore(units, { map: decoded(map), coordinates: [0, 0], source: start, groups });
    commitGroup(groups);
    expect(groupsThrough(groups, 1)).toBe(true);
    expect(groupsThrough(groups, 0)).toBe(false);
    expect(groupsThrough(groups, 0, true)).toBe(false);
    expect(Buffer.compare(memory, sent)).not.toBe(0);
    expect(units.queue.landOne()).toBe(true);
    expect(groupsThrough(groups, 0, true)).toBe(true);
    expect(groupsThrough(groups, 0)).toBe(false);
    expect(units.queue.landOne()).toBe(true);
    expect(groupsThrough(groups, 0)).toBe(true);
    expect(Buffer.compare(memory, sent)).toBe(0);
    expect(units.queue.landOne()).toBe(false);
  });
});

describe("im2col", () => {
  const base = {
    dtype: "f16",
    interleave: "none",
    swizzle: "64B",
    l2Promotion: "none",
    oobFill: "zero",
    mode: "im2col",
  } as const;

  /** Base pixels of a convolution in the order of its output, from one of them on; then the tensor's element at an offset. */
  function check(map: Im2colMap, coordinates: readonly number[], offsets: readonly number[]): void {
    const memory = memoryOf(map);
    const units = machine(memory);
    const expected = units.shared[0]!.bytes.slice();
    const spatial = map.dims.length - 2;
    const order: number[][] = [];
    const visit = (d: number, at: number[]): void => {
      if (d < 0) return void order.push(at);
      const last = map.dims[d + 1]! - 1 + map.upper[d]!;
      for (let x = map.lower[d]!; x <= last; x += map.elementStrides[d + 1]!) visit(d - 1, [x, ...at]);
    };
    for (let n = 0; n < map.dims.at(-1)! + 2; n += 1) visit(spatial - 1, [n]);
    const first = order.findIndex((at) => at.every((x, d) => x === coordinates[d + 1]));
    for (let p = 0; p < map.pixels; p += 1) {
      const at = order[first + p]!.map((x, d) => x + (offsets[d] ?? 0));
      for (let c = 0; c < map.channels; c += 1) {
        const all = [coordinates[0]! + c, ...at];
        const inside = all.every((x, d) => x >= 0 && x < map.dims[d]!);
        const global = all.reduce((sum, x, d) => sum + x * (d === 0 ? 2 : map.strides[d - 1]!), 0);
        const shared = physical(start + p * pitch(map.swizzle, 2 * map.channels) + 2 * c, map.swizzle) - 0x400;
        for (let b = 0; b < 2; b += 1) expected[shared + b] = inside ? memory[global + b]! : 0;
      }
    }
    issueTensorLoad(units, { map: decoded(map), coordinates, offsets, destination: start, barrier });
    expect(Buffer.compare(units.shared[0]!.bytes, expected)).toBe(0);
    expect(units.barriers.barriers.get(barrier)!.tx).toBe(-map.pixels * map.channels * 2);
  }

  it("walks one, two and three spatial dimensions as a convolution does", () => {
    check(
      {
        ...base,
        dims: [32, 9, 2],
        strides: [64, 576],
        elementStrides: [1, 1, 1],
        lower: [-1],
        upper: [-1],
        channels: 32,
        pixels: 12,
      },
      [0, 3, 0],
      [2],
    );
    const two = {
      ...base,
      dims: [40, 7, 5, 3],
      strides: [96, 672, 3360],
      elementStrides: [1, 1, 1, 1],
      lower: [-1, -2],
      upper: [-1, 0],
      channels: 16,
      pixels: 50,
    } as const;
    check(two, [32, 2, 1, 0], [0, 1]);
    check(two, [8, -1, -2, 1], [2, 2]);
    check({ ...two, elementStrides: [1, 2, 3, 1] }, [0, 1, 1, 0], [1, 0]);
    check(
      {
        ...base,
        dims: [32, 4, 3, 3, 2],
        strides: [64, 256, 768, 2304],
        elementStrides: [1, 1, 1, 1, 1],
        lower: [-1, 0, -1],
        upper: [0, -1, -1],
        channels: 32,
        pixels: 30,
      },
      [0, 1, 0, 0, 0],
      [0, 1, 1],
    );
  });

  it("is stored without offsets: each pixel of the image goes to its own", () => {
    const map: Im2colMap = {
      ...base,
      dims: [32, 7, 3],
      strides: [64, 448],
      elementStrides: [1, 2, 1],
      lower: [0],
      upper: [0],
      channels: 32,
      pixels: 10,
    };
    const memory = memoryOf(map);
    const expected = memory.slice();
    const units = machine(memory);
    // W = 0, 2, 4, 6 for each N, from (2, 0) on; there are three N.
    const pixels = [0, 1, 2, 3].flatMap((n) => [0, 2, 4, 6].map((x) => [x, n] as const)).slice(1, 11);
    for (const [p, [x, n]] of pixels.entries()) {
      for (let byte = 0; byte < 64; byte += 1) {
        if (n < 3) expected[64 * x + 448 * n + byte] = units.shared[0]!.bytes[physical(start + 64 * p + byte, "64B") - 0x400]!;
      }
    }
    const store = { map: decoded(map), coordinates: [0, 2, 0], offsets: [0], source: start, groups: createAsyncGroups() };
    issueTensorStore(units, store);
    expect(Buffer.compare(memory, expected)).toBe(0);
  });
});

describe("reductions", () => {
  const reduced = (
    dtype: DType,
    op: Parameters<typeof issueTensorStore>[1]["reduce"],
    old: ArrayBufferView,
    x: ArrayBufferView,
  ) => {
    const asBytes = (v: ArrayBufferView) => new Uint8Array(v.buffer, v.byteOffset, v.byteLength).slice();
    const memory = asBytes(old);
    const units = machine(memory);
    units.shared[0]!.bytes.set(asBytes(x), start - 0x400);
    const elements = memory.length / elementBytes[dtype];
    const map = tiled({ dtype, dims: [elements, 1], box: [elements, 1] });
    issueTensorStore(units, { map: decoded(map), coordinates: [0, 0], source: start, reduce: op!, groups: createAsyncGroups() });
    return memory.buffer;
  };

  it("reduces integers", () => {
    const old = Uint32Array.of(0, 5, 0xffffffff, 7);
    const x = Uint32Array.of(3, 4, 2, 7);
    const run = (op: Parameters<typeof reduced>[1]) => [...new Uint32Array(reduced("u32", op, old, x))];
    expect(run("add")).toEqual([3, 9, 1, 14]);
    expect(run("min")).toEqual([0, 4, 2, 7]);
    expect(run("max")).toEqual([3, 5, 0xffffffff, 7]);
    expect(run("inc")).toEqual([1, 0, 0, 0]);
    expect(run("dec")).toEqual([3, 4, 2, 6]);
    expect(run("and")).toEqual([0, 4, 2, 7]);
    expect(run("or")).toEqual([3, 5, 0xffffffff, 7]);
    expect(run("xor")).toEqual([3, 1, 0xfffffffd, 0]);
    const signed = new Int32Array(reduced("i32", "min", Int32Array.of(-1, 2, 3, 4), Int32Array.of(1, -2, 5, 4)));
    expect([...signed]).toEqual([-1, -2, 3, 4]);
    const long = new BigUint64Array(reduced("u64", "add", BigUint64Array.of(2n ** 64n - 1n, 5n), BigUint64Array.of(2n, 1n)));
    expect([...long]).toEqual([1n, 6n]);
    const least = new BigInt64Array(reduced("i64", "min", BigInt64Array.of(-(2n ** 63n), 5n), BigInt64Array.of(2n, -1n)));
    expect([...least]).toEqual([-(2n ** 63n), -1n]);
  });

  it("reduces floats, rounded once", () => {
    const halves = (op: "add" | "min" | "max") => [
      ...new Uint16Array(
        reduced(
          "f16",
          op,
          Uint16Array.of(0x6800, 0x6801, 0x7bff, 0x7e00, 1, 0x8000, 0x3c00, 0),
          Uint16Array.of(0x3c00, 0x3c00, 0x7bff, 0x3c00, 1, 0, 0xbc00, 0),
        ),
      ),
    ];
    expect(halves("add")).toEqual([0x6800, 0x6802, 0x7c00, 0x7fff, 2, 0, 0, 0]);
    expect(halves("min")).toEqual([0x3c00, 0x3c00, 0x7bff, 0x3c00, 1, 0x8000, 0xbc00, 0]);
    expect(halves("max")).toEqual([0x6800, 0x6801, 0x7bff, 0x3c00, 1, 0, 0x3c00, 0]);
    const bf16 = new Uint16Array(
      reduced("bf16", "add", Uint16Array.of(0x4380, 0x4381, 1, 0, 0, 0, 0, 0), Uint16Array.of(0x3f80, 0x3f80, 1, 0, 0, 0, 0, 0)),
    );
    expect([...bf16].slice(0, 3)).toEqual([0x4380, 0x4382, 2]);
    const f32 = new Float32Array(
      reduced("f32", "add", Float32Array.of(2 ** 24, 2 ** -127, 1, 0), Float32Array.of(1, 2 ** -127, 0.5, -0)),
    );
    expect([...f32]).toEqual([2 ** 24, 2 ** -126, 1.5, 0]);
  });

  it("refuses what the instruction has not", () => {
    expect(() => reduced("f32", "max", new Float32Array(4), new Float32Array(4))).toThrow(
      expect.objectContaining({ code: "W9115" }),
    );
    expect(() => reduced("i64", "xor", new BigInt64Array(2), new BigInt64Array(2))).toThrow(
      expect.objectContaining({ code: "W9115" }),
    );
    expect(() => reduced("i16", "add", new Int16Array(8), new Int16Array(8))).toThrow(expect.objectContaining({ code: "W9115" }));
  });
});

describe("tensor maps", () => {
  const map = tiled({
    dtype: "bf16",
    dims: [2 ** 32, 3, 70000],
    strides: [2 ** 33, 2 ** 39],
    box: [8, 256, 1],
    swizzle: "32B",
    oobFill: "nan",
  });

  it("come back as they were", () => {
    const bytes = new Uint8Array(300);
    bytes.set(encodeTensorMap(0x7f1234567890, map), 100);
    expect(decodeTensorMap({ bytes, offset: 100 })).toEqual({ ...map, address: 0x7f1234567890 });
  });

  it("are refused where something stands that no field covers, and where there is nothing", () => {
    const bytes = encodeTensorMap(origin, map);
    bytes[100]! ^= 1;
    expect(() => decodeTensorMap({ bytes, offset: 0 })).toThrow(expect.objectContaining({ code: "W9110" }));
    expect(() => decodeTensorMap({ bytes: new Uint8Array(128), offset: 0 })).toThrow(expect.objectContaining({ code: "W9110" }));
  });

  it.each([
    ["W9111", { destination: start + 64 }],
    ["W9112", { destination: 0x10300 }],
    ["W9113", { coordinates: [0] }],
    ["W9116", { destination: start + 2 ** 24, barrier: barrier + 2 ** 24 }],
    ["W9116", { multicast: 2 }],
    ["W9117", { offsets: [0] }],
    ["W9119", { coordinates: [4, 0] }],
    ["W9118", { barrier: barrier + 2 ** 24 }],
  ])("a load is refused with %s", (code, changes) => {
    const small = tiled({ dims: [32, 32], box: [32, 32] });
    const units = machine(memoryOf(small));
    const load = { map: decoded(small), coordinates: [0, 0], destination: start, barrier };
    expect(() => issueTensorLoad(units, { ...load, ...changes })).toThrow(expect.objectContaining({ code }));
  });

  it.each([
    [[4, 0], "4, 0", "0, 4"],
    [[4, 4], "4, 4", undefined],
    [[4, 40], "4, 40", undefined],
  ])("a box at %j says what its coordinates would be the other way round", (coordinates, given, meant) => {
    const small = tiled({ dims: [32, 32], box: [32, 32] });
    const load = { map: decoded(small), coordinates, destination: start, barrier };
    const message = (): string => {
      try {
        issueTensorLoad(machine(memoryOf(small)), load);
      } catch (error) {
        return (error as Error).message;
      }
      return "";
    };
    expect(message()).toContain(`begins at the coordinates [${given}], innermost first, 4 elements into a row, 8 bytes`);
    if (meant === undefined) expect(message()).toContain("fix: begin the box at a multiple of 16 bytes");
    else expect(message()).toContain(`give [${meant}] for [${given}]; else begin the box`);
  });

  it.each([
    [-8, 0],
    [0, -1],
  ])("a store is refused before the tensor, at (%i, %i)", (...coordinates) => {
    const small = tiled({ dims: [32, 32], box: [32, 32] });
    const store = { map: decoded(small), coordinates, source: start, groups: createAsyncGroups() };
    expect(() => issueTensorStore(machine(memoryOf(small)), store)).toThrow(expect.objectContaining({ code: "W9123" }));
  });
});
