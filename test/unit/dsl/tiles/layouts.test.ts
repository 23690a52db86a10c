import { expect, it } from "vitest";
import { BlockedLayout, SliceLayout, WGMMALayout } from "../../../../src/dsl/public.ts";

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
