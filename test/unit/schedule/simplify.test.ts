import { describe, expect, it } from "vitest";
import { add, binary, floorDiv, int, less, mod, mul, sub, variable } from "../../../src/schedule/ir/build.ts";
import { sameExpr } from "../../../src/schedule/ir/linear.ts";
import { type Bounds, bounded, provably, simplify, size } from "../../../src/schedule/ir/simplify.ts";
import type { BinaryOp, Expr, Var } from "../../../src/schedule/ir/types.ts";
import { createRandom, type Random, seedOf } from "../../fuzz/random.ts";
import { seeds } from "../../support/amount.ts";

const i = variable("i");
const j = variable("j");
const f = variable("f");
const n = variable("n");
const known = new Map<Var, Bounds>([
  [n, size],
  [i, bounded(int(8))],
  [j, bounded(int(16))],
  [f, bounded(int(64))],
]);

function evaluate(e: Expr, at: ReadonlyMap<Var, number>): number {
  if (e.kind === "const") return Number(e.value);
  if (e.kind === "var") return at.get(e)!;
  if (e.kind !== "binary") throw new Error(e.kind);
  const [a, b] = [evaluate(e.a, at), evaluate(e.b, at)];
  const ops: Partial<Record<BinaryOp, () => number>> = {
    "+": () => a + b,
    "-": () => a - b,
    "*": () => a * b,
    floorDiv: () => Math.floor(a / b),
    "%": () => a % b,
    min: () => Math.min(a, b),
    max: () => Math.max(a, b),
    "<": () => Number(a < b),
    "<=": () => Number(a <= b),
    ">": () => Number(a > b),
    ">=": () => Number(a >= b),
    "===": () => Number(a === b),
    "!==": () => Number(a !== b),
    "&&": () => Number(a && b),
  };
  return ops[e.op]!() + 0;
}

describe("simplify", () => {
  const whole = add(mul(i, int(16)), j);
  it.each<[string, Expr, Expr]>([
    ["a quotient", floorDiv(whole, int(16)), i],
    ["a remainder", mod(whole, int(16)), j],
    ["both together", add(mul(floorDiv(f, int(8)), int(8)), mod(f, int(8))), f],
    ["a part of a quotient", floorDiv(whole, int(32)), floorDiv(i, int(2))],
    ["a quotient of a quotient", floorDiv(floorDiv(f, int(2)), int(4)), floorDiv(f, int(8))],
    ["what cancels", sub(add(whole, int(3)), whole), int(3)],
    ["a remainder that is kept", mod(add(mul(f, int(4)), int(3)), int(8)), add(mul(mod(f, int(2)), int(4)), int(3))],
  ])("finds %s", (_, from, to) => {
    expect(sameExpr(simplify(from, known), to)).toBe(true);
  });

  it("proves what bounds say, of sizes too", () => {
    const k = variable("k");
    const more = new Map(known).set(k, bounded(n));
    expect(provably(less(k, n), more)).toBe(true);
    expect(provably(less(add(k, int(1)), n), more)).toBe(false);
    expect(provably(less(whole, int(128)), known)).toBe(true);
    expect(provably(less(whole, int(127)), known)).toBe(false);
  });

  it("keeps the value of random expressions", () => {
    const leaves = [i, j, f];
    const make = (random: Random["below"], depth: number): Expr => {
      if (depth === 0 || random(5) === 0) return random(3) === 0 ? int(random(20)) : leaves[random(3)]!;
      const op = (["+", "+", "-", "*", "floorDiv", "floorDiv", "%", "%", "min", "max"] as const)[random(10)]!;
      const by = int([1, 2, 3, 4, 6, 8, 16, 32][random(8)]!);
      return binary(op, make(random, depth - 1), op === "*" || op === "floorDiv" || op === "%" ? by : make(random, depth - 1));
    };
    for (const seed of seeds(0, 20000, 200)) {
      const random = createRandom(seedOf(seed, "expression")).below;
      const e = make(random, 4);
      const test = seed % 3 === 0 ? binary((["<", "<=", ">", ">=", "===", "!=="] as const)[random(6)]!, e, make(random, 2)) : e;
      const short = simplify(test, known);
      for (let k = 0; k < 20; k++) {
        const at = new Map<Var, number>([
          [i, random(8)],
          [j, random(16)],
          [f, random(64)],
        ]);
        expect(evaluate(short, at), JSON.stringify([seed, test, [...at.values()]])).toBe(evaluate(test, at));
      }
    }
  });
});
