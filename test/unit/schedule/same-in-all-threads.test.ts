import { describe, expect, it } from "vitest";
import { add, int, load, mod, seq, sub } from "../../../src/schedule/ir/build.ts";
import { printProgram } from "../../../src/schedule/ir/print.ts";
import type { Buffer, Expr, Program, Stmt } from "../../../src/schedule/ir/types.ts";
import { loweringStages } from "../../../src/schedule/lower/index.ts";
import { agree } from "./agree.ts";
import { buffer, nest, programOf, put } from "./programs.ts";

const X = buffer("X", "f32", [4, 32]);
const Z = buffer("Z", "f32", [4, 32]);
const tile = buffer("tile", "f32", [4, 32], "shared");

/** Four warps, with this in each of their threads. */
const threads = (body: (y: Expr, x: Expr) => Stmt): Stmt =>
  nest(
    [
      ["y", 4, "threadIdx.y"],
      ["x", 32, "threadIdx.x"],
    ],
    (y, x) => body(y as Expr, x as Expr),
  );
const copyRows = (to: Buffer, from: Buffer, column: Expr): Stmt =>
  nest([["r", 4]], (r) => put(to, [r as Expr, column], load(from, [r as Expr, column])));
const guards = (program: Program): number =>
  printProgram(loweringStages(program).at(-1)?.program ?? program).match(/only_[xyz]/g)?.length ?? 0;

describe("what each thread of a loop would store the same", () => {
  it("one of them stores", async () => {
    const program = programOf(
      "copy",
      [X, Z],
      [tile],
      threads((y, x) => seq(copyRows(tile, X, x), put(Z, [y, x], load(tile, [sub(int(3), y), x])))),
    );
    expect(guards(program)).toBe(1);
    await agree(program);
  });
  it("in a loop that goes on, behind those who still read", async () => {
    const program = programOf(
      "again",
      [X, Z],
      [tile],
      threads((y, x) =>
        nest([["k", 3]], (k) =>
          seq(
            nest([["r", 4]], (r) => put(tile, [r as Expr, x], load(X, [r as Expr, mod(add(x, k as Expr), int(32))]))),
            put(Z, [y, x], add(load(tile, [sub(int(3), y), x]), load(Z, [y, x]))),
          ),
        ),
      ),
    );
    expect(guards(program)).toBe(1);
    await agree(program);
  });
  it("all store what depends on them, or comes from their registers", async () => {
    const own = buffer("own", "f32", [1], "local");
    const program = programOf(
      "own",
      [X, Z],
      [tile, own],
      threads((y, x) =>
        seq(put(own, [int(0)], load(X, [y, x])), put(tile, [y, x], load(own, [int(0)])), put(Z, [y, x], load(tile, [y, x]))),
      ),
    );
    expect(guards(program)).toBe(0);
    await agree(program);
  });
});
