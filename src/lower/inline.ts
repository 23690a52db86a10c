import { anyOp, type Graph, isScalar, type Literal, type Op, walkOps } from "../ir/index.ts";
import { outsideNote, type Reg, type RegClass } from "../ptx/index.ts";
import { dataType, type Instruction, type PtxType, type Register, registersUsed, traitsOf } from "../ptx/parse/index.ts";
import { bindScalar, type Context, classOf, emitStatement, fresh, moveZero, nextLabel, placeLabel, register } from "./context.ts";
import { extended } from "./convert.ts";
import { type InlineOp, readInlinePtx } from "./inline-ptx.ts";

/** The class of registers that stands for those of a type of PTX. */
function classFor(type: PtxType): RegClass {
  if (type === "pred" || type === "f32" || type === "f64") return type;
  const { bits } = dataType(type);
  return bits === 64 ? "b64" : bits === 32 ? "b32" : "b16";
}

/** Copies a box in the author's own PTX, which has no option for those that lie outside. */
const copiesBox = (i: Instruction): boolean => traitsOf(i).async === "copy" && i.operands.some((o) => o?.kind === "tensor");

/** The author's instructions, each of their registers one of the kernel's. */
function lowerInline(ctx: Context, op: InlineOp): void {
  const { instructions, labels, registers, cleared } = readInlinePtx(op, (id) => ctx.literals.get(id));
  const known = new Map<Register, Reg>();
  const results = op.results.map(({ type }) => fresh(ctx, classOf(type as Parameters<typeof classOf>[0])));
  registers.forEach((own, at) => {
    const value = op.operands.values[at - op.results.length];
    const reg = results[at] ?? (own && value && register(ctx, value));
    if (own && reg) known.set(own, reg);
  });
  const regFor = (own: Register): Reg => {
    const reg = known.get(own) ?? fresh(ctx, classFor(own.type));
    known.set(own, reg);
    return reg;
  };
  for (const own of cleared) moveZero(ctx, regFor(own));
  // Each copy of a text has labels of its own.
  const names = new Map(labels.map((label) => [label, nextLabel(ctx, `ptx_${label.name.replace(/\W/g, "")}`)]));
  const placeLabels = (at: number): void => {
    for (const [{ target }, name] of names) if (target === at) placeLabel(ctx, name);
  };
  instructions.forEach((instruction, at) => {
    placeLabels(at);
    const { reads, writes } = registersUsed(instruction);
    for (const own of [...reads, ...writes]) regFor(own);
    if (copiesBox(instruction)) emitStatement(ctx, outsideNote);
    emitStatement(ctx, { kind: "inlined", instruction, registers: known, labels: names });
  });
  placeLabels(instructions.length);
  op.results.forEach((value, at) => {
    const reg = results[at];
    if (reg) bindScalar(ctx, value, isScalar(value.type) ? extended(ctx, value.type, reg) : reg);
  });
}

export const inlineRules = {
  "ptx.inline": lowerInline,
  "ptx.sync": lowerInline,
  "ptx.pure": lowerInline,
} as const;

const isInline = (op: Op): op is InlineOp & Op => Object.hasOwn(inlineRules, op.name);

/** Refuses what is wrong in the author's PTX, also where nobody needs what it gives. W2801–W2818, W9800–W9807. */
export function checkInlinePtx(graph: Graph): void {
  const ops: InlineOp[] = [];
  const literals = new Map<number, Literal>();
  walkOps(graph.body, (raw) => {
    const op = anyOp(raw);
    if (op.name === "const" && op.results[0]) literals.set(op.results[0].id, op.attrs.value);
    if (isInline(raw)) ops.push(raw);
  });
  for (const op of ops) readInlinePtx(op, (id) => literals.get(id));
}
