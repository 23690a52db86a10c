import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";
import { some } from "../../../support/amount.ts";
import { runCommand } from "./run-command.ts";

const folder = mkdtempSync(join(tmpdir(), "explain-test-"));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => void vi.stubEnv("WARPSMITH_PTXAS", "/nowhere/ptxas"));
afterEach(() => void vi.unstubAllEnvs());

// test/package/package.long.test.ts has programs.
describe("warpsmith explain matmul", () => {
  it("says what each size costs, and launches nothing", async () => {
    const { status, out, err } = await runCommand("explain", "matmul", "128x256x64", "128x128x64");
    expect([status, err]).toEqual([0, ""]);
    expect(out.match(/^gemm\(.*\)$/gm)).toHaveLength(2);
    expect(out).toContain(`${((2 * 128 * 256 * 64) / 1e6).toFixed(2)} Mop of bf16 on tensor cores`);
    expect(out).toContain("unknown without ptxas or a device");
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    expect(process.env.WARPSMITH_STAGES).toBeUndefined();
  });

  it.each(some([["nt"], ["nn"], ["tn"], ["tt"]], 0))("as JSON, with the layout %s", async (layout) => {
    const { status, out } = await runCommand(
      "explain",
      "matmul",
      "128x256x64",
      "--layout",
      layout,
      "--dtype",
      "f16",
      "--gpu",
      "H100",
      "--json",
    );
    const [report, ...others] = JSON.parse(out);
    expect([status, others]).toEqual([0, []]);
    expect(report).toMatchObject({
      target: "sm_90a",
      work: { exact: true, tensorOperations: { f16: 2 * 128 * 256 * 64 } },
      roofline: { gpu: "H100" },
    });
  });
});

describe("WARPSMITH_STAGES=explain", () => {
  it("tells of each kernel and grid once, and runs none", async () => {
    const file = join(folder, "kernels.jsonl");
    vi.stubEnv("WARPSMITH_STAGES", `explain:H200:${file}`);
    const fill = kernel({ block: 32 }, function fill(x: Tensor<"f32", 1>) {
      x[threadIdx.x] = 1;
    });
    await using gpu = await openDevice("emulator");
    using x = gpu.zeros("f32", [32]);
    for (const grid of [1, 1, 2]) fill.launch({ grid }, x);
    fill.launch({ grid: 1 }, x);
    expect([...(await x.read())]).toEqual(Array(32).fill(0));
    const told = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(told.map(({ report }) => report.grid[0])).toEqual([1, 2]);
    expect(told[0].text).toContain("fill(x: f32[32])");
  });

  it("a kernel that cannot be compiled is an error as ever", async () => {
    vi.stubEnv("WARPSMITH_STAGES", `explain:H200:${join(folder, "none.jsonl")}`);
    writeFileSync(join(folder, "none.jsonl"), "");
    const bad = kernel({ block: 32, grid: 1 }, function bad(x: Tensor<"f32", 1>) {
      x[40] = 1;
    });
    await using gpu = await openDevice("emulator");
    using x = gpu.zeros("f32", [32]);
    expect(() => bad.launch({}, x)).toThrow(/W\d{4}/);
    expect(readFileSync(join(folder, "none.jsonl"), "utf8")).toBe("");
  });
});
