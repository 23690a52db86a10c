import { describe, expect, it } from "vitest";
import type { DType } from "../../../../src/base/types.ts";
import { registerFunction } from "../../../../src/dsl/calls/functions.ts";
import { sharedMemory } from "../../../../src/dsl/memory/index.ts";
import type { SharedView } from "../../../../src/dsl/memory/types.ts";
import { convertTo } from "../../../../src/dsl/numbers/convert.ts";
import { threadIdx } from "../../../../src/dsl/threads/launch-ids.ts";
import { structure } from "../../../../src/dsl/trace/staged.ts";
import { AccumulatorObject } from "../../../../src/dsl/wgmma/accumulator.ts";
import { type Accumulator, type Operand, WGMMAMatrix, wgmma } from "../../../../src/dsl/wgmma/index.ts";
import { expansionError, find, names, record } from "../evaluate.ts";

const A = (dtype: DType = "f16", m = 128, k = 64): Operand =>
  WGMMAMatrix.descriptor(sharedMemory.alloc(dtype, [m, k], { swizzle: "64B" }), [m, k]);
/** [K, N] as the transposition of [N, K]: K-major. */
const B = (dtype: DType = "f16", k = 64, n = 128): Operand =>
  WGMMAMatrix.descriptor(sharedMemory.alloc(dtype, [n, k], { swizzle: "64B" }).transpose(), [k, n]);
const D = (dtype: "f32" | "f16" | "i32" = "f32", m = 128, n = 128) => WGMMAMatrix.accumulator(dtype, [m, n]);
/** A callback as the transform marks it. */
const inner = <F extends (...a: never[]) => unknown>(f: F): F => {
  registerFunction(f, { name: "", role: "inner", params: [], span: undefined, paramSpans: [] });
  return f;
};

describe("products", () => {
  const types: [DType, DType, "f32" | "f16" | "i32", number][] = [
    ["f16", "f16", "f32", 16],
    ["f16", "f16", "f16", 16],
    ["bf16", "bf16", "f32", 16],
    ["tf32", "tf32", "f32", 8],
    ["e4m3", "e5m2", "f32", 32],
    ["e5m2", "e4m3", "f16", 32],
    ["i8", "u8", "i32", 32],
    ["u8", "u8", "i32", 32],
  ];
  it.each(types)("%s by %s into %s", (a, b, d, step) => {
    const trace = record(() => D(d).mma(A(a), B(b)));
    const [op] = find(trace, "wgmma.mma_async");
    expect(op?.attrs).toMatchObject({ aType: a, bType: b, k: 64, aMajor: "k", bMajor: "k" });
    expect([op?.attrs.aKSteps.length, op?.attrs.bKSteps.length]).toEqual([64 / step, 64 / step]);
  });

  it("fence, issue, commit and wait", () => {
    const trace = record(() => {
      D().mma(A(), B(), { accumulate: false, wait: 1, negate: "A" });
      wgmma.fence();
      wgmma.commit();
      wgmma.wait(0);
    });
    expect(names(trace).filter((n) => n.startsWith("wgmma") && n !== "wgmma.descriptor")).toEqual([
      "wgmma.fence",
      "wgmma.mma_async",
      "wgmma.commit_group",
      "wgmma.wait_group",
      "wgmma.fence",
      "wgmma.commit_group",
      "wgmma.wait_group",
    ]);
    const [op] = find(trace, "wgmma.mma_async");
    expect([op?.operands.accumulate?.type, op?.attrs.negateA, op?.attrs.negateB]).toEqual(["pred", true, false]);
  });

  it("advance one descriptor to a stage", () => {
    const trace = record(() => {
      const a = WGMMAMatrix.descriptor(sharedMemory.alloc("f16", [4, 128, 64], { swizzle: "128B" }), [128, 64]);
      const b = WGMMAMatrix.descriptor(sharedMemory.alloc("f16", [4, 64, 128], { swizzle: "128B" }), [64, 128]);
      D().mma(a.at(threadIdx.x), b.at(3));
    });
    expect(find(trace, "wgmma.advance")).toHaveLength(2);
    const shifts = find(trace, "shl").map((s) => find(trace, "const").find((c) => c.results[0] === s.operands.by)?.attrs.value);
    expect(shifts).toContain(10);
    expect(find(trace, "const").map((c) => c.attrs.value)).toContain(3 * 1024);
    expect(find(trace, "wgmma.mma_async")[0]?.attrs).toMatchObject({ bMajor: "mn", bKSteps: [0, 128, 256, 384] });
  });

  it("share rows over warpgroups", () => {
    const trace = record(() => WGMMAMatrix.accumulator("f32", [128, 128], { warpgroups: 2 }).mma(A(), B()), {
      block: [256, 1, 1],
    });
    expect(find(trace, "acc.zero")[0]?.results[0]?.type).toEqual({ kind: "acc", dtype: "f32", rows: 64, cols: 128 });
    expect(find(trace, "wgmma.advance")).toHaveLength(1);
  });

  it("take A from registers", () => {
    const trace = record(() =>
      D("f32", 128, 64).mma(WGMMAMatrix.fromRegisters(D("f32", 128, 32).convert("f16")), B("f16", 32, 64)),
    );
    const [op] = find(trace, "wgmma.mma_async.rs");
    expect([op?.operands.a.length, op?.attrs.k]).toEqual([16, 32]);
  });
});

describe("tiles of elements", () => {
  it("map gives the row and column, and takes the type of what comes back", () => {
    const seen: unknown[][] = [];
    record(() => {
      const halved = D("f32", 64, 16).map(
        inner((v: number, row: number, col: number) => {
          seen.push([v, row, col]);
          return convertTo("f16", v) as unknown as number;
        }),
      );
      expect([halved.dtype, halved.shape]).toEqual(["f16", [64, 16]]);
    });
    expect(seen).toHaveLength(1);
  });
  it("map refuses a function that has not been through the transform", () => {
    record(() => expect(() => D("f32", 64, 8).map((v) => v)).toThrowError(expect.objectContaining({ code: "W2034" })));
  });
  it("scale, columns, convert", () => {
    const trace = record(() => {
      const part = D("f32", 64, 128).scale(0.5).columns(32, 16);
      expect(part.shape).toEqual([64, 16]);
      const bytes = part.convert("e4m3");
      expect([bytes.dtype, bytes.shape]).toEqual(["e4m3", [64, 16]]);
      part.mma(A("f16", 64, 64), B("f16", 64, 16));
    });
    expect(find(trace, "mul")).toHaveLength(64);
    expect(find(trace, "convert").filter((c) => c.results[0]?.type === "e4m3")).toHaveLength(8);
    expect(find(trace, "acc.pack")[0]?.operands.values).toHaveLength(8);
  });
  it("are structures: an accumulator is one leaf", () => {
    record(() => {
      const [d, e] = [D() as unknown as AccumulatorObject, D().scale(2) as unknown as AccumulatorObject];
      expect(d[structure].leaves).toHaveLength(1);
      expect(e[structure].leaves).toHaveLength(1);
      expect(d[structure].shape).toBe(e[structure].shape);
      expect(d[structure].rebuild(e[structure].leaves)).toBeInstanceOf(AccumulatorObject);
    });
  });
});

describe("errors", () => {
  const swizzled = (dtype: DType, shape: readonly number[], swizzle: "32B" | "64B" | "128B" = "128B"): SharedView =>
    sharedMemory.alloc(dtype, shape, { swizzle });
  const wrong: [string, () => unknown][] = [
    ["W6101", () => WGMMAMatrix.descriptor(swizzled("f16", [128, 64]), [64, 128])],
    ["W6102", () => WGMMAMatrix.descriptor(swizzled("f32", [128, 32]), [128, 32])],
    ["W6103", () => D("f32", 128, 128).mma(A("e4m3", 128, 64), WGMMAMatrix.descriptor(swizzled("e4m3", [64, 128]), [64, 128]))],
    ["W6105", () => D().mma(WGMMAMatrix.descriptor(swizzled("f16", [2, 128, 64]), [128, 64]), B())],
    ["W6106", () => D().mma(WGMMAMatrix.descriptor(sharedMemory.alloc("f16", [128, 64]), [128, 64]), B())],
    ["W6107", () => D("f32", 64, 128).mma(WGMMAMatrix.descriptor(swizzled("f16", [64, 64]), [64, 64], { major: "mn" }), B())],
    ["W6109", () => WGMMAMatrix.descriptor(swizzled("f16", [2, 128, 64]), [128, 64]).at(2)],
    ["W6110", () => D("f32", 96, 128)],
    ["W6110", () => WGMMAMatrix.accumulator("f32", [64, 64], { warpgroups: 2 })],
    ["W6111", () => D("f32", 64, 12)],
    ["W6111", () => D("f32", 64, 264)],
    ["W6111", () => D("i32", 64, 40)],
    ["W6112", () => D("f32", 128, 64).mma(A(), B())],
    ["W6112", () => D().mma(A("f16", 128, 32), B())],
    ["W6113", () => D("f32").mma(A("f16"), B("bf16"))],
    ["W6113", () => D("f16").mma(A("bf16"), B("bf16"))],
    ["W6113", () => D("f32").mma(A("i8"), B("i8"))],
    ["W6114", () => D().mma(sharedMemory.alloc("f16", [8]) as unknown as Operand, B())],
    ["W6115", () => WGMMAMatrix.accumulator("bf16" as "f16", [64, 64])],
    ["W6116", () => WGMMAMatrix.accumulator("f32", [128, 64], { warpgroups: 2 })],
    ["W6117", () => D().columns(4, 8)],
    ["W6117", () => D().columns(120, 16)],
    ["W6118", () => D().store(sharedMemory.alloc("f16", [128, 128]))],
    ["W6119", () => D().store(sharedMemory.alloc("f32", [128, 64]))],
    ["W6120", () => D().convert("bf16").mma(A(), B())],
    ["W6121", () => D("i32").mma(A("i8"), B("i8"), { negate: "A" })],
    ["W6123", () => WGMMAMatrix.fromRegisters(D())],
    ["W6124", () => D("f32", 128, 128).mma(A(), WGMMAMatrix.fromRegisters(D("f32", 64, 128).convert("f16")))],
    ["W4510", () => D().mma(A(), B(), { wait: -1 })],
  ];
  it.each(wrong)("%s", (code, run) => {
    record(() => expect(run).toThrowError(expect.objectContaining({ code })));
  });
  it.each([
    [
      "begins in row 4 of a pattern",
      () => WGMMAMatrix.descriptor(swizzled("f16", [128, 64]).subview([4, 0], [64, 64]), [64, 64]),
    ],
    ["has stages of half a pattern", () => WGMMAMatrix.descriptor(swizzled("f16", [2, 4, 64]), [4, 64])],
  ])("W6108, where it was written: an operand %s", (_, run) => {
    expect(expansionError(run)).toBe("W6108");
  });
  it("W6122", () => {
    record(() => expect(() => D()).toThrowError(expect.objectContaining({ code: "W6122" })), { block: [96, 1, 1] });
  });
  it("W6104", () => {
    const odd = () => WGMMAMatrix.descriptor(swizzled("f16", [64, 64]).subview([0, 0], [64, 24]), [64, 24]);
    record(() => expect(() => D("f32", 64, 128).mma(odd(), oddB())).toThrowError(expect.objectContaining({ code: "W6104" })));
  });
  const oddB = () => WGMMAMatrix.descriptor(swizzled("f16", [128, 64]).subview([0, 0], [128, 24]).transpose(), [24, 128]);
});

it("D is a value: what nobody keeps is lost", () => {
  record(() => {
    const d: Accumulator = D();
    const e = d.mma(A(), B());
    expect(e).not.toBe(d);
  });
});
