/** Small programs that random schedules rewrite, with data whose sums are exact. */
import type { FlatArray } from "../../../../src/schedule/ir/interpret.ts";
import type { Program } from "../../../../src/schedule/ir/types.ts";
import type { Random } from "../../../fuzz/random.ts";
import { programOf } from "../../../schedule/program-of.ts";

export interface Subject {
  readonly name: string;
  readonly program: Program;
  /** Elements that each parameter begins with. */
  readonly data: Readonly<Record<string, readonly number[]>>;
  /** How far results may be apart: 0 where sums are exact. */
  readonly tolerance: number;
}

type Type = "f32" | "i32";
const header = `import { alloc, bind, block, type Buffer, effect, floorDiv, grid, init, program, reduce, serial, spatial, unrolled, vectorized, where } from "warpsmith/schedule";
`;

function matmul(m: number, n: number, k: number, type: Type, withInit: boolean): string {
  const start = withInit ? "init(() => { Z[vi][vj] = 0; });" : "";
  return `export const p = program({ X: [${m}, ${k}], Y: [${n}, ${k}], Z: [${m}, ${n}] }, function p(X: Buffer<"${type}", 2>, Y: Buffer<"${type}", 2>, Z: Buffer<"${type}", 2>) {
  for (const [i, j, k] of grid(${m}, ${n}, ${k}))
    block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => { ${start} Z[vi][vj] += X[vi][vk] * Y[vj][vk]; });
});`;
}

function epilogue(m: number, n: number, k: number, type: Type): string {
  return `export const p = program({ X: [${m}, ${k}], Y: [${k}, ${n}], B: [${n}], Z: [${m}, ${n}] }, function p(X: Buffer<"${type}", 2>, Y: Buffer<"${type}", 2>, B: Buffer<"${type}", 1>, Z: Buffer<"${type}", 2>) {
  const A = alloc("${type}", [${m}, ${k}]);
  const C = alloc("${type}", [${m}, ${n}]);
  for (const [i, j] of grid(${m}, ${k}))
    block("twice", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => { A[vi][vj] = X[vi][vj] * 2; });
  for (const [i, j, k] of grid(${m}, ${n}, ${k}))
    block("product", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => { init(() => { C[vi][vj] = 0; }); C[vi][vj] += A[vi][vk] * Y[vk][vj]; });
  for (const [i, j] of grid(${m}, ${n}))
    block("relu", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => { Z[vi][vj] = Math.max(C[vi][vj] + B[vj], 0); });
});`;
}

function convolution(h: number, w: number, r: number, type: Type): string {
  return `export const p = program({ X: [${h + r - 1}, ${w + r - 1}], W: [${r}, ${r}], Z: [${h}, ${w}] }, function p(X: Buffer<"${type}", 2>, W: Buffer<"${type}", 2>, Z: Buffer<"${type}", 2>) {
  for (const [i, j, a, b] of grid(${h}, ${w}, ${r}, ${r}))
    block("convolution", { vi: spatial(i), vj: spatial(j), va: reduce(a), vb: reduce(b) }, ({ vi, vj, va, vb }) => { init(() => { Z[vi][vj] = 0; }); Z[vi][vj] += X[vi + va][vj + vb] * W[va][vb]; });
});`;
}

function softmax(m: number, n: number): string {
  return `export const p = program({ X: [${m}, ${n}], Z: [${m}, ${n}] }, function p(X: Buffer<"f32", 2>, Z: Buffer<"f32", 2>) {
  const M = alloc("f32", [${m}]);
  const E = alloc("f32", [${m}, ${n}]);
  const S = alloc("f32", [${m}]);
  for (const [i, j] of grid(${m}, ${n}))
    block("most", { vi: spatial(i), vj: reduce(j) }, ({ vi, vj }) => { init(() => { M[vi] = -Infinity; }); M[vi] = Math.max(M[vi], X[vi][vj]); });
  for (const [i, j] of grid(${m}, ${n}))
    block("exps", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => { E[vi][vj] = Math.exp(X[vi][vj] - M[vi]); });
  for (const [i, j] of grid(${m}, ${n}))
    block("total", { vi: spatial(i), vj: reduce(j) }, ({ vi, vj }) => { init(() => { S[vi] = 0; }); S[vi] += E[vi][vj]; });
  for (const [i, j] of grid(${m}, ${n}))
    block("divide", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => { Z[vi][vj] = E[vi][vj] / S[vi]; });
});`;
}

function chain(m: number, n: number, type: Type, shifted: boolean): string {
  const next = shifted ? "A[vi][vj] + A[vi][vj + 1 < N ? vj + 1 : 0]".replaceAll("N", String(n)) : "A[vi][vj] + 1";
  return `export const p = program({ X: [${m}, ${n}], Z: [${m}, ${n}] }, function p(X: Buffer<"${type}", 2>, Z: Buffer<"${type}", 2>) {
  const A = alloc("${type}", [${m}, ${n}]);
  const B = alloc("${type}", [${m}, ${n}]);
  for (const [i, j] of grid(${m}, ${n}))
    block("a", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => { A[vi][vj] = X[vi][vj] * 3; });
  for (const [i, j] of grid(${m}, ${n}))
    block("b", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => { B[vi][vj] = ${next}; });
  for (const [i, j] of grid(${m}, ${n}))
    block("c", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => { Z[vi][vj] = B[vi][vj] * B[vi][vj] + Z[vi][vj]; });
});`;
}

const made = new Map<string, Program>();
const traced = (text: string): Program => {
  const known = made.get(text) ?? programOf(header + text);
  made.set(text, known);
  return known;
};

/** One of the subjects at one of a few sizes. */
export function subject(random: Random): Subject {
  const size = (): number => random.pick([8, 9, 12, 13, 16, 17, 20, 24]);
  const small = (): number => random.pick([8, 12, 13, 16]);
  const type = random.pick(["f32", "i32"] as const);
  const [name, text] = random.pick([
    () => ["matmul", matmul(small(), small(), size(), type, true)] as const,
    () => ["matmul without init", matmul(small(), small(), size(), type, false)] as const,
    () => ["matmul between two", epilogue(small(), small(), small(), type)] as const,
    () => ["convolution", convolution(small(), small(), 3, type)] as const,
    () => ["softmax", softmax(size(), size())] as const,
    () => ["chain", chain(size(), size(), type, false)] as const,
    () => ["shifted chain", chain(size(), size(), type, true)] as const,
  ])();
  const program = traced(text);
  const data = Object.fromEntries(
    program.params.map((b, at) => {
      const length = b.shape.reduce((n, e) => n * (e.kind === "const" ? Number(e.value) : 0), 1);
      return [b.name, Array.from({ length }, (_, i) => ((i * (7 + 4 * at) + 3 * at) % 11) - 5)];
    }),
  );
  return { name, program, data, tolerance: name === "softmax" ? 1e-5 : 0 };
}

export const arraysOf = ({ program, data }: Subject): Record<string, FlatArray> =>
  Object.fromEntries(
    program.params.map((b) => {
      const given = data[b.name] ?? [];
      return [b.name, b.dtype === "i32" ? Int32Array.from(given) : Float32Array.from(given)];
    }),
  );
