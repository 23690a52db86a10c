import { describe, expect, it } from "vitest";
import type { DType } from "../../../../src/base/types.ts";
import { bindTensor, sharedMemory } from "../../../../src/dsl/memory/index.ts";
import type { SharedView, Tensor } from "../../../../src/dsl/memory/types.ts";
import { Mbarriers } from "../../../../src/dsl/sync/index.ts";
import { blockIdx, threadIdx } from "../../../../src/dsl/threads/launch-ids.ts";
import { bindTMA, TMA, type TMAOptions, tma } from "../../../../src/dsl/tma/index.ts";
import type { Trace } from "../../../../src/dsl/trace/trace.ts";
import { accesses, bufferBase, expansionError, find, names, record } from "../evaluate.ts";

const spec = (dtype: DType, shape: readonly number[]) => ({
  dtype,
  rank: shape.length,
  shape,
  strides: shape.map((_, i) => shape.slice(i + 1).reduce((n, s) => n * s, 1)),
});
const map = (trace: Trace, dtype: DType, shape: readonly number[], options: TMAOptions): TMA =>
  bindTMA(trace.value("tensormap"), new TMA(spec(dtype, shape), options), "a");
const bar = () => new Mbarriers(1).at(0);

describe("on the host", () => {
  it("says what a box is", () => {
    const a = new TMA({ dtype: "f16", rank: 2, shape: [512, 1024], strides: [1024, 1] }, { box: [128, 64], swizzle: "128B" });
    expect([a.dtype, a.shape, a.box, a.swizzle, a.bytes]).toEqual(["f16", [512, 1024], [128, 64], "128B", 16384]);
    expect(a.map).toMatchObject({ mode: "tiled", dims: [1024, 512], strides: [2048], box: [64, 128] });
    expect(a.key).toBe(new TMA(spec("f16", [512, 1024]), { box: [128, 64], swizzle: "128B" }).key);
    expect(a.key).not.toBe(new TMA(spec("f16", [512, 1024]), { box: [64, 64], swizzle: "128B" }).key);
  });
  it("counts strided boxes and im2col boxes", () => {
    expect(new TMA(spec("f32", [64, 64]), { box: [9, 16], elementStrides: [2, 1] }).bytes).toBe(5 * 16 * 4);
    const conv = TMA.im2col(spec("f16", [4, 16, 16, 64]), {
      lower: [-1, -1],
      upper: [-1, -1],
      channels: 64,
      pixels: 128,
      swizzle: "128B",
    });
    expect([conv.bytes, conv.box]).toEqual([64 * 128 * 2, [128, 1, 1, 64]]);
  });
  it("refuses what the hardware refuses", () => {
    const code = (run: () => unknown) => {
      try {
        run();
      } catch (e) {
        return (e as { code: string }).code;
      }
      return "none";
    };
    expect(code(() => new TMA(spec("f16", [512, 1024]), { box: [128, 128], swizzle: "128B" }))).toBe("W4010");
    expect(code(() => new TMA(spec("f16", [512, 1024]), { box: [512, 64] }))).toBe("W4008");
    expect(code(() => new TMA(spec("f16", [512, 1023]), { box: [64, 64] }))).toBe("W4005");
    expect(code(() => new TMA(spec("f16", [512, 1024]), { box: [64] }))).toBe("W4002");
  });
});

describe("transfers", () => {
  it("move a view box by box: panels of a swizzled tile", () => {
    const trace = record((t) => {
      const tiles = sharedMemory.alloc("f16", [2, 64, 128], { swizzle: "128B" });
      map(t, "f16", [64, 256], { box: [64, 64], swizzle: "128B" }).load(tiles.at(threadIdx.x), bar(), [threadIdx.x, 5]);
    });
    expect(accesses(trace, 1).map((a) => [a.address - bufferBase(0), ...a.values])).toEqual([
      [16384, 1n, 5n],
      [16384 + 8192, 65n, 5n],
    ]);
  });
  it("move the beginning of a panel, whose rows lie as far apart as those of a whole one", () => {
    const trace = record((t) => {
      const panels = sharedMemory.alloc("f16", [2, 64, 192], { swizzle: "128B" });
      map(t, "f16", [64, 256], { box: [64, 16], swizzle: "128B" }).load(panels.at(1).subview([0, 128], [64, 16]), bar(), [8, 5]);
    });
    expect(accesses(trace, 0).map((a) => [a.address - bufferBase(0), ...a.values])).toEqual([[24576 + 16384, 8n, 5n]]);
    const code = (view: (tile: SharedView<"f16", 2>) => SharedView, box: readonly [number, number]) => () =>
      record((t) => {
        const tile = sharedMemory.alloc("f16", [16, 64], { swizzle: "128B" });
        map(t, "f16", [64, 256], { box, swizzle: "128B" }).load(view(tile), bar(), [0, 0]);
      });
    const error = (code: string) => expect.objectContaining({ code });
    // dense rows of 64 bytes, which TMA does not write
    expect(code((tile) => tile.reshape(32, 32), [32, 32])).toThrowError(error("W4506"));
    // not where a panel begins
    expect(code((tile) => tile.subview([0, 16], [16, 16]), [16, 16])).toThrowError(error("W4507"));
  });
  it("move stages and rows, outermost first, with coordinates innermost first", () => {
    const trace = record((t) => {
      const q = sharedMemory.alloc("f16", [2, 64, 128], { swizzle: "128B" }).reshape(128, 128);
      map(t, "f16", [8, 512, 128], { box: [1, 64, 64], swizzle: "128B" }).load(q, bar(), [0, 100, blockIdx.y]);
    });
    expect(accesses(trace, 0).map((a) => [a.address - bufferBase(0), ...a.values])).toEqual([
      [0, 0n, 100n, 0n],
      [8192, 64n, 100n, 0n],
      [16384, 0n, 164n, 0n],
      [24576, 64n, 164n, 0n],
    ]);
  });
  it("carry predicates, masks and hints", () => {
    const trace = record(
      (t) => {
        const a = map(t, "f32", [64, 32], { box: [8, 32] });
        const tile = sharedMemory.alloc("f32", [8, 32], { align: 128 });
        a.prefetch();
        a.prefetchBox([8, 40]);
        a.prefetchBox([0, 0], { pred: false });
        a.load(tile, bar(), [0, 0], { multicast: 0b11, cacheHint: "evictFirst", pred: true });
        a.load(tile, bar(), [0, 0], { pred: false });
        a.store(tile, [0, 0]);
        a.reduce("add", tile, [0, 0]);
        tma.commit();
        tma.wait(1, { read: true });
      },
      { cluster: [2, 1, 1] },
    );
    const [load] = find(trace, "tma.load");
    expect([load?.attrs.cacheHint, load?.operands.multicast?.type, load?.operands.pred]).toEqual([
      "evictFirst",
      "u16",
      undefined,
    ]);
    expect(names(trace).filter((n) => !n.startsWith("shared"))).toEqual([
      "prefetch.tensormap",
      "tma.prefetch",
      "tma.load",
      "tma.store",
      "tma.reduce",
      "bulk.commit_group",
      "bulk.wait_group",
    ]);
    expect(find(trace, "bulk.wait_group")[0]?.attrs).toEqual({ pending: 1, read: true });
  });
  it("im2col gives the offsets in the window", () => {
    const trace = record((t) => {
      const a = bindTMA(
        t.value("tensormap"),
        TMA.im2col(spec("f16", [4, 16, 16, 64]), { lower: [-1, -1], upper: [-1, -1], channels: 64, pixels: 32, swizzle: "128B" }),
        "a",
      );
      a.prefetchBox([0, 0, 0, 0], { offsets: [2, 1] });
      a.load(sharedMemory.alloc("f16", [32, 64], { swizzle: "128B" }), bar(), [0, 0, 0, 0], { offsets: [2, 1] });
    });
    expect(find(trace, "tma.prefetch")[0]?.operands.offsets.map((o) => o.type)).toEqual(["u16", "u16"]);
    expect(find(trace, "tma.load")[0]?.operands.offsets.map((o) => o.type)).toEqual(["u16", "u16"]);
  });
  it("bulk copies", () => {
    const trace = record((t) => {
      const x = bindTensor(t, t.value("ptr.global"), { dtype: "f32", rank: 2, shape: [8, 64], strides: [64, 1] }, "x");
      tma.bulkLoad(sharedMemory.alloc("f32", [64]), x.at(3) as Tensor<"f32", 1>, bar());
    });
    expect(find(trace, "bulk.load")).toHaveLength(1);
  });
});

describe("errors", () => {
  const swizzled = { box: [64, 64], swizzle: "128B" } as const;
  const plain = { box: [8, 32] } as const;
  const wrong: [string, (t: Trace) => unknown][] = [
    ["W4502", () => new TMA(spec("f16", [64, 64]), swizzled).prefetch()],
    ["W4502", () => new TMA(spec("f16", [64, 64]), swizzled).prefetchBox([0, 0])],
    [
      "W4503",
      (t) => map(t, "f16", [64, 64], swizzled).load(sharedMemory.alloc("bf16", [64, 64], { swizzle: "128B" }), bar(), [0, 0]),
    ],
    ["W4504", (t) => map(t, "f16", [64, 64], swizzled).load(sharedMemory.alloc("f16", [64, 64], { align: 1024 }), bar(), [0, 0])],
    ["W4508", (t) => map(t, "f32", [64, 64], plain).load(sharedMemory.alloc("f32", [8, 32], { align: 128 }), bar(), [0])],
    [
      "W4509",
      (t) =>
        map(t, "f32", [64, 64], plain).load(sharedMemory.alloc("f32", [8, 32], { align: 128 }), bar(), [0, 0], { multicast: 3 }),
    ],
    ["W4510", () => tma.wait(-1)],
    ["W4510", () => tma.wait(threadIdx.x)],
    [
      "W4511",
      (t) =>
        tma.bulkLoad(
          sharedMemory.alloc("f32", [3]),
          bindTensor(t, t.value("ptr.global"), { dtype: "f32", rank: 1, shape: [3], strides: [1] }, "x"),
          bar(),
        ),
    ],
    [
      "W4512",
      (t) =>
        tma.bulkLoad(
          sharedMemory.alloc("f32", [4, 4]),
          bindTensor(t, t.value("ptr.global"), { dtype: "f32", rank: 2, shape: [4, 4], strides: [8, 1] }, "x"),
          bar(),
        ),
    ],
    [
      "W4513",
      (t) =>
        tma.bulkLoad(
          sharedMemory.alloc("f32", [4]),
          bindTensor(t, t.value("ptr.global"), { dtype: "f32", rank: 1, shape: [8], strides: [1] }, "x"),
          bar(),
        ),
    ],
    [
      "W4514",
      (t) => map(t, "f64", [64, 64], { box: [8, 16] }).reduce("add", sharedMemory.alloc("f64", [8, 16], { align: 128 }), [0, 0]),
    ],
    [
      "W4515",
      (t) =>
        map(t, "f32", [64, 64], plain).load(sharedMemory.alloc("f32", [8, 32], { align: 128 }), bar(), [0, 0], { offsets: [1] }),
    ],
    ["W4516", (t) => map(t, "f32", [64, 64], plain).store(undefined as unknown as SharedView, [0, 0])],
    [
      "W4517",
      (t) =>
        map(t, "f32", [64, 64], plain).load(
          sharedMemory.alloc("f32", [8, 32], { align: 128 }),
          new Mbarriers(2) as never,
          [0, 0],
        ),
    ],
  ];
  it.each(wrong)("%s", (code, run) => {
    record((t) => expect(() => run(t)).toThrowError(expect.objectContaining({ code })));
  });
  const wrongBoxes: [string, (t: Trace) => unknown][] = [
    [
      "W4505",
      (t) => map(t, "f16", [64, 64], swizzled).load(sharedMemory.alloc("f16", [96, 64], { swizzle: "128B" }), bar(), [0, 0]),
    ],
    ["W4506", (t) => map(t, "f32", [64, 64], plain).load(sharedMemory.alloc("f32", [8, 64], { align: 128 }), bar(), [0, 0])],
    [
      "W4506",
      (t) =>
        map(t, "f32", [64, 64], { box: [32, 32] }).load(
          sharedMemory.alloc("f32", [32, 32], { align: 128 }).transpose(),
          bar(),
          [0, 0],
        ),
    ],
    ["W4507", (t) => map(t, "f32", [64, 64], plain).load(sharedMemory.alloc("f32", [8, 32], { align: 16 }), bar(), [0, 0])],
    [
      "W4507",
      (t) =>
        map(t, "f16", [64, 64], { box: [4, 64], swizzle: "128B" }).load(
          sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" }).subview([4, 0], [4, 64]),
          bar(),
          [0, 0],
        ),
    ],
  ];
  it.each(wrongBoxes)("%s, where it was written", (code, run) => {
    expect(expansionError(run)).toBe(code);
  });
});
