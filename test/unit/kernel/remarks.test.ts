import { expect, it } from "vitest";
import { BlockedLayout, kernel, type Tensor, tensorSpec, tile } from "warpsmith";

const spec = tensorSpec("f32", [64, 64]);

it("tells of a conversion that the compiler puts in: the line, the layouts, the cost, how to do without", () => {
  const turns = kernel({ block: 128, grid: 1 }, function turns(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>) {
    y.storeTile([0, 0], tile.transpose(x.loadTile([0, 0], [64, 64])));
  });
  const { remarks } = turns.compile(spec, spec);
  expect(remarks).toHaveLength(1);
  const [{ code, message, advice, spans } = { spans: [] }] = remarks;
  expect(code).toBe("R6201");
  expect(message).toContain('from "blocked 4x1 of 16x2 of 1x4 order 0,1" to "blocked 1x4 of 2x16 of 4x1 order 1,0"');
  expect(message).toContain("16384 bytes go through shared memory, and all its warps meet at two barriers");
  expect(advice).toContain("x.loadTile(at, shape, layout)");
  expect(spans[0]?.file).toMatch(/remarks\.test\.ts$/);
  expect(String(remarks[0])).toContain("y.storeTile");
});

it("tells of the author's conversions, and of shuffles", () => {
  const rows = new BlockedLayout({ perThread: [1, 4], threads: [2, 16], warps: [4, 1] });
  const other = new BlockedLayout({ perThread: [1, 1], threads: [2, 16], warps: [4, 1] });
  const converts = kernel({ block: 128, grid: 1 }, function converts(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>) {
    y.storeTile([0, 0], tile.convertLayout(x.loadTile([0, 0], [64, 64], rows), other));
  });
  const told = converts.compile(spec, spec).remarks.map(({ code, message }) => `${code} ${message}`);
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(/^R6202 This converts a tile \[64, 64\] of f32 .* \d+ shuffles in each thread\.$/);
});

it("says nothing where nothing is converted", () => {
  const adds = kernel({ block: 128, grid: 1 }, function adds(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>) {
    y.storeTile([0, 0], x.loadTile([0, 0], [64, 64]) + tile.full([64, 64], 1));
  });
  expect(adds.compile(spec, spec).remarks).toEqual([]);
});
