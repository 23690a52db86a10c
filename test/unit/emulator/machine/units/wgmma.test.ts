import { describe, expect, it } from "vitest";
import { decodeFloat, encodeFloat, floatFormats } from "../../../../../src/base/small-floats.ts";
import { createChoices } from "../../../../../src/emulator/machine/choices.ts";
import {
  commitGroup,
  createAsyncGroups,
  createAsyncQueue,
  groupsThrough,
  issueWgmma,
  multiply,
  type WarpRegisters,
  type WgmmaInput,
  type WgmmaProduct,
} from "../../../../../src/emulator/machine/units/index.ts";
import { scriptEngine, simdEngine } from "../../../../../src/emulator/machine/units/tile-engine.ts";
import { some } from "../../../../support/amount.ts";
import { below, random } from "./machine.ts";

// The second witness: the layouts as CUTLASS writes them, (shape):(stride) with the first mode fastest.
type Layout = readonly (readonly [extent: number, stride: number])[];
const place = (layout: Layout, index: number): number => {
  let rest = index;
  let sum = 0;
  for (const [extent, stride] of layout) {
    sum += (rest % extent) * stride;
    rest = Math.floor(rest / extent);
  }
  return sum;
};

type Swizzle = "none" | "32B" | "64B" | "128B";
const swizzles: readonly Swizzle[] = ["none", "32B", "64B", "128B"];
const modes = { none: 0, "128B": 1, "64B": 2, "32B": 3 } as const;
const swizzleBits = { none: 0, "32B": 1, "64B": 2, "128B": 3 } as const;

/** Swizzle<B, 4, 3> on a byte address. */
function swizzled(address: number, swizzle: Swizzle): number {
  const bits = ((1 << swizzleBits[swizzle]) - 1) << 4;
  return address ^ ((address >> 3) & bits);
}

/** mma_traits_sm90_gmma.hpp: strides in bytes, T elements of 16 bytes. `mn` then `k`. */
function canonical(swizzle: Swizzle, major: "K" | "MN", T: number, lbo: number, sbo: number) {
  const e = 16 / T;
  const W = 1 << swizzleBits[swizzle];
  if (major === "K") {
    return {
      mn: [
        [8, 16 * W],
        [64, sbo],
      ] as Layout,
      k: [
        [T, e],
        [4, W === 1 ? lbo : 16],
      ] as Layout,
    };
  }
  return W === 1
    ? {
        mn: [
          [T, e],
          [1, 0],
          [64, sbo],
        ] as Layout,
        k: [
          [8, 16],
          [8, lbo],
        ] as Layout,
      }
    : {
        mn: [
          [T, e],
          [W, 16],
          [64, lbo],
        ] as Layout,
        k: [
          [8, 16 * W],
          [8, sbo],
        ] as Layout,
      };
}

const bytesOf: Record<WgmmaInput, number> = { f16: 2, bf16: 2, tf32: 4, e4m3: 1, e5m2: 1, s8: 1, u8: 1 };
const depthOf = (type: WgmmaInput): number => 32 / bytesOf[type];

function bitsOf(type: WgmmaInput, value: number): number {
  if (type === "s8" || type === "u8") return value & 255;
  if (type === "tf32") return encodeFloat(floatFormats.tf32, value) * 8192;
  return encodeFloat(floatFormats[type], value);
}

type Matrix = readonly (readonly number[])[];
const matrix = (rows: number, columns: number, value: (r: number, c: number) => number): number[][] =>
  Array.from({ length: rows }, (_, r) => Array.from({ length: columns }, (_, c) => value(r, c)));

const base = 0x400;
const high = (sbo: number, swizzle: Swizzle): number => ((sbo >> 4) | (modes[swizzle] << 30)) >>> 0;

interface Operand {
  readonly type: WgmmaInput;
  readonly swizzle: Swizzle;
  readonly major: "K" | "MN";
  /** A multiple of the swizzle's pattern. */
  readonly start: number;
  readonly lbo: number;
  readonly sbo: number;
}

function put(shared: Uint8Array, m: Matrix, operand: Operand): WgmmaProduct["b"] {
  const { type, swizzle, major, start, lbo, sbo } = operand;
  const size = bytesOf[type];
  const layout = canonical(swizzle, major, 16 / size, lbo, sbo);
  const view = new DataView(shared.buffer);
  m.forEach((row, mn) => {
    row.forEach((value, k) => {
      const at = swizzled(start + place(layout.mn, mn) + place(layout.k, k), swizzle) - base;
      const bits = bitsOf(type, value);
      if (size === 1) view.setUint8(at, bits);
      else if (size === 2) view.setUint16(at, bits, true);
      else view.setUint32(at, bits, true);
    });
  });
  return { low: ((start >> 4) | ((lbo >> 4) << 16)) >>> 0, high: high(sbo, swizzle) };
}

/** Offsets that leave no two chunks of a tile of `extent` in one place. */
function operandFor(type: WgmmaInput, swizzle: Swizzle, major: "K" | "MN", start: number, extent: number): Operand {
  const W = 1 << swizzleBits[swizzle];
  const atom = 128 * W;
  if (major === "K")
    return { type, swizzle, major, start, lbo: W === 1 ? (extent / 8) * 128 + 128 : 16, sbo: W === 1 ? 128 : 2 * atom };
  return W === 1
    ? { type, swizzle, major, start, lbo: 128, sbo: 256 }
    : { type, swizzle, major, start, lbo: 2 * atom, sbo: atom };
}

const warpsOf = (registers: number): WarpRegisters[] =>
  Array.from({ length: 4 }, () => {
    const buffer = new ArrayBuffer(registers * 128);
    return { f32: new Float32Array(buffer), i32: new Int32Array(buffer) };
  });

/** CLayout_64xN: element of thread and value, as m + 64 n. */
const threads: Layout = [
  [4, 128],
  [8, 1],
  [4, 16],
];
const values: Layout = [
  [2, 64],
  [2, 8],
  [64, 512],
];

function readD(warps: readonly WarpRegisters[], rows: readonly number[], n: number, dType: WgmmaProduct["dType"]): number[][] {
  const d = matrix(64, n, () => Number.NaN);
  for (let thread = 0; thread < 128; thread += 1) {
    const { f32, i32 } = warps[thread >> 5]!;
    const lane = thread & 31;
    for (let v = 0; v < n / 2; v += 1) {
      const at = place(threads, thread) + place(values, v);
      const half = (i32[(rows[v >> 1] ?? 0) + lane]! >>> (16 * (v & 1))) & 0xffff;
      const single = (dType === "s32" ? i32 : f32)[(rows[v] ?? 0) + lane]!;
      d[at % 64]![Math.floor(at / 64)] = dType === "f16" ? decodeFloat(floatFormats.f16, half) : single;
    }
  }
  return d;
}

const product = (a: Matrix, b: Matrix): number[][] =>
  matrix(64, b.length, (r, c) => a[r]!.reduce((sum, x, k) => sum + x * b[c]![k]!, 0));

interface Setting {
  readonly n?: number;
  readonly a?: Partial<Operand>;
  readonly b?: Partial<Operand>;
  readonly dType?: WgmmaProduct["dType"];
  readonly changes?: Partial<WgmmaProduct>;
}

function prepare(setting: Setting, seed = 1) {
  const { n = 16, dType = "f32" } = setting;
  const a: Operand = {
    ...operandFor(setting.a?.type ?? "f16", setting.a?.swizzle ?? "none", setting.a?.major ?? "K", 0x400, 64),
    ...setting.a,
  };
  const b: Operand = {
    ...operandFor(setting.b?.type ?? a.type, setting.b?.swizzle ?? "none", setting.b?.major ?? "K", 0xc400, n),
    ...setting.b,
  };
  const next = random(seed);
  const number = (type: WgmmaInput) => below(next, 7) - (type === "u8" ? 0 : 3);
  const A = matrix(64, depthOf(a.type), () => number(a.type));
  const B = matrix(n, depthOf(b.type), () => number(b.type));
  const shared = { bytes: new Uint8Array(0x20000), base };
  const rows = Array.from({ length: dType === "f16" ? n / 4 : n / 2 }, (_, r) => 32 * (r + 4));
  const whole: WgmmaProduct = {
    n,
    dType,
    aType: a.type,
    bType: b.type,
    d: rows,
    a: put(shared.bytes, A, a),
    b: put(shared.bytes, B, b),
    scaleD: false,
    scaleA: 1,
    scaleB: 1,
    transA: a.major === "MN",
    transB: b.major === "MN",
    satfinite: false,
    warps: warpsOf(140),
    shared,
    ...setting.changes,
  };
  return { whole, A, B, d: () => readD(whole.warps, rows, n, dType) };
}

describe("operands in shared memory", () => {
  const types: readonly WgmmaInput[] = ["f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8"];
  for (const type of types) {
    for (const swizzle of swizzles) {
      for (const major of bytesOf[type] === 2 ? (["K", "MN"] as const) : (["K"] as const)) {
        it(`${type}, swizzle ${swizzle}, ${major}-major`, () => {
          const integer = type === "s8" || type === "u8";
          const operand = { type, swizzle, major };
          for (const n of some([24, 8, 64, 256], 1)) {
            const { whole, A, B, d } = prepare({ n, a: operand, b: operand, dType: integer ? "s32" : "f32" }, n);
            multiply(whole);
            expect(d()).toEqual(product(A, B));
          }
        });
      }
    }
  }

  it("a step along K inside a swizzle's atom adds 32 bytes to the start", () => {
    for (let step = 0; step < 4; step += 1) {
      const tile = operandFor("f16", "128B", "K", 0x400, 64);
      const { whole, A, B, d } = prepare({});
      const wide = matrix(64, 16, (r, c) => A[r]![c]!);
      const view = new DataView(whole.shared.bytes.buffer);
      wide.forEach((row, mn) => {
        row.forEach((value, k) => {
          const at = swizzled(0x400 + (mn % 8) * 128 + Math.floor(mn / 8) * tile.sbo + 32 * step + 2 * k, "128B") - base;
          view.setUint16(at, bitsOf("f16", value), true);
        });
      });
      multiply({ ...whole, a: { low: (0x400 + 32 * step) >> 4, high: high(tile.sbo, "128B") } });
      expect(d()).toEqual(product(A, B));
    }
  });

  it("belongs to the block whose rank is in the window's address", () => {
    const { whole, A, B, d } = prepare({ a: { swizzle: "64B" } });
    multiply({ ...whole, shared: { ...whole.shared, base: base + 3 * 2 ** 24 } });
    expect(d()).toEqual(product(A, B));
  });

  it.each([
    ["W9121", { b: { low: 0x3fff, high: 0x3fff } }],
    ["W9121", { a: { low: 0, high: 8 } }],
  ])("is refused with %s", (code, changes) => {
    expect(() => multiply(prepare({ changes }).whole)).toThrow(expect.objectContaining({ code }));
  });
  it("is refused where it cannot be MN-major", () => {
    const { whole } = prepare({ a: { type: "e4m3" } });
    expect(() => multiply({ ...whole, transB: true })).toThrow(expect.objectContaining({ code: "W9122" }));
  });
});

describe("A in registers", () => {
  /** ALayout_64x16, _64x8 and _64x32: m + 64 k of thread and value. */
  const fragments: Record<1 | 2 | 4, { threads: Layout; values: Layout }> = {
    2: {
      threads: [
        [4, 128],
        [8, 1],
        [4, 16],
      ],
      values: [
        [2, 64],
        [2, 8],
        [2, 512],
      ],
    },
    4: {
      threads: [
        [4, 64],
        [8, 1],
        [4, 16],
      ],
      values: [
        [2, 8],
        [2, 256],
      ],
    },
    1: {
      threads: [
        [4, 256],
        [8, 1],
        [4, 16],
      ],
      values: [
        [4, 64],
        [2, 8],
        [2, 1024],
      ],
    },
  };
  it.each(["f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8"] as const)("%s", (type) => {
    const integer = type === "s8" || type === "u8";
    const { whole, A, B, d } = prepare({ n: 32, a: { type }, dType: integer ? "s32" : "f32" });
    const size = bytesOf[type] as 1 | 2 | 4;
    const layout = fragments[size];
    const per = 4 / size;
    for (let thread = 0; thread < 128; thread += 1) {
      const registers = whole.warps[thread >> 5]!.i32;
      for (let v = 0; v < 4 * per; v += 1) {
        const at = place(layout.threads, thread) + place(layout.values, v);
        const bits = bitsOf(type, A[at % 64]![Math.floor(at / 64)]!);
        registers[32 * Math.floor(v / per) + (thread & 31)]! |= bits << (8 * size * (v % per));
      }
    }
    multiply({ ...whole, a: [0, 32, 64, 96] });
    expect(d()).toEqual(product(A, B));
  });
});

describe("sparse A", () => {
  /** Which bits of which lane say where the stored elements of a chunk stand (PTX ISA 9.7.15.6.2, figures of the metadata). */
  function putMetadata(
    words: readonly Int32Array[],
    type: WgmmaInput,
    selector: number,
    row: number,
    chunk: number,
    bits: number,
  ): void {
    const warp = words[row >> 4]!;
    const [group, upper] = [row % 8, row % 16 >= 8];
    if (bytesOf[type] === 1) {
      // T0: the row of the group, columns 0 to 31; T1: eight rows on; T2, T3: the same of columns 32 to 63.
      const thread = (chunk >= 8 ? 2 : 0) + (upper ? 1 : 0);
      warp[4 * group + thread]! |= bits << (4 * (chunk % 8));
    } else {
      // The first of the pair has the chunks of the first half; its lower half word is for the row of the group.
      const thread = 2 * selector + (chunk >= 4 ? 1 : 0);
      warp[4 * group + thread]! |= bits << ((upper ? 16 : 0) + 4 * (chunk % 4));
    }
  }

  /** A row of stored elements, spread over twice as many places by random metadata. */
  function spread(A: Matrix, type: WgmmaInput, selector: number, seed: number) {
    const next = random(seed);
    const words = Array.from({ length: 4 }, () => new Int32Array(32));
    const depth = 2 * depthOf(type);
    const dense = matrix(64, depth, () => 0);
    A.forEach((row, r) => {
      for (let chunk = 0; chunk < 16 && chunk * (type === "tf32" ? 2 : 4) < depth; chunk += 1) {
        if (type === "tf32") {
          const second = below(next, 2) === 1;
          putMetadata(words, type, selector, r, chunk, second ? 0b1110 : 0b0100);
          dense[r]![2 * chunk + (second ? 1 : 0)] = row[chunk]!;
          continue;
        }
        const [first, second] = [
          [0, 1],
          [0, 2],
          [0, 3],
          [1, 2],
          [1, 3],
          [2, 3],
        ][below(next, 6)] as [number, number];
        putMetadata(words, type, selector, r, chunk, first | (second << 2));
        dense[r]![4 * chunk + first] = row[2 * chunk]!;
        dense[r]![4 * chunk + second] = row[2 * chunk + 1]!;
      }
    });
    return { words, dense };
  }

  /** B has two steps of 32 bytes along K. */
  function prepareSparse(type: WgmmaInput, swizzle: Swizzle, major: "K" | "MN", n: number, selector: 0 | 1) {
    const integer = type === "s8" || type === "u8";
    const { whole, A, d } = prepare({ n, a: { type, swizzle: "64B" }, b: { type }, dType: integer ? "s32" : "f32" }, n);
    const atom = 128 << swizzleBits[swizzle];
    const room = major === "K" ? {} : swizzle === "none" ? { lbo: 128, sbo: 512 } : { lbo: 4 * atom, sbo: atom };
    const operand = { ...operandFor(type, swizzle, major, 0xc400, n), ...room };
    const next = random(n + 1);
    const B = matrix(n, 2 * depthOf(type), () => below(next, 7) - (type === "u8" ? 0 : 3));
    const { words, dense } = spread(A, type, selector, 3 * n);
    const b = put(whole.shared.bytes, B, operand);
    const given: WgmmaProduct = { ...whole, b, bType: type, transB: major === "MN", sparse: { words, selector } };
    return { given, expected: product(dense, B), d, words };
  }

  const types: readonly WgmmaInput[] = ["f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8"];
  for (const type of types)
    for (const [swizzle, major] of [
      ["none", "K"],
      ["64B", "K"],
      ["128B", "K"],
      ["none", "MN"],
      ["128B", "MN"],
    ] as const) {
      if (major === "MN" && bytesOf[type] !== 2) continue;
      it(`${type}, B with swizzle ${swizzle}, ${major}-major`, () => {
        for (const n of some([8, 64, 256], 1))
          for (const selector of bytesOf[type] === 1 ? ([0] as const) : ([0, 1] as const)) {
            const { given, expected, d } = prepareSparse(type, swizzle, major, n, selector);
            multiply(given);
            expect(d()).toEqual(expected);
          }
      });
    }

  it("needs metadata that mean something", () => {
    const { given, words } = prepareSparse("f16", "none", "K", 8, 0);
    words[1]![0] = 0x4;
    expect(() => multiply(given)).toThrow("metadata that mean nothing: 0x0 for chunk 1 of row 16 of A");
    const single = prepareSparse("tf32", "none", "K", 8, 0);
    single.words[0]![0] = 0x4449;
    expect(() => multiply(single.given)).toThrow("0x9 for chunk 0 of row 0");
  });

  it("is refused where B has a swizzle of 32 bytes along K", () =>
    expect(() => multiply(prepareSparse("f16", "32B", "K", 8, 0).given)).toThrow("swizzle of 32 bytes"));
});

describe("accumulators", () => {
  it("add, take signs, and start anew", () => {
    const { whole, A, B, d } = prepare({ n: 24 });
    const once = product(A, B);
    const times = (f: number) => once.map((row) => row.map((x) => (x * f === 0 ? 0 : x * f)));
    multiply(whole);
    multiply({ ...whole, scaleD: true });
    expect(d()).toEqual(times(2));
    multiply({ ...whole, scaleD: true, scaleA: -1 });
    expect(d()).toEqual(times(1));
    multiply({ ...whole, scaleA: -1, scaleB: -1 });
    expect(d()).toEqual(times(1));
    multiply({ ...whole, scaleB: -1 });
    expect(d()).toEqual(times(-1));
  });

  it("in f16 are packed by two", () => {
    for (const type of ["f16", "e4m3"] as const) {
      const { whole, A, B, d } = prepare({ n: 40, a: { type }, dType: "f16" });
      multiply(whole);
      multiply({ ...whole, scaleD: true });
      expect(d()).toEqual(product(A, B).map((row) => row.map((x) => 2 * x)));
    }
  });

  it("of integers wrap, or saturate", () => {
    for (const satfinite of [false, true]) {
      const { whole, A, B, d } = prepare({ a: { type: "s8" }, b: { type: "u8" }, dType: "s32", changes: { satfinite } });
      for (const { i32 } of whole.warps) i32.fill(2 ** 31 - 1);
      multiply({ ...whole, scaleD: true });
      const sums = product(A, B).map((row) => row.map((x) => 2 ** 31 - 1 + x));
      expect(d()).toEqual(sums.map((row) => row.map((x) => (satfinite ? Math.min(x, 2 ** 31 - 1) : x | 0))));
    }
  });

  it("hold the canonical NaN", () => {
    for (const lane of [0, 5, 18, 31]) {
      const { whole } = prepare({});
      const { f32, i32 } = whole.warps[2]!;
      f32[128 + lane] = Number.NaN;
      multiply({ ...whole, scaleD: true });
      expect([i32[128 + lane], f32.filter((x) => Number.isNaN(x)).length]).toEqual([0x7fffffff, 1]);
    }
  });

  it("round every sum of products from k = 0 on, then add the accumulator", () => {
    const { whole, d } = prepare({ a: { type: "bf16" } });
    const one = matrix(64, 16, () => 1);
    const A = matrix(64, 16, (_, k) => [2 ** 24, 1, 1, -(2 ** 24)][k] ?? 0);
    put(whole.shared.bytes, A, operandFor("bf16", "none", "K", 0x400, 64));
    put(whole.shared.bytes, one.slice(0, 16), operandFor("bf16", "none", "K", 0xc400, 16));
    for (const { f32 } of whole.warps) f32.fill(0.5);
    multiply({ ...whole, scaleD: true });
    // 2^24 + 1 is 2^24 again, twice.
    expect(new Set(d().flat())).toEqual(new Set([0.5]));
  });

  it("do not see the lowest 13 bits of tf32", () => {
    const { whole, A, B, d } = prepare({ a: { type: "tf32" } });
    const before = product(A, B);
    const words = new Int32Array(whole.shared.bytes.buffer);
    words.forEach((word, i) => {
      if (word !== 0) words[i] = word | 0x1fff;
    });
    multiply(whole);
    expect(d()).toEqual(before);
    for (const { i32 } of whole.warps) i32.fill(0x3f801fff, 0, 128);
    multiply({ ...whole, a: [0, 32, 64, 96] });
    const ones = A.map((row) => row.map(() => 1));
    expect(d()).toEqual(product(ones, B));
  });

  it("change when the queue says so, in order", () => {
    const { whole, A, B, d } = prepare({});
    const queue = createAsyncQueue(createChoices("lazy", 0));
    const groups = createAsyncGroups();
    issueWgmma(queue, groups, whole);
    issueWgmma(queue, groups, { ...whole, scaleD: true });
    commitGroup(groups);
    const undefinedYet = (): boolean =>
      d()
        .flat()
        .every((x) => Number.isNaN(x));
    expect(undefinedYet()).toBe(true);
    queue.landOne();
    expect(undefinedYet()).toBe(true);
    expect(groupsThrough(groups, 0)).toBe(false);
    queue.landOne();
    expect(groupsThrough(groups, 0)).toBe(true);
    expect(d()).toEqual(product(A, B).map((row) => row.map((x) => 2 * x)));
  });
});

describe("the two engines", () => {
  it("give the same bits, those of f32 sums", () => {
    const script = scriptEngine();
    const simd = simdEngine()!;
    const next = random(8);
    for (const [n, depth] of [
      [8, 8],
      [24, 16],
      [256, 32],
      [128, 16],
    ] as const) {
      const numbers = Float32Array.from({ length: 256 * 32 }, () => (next() - 0.5) * 2 ** (below(next, 80) - 40));
      for (const engine of [script, simd]) {
        engine.a.set(numbers.subarray(0, 64 * 32));
        engine.b.set(numbers);
        engine.multiply(n, depth, 64);
      }
      const bits = (sums: Float32Array) => Buffer.from(sums.buffer, sums.byteOffset, 64 * n * 4);
      expect(Buffer.compare(bits(simd.sums), bits(script.sums))).toBe(0);
      const [i, j] = [below(next, 64), below(next, n)];
      let sum = 0;
      for (let k = 0; k < depth; k += 1) sum = Math.fround(sum + Math.fround(simd.a[k * 64 + i]! * simd.b[k * n + j]!));
      expect(simd.sums[i * n + j]).toBe(sum);
    }
  });
});
