import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { blockIdx, type f32, kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

beforeEach(() => void vi.stubEnv("WARPSMITH_PTXAS", "/nowhere/ptxas"));
afterEach(() => void vi.unstubAllEnvs());

const scale = kernel({ block: 256 }, function scale(x: Tensor<"f32", 1>, by: f32) {
  x.at(blockIdx.x * 256 + threadIdx.x).value *= by;
});
const fill = kernel({ block: 1024, grid: 100 }, function fill(x: Tensor<"f32", 1>) {
  x.at(blockIdx.x * 1024 + threadIdx.x).store(1);
});
const n = 256_000;
const scaled = scale.compile(tensorSpec("f32", [n]), 2);

/** The widths of the bars, by what stands before them. */
const barsOf = (svg: string): Record<string, number> =>
  Object.fromEntries(
    [...svg.matchAll(/>([^<>]+)<\/text>\n<rect [^>]* width="([\d.]+)" height="14"/g)].map(([, label, w]) => [label, Number(w)]),
  );

it("bars are as long as the report's numbers say", () => {
  const report = scaled.report({ grid: n / 256, gpu: "H200", us: 1 });
  const bars = barsOf(report.toPicture());
  const { roofline, occupancy } = report;
  expect(Object.keys(bars)).toEqual([
    "memory, at least",
    "arithmetic, at least",
    "measured",
    "shared memory",
    "threads",
    "blocks",
  ]);
  const perUs = bars.measured ?? Number.NaN;
  expect(bars["memory, at least"]).toBeCloseTo((roofline?.memoryUs ?? 0) * perUs, 1);
  expect((bars.threads ?? 0) / (bars.blocks ?? 1)).toBeCloseTo(
    (occupancy.limits.threads ?? 0) / (occupancy.limits.blocks ?? 1),
    3,
  );
});

it("what is not known is not drawn", () => {
  const open = scaled.report().toPicture();
  expect(Object.keys(barsOf(open))).toEqual(["shared memory", "threads", "blocks"]);
  expect(open).toContain("at most 8 blocks, 64 of 64 warps");
  const stores = fill
    .compile(tensorSpec("f32", [102_400]))
    .report({ gpu: "H100" })
    .toPicture();
  expect(Object.keys(barsOf(stores))[0]).toBe("memory, at least");
  expect(stores).not.toContain("red line");
  expect(stores).not.toContain("NaN");
});
