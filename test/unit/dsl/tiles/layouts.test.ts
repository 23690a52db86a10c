import { expect, it } from "vitest";
import { BlockedLayout, SliceLayout, WGMMALayout } from "../../../../src/dsl/public.ts";
import { coalesced } from "../../../../src/dsl/tiles/coalesced.ts";

const rows = new BlockedLayout({ perThread: [1, 2], threads: [8, 4], warps: [1, 2] });

it("a layout says who holds what, as text and as a drawing", () => {
  const lines = rows.print([2, 4]).split("\n");
  expect(lines[1]).toContain("T0:0");
  expect(lines).toHaveLength(3);
  expect(rows.toSvg([2, 4])).toMatch(/^<svg /);
  expect(() => rows.print([2, 3])).toThrow(/W6210/);
  expect(() => rows.toSvg([2])).toThrow(/W6205/);
});

it("is written as in the types of tiles, and equal where that is equal", () => {
  expect(String(rows)).toBe("blocked 1x2 of 8x4 of 1x2 order 1,0");
  expect(new SliceLayout(1, rows).equals(new SliceLayout(1, rows))).toBe(true);
  expect(new SliceLayout(1, rows).equals(new SliceLayout(0, rows))).toBe(false);
  expect(new WGMMALayout().rank).toBe(2);
  expect(new SliceLayout(0, rows).rank).toBe(1);
});

it.each([
  [[32, 64], "f32", 4, "blocked 1x4 of 2x16 of 4x1 order 1,0"],
  [[1024], "f16", 4, "blocked 8 of 32 of 4 order 0"],
  [[64], "f32", 4, "blocked 1 of 32 of 4 order 0"],
  [[2, 4, 8], "u8", 1, "blocked 1x1x2 of 2x4x4 of 1x1x1 order 2,1,0"],
] as const)("without a layout memory is gone through in vectors side by side: %j of %s", (shape, dtype, warps, text) => {
  expect(String(coalesced(shape, dtype, warps))).toBe(text);
});
