import { describe, expect, it } from "vitest";
import type { DType } from "../../../../src/base/types.ts";
import { bindTensor } from "../../../../src/dsl/memory/index.ts";
import type { TensorObject } from "../../../../src/dsl/memory/tensor.ts";
import type { Place, Tensor } from "../../../../src/dsl/memory/types.ts";
import { convertTo } from "../../../../src/dsl/numbers/convert.ts";
import { binary } from "../../../../src/dsl/operators/binary.ts";
import { threadIdx } from "../../../../src/dsl/threads/launch-ids.ts";
import { StagedScalar, scalar } from "../../../../src/dsl/trace/scalar.ts";
import { indexGet, indexSet, Staged, structure } from "../../../../src/dsl/trace/staged.ts";
import type { Trace } from "../../../../src/dsl/trace/trace.ts";
import type { Value } from "../../../../src/ir/index.ts";
import { accesses, expansionError, find, type Held, names, record, tensorBase } from "../evaluate.ts";

const spec = <D extends DType>(dtype: D, shape: readonly number[]) => {
  const strides = shape.map((_, i) => shape.slice(i + 1).reduce((n, s) => n * s, 1));
  return { dtype, rank: shape.length, shape, strides };
};
function tensor(trace: Trace, dtype: DType, shape: readonly number[]): Tensor {
  return bindTensor(trace, trace.value("ptr.global", "x"), spec(dtype, shape), "x");
}
const place = (x: unknown): Place<"f32"> => x as Place<"f32">;
const objectOf = (x: Tensor): TensorObject => x as unknown as TensorObject;
const offsets = (trace: Trace, thread: number, inputs?: ReadonlyMap<Value, Held>) =>
  accesses(trace, thread, inputs).map((a) => a.address - tensorBase);

describe("addresses", () => {
  it("static, staged, rows, parts and transpositions", () => {
    const trace = record((t) => {
      const x = tensor(t, "f32", [8, 32]);
      place(x.at(2, 3)).load();
      place(x.at(threadIdx.x, 5)).load();
      objectOf(x.at(threadIdx.x) as Tensor)[indexGet](threadIdx.x);
      place(x.subview([1, threadIdx.x], [2, 2]).at(1, 1)).load();
      place(x.transpose().at(7, threadIdx.x)).load();
      place(x.reshape(4, 64).at(1, threadIdx.x)).load();
    });
    expect(offsets(trace, 4)).toEqual([
      (2 * 32 + 3) * 4,
      (4 * 32 + 5) * 4,
      (4 * 32 + 4) * 4,
      (2 * 32 + 5) * 4,
      (4 * 32 + 7) * 4,
      (64 + 4) * 4,
    ]);
    expect(find(trace, "convert")).toEqual([]);
  });

  it("never wrap: 32-bit arithmetic below 2^31 bytes, 64-bit from there on", () => {
    const narrow = record((t) => place(tensor(t, "f32", [2 ** 14, 2 ** 15 - 1]).at(threadIdx.x, threadIdx.x)).load());
    expect(find(narrow, "ptr.add")[0]?.operands.by.type).toBe("i32");
    const wide = record((t) => place(tensor(t, "f32", [2 ** 15, 2 ** 16]).at(threadIdx.x, threadIdx.x)).load());
    expect(find(wide, "ptr.add")[0]?.operands.by.type).toBe("i64");
    const far = record((t) => place(tensor(t, "f32", [2 ** 15, 2 ** 16]).at(2 ** 15 - 1, threadIdx.x)).load());
    expect(offsets(far, 3)).toEqual([((2 ** 15 - 1) * 2 ** 16 + 3) * 4]);
    const shifted = record((t) =>
      place(
        tensor(t, "f32", [2 ** 10, 2 ** 10])
          .subview([-4, 0], [8, 8])
          .at(threadIdx.x, 0),
      ).load(),
    );
    expect(offsets(shifted, 5)).toEqual([2 ** 10 * 4]);
  });

  it("that differ by literals in an index share what is staged", () => {
    const plus = (a: number, b: number): number => binary("+", a, b) as number;
    const trace = record((t) => {
      const x = tensor(t, "f32", [8, 4096]);
      const column = binary("*", threadIdx.x, 2) as number;
      for (const c of [0, 1, 8, 9]) place(x.at(3, plus(plus(64, threadIdx.y), plus(column, c)))).load();
      place(x.at(3, plus(plus(column, -2), 5))).load();
      place(x.at(0, plus(threadIdx.x, -1))).load();
    });
    const loads = find(trace, "ld.global");
    expect(loads.map((l) => l.attrs.offset)).toEqual(
      [0, 1, 8, 9].map((c) => 4 * (3 * 4096 + 64 + c)).concat(4 * (3 * 4096 + 3), 0),
    );
    expect(offsets(trace, 5).slice(4)).toEqual([4 * (3 * 4096 + 10 + 3), 4 * 4]);
  });

  it("take staged extents and strides", () => {
    const inputs = new Map<Value, Held>();
    const trace = record((t) => {
      const [rows, stride] = [t.value("i32"), t.value("i32")];
      inputs.set(rows, 100n).set(stride, 50n);
      const x = bindTensor(t, t.value("ptr.global"), spec("f16", [100, 50]), "x", {
        shape: new Map([[1, rows]]),
        strides: new Map([[0, stride]]),
      });
      place(x.at(threadIdx.x, threadIdx.x)).load();
      expect((x.shape[1] as unknown as { value: Value }).value).toBe(rows);
    });
    expect(offsets(trace, 7, inputs)).toEqual([(7 * 50 + 7) * 2]);
  });
});

describe("loads and stores", () => {
  it("have the tensor's type exactly", () => {
    record((t) => {
      const x = objectOf(tensor(t, "f16", [8]));
      x[indexSet](0, 1.5);
      x[indexSet](0, convertTo("f16", threadIdx.x));
      expect(() => x[indexSet](0, convertTo("f32", threadIdx.x))).toThrowError(expect.objectContaining({ code: "W2010" }));
      expect(() => x[indexSet](0, threadIdx.x)).toThrowError(expect.objectContaining({ code: "W2010" }));
    });
  });
  it("vectors, predicates and caches", () => {
    const trace = record((t) => {
      const x = tensor(t, "f32", [64, 64]);
      const values = place(x.at(threadIdx.x, 0)).load({ vector: 4, pred: true, cache: "nc" });
      expect(values).toHaveLength(4);
      place(x.at(threadIdx.x, 4)).store(values, { pred: scalar(t.value("pred")), cache: "cs" });
      expect(place(x.at(0, 0)).load({ pred: false, other: 3 })).toBeDefined();
      place(x.at(0, 0)).store(1, { pred: false });
    });
    const [load] = find(trace, "ld.global");
    expect([load?.results.length, load?.attrs, load?.operands.pred]).toEqual([4, { offset: 0, cache: "nc" }, undefined]);
    const stores = find(trace, "st.global");
    expect(stores).toHaveLength(1);
    expect([stores[0]?.attrs, stores[0]?.operands.values.length, stores[0]?.operands.pred?.type]).toEqual([
      { offset: 16, cache: "cs" },
      4,
      "pred",
    ]);
  });
  it("bool is a byte in memory and a predicate in a register", () => {
    const trace = record((t) => objectOf(tensor(t, "bool", [8]))[indexSet](1, objectOf(tensor(t, "bool", [8]))[indexGet](0)));
    expect(names(trace)).toEqual(["ld.global", "cmp", "convert", "st.global"]);
  });
  it("atomics, acquire and release", () => {
    const trace = record((t) => {
      const x = place(tensor(t, "u32", [8]).at(3));
      x.atomic("add", 1, { scope: "system", order: "acq_rel" });
      x.compareAndSwap(0, 1);
      x.storeRelease(x.loadAcquire());
    });
    expect(names(trace)).toEqual(["atom", "atom.cas", "ld.acquire", "st.release"]);
    expect(find(trace, "atom")[0]?.attrs).toEqual({ op: "add", offset: 12, scope: "sys", order: "acq_rel" });
    expect(find(trace, "st.release")[0]?.attrs).toEqual({ offset: 12, scope: "gpu" });
  });
});

describe("errors", () => {
  const wrong: [string, (x: Tensor) => unknown][] = [
    ["W3001", (x) => x.at(8)],
    ["W3001", (x) => x.at(0, 32)],
    ["W3002", (x) => (x.at as (...i: number[]) => unknown).call(x, 1, 2, 3)],
    ["W3003", (x) => objectOf(x)[indexSet](0, 1)],
    ["W3004", (x) => place(x.at(0, 0)).load({ vector: 8 })],
    ["W3006", (x) => place(x.at(0, 30)).load({ vector: 4 })],
    ["W3006", (x) => place(x.transpose().at(0, 0)).load({ vector: 2 })],
    ["W3007", (x) => place(x.at(0, 0)).store([1, 2, 3])],
    ["W3010", (x) => x.transpose().reshape(256)],
    ["W3020", (x) => place(x.at(0, 0)).atomic("and", 1)],
    ["W3022", (x) => place(x.at(0, 0)).load({ cache: "wt" as "cg" })],
    ["W3025", (x) => place(x.at(0, 0)).loadAcquire("thread" as "gpu")],
    ["W2017", (x) => x.at(1.5)],
  ];
  it.each(wrong)("%s", (code, run) => {
    record((t) => expect(() => run(tensor(t, "f32", [8, 32]))).toThrowError(expect.objectContaining({ code })));
  });
  it("W3005, at the load", () => {
    expect(expansionError((t) => place(tensor(t, "f32", [8, 32]).at(0, 1)).load({ vector: 2 }))).toBe("W3005");
    expect(expansionError((t) => place(tensor(t, "f32", [8, 32]).at(0, 2)).load({ vector: 2 }))).toBeUndefined();
  });
});

it("is a structure of one leaf, its value", () => {
  const trace = record((t) => {
    const x = tensor(t, "f32", [8, 32]);
    const [a, b] = [objectOf(x.at(1) as Tensor)[structure], objectOf(x.at(threadIdx.x) as Tensor)[structure]];
    expect([a.leaves.length, b.leaves.length]).toEqual([1, 1]);
    expect(a.shape).toBe(b.shape);
    place((a.rebuild(b.leaves) as Tensor).at(3)).load();
  });
  expect(offsets(trace, 4)).toEqual([(4 * 32 + 3) * 4]);
});

it("is a structure of its value, where it begins and whether the indices were inside, with debug", () => {
  record(
    (t) => {
      const rows = tensor(t, "f32", [8, 32]).subview([threadIdx.x, 3], [2, 4]);
      const staged = expect.any(StagedScalar);
      expect(objectOf(rows)[structure].leaves).toEqual([expect.any(Staged), staged, 3, true]);
      expect(objectOf(rows.at(threadIdx.x) as Tensor)[structure].leaves).toEqual([expect.any(Staged), 3, staged]);
    },
    { debug: true },
  );
});
