import { describe, expect, it } from "vitest";
import { registerFunction } from "../../../../src/dsl/calls/functions.ts";
import { bindTensor } from "../../../../src/dsl/memory/index.ts";
import type { Place } from "../../../../src/dsl/memory/types.ts";
import { f32 } from "../../../../src/dsl/numbers/conversions.ts";
import { namedBarrier } from "../../../../src/dsl/sync/named-barrier.ts";
import { fence, syncThreads, syncWarp } from "../../../../src/dsl/sync/synchronize.ts";
import { blockDim, gridDim, threadIdx } from "../../../../src/dsl/threads/launch-ids.ts";
import { warpgroup } from "../../../../src/dsl/threads/warpgroup.ts";
import { WGMMAMatrix } from "../../../../src/dsl/wgmma/index.ts";
import { accesses, find, names, record, tensorBase } from "../evaluate.ts";

const inner = <F extends (...a: never[]) => unknown>(f: F): F => {
  registerFunction(f, { name: "", role: "inner", params: [], span: undefined, paramSpans: [] });
  return f;
};
const idle = inner(() => {});

describe("warpgroups", () => {
  it("specialize deals them in the order written", () => {
    const trace = record(
      (t) => {
        const x = bindTensor(t, t.value("ptr.global"), { dtype: "i32", rank: 1, shape: [64], strides: [1] }, "x");
        const note = (n: number) => (x.at(n) as unknown as Place<"i32">).store(n);
        warpgroup.specialize({
          producer: { registers: 40, run: inner(() => note(1)) },
          consumer: { warpgroups: 2, registers: 208, run: inner((wg) => (x.at(8) as unknown as Place<"i32">).store(wg)) },
          store: { registers: 24, run: inner(() => note(3)) },
        });
      },
      { block: [512, 1, 1], registers: 128 },
    );
    expect([0, 130, 300, 500].map((thread) => accesses(trace, thread).map((a) => [a.address - tensorBase, a.values[0]]))).toEqual(
      [[[4, 1n]], [[32, 0n]], [[32, 1n]], [[12, 3n]]],
    );
    expect(find(trace, "setmaxnreg").map((o) => o.attrs)).toEqual([
      { count: 40, action: "dec" },
      { count: 208, action: "inc" },
      { count: 24, action: "dec" },
    ]);
    expect(find(trace, "bar.sync")).toEqual([]);
  });

  it("an accumulator that a partition shares counts from the partition", () => {
    const trace = record(
      () =>
        warpgroup.specialize({
          producer: { run: idle },
          consumer: { warpgroups: 2, run: inner(() => void WGMMAMatrix.accumulator("f32", [128, 64], { warpgroups: 2 })) },
        }),
      { block: [384, 1, 1] },
    );
    expect(find(trace, "acc.zero")).toHaveLength(1);
  });

  it("index, thread, elect, sync and registers", () => {
    const trace = record(
      () => {
        void [warpgroup.index, warpgroup.thread];
        warpgroup.elect();
        warpgroup.sync();
        warpgroup.setRegisters(40);
      },
      { block: [64, 4, 1] },
    );
    expect(find(trace, "elect.sync")).toHaveLength(1);
    expect(find(trace, "bar.sync").map((o) => o.attrs)).toEqual([{ count: 128 }]);
    expect(find(trace, "xor")).toHaveLength(1);
    expect(find(trace, "sreg").map((o) => o.attrs.reg)).toEqual(["tid.x", "tid.y"]);
  });
});

it("ids, fences and barriers", () => {
  const trace = record(() => {
    expect([blockDim.x, blockDim.y, blockDim.z]).toEqual([128, 1, 1]);
    void [threadIdx.z, gridDim.y];
    fence.proxyAsync();
    fence.proxyAsync({ space: "shared::cta" });
    fence.mbarrierInit();
    fence.acqRel("system");
    syncThreads();
    syncWarp();
    const barrier = namedBarrier(3, 64);
    barrier.arrive();
    barrier.sync();
  });
  expect(names(trace)).toEqual([
    "sreg",
    "sreg",
    "fence.proxy.async",
    "fence.proxy.async",
    "fence.mbarrier_init",
    "fence",
    "bar.sync",
    "bar.warp.sync",
    "bar.arrive",
    "bar.sync",
  ]);
  expect(find(trace, "const").map((o) => o.attrs.value)).toEqual([0, 3]);
  expect(find(trace, "bar.sync").map((o) => o.attrs)).toEqual([{ count: 0 }, { count: 64 }]);
});

it("have a meaning only in a kernel", () => {
  for (const run of [
    () => threadIdx.x,
    () => blockDim.x,
    () => warpgroup.index,
    () => syncThreads(),
    () => fence.mbarrierInit(),
  ]) {
    expect(run).toThrowError(expect.objectContaining({ code: "W2001" }));
  }
});

describe("errors", () => {
  const wrong: [string, () => unknown, number?][] = [
    ["W6501", () => warpgroup.specialize({ a: { run: idle }, b: { run: idle } }), 384],
    ["W6502", () => warpgroup.specialize({ a: { registers: 42, run: idle } })],
    ["W6502", () => warpgroup.setRegisters(264)],
    [
      "W6503",
      () => warpgroup.specialize({ a: { registers: 40, run: idle }, b: { warpgroups: 2, registers: 240, run: idle } }),
      384,
    ],
    ["W6504", () => warpgroup.specialize({ a: { warpgroups: 0, run: idle } })],
    ["W6505", () => warpgroup.specialize({ a: { run: idle } }), 96],
    ["W6505", () => warpgroup.thread, 32],
    ["W6506", () => warpgroup.specialize({ a: { run: inner(() => warpgroup.specialize({ b: { run: idle } })) } })],
    ["W6507", () => warpgroup.specialize({ a: {} as { run: () => void } })],
    ["W2034", () => warpgroup.specialize({ a: { run: () => syncThreads() === undefined && void threadIdx.x } })],
    ["W3023", () => namedBarrier(0, 128)],
    ["W3023", () => namedBarrier(1.5, 128)],
    ["W2010", () => namedBarrier(f32(threadIdx.x), 128)],
    ["W3024", () => namedBarrier(1, threadIdx.x)],
    ["W3024", () => namedBarrier(1, 100)],
    ["W3025", () => syncWarp(0)],
    ["W3025", () => fence.acqRel("grid" as "gpu")],
    ["W3025", () => fence.proxyAsync({ space: "local" as "global" })],
  ];
  it.each(wrong)("%s", (code, run, threads = 128) => {
    record(() => expect(run).toThrowError(expect.objectContaining({ code })), { block: [threads, 1, 1] });
  });
});
