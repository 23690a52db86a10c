import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  apply,
  blocked,
  type Conversion,
  conversion,
  divideLeft,
  identity,
  type LinearLayout,
  linear,
  registersWithin,
  type Shape,
  slice,
  valueAt,
  wgmmaAccumulator,
  wgmmaOperand,
} from "../../../src/layout/index.ts";
import { ofProperty, rotating, some } from "../../support/amount.ts";
import { key, onto, points, shapes } from "./arbitrary.ts";

const asked = ofProperty(400, 12);
const sizeOf = (layout: LinearLayout, name: string): number =>
  2 ** (layout.inputs.find((d) => d.name === name)?.bases.length ?? 0);
const threadsOf = (layout: LinearLayout) =>
  points({ lane: sizeOf(layout, "lane"), warp: sizeOf(layout, "warp"), block: sizeOf(layout, "block") }) as {
    lane: number;
    warp: number;
    block: number;
  }[];
const at = (layout: LinearLayout, place: Shape): string =>
  key(apply(layout, Object.fromEntries(Object.entries(place).filter(([name]) => layout.inputs.some((d) => d.name === name)))));

/** Runs a plan over registers that hold the names of elements, lane by lane, as the instructions would. */
function run(plan: Conversion, source: LinearLayout, target: LinearLayout): Map<string, string> {
  const after = new Map<string, string>();
  const put = (thread: Shape, register: number, element: string): void => {
    const place = key({ ...thread, register });
    if (after.has(place)) throw new Error(`${place} is written twice`);
    after.set(place, element);
  };
  for (const thread of threadsOf(target)) {
    if (plan.kind === "rename")
      for (const r of plan.registers) put(thread, r.target, at(source, { ...thread, register: r.source }));
    if (plan.kind === "shuffle") {
      for (const round of plan.rounds) {
        const takes = round.takers.every(({ mask, parity }) => parityOf(thread.lane & mask) === parity);
        if (!takes) continue;
        const giver = { ...thread, lane: valueAt(round.from, thread) };
        if (!round.exchanges) expect(giver).toEqual(thread);
        put(thread, valueAt(round.into, thread), at(source, { ...giver, register: valueAt(round.give, giver) }));
      }
    }
  }
  return after;
}
const parityOf = (n: number): number => n.toString(2).replaceAll("0", "").length % 2;

/** Every register of the target has its element, and nothing cheaper would do. */
function checkPlan(source: LinearLayout, target: LinearLayout, shape: Shape = {}): Conversion {
  const plan = conversion(source, target, Object.keys(shape).length > 0 ? shape : undefined);
  const registers = registersWithin(target, shape);
  const [own, inWarp, renamed] = needs(source, target, registers);
  if (plan.kind === "shared") expect(inWarp).toBe(false);
  else {
    expect(inWarp).toBe(true);
    expect(plan.kind).toBe(own && renamed ? "rename" : "shuffle");
    const after = run(plan, source, target);
    const wrong = threadsOf(target).flatMap((thread) => {
      const places = registers.map((register) => ({ ...thread, register }));
      return places.filter((place) => after.get(key(place)) !== at(target, place));
    });
    expect(wrong).toEqual([]);
    if (plan.kind === "shuffle") expect(plan.rounds.some((r) => r.exchanges)).toBe(!own);
  }
  const wrong = threadsOf(target).flatMap((thread) => {
    const places = registers.map((register) => ({ register, ...thread }));
    return places.filter((place) => at(source, apply(plan.from, place)) !== at(target, place));
  });
  expect(wrong).toEqual([]);
  return plan;
}

/** By looking at all places: does each thread have what it needs, each warp, and all threads in the same register? */
function needs(source: LinearLayout, target: LinearLayout, registers: readonly number[]): [boolean, boolean, boolean] {
  const [byThread, byWarp] = [new Map<string, Map<string, number[]>>(), new Map<string, Set<string>>()];
  for (const { lane, warp, block } of threadsOf(source)) {
    const elements = new Map<string, number[]>();
    for (let register = 0; register < sizeOf(source, "register"); register++) {
      const element = at(source, { register, lane, warp, block });
      elements.set(element, [...(elements.get(element) ?? []), register]);
    }
    byThread.set(key({ lane, warp, block }), elements);
    const held = byWarp.get(key({ warp, block })) ?? new Set();
    for (const element of elements.keys()) held.add(element);
    byWarp.set(key({ warp, block }), held);
  }
  let [own, inWarp, renamed] = [true, true, true];
  for (const register of registers) {
    let same: readonly number[] | undefined;
    for (const { lane, warp, block } of threadsOf(target)) {
      const element = at(target, { register, lane, warp, block });
      const mine = byThread.get(key({ lane, warp, block }))?.get(element);
      own &&= mine !== undefined;
      inWarp &&= byWarp.get(key({ warp, block }))?.has(element) ?? false;
      same = same === undefined ? mine : same.filter((r) => mine?.includes(r));
    }
    renamed &&= (same?.length ?? 0) > 0;
  }
  return [own, inWarp, renamed];
}

describe("a conversion", () => {
  const pairs = (inputs: Shape, more: Shape) =>
    fc.tuple(shapes(more), shapes(more)).chain(([a, b]) => {
      const elements = { row: 4, col: 8 };
      return fc.tuple(onto({ ...a, ...inputs }, elements), onto({ ...b, ...inputs }, elements));
    });
  // Registers extra: duplicates in any of the dimensions.
  const wide = (name: string, n: number) => ({ [name]: n });

  it("between layouts of one warp gives every register its element, at the least cost", () => {
    const any = fc
      .tuple(fc.constantFrom(4, 8), fc.constantFrom(4, 8, 16))
      .chain(([lane, register]) =>
        lane * register < 32
          ? fc.constant(undefined)
          : fc.tuple(onto({ register, lane }, { row: 4, col: 8 }), onto({ register, lane }, { row: 4, col: 8 })),
      );
    fc.assert(
      fc.property(any, (pair) => void (pair && checkPlan(pair[0], pair[1]))),
      asked,
    );
  });

  it("between layouts with other numbers of registers", () => {
    const any = fc
      .tuple(fc.constantFrom(8, 16), fc.constantFrom(8, 16))
      .chain(([a, b]) =>
        fc.tuple(
          onto({ register: a, lane: 4, warp: 2 }, { row: 4, col: 8 }),
          onto({ register: b, lane: 4, warp: 2 }, { row: 4, col: 8 }),
        ),
      );
    fc.assert(
      fc.property(any, ([a, b]) => void checkPlan(a, b)),
      asked,
    );
  });

  it("between layouts that differ within warps alone", () => {
    const warp = (elements: LinearLayout, bases: readonly (readonly number[])[]): LinearLayout => ({
      inputs: [...elements.inputs, { name: "warp", bases }],
      outputs: elements.outputs,
    });
    // Which rows a warp has is the same; how they are held is not.
    const one = (register: number) => onto({ register, lane: 8 }, { row: 4, col: 8 });
    const any = fc
      .tuple(fc.constantFrom(4, 8), fc.constantFrom(4, 8), fc.nat(3), fc.nat(7))
      .chain(([a, b, row, col]) => fc.tuple(one(a), one(b), fc.constant([[row, col]])));
    fc.assert(
      fc.property(any, ([a, b, bases]) => void checkPlan(warp(a, bases), warp(b, bases))),
      asked,
    );
  });

  it("where one warp has duplicates that the other has not", () => {
    // The source repeats all in each warp; the target parts it.
    const any = fc.tuple(
      onto({ register: 8, lane: 4 }, { row: 4, col: 8 }),
      onto({ register: 4, lane: 4, warp: 2 }, { row: 4, col: 8 }),
    );
    const repeat = (layout: LinearLayout): LinearLayout => ({
      inputs: [...layout.inputs, { name: "warp", bases: [[0, 0]] }],
      outputs: layout.outputs,
    });
    fc.assert(
      fc.property(any, ([a, b]) => void checkPlan(repeat(a), b)),
      asked,
    );
  });

  it("of blocks of a cluster", () => {
    const any = pairs({ block: 2, lane: 4, ...wide("register", 8) }, { warp: 0 });
    fc.assert(
      fc.property(any, ([a, b]) => {
        const plan = checkPlan(a, b);
        if (plan.kind === "shared") expect(plan.across).toBe("blocks");
      }),
      asked,
    );
  });
});

describe("conversions that kernels need", () => {
  it("an accumulator is the left operand of the next product", () => {
    for (const cols of some([16, 48, 64, 240], 2)) {
      const shape = { row: 64, col: cols };
      const plan = checkPlan(wgmmaAccumulator({ cols }), wgmmaOperand({ bits: 16, k: cols }), shape);
      expect(plan.kind).toBe("rename");
      if (plan.kind === "rename") expect(plan.registers.every((r) => r.source === r.target)).toBe(true);
    }
  });

  it("of 8 bits takes shuffles: two of four columns are with the neighbour", rotating, () => {
    const plan = checkPlan(wgmmaAccumulator({ cols: 32 }), wgmmaOperand({ bits: 8, k: 32 }));
    expect(plan.kind).toBe("shuffle");
    if (plan.kind === "shuffle") expect(plan.rounds).toHaveLength(16);
  });

  it("of 8 bits takes half as many where pairs of columns stand in one word", () => {
    const pair = identity(2, "register", "col");
    const [source, target] = [wgmmaAccumulator({ cols: 32 }), wgmmaOperand({ bits: 8 })].map((layout) =>
      divideLeft(layout, pair),
    );
    const plan = source && target && checkPlan(source, target);
    expect(plan?.kind === "shuffle" && plan.rounds).toHaveLength(8);
  });

  it("rows of a blocked layout are in other warps than those of wgmma", rotating, () => {
    const rows = blocked({ perThread: { row: 1, col: 8 }, threads: { row: 4, col: 8 }, warps: { row: 4, col: 1 } });
    const target = wgmmaAccumulator({ cols: 64 });
    const whole = blocked({ perThread: { row: 4, col: 8 }, threads: { row: 4, col: 8 }, warps: { row: 4, col: 1 } });
    expect(checkPlan(whole, target).kind).toBe("shuffle");
    expect(() => conversion(rows, target)).toThrow("The layouts are not of the same elements.");
    const other = blocked({
      perThread: { row: 4, col: 8 },
      threads: { row: 4, col: 8 },
      warps: { row: 4, col: 1 },
      order: ["row", "col"],
    });
    expect(checkPlan(other, target).kind).toBe("shuffle");
    const turned = blocked({ perThread: { row: 8, col: 4 }, threads: { row: 8, col: 4 }, warps: { row: 1, col: 4 } });
    const plan = checkPlan(turned, target);
    expect(plan).toMatchObject({ kind: "shared", across: "warps", elements: 64 * 64 });
  });

  it("sums of rows, which four lanes have, broadcast without any", () => {
    const sums = slice(wgmmaAccumulator({ cols: 64 }), "col");
    expect(checkPlan(sums, sums).kind).toBe("rename");
  });

  it("refuses layouts of other threads and of fewer elements", () => {
    const [lane, register] = [linear({ lane: [[1]] }, { row: 2 }), linear({ register: [[1]] }, { row: 2 })];
    expect(() => conversion(lane, register)).toThrow("One layout has 2 of lane, the other 1.");
    expect(() => conversion(linear({ lane: [[0]] }, { row: 2 }), lane)).toThrow("does not hold every element of the target.");
    expect(() => conversion(linear({ offset: [[1]] }, { row: 2 }), lane)).toThrow("A layout of registers has no offset.");
  });
});
