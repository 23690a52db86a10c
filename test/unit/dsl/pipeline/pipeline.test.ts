import { describe, expect, it } from "vitest";
import { type ConsumerStage, Pipeline, type PipelineOptions } from "../../../../src/dsl/pipeline/index.ts";
import { type HasStructure, structure } from "../../../../src/dsl/trace/staged.ts";
import type { Trace } from "../../../../src/dsl/trace/trace.ts";
import type { Literal, Value } from "../../../../src/ir/index.ts";
import { find, names, record } from "../evaluate.ts";

/** What the barriers have to do with, in order. */
const barrierOps = (trace: Trace): string[] => names(trace).filter((n) => /^(mbarrier|mapa|fence|barrier|bar\.)/.test(n));

/** Literals among values; undefined for the others. */
function literals(trace: Trace, values: readonly (Value | undefined)[]): (Literal | undefined)[] {
  return values.map((v) => find(trace, "const").find((op) => op.results[0] === v)?.attrs.value);
}

const init = (options: PipelineOptions, sync?: boolean, launch: Parameters<typeof record>[1] = {}): Trace =>
  record(() => new Pipeline(options).init(sync === undefined ? {} : { sync }), launch);

describe("a pipeline", () => {
  it("is initialised by one thread, for its arrivals", () => {
    const trace = init({ stages: 3, producers: 5, consumers: 7 });
    expect(trace.shared.map((b) => b.bytes)).toEqual([24, 24]);
    expect(barrierOps(trace)).toEqual([...Array(6).fill("mbarrier.init"), "fence.mbarrier_init", "bar.sync"]);
    expect(
      literals(
        trace,
        find(trace, "mbarrier.init").map((op) => op.operands.count),
      ),
    ).toEqual([5, 7, 5, 7, 5, 7]);
    const [branch] = find(trace, "if");
    expect(branch?.regions[0]?.ops.filter((op) => op.name === "mbarrier.init")).toHaveLength(6);
  });

  it("counts the arrivals of all peers, and meets them cheaply", () => {
    const trace = init({ stages: 1, consumers: 2, peers: 4 }, undefined, { cluster: [2, 2, 1] });
    expect(
      literals(
        trace,
        find(trace, "mbarrier.init").map((op) => op.operands.count),
      ),
    ).toEqual([1, 8]);
    expect(barrierOps(trace).slice(-3)).toEqual(["fence.mbarrier_init", "barrier.cluster.arrive", "barrier.cluster.wait"]);
    expect(find(trace, "barrier.cluster.arrive")[0]?.attrs.order).toBe("relaxed");
  });

  it("leaves the meeting to the author who asks for it", () => {
    for (const cluster of [
      [1, 1, 1],
      [2, 1, 1],
    ] as const)
      expect(barrierOps(init({ stages: 1, peers: cluster[0] }, false, { cluster })).at(-1)).toBe("fence.mbarrier_init");
  });

  it("asks every dimension of the block for its first thread", () => {
    const read = (block: readonly [number, number, number]): string[] =>
      find(init({ stages: 1 }, true, { block }), "sreg").map((op) => op.attrs.reg);
    expect(read([128, 1, 1])).toEqual(["tid.x"]);
    expect(read([32, 2, 2])).toEqual(["tid.x", "tid.y", "tid.z"]);
  });

  it("has stages that are values", () => {
    record(() => {
      const get = new Pipeline({ stages: 3 }).consumer();
      const next = get.next();
      expect(next).not.toBe(get);
      const [before, after] = [get, next].map((s) => (s as ConsumerStage & HasStructure)[structure]);
      expect(before?.shape).toBe(after?.shape);
      expect(before?.leaves[0]).toBe(after?.leaves[0]);
      expect(before?.describe).toBe("a consumer's stage of a pipeline of 3 stages");
      const again = after?.rebuild(after.leaves) as ConsumerStage;
      expect(again.index).toEqual(next.index);
    });
  });

  it("waits for a release of every stage before it ends", () => {
    const trace = record(() => new Pipeline({ stages: 5 }).producer().next(2).drain());
    expect(barrierOps(trace)).toEqual(Array(5).fill("mbarrier.wait"));
    expect(new Set(find(trace, "mbarrier.wait").map((op) => op.operands.bar)).size).toBe(5);
  });

  it("expects bytes where a load fills it, and none where stores do", () => {
    const trace = record(() => {
      const put = new Pipeline({ stages: 2 }).producer();
      put.acquire(4096).expectTx(16);
      put.commit();
      put.commit({ pred: false });
    });
    expect(barrierOps(trace)).toEqual(["mbarrier.wait", "mbarrier.arrive.expect_tx", "mbarrier.expect_tx", "mbarrier.arrive"]);
  });

  it("tells every peer of a release, or the one that is named", () => {
    const cluster = [3, 1, 1] as const;
    const released = (peers: number, options?: { pred?: boolean; rank?: number }): string[] =>
      barrierOps(record(() => new Pipeline({ stages: 2, peers }).consumer().release(options), { cluster }));
    const remote = ["mapa", "mbarrier.arrive.remote"];
    expect(released(1)).toEqual(["mbarrier.arrive"]);
    expect(released(3)).toEqual([...remote, ...remote, ...remote]);
    expect(released(3, { rank: 2 })).toEqual(remote);
    expect(released(3, { pred: false })).toEqual([]);
  });

  it("is released where a condition holds, and by blocks that are there", () => {
    const release = (options: { pred?: boolean; rank?: number }) => () =>
      record(() => new Pipeline({ stages: 2, peers: 2 }).consumer().release(options), { cluster: [2, 1, 1] });
    expect(release({ pred: 1 as unknown as boolean })).toThrow(/W2010 {2}`pred` is a bool/);
    expect(release({ rank: 2 })).toThrow(/W5008/);
  });
});
