import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Device, openDevice } from "warpsmith";
import * as hooks from "../../src/dsl/hooks.ts";
import { transformSource } from "../../src/transform/index.ts";
import { seeds, some } from "../support/amount.ts";
import { recordedTimeline } from "../support/recorded-timeline.ts";
import { verifyAfterEachPass } from "../support/verify-after-each-pass.ts";
import { arithmetic } from "./arithmetic.ts";
import { differences } from "./compare.ts";
import { contentsBefore } from "./contents.ts";
import { actualContents, type Toolchain } from "./execute.ts";
import { randomProgram } from "./generate/program.ts";
import { judge } from "./judge.ts";
import { operations } from "./operations.ts";
import { type Contents, expectedContents } from "./oracle.ts";
import { hostText, kernelText } from "./print.ts";
import { allTypes, type Program, type Stmt } from "./program.ts";
import { shrink } from "./shrink.ts";

verifyAfterEachPass();

const tools: Toolchain = { transform: (text, fileName) => transformSource(text, { fileName, emit: "ts" }).code, hooks };
const programs = (of: readonly number[]): readonly Program[] => of.map((seed) => randomProgram(seed));
/** The seeds from 1 on: the same ones in each run. */
const firstSeeds = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i + 1);

let gpu: Device;
beforeAll(async () => {
  gpu = await openDevice("emulator");
});
afterAll(() => gpu.dispose());

test("random kernels do what plain JavaScript does", async () => {
  for (const program of programs(seeds(1, 100, 3))) {
    const found = await judge(program, gpu, tools);
    expect(found, `seed ${program.seed}: ${found?.lines.join("\n")}\n${kernelText(program)}`).toBeUndefined();
  }
}, 120_000);

test("they do so too where they record a timeline", async () => {
  await using unchecked = await openDevice("emulator", { check: "off", threads: 1 });
  const recording: Toolchain = { ...tools, launch: (kernel, config, args) => recordedTimeline(kernel, config, ...args) };
  for (const program of programs(seeds(5001, 100, 2))) {
    const found = await judge(program, unchecked, recording);
    expect(found, `seed ${program.seed}: ${found?.lines.join("\n")}\n${kernelText(program)}`).toBeUndefined();
  }
}, 120_000);

/** Every node of a program, statements and expressions. */
function* nodes(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (typeof value !== "object" || value === null) return;
  if ("kind" in value) yield value as Readonly<Record<string, unknown>>;
  for (const inner of Object.values(value)) yield* nodes(inner);
}

describe("the generator", () => {
  const many = programs(firstSeeds(500));
  const all = many.flatMap((p) => [...nodes([p.body, p.helpers])]);

  test("makes the same of the same seed", () => {
    expect(kernelText(randomProgram(7))).toBe(kernelText(randomProgram(7)));
    expect(kernelText(randomProgram(7))).not.toBe(kernelText(randomProgram(8)));
  });

  test("uses every operation", () => {
    const used = new Set(all.map((n) => n.op));
    expect(Object.keys(operations).filter((name) => !used.has(name))).toEqual([]);
  });

  test("uses every statement, in its every form", () => {
    const kinds = {
      declare: true,
      unset: true,
      array: true,
      record: true,
      assign: true,
      update: true,
      step: true,
      swap: true,
      store: true,
      storeUpdate: true,
      vector: true,
      storeVector: true,
      view: true,
      atomic: true,
      swapIf: true,
      ballot: true,
      sync: true,
      if: true,
      switch: true,
      range: true,
      static: true,
      while: true,
      block: true,
      jump: true,
      return: true,
      closure: true,
    } satisfies Record<Stmt["kind"], true>;
    const used = new Set(all.map((n) => n.kind));
    expect(Object.keys(kinds).filter((kind) => !used.has(kind))).toEqual([]);
    const forms = new Set(all.map((n) => `${n.kind} ${n.form ?? n.jump ?? n.op ?? ""}`));
    const wanted = ["while", "do", "for", "endless"].map((form) => `while ${form}`);
    const staticLoops = ["staticRange", "for", "of"].map((form) => `static ${form}`);
    const atomics = ["add", "min", "max", "and", "or", "xor", "exch"].map((op) => `atomic ${op}`);
    expect([...wanted, ...staticLoops, ...atomics, "jump break", "jump continue"].filter((form) => !forms.has(form))).toEqual([]);
  });

  test("computes with every type", () => {
    const types = new Set(all.map((n) => n.type));
    expect(allTypes.filter((type) => !types.has(type))).toEqual([]);
  });

  test("never leaves the language", () => {
    for (const program of some(many.slice(100, 160), 12))
      expect(() => expectedContents(program, contentsBefore(program))).not.toThrow();
  });
});

/** The program with one operation, or one kind of statement, in the place of another. */
function broken(program: Program, change: (node: Readonly<Record<string, unknown>>) => object | undefined): Program {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== "object" || value === null) return value;
    const node = { ...value, ...("kind" in value ? change(value as Readonly<Record<string, unknown>>) : undefined) };
    return Object.fromEntries(Object.entries(node).map(([key, x]) => [key, walk(x)]));
  };
  return { ...program, body: walk(program.body) as readonly Stmt[], helpers: walk(program.helpers) as Program["helpers"] };
}

describe("plain JavaScript with one mistake", () => {
  const swapped: Readonly<Record<string, keyof typeof operations>> = {
    add: "sub",
    mul: "add",
    lt: "le",
    eq: "ne",
    min: "max",
    and: "or",
    shl: "shr",
    ushr: "shr",
    andThen: "orElse",
    imul: "addWraps",
    floor: "ceil",
    round: "floor",
    neg: "plus",
    divFloor: "divTrunc",
  };
  const rounding = { ...arithmetic, round: { ...arithmetic.round, f32: (x: number) => x, f16: Math.fround, bf16: Math.fround } };
  const counting = {
    ...arithmetic,
    range: (a: number, b: number, s: number) => arithmetic.range(a, b + s, s),
  } as typeof arithmetic;
  const otherJump = (n: Readonly<Record<string, unknown>>) =>
    n.kind === "jump" ? { jump: n.jump === "break" ? "continue" : "break" } : undefined;
  const unassigned = (n: Readonly<Record<string, unknown>>) =>
    n.kind === "assign" && n.name !== "h" ? { kind: "block", label: "B", body: [] } : undefined;

  type Run = (program: Program, before: Contents) => Contents;
  const changing =
    (change: Parameters<typeof broken>[1]): Run =>
    (p, before) =>
      expectedContents(broken(p, change), before);
  const mistakes: readonly (readonly [string, Run])[] = [
    ...Object.entries(swapped).map(
      ([from, to]) => [`${to} for ${from}`, changing((n) => (n.op === from ? { op: to } : undefined))] as const,
    ),
    ["continue for break", changing(otherJump)],
    ["no assignments", changing(unassigned)],
    ["floats without rounding", (p, before) => expectedContents(p, before, rounding)],
    ["a range with its end", (p, before) => expectedContents(p, before, counting)],
  ];

  interface Known {
    readonly program: Program;
    readonly before: Contents;
    readonly right: Contents;
  }
  const known = new Map<number, Known>();
  function knownOf(seed: number): Known {
    const old = known.get(seed);
    if (old) return old;
    const program = randomProgram(seed);
    const before = contentsBefore(program);
    const made = { program, before, right: expectedContents(program, before) };
    known.set(seed, made);
    return made;
  }

  /** What the mistake makes of a program that shows it. One that leaves the language then shows nothing. */
  function shown(run: Run): Known & { readonly wrong: Contents } {
    for (let seed = 1000; seed < 1600; seed++) {
      const one = knownOf(seed);
      try {
        const wrong = run(one.program, one.before);
        if (differences(wrong, one.right).length > 0) return { ...one, wrong };
      } catch (error) {
        if (!(error instanceof Error)) throw error;
      }
    }
    throw new Error("no program shows it");
  }

  test.each(some(mistakes, 2))(
    "%s is found",
    async (_name, run) => {
      const { program, before, right, wrong } = shown(run);
      const actual = await actualContents(program, before, gpu, tools);
      expect(differences(actual, right)).toEqual([]);
      expect(differences(actual, wrong)).not.toEqual([]);
    },
    60_000,
  );
});

test("what disagrees is made small", async () => {
  const culprit = "Math.imul(";
  const program = programs(firstSeeds(100)).find((p) => kernelText(p).includes(culprit) && kernelText(p).length > 2500);
  if (!program) throw new Error("no program is long enough");
  const found = { kind: "values", signature: "values", lines: [] } as const;
  const least = await shrink(program, found, async (p) => (kernelText(p).includes(culprit) ? found : undefined), 10);
  const lines = kernelText(least).split("\n");
  expect(lines.length).toBeLessThanOrEqual(8);
  expect(hostText(least).length).toBeLessThan(hostText(program).length / 4);
});

describe("typed arithmetic", () => {
  test("rounds once", () => {
    // The sum in f64 is a tie of f32, which the exact one is not.
    expect(arithmetic.fma.f32(1 + 2 ** -23, 1 + 2 ** -12, 2 ** -60)).toBe(Math.fround(1 + 2 ** -12 + 2 ** -23 + 2 ** -35));
    expect(arithmetic.fma.f64(1 + 2 ** -52, 1 - 2 ** -52, -1)).toBe(-(2 ** -104));
    expect(arithmetic.fma.f32(3, 5, -15)).toBe(0);
    expect(arithmetic.fma.f32(2 ** 127, 4, Number.NEGATIVE_INFINITY)).toBe(Number.NEGATIVE_INFINITY);
    const tie = 2n ** 60n + 2n ** 36n;
    expect(arithmetic.convert.f32((tie + 1n) as never)).toBe(2 ** 60 + 2 ** 37);
    expect(arithmetic.convert.f32(tie as never)).toBe(2 ** 60);
    expect(arithmetic.convert.f64((2n ** 53n + 1n) as never)).toBe(2 ** 53);
  });
  test("saturates from floats, and refuses what does not fit from integers", () => {
    expect(arithmetic.convert.i32(3e9 as never)).toBe(2 ** 31 - 1);
    expect(arithmetic.convert.u8(-3.5 as never)).toBe(0);
    expect(arithmetic.convert.i64(Number.NaN as never)).toBe(0n);
    expect(() => arithmetic.round.i32((2 ** 31) as never)).toThrow("outside i32");
    expect(() => arithmetic.convert.u64(-1n as never)).toThrow("outside u64");
  });
});
