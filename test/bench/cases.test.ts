import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Plan } from "warpsmith/kernels";
import { chart, scaleOf } from "../../bench/chart.ts";
import { drawRatios } from "../../bench/draw.ts";
import { recordsOf } from "../../bench/ladder.ts";
import { algorithmsIn, versionText } from "../../bench/peers/cublas.ts";
import { findLibraries } from "../../bench/peers/find-libraries.ts";
import { kernelsFor, readKernels } from "../../bench/peers/ptx-kernels.ts";
import { openTorch } from "../../bench/peers/torch-fused.ts";
import { readPlans } from "../../bench/plans.ts";
import { columnMajor, nameOf, type Operand, type Problem, problems, select } from "../../bench/problem.ts";
import { fusedLine, ratiosOf, summarize } from "../../bench/report.ts";
import type { CaseRecord } from "../../bench/run-case.ts";
import { rotating } from "../support/amount.ts";

const folder = mkdtempSync(join(tmpdir(), "warpsmith-bench-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("cases", () => {
  it("are found by the words that describe them", () => {
    expect(select([])).toEqual(problems);
    expect(new Set(problems.map(nameOf)).size).toBe(problems.length);
    expect(select(["4096", "f16", "nt"]).map(nameOf)).toEqual(["f16 nt 4096³", "f16 nt 4096³ relu-bias-residual"]);
    expect(select(["1024", "2048", "nn", "bf16"]).map(nameOf)).toEqual(["bf16 nn 1024³", "bf16 nn 2048³"]);
    expect(select(["512x14336x4096"])).toHaveLength(2);
    expect(select(["640x1280x512", "tt", "bf16"]).map(nameOf)).toEqual(["bf16 tt 640×1280×512"]);
    expect(select(["decode"])).toHaveLength(30);
    expect([...new Set(select(["decode"]).map(({ m }) => m))].toSorted((x, y) => x - y)).toEqual([1, 8, 16, 32, 64]);
    expect(select(["transformer"])).toHaveLength(30);
    expect(select(["transformer"]).filter(({ m }) => m === 16)).toEqual(select(["decode"]).filter(({ m }) => m === 16));
    expect(() => select(["fast"])).toThrow("“fast” is no type");
  });

  it("are for cuBLAS what they are for us, transposed", () => {
    const [m, n, k] = [3, 4, 5];
    // What lies where is told by numbers that all differ.
    const a = (i: number, l: number) => 1 + i * k + l,
      b = (l: number, j: number) => 100 + l * n + j;
    for (const layout of ["nt", "nn", "tn", "tt"] as const) {
      const problem: Problem = { dtype: "f16", layout, m, n, k, work: "product", group: "odd" };
      const A = layout[0] === "t" ? grid(k, m, (l, i) => a(i, l)) : grid(m, k, a);
      const B = layout[1] === "t" ? grid(n, k, (j, l) => b(l, j)) : grid(k, n, b);
      const given = columnMajor(problem);
      const D = new Array<number>(m * n).fill(0);
      for (let row = 0; row < given.m; row++)
        for (let column = 0; column < given.n; column++)
          for (let l = 0; l < given.k; l++)
            D[column * given.out.stride + row] += element(B, given.first, row, l) * element(A, given.second, l, column);
      const want = grid(m, n, (i, j) => Array.from({ length: k }, (_, l) => a(i, l) * b(l, j)).reduce((x, y) => x + y));
      expect(D, layout).toEqual(want);
    }
  });
});

/** Row by row. */
const grid = (rows: number, columns: number, value: (row: number, column: number) => number): number[] =>
  Array.from({ length: rows * columns }, (_, i) => value(Math.floor(i / columns), i % columns));

/** Of an operand as a library sees it that keeps matrices column by column. */
function element(memory: readonly number[], { rows, columns, stride, transpose }: Operand, row: number, column: number): number {
  const [r, c] = transpose ? [column, row] : [row, column];
  if (r >= rows || c >= columns) throw new Error(`[${r}, ${c}] of ${rows} x ${columns}`);
  return memory[c * stride + r];
}

describe("peers", () => {
  it("finds the algorithms in what cublasLt writes", () => {
    const results = new Uint8Array(4 * 96);
    const view = new DataView(results.buffer);
    for (let i = 0; i < 4; i++) view.setUint8(i * 96, 10 + i);
    view.setInt32(96 + 72, 15, true); // refused
    view.setBigUint64(2 * 96 + 64, 2n ** 30n, true); // wants too much
    const found = algorithmsIn(results, 4, 2 ** 25);
    expect(found.map((algorithm) => [algorithm.length, algorithm[0]])).toEqual([
      [64, 10],
      [64, 13],
    ]);
    expect(algorithmsIn(results, 1, 2 ** 25)).toHaveLength(1);
    expect(versionText(130101)).toBe("13.1.1");
  });

  it("looks for libraries where it is told to", () => {
    for (const name of ["libcublas.so.9", "libcublas.so.13", "libcublasLt.so", "libcublasLt.so.13.1"])
      writeFileSync(join(folder, name), "");
    const expected = [{ cublas: join(folder, "libcublas.so.13"), cublasLt: join(folder, "libcublasLt.so.13.1") }];
    expect(findLibraries({ BENCH_CUBLAS_PATH: folder })).toEqual(expected);
    expect(findLibraries({ BENCH_CUBLAS_PATH: join(folder, "libcublas.so.13") })).toEqual(expected);
    expect(findLibraries({ BENCH_CUBLAS_PATH: join(folder, "elsewhere") })).toEqual([]);
  });

  it("lets other PTX join the cases it was made for", () => {
    const description = { M: 256, N: 128, K: 64, dt: "bf16", epi: "none" };
    writeFileSync(join(folder, "some.json"), JSON.stringify(description));
    const kernels = readKernels(folder);
    const problem: Problem = { dtype: "bf16", layout: "nt", m: 256, n: 128, k: 64, work: "product", group: "odd" };
    expect(kernelsFor(kernels, problem).map(({ name }) => name)).toEqual(["some"]);
    for (const other of [{ layout: "nn" }, { dtype: "f16" }, { k: 128 }, { work: "relu-bias-residual" }] as const)
      expect(kernelsFor(kernels, { ...problem, ...other })).toEqual([]);
  });

  it("asks PyTorch in its own process, and takes no for an answer", rotating, async () => {
    const answering =
      'process.stdin.on("data", (line) => console.log(JSON.stringify({ size: Number(process.argv[1]), seconds: Number(line) })));' +
      'console.log(JSON.stringify({ torch: "2.11", skipped: {} }))';
    const torch = await openTorch(4096, process.execPath, ["-e", answering]);
    if (typeof torch === "string") throw new Error(torch);
    expect(torch.version).toBe("2.11");
    expect([await torch.measure(2), await torch.measure(3)]).toEqual([
      { size: 4096, seconds: 2 },
      { size: 4096, seconds: 3 },
    ]);
    torch.close();
    expect(await openTorch(1, "no-such-python")).toContain("no-such-python does not start");
    expect(await openTorch(1, process.execPath, ["-e", "throw new Error('out of order')"])).toContain("python3 ended");
    const refusing = 'console.log(JSON.stringify({ problem: "PyTorch finds no GPU" }))';
    expect(await openTorch(1, process.execPath, ["-e", refusing])).toBe("PyTorch finds no GPU");
  });
});

const record = (over: Partial<CaseRecord> = {}): CaseRecord => ({
  ...{ case: "f16 nt 1024³", group: "square", dtype: "f16", layout: "nt", m: 1024, n: 1024, k: 1024, work: "product" },
  ...{ us: 8, tflops: 268, peers: { cublas: 9.2, cublasLt: 8.8 }, warm: { warpsmith: 5, cublasLt: 5.5 }, sustained: {} },
  ...{ correct: true, checks: {}, clockMHz: null, watts: null, spread: {}, notes: {}, skipped: {} },
  ...over,
});

describe("reports", () => {
  it("give ratios above 1 where ours is faster", () => {
    expect(ratiosOf(record())).toEqual({ flushed: 1.1, cublas: expect.closeTo(1.15), warm: 1.1, sustained: undefined });
    expect(ratiosOf(record({ us: null })).flushed).toBeUndefined();
    const wrong = { pass: false, rows: 4, relative: 1, maxAbs: 9, misses: 7 };
    expect(ratiosOf(record({ correct: false })).flushed).toBeUndefined();
    expect(ratiosOf(record({ checks: { cublasLt: wrong } }))).toMatchObject({ flushed: undefined, cublas: expect.closeTo(1.15) });
  });

  it("say who is wrong, who is missing and what the mean is", () => {
    const wrong = { pass: false, rows: 4, relative: 1, maxAbs: 9, misses: 7 };
    const text = summarize([
      record(),
      record({ correct: false, checks: { warpsmith: wrong }, skipped: { cublas: "not there" }, us: 10 }),
    ]);
    expect(text).toContain("WRONG; warpsmith is wrong; no cublas: not there");
    expect(text).toContain("f16 nt square: geometric mean 1.100 × cublasLt, least 1.100");
  });

  it("tell what an epilogue costs and gains", () => {
    const peers = { "warpsmith product": 180, "torch.compile default": 206, "torch.compile max-autotune": 202 };
    expect(fusedLine(record({ case: "fused", us: 183.6, peers }))).toEqual([
      "fused: the plain product + 2.0 %, 1.122 × torch.compile default, 1.100 × torch.compile max-autotune",
    ]);
    expect(fusedLine(record())).toEqual([]);
  });

  it("compare layouts and other PTX with ours", () => {
    const nn = record({ case: "f16 nn 1024³", layout: "nn", us: 8.16, peers: { "ptx some": 8.2416 } });
    const text = summarize([record(), nn]);
    expect(text).toContain("f16 nn 1024³: 0.980 × its NT");
    expect(text).toContain("f16 nn 1024³: 1.010 × ptx some");
    expect(summarize([nn])).not.toContain("its NT");
  });

  it("tell each step's gain over the one before that ran, or the one that it is made from", () => {
    const [problem] = problems;
    const figure = (median: number) => ({ median, p10: median, p90: median, samples: 3 });
    const entrants = [
      ...[{ step: { name: "one" } }, { step: { name: "two" }, skipped: "too large" }, { step: { name: "three" } }],
      ...[{ step: { name: "four", from: "one" } }, { step: { name: "five", from: "two" } }],
    ];
    const figures = { one: figure(40), three: figure(20), four: figure(10), five: figure(10), cublasLt: figure(10) };
    const records = recordsOf(entrants, figures, problem);
    expect(records.map(({ gain, ofLt, skipped }) => [gain, ofLt, skipped])).toEqual([
      [null, 0.25, undefined],
      [null, null, "too large"],
      [2, 0.5, undefined],
      [4, 1, undefined],
      [null, 1, undefined],
    ]);
  });
});

describe("plans", () => {
  const base = { stages: 4, group: 16, tile: [128, 256] } as unknown as Plan;

  it("vary one field at a time, or all together", () => {
    const names = (given: unknown) => readPlans(JSON.stringify(given)).map(({ name }) => name);
    expect(names({ base, each: { stages: [3], tile: [[128, 192]] } })).toEqual(["base", "stages 3", "tile 128x192"]);
    expect(names({ base, vary: { stages: [3, 4], group: [8] } })).toEqual(["base", "stages 3, group 8", "stages 4, group 8"]);
    expect(readPlans(JSON.stringify([{ ...base, group: 1 }]))).toMatchObject([{ plan: { stages: 4, group: 1 } }]);
  });
});

describe("drawings", () => {
  it("have round bounds around the values and 1", () => {
    expect(scaleOf([1.02, 1.09])).toEqual({ low: 0.96, high: 1.1, step: 0.02 });
    expect(scaleOf([])).toEqual({ low: 0.97, high: 1.03, step: 0.01 });
    expect(scaleOf([0.31, 4.2])).toEqual({ low: 0, high: 4.5, step: 0.5 });
  });

  it("put a point where its ratio is", () => {
    const panel = {
      title: "t",
      names: ["a", "b"],
      joined: true,
      series: [{ name: "s", color: "#123456", values: { a: 0.97, b: 1.03 } }],
    };
    const svg = chart("T", "<sub>", [[panel]]);
    const points = [...svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)" r="4" fill="#123456"/g)].map(([, x, y]) => [
      Number(x),
      Number(y),
    ]);
    const [low, high] = points.slice(1);
    expect(high[0]).toBeGreaterThan(low[0]);
    expect(low[1] - high[1]).toBe(260);
    expect(svg).toContain("&lt;sub&gt;");
  });

  it("leave out what was not measured", () => {
    const svg = drawRatios([record(), record({ m: 2048, n: 2048, k: 2048 })], { gpu: "G", date: "2026-01-02T03:04" });
    expect(svg).toContain("2048³");
    expect(svg).not.toContain("sustained");
    expect(svg).not.toContain("bf16");
    expect(svg).toContain("G, 2026-01-02");
  });
});
