import { describe, expect, it } from "vitest";
import * as warpsmith from "warpsmith";
import { own } from "../../../../src/dsl/trace/staged.ts";
import { opSpec } from "../../../../src/ir/ops/index.ts";
import { parseGraph } from "../../../../src/ir/parse.ts";
import { walkOps } from "../../../../src/ir/walk.ts";
import { runModule } from "../../../dsl/trace-source.ts";
import { rotating } from "../../../support/amount.ts";

/**
 * Every call below stands once as a statement of its own and once where its value is kept. A statement that discards the value is W2044 just
 * where no op of the kept call does anything beside its result, as the op table says, or where the value is a product or a tile.
 */
const before = `
  const t = threadIdx.x, v = f32(t), p = t > 3;
  const view = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" }), words = sharedMemory.alloc("i32", [32]);
  const bars = new Mbarriers(2), bar = bars.at(0), named = namedBarrier(1, 128);
  const pipe = new Pipeline({ stages: 2, producers: 32, consumers: 32 }), put = pipe.producer(), get = pipe.consumer();
  const A = WGMMAMatrix.descriptor(view, [64, 64]);
  let D = WGMMAMatrix.accumulator("f32", [64, 64]);
  const u = tile.full([64, 64], 0), small = x.subview([0, 0], [16, 16]), place = y.at(t);
  const left = WMMAMatrix.load("a", small), right = WMMAMatrix.load("b", small), C = WMMAMatrix.accumulator("f32", [16, 16, 16]);`;

const calls = {
  numbers: ["f32(t)", "bool(t)", "bitcast('i32', v)", "cdiv(t, 4)", "cdiv(8, 4)", "fma(v, v, v)"],
  math: ["Math.max(v, 0)", "Math.exp(v)", "Math.trunc(v / 2)", "fast.exp(v)", "bits.popcount(t)"],
  views: [
    "x.at(1)",
    "x.at(1, t)",
    "x.subview([0, 0], [4, 4])",
    "x.transpose()",
    "x.reshape(4096)",
    "view.at(3)",
    "view.transpose()",
  ],
  shared: ["view.reinterpret('u8', [64, 128])", "sharedMemory.alloc('f32', [4])", "words.reshape(4, 8)", "cluster.map(words, 0)"],
  places: [
    "place.load()",
    "place.store(1)",
    "place.atomic('add', 1)",
    "place.reduce('add', 1)",
    "place.compareAndSwap(0, 1)",
    "place.prefetch()",
  ],
  ordered: ["place.loadAcquire('gpu')", "place.storeRelease(1, 'gpu')"],
  barriers: [
    "new Mbarriers(2)",
    "bars.at(1)",
    "bar.init(1)",
    "bar.arrive()",
    "bar.expectTx(64)",
    "bar.wait(false)",
    "bar.tryWait(false)",
    "bar.testWait(p)",
  ],
  threads: ["syncThreads()", "syncWarp()", "named.sync()", "namedBarrier(2, 64)", "cluster.sync()", "fence.mbarrierInit()"],
  groups: ["warp.ballot(p)", "warp.shuffle(v, 0)", "warp.sum(v)", "warpgroup.elect()", "block.max(v)"],
  stages: [
    "pipe.init()",
    "pipe.producer()",
    "put.next()",
    "put.next(2)",
    "put.wait()",
    "put.acquire(64)",
    "put.commit()",
    "get.next()",
    "get.release()",
  ],
  copies: [
    "m.load(view, bar, [0, 0])",
    "m.prefetch()",
    "m.store(view, [0, 0])",
    "tma.commit()",
    "tma.wait(0)",
    "asyncCopy.commit()",
    "asyncCopy.wait(0)",
  ],
  products: [
    "D.mma(A, A)",
    "D.map((e) => e * 2)",
    "D.convert('f16')",
    "D.store(z)",
    "wgmma.fence()",
    "wgmma.commit()",
    "wgmma.wait(0)",
  ],
  operands: [
    "WGMMAMatrix.descriptor(view, [64, 64])",
    "WGMMAMatrix.accumulator('f32', [64, 64])",
    "WGMMAMatrix.fromRegisters(D.convert('f16'))",
  ],
  fragments: ["WMMAMatrix.load('a', small)", "C.mma(left, right)", "C.map((e) => e * 2)"],
  tiles: [
    "tile.full([64, 64], 0)",
    "tile.sum(u, 0)",
    "tile.transpose(u)",
    "tile.info(u)",
    "view.load()",
    "x.loadTile([0, 0], [64, 64])",
    "z.storeTile([0, 0], u)",
  ],
  host: [
    "range(4)",
    "new BlockedLayout({ perThread: [1, 4], threads: [4, 8], warps: [4, 1] })",
    "new TileScheduler([4, 4])",
    "assert(p, 'p')",
    "assume(p)",
  ],
} as const;

const specs = [warpsmith.tensorSpec("f16", [64, 64]), warpsmith.tensorSpec("f32", [64, 64])];
const arguments_ = [
  ...[...specs, warpsmith.tensorSpec("i32", [128])],
  new warpsmith.TMA(warpsmith.tensorSpec("f16", [64, 64]), { box: [64, 64], swizzle: "128B" }),
];

/** The graph as it is traced: how many of its ops have an effect, and what was kept. */
function traced(statement: string): { readonly effects: number; readonly kept: unknown } {
  const values: unknown[] = [];
  const keep = own((value: unknown): void => {
    values.push(value);
  });
  const text = `import { kernel, type Tensor, type TMA } from "warpsmith";
export const f = kernel({ block: 128, cluster: 2 }, function f(x: Tensor<"f16", 2>, z: Tensor<"f32", 2>, y: Tensor<"i32", 1>, m: TMA<"f16", 2>) {${before}
  ${statement}
});`;
  const { f } = runModule(text, { ...warpsmith, keep }, ["f"]) as unknown as { f: warpsmith.Kernel<readonly unknown[]> };
  let effects = 0;
  walkOps(parseGraph(f.trace(...arguments_).toString()).body, ({ name }) => {
    const { effects: own, result } = opSpec(name);
    // What threads tell each other, or a barrier tells them, is the result.
    if (own.some((effect) => result === undefined || (effect !== "sync" && effect !== "read.barrier"))) effects++;
  });
  return { effects, kept: values.at(-1) };
}

const codeOf = (statement: string): string => {
  try {
    traced(statement);
    return "none";
  } catch (error) {
    if (error instanceof warpsmith.WarpsmithError) return error.code;
    throw error;
  }
};

const isKept = /^(D|C)\.(mma|map|convert)|^tile\.(full|sum|transpose)|^view\.load|loadTile|^WMMAMatrix|^WGMMAMatrix\.accumulator/;
const without = traced("");

describe("a statement that discards", () => {
  const check = (_: string, texts: readonly string[]): void => {
    const found = texts.map((text) => [text, codeOf(`${text};`)]);
    const expected = texts.map((text) => {
      const { effects, kept } = traced(`keep(${text});`);
      return [text, kept !== undefined && (effects === without.effects || isKept.test(text)) ? "W2044" : "none"];
    });
    expect(found).toEqual(expected);
  };
  const isFirst = (_: unknown, i: number): boolean => i % 8 === 0;
  it.each(Object.entries(calls).filter(isFirst))("%s", check);
  it.each(Object.entries(calls).filter((one, i) => !isFirst(one, i)))("%s", rotating, check);

  it("an operator's value", () => {
    const texts = ["v + 1", "-v", "t === 3", "!p", "~t", "v > 1"];
    expect(texts.map((text) => codeOf(`${text};`))).toEqual(texts.map(() => "W2044"));
  });

  it.each([
    "void put.next()",
    "p && bar.arrive()",
    "p ? bar.arrive() : bar.init(1)",
    "[1, 2].map((e) => e + t)",
    "new Map()",
    "[v].pop()",
    "new Set([1]).add(2)",
    "D.shape",
    "expr(t)",
    "t",
    "D = D.mma(A, A), wgmma.wait(0)",
    "when(p, () => bar.arrive())",
  ])("nothing of what has another effect: %s", (text) => {
    expect(codeOf(`${text};`)).toBe("none");
  });

  it.each(["p && put.next()", "p ? put.next() : put.next(2)", "put.next(), get.next()", "(put.next())", "put\n    .next()"])(
    "the value of a part: %s",
    (text) => {
      expect(codeOf(`${text};`)).toBe("W2044");
    },
  );

  it("in the update of a loop", () => {
    expect(codeOf("for (let i = 0; i < 2; put.next()) i++;")).toBe("W2044");
  });

  it("of a helper that has an effect, or that the author may have written for one", () => {
    const used = "const store = helper((a: number) => { place.store(a); return put.next(); }); store(t);";
    expect(codeOf(used)).toBe("none");
    expect(codeOf("const doubled = helper((a: number) => a * 2); doubled(t);")).toBe("none");
  });
});
