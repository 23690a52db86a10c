import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDevice } from "warpsmith";
import { tensorCorePipeline } from "warpsmith/schedule";
import { numbersIn, timesOf } from "../../bench/entry.ts";
import { readRecord } from "../../bench/record.ts";
import type { CaseRun } from "../../examples/lesson.ts";
import { sameProgram } from "../../src/schedule/ir/same.ts";
import type { Program } from "../../src/schedule/ir/types.ts";
import { programKernel } from "../../src/schedule/lower/index.ts";
import { specsOf } from "../../src/schedule/lower/tensors/specs.ts";
import type { Schedule } from "../../src/schedule/schedule.ts";
import { programOf } from "../schedule/program-of.ts";
import { rotating, some } from "../support/amount.ts";
import { assemble, noPtxas } from "../support/ptxas.ts";

const root = join(import.meta.dirname, "../..");
const folder = join(root, "examples/schedule/tensorir/further");
const load = async <T>(path: string): Promise<T> => (await import(/* @vite-ignore */ path)) as T;

type Make = (n: number, sizes: unknown) => Schedule;
interface FurtherStep {
  readonly name: string;
  readonly idea: string;
  readonly by: "warps" | "warpgroup";
  readonly make: Make;
  readonly others?: Readonly<Record<string, Make>>;
}
const { ladder, fullSizes } = await load<{ readonly ladder: readonly FurtherStep[]; readonly fullSizes: unknown }>(
  join(folder, "steps.ts"),
);
const { reducedSizes, reducedSize } = await load<{
  readonly reducedSizes: unknown;
  readonly reducedSize: Readonly<Record<FurtherStep["by"], number>>;
}>(join(folder, "main.ts"));
const { product } = await load<{ product(n: number, make: () => Schedule): CaseRun }>(join(folder, "../product.ts"));

const others = ladder.flatMap(({ name, by, others: ways = {} }) =>
  Object.entries(ways).map(([way, make]) => ({ name: `${name}: ${way}`, by, make })),
);
const all = [...ladder, ...others].map((step) => [step.name, step] as const);

const ptxOf = (program: Program): string => programKernel(program).compile(...specsOf(program)).ptx;

/** At 1024 × 1024 × 1024. */
describe("the steps after the tutorial's", () => {
  it.each(ladder.slice(1).map((step) => [step.name, step] as const))("print: %s", async (name, { make }) => {
    const schedule = make(1024, fullSizes);
    const text = schedule.print();
    await expect(text).toMatchFileSnapshot(
      join(root, `test/goldens/schedules/tensorir-further/${name.replaceAll(" ", "-")}.txt`),
    );
  });
  it.each(ladder.slice(1).map((step) => [step.name, step] as const))("print what makes them: %s", rotating, (_, { make }) => {
    const schedule = make(1024, fullSizes);
    expect(sameProgram(programOf(schedule.print()), schedule.program)).toBe(true);
  });

  it.skipIf(noPtxas !== undefined).each(all)("are assembled without complaint or spill: %s", (_, { make }) => {
    const { ok, warnings, spills, log } = assemble(ptxOf(make(1024, fullSizes).program)) ?? { log: "" };
    expect({ ok, warnings, spills }, log).toEqual({ ok: true, warnings: [], spills: 0 });
  });
});

it("the last of them is the kernel that the pipeline makes of the same loops", async () => {
  const { matmulOf } = await load<{ matmulOf(n: number): Program }>(join(folder, "../matmul.ts"));
  const options = { instruction: "wgmma", tile: [64, 128, 64], workgroup: [128, 1, 1], depth: 8, swizzle: 8 } as const;
  const { program } = tensorCorePipeline(matmulOf(1024), options).schedule;
  const last = ladder.at(-1)?.make(1024, fullSizes).program;
  // Places in the source apart.
  const codeOf = (p: Program) => ptxOf(p).replaceAll(/^\s*\.(loc|file) .*\n/gm, "");
  expect(last && codeOf(last)).toBe(codeOf(program));
});

describe("other ways to the same on the emulator, check strict", () => {
  it.each(
    some(
      others.toReversed().map((step) => [step.name, step] as const),
      1,
    ),
  )("%s", async (_, { by, make }) => {
    await using gpu = await openDevice("emulator", { check: "strict" });
    await product(reducedSize[by], () => make(reducedSize[by], reducedSizes)).run(gpu);
  });
});

const record = "bench/results/NVIDIA-H200/schedules.json";
/** What `npm run bench:schedules -- --group tutorial` wrote; undefined before there is such a run. */
function measured() {
  if (!existsSync(join(root, record))) return undefined;
  const entry = readRecord(join(root, record)).entries.find(({ group, of }) => group === "tutorial" && of.m === 1024);
  return entry && { plans: numbersIn(entry.figures?.plans), peers: timesOf(entry) };
}

/** The steps as a table: with what was measured of them, and of other ways beside the step before. */
function figures(of: ReturnType<typeof measured>): string {
  const line = (row: readonly string[]) => `| ${row.join(" | ")} |`;
  const ratio = (x: number | undefined, y: number | undefined, digits: number) =>
    x === undefined || y === undefined ? "" : (x / y).toFixed(digits);
  const lt = of?.peers.cublasLt;
  const cells = (name: string, before: string | undefined): readonly string[] => {
    if (!of) return [];
    const us = of.plans[name];
    return [us?.toFixed(1) ?? "", ratio(of.plans[before ?? ""], us, 2), ratio(lt, us, 3)];
  };
  const rows = ladder.flatMap(({ name, idea, others: ways = {} }, i) => {
    const before = ladder[i - 1]?.name;
    const besides = of ? Object.keys(ways) : [];
    return [
      [name, idea, ...cells(name, before)],
      ...besides.map((way) => ["", `or: ${way}`, ...cells(`${name}: ${way}`, before)]),
    ];
  });
  const head = ["step", "idea", ...(of ? ["µs", "× the one before", "× cublasLt"] : [])];
  const source = `From [${record}](../../../../${record}), 1024 × 1024 × 1024: medians with a flushed L2 cache, all of them and the best of cublasLt's heuristics${lt === undefined ? "" : ` (${lt.toFixed(1)} µs)`} in turns. "or" is another way to the same step, beside the step before; the next one goes on from the step itself.`;
  return [line(head), line(head.map((_, i) => (i < 2 ? "---" : "---:"))), ...rows.map(line), ...(of ? ["", source] : [])].join(
    "\n",
  );
}

/** `UPDATE=1` after a run of the bench renews the table. */
describe("the README of the steps after the tutorial's", () => {
  const page = join(folder, "README.md");

  it("has the steps and what was measured", () => {
    const text = readFileSync(page, "utf8");
    const [begin, end] = ["<!-- figures -->\n", "<!-- end of figures -->\n"];
    const [before = "", rest = ""] = text.split(begin);
    const wanted = `${before}${begin}${figures(measured())}\n${end}${rest.split(end)[1] ?? ""}`;
    if (process.env.UPDATE === "1") writeFileSync(page, wanted);
    expect(readFileSync(page, "utf8")).toBe(wanted);
  });

  it("a record has a figure for each step", () => {
    const found = measured();
    if (found) expect(Object.keys(found.plans)).toEqual(expect.arrayContaining(ladder.map(({ name }) => name)));
  });

  it("figures stand beside their steps", () => {
    const plans = Object.fromEntries(ladder.map(({ name }, i) => [name, 2 ** -i]));
    const text = figures({ plans, peers: { cublasLt: 0.25 } });
    expect(text).toContain(`| ${ladder[1]?.name} | ${ladder[1]?.idea} | 0.5 | 2.00 | 0.500 |`);
    expect(text).toContain("cublasLt's heuristics (0.3 µs)");
  });

  it.each(ladder.slice(1).map(({ name }) => name))("speaks of %s", (name) => {
    const [number, ...words] = name.split(" ");
    expect(readFileSync(page, "utf8")).toMatch(new RegExp(`\\*\\*${number}\\. ${words.join(" ")}`, "i"));
  });
});
