import type { Instruction } from "./instruction.ts";
import { formSpec } from "./isa/index.ts";
import type { PtxModule } from "./module.ts";
import type { Operand } from "./operands.ts";
import { printInlined, printInstruction } from "./print.ts";
import { fitsType, isPtxType, type Reg } from "./regs.ts";

const kinds: Readonly<Record<string, readonly Operand["kind"][]>> = {
  d: ["reg"],
  s: ["reg", "imm"],
  special: ["special"],
  sym: ["symbol"],
  v: ["reg", "vec"],
  w: ["reg", "imm", "vec"],
  vec: ["vec"],
  p: ["reg", "not", "imm"],
  dp: ["reg"],
  pair: ["pair"],
  addr: ["address"],
  tensor: ["tensor"],
  label: ["label"],
  imm: ["imm"],
  sink: ["sink"],
};

function registersOf(o: Operand): readonly Reg[] {
  switch (o.kind) {
    case "reg":
      return [o];
    case "not":
      return [o.reg];
    case "vec":
      return o.items.filter((item) => item.kind === "reg");
    case "pair":
      return o.value.kind === "reg" ? [o.value, o.pred] : [o.pred];
    case "address":
      return o.base.kind === "reg" ? [o.base] : [];
    case "tensor":
      return [o.map, ...o.coords.filter((item) => item.kind === "reg")];
    default:
      return [];
  }
}

function checkOperand(i: Instruction, form: string, o: Operand | undefined, at: number): string | undefined {
  const [head = "", type] = form.split(":");
  const optional = head.endsWith("?");
  const kind = optional ? head.slice(0, -1) : head;
  if (o === undefined) return optional ? undefined : `operand ${at} is missing`;
  if (!kinds[kind]?.includes(o.kind)) return `operand ${at} is ${o.kind}, not ${kind}`;
  const wanted =
    kind === "p" || kind === "dp" ? "pred" : type === undefined ? undefined : isPtxType(type) ? type : (i.modifiers[type] ?? "");
  if (wanted === undefined) return undefined;
  const bad = registersOf(o).find((r) => !fitsType(r.cls, wanted));
  return bad && `operand ${at} is in a .${bad.cls} register, which .${wanted} does not take`;
}

function checkInstruction(i: Instruction): string | undefined {
  const spec = formSpec(i.form);
  const slots = spec.modifiers ?? {};
  for (const [slot, values] of Object.entries(slots)) {
    if (!values.includes(i.modifiers[slot] ?? "")) return `.${i.modifiers[slot] ?? ""} is no ${slot} of ${i.form}`;
  }
  const unknown = Object.keys(i.modifiers).find((slot) => !(slot in slots));
  if (unknown !== undefined) return `${i.form} has no modifier ${unknown}`;
  if (i.operands.length > spec.operands.length) return `${i.form} has ${spec.operands.length} operands, not ${i.operands.length}`;
  if (i.guard && i.guard.reg.cls !== "pred") return "the guard is no predicate";
  for (const [at, form] of spec.operands.entries()) {
    const problem = checkOperand(i, form, i.operands[at], at);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** What is wrong with a module: unknown forms and modifiers, operands of a wrong kind or register class, undeclared registers and symbols, labels. Empty where nothing is. */
export function validatePtx(m: PtxModule): readonly string[] {
  const problems: string[] = [];
  const labels = m.entry.body.filter((s) => s.kind === "label").map((s) => s.name);
  const defined = new Set(labels);
  if (defined.size !== labels.length) problems.push("a label is defined twice");
  const symbols = new Set([...m.entry.params.map((p) => p.name), ...(m.shared ? [m.shared.name] : [])]);
  const isDeclared = ({ cls, id }: Reg): boolean => id >= 0 && id < m.entry.registers[cls];
  const report = (i: Instruction, problem: string) => problems.push(`${printInstruction(i)}: ${problem}`);
  for (const s of m.entry.body) {
    if (s.kind === "loc" && (s.file < 1 || s.file > m.files.length))
      problems.push(`.loc names file ${s.file} of ${m.files.length}`);
    if (s.kind === "inlined") {
      for (const r of s.registers.values())
        if (!isDeclared(r)) problems.push(`${printInlined(s)}: register .${r.cls} ${r.id} is not declared`);
      for (const o of s.instruction.operands) {
        const name = o?.kind === "label" && o.label.kind === "label" ? s.labels.get(o.label) : undefined;
        if (name !== undefined && !defined.has(name)) problems.push(`${printInlined(s)}: no label ${name}`);
      }
    }
    if (s.kind !== "instruction") continue;
    const problem = checkInstruction(s);
    if (problem !== undefined) report(s, problem);
    for (const o of s.operands) {
      if (o === undefined) continue;
      if (o.kind === "label" && !defined.has(o.name)) report(s, `no label ${o.name}`);
      const name = o.kind === "symbol" ? o.name : o.kind === "address" && o.base.kind === "symbol" ? o.base.name : undefined;
      if (name !== undefined && !symbols.has(name)) report(s, `no variable ${name}`);
      for (const r of registersOf(o)) if (!isDeclared(r)) report(s, `register .${r.cls} ${r.id} is not declared`);
    }
  }
  return problems;
}
