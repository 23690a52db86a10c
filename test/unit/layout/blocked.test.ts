import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  apply,
  blocked,
  expand,
  fit,
  type LinearLayout,
  linear,
  registersWithin,
  type Shape,
  slice,
  vectorWidth,
  wgmmaAccumulator,
} from "../../../src/layout/index.ts";
import { ofProperty } from "../../support/amount.ts";
import { key, layouts, points, shapes } from "./arbitrary.ts";

const asked = ofProperty(200, 10);
const inputsOf = (layout: LinearLayout): Shape => Object.fromEntries(layout.inputs.map((d) => [d.name, 2 ** d.bases.length]));

/** A digit of each dimension out of one number, the first of `order` fastest. */
function along(shape: Shape, order: readonly string[], value: number): Record<string, number> {
  let rest = value;
  const digits: Record<string, number> = {};
  for (const name of order) {
    digits[name] = rest % (shape[name] ?? 1);
    rest = Math.floor(rest / (shape[name] ?? 1));
  }
  return digits;
}

describe("a blocked layout", () => {
  const parts = shapes({ row: 2, col: 2 });

  it("counts registers, lanes, warps and blocks in its order", () => {
    const any = fc.tuple(parts, parts, parts, parts, fc.constantFrom(["row", "col"], ["col", "row"], undefined));
    fc.assert(
      fc.property(any, ([perThread, threads, warps, blocks, order]) => {
        const layout = blocked({ perThread, threads, warps, blocks, ...(order ? { order } : {}) });
        for (const place of points(inputsOf(layout))) {
          const counts = [perThread, threads, warps, blocks].map((shape, i) =>
            along(shape, order ?? ["col", "row"], [place.register, place.lane, place.warp, place.block][i] ?? 0),
          );
          const expected = Object.fromEntries(
            ["row", "col"].map((name) => {
              const [r = 0, l = 0, w = 0, b = 0] = counts.map((c) => c[name] ?? 0);
              const [pr = 1, pl = 1, pw = 1] = [perThread, threads, warps].map((s) => s[name] ?? 1);
              return [name, r + pr * (l + pl * (w + pw * b))];
            }),
          );
          expect(apply(layout, place)).toEqual(expected);
        }
      }),
      ofProperty(120, 4),
    );
  });

  it("refuses an order of other dimensions", () => {
    const shape = { row: 1, col: 1 };
    expect(() => blocked({ perThread: shape, threads: shape, warps: shape, order: ["row"] })).toThrow(
      "The order row is not one of row, col.",
    );
  });
});

describe("slice and expand", () => {
  const any = fc.tuple(shapes({ register: 3, lane: 3 }), shapes({ row: 2, col: 2 })).chain(([i, o]) => layouts(i, o));

  it("leave to every thread the coordinates that it had", () => {
    fc.assert(
      fc.property(any, (layout) => {
        const left = slice(layout, "col");
        const held = (of: LinearLayout, lane: number): Set<number> =>
          new Set(points({ register: inputsOf(of).register ?? 1 }).map((p) => apply(of, { ...p, lane }).row ?? 0));
        for (let lane = 0; lane < (inputsOf(layout).lane ?? 1); lane++) expect(held(left, lane)).toEqual(held(layout, lane));
        const again = expand(left, "col", 1);
        expect(again.outputs).toEqual([...left.outputs, { name: "col", size: 1 }]);
        for (const place of points(inputsOf(left))) expect(apply(again, place)).toEqual({ ...apply(left, place), col: 0 });
      }),
      asked,
    );
  });

  it("keep one register of those that held a row", () => {
    const sums = slice(wgmmaAccumulator({ cols: 128 }), "col");
    expect(inputsOf(sums)).toEqual({ register: 2, lane: 32, warp: 4 });
    expect(() => slice(sums, "col")).toThrow("The layout has no dimension col.");
    expect(() => expand(sums, "row", 0)).toThrow("The layout has a dimension row already.");
  });
});

describe("fit", () => {
  const any = fc.tuple(shapes({ register: 2, lane: 3 }), shapes({ row: 2, col: 2 })).chain(([i, o]) => layouts(i, o));

  it("repeats the layout over registers, and folds what lies beyond the tile", () => {
    fc.assert(
      fc.property(any, shapes({ row: 4, col: 4 }), (layout, shape) => {
        const fitted = fit(layout, shape);
        expect(Object.fromEntries(fitted.outputs.map((d) => [d.name, d.size]))).toEqual(shape);
        const sizes = Object.fromEntries(layout.outputs.map((d) => [d.name, d.size]));
        for (let lane = 0; lane < (inputsOf(layout).lane ?? 1); lane++) {
          // Every element of the thread, at every place that the layout has in the tile.
          const expected = new Set<string>();
          for (const p of points({ register: inputsOf(layout).register ?? 1 }))
            for (const at of points(shape)) {
              const element = apply(layout, { ...p, lane });
              const fits = ["row", "col"].every((d) => (at[d] ?? 0) % (sizes[d] ?? 1) === (element[d] ?? 0) % (shape[d] ?? 1));
              if (fits) expected.add(key(at));
            }
          const held = points({ register: inputsOf(fitted).register ?? 1 }).map((p) => key(apply(fitted, { ...p, lane })));
          expect(new Set(held)).toEqual(expected);
        }
      }),
      asked,
    );
  });
});

describe("registersWithin", () => {
  it("are those whose elements are in the tile, refused where threads differ", () => {
    const any = fc.tuple(shapes({ register: 3, lane: 2 }), shapes({ row: 2, col: 3 })).chain(([i, o]) => layouts(i, o));
    fc.assert(
      fc.property(any, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 8 }), (layout, row, col) => {
        const lanes = points({ lane: inputsOf(layout).lane ?? 1 });
        const counts = points({ register: inputsOf(layout).register ?? 1 }).map(
          (p) =>
            lanes.filter((lane) => {
              const element = apply(layout, { ...p, ...lane });
              return (element.row ?? 0) < row && (element.col ?? 0) < col;
            }).length,
        );
        if (counts.some((n) => n > 0 && n < lanes.length))
          expect(() => registersWithin(layout, { row, col })).toThrow("is outside of the tile for some threads only.");
        else expect(registersWithin(layout, { row, col })).toEqual(counts.flatMap((n, r) => (n > 0 ? [r] : [])));
      }),
      { ...asked, numRuns: 3 * asked.numRuns },
    );
  });
});

describe("vectorWidth", () => {
  it("is the longest run of which every thread holds all or nothing", () => {
    const any = fc.tuple(shapes({ register: 4, lane: 2 }), shapes({ row: 1, col: 4 })).chain(([i, o]) =>
      // Mostly bases of one bit, as layouts have.
      fc.oneof(
        layouts(i, o),
        layouts(i, o).map((layout) =>
          linear(
            Object.fromEntries(layout.inputs.map((d) => [d.name, d.bases.map(([r = 0, c = 0]) => [r, c & -c])])),
            Object.fromEntries(layout.outputs.map((d) => [d.name, d.size])),
          ),
        ),
      ),
    );
    fc.assert(
      fc.property(any, (layout) => {
        const cols = layout.outputs.find((d) => d.name === "col")?.size ?? 1;
        const works = (width: number): boolean =>
          points({ lane: inputsOf(layout).lane ?? 1 }).every((lane) => {
            const elements = points({ register: inputsOf(layout).register ?? 1 }).map((p) => apply(layout, { ...p, ...lane }));
            const held = new Set(elements.map(key));
            return elements.every(({ row = 0, col = 0 }) =>
              Array.from({ length: width }, (_, i) => col - (col % width) + i).every((c) => held.has(key({ row, col: c }))),
            );
          });
        let width = 1;
        while (2 * width <= cols && works(2 * width)) width *= 2;
        expect(vectorWidth(layout, "col")).toBe(width);
      }),
      { ...asked, numRuns: 2 * asked.numRuns },
    );
    expect(vectorWidth(wgmmaAccumulator({ cols: 64 }), "col")).toBe(2);
    expect(vectorWidth(wgmmaAccumulator({ cols: 64 }), "row")).toBe(1);
  });
});
