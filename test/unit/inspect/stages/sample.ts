import { graphLines } from "../../../../src/inspect/stages/graph-lines.ts";
import type { KernelRecord, StageSeen } from "../../../../src/inspect/stages/types.ts";
import { parseGraph } from "../../../../src/ir/parse.ts";

/** What would end a script, begin a comment or be markup, where a page took texts for HTML. */
export const hostile = `</script><img src=x onerror="document.title='broken'"><!-- & \u2028`;

const graph = (ops: string) =>
  parseGraph(`kernel @k(scalar ${JSON.stringify(hostile)} %0: i32) block(32, 1, 1) cluster(1, 1, 1) {
${ops}
  exit loc("k.ts":2:3+8)
}`);
const sum = `  %1 = add %0, %0 : i32 loc("lib.ts":1:24+5, "k.ts":3:5+4, "k.ts":2:3+8)`;
const product = `  %2 = mul %1, %1 : i32 loc("k.ts":4:3+5, "k.ts":2:3+8)`;
const many = Array.from({ length: 20 }, (_, i) => `  %${i + 3} = sub %1, %0 : i32 loc("k.ts":5:3+5, "k.ts":2:3+8)`).join("\n");

const stage = (name: string, level: string, ops: string): StageSeen => ({ name, level, lines: graphLines(graph(ops)) });

const stages = [
  stage("trace", "tile", `${sum}\n${many}\n${product}`),
  stage("cse", "tile", `${sum}\n${many}\n${product}`),
  stage("fold", "machine", `${sum}\n${many}`),
];

const ptx = `.visible .entry k(
  .param .b32 p0_x // ${hostile.replace("\u2028", "")}
)
{
  ld.param.b32 %r0, [p0_x];
  .loc 1 1 24
  add.s32 %r1, %r0, %r0;
  .loc 2 5 3
  sub.s32 %r2, %r1, %r0;
  .loc 2 5 9
  sub.s32 %r3, %r1, %r0;
}

.file 1 "lib.ts"
.file 2 "k.ts"
`;

const place = { file: "k.ts", line: 2, column: 3, length: 8 };

/** A kernel that is compiled, one that a pass refuses, and one that cannot be traced. */
export const kernels: readonly KernelRecord[] = [
  { title: `k(${hostile})`, place, stages, ptx },
  { title: "refused(n: i32)", place, stages: stages.slice(0, 2), error: `W2013  No.\n${hostile}` },
  { title: "untraced()", place: undefined, stages: [], error: "W2001  No." },
];

/** The text of k.ts; that of lib.ts cannot be read. */
export const sourceText = (file: string): string | undefined =>
  file === "k.ts" ? `// ${hostile}\nfunction k(n: i32) {\n  lib(n);\n  n * n;\n  n - 1;\n}\n` : undefined;

const check = `  check.exact %1 {symbol = "+"} loc("k.ts":4:3+5, "k.ts":2:3+8)`;
/** Ops that look whether something holds, between others. */
export const withChecks: KernelRecord = {
  title: "k",
  place: undefined,
  stages: [stage("trace", "tile", `${sum}\n${check}\n${check}\n${product}`), stage("cse", "tile", `${sum}\n${product}`)],
  ptx: "",
};
