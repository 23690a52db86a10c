import { expect, test } from "vitest";
import { roundFloat } from "../../../src/base/small-floats.ts";
import { interpret } from "../../../src/schedule/ir/interpret.ts";
import { programOf } from "../../schedule/program-of.ts";

const head = `import { f16, f32, i8, i32, u32 } from "warpsmith";
import { alloc, block, floorDiv, grid, init, intrinsic, program, reduce, spatial, type Buffer } from "warpsmith/schedule";
`;

test("f32 and f16 round after each operation", () => {
  const p =
    programOf(`${head}export const p = program({ X: [2], Y: [2], H: [2] }, function p(X: Buffer<"f32", 1>, Y: Buffer<"f32", 1>, H: Buffer<"f16", 1>) {
  for (const i of grid(2)) {
    Y[i] = X[i] * X[i] + 0.1;
    H[i] = f16(X[i]) * f16(X[i]);
  }
});`);
  const [X, Y, H] = [Float32Array.of(1.1, 3.3), new Float32Array(2), new Float32Array(2)];
  interpret(p, { X, Y, H });
  const half = (x: number): number => roundFloat("f16", x);
  expect([...Y]).toEqual([...X].map((x) => Math.fround(Math.fround(x * x) + Math.fround(0.1))));
  expect([...H]).toEqual([...X].map((x) => half(half(x) * half(x))));
});

test("i32 wraps, conversions saturate or wrap, floorDiv rounds down", () => {
  const p = programOf(`${head}export const p = program({ B: [6], X: [1] }, function p(B: Buffer<"i32", 1>, X: Buffer<"f32", 1>) {
  B[0] = B[0] * B[0];
  B[1] = i32(X[0]);
  B[2] = floorDiv(B[2], 4);
  B[3] = B[3] % 4;
  B[4] = i32(i8(B[4]));
  B[5] = i32(u32(B[5]) > 5);
});`);
  const [B, X] = [Int32Array.of(65537, 0, -7, -7, 200, -1), Float32Array.of(1e20)];
  interpret(p, { B, X });
  expect([...B]).toEqual([131073, 2147483647, -2, -3, -56, 1]);
});

test("sizes are given; what they are not, is refused", () => {
  const p = programOf(`${head}export const p = program({ X: ["N"] }, function p(X: Buffer<"f32", 1>) {
  for (const i of grid(X.shape[0])) X[i] = X[i] + f32(i);
});`);
  const X = new Float32Array(5);
  interpret(p, { X }, { sizes: { N: 5 } });
  expect([...X]).toEqual([0, 1, 2, 3, 4]);
  expect(() => interpret(p, { X })).toThrow(/W5518/);
  expect(() => interpret(p, { X }, { sizes: { N: 6 } })).toThrow(/takes 6 elements as X, and 5 are given/);
});

test("an index outside its buffer is an error, and what was never written is not 0", () => {
  const outside = programOf(`${head}export const p = program({ X: [4] }, function p(X: Buffer<"f32", 1>) {
  for (const i of grid(5)) X[i] = 1;
});`);
  expect(() => interpret(outside, { X: new Float32Array(4) })).toThrow(/X has 4 elements in this dimension, and 4 is none/);
  const unwritten = programOf(`${head}export const p = program({ X: [4] }, function p(X: Buffer<"f32", 1>) {
  const t = alloc("f32", [4], "local");
  for (const i of grid(4)) X[i] = t[i];
});`);
  const X = new Float32Array(4);
  interpret(unwritten, { X });
  expect([...X]).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN]);
});

test("an intrinsic does what its description says, on parts of buffers", () => {
  const meaning =
    programOf(`${head}export const twice = program({ A: [2, 2], C: [2, 2] }, function twice(A: Buffer<"f32", 2>, C: Buffer<"f32", 2>) {
  for (const [i, j] of grid(2, 2)) C[i][j] = A[i][j] * 2;
});`);
  const p =
    programOf(`${head}export const p = program({ X: [4, 4], Z: [4, 4] }, function p(X: Buffer<"f32", 2>, Z: Buffer<"f32", 2>) {
  for (const [i, j] of grid(2, 2)) intrinsic("twice", X.region([i * 2, 2], [j * 2, 2]), Z.region([i * 2, 2], [j * 2, 2]));
});`);
  const [X, Z] = [Float32Array.from({ length: 16 }, (_, i) => i), new Float32Array(16)];
  interpret(p, { X, Z }, { intrinsics: (name) => (name === "twice" ? meaning : undefined) });
  expect([...Z]).toEqual([...X].map((x) => 2 * x));
  expect(() => interpret(p, { X, Z })).toThrow(/W5518/);
});
