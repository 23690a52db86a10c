import { coreOps } from "./ops/core.ts";
import type { AttrSpec, OpSpec, Participants } from "./ops/define-ops.ts";
import { mbarrierOps } from "./ops/mbarrier.ts";
import { memoryOps } from "./ops/memory.ts";
import { tmaOps } from "./ops/tma.ts";
import { wgmmaOps } from "./ops/wgmma.ts";

const rooms: readonly (readonly [title: string, ops: Readonly<Record<string, OpSpec>>])[] = [
  ["Core", coreOps],
  ["Memory", memoryOps],
  ["Mbarriers", mbarrierOps],
  ["Bulk copies", tmaOps],
  ["Warpgroup products", wgmmaOps],
];

const intro = `# The op graph

This page is written by \`irReference\` (src/ir/doc.ts) from the op table in src/ir/ops. \`UPDATE=1 npx vitest run test/unit/ir/doc.test.ts\` writes it again.

A kernel is traced into a graph of these operations; passes rewrite it, and lowering turns it into PTX. \`kernel.compile(…)\` gives it as text:

    %5 = add %3, %4 : i32                                        ; operands, then the type of the result
    %6 = ld.global %0, pred=%2 {offset = 16, cache = "nc"} : f32 ; operands that may be absent stand by name, attributes in braces
    %7 = if %2 : f32 yes {                                       ; regions by name; what they yield becomes the results
      yield values=[%6]
    } no {
      yield values=[%1]
    }

\`%sum.8\` is value 8, which the author calls \`sum\`. Types: \`pred\`, \`i8\` … \`u64\`, \`f16\`, \`bf16\`, \`f32\`, \`f64\`, \`e4m3\`, \`e5m2\`; the
addresses \`ptr.global\` (64 bits), \`ptr.shared\` (32 bits) and \`ptr.cluster\` (32 bits, of any block of the cluster); \`tensormap\`, \`desc\`; and \`acc<f32, 128x64>\`, the accumulators of a warpgroup.

Of the kinds of operands, \`T\` is any scalar but pred, \`int\` and \`float\` a scalar of that class: within one operation they are one type. \`offset\` is i32,
u32, i64 or u64. \`?\` may be absent, \`*\` is a list. A result \`=a\` has the type of operand a; \`given\` is said where the operation is made.
What is run together must not stand where only some of those threads come. Operations without effects may be removed, merged and moved. Numbers after § are sections of the PTX ISA.
`;

const list = (entries: Readonly<Record<string, string>>): string =>
  Object.entries(entries)
    .map(([name, kind]) => `${name}: ${kind}`)
    .join(", ");

function attrKind(spec: AttrSpec): string {
  return typeof spec === "string" ? spec : spec.map((v) => (typeof v === "string" ? `"${v}"` : String(v))).join(" or ");
}

const together: Readonly<Record<Participants, string>> = {
  mask: "the lanes of the mask",
  warp: "a warp",
  warpgroup: "a warpgroup",
  block: "whole warps of the block",
  cluster: "whole warps of the cluster",
};

function describe(name: string, op: OpSpec): string {
  const attrs = Object.fromEntries(Object.entries(op.attrs ?? {}).map(([attr, spec]) => [attr, attrKind(spec)]));
  const facts: readonly (readonly [string, string])[] = [
    ["operands", list(op.operands)],
    ["attributes", list(attrs)],
    ["result", op.result ?? ""],
    ["regions", op.regions ? `${op.regions.join(", ")} (${op.flow})` : ""],
    ["effects", op.effects.join(", ")],
    ["run together by", op.participants === undefined ? "" : together[op.participants]],
    ["its operands", op.commutative ? "may change places" : ""],
    ["of a value with itself", op.idempotent ? "that value" : ""],
    ["cost", op.cost ?? ""],
    ["takes over the registers of", op.tied ?? ""],
    ["ends its region", op.terminator === undefined ? "" : op.terminator === "yields" ? "yes" : "yes, and the thread"],
    ["needs", op.target ?? ""],
  ];
  const lines = facts.filter(([, text]) => text !== "").map(([fact, text]) => `- ${fact}: ${text}`);
  return `### \`${name}\`\n\n${op.doc}${op.ptx === undefined ? "" : ` §${op.ptx}`}\n${lines.length > 0 ? `\n${lines.join("\n")}\n` : ""}`;
}

/** The reference of all operations as Markdown: docs/ir.md. */
export function irReference(): string {
  const parts = rooms.map(
    ([title, ops]) =>
      `## ${title}\n\n${Object.entries(ops)
        .map(([name, op]) => describe(name, op))
        .join("\n")}`,
  );
  return `${intro}\n${parts.join("\n")}`;
}
