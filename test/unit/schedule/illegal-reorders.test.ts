import { describe, expect, it } from "vitest";
import { Schedule } from "warpsmith/schedule";
import { add, int, load, seq, sub, zero } from "../../../src/schedule/ir/build.ts";
import { interpret } from "../../../src/schedule/ir/interpret.ts";
import { printProgram } from "../../../src/schedule/ir/print.ts";
import type { Expr, Program, Var } from "../../../src/schedule/ir/types.ts";
import { createRandom, type Random, seedOf } from "../../fuzz/random.ts";
import { programOf } from "../../schedule/program-of.ts";
import { isAsked, randomOnes } from "../../support/amount.ts";
import { block, buffer, nest as nestOf, programOf as programOfTree, put, times } from "./programs.ts";

/** Loops i and j over 6 × 5 around blocks of statements. */
const nest = (...bodies: readonly string[]): Program =>
  programOf(`import { alloc, type Buffer, block, grid, init, program, reduce, spatial } from "warpsmith/schedule";
export const p = program({ X: [6, 5], Y: [12, 12], Z: [12, 12] }, function p(X: Buffer<"f32", 2>, Y: Buffer<"f32", 2>, Z: Buffer<"f32", 2>) {
  const T = alloc("f32", [12, 12], "shared");
  for (const [i, j] of grid(6, 5)) {
    ${bodies.map((b, n) => `block("b${n}", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => { ${b} });`).join("\n    ")}
  }
});`);

/** What is refused, as the error's sentence. */
function reorder(program: Program): { readonly refused: string | undefined; readonly after: Program } {
  const s = new Schedule(program);
  const [i, j] = s.getLoops(s.getBlock("b0"));
  if (!i || !j) throw new Error("there are two loops");
  try {
    s.reorder(j, i);
  } catch (e) {
    return { refused: String((e as Error).message), after: program };
  }
  return { refused: undefined, after: s.program };
}

const results = (program: Program): readonly number[] => {
  const data = { X: numbers(30, 1), Y: numbers(144, 2), Z: numbers(144, 3) };
  interpret(program, data);
  return [...data.X, ...data.Y, ...data.Z];
};
const numbers = (n: number, seed: number): Float32Array =>
  Float32Array.from({ length: n }, (_, i) => ((i * 7 + seed * 13) % 11) - 5);

describe("loops that may not change places", () => {
  it.each<readonly [string, readonly string[]]>([
    ["two blocks that write the same elements", ["Z[vi + vj][0] = X[vi][vj];", "Z[vi + vj + 1][0] = X[vi][vj] * 2;"]],
    [
      "two statements of one block that write the same elements",
      ["Z[vi + vj][0] = X[vi][vj]; Z[vi + vj + 1][0] = X[vi][vj] * 2;"],
    ],
    ["what a block reads another one writes in a later iteration", ["Y[vi][vj] = Z[vi + 1][vj];", "Z[vi][vj + 1] = X[vi][vj];"]],
    [
      "what a block reads another one wrote in an earlier iteration",
      ["Z[vi + 1][vj] = X[vi][vj];", "Y[vi][vj] = Z[vi][vj + 1];"],
    ],
    ["a row that each iteration overwrites, read at last", ["Z[0][0] = X[vi][vj];", "Z[0][1] = Z[0][0] + X[vi][vj];"]],
    ["a block that reads what it wrote for its neighbour", ["Z[vi + 1][vj] = Z[vi][vj + 1] + X[vi][vj];"]],
  ])("%s", (_, bodies) => {
    const { refused } = reorder(nest(...bodies));
    expect(refused).toContain("W5524");
  });
});

describe("loops that may", () => {
  it.each<readonly [string, readonly string[]]>([
    ["two blocks that write other elements", ["Z[vi][vj] = X[vi][vj];", "Z[vi + 6][vj] = X[vi][vj] * 2;"]],
    ["two blocks that write the same elements in the same iteration", ["Z[vi][vj] = X[vi][vj];", "Z[vi][vj] = Z[vi][vj] * 2;"]],
    ["one that reads what the other wrote in the same iteration", ["Z[vi][vj] = X[vi][vj];", "Y[vi][vj] = Z[vi][vj];"]],
    ["what one loop alone carries", ["Z[vi][vj] = X[vi][vj];", "Z[vi + 1][vj] = Y[vi][vj];"]],
    ["a buffer that each iteration fills anew", ["T[0][0] = X[vi][vj];", "Y[vi][vj] = T[0][0];"]],
    ["even and odd elements", ["Z[vi * 2][vj] = X[vi][vj];", "Z[vi * 2 + 1][vj] = Y[vi][vj];"]],
  ])("%s", (_, bodies) => {
    const program = nest(...bodies);
    const { refused, after } = reorder(program);
    expect(refused).toBeUndefined();
    expect(results(after)).toEqual(results(program));
  });
});

/** Blocks in one nest, each of which writes an element of its own at each of its points, and reads others. */
function randomNest(random: Random): Program {
  const size = [4, 3, random.between(1, 3)];
  const X = buffer("X", "i32", [12, 12]);
  const [Y, Z] = [buffer("Y", "i32", [40, 40]), buffer("Z", "i32", [40, 40])];
  const at = ([i, j, k]: readonly Expr[]): readonly Expr[] => {
    const [a, b, c] = [int(random.below(3)), int(random.below(3)), random.pick([i, j, k, int(0)]) ?? zero];
    const [x, y] = random.chance(0.5) ? [i ?? zero, j ?? zero] : [j ?? zero, i ?? zero];
    const row = random.pick([x, times(x, 2), add(x, y), add(x, times(y, 4)), sub(int(6), x)]);
    return [add(row, a), add(add(times(y, random.pick([1, 3])), b), random.chance(0.5) ? times(k ?? zero, 9) : times(c, 9))];
  };
  const bodies = Array.from({ length: random.between(1, 3) }, (_, n) => (i: Var, j: Var, k: Var) => {
    const own: Expr[] = [
      add(random.chance(0.5) ? i : times(i, 2), int(random.below(3))),
      add(j, add(times(k, 9), int(random.below(4)))),
    ];
    const value = add(
      load(random.pick([Y, Z, X]) === X ? Z : random.pick([Y, Z]), at([i, j, k])),
      add(times(i, 100 + n), add(times(j, 10), k)),
    );
    return put(random.pick([Y, Z]), random.chance(0.7) ? own : own.toReversed(), value);
  });
  const body = nestOf(
    size.map((n, d) => [`i${d}`, n] as const),
    (...v) =>
      seq(
        ...bodies.map((b, n) =>
          block(
            `b${n}`,
            v.map((x, d) => [`v${d}`, size[d] ?? 1, x] as const),
            (...w) => b(...(w as [Var, Var, Var])),
          ),
        ),
      ),
  );
  return programOfTree("random", [X, Y, Z], [], body);
}

/** `RUNS=2000 SEED=5`: so many, from the first on, by another seed. */
const { places, seed } = randomOnes(2000, 20);
const runs = places.length;

it(`${runs} nests in a random order compute the same, or are refused (SEED=${seed})`, { timeout: 600_000 }, () => {
  const seen = { applied: 0, refused: 0 };
  for (const n of places) {
    const random = createRandom(seedOf(seed, `reorder ${n}`));
    const program = randomNest(random);
    const s = new Schedule(program);
    const loops = s.getLoops(s.getBlock("b0"));
    const order = loops
      .map((l) => ({ l, key: random.below(1000) }))
      .toSorted((x, y) => x.key - y.key)
      .map((x) => x.l);
    const run = (p: Program): readonly number[] => {
      const data = { X: numbers(144, 1), Y: numbers(1600, 2), Z: numbers(1600, 3) };
      const ints = Object.fromEntries(Object.entries(data).map(([name, d]) => [name, Int32Array.from(d)]));
      interpret(p, ints);
      return [...(ints.Y ?? []), ...(ints.Z ?? [])];
    };
    try {
      s.reorder(...order);
    } catch (e) {
      expect((e as { code?: string }).code, printProgram(program)).toBe("W5524");
      seen.refused += 1;
      continue;
    }
    seen.applied += 1;
    expect(run(s.program), `${n}: ${printProgram(program)}\n${order.map((l) => l.name)}`).toEqual(run(program));
  }
  if (isAsked) console.log(seen);
  expect(seen.applied).toBeGreaterThan(runs / 20);
  expect(seen.refused).toBeGreaterThan(runs / 20);
});
