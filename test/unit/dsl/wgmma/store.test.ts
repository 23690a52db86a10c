import { describe, expect, it } from "vitest";
import { elementBytes } from "../../../../src/base/element-types.ts";
import type { DType } from "../../../../src/base/types.ts";
import { bindTensor, sharedMemory } from "../../../../src/dsl/memory/index.ts";
import { objectOf } from "../../../../src/dsl/memory/shared-memory.ts";
import type { SharedView, Tensor } from "../../../../src/dsl/memory/types.ts";
import { binary } from "../../../../src/dsl/operators/binary.ts";
import { scalar } from "../../../../src/dsl/trace/scalar.ts";
import type { Trace } from "../../../../src/dsl/trace/trace.ts";
import { WGMMAMatrix } from "../../../../src/dsl/wgmma/index.ts";
import type { Value } from "../../../../src/ir/index.ts";
import { offsetIn, swizzled } from "../../../../src/layout/modes/modes.ts";
import { type Access, accesses, bufferBase, find, type Held, record, tensorBase } from "../evaluate.ts";

const stagedTimes = (x: number, by: number): number => binary("*", x, by) as number;

/** Row and column of element `e` of a thread, from PTX ISA 9.7.15.5.1.1. */
function fragment(thread: number, e: number, cols: number, rowsPerGroup: number): [number, number] {
  const [w, lane, group] = [Math.floor(thread / 32) % 4, thread % 32, Math.floor(thread / 128)];
  const [slab, r] = [Math.floor(e / (cols / 2)), e % (cols / 2)];
  return [
    group * rowsPerGroup + 64 * slab + 16 * w + Math.floor(lane / 4) + 8 * (Math.floor(r / 2) % 2),
    8 * Math.floor(r / 4) + 2 * (lane % 4) + (r % 2),
  ];
}

/** What the threads wrote: byte → "row,col". stmatrix moves rows of eight elements: lane l holds elements 2(l%4), +1 of row l/4. */
function written(
  trace: Trace,
  threads: number,
  cols: number,
  rowsPerGroup: number,
  bytes: number,
  base: number,
  inputs?: ReadonlyMap<Value, Held>,
): Map<number, string> {
  const out = new Map<number, string>();
  const put = (byte: number, at: [number, number]): void => {
    const key = at.join();
    if (out.has(byte) && out.get(byte) !== key) throw new Error(`byte ${byte} holds ${out.get(byte)} and ${key}`);
    out.set(byte, key);
  };
  const all: Access[][] = Array.from({ length: threads }, (_, t) => accesses(trace, t, inputs));
  all.forEach((list, t) => {
    list.forEach((a, i) => {
      const tokens = a.values as readonly (readonly number[])[];
      if (a.op.name !== "stmatrix") {
        for (const [n, v] of tokens.entries()) put(a.address - base + n * bytes, fragment(t, v[0]!, cols, rowsPerGroup));
        if (a.address % (tokens.length * bytes) !== 0) throw new Error("misaligned");
        return;
      }
      tokens.forEach((pair, matrix) => {
        const lane = t % 32;
        const from = all[t - lane + matrix * 8 + Math.floor(lane / 4)]![i]!;
        if (from.address % 16 !== 0) throw new Error("misaligned");
        for (const [n, e] of pair.entries())
          put(from.address - base + (2 * (lane % 4) + n) * 2, fragment(t, e, cols, rowsPerGroup));
      });
    });
  });
  return out;
}

function expectWhole(found: Map<number, string>, rows: number, cols: number, byteOf: (r: number, c: number) => number): void {
  const expected = new Map<number, string>();
  for (let r = 0; r < rows; r++) for (let c = 0; c < cols; c++) expected.set(byteOf(r, c), `${r},${c}`);
  expect(found.size).toBe(rows * cols);
  expect([...found].filter(([byte, at]) => expected.get(byte) !== at)).toEqual([]);
}

const cases: {
  name: string;
  dtype: DType;
  rows: number;
  cols: number;
  groups?: number;
  stmatrix: boolean;
  view: () => SharedView;
}[] = [
  { name: "f32 rows", dtype: "f32", rows: 128, cols: 64, stmatrix: false, view: () => sharedMemory.alloc("f32", [128, 64]) },
  {
    name: "f32 128B",
    dtype: "f32",
    rows: 64,
    cols: 64,
    stmatrix: false,
    view: () => sharedMemory.alloc("f32", [64, 64], { swizzle: "128B" }),
  },
  {
    name: "f32 64B",
    dtype: "f32",
    rows: 64,
    cols: 32,
    stmatrix: false,
    view: () => sharedMemory.alloc("f32", [64, 32], { swizzle: "64B" }),
  },
  {
    name: "f16 128B panels",
    dtype: "f16",
    rows: 128,
    cols: 128,
    stmatrix: true,
    view: () => sharedMemory.alloc("f16", [128, 128], { swizzle: "128B" }),
  },
  {
    name: "f16 64B",
    dtype: "f16",
    rows: 64,
    cols: 96,
    stmatrix: true,
    view: () => sharedMemory.alloc("f16", [64, 96], { swizzle: "64B" }),
  },
  { name: "f16 rows", dtype: "f16", rows: 64, cols: 32, stmatrix: true, view: () => sharedMemory.alloc("f16", [64, 32]) },
  { name: "f16 odd chunks", dtype: "f16", rows: 64, cols: 24, stmatrix: true, view: () => sharedMemory.alloc("f16", [64, 24]) },
  {
    name: "f16 a stage",
    dtype: "f16",
    rows: 64,
    cols: 64,
    stmatrix: true,
    view: () => sharedMemory.alloc("f16", [3, 64, 64], { swizzle: "128B" }).at(2) as SharedView,
  },
  {
    name: "f16 transposed",
    dtype: "f16",
    rows: 64,
    cols: 64,
    stmatrix: false,
    view: () => sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" }).transpose(),
  },
  {
    name: "two warpgroups",
    dtype: "f16",
    rows: 128,
    cols: 64,
    groups: 2,
    stmatrix: true,
    view: () => sharedMemory.alloc("f16", [128, 64], { swizzle: "128B" }),
  },
  {
    name: "two warpgroups f32",
    dtype: "f32",
    rows: 256,
    cols: 16,
    groups: 2,
    stmatrix: false,
    view: () => sharedMemory.alloc("f32", [256, 16]),
  },
  {
    name: "e4m3",
    dtype: "e4m3",
    rows: 64,
    cols: 128,
    stmatrix: false,
    view: () => sharedMemory.alloc("e4m3", [64, 128], { swizzle: "128B" }),
  },
  {
    name: "bf16 32B",
    dtype: "bf16",
    rows: 64,
    cols: 64,
    stmatrix: true,
    view: () => sharedMemory.alloc("bf16", [64, 64], { swizzle: "32B" }),
  },
  {
    name: "f32 in uneven panels",
    dtype: "f32",
    rows: 64,
    cols: 48,
    stmatrix: false,
    view: () => sharedMemory.alloc("f32", [48, 64], {}).transpose(),
  },
];

describe("to shared memory", () => {
  it.each(cases)("$name", ({ dtype, rows, cols, groups = 1, stmatrix, view }) => {
    let seen: ReturnType<typeof objectOf> | undefined;
    const trace = record(
      () => {
        const dst = view();
        seen = objectOf(dst);
        WGMMAMatrix.accumulator("f32", [rows, cols], { warpgroups: groups }).convert(dtype).store(dst);
      },
      { block: [128 * groups, 1, 1] },
    );
    const { type, begins } = seen!.parts;
    const { layout, swizzle } = type;
    expect(find(trace, "stmatrix").length > 0).toBe(stmatrix);
    const found = written(trace, 128 * groups, cols, rows / groups, elementBytes[dtype], bufferBase(0));
    expectWhole(found, rows, cols, (r, c) => swizzled(begins! + offsetIn(layout[0]!, r) + offsetIn(layout[1]!, c), swizzle));
  });

  it.each([
    [0, 8],
    [3, 16],
    [5, 1],
  ])("into a part at a staged offset: row %i, column %i", (row, col) => {
    const inputs = new Map<Value, Held>();
    const trace = record((t) => {
      const [x, y] = [t.value("i32"), t.value("i32")];
      inputs.set(x, BigInt(row)).set(y, BigInt(col));
      const tile = sharedMemory.alloc("f16", [80, 64], { swizzle: "128B" });
      WGMMAMatrix.accumulator("f32", [64, 32])
        .convert("f16")
        .store(tile.subview([scalar(x), scalar(y)], [64, 32]));
    });
    const found = written(trace, 128, 32, 64, 2, bufferBase(0), inputs);
    expectWhole(found, 64, 32, (r, c) => swizzled((row + r) * 128 + (col + c) * 2, "128B"));
  });

  it("a swizzled store needs one exclusive or for each chunk of a row", () => {
    const trace = record(() =>
      WGMMAMatrix.accumulator("f32", [128, 128])
        .convert("f16")
        .store(sharedMemory.alloc("f16", [128, 128], { swizzle: "128B" })),
    );
    expect(find(trace, "stmatrix")).toHaveLength(16);
    expect(find(trace, "xor").length).toBeLessThanOrEqual(4);
  });
});

describe("to global memory", () => {
  const spec = (shape: [number, number]) => ({ dtype: "f32", rank: 2, shape, strides: [shape[1], 1] }) as const;
  const run = (shape: [number, number], at: [number, number], store: (d: Tensor) => Tensor, rows = 128, cols = 64) => {
    const inputs = new Map<Value, Held>();
    const trace = record((t) => {
      const d = bindTensor(t, t.value("ptr.global"), spec(shape), "d") as Tensor;
      const [x, y] = [t.value("i32"), t.value("i32")];
      inputs.set(x, BigInt(at[0])).set(y, BigInt(at[1]));
      stagedAt = [scalar(x), scalar(y)];
      WGMMAMatrix.accumulator("f32", [rows, cols]).store(store(d));
    });
    return { trace, found: written(trace, 128, cols, rows, 4, tensorBase, inputs) };
  };
  let stagedAt: [number, number] = [0, 0];
  const inside = (shape: [number, number], at: [number, number], rows = 128, cols = 64) => {
    const out = new Map<number, string>();
    for (let r = 0; r < rows; r++)
      for (let c = 0; c < cols; c++)
        if (at[0] + r < shape[0] && at[1] + c < shape[1] && at[0] + r >= 0 && at[1] + c >= 0)
          out.set(((at[0] + r) * shape[1] + at[1] + c) * 4, `${r},${c}`);
    return out;
  };

  it("whole tiles in pairs, without predicates", () => {
    const { trace, found } = run([128, 64], [0, 0], (d) => d);
    expect(found).toEqual(inside([128, 64], [0, 0]));
    expect(find(trace, "st.global").every((s) => s.operands.values.length === 2 && s.operands.pred === undefined)).toBe(true);
  });
  it.each([
    [
      [200, 100],
      [128, 64],
    ],
    [
      [200, 101],
      [128, 64],
    ],
    [
      [129, 70],
      [0, 0],
    ],
    [
      [100, 50],
      [128, 64],
    ],
    [
      [300, 300],
      [-3, -5],
    ],
    [
      [130, 66],
      [3, 3],
    ],
  ] as [[number, number], [number, number]][])("tile of a tensor %j at %j keeps inside", (shape, at) => {
    const { found } = run(shape, at, (d) => d.subview(stagedAt, [128, 64]));
    expect(new Map([...found].sort())).toEqual(new Map([...inside(shape, at)].sort()));
  });
  it("a tensor smaller than the tile is not left", () => {
    const { found } = run([100, 37], [0, 0], (d) => d);
    expect(new Map([...found].sort())).toEqual(new Map([...inside([100, 37], [0, 0])].sort()));
  });
  it("a tile at a whole multiple of itself has one predicate", () => {
    const { trace } = run([512, 256], [128, 64], (d) => {
      const [x, y] = stagedAt;
      return d.subview([stagedTimes(x, 128), stagedTimes(y, 64)], [128, 64]);
    });
    const preds = new Set(find(trace, "st.global").map((s) => s.operands.pred));
    expect(preds.size).toBe(1);
    expect(find(trace, "st.global").every((s) => s.operands.values.length === 2)).toBe(true);
  });
});
