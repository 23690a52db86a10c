import { afterEach, describe, expect, it, vi } from "vitest";
import { type f32, helper, kernel, type Tensor, tensorSpec, threadIdx, warp } from "warpsmith";
import { stageNames } from "../../../src/compile.ts";
import { printGraph } from "../../../src/ir/index.ts";
import { parseGraph } from "../../../src/ir/parse.ts";
import { passes, tracedLevel } from "../../../src/passes/index.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const traced = vi.fn();
const scale = helper((x: f32) => x * 2 * 3);
const makeScaled = () =>
  kernel({ block: 32, grid: 1 }, function scaled(x: Tensor<"f32", 1>) {
    traced();
    x[threadIdx.x] = scale(x[threadIdx.x] ?? 0);
  });
const spec = tensorSpec("f32", [32]);

describe("stages of a compiled kernel", () => {
  it("are what tracing gave, what each pass made of it, and PTX", () => {
    const compiled = makeScaled().compile(spec);
    const { stages } = compiled;
    expect(stages.map(({ name }) => name)).toEqual(stageNames);
    expect(stages.map(({ level }) => level)).toEqual([tracedLevel, ...passes.map(({ level }) => level), "ptx"]);
    expect(stages.at(-1)?.text).toBe(compiled.ptx);
    const plain = (nth: number) => printGraph(parseGraph(stages.at(nth)?.text ?? ""));
    expect(plain(-2)).toBe(String(compiled.graph));
    expect(plain(0)).toBe(String(makeScaled().trace(spec)));
    // The multiplication is the helper's, which the kernel calls.
    expect(stages[0]?.text).toMatch(/ = mul .* ; \S*stages\.test\.ts:14:\d+ < 18:\d+$/m);
  });

  it("are made when they are asked for, once", () => {
    traced.mockClear();
    const compiled = makeScaled().compile(spec);
    expect(traced).toHaveBeenCalledTimes(1);
    expect(compiled.stages).toBe(compiled.stages);
    expect(traced).toHaveBeenCalledTimes(2);
  });

  it("are refused where the function gives another kernel this time", () => {
    const outside = { value: 1 };
    const store = kernel({ block: 32 }, function store(x: Tensor<"f32", 1>) {
      x[0] = outside.value;
    });
    const compiled = store.compile(spec);
    outside.value = 2;
    expect(() => compiled.stages).toThrow(/W7529 {2}The stages and the op graph of store cannot be shown/);
  });
});

describe("WARPSMITH_STAGES", () => {
  function said(run: () => unknown): string {
    const error = vi.spyOn(console, "error").mockImplementation(() => {});
    try {
      run();
    } catch {
      // What is refused is told by who called.
    }
    const text = error.mock.calls.map(([line]) => `${line}\n`).join("");
    error.mockRestore();
    return text;
  }
  const headings = (text: string) => [...text.matchAll(/^; -{8} .*?\): (?:after )?([\w-]+)/gm)].map(([, name]) => name);

  it("prints the stages of each kernel when it is compiled", () => {
    vi.stubEnv("WARPSMITH_STAGES", "all");
    const scaled = makeScaled();
    const text = said(() => scaled.compile(spec));
    expect(text).toMatch(/^; ={8} kernel scaled\(x: f32\[32\]\), \S*stages\.test\.ts:16 ={8}$/m);
    expect(headings(text)).toEqual(stageNames);
    // What is compiled already is not compiled again.
    expect(said(() => scaled.compile(spec))).toBe("");
  });

  it("prints nothing of the kernel without it", () => {
    expect(said(() => makeScaled().compile(spec))).toBe("");
  });

  it("a compilation that fails in a pass shows the stages before it, and the error", () => {
    vi.stubEnv("WARPSMITH_STAGES", "diff");
    const some = kernel({ block: 32 }, function some(x: Tensor<"u32", 1>) {
      if (threadIdx.x > 3) return;
      x[threadIdx.x] = warp.ballot(threadIdx.x === 0);
    });
    const text = said(() => some.compile(tensorSpec("u32", [32])));
    const names = headings(text);
    expect(names.at(-1)).toBe("error");
    expect(names.slice(0, -1)).toEqual(stageNames.slice(0, names.length - 1));
    expect(names.length).toBeGreaterThan(1);
    expect(text).toMatch(/^; W\d{4} /m);
  });
});
