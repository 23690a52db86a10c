import type {
  CallPrototype,
  FunctionDirectives,
  InitialValue,
  Instruction,
  Item,
  LabelRef,
  Loc,
  Operand,
  PtxFunction,
  PtxTree,
  Register,
  Statement,
  Variable,
} from "./tree.ts";

const hex = (bits: bigint, digits: number): string => bits.toString(16).toUpperCase().padStart(digits, "0");
/** `+-8`: assemblers take no minus alone. */
const signed = (offset: number): string => (offset === 0 ? "" : `+${offset}`);

/** What a register is called. */
type NameOf = (r: Register) => string;
const ownName: NameOf = (r) => r.name;
/** What a label is called. */
type LabelName = (l: LabelRef["label"]) => string;
const ownLabel: LabelName = (l) => l.name;

function operandText(o: Operand, nameOf: NameOf = ownName, labelOf: LabelName = ownLabel): string {
  const text = (part: Operand): string => operandText(part, nameOf);
  const base = (b: Register | Variable): string => (b.kind === "register" ? nameOf(b) : b.name);
  switch (o.kind) {
    case "register":
      return nameOf(o);
    case "function":
      return o.name;
    case "int":
      return o.value.toString();
    case "float":
      return o.type === "f32" ? `0f${hex(o.bits, 8)}` : `0d${hex(o.bits, 16)}`;
    case "special":
      return `%${o.name}`;
    case "symbol":
      return `${o.variable.name}${signed(o.offset)}`;
    case "label":
      return labelOf(o.label);
    case "not":
      return `!${nameOf(o.register)}`;
    case "sink":
      return "_";
    case "vector":
      return `{${o.items.map(text).join(", ")}}`;
    case "list":
      return `(${o.items.map(text).join(", ")})`;
    case "pair":
      return `${text(o.first)}|${text(o.second)}`;
    case "address":
      return `[${o.base ? `${base(o.base)}${signed(o.offset)}` : o.offset}]`;
    case "tensor":
      return `[${base(o.map)}, {${o.coords.map(text).join(", ")}}]`;
  }
}

/** An instruction with its guard, without its semicolon. */
export function printReadInstruction(i: Instruction, nameOf: NameOf = ownName, labelOf: LabelName = ownLabel): string {
  const operands = i.operands.filter((o) => o !== undefined).map((o) => operandText(o, nameOf, labelOf));
  const guard = i.guard ? `@${i.guard.negate ? "!" : ""}${nameOf(i.guard.register)} ` : "";
  return `${guard}${i.opcode.text}${operands.length > 0 ? ` ${operands.join(", ")}` : ""}`;
}

function initialText(v: InitialValue): string {
  if (v.kind !== "address") return operandText(v);
  const address = v.generic ? `generic(${v.name})${signed(v.offset)}` : `${v.name}${signed(v.offset)}`;
  return v.mask === undefined ? address : `0x${hex(v.mask, 2)}(${address})`;
}

/** Nested as the dimensions are. */
function initialList(values: readonly InitialValue[], dims: readonly number[], vector: number): string {
  const [, ...inner] = dims;
  const size = inner.reduce((n, d) => n * d, vector);
  if (inner.length === 0 && vector === 1) return `{${values.map(initialText).join(", ")}}`;
  const groups = Array.from({ length: Math.ceil(values.length / size) }, (_, i) => values.slice(i * size, (i + 1) * size));
  const group = (g: readonly InitialValue[]): string =>
    inner.length > 0 ? initialList(g, inner, vector) : `{${g.map(initialText).join(", ")}}`;
  return `{${groups.map(group).join(", ")}}`;
}

function variableText(v: Variable): string {
  const linkage = v.linkage === "" ? "" : `.${v.linkage} `;
  const pointer = v.pointsTo ? ` .ptr${v.pointsTo.space === "" ? "" : ` .${v.pointsTo.space}`} .align ${v.pointsTo.align}` : "";
  const align = v.alignDeclared ? ` .align ${v.align}` : "";
  const vector = v.vector === 1 ? "" : ` .v${v.vector}`;
  const dims = v.dims.map((d) => `[${d === 0 ? "" : d}]`).join("");
  const managed = v.managed ? " .attribute(.managed)" : "";
  return `${linkage}.${v.space}${managed}${align}${vector} .${v.type}${pointer} ${v.name}${dims}${initialPart(v)}`;
}

function initialPart(v: Variable): string {
  const [first] = v.initial ?? [];
  if (!v.initial || !first) return "";
  if (v.dims.length > 0) return ` = ${initialList(v.initial, v.dims, v.vector)}`;
  return ` = ${v.vector > 1 ? `{${v.initial.map(initialText).join(", ")}}` : initialText(first)}`;
}

const parameterList = (params: readonly Variable[]): string => `(${params.map(variableText).join(", ")})`;

function locText(l: Loc): string {
  const name = l.functionName === undefined ? "" : `, function_name ${l.functionName}`;
  const at = l.inlinedAt === undefined ? "" : `, inlined_at ${l.inlinedAt.file} ${l.inlinedAt.line} ${l.inlinedAt.column}`;
  return `.loc ${l.file} ${l.line} ${l.column}${name}${at}`;
}

function prototypeText(p: CallPrototype): string {
  const returns = p.returns.length > 0 ? `${parameterList(p.returns)} ` : "";
  return `${p.name}: .callprototype ${returns}_ ${parameterList(p.params)}${p.noreturn ? " .noreturn" : ""};`;
}

const quotedList = (texts: readonly string[]): string => texts.map((t) => `"${t}"`).join(", ");

function statementText(s: Statement): string {
  switch (s.kind) {
    case "instruction":
      return `  ${printReadInstruction(s)};`;
    case "unknown":
      return `  ${s.text};`;
    case "label":
      return `${s.name}:`;
    case "loc":
      return `  ${locText(s)}`;
    case "branchtargets":
      return `${s.name}: .branchtargets ${s.targets.map((t) => t.label.name).join(", ")};`;
    case "calltargets":
      return `${s.name}: .calltargets ${s.functions.map((f) => f.name).join(", ")};`;
    case "callprototype":
      return prototypeText(s);
    case "registers":
      return `  .reg .${s.type} ${s.names.map((n) => (n.count === undefined ? n.name : `${n.name}<${n.count}>`)).join(", ")};`;
    case "variable":
      return `  ${variableText(s)};`;
    case "pragma":
      return `  .pragma ${quotedList(s.texts)};`;
    case "open":
      return "  {";
    case "close":
      return "  }";
  }
}

function directiveLines(d: FunctionDirectives): readonly string[] {
  const lines: string[] = [];
  for (const name of ["reqntid", "maxntid"] as const) if (d[name]) lines.push(`.${name} ${d[name].join(", ")}`);
  for (const name of ["maxnreg", "minnctapersm", "maxnctapersm"] as const)
    if (d[name] !== undefined) lines.push(`.${name} ${d[name]}`);
  if (d.explicitcluster) lines.push(".explicitcluster");
  if (d.reqnctapercluster) lines.push(`.reqnctapercluster ${d.reqnctapercluster.join(", ")}`);
  if (d.maxclusterrank !== undefined) lines.push(`.maxclusterrank ${d.maxclusterrank}`);
  if (d.pragmas) lines.push(`.pragma ${quotedList(d.pragmas)};`);
  if (d.noreturn) lines.push(".noreturn");
  return lines;
}

function functionLines(f: PtxFunction): readonly string[] {
  const linkage = f.linkage === "" ? "" : `.${f.linkage} `;
  const returns = f.returns.length > 0 ? `${parameterList(f.returns)} ` : "";
  const head = `${linkage}${f.entry ? ".entry" : ".func"} ${returns}${f.name}${parameterList(f.params)}`;
  const lines = [head, ...directiveLines(f.directives)];
  return f.body ? [...lines, "{", ...f.body.statements.map(statementText), "}"] : [...lines, ";"];
}

function itemLines(item: Item): readonly string[] {
  switch (item.kind) {
    case "function":
      return functionLines(item);
    case "variable":
      return [`${variableText(item)};`];
    case "alias":
      return [`.alias ${item.name}, ${item.target};`];
    case "file":
      return [`.file ${item.number} "${item.path.replace(/[\\"]/g, (c) => `\\${c}`)}"${item.rest}`];
    case "section":
      return [item.text];
    case "pragma":
      return [`.pragma ${quotedList(item.texts)};`];
  }
}

/**
 * The module as PTX text: the same program, laid out anew, without comments. Assemblers make the same code of it; only code that
 * is not optimised at all (`-G`) can differ, where `[a+0]` was written for `[a]`.
 */
export function printPtxTree(m: PtxTree): string {
  const head = [`.version ${m.version}`, `.target ${m.target.join(", ")}`, `.address_size ${m.addressSize}`];
  return `${[...head, ...m.items.flatMap(itemLines)].join("\n")}\n`;
}
