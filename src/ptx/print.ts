import type { Instruction } from "./instruction.ts";
import { formSpec } from "./isa/index.ts";
import type { Entry, EntryDirectives, Inlined, Param, PtxModule, Statement } from "./module.ts";
import type { Imm, Operand } from "./operands.ts";
import { printReadInstruction } from "./parse/print-tree.ts";
import { type Reg, type RegClass, regClasses } from "./regs.ts";

const prefixes: Readonly<Record<RegClass, string>> = { pred: "%p", b16: "%rs", b32: "%r", b64: "%rd", f32: "%f", f64: "%fd" };

const printReg = (r: Reg): string => `${prefixes[r.cls]}${r.id}`;

const view = new DataView(new ArrayBuffer(8));

function printImm(imm: Imm): string {
  if (imm.type === "int") return imm.value.toString();
  if (imm.type === "f32") {
    view.setFloat32(0, imm.value);
    return `0f${view.getUint32(0).toString(16).toUpperCase().padStart(8, "0")}`;
  }
  view.setFloat64(0, imm.value);
  return `0d${view.getBigUint64(0).toString(16).toUpperCase().padStart(16, "0")}`;
}

function printOperand(o: Operand): string {
  switch (o.kind) {
    case "reg":
      return printReg(o);
    case "imm":
      return printImm(o);
    case "special":
      return `%${o.name}`;
    case "symbol":
      return o.name;
    case "not":
      return `!${printReg(o.reg)}`;
    case "sink":
      return "_";
    case "vec":
      return `{${o.items.map(printOperand).join(", ")}}`;
    case "pair":
      return `${printOperand(o.value)}|${printReg(o.pred)}`;
    case "address":
      return `[${printOperand(o.base)}${o.offset === 0 ? "" : `+${o.offset}`}]`;
    case "tensor":
      return `[${printReg(o.map)}, {${o.coords.map(printOperand).join(", ")}}]`;
    case "label":
      return `$${o.name}`;
  }
}

/** An instruction without its semicolon, as error messages show it. */
export function printInstruction(i: Instruction): string {
  const spec = formSpec(i.form);
  let text = i.guard ? `@${i.guard.negate ? "!" : ""}${printReg(i.guard.reg)} ${spec.text}` : spec.text;
  for (const slot in spec.modifiers) {
    const modifier = i.modifiers[slot];
    if (modifier) text += `.${modifier}`;
  }
  let separator = " ";
  i.operands.forEach((o) => {
    if (o === undefined) return;
    text += separator + printOperand(o);
    separator = ", ";
  });
  return text;
}

/** An instruction of the author's own, with the names of what stands for its registers and labels. */
export const printInlined = ({ instruction, registers, labels }: Inlined): string =>
  printReadInstruction(
    instruction,
    (r) => {
      const found = registers.get(r);
      if (!found) throw new TypeError(`nothing stands for the register ${r.name}`);
      return printReg(found);
    },
    (label) => {
      const found = label.kind === "label" ? labels.get(label) : undefined;
      if (found === undefined) throw new TypeError(`nothing stands for the label ${label.name}`);
      return `$${found}`;
    },
  );

function printStatement(s: Statement): string {
  switch (s.kind) {
    case "instruction":
      return `  ${printInstruction(s)};`;
    case "inlined":
      return `  ${printInlined(s)};`;
    case "label":
      return `$${s.name}:`;
    case "loc":
      return `  .loc ${s.file} ${s.line} ${s.column}`;
    case "comment":
      return `  // ${s.text}`;
  }
}

function printParam(p: Param, last: boolean): string {
  const type = typeof p.type === "string" ? `.${p.type} ${p.name}` : `.align ${p.type.align} .b8 ${p.name}[${p.type.bytes}]`;
  return `  .param ${type}${last ? "" : ","}${p.about === undefined ? "" : ` // ${p.about}`}`;
}

function printDirectives(d: EntryDirectives): readonly string[] {
  const lines = [`.reqntid ${d.reqntid.join(", ")}`];
  if (d.maxnreg !== undefined) lines.push(`.maxnreg ${d.maxnreg}`);
  if (d.minnctapersm !== undefined) lines.push(`.minnctapersm ${d.minnctapersm}`);
  if (d.cluster !== undefined) lines.push(".explicitcluster", `.reqnctapercluster ${d.cluster.join(", ")}`);
  return lines;
}

function printEntry(e: Entry): readonly string[] {
  const registers = regClasses
    .filter((cls) => e.registers[cls] > 0)
    .map((cls) => `  .reg .${cls} ${prefixes[cls]}<${e.registers[cls]}>;`);
  return [
    `.visible .entry ${e.name}(`,
    ...e.params.map((p, i) => printParam(p, i === e.params.length - 1)),
    ")",
    ...printDirectives(e.directives),
    "{",
    ...registers,
    "",
    ...e.body.map(printStatement),
    "}",
  ];
}

const quoted = (path: string): string => `"${path.replace(/[\\"]/g, (c) => `\\${c}`).replace(/[\n\r]/g, " ")}"`;

/** The module as PTX text. The only place where PTX text is made. */
export function printPtx(m: PtxModule): string {
  const lines = [`.version ${m.version}`, `.target ${m.target}`, ".address_size 64", ""];
  if (m.shared) lines.push(`.extern .shared .align ${m.shared.align} .b8 ${m.shared.name}[];`, "");
  printEntry(m.entry).forEach((line) => {
    lines.push(line);
  });
  if (m.files.length > 0) lines.push("");
  m.files.forEach((path, i) => {
    lines.push(`.file ${i + 1} ${quoted(path)}`);
  });
  return `${lines.join("\n")}\n`;
}
