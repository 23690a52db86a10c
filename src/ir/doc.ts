import { defaultTarget } from "../base/target.ts";
import { checkOps } from "./ops/check.ts";
import { collectiveOps } from "./ops/collective.ts";
import { coreOps } from "./ops/core.ts";
import type { AttrSpec, OpSpec, Participants } from "./ops/define-ops.ts";
import { fragmentOps } from "./ops/fragment.ts";
import { mbarrierOps } from "./ops/mbarrier.ts";
import { memoryOps } from "./ops/memory.ts";
import { mmaOps } from "./ops/mma.ts";
import { ptxOps } from "./ops/ptx.ts";
import { tileOps } from "./ops/tile.ts";
import { timelineOps } from "./ops/timeline.ts";
import { tmaOps } from "./ops/tma.ts";
import { viewOps } from "./ops/view.ts";
import { warpOps } from "./ops/warp.ts";
import { watchOps } from "./ops/watch.ts";
import { wgmmaOps } from "./ops/wgmma.ts";
import { wmmaOps } from "./ops/wmma.ts";

const rooms: readonly (readonly [title: string, ops: Readonly<Record<string, OpSpec>>])[] = [
  ["Core", coreOps],
  ["Lanes of a warp", warpOps],
  ["Memory", memoryOps],
  ["Mbarriers", mbarrierOps],
  ["Bulk copies", tmaOps],
  ["Warpgroup products", wgmmaOps],
  ["Reductions and scans of threads", collectiveOps],
  ["Products of a warp", { ...wmmaOps, ...mmaOps }],
  ["PTX of the author", ptxOps],
  ["Records of a watched kernel", watchOps],
  ["Views", viewOps],
  ["Matrices of a warp", fragmentOps],
  ["Tiles, operands and copies of views", tileOps],
  ["Checks", checkOps],
  ["Timelines", timelineOps],
];

const intro = `# The op graph

This page is written by \`irReference\` (src/ir/doc.ts) from the op table in src/ir/ops. \`UPDATE=1 npx vitest run test/unit/ir/doc.test.ts\` writes it again.

A kernel is traced into a graph of these operations; [passes](passes.md) rewrite it, and lowering turns it into PTX. \`kernel.trace(…)\` gives the graph as text
before any pass, \`kernel.compile(…).graph\` after all of them, [\`.stages\`](stages.md) after each.

## How it reads

    %5 = add %3, %4 : i32                                        ; operands, then the type of the result
    %6 = ld.global %0, pred=%2 {offset = 16, cache = "nc"} : f32 ; operands that may be absent stand by name, attributes in braces
    %7 = if %2 : f32 yes {                                       ; regions by name; what they yield becomes the results
      yield values=[%6]
    } no {
      yield values=[%1]
    }

\`%sum.8\` is value 8, which the author calls \`sum\`.

Between its parameters and its body a kernel says what it is compiled with: \`target(…)\` where that is not ${defaultTarget.name}, \`block(…)\` and \`cluster(…)\`, then what is
not as usual of \`registers(…)\`, \`blocks_per_sm(…)\`, \`dynamic_shared(…)\`, \`contract\` and \`debug\`. Its shared buffers follow, \`shared 0 "tile" bytes=16384 align=1024\`.
What an operation needs its target must have: the verifier refuses the graph otherwise.

## Two levels

| level | is | has |
|---|---|---|
| tile | what the author said, as tracing gives it | views, tiles, operands, copies of views, reductions of threads, checks, beside scalars, control flow and synchronisation |
| machine | what the machine does | the same scalars, control flow and synchronisation; addresses, registers, descriptors |

Passes take the tile level apart. An operation that belongs to one level says so (*level: tile*); all others are of both. The verifier refuses a graph of the machine level
that still has an operation or a value of the tile level, and one of the tile level that has an operation of the machine level already.

## Types

| type | |
|---|---|
| \`pred\`, \`i8\` … \`u64\`, \`f16\`, \`bf16\`, \`f32\`, \`f64\`, \`e4m3\`, \`e5m2\` | scalars |
| \`ptr.global\` | an address in global memory, 64 bits |
| \`ptr.shared\` | an address in the block's shared memory, 32 bits |
| \`ptr.cluster\` | an address in the shared memory of any block of the cluster, 32 bits |
| \`tensormap\` | a tensor map that is a parameter |
| \`desc\` | a descriptor of a matrix for wgmma |
| \`acc<f32, 128x64>\` | the accumulators of a warpgroup |
| \`view<"…">\` | tile level: a part of memory with a shape |
| \`tile<"…">\` | tile level: a matrix over the registers of a warpgroup, or of several |
| \`operand<"…">\` | tile level: one side of a product |
| \`fragment<"…">\` | tile level: a matrix of a product of one warp (wmma) |

The types of the tile level say all that is static about a value:

| printed | means |
|---|---|
| \`view<"shared f16 [64:128, 64:2] swizzle 128B align 1024">\` | 64 rows, 128 bytes apart, of 64 neighbouring elements, 2 bytes apart: \`extent:stride\`, in bytes. The buffer begins at a multiple of 1024 |
| \`view<"shared f16 [128:128, 2:16384+64:2] swizzle 128B align 1024">\` | a dimension in panels is \`outer+inner\`: 128 columns in 2 panels of 64, 16384 bytes apart |
| \`view<"shared f16 [64:128, 3-48:8192+64:2] swizzle 128B align 1024">\` | 144 columns: 3 panels of 64, less 48 |
| \`view<"cluster f32 [32:4] align 128">\` | the same in any block of the cluster |
| \`view<"global f32 [64/?:128, 128:1] wide align 16">\` | of a tensor strides count elements. \`?\` is what the host passes at launch, \`64/?\` 64 rows of a tensor with \`?\`; \`wide\`: offsets need 64 bits |
| \`tile<"f32 128x256 wgmma over 2">\` | a matrix that two warpgroups hold together |
| \`operand<"f16 128x64 chosen 1 of shared f16 [3:16384, 128:128, 64:2] swizzle 128B align 1024">\` | 128 rows and 64 columns of f16 in shared memory; 1 leading dimension, the stage, is chosen |
| \`operand<"f16 64x128 in registers">\` | a left side in registers |
| \`fragment<"a f16 m16n16k16 col">\` | A of a product of that shape, whose columns lay in one piece each |

## What is said of an operation

| | |
|---|---|
| operands | \`T\` is any scalar but pred, \`int\` and \`float\` a scalar of that class: within one operation they are one type. \`offset\` is i32, u32, i64 or u64. \`?\` may be absent, \`*\` is a list |
| result | \`=a\` has the type of operand a; \`given\` is said where the operation is made |
| effects | operations without effects may be removed, merged and moved |
| run together by | must not stand where only some of those threads come |
| § | a section of the PTX ISA |
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
  "whole block": "the block",
  "whole cluster": "the cluster",
  cluster: "whole warps of the cluster",
};

function describe(name: string, op: OpSpec): string {
  const attrs = Object.fromEntries(Object.entries(op.attrs ?? {}).map(([attr, spec]) => [attr, attrKind(spec)]));
  const facts: readonly (readonly [string, string])[] = [
    ["level", op.level ?? ""],
    ["operands", list(op.operands)],
    ["attributes", list(attrs)],
    ["result", op.result ?? ""],
    ["regions", op.regions ? `${op.regions.join(", ")} (${op.flow})` : ""],
    ["effects", op.effects.join(", ")],
    ["run together by", op.participants === undefined ? "" : together[op.participants]],
    ["its operands", op.commutative ? "may change places" : ""],
    ["of a value with itself", op.idempotent ? "that value" : ""],
    ["cost", op.cost ?? ""],
    ["layout", op.anyLayout ? "any, at the same cost" : op.layoutFrom ? `follows from the ${op.layoutFrom}'` : ""],
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
