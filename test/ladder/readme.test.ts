import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readRecord } from "../../bench/record.ts";
import { ladder } from "../../examples/gemm/ladder.ts";

const root = join(import.meta.dirname, "../..");
const page = join(root, "examples/gemm/README.md");
const results = "bench/results/NVIDIA-H200/ladder.json";
/** What `npm run bench:ladder` wrote. */
const measured = existsSync(join(root, results)) ? readRecord(join(root, results)).entries : undefined;
const sizes = measured ? [...new Set(measured.map(({ of }) => String(of.m)))] : ["4096", "8192"];

const rowOf = (step: string | undefined, size: string) =>
  measured?.find((entry) => entry.case === step && String(entry.of.m) === size);

/** `before`: what this step is compared with. */
function cells(step: string, before: string | undefined, size: string): readonly string[] {
  const [row, earlier] = [rowOf(step, size), rowOf(before, size)];
  const [tflops, ofLt] = [row?.figures?.tflops, row?.figures?.ofLt];
  if (!row || typeof tflops !== "number") return ["not measured yet", "", ""];
  const times = (x: unknown) => (typeof x === "number" ? x.toFixed(3) : "");
  return [tflops.toFixed(0), times(row.us && earlier?.us ? earlier.us / row.us : null), times(ofLt)];
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
