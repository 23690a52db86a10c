import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { WarpsmithError } from "../src/base/diag/index.ts";
import { type Graph, InvariantError, printGraph, verify } from "../src/ir/index.ts";
import { parseGraph } from "../src/ir/parse.ts";
import { lowerGraph } from "../src/lower/index.ts";
import { passes, runPasses } from "../src/passes/index.ts";
import { printPtx } from "../src/ptx/index.ts";
import { checksOf, failingCheck } from "./support/check-lines.ts";
import { assemble } from "./support/ptxas.ts";

/** Cases as text: test/filetests/README.md says how they are written. */
const folder = join(import.meta.dirname, "filetests");
const update = process.env.UPDATE === "1";
const divider = "; ----";
const nextCase = /^; ====.*$/m;

function passNamed(name: string) {
  const pass = passes.find((p) => p.name === name);
  if (!pass) throw new Error(`there is no pass '${name}': ${[...new Set(passes.map((p) => p.name))].join(", ")}`);
  return pass;
}

/** PTX that ptxas takes without complaint, where there is a ptxas. */
function toPtx(graph: Graph): string {
  const ptx = printPtx(lowerGraph(graph, { lines: false }));
  const assembled = assemble(ptx);
  if (assembled) expect(assembled.ok && assembled.warnings.length === 0, assembled.log).toBe(true);
  return ptx;
}

const kinds: Readonly<Record<string, (text: string, file: string, args: readonly string[]) => string>> = {
  parse: (text) => printGraph(parseGraph(text), { spans: true }),
  verify: (text, file) => {
    const graph = parseGraph(text, { file });
    verify(graph);
    return printGraph(graph);
  },
  passes: (text, file, args) =>
    printGraph(runPasses(parseGraph(text, { file }), { verify: true }, args.length > 0 ? args.map(passNamed) : passes)),
  lower: (text, file) => toPtx(runPasses(parseGraph(text, { file }), { verify: true }, [passNamed("layout-shared")])),
  compile: (text, file) => toPtx(runPasses(parseGraph(text, { file }), { verify: true })),
};

interface Complaint {
  readonly line: number;
  readonly message: string;
}

/** What an error says, and on which line of the case. Anything but the compiler's own errors is a failure of the test. */
function complaintOf(error: unknown): Complaint {
  const own = error instanceof Error && error.cause instanceof InvariantError ? error.cause : error;
  if (!(own instanceof WarpsmithError) && !(own instanceof InvariantError)) throw error;
  const head = own.message.split("\n")[0] ?? "";
  // Without a place in the case, an error stands at the call on the host: in this file.
  const place = own.spans.find((span) => !span.file.endsWith("filetests.test.ts"));
  return { line: place?.line ?? 1, message: head.replace(" (a mistake of the compiler: please report it)", "") };
}

function produce(input: string, file: string, kind: string, args: readonly string[]): { output?: string; complaint?: Complaint } {
  const run = kinds[kind];
  if (!run) throw new Error(`no such kind of test: '${kind}' (${Object.keys(kinds).join(", ")})`);
  try {
    return { output: run(input, file, args) };
  } catch (error) {
    return { complaint: complaintOf(error) };
  }
}

const annotation = / *; error: (.*)$/;

/** Checks one case; gives its text as it should be. */
function checkCase(text: string, title: string, file: string, kind: string, args: readonly string[]): string {
  const of = `${title === "" ? "" : ` of "${title}"`}; UPDATE=1 npx vitest run test/filetests.test.ts takes what came out`;
  const [input = "", expected] = text.split(new RegExp(`^${divider}$\n`, "m"));
  const { output, complaint } = produce(input, file, kind, args);
  const lines = input.split("\n");
  const wanted = lines.flatMap((line, i) =>
    annotation.test(line) ? [{ line: i + 1, message: annotation.exec(line)?.[1] ?? "" }] : [],
  );
  const checks = checksOf(expected ?? "");
  if (checks && output !== undefined)
    expect(failingCheck(output, checks), `a check that does not hold${of}\n${output}`).toBeUndefined();
  if (!update || checks) {
    expect(complaint ? [complaint] : [], `the errors${of}`).toEqual(wanted);
    if (!complaint && !checks) expect(output?.trimEnd(), `the output${of}`).toBe(expected?.trim() ?? "nothing is expected here");
    return text;
  }
  const plain = lines.map((line) => line.replace(annotation, ""));
  if (complaint)
    return plain.map((line, i) => (i + 1 === complaint.line ? `${line} ; error: ${complaint.message}` : line)).join("\n");
  return `${plain.join("\n").trimEnd()}\n${divider}\n${output}`;
}

function checkFile(path: string, file: string): void {
  const text = readFileSync(path, "utf8");
  const [, kind = "", rest = ""] = /^; test: (\w+)(.*)\n/.exec(text) ?? [];
  expect(kind, "the first line says what is tested: '; test: …'").not.toBe("");
  const args = rest
    .split(",")
    .map((s) => s.trim())
    .filter((s) => s !== "");
  const titles = text.match(new RegExp(nextCase, "gm")) ?? [];
  const cases = text.split(nextCase).map((part, i) => {
    const body = i === 0 ? part : part.replace(/^\n/, "");
    return i > 0 || titles.length === 0
      ? checkCase(body, (titles[i - 1] ?? "").replace(/^; ==== ?/, ""), file, kind, args)
      : part;
  });
  const out = cases.reduce((all, part, i) => (i === 0 ? part : `${all.trimEnd()}\n\n${titles[i - 1]}\n${part}`));
  if (update) writeFileSync(path, `${out.trimEnd()}\n`);
}

const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((f) => f.endsWith(".ir"));
test.each(files.toSorted())("%s", (file) => checkFile(join(folder, file), file));

test.each([
  "; check: %a = add %a",
  "; check-not: sub",
  "; check: add\n; check: const",
  "; check: %a = const\n; check: add %a",
  "; check: sub %3, %2",
])("what does not hold of a text is found: %s", (text) => {
  const graph = "%x.1 = const {value = 1}\n%2 = const\n%3 = add %2, %x.1\n%4 = sub %3, %21";
  expect(failingCheck(graph, checksOf(text) ?? [])).toBeDefined();
});

/** `check-accumulators` is no pass of the list: it looks where the verifier has refused a graph. */
test.each([...new Set(passes.map((p) => p.name)), "check-accumulators"])("%s has a file of its own", (name) => {
  expect(files).toContain(join("passes", `${name}.ir`));
});
