import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ladder } from "../../examples/gemm/ladder.ts";

/** What `npm run bench:ladder` wrote. */
interface Results {
  readonly sizes: Readonly<Record<string, readonly Row[]>>;
}
interface Row {
  readonly step: string;
  readonly us: number | null;
  readonly tflops: number | null;
  readonly ofLt: number | null;
}

const root = join(import.meta.dirname, "../..");
const page = join(root, "examples/gemm/README.md");
const results = "bench/results/NVIDIA-H200/ladder.json";
const measured = existsSync(join(root, results))
  ? (JSON.parse(readFileSync(join(root, results), "utf8")) as Results).sizes
  : undefined;
const sizes = measured ? Object.keys(measured) : ["4096", "8192"];

const rowOf = (step: string | undefined, size: string): Row | undefined => measured?.[size]?.find((row) => row.step === step);

/** `before`: what this step is compared with. */
function cells(step: string, before: string | undefined, size: string): readonly string[] {
  const [row, earlier] = [rowOf(step, size), rowOf(before, size)];
  if (!row || row.tflops === null) return ["not measured yet", "", ""];
  const times = (x: number | null) => (x === null ? "" : x.toFixed(3));
  return [row.tflops.toFixed(0), times(row.us && earlier?.us ? earlier.us / row.us : null), times(row.ofLt)];
}

function figures(): string {
  const line = (row: readonly string[]) => `| ${row.join(" | ")} |`;
  const head = ["step", "idea", ...sizes.flatMap((size) => [`${size}³: TFLOP/s`, "× before", "× cublasLt"])];
  const rows = ladder.map(({ name, idea, from }, i) => [
    ...[`[${name}](${name}.ts)`, idea],
    ...sizes.flatMap((size) => cells(name, from ?? ladder[i - 1]?.name, size)),
  ]);
  const source = measured
    ? `From [${results}](../../${results}): medians with a flushed L2 cache, all steps and the best of cublasLt's heuristics in turns.`
    : "";
  return [line(head), line(head.map((_, i) => (i < 2 ? "---" : "---:"))), ...rows.map(line), "", source].join("\n").trimEnd();
}

/** `UPDATE=1` after a run of `npm run bench:ladder`. */
it("the README has the steps and what was measured", () => {
  const text = readFileSync(page, "utf8");
  const [begin, end] = ["<!-- figures -->\n", "<!-- end of figures -->\n"];
  const [before = "", rest = ""] = text.split(begin);
  const after = rest.split(end)[1] ?? "";
  const wanted = `${before}${begin}${figures()}\n${end}${after}`;
  if (process.env.UPDATE === "1") writeFileSync(page, wanted);
  expect(readFileSync(page, "utf8")).toBe(wanted);
});

it.each(ladder.map(({ name }) => name))("the README speaks of %s", (name) => {
  const [number, ...words] = name.split("-");
  const spoken = new RegExp(`\\*\\*${Number(number)}\\. (A )?${words.join("[ -]")}`, "i");
  expect(readFileSync(page, "utf8")).toMatch(spoken);
});
