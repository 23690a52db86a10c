import { describe, expect, it } from "vitest";
import { encodeFloat, floatFormats } from "../../../src/base/small-floats.ts";
import {
  loadMatrices,
  multiply,
  storeMatrices,
  type WarpRegisters,
  type WgmmaInput,
  warpMultiplier,
} from "../../../src/emulator/machine/units/index.ts";
import {
  apply,
  compose,
  divideLeft,
  elementPlaces,
  equal,
  type LinearLayout,
  linear,
  matrixAddresses,
  matrixFragment,
  matrixGrid,
  mmaAccumulator,
  mmaOperand,
  registersWithin,
  wgmmaAccumulator,
  wgmmaOperand,
} from "../../../src/layout/index.ts";
import { addressing, sharedLayout } from "../../layouts/shared-maps.ts";
import { some } from "../../support/amount.ts";
import { points } from "./arbitrary.ts";

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
/** Every N of wgmma. */
const everyN = range(32).map((i) => 8 * (i + 1));
const [lanes, warps] = [32, 4];

describe("the accumulator of wgmma", () => {
  it.each(everyN)("m64n%i is PTX ISA 9.7.15.5.1, D", (n) => {
    const layout = wgmmaAccumulator({ cols: n });
    const registers = registersWithin(layout, { row: 64, col: n });
    expect(registers).toHaveLength(n / 2);
    const wrong = points({ lane: lanes, warp: warps }).flatMap(({ lane = 0, warp = 0 }) =>
      registers.filter((register, i) => {
        // groupID = lane >> 2, threadID_in_group = lane % 4; row: groupID for d_i with i % 4 < 2, else groupID + 8.
        const row = 16 * warp + (lane >> 2) + (i % 4 < 2 ? 0 : 8);
        const col = 8 * Math.floor(i / 4) + 2 * (lane % 4) + (i & 1);
        const found = apply(layout, { register, lane, warp });
        return found.row !== row || found.col !== col;
      }),
    );
    expect(wrong).toEqual([]);
  });

  it.each([64, 128, 192, 256])("of %i rows: further 64 rows are further registers", (rows) => {
    for (const cols of some(everyN, 3)) {
      const expected = range((rows * cols) / 128).map((i) => {
        const r = i % (cols / 2);
        return [64 * Math.floor(i / (cols / 2)) + 8 * ((r >> 1) & 1), 8 * (r >> 2) + (r & 1)];
      });
      for (const warpgroups of [1, 2])
        expect(elementPlaces({ shape: [rows * warpgroups, cols], layout: { kind: "wgmma", warpgroups } })).toEqual(expected);
    }
  });

  it("of several warpgroups gives each its rows", () => {
    const layout = wgmmaAccumulator({ cols: 24, rows: 128, warpgroups: 2 });
    expect(apply(layout, { register: 1, lane: 5, warp: 6 })).toEqual({ row: 128 + 32 + 1, col: 3 });
    expect(() => wgmmaAccumulator({ cols: 24, rows: 192, warpgroups: 2 })).toThrow(
      "192 rows of each warpgroup are no power of two",
    );
    expect(() => wgmmaAccumulator({ cols: 12 })).toThrow("multiples of 64 rows and of 8 columns, not 64 x 12.");
  });
});

const bytesOf: Record<WgmmaInput, number> = { f16: 2, bf16: 2, tf32: 4, e4m3: 1, e5m2: 1, s8: 1, u8: 1 };
const encode = (type: WgmmaInput, value: number): number =>
  type === "s8" || type === "u8" ? value & 255 : encodeFloat(floatFormats[type], value) * (type === "tf32" ? 8192 : 1);
/** A small number that every type has, different from place to place. */
const valueAt = (row: number, col: number): number => ((7 * row + 5 * col + row * col) % 11) % 4;

const registerFile = (rows: number): WarpRegisters => {
  const buffer = new ArrayBuffer(rows * 128);
  return { f32: new Float32Array(buffer), i32: new Int32Array(buffer) };
};
/** Fills the registers of one warp, from a row of registers on, with the elements that a layout says. */
function fill(warp: WarpRegisters, first: number, layout: LinearLayout, type: WgmmaInput, index: number): number[] {
  const per = 4 / bytesOf[type];
  const count = registersWithin(layout, {}).length;
  for (const { lane = 0, register = 0 } of points({ register: count, lane: lanes })) {
    const { row = 0, col = 0 } = apply(layout, { register, lane, ...(index > 0 ? { warp: index } : {}) });
    const at = 32 * (first + Math.floor(register / per)) + lane;
    warp.i32[at] = (warp.i32[at] ?? 0) | (encode(type, valueAt(row, col)) << (8 * bytesOf[type] * (register % per)));
  }
  return range(count / per).map((r) => 32 * (first + r));
}

const modes = { "128B": 1, "64B": 2, "32B": 3 } as const;
const swizzles = ["32B", "64B", "128B"] as const;
const widthOf = { "32B": 32, "64B": 64, "128B": 128 } as const;
const base = 0x400;

/** D = A Bᵀ of the emulator: A in registers, B (n rows of 128 bytes along K) in shared memory, all placed by layouts. */
function checkProduct(type: WgmmaInput, n: number, swizzle: (typeof swizzles)[number], step: number): void {
  const size = bytesOf[type];
  const [columns, k] = [128 / size, 32 / size];
  const address = addressing(sharedLayout({ shape: { row: n, col: columns }, elementBytes: size, swizzle }));
  const shared = { bytes: new Uint8Array(0x10000), base };
  const view = new DataView(shared.bytes.buffer);
  for (const { row = 0, col = 0 } of points({ row: n, col: columns })) {
    const bits = encode(type, valueAt(row + 3, col));
    const at = address({ row, col });
    if (size === 1) view.setUint8(at, bits);
    else if (size === 2) view.setUint16(at, bits, true);
    else view.setUint32(at, bits, true);
  }
  const operand = wgmmaOperand({ bits: (8 * size) as 8 | 16 | 32 });
  const files = range(warps).map(() => registerFile(4 + n / 2));
  const a = files.map((file, warp) => fill(file, 0, operand, type, warp))[0] ?? [];
  const d = range(n / 2).map((r) => 32 * (4 + r));
  const start = base + address({ row: 0, col: step * k });
  const high = ((8 * widthOf[swizzle]) >> 4) | (modes[swizzle] << 30);
  const dType = type === "s8" ? "s32" : "f32";
  const signs = { scaleD: false, scaleA: 1, scaleB: 1, transA: false, transB: false, satfinite: false } as const;
  multiply({
    ...{ n, dType, aType: type, bType: type, d, a, b: { low: start >> 4, high: high >>> 0 }, warps: files, shared },
    ...signs,
  });
  const accumulator = wgmmaAccumulator({ cols: n });
  const registers = registersWithin(accumulator, { col: n });
  const wrong: string[] = [];
  for (const { lane = 0, warp = 0 } of points({ lane: lanes, warp: warps }))
    registers.forEach((register, i) => {
      const { row = 0, col = 0 } = apply(accumulator, { register, lane, warp });
      const expected = range(k).reduce((sum, j) => sum + valueAt(row, j) * valueAt(col + 3, step * k + j), 0);
      const found = files[warp]?.[dType === "s32" ? "i32" : "f32"][(d[i] ?? 0) + lane];
      if (found !== expected) wrong.push(`row ${row}, col ${col}: ${found}, not ${expected}`);
    });
  expect(wrong).toEqual([]);
}

describe("wgmma of the emulator reads and writes what layouts say", () => {
  it.each(
    some(
      everyN.flatMap((n) => swizzles.map((swizzle) => [n, swizzle] as const)),
      3,
    ),
  )("n = %i, swizzle %s", (n, swizzle) => {
    checkProduct("f16", n, swizzle, (n / 8) % 4);
  });

  it.each(
    some(
      (["bf16", "tf32", "e4m3", "s8"] as const).flatMap((type) => swizzles.map((swizzle) => [type, swizzle] as const)),
      2,
    ),
  )("%s, swizzle %s", (type, swizzle) => {
    for (const step of range(4)) checkProduct(type, 24, swizzle, step);
  });
});

describe("A of wgmma from registers", () => {
  it.each([16, 8, 32] as const)("of %i bits is PTX ISA 9.7.15.5.1, A", (bits) => {
    const layout = wgmmaOperand({ bits });
    const per = 32 / bits;
    for (const { register = 0, lane = 0, warp = 0 } of points({ register: 4 * per, lane: lanes, warp: warps })) {
      const [word, e] = [Math.floor(register / per), register % per];
      const row = 16 * warp + (lane >> 2) + 8 * (word % 2);
      const col = per * (lane % 4) + e + 4 * per * Math.floor(word / 2);
      expect(apply(layout, { register, lane, warp })).toEqual({ row, col });
    }
  });

  it("of 16 bits is an accumulator of 16 columns, and 64 columns are four steps", () => {
    expect(equal(wgmmaOperand({ bits: 16 }), wgmmaAccumulator({ cols: 16 }))).toBe(true);
    expect(equal(wgmmaOperand({ bits: 16, k: 64 }), wgmmaAccumulator({ cols: 64 }))).toBe(true);
    expect(equal(wgmmaOperand({ bits: 8, k: 64 }), wgmmaAccumulator({ cols: 64 }))).toBe(false);
  });
});

/** PTX ISA 9.7.14.5: rows and columns of element i; g = lane / 4, t = lane % 4. */
const shapes: readonly (readonly [WgmmaInput, number, number, (i: number, g: number, t: number) => readonly number[]])[] = [
  ["f16", 8, 2, (i, g, t) => [i < 2 ? g : g + 8, 2 * t + (i & 1), 2 * t + (i & 1), g]],
  [
    ...(["f16", 16, 2] as const),
    (i, g, t) => [
      i < 2 || (i >= 4 && i < 6) ? g : g + 8,
      2 * t + (i & 1) + (i < 4 ? 0 : 8),
      2 * t + (i & 1) + (i < 2 ? 0 : 8),
      g,
    ],
  ],
  ["tf32", 4, 1, (i, g, t) => [i === 0 ? g : g + 8, t, t, g]],
  ["tf32", 8, 1, (i, g, t) => [i % 2 === 0 ? g : g + 8, i < 2 ? t : t + 4, i === 0 ? t : t + 4, g]],
  ["s8", 16, 4, (i, g, t) => [i < 4 ? g : g + 8, 4 * t + (i & 3), 4 * t + (i & 3), g]],
  [
    ...(["s8", 32, 4] as const),
    (i, g, t) => [
      i < 4 || (i >= 8 && i < 12) ? g : g + 8,
      4 * t + (i & 3) + (i < 8 ? 0 : 16),
      4 * t + (i & 3) + (i < 4 ? 0 : 16),
      g,
    ],
  ],
];

describe.each(shapes)("mma.sync of %s, k = %i", (type, k, kWidth, formula) => {
  const [a, b] = [mmaOperand({ operand: "A", kWidth, k }), mmaOperand({ operand: "B", kWidth, k })];

  it("has the fragments of PTX ISA 9.7.14.5", () => {
    for (const { register: i = 0, lane = 0 } of points({ register: k / 2, lane: lanes })) {
      const [row, col] = formula(i, lane >> 2, lane % 4);
      expect(apply(a, { register: i, lane })).toEqual({ row, col });
    }
    for (const { register: i = 0, lane = 0 } of points({ register: k / 4, lane: lanes })) {
      const [, , row, col] = formula(i, lane >> 2, lane % 4);
      expect(apply(b, { register: i, lane })).toEqual({ row, col });
    }
  });

  it("gives the emulator the product", () => {
    const warp = registerFile(16);
    const dType = type === "s8" ? "s32" : "f32";
    const d = { type: dType, rows: range(4).map((r) => 32 * (12 + r)) } as const;
    const left = { type, rows: fill(warp, 0, a, type, 0) };
    const right = { type, rows: fill(warp, 4, b, type, 0) };
    warpMultiplier({ shape: { m: 16, n: 8, k }, a: left, b: right, c: d, d, satfinite: false })(warp);
    for (const { register = 0, lane = 0 } of points({ register: 4, lane: lanes })) {
      const { row = 0, col = 0 } = apply(mmaAccumulator(), { register, lane });
      const expected = range(k).reduce((sum, j) => sum + valueAt(row, j) * valueAt(j, col), 0);
      expect((dType === "s32" ? warp.i32 : warp.f32)[(d.rows[register] ?? 0) + lane]).toBe(expected);
    }
  });
});

describe("operands of several warps", () => {
  const warps = { m: 2, n: 4 };

  it("are where their part of the result is", () => {
    const [a, b] = (["A", "B"] as const).map((operand) => mmaOperand({ operand, kWidth: 2, k: 16, warps })) as [
      LinearLayout,
      LinearLayout,
    ];
    const c = mmaAccumulator(warps);
    for (const { warp = 0 } of points({ warp: 8 })) {
      const { row = 0, col = 0 } = apply(c, { warp });
      expect({ row, col }).toEqual({ row: 16 * Math.floor(warp / 4), col: 8 * (warp % 4) });
      expect(apply(a, { warp })).toEqual({ row, col: 0 });
      expect(apply(b, { warp })).toEqual({ row: 0, col });
    }
  });

  it("refuse a K that is no multiple", () => {
    expect(() => mmaOperand({ operand: "A", kWidth: 4, k: 8 })).toThrow("K is 8, no multiple of 16: four lanes of 4 elements.");
  });
});

describe("ldmatrix and stmatrix", () => {
  const shared = sharedLayout({ shape: { row: 64, col: 64 }, elementBytes: 2, swizzle: "128B" });
  const address = addressing(shared);
  const grid = matrixGrid({ row: 2, col: 2 }, ["row", "col"]);
  const addresses = range(lanes).map((lane) => base + address(apply(compose(matrixAddresses(4), grid), { lane })));
  const image = () => {
    const bytes = new Uint8Array(0x2000);
    for (const { row = 0, col = 0 } of points({ row: 64, col: 64 }))
      new DataView(bytes.buffer).setUint16(address({ row, col }), 64 * row + col, true);
    return { bytes, base };
  };

  it("take the addresses that stores of tiles give them", () => {
    // src/passes/tile-level/expand/shared-places.ts: row lane & 15, column 8 (lane >> 4).
    for (const lane of range(lanes))
      expect(apply(compose(matrixAddresses(4), grid), { lane })).toEqual({ row: lane & 15, col: 8 * (lane >> 4) });
  });

  it.each([false, true])("of the emulator load the fragment, transposed: %s", (transposed) => {
    const registers = registerFile(4);
    loadMatrices(image(), addresses, transposed, registers, [0, 32, 64, 96]);
    const fragment = compose(matrixFragment(4, { transposed }), grid);
    for (const { register = 0, lane = 0 } of points({ register: 8, lane: lanes })) {
      const { row = 0, col = 0 } = apply(fragment, { register, lane });
      const word = registers.i32[32 * (register >> 1) + lane] ?? 0;
      expect((word >>> (16 * (register % 2))) & 0xffff).toBe(64 * row + col);
    }
  });

  it("of the emulator store the fragment", () => {
    const [registers, memory] = [registerFile(4), { bytes: new Uint8Array(0x2000), base }];
    for (const i of registers.i32.keys()) registers.i32[i] = 0x10001 * i + 0x5000;
    storeMatrices(memory, addresses, false, registers, [0, 32, 64, 96]);
    const fragment = compose(matrixFragment(4), grid);
    for (const { register = 0, lane = 0 } of points({ register: 8, lane: lanes })) {
      const stored = new DataView(memory.bytes.buffer).getUint16(address(apply(fragment, { register, lane })), true);
      expect(stored).toBe(((registers.i32[32 * (register >> 1) + lane] ?? 0) >>> (16 * (register % 2))) & 0xffff);
    }
  });

  it("of two matrices and of one ignore the other lanes", () => {
    expect(apply(matrixAddresses(2), { lane: 27 })).toEqual({ matrix: 1, row: 3 });
    expect(apply(matrixAddresses(1), { lane: 27 })).toEqual({ matrix: 0, row: 3 });
  });

  it("are a whole part of the accumulator and of A of mma.sync", () => {
    const tile = compose(matrixFragment(4), grid);
    const steps = divideLeft(wgmmaAccumulator({ cols: 64 }), tile);
    const expected = linear(
      {
        register: [
          [0, 1],
          [0, 2],
        ],
        lane: [],
        warp: [
          [1, 0],
          [2, 0],
        ],
      },
      { row: 4, col: 4 },
    );
    expect(steps && equal(steps, expected)).toBe(true);
    expect(equal(mmaOperand({ operand: "A", kWidth: 2, k: 16 }), tile)).toBe(true);
    expect(divideLeft(wgmmaAccumulator({ cols: 8 }), tile)).toBeUndefined();
  });
});
