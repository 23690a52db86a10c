import { expect, it } from "vitest";
import { graphLines, printGraphWithPlaces } from "../../../../src/inspect/stages/graph-lines.ts";
import { StagePrinter } from "../../../../src/inspect/stages/print-stages.ts";
import type { Ending, StagePrint } from "../../../../src/inspect/stages/types.ts";
import { printGraph } from "../../../../src/ir/index.ts";
import { parseGraph } from "../../../../src/ir/parse.ts";

const call = { file: "k.ts", line: 9, column: 3, length: 4 };
const outer = { file: "k.ts", line: 2, column: 1, length: 30 };
const loc = (...spans: readonly { file: string; line: number; column: number; length: number }[]) =>
  `loc(${spans.map((s) => `"${s.file}":${s.line}:${s.column}+${s.length}`).join(", ")})`;

const graphOf = (...more: readonly string[]) =>
  parseGraph(`kernel @k(scalar "n" %0: i32) block(32, 1, 1) cluster(1, 1, 1) {
  shared 0 "b" bytes=16 align=16 ${loc(outer)}
  %1 = cmp %0, %0 {is = "eq"} : pred ${loc({ file: "lib.ts", line: 5, column: 7, length: 2 }, call, call, outer)}
  ${more.join("\n  ")}
  if %1 yes {
    yield values=[]
  } no {
    yield values=[]
  } ${loc(call)}
  exit
}`);
const before = graphOf();
const after = graphOf("%2 = add %0, %0 : i32");

it("each line has the author's places behind it: the innermost, then the calls, each once", () => {
  const lines = graphLines(before);
  expect(lines.map(({ text }) => text).join("\n")).toBe(printGraph(before).trimEnd());
  const places = lines.map(({ spans }) => spans.map(({ file, line, column }) => `${file}:${line}:${column}`).join(" "));
  expect(places).toEqual(["", "k.ts:2:1", "lib.ts:5:7 k.ts:9:3 k.ts:2:1", "k.ts:9:3", "", "", "", "", "", ""]);
  const text = printGraphWithPlaces(before);
  expect(text).toMatch(/^ {2}%1 = cmp .* ; lib\.ts:5:7 < k\.ts:9:3 < 2:1$/m);
  expect(text).toMatch(/^ {2}if %1 yes \{ +; k\.ts:9:3$/m);
  // The places are comments.
  expect(printGraph(parseGraph(text))).toBe(printGraph(before));
});

it("the kernel's own place is left out where there is another", () => {
  const [op] = before.body.ops;
  if (!op) throw new Error("the graph is empty");
  const around = { ...outer, note: "in the kernel at" };
  const graph = { ...before, shared: [], body: { ...before.body, ops: [{ ...op, spans: [call, around] }] } };
  expect(graphLines(graph)[1]?.spans).toEqual([call]);
  const alone = { ...graph, body: { ...graph.body, ops: [{ ...op, spans: [around] }] } };
  expect(graphLines(alone)[1]?.spans).toEqual([around]);
});

function printed(print: StagePrint, end: Ending): string {
  const out: string[] = [];
  const printer = new StagePrinter(print, { title: "k(n: i32)", place: outer }, (text) => out.push(text));
  for (const [name, graph] of [
    ["trace", before],
    ["fold", after],
    ["cse", after],
  ] as const)
    printer.stage({ name, level: "machine", lines: graphLines(graph) });
  printer.end(end);
  return out.join("\n");
}
const sections = (text: string): readonly string[] => text.split("\n").filter((line) => /^; [-=]{8} /.test(line));
const ptx = ".version 8.0\n";

it("all stages, each whole", () => {
  const text = printed({ diff: false }, { ptx });
  expect(sections(text)).toEqual([
    "; ======== kernel k(n: i32), k.ts:2 ========",
    "; -------- k(n: i32): after trace (machine) --------",
    "; -------- k(n: i32): after fold (machine) --------",
    "; -------- k(n: i32): after cse (machine) --------",
    "; -------- k(n: i32): ptx --------",
  ]);
  expect(text.split("kernel @k(").length - 1).toBe(3);
  expect(text).toContain(ptx);
});

it("as differences: those that change nothing are one line", () => {
  const text = printed({ diff: true }, { ptx });
  const fold = text.split("after fold")[1] ?? "";
  expect(fold).toMatch(/^\+ {3}%2 = add %0, %0 : i32$/m);
  expect(text.split("%2 = add").length - 1).toBe(1);
  expect(text).toContain("\n; -------- k(n: i32): after cse (machine): no change --------\n; -------- k(n: i32): ptx");
  // Lines that are far from a change are told by their number.
  expect(fold).toMatch(/^; … 4 lines$/m);
});

it("one stage, and the end where that is asked for", () => {
  const fold = "; -------- k(n: i32): after fold (machine) --------";
  expect(sections(printed({ diff: false, only: "fold" }, { ptx })).slice(1)).toEqual([fold]);
  expect(sections(printed({ diff: false, only: "ptx" }, { ptx })).slice(1)).toEqual(["; -------- k(n: i32): ptx --------"]);
});

it("an error is the last section, whatever was asked for", () => {
  const text = printed({ diff: false, only: "fold" }, { error: "W2013  No.\n  fix: yes" });
  expect(text).toContain("k(n: i32): error --------\n; W2013  No.\n;   fix: yes\n");
});
