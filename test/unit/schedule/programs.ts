/** Programs that the tests of the schedule level lower and run, built by hand. */

import type { DType } from "../../../src/base/types.ts";
import {
  add,
  binary,
  cast,
  constant,
  floorDiv,
  int,
  load,
  loop,
  mod,
  mul,
  seq,
  variable,
} from "../../../src/schedule/ir/build.ts";
import type {
  Annotations,
  Axis,
  Block,
  Buffer,
  Expr,
  For,
  Intrinsic,
  LoopKind,
  Program,
  Scope,
  Stmt,
  Store,
  Var,
} from "../../../src/schedule/ir/types.ts";

export const buffer = (
  name: string,
  dtype: DType,
  shape: readonly (number | Expr)[],
  scope: Scope = "global",
  more: Partial<Buffer> = {},
): Buffer => ({ name, dtype, shape: shape.map((n) => (typeof n === "number" ? int(n) : n)), scope, ...more });

export const put = (to: Buffer, indices: readonly Expr[], value: Expr): Store => ({ kind: "store", buffer: to, indices, value });

/** A nest of loops: name, extent and kind of each. */
export function nest(
  loops: readonly (readonly [name: string, extent: number, kind?: LoopKind])[],
  body: (...v: readonly Var[]) => Stmt,
): Stmt {
  const variables = loops.map(([name]) => variable(name));
  return loops.reduceRight<Stmt>(
    (inner, [name, extent, kind = "serial"], i) =>
      loop(variables[i] ?? variable(name), int(extent), inner, { loop: kind } satisfies Partial<For>),
    body(...variables),
  );
}

/** A block whose axes take those values. */
export function block(
  name: string,
  axes: readonly (readonly [name: string, extent: number, value: Expr, type?: Axis["type"]])[],
  body: (...v: readonly Var[]) => Stmt,
  more: { readonly init?: (...v: readonly Var[]) => Stmt; readonly where?: Expr; readonly annotations?: Annotations } = {},
): Block {
  const made = axes.map(([n, extent, , type = "spatial"]): Axis => ({ variable: variable(n), extent: int(extent), type }));
  const variables = made.map((a) => a.variable);
  return {
    kind: "block",
    name,
    axes: made,
    values: axes.map(([, , value]) => value),
    where: more.where,
    init: more.init?.(...variables),
    body: body(...variables),
    annotations: more.annotations ?? {},
  };
}

export const call = (name: string, ...args: readonly (readonly [Buffer, readonly Expr[], readonly number[]])[]): Intrinsic => ({
  kind: "intrinsic",
  name,
  args: args.map(([b, mins, extents]) => ({
    buffer: b,
    ranges: mins.map((min, d) => ({ min, extent: int(extents[d] ?? 1) })),
  })),
});

export const sum = (...e: readonly Expr[]): Expr => e.reduce((a, b) => add(a, b));
export const times = (e: Expr, n: number): Expr => mul(e, int(n));
export const over = (e: Expr, n: number): Expr => floorDiv(e, int(n));
export const rest = (e: Expr, n: number): Expr => mod(e, int(n));
export const f32 = (e: Expr): Expr => cast("f32", e);
export const below = (a: Expr, n: number): Expr => binary("<", a, int(n));

/** X [m, k], Y [n, k], Z [m, n] and what allocates nothing. */
export function matrices(m: number, n: number, k: number): { readonly X: Buffer; readonly Y: Buffer; readonly Z: Buffer } {
  return { X: buffer("X", "f16", [m, k]), Y: buffer("Y", "f16", [n, k]), Z: buffer("Z", "f32", [m, n]) };
}
export const programOf = (
  name: string,
  params: readonly Buffer[],
  buffers: readonly Buffer[],
  ...body: readonly Stmt[]
): Program => ({
  name,
  params,
  sizes: [],
  buffers,
  body: seq(...body),
});

/** What the matmul block does at one point. */
const multiply =
  (X: Buffer, Y: Buffer, Z: Buffer) =>
  (i: Var, j: Var, k: Var): Stmt =>
    put(Z, [i, j], add(load(Z, [i, j]), mul(f32(load(X, [i, k])), f32(load(Y, [j, k])))));
const clear =
  (Z: Buffer) =>
  (i: Var, j: Var): Stmt =>
    put(Z, [i, j], constant(0, "f32"));

/** The matmul whose loops are these, given as expressions of i, j and k. */
export function matmul(
  [m, n, k]: readonly [number, number, number],
  loops: readonly (readonly [string, number, LoopKind?])[],
  at: (...v: readonly Var[]) => readonly [i: Expr, j: Expr, k: Expr],
): Program {
  const { X, Y, Z } = matrices(m, n, k);
  const body = nest(loops, (...v) => {
    const [i, j, r] = at(...v);
    const axes = [
      ["vi", m, i],
      ["vj", n, j],
      ["vk", k, r, "reduce"],
    ] as const;
    return block("matmul", axes, multiply(X, Y, Z) as (...v: readonly Var[]) => Stmt, {
      init: clear(Z) as (...v: readonly Var[]) => Stmt,
    });
  });
  return programOf("matmul", [X, Y, Z], [], body);
}

/** Steps of the tutorial that are left out of the last program: blocks that stay loops, and one that starts on its own. */
export interface TutorialSteps {
  /** Which of fill, loads, sync and store are intrinsics; the others are element by element. */
  readonly tensorized?: readonly string[];
  readonly vectorized?: boolean;
  readonly padding?: number;
}
const everything = ["wmma_fill", "wmma_load_a", "wmma_load_b", "wmma_sync", "wmma_store"];

/** A call of an intrinsic, or the loops that it stands for. */
function callOrLoops(on: boolean, name: string, ...args: Parameters<typeof call> extends [string, ...infer A] ? A : never): Stmt {
  if (on) return call(name, ...args);
  const at = (n: number, ...v: readonly Expr[]): readonly Expr[] => (args[n]?.[1] ?? []).map((e, d) => sum(e, v[d] ?? int(0)));
  const [first, second, third] = args.map(([b]) => b);
  if (!first) throw new Error("no arguments");
  if (third && second)
    return nest(
      [
        ["ii", 16],
        ["jj", 16],
        ["kk", 16],
      ],
      (...[i, j, k]) => {
        const c = at(2, i as Var, j as Var);
        const product = mul(f32(load(first, at(0, i as Var, k as Var))), f32(load(second, at(1, j as Var, k as Var))));
        return put(third, c, add(load(third, c), product));
      },
    );
  return nest(
    [
      ["ii", 16],
      ["jj", 16],
    ],
    (...[i, j]) =>
      second
        ? put(second, at(1, i as Var, j as Var), load(first, at(0, i as Var, j as Var)))
        : put(first, at(0, i as Var, j as Var), constant(0, "f32")),
  );
}

/** The last program of TensorIR's tutorial, with tiles of 64 × 64 × 64 for 4 warps. */
export function tutorial(size: number, { tensorized = everything, vectorized = true, padding = 0 }: TutorialSteps = {}): Program {
  const calls = (name: string, ...args: Parameters<typeof call> extends [string, ...infer A] ? A : never): Stmt =>
    callOrLoops(tensorized.includes(name), name, ...args);
  const { X, Y, Z } = matrices(size, size, size);
  const Xs = buffer("X_shared", "f16", [size, size], "shared", { padding });
  const Ys = buffer("Y_shared", "f16", [size, size], "shared", { padding });
  const Xa = buffer("X_a", "f16", [size, size], "wmma.matrix_a");
  const Yb = buffer("Y_b", "f16", [size, size], "wmma.matrix_b");
  const Zc = buffer("Z_c", "f32", [size, size], "wmma.accumulator");
  const across = size / 64;
  const tile = [16, 16] as const;
  const body = nest(
    [
      ["b", across * across, "blockIdx.x"],
      ["w", 4, "threadIdx.y"],
    ],
    (b, w) => {
      if (!b || !w) throw new Error("no loops");
      const row = sum(times(over(b, across), 64), times(over(w, 2), 32));
      const col = sum(times(rest(b, across), 64), times(rest(w, 2), 32));
      const fill = nest(
        [
          ["i", 2],
          ["j", 2],
        ],
        (...[i, j]) => call("wmma_fill", [Zc, [sum(row, times(i as Var, 16)), sum(col, times(j as Var, 16))], tile]),
      );
      const copy = (name: string, from: Buffer, to: Buffer, first: Expr, k0: Var): Stmt =>
        nest(
          [
            ["a", 4],
            ["ty", 4, "threadIdx.y"],
            ["tx", 32, "threadIdx.x"],
            ["v", 8, vectorized ? "vectorize" : "serial"],
          ],
          (...[a, ty, tx, v]) => {
            const flat = sum(times(a as Var, 1024), times(ty as Var, 256), times(tx as Var, 8), v as Var);
            const at = [
              ["v0", size, sum(first, over(flat, 64))],
              ["v1", size, sum(times(k0, 64), rest(flat, 64))],
            ] as const;
            return block(name, at, (...i) => put(to, i, load(from, i)));
          },
        );
      const k = nest([["k0", size / 64]], (...[k0]) =>
        seq(
          copy("X_shared", X, Xs, times(over(b, across), 64), k0 as Var),
          copy("Y_shared", Y, Ys, times(rest(b, across), 64), k0 as Var),
          nest([["k1", 2]], (...[k1]) => {
            const at = (k2: Expr): Expr => sum(times(k0 as Var, 64), times(k1 as Var, 32), times(k2, 16));
            const loads = (name: string, from: Buffer, to: Buffer, first: Expr): Stmt =>
              nest(
                [
                  ["x", 2],
                  ["y", 2],
                ],
                (...[x, y]) => {
                  const begins = [sum(first, times(x as Var, 16)), at(y as Var)];
                  return calls(name, [from, begins, tile], [to, begins, tile]);
                },
              );
            return seq(
              loads("wmma_load_a", Xs, Xa, row),
              loads("wmma_load_b", Ys, Yb, col),
              nest(
                [
                  ["i2", 2],
                  ["j2", 2],
                  ["k2", 2],
                ],
                (...[i2, j2, k2]) => {
                  const [i, j] = [sum(row, times(i2 as Var, 16)), sum(col, times(j2 as Var, 16))];
                  return calls("wmma_sync", [Xa, [i, at(k2 as Var)], tile], [Yb, [j, at(k2 as Var)], tile], [Zc, [i, j], tile]);
                },
              ),
            );
          }),
        ),
      );
      const out = nest(
        [
          ["i", 2],
          ["j", 2],
        ],
        (...[i, j]) => {
          const begins = [sum(row, times(i as Var, 16)), sum(col, times(j as Var, 16))];
          return calls("wmma_store", [Zc, begins, tile], [Z, begins, tile]);
        },
      );
      return seq(fill, k, out);
    },
  );
  return programOf("tutorial", [X, Y, Z], [Xs, Ys, Xa, Yb, Zc], body);
}
