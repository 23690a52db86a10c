import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countElements, gather, isRowMajor, memoryOrder, rowMajorStrides, spanElements } from "../../../src/runtime/shape.ts";
import { ofProperty } from "../../support/amount.ts";

/** A view cut out of a dense tensor and permuted. */
const views = fc
  .array(fc.record({ extent: fc.integer({ min: 1, max: 4 }), more: fc.integer({ min: 0, max: 2 }), key: fc.integer() }), {
    minLength: 1,
    maxLength: 4,
  })
  .map((dims) => {
    const strides = rowMajorStrides(dims.map((d) => d.extent + d.more));
    const permuted = dims.map((d, i) => ({ ...d, stride: strides[i] ?? 1 })).sort((a, b) => a.key - b.key);
    return { shape: permuted.map((d) => d.extent), strides: permuted.map((d) => d.stride) };
  });

/** Where each element lies, row-major. */
function placesOf(shape: readonly number[], strides: readonly number[]): number[] {
  return shape.reduce<number[]>(
    (places, extent, d) => places.flatMap((p) => Array.from({ length: extent }, (_, i) => p + i * (strides[d] ?? 0))),
    [0],
  );
}

describe("shapes", () => {
  it("gathers what the strides say", () => {
    fc.assert(
      fc.property(views, fc.constantFrom(1, 2, 4, 8), ({ shape, strides }, size) => {
        const source = Uint8Array.from({ length: spanElements(shape, strides) * size }, (_, i) => (i * 37) & 0xff);
        const expected = placesOf(shape, strides).flatMap((p) => [...source.subarray(p * size, (p + 1) * size)]);
        expect([...gather(source, size as 1 | 2 | 4 | 8, shape, strides)]).toEqual(expected);
      }),
      ofProperty(400, 100),
    );
  });

  it("cuts a view into runs that cover each element once", () => {
    fc.assert(
      fc.property(views, ({ shape, strides }) => {
        const { run, starts } = memoryOrder(shape, strides);
        const covered = starts.flatMap((start) => Array.from({ length: run }, (_, i) => start + i));
        expect(covered.sort((a, b) => a - b)).toEqual(placesOf(shape, strides).sort((a, b) => a - b));
        expect(covered.length).toBe(countElements(shape));
      }),
      ofProperty(400, 100),
    );
  });

  it("takes a transposed tensor as one run", () => {
    expect(memoryOrder([3, 4], [1, 3])).toEqual({ order: [1, 0], run: 12, starts: [0] });
    expect(isRowMajor([3, 4], [1, 3])).toBe(false);
    expect(isRowMajor([1, 4], [99, 1])).toBe(true);
  });
});
