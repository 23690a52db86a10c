import { type FormOperand, formOperands } from "../isa/read/form-operands.ts";
import { type ReadForm, type ReadFormName, type ReadOperandKind, readForm, readFormNames } from "../isa/read/index.ts";
import type { Opcode, Operand } from "./tree.ts";
import { type DataType, doubled, fitsRegister, pred, typeNamed, typesIn } from "./types.ts";

/** An operand of a form, its type and presence settled by the modifiers. */
export interface OperandSlot {
  readonly kind: ReadOperandKind;
  /** Of its registers; undefined: any. */
  readonly type: DataType | undefined;
  readonly presence: "must" | "may" | "absent";
}
/** What an opcode can be: forms differ in their operands, too. */
export interface Candidate {
  readonly opcode: Opcode;
  readonly slots: readonly OperandSlot[];
  /** So many of them have to be there. */
  readonly musts: number;
  readonly wide: boolean;
}

const byMnemonic = new Map<string, readonly ReadFormName[]>();
for (const name of readFormNames) {
  const mnemonic = readForm(name).text.split(".")[0] ?? "";
  byMnemonic.set(mnemonic, [...(byMnemonic.get(mnemonic) ?? []), name]);
}
export const mnemonics: readonly string[] = [...byMnemonic.keys()];
export const formsOf = (mnemonic: string): readonly ReadFormName[] => byMnemonic.get(mnemonic) ?? [];

/** The parts of an opcode given to a form: what they fill, what is left over, and what the form still lacks. */
export interface Assignment {
  readonly modifiers: Readonly<Record<string, string | undefined>>;
  readonly left: readonly string[];
  readonly missing: readonly string[];
}

/** Gives each part to the first free slot that takes it, so that the order of parts matters only among slots with common values. */
export function assign(form: ReadForm, parts: readonly string[]): Assignment {
  const left = parts.slice(1);
  const missing: string[] = [];
  for (const fixed of form.text.split(".").slice(1)) {
    const at = left.indexOf(fixed);
    if (at < 0) missing.push(fixed);
    else left.splice(at, 1);
  }
  const modifiers: Record<string, string | undefined> = {};
  const slots = Object.entries(form.modifiers ?? {});
  for (const [slot] of slots) modifiers[slot] = undefined;
  const unknown = left.filter((part) => {
    const slot = slots.find(([name, values]) => modifiers[name] === undefined && values.includes(part));
    if (slot) modifiers[slot[0]] = part;
    return !slot;
  });
  for (const [slot, values] of slots) if (modifiers[slot] === undefined && !values.includes("")) missing.push(slot);
  return { modifiers, left: unknown, missing };
}

function slotOf({ kind, type: named, twice, presence: given }: FormOperand, modifiers: Opcode["modifiers"]): OperandSlot {
  const type = named === undefined ? undefined : typeNamed(modifiers[named] ?? named);
  const presence = typeof given === "string" ? given : modifiers[given.slot] === undefined ? "absent" : "must";
  return { kind, type: type !== undefined && twice ? doubled(type) : type, presence };
}

/** The forms whose modifiers those of the opcode are; one opcode has several where operands decide. */
export function candidatesFor(text: string): readonly Candidate[] {
  const parts = text.split(".");
  const found: Candidate[] = [];
  for (const name of formsOf(parts[0] ?? "")) {
    const form = readForm(name);
    const { modifiers, left, missing } = assign(form, parts);
    if (left.length > 0 || missing.length > 0) continue;
    const slots = formOperands(name).map((operand) => slotOf(operand, modifiers));
    const musts = slots.filter((slot) => slot.presence === "must").length;
    const opcode = { text, form: name, modifiers, types: typesIn(name, modifiers) };
    found.push({ opcode, slots, musts, wide: form.wide === true });
  }
  return found;
}

const scalarKinds = new Set<Operand["kind"]>(["register", "int", "float", "special", "symbol", "function"]);

function isKind(operand: Operand, slot: OperandSlot): boolean {
  const kind = operand.kind;
  switch (slot.kind) {
    case "d":
      return kind === "register" || kind === "sink";
    case "s":
      return kind === "register" || scalarKinds.has(kind) || (kind === "not" && slot.type === pred);
    case "v":
      return kind === "register" || kind === "sink" || kind === "vector";
    case "w":
      return kind === "vector" || scalarKinds.has(kind);
    case "vec":
      return kind === "vector";
    case "vec2":
      return kind === "vector" || (kind === "pair" && operand.first.kind === "vector");
    case "p":
      return kind === "not" || kind === "int" || kind === "special" || (kind === "register" && operand.type === "pred");
    case "dp":
      return kind === "register" || kind === "sink";
    case "dp2":
    case "d2":
      return kind === "register" || kind === "sink" || (kind === "pair" && operand.first.kind !== "vector");
    case "pair":
      return kind === "pair" && operand.first.kind !== "vector";
    case "addr":
      return kind === "address";
    case "tensor":
      return kind === "tensor";
    case "label":
      return kind === "label";
    case "list":
      return kind === "list";
    case "imm":
      return kind === "int";
  }
}

/** What is wrong with one operand. */
export type Misfit =
  | { readonly why: "count"; readonly at: number }
  | { readonly why: "kind"; readonly at: number; readonly slot: OperandSlot }
  | { readonly why: "type"; readonly at: number; readonly register: string; readonly type: string; readonly wanted: string };

function typeMisfit(operand: Operand, type: DataType, wide: boolean, at: number): Misfit | undefined {
  switch (operand.kind) {
    case "register":
      return fitsRegister(operand.type, type, wide)
        ? undefined
        : { why: "type", at, register: operand.name, type: operand.type, wanted: type.name };
    case "vector":
      for (const item of operand.items) {
        const misfit = typeMisfit(item, type, wide, at);
        if (misfit) return misfit;
      }
      return undefined;
    case "pair":
      return typeMisfit(operand.first, type, wide, at) ?? typeMisfit(operand.second, pred, false, at);
    default:
      return undefined;
  }
}

/** Of a pair, the second half is a predicate; of `p|q` both are. */
const typeOfSlot = (slot: OperandSlot): DataType | undefined => (slot.kind === "dp" || slot.kind === "dp2" ? pred : slot.type);

/** Lays the operands given into the places of a candidate; what does not fit otherwise. */
export function fitOperands(candidate: Candidate, given: readonly Operand[]): readonly (Operand | undefined)[] | Misfit {
  return fitAll(candidate, given) ? given : layOut(candidate, given);
}

/** Whether there is one operand for each place, and fits. */
function fitAll({ slots, musts, wide }: Candidate, given: readonly Operand[]): boolean {
  if (given.length !== slots.length || musts !== slots.length) return false;
  for (let i = 0; i < given.length; i++) {
    const slot = slots[i];
    const operand = given[i];
    if (slot === undefined || operand === undefined || !isKind(operand, slot)) return false;
    const type = typeOfSlot(slot);
    if (type !== undefined && typeMisfit(operand, type, wide, i) !== undefined) return false;
  }
  return true;
}

function layOut(candidate: Candidate, given: readonly Operand[]): readonly (Operand | undefined)[] | Misfit {
  const { slots, wide } = candidate;
  const laid: (Operand | undefined)[] = [];
  let { musts } = candidate;
  let next = 0;
  for (const slot of slots) {
    const operand = given[next];
    const skip = slot.presence === "absent" || (slot.presence === "may" && given.length - next <= musts);
    if (skip || operand === undefined || !isKind(operand, slot)) {
      if (!skip && slot.presence === "must") {
        return operand === undefined ? { why: "count", at: next } : { why: "kind", at: next, slot };
      }
      laid.push(undefined);
      continue;
    }
    const type = typeOfSlot(slot);
    const misfit = type === undefined ? undefined : typeMisfit(operand, type, wide, next);
    if (misfit) return misfit;
    if (slot.presence === "must") musts--;
    laid.push(operand);
    next++;
  }
  return next < given.length ? { why: "count", at: next } : laid;
}
