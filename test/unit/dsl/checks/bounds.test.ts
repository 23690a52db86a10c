import { describe, expect, it } from "vitest";
import { sharedMemory } from "../../../../src/dsl/memory/index.ts";
import type { Tensor } from "../../../../src/dsl/memory/types.ts";
import { binary } from "../../../../src/dsl/operators/binary.ts";
import { type TraceInput, traceKernel } from "../../../../src/dsl/trace-kernel.ts";
import { type Graph, printGraph, verify } from "../../../../src/ir/index.ts";
import { passes, runPasses } from "../../../../src/passes/index.ts";
import { interpret, Trap } from "../../../support/ir-interpreter.ts";
import { machineLevel } from "../../../support/machine-level.ts";
import { programOptions } from "../../../support/program-options.ts";

type Staged = number;
type I32s<R extends number> = Tensor<"i32", R>;

const row = (shape: readonly number[]): number[] => shape.map((_, i) => shape.slice(i + 1).reduce((n, s) => n * s, 1));

/** A kernel of one tensor `x` at address 0 and the numbers `i` and `j`. */
function traced(
  shape: readonly number[],
  body: (x: never, i: Staged, j: Staged) => void,
  options: { debug?: boolean; dynamic?: readonly number[] } = {},
): Graph {
  const spec = { dtype: "i32", rank: shape.length, shape, strides: row(shape) } as const;
  const input: TraceInput = {
    name: "k",
    span: undefined,
    body: body as (...args: never[]) => void,
    params: [
      { kind: "tensor", name: "x", spec, dynamic: options.dynamic ?? [], align: 16 },
      { kind: "scalar", name: "i", type: "i32" },
      { kind: "scalar", name: "j", type: "i32" },
    ],
    assemble: (bound) => bound,
    options: programOptions({ block: [32, 1, 1], debug: options.debug ?? true }),
  };
  const graph = traceKernel(input);
  verify(graph);
  return graph;
}

/** What ends the kernel, before and after the passes that follow the tile level: undefined where it runs to its end. */
function ends(graph: Graph, args: readonly number[]): string | undefined {
  const machine = machineLevel(graph);
  const log = machine.logs.length > 0 ? [0] : [];
  const [before, after] = [machine, runPasses(graph, { verify: true }, passes)].map((g) => {
    try {
      interpret(g, [0, ...args, ...log]);
      return undefined;
    } catch (error) {
      if (error instanceof Trap) return error.message;
      throw error;
    }
  });
  expect(after).toBe(before);
  return after;
}
const lines = (graph: Graph): readonly string[] => machineLevel(graph).logs.map((site) => site.parts.join("…"));
const less = (a: unknown, b: unknown): boolean => binary("<", a, b) as boolean;
const least = -(2 ** 31);

describe("indices of a tensor", () => {
  const graph = traced([8, 4], (x: I32s<2>, i, j) => void x.at(i, j).store(1));
  it("each in its own dimension, on both sides", () => {
    expect(ends(graph, [7, 3])).toBeUndefined();
    expect(ends(graph, [0, 0])).toBeUndefined();
    expect(ends(graph, [8, 0])).toBe("index 8 in dimension 0 of x, [8, 4]");
    expect(ends(graph, [0, 4])).toBe("index 4 in dimension 1 of x, [8, 4]");
    expect(ends(graph, [1, -1])).toBe("index -1 in dimension 1 of x, [8, 4]");
    expect(ends(graph, [least, 0])).toBe("index -2147483648 in dimension 0 of x, [8, 4]");
  });
  it("one after the other", () => {
    const rows = traced([8, 4], (x: I32s<2>, i, j) => void x.at(i).at(j).load());
    expect(ends(rows, [8, 0])).toBe("index 8 in dimension 0 of x, [8, 4]");
    expect(ends(rows, [0, 4])).toBe("index 4 in dimension 1 of x, [8, 4]");
    expect(ends(rows, [3, 3])).toBeUndefined();
  });
  it("only where the predicate holds", () => {
    const guarded = traced([8], (x: I32s<1>, i, j) => {
      x.at(i).load({ pred: less(i, j) });
      x.at(i).store(1, { pred: less(i, j) });
      x.at(i).atomic("add", 1, { pred: false });
    });
    expect(
      ends(
        traced([8], (x: I32s<1>, i, j) => void x.at(i).store(1, { pred: less(i, j) })),
        [9, 9],
      ),
    ).toBeUndefined();
    expect(lines(guarded)).toHaveLength(3);
  });
  it("of all elements of a vector", () => {
    const pairs = traced([8], (x: I32s<1>, i) => void x.at(i).store([1, 2]));
    expect(ends(pairs, [6, 0])).toBeUndefined();
    expect(ends(pairs, [7, 0])).toBe("2 elements from index 7 in dimension 0 of x, [8]");
    expect(
      ends(
        traced([2], (x: I32s<1>, i) => void x.at(i).load({ vector: 4 })),
        [0, 0],
      ),
    ).toBe("4 elements from index 0 in dimension 0 of x, [2]");
  });
  it("against an extent that is known at launch", () => {
    const open = traced([8], (x: I32s<1>, i) => void x.at(i).load(), { dynamic: [0] });
    expect(ends(open, [8, 7, 0])).toBeUndefined();
    expect(ends(open, [8, 8, 0])).toBe("index 8 in dimension 0 of x, [8]");
    expect(ends(open, [8, -1, 0])).toBe("index -1 in dimension 0 of x, [8]");
    expect(
      ends(
        traced([8], (x: I32s<1>) => void x.at(3).load(), { dynamic: [0] }),
        [3, 0, 0],
      ),
    ).toBe("index 3 in dimension 0 of x, [3]");
  });
  it("for every access", () => {
    const all = traced([8], (x: I32s<1>, i) => {
      const place = x.at(i);
      place.atomic("add", 1);
      place.compareAndSwap(0, 1);
      place.storeRelease(place.loadAcquire());
    });
    expect(lines(all)).toEqual(Array.from({ length: 4 }, () => "index … in dimension 0 of x, [8]"));
  });
  it("not where they surely lie inside, nor without debug", () => {
    const sure = traced([64], (x: I32s<1>, i) => {
      x.at(binary("&", i, 63) as number).store(1);
      x.at(5).store(1);
      x.at(binary("&", i, 60) as number).store([1, 2, 3, 4]);
    });
    expect(lines(sure)).toEqual([]);
    expect(lines(traced([64], (x: I32s<1>, i) => void x.at(binary("&", i, 62) as number).store([1, 2, 3, 4])))).toHaveLength(1);
    const plain = printGraph(traced([8, 4], (x: I32s<2>, i, j) => void x.at(i, j).store(1), { debug: false }));
    expect(plain).not.toMatch(/assert|cmp|convert/);
  });
});

describe("parts of a tensor", () => {
  it("that stick out, and what they hold", () => {
    const part = traced([50], (x: I32s<1>, i, j) => void x.subview([i], [32]).at(j).store(1));
    expect(ends(part, [0, 31])).toBeUndefined();
    expect(ends(part, [18, 31])).toBeUndefined();
    expect(ends(part, [19, 31])).toBe("index 50 in dimension 0 of x, [50]");
    expect(ends(part, [-1, 0])).toBe("index -1 in dimension 0 of x, [50]");
    expect(ends(part, [0, 32])).toBe("index 32 in dimension 0 of a part of x, [32]");
    const late = traced([50], (x: I32s<1>, _, j) => void x.subview([32], [32]).at(j).store(1));
    expect(ends(late, [0, 17])).toBeUndefined();
    expect(ends(late, [0, 18])).toBe("index 50 in dimension 0 of x, [50]");
    const fits = traced([64], (x: I32s<1>, _, j) => void x.subview([32], [32]).at(j).store(1));
    expect(lines(fits)).toEqual(["index … in dimension 0 of a part of x, [32]"]);
  });
  it("transposed and in another shape", () => {
    const turned = traced([8, 4], (x: I32s<2>, i, j) => void x.transpose().at(i, j).load());
    expect(ends(turned, [4, 0])).toBe("index 4 in dimension 0 of a part of x, [4, 8]");
    const shaped = traced([8, 4], (x: I32s<2>, i, j) => void x.subview([i, 0], [4, 4]).reshape(2, 8).at(1, j).load());
    expect(ends(shaped, [4, 7])).toBeUndefined();
    expect(ends(shaped, [5, 7])).toBe("byte 140 of x, which has 128: an element of a part of it");
    expect(ends(shaped, [5, 2])).toBeUndefined();
  });
});

describe("shared memory", () => {
  it("indices and the beginnings of parts", () => {
    const view = traced([1], (_: I32s<1>, i, j) => {
      const s = sharedMemory.alloc("i32", [4, 8]);
      s.subview([i, 0], [2, 8]).at(1, j).store(1);
    });
    expect(ends(view, [2, 7])).toBeUndefined();
    expect(ends(view, [3, 0])).toBe(
      "index 3, where a part of 2 begins in dimension 0 of a SharedView<i32> [4, 8]: it can begin from 0 to 2",
    );
    expect(ends(view, [0, 8])).toBe("index 8 in dimension 1 of a SharedView<i32>, [2, 8]");
  });
});
