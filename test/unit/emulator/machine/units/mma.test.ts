import { expect, it } from "vitest";
import { decodeFloat, encodeFloat, floatFormats } from "../../../../../src/base/small-floats.ts";
import { type ResultElement, type WgmmaInput, warpMultiplier } from "../../../../../src/emulator/machine/units/index.ts";
import { below, random } from "./machine.ts";

const sizes: Record<WgmmaInput, number> = { f16: 2, bf16: 2, tf32: 4, e4m3: 1, e5m2: 1, s8: 1, u8: 1 };
function bitsOf(type: WgmmaInput, value: number): number {
  if (type === "s8" || type === "u8") return value & 255;
  return encodeFloat(floatFormats[type], value) * (type === "tf32" ? 8192 : 1);
}

/**
 * mma_traits_sm80.hpp of CUTLASS: (thread, value) to m + 16 k, for A of each size of element, as K of the largest shape; smaller
 * shapes are its first values. B: n + 8 k.
 */
const layoutA: Record<number, readonly (readonly [number, number])[]> = {
  2: [
    [4, 32],
    [8, 1],
    [2, 16],
    [2, 8],
    [2, 128],
  ],
  4: [
    [4, 16],
    [8, 1],
    [2, 8],
    [2, 64],
  ],
  1: [
    [4, 64],
    [8, 1],
    [4, 16],
    [2, 8],
    [2, 256],
  ],
};
const layoutB: Record<number, readonly (readonly [number, number])[]> = {
  2: [
    [4, 16],
    [8, 1],
    [2, 8],
    [2, 64],
  ],
  4: [
    [4, 8],
    [8, 1],
    [2, 32],
  ],
  1: [
    [4, 32],
    [8, 1],
    [4, 8],
    [2, 128],
  ],
};
function place(layout: readonly (readonly [number, number])[], thread: number, value: number): number {
  let rest = thread + 32 * value;
  return layout.reduce((sum, [extent, stride]) => {
    const digit = rest % extent;
    rest = Math.floor(rest / extent);
    return sum + digit * stride;
  }, 0);
}

const cases: readonly (readonly [WgmmaInput, number, ResultElement, ResultElement])[] = [
  ["f16", 16, "f32", "f32"],
  ["f16", 8, "f32", "f32"],
  ["f16", 16, "f16", "f16"],
  ["bf16", 16, "f32", "f32"],
  ["bf16", 8, "f32", "f32"],
  ["tf32", 8, "f32", "f32"],
  ["tf32", 4, "f32", "f32"],
  ["s8", 32, "s32", "s32"],
  ["u8", 16, "s32", "s32"],
  ["e4m3", 32, "f32", "f32"],
  ["e5m2", 32, "f32", "f32"],
  ["f16", 16, "f32", "f16"],
];

it.each(cases)("mma.sync of %s, K = %i, into %s from %s", (type, k, dType, cType) => {
  const next = random(k);
  const number = () => below(next, 7) - (type === "u8" ? 0 : 3);
  const matrix = (rows: number, columns: number) => Array.from({ length: rows }, () => Array.from({ length: columns }, number));
  const [A, B, C] = [matrix(16, k), matrix(8, k), matrix(16, 8)];
  const buffer = new ArrayBuffer(16 * 128);
  const warp = { f32: new Float32Array(buffer), i32: new Int32Array(buffer) };
  const per = 4 / sizes[type];
  const rowsFrom = (first: number, count: number) => Array.from({ length: count }, (_, i) => 32 * (first + i));
  const [a, b] = [rowsFrom(0, (2 * k) / (4 * per)), rowsFrom(4, k / (4 * per))];
  for (let lane = 0; lane < 32; lane += 1) {
    for (let v = 0; v < a.length * per; v += 1) {
      const at = place(layoutA[sizes[type]]!, lane, v);
      const bits = bitsOf(type, A[at % 16]![Math.floor(at / 16)]!);
      warp.i32[a[Math.floor(v / per)]! + lane]! |= bits << (8 * sizes[type] * (v % per));
    }
    for (let v = 0; v < b.length * per; v += 1) {
      const at = place(layoutB[sizes[type]]!, lane, v);
      const bits = bitsOf(type, B[at % 8]![Math.floor(at / 8)]!);
      warp.i32[b[Math.floor(v / per)]! + lane]! |= bits << (8 * sizes[type] * (v % per));
    }
  }
  /** (4, 8), (2, 2) : (32, 1), (16, 8). */
  const accumulator = (lane: number, v: number) => ({ r: (lane >> 2) + 8 * (v >> 1), c: 2 * (lane % 4) + (v % 2) });
  const [d, c] = [rowsFrom(8, 4), rowsFrom(12, 4)];
  const cellOf = (row: readonly number[], packed: boolean, v: number, lane: number) => row[packed ? v >> 1 : v]! + lane;
  for (let lane = 0; lane < 32; lane += 1) {
    for (let v = 0; v < 4; v += 1) {
      const value = C[accumulator(lane, v).r]![accumulator(lane, v).c]!;
      const cell = cellOf(c, cType === "f16", v, lane);
      if (cType === "f32") warp.f32[cell] = value;
      else if (cType === "s32") warp.i32[cell] = value;
      else warp.i32[cell]! |= encodeFloat(floatFormats.f16, value) << (16 * (v % 2));
    }
  }
  const shape = { m: 16, n: 8, k };
  // Halves take two to a register.
  const accumulators = (rows: readonly number[], t: ResultElement) => ({ type: t, rows: t === "f16" ? rows.slice(0, 2) : rows });
  warpMultiplier({
    shape,
    a: { type, rows: a },
    b: { type, rows: b },
    c: accumulators(c, cType),
    d: accumulators(d, dType),
    satfinite: false,
  })(warp);
  for (let lane = 0; lane < 32; lane += 1) {
    for (let v = 0; v < 4; v += 1) {
      const { r, c: column } = accumulator(lane, v);
      const expected = A[r]!.reduce((sum, x, i) => sum + x * B[column]![i]!, C[r]![column]!);
      const cell = cellOf(d, dType === "f16", v, lane);
      const half = (warp.i32[cell]! >>> (16 * (v % 2))) & 0xffff;
      const found = dType === "f16" ? decodeFloat(floatFormats.f16, half) : dType === "s32" ? warp.i32[cell] : warp.f32[cell];
      expect({ lane, v, found }).toEqual({ lane, v, found: expected });
    }
  }
});
