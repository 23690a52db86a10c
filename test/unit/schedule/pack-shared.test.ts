import { describe, expect, it } from "vitest";
import { tensorCorePipeline } from "warpsmith/schedule";
import { add, cast, constant, int, load, seq, sub } from "../../../src/schedule/ir/build.ts";
import { printProgram } from "../../../src/schedule/ir/print.ts";
import type { Buffer, Effect, Expr, Program, Stmt, Var } from "../../../src/schedule/ir/types.ts";
import { statements } from "../../../src/schedule/ir/walk.ts";
import { shareBytes, sharedBytesOfAll } from "../../../src/schedule/lower/buffers/shared-bytes.ts";
import { loweringStages } from "../../../src/schedule/lower/index.ts";
import { createRandom, type Random, seedOf } from "../../fuzz/random.ts";
import { isAsked, randomOnes, some } from "../../support/amount.ts";
import { agree } from "./agree.ts";
import { products } from "./pipeline/products.ts";
import { block, buffer, nest, programOf, put } from "./programs.ts";

const [rows, columns] = [2, 32];
const shape = [rows, columns];
const packed = (program: Program): Program => ({ ...program, annotations: { packShared: true } });

/** Each thread stores one element: `value` of its row and column. */
const everyone = (to: Buffer, value: (y: Expr, x: Expr) => Expr): Stmt =>
  nest(
    [
      ["y", rows, "threadIdx.y"],
      ["x", columns, "threadIdx.x"],
    ],
    (y, x) => put(to, [y as Var, x as Var], value(y as Var, x as Var)),
  );
const other = (e: Expr, n: number): Expr => sub(int(n - 1), e);
const effect = (op: string, ...args: readonly Expr[]): Effect => ({ kind: "effect", op, args });

/** Copies that go on while threads do something else. */
const copying = (to: Buffer, from: Buffer, name: string): Stmt =>
  nest(
    [
      ["y", rows, "threadIdx.y"],
      ["x", columns, "threadIdx.x"],
    ],
    (y, x) =>
      block(
        name,
        [
          ["vy", rows, y as Var],
          ["vx", columns, x as Var],
        ],
        (vy, vx) => put(to, [vy as Var, vx as Var], load(from, [vy as Var, vx as Var])),
        { annotations: { async: true } },
      ),
  );

const after = (program: Program): Program => {
  const found = loweringStages(program).find((s) => s.name === "pack-shared");
  if (!found) throw new Error("the pass is missing");
  return found.program;
};
const bytes = (program: Program): number => sharedBytesOfAll(after(program).buffers.filter((b) => b.scope === "shared"));

describe("buffers of shared memory that are packed", () => {
  const X = buffer("X", "f32", shape);
  const Z = buffer("Z", "f32", shape);
  const a = buffer("a", "f32", shape, "shared");
  const b = buffer("b", "f32", shape, "shared");
  const c = buffer("c", "f32", shape, "shared");
  const from = (x: Buffer) => (y: Expr, i: Expr) => load(x, [other(y, rows), other(i, columns)]);

  it("a chain takes the bytes of two", async () => {
    const chain = packed(
      programOf(
        "chain",
        [X, Z],
        [a, b, c],
        everyone(a, from(X)),
        everyone(b, from(a)),
        everyone(c, from(b)),
        everyone(Z, from(c)),
      ),
    );
    expect(bytes(chain)).toBe(2 * 256);
    await agree(chain);
  });
  it("without the annotation each has its own", () =>
    expect(
      bytes(
        programOf("p", [X, Z], [a, b, c], everyone(a, from(X)), everyone(b, from(a)), everyone(c, from(b)), everyone(Z, from(c))),
      ),
    ).toBe(768));
  it("what a loop carries keeps its bytes all along", async () => {
    const loop = nest([["i", 3]], () => seq(everyone(b, from(a)), everyone(c, from(b)), everyone(a, from(c))));
    const carried = packed(programOf("carried", [X, Z], [a, b, c], everyone(a, from(X)), loop, everyone(Z, from(a))));
    expect(bytes(carried)).toBe(3 * 256);
    await agree(carried);
  });
  it("what an iteration fills and uses shares bytes with what the same iteration does later", async () => {
    const loop = nest([["i", 3]], () =>
      seq(everyone(a, from(X)), everyone(b, from(a)), everyone(c, from(b)), everyone(Z, from(c))),
    );
    const anew = packed(programOf("anew", [X, Z], [a, b, c], loop));
    expect(bytes(anew)).toBe(2 * 256);
    await agree(anew);
  });
  it("a buffer that is filled a second time leaves its bytes between", async () => {
    const twice = packed(
      programOf(
        "twice",
        [X, Z],
        [a, b, c],
        everyone(a, from(X)),
        everyone(Z, from(a)),
        everyone(b, from(X)),
        everyone(c, from(b)),
        everyone(Z, from(c)),
        everyone(a, from(Z)),
        everyone(Z, from(a)),
      ),
    );
    expect(bytes(twice)).toBe(2 * 256);
    await agree(twice);
  });
  it("copies on their way are waited for before their bytes are written", async () => {
    const flying = packed(
      programOf("flying", [X, Z], [a, b], copying(a, X, "a"), effect("asyncCommit"), everyone(b, from(X)), everyone(Z, from(b))),
    );
    const lowered = after(flying);
    expect(bytes(flying)).toBe(256);
    expect([...statements(lowered.body)].filter((s) => s.kind === "effect").map((s) => s.op)).toEqual([
      "asyncCommit",
      "asyncWait",
    ]);
    await agree(flying);
  });
  it("what only some threads come to is not packed: they could not meet there", async () => {
    const some = nest([["y", 1, "threadIdx.y"]], (y) =>
      seq(
        ...[
          [a, X],
          [b, a],
          [c, b],
          [Z, c],
        ].map(([to, of]) =>
          nest([["x", columns, "threadIdx.x"]], (x) =>
            put(to as Buffer, [y as Var, x as Var], load(of as Buffer, [y as Var, x as Var])),
          ),
        ),
      ),
    );
    const half = packed(programOf("half", [X, Z], [a, b, c], everyone(Z, from(X)), some));
    expect(after(half).buffers.every((x) => x.at === undefined)).toBe(true);
    await agree(half);
  });
});

describe("the pipeline's kernel", () => {
  const options = { workgroup: [64, 2, 1], depth: 3, storeStage: 1 };
  // Bytes of A and B, and of C, with the elements that are put in after rows.
  const kernels: readonly (readonly [string, Program, readonly number[], number, number])[] = [
    ["C = A @ Bᵀ, f16 → f32", products.transposed([256, 256, 128]), [128, 128, 32], 3 * 2 * 128 * 40 * 2, 128 * 132 * 4],
    ["C += A @ B, f16", products.adding([256, 256, 128]), [128, 128, 32], 3 * (128 * 40 + 32 * 136) * 2, 128 * 136 * 2],
  ];
  it.each(some(kernels, 1))("%s has one place for C's tile and those of A and B", (_, program, tile, operands, sums) => {
    const { schedule } = tensorCorePipeline(program, { ...options, tile });
    expect(bytes({ ...schedule.program, annotations: {} })).toBe(operands + sums);
    expect(bytes(schedule.program)).toBe(Math.max(operands, sums));
  });
});

/** Random stages: buffers that are filled from others, by copies that go on, in loops. Each stage reads what was filled before. */
class Stages {
  readonly #random: Random;
  readonly #X = buffer("X", "f32", shape);
  readonly #Z = buffer("Z", "f32", shape);
  readonly #shared: readonly Buffer[];
  #filled = new Set<Buffer>();
  #flying = new Set<Buffer>();
  #copies = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#shared = Array.from({ length: random.between(2, 5) }, (_, i) =>
      buffer(`s${i}`, random.pick(["f32", "f32", "i32"] as const), shape, "shared", random.chance(0.3) ? { padding: 4 } : {}),
    );
  }

  #read(y: Expr, x: Expr, to?: Buffer): Expr {
    const filled = [...this.#filled].filter((b) => b !== to);
    const from = this.#random.pick([this.#X, ...filled, ...filled]);
    const at = [this.#random.chance(0.5) ? other(y, rows) : y, this.#random.chance(0.5) ? other(x, columns) : x];
    return cast("f32", load(from, at));
  }
  #fill(): Stmt {
    const to = this.#random.pick(this.#shared.filter((b) => !this.#flying.has(b)).concat(this.#Z));
    const more = this.#random.chance(0.4);
    const stage = everyone(to, (y, x) => {
      const value = more ? add(this.#read(y, x, to), this.#read(y, x, to)) : add(this.#read(y, x, to), constant(1, "f32"));
      return cast(to.dtype, value);
    });
    if (to !== this.#Z) this.#filled.add(to);
    return stage;
  }
  #copy(): Stmt {
    const to = this.#random.pick(this.#shared.filter((b) => b.dtype === "f32" && !this.#flying.has(b)).concat(this.#Z));
    if (to === this.#Z) return this.#fill();
    this.#filled.delete(to);
    this.#flying.add(to);
    return seq(copying(to, this.#X, `copy${this.#copies++}`), effect("asyncCommit"));
  }
  #wait(): Stmt {
    for (const b of this.#flying) this.#filled.add(b);
    this.#flying = new Set();
    return effect("asyncWait", int(0));
  }
  #loop(depth: number): Stmt {
    const [before, flying] = [new Set(this.#filled), new Set(this.#flying)];
    const body = this.#some(depth + 1);
    // What was filled before the loop may have been overwritten in it by copies that are still on their way.
    this.#filled = new Set([...this.#filled].filter((b) => before.has(b) || this.#random.chance(0.5)));
    this.#flying = new Set([...this.#flying, ...flying]);
    for (const b of this.#flying) this.#filled.delete(b);
    return seq(
      nest([["i", this.#random.between(1, 3)]], () => body),
      this.#flying.size > 0 ? this.#wait() : seq(),
    );
  }
  #some(depth = 0): Stmt {
    const stages = Array.from({ length: this.#random.between(2, depth === 0 ? 6 : 4) }, () => {
      const kind = this.#random.weighted({ fill: 8, copy: 2, wait: this.#flying.size > 0 ? 2 : 0, loop: depth < 2 ? 2 : 0 });
      return kind === "fill" ? this.#fill() : kind === "copy" ? this.#copy() : kind === "wait" ? this.#wait() : this.#loop(depth);
    });
    // Copies that an iteration begins are read by no other one before they are complete.
    return seq(...stages, ...(depth > 0 && this.#flying.size > 0 ? [this.#wait()] : []));
  }
  program(): Program {
    const body = seq(this.#some(), ...(this.#flying.size > 0 ? [this.#wait()] : []));
    const last = everyone(this.#Z, (y, x) => this.#read(y, x));
    return packed(programOf("random", [this.#X, this.#Z], this.#shared, body, last));
  }
}

/** `RUNS=150 SEED=5`: so many, from the first on, by another seed. */
const { places, seed } = randomOnes(150, 3);
const runs = places.length;

it(`${runs} random programs compute the same with packed buffers (SEED=${seed})`, { timeout: 3_600_000 }, async () => {
  let shared = 0;
  for (const [at, i] of places.entries()) {
    const program = new Stages(createRandom(seedOf(seed, `pack ${i}`))).program();
    const { buffers } = after(program);
    if (buffers.some((a) => buffers.some((b) => a !== b && shareBytes(a, b)))) shared += 1;
    else if (at >= 12) continue;
    try {
      await agree(program, ["strict"]);
    } catch (e) {
      throw new Error(`program ${i}\n${printProgram(loweringStages(program).at(-1)?.program ?? program)}`, { cause: e });
    }
  }
  if (isAsked) console.log({ runs, shared });
  expect(shared).toBeGreaterThan(runs / 10);
});
