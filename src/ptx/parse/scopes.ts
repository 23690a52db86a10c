import { nearest } from "../../base/diag/index.ts";
import { fail } from "../errors.ts";
import { type Cursor, spansAt } from "./cursor.ts";
import type {
  BranchTargets,
  CallPrototype,
  CallTargets,
  FunctionRef,
  Immediate,
  Label,
  LabelRef,
  PtxType,
  Register,
  Variable,
} from "./tree.ts";

/** What a name can be, labels apart. Numbers have names in fragments alone. */
export type Entity = Register | Variable | FunctionRef | Immediate;
export type LabelTarget = Label | BranchTargets | CallTargets | CallPrototype;

/** `%r<100>` */
interface Range {
  readonly prefix: string;
  readonly type: PtxType;
  readonly count: number;
  /** By their numbers, those that have been used. */
  readonly used: (Register | undefined)[];
}

/** The names declared between `{` and `}` (PTX ISA 4.4); of the module, where there is no parent. */
export interface Scope {
  readonly parent: Scope | undefined;
  readonly names: Map<string, Entity>;
  /** By the name before the number. */
  readonly ranges: Map<string, Range>;
  /** The first of them. */
  readonly quick: Range[];
  /** A name of the scope is that of a register of its ranges, too: it hides it. */
  hides: boolean;
  readonly labels: Map<string, LabelTarget>;
  /** Used, not yet known: labels may stand below. */
  readonly open: OpenLabel[];
}

export interface OpenLabel {
  readonly ref: { readonly kind: "label"; label: LabelTarget | undefined };
  readonly name: string;
  /** The token that names it. */
  readonly at: number;
}

/** The registers that a function uses, in the order of their ids. */
export type RegisterList = Register[];

export const newScope = (parent: Scope | undefined): Scope => ({
  parent,
  names: new Map(),
  ranges: new Map(),
  quick: [],
  hides: false,
  labels: new Map(),
  open: [],
});

const zero = 48;
const isDigit = (code: number): boolean => code >= zero && code <= zero + 9;

/** The register of that number, made when it is first used. `name`: its whole name. */
function fromRange(range: Range, number: number, name: () => string, registers: RegisterList): Register {
  const known = range.used[number];
  if (known) return known;
  const made: Register = { kind: "register", name: name(), type: range.type, id: registers.length };
  range.used[number] = made;
  registers.push(made);
  return made;
}

/** The range that a name is of, and its number there. */
function rangeOf({ ranges }: Scope, name: string): { readonly range: Range; readonly number: number } | undefined {
  if (ranges.size === 0) return undefined;
  let split = name.length;
  while (split > 1 && isDigit(name.charCodeAt(split - 1))) split--;
  for (; split < name.length; split++) {
    const range = ranges.get(name.slice(0, split));
    const digits = name.slice(split);
    if (range && Number(digits) < range.count && (digits.length === 1 || digits[0] !== "0"))
      return { range, number: Number(digits) };
  }
  return undefined;
}

/** What has more digits, or a range behind so many others, is left to `rangeOf`. */
const mostDigits = 9;
const mostQuick = 16;
/** Ranges of up to so many registers have room for all from the beginning. */
const mostRoom = 2 ** 16;
/** Beyond so many names, nobody asks which of them a range has, too. */
const mostNames = 1000;

/**
 * The register of a range of the scope that the text from `start` to `end` names, found without making a string of it. Undefined where
 * it takes more to know: a look at the scope's names first, or another split of the name.
 */
function registerIn(scope: Scope, text: string, start: number, end: number, registers: RegisterList): Register | undefined {
  if (scope.hides) return undefined;
  let split = end;
  let number = 0;
  for (let scale = 1; split > start + 1 && isDigit(text.charCodeAt(split - 1)); scale *= 10)
    number += scale * (text.charCodeAt(--split) - zero);
  const digits = end - split;
  if (digits === 0 || digits > mostDigits || (digits > 1 && text.charCodeAt(split) === zero)) return undefined;
  for (const range of scope.quick) {
    if (number >= range.count || !isAt(text, start, split, range.prefix)) continue;
    return range.used[number] ?? fromRange(range, number, () => text.slice(start, end), registers);
  }
  return undefined;
}

function isAt(text: string, start: number, end: number, prefix: string): boolean {
  if (prefix.length !== end - start) return false;
  for (let i = 0; i < prefix.length; i++) if (text.charCodeAt(start + i) !== prefix.charCodeAt(i)) return false;
  return true;
}

/** A register declared by its plain name has an id from its first use on. */
function used(scope: Scope, entity: Entity, registers: RegisterList): Entity {
  if (entity.kind !== "register" || entity.id >= 0) return entity;
  const made: Register = { ...entity, id: registers.length };
  registers.push(made);
  scope.names.set(entity.name, made);
  return made;
}

/** What the name means here; undefined where nothing has it (a label that stands below, perhaps). */
export function lookUp(scope: Scope, name: string, registers: RegisterList): Entity | undefined {
  for (let s: Scope | undefined = scope; s; s = s.parent) {
    const entity = s.names.get(name);
    if (entity) return used(s, entity, registers);
    const quick = registerIn(s, name, 0, name.length, registers);
    if (quick) return quick;
    const found = rangeOf(s, name);
    if (found) return fromRange(found.range, found.number, () => name, registers);
  }
  return undefined;
}

/** The same of a token. */
export function lookUpToken(scope: Scope, c: Cursor, at: number, registers: RegisterList): Entity | undefined {
  const { text, starts, ends } = c.tokens;
  const [start, end] = [starts[at] ?? 0, ends[at] ?? 0];
  let s = scope;
  while (s.parent && s.names.size === 0 && s.ranges.size === 0) s = s.parent;
  return registerIn(s, text, start, end, registers) ?? lookUp(s, text.slice(start, end), registers);
}

export function declareRegister(scope: Scope, name: string, type: PtxType, count: number | undefined): boolean {
  if (count === undefined) return declare(scope, name, { kind: "register", name, type, id: -1 });
  if (scope.ranges.has(name)) return false;
  const range: Range = { prefix: name, type, count, used: count <= mostRoom ? new Array(count).fill(undefined) : [] };
  scope.ranges.set(name, range);
  if (scope.quick.length < mostQuick) scope.quick.push(range);
  scope.hides ||= scope.names.size > mostNames || [...scope.names.keys()].some((known) => rangeOf(scope, known));
  return true;
}

/** False where the scope has that name already. */
export function declare(scope: Scope, name: string, entity: Entity): boolean {
  if (scope.names.has(name)) return false;
  const hidden = rangeOf(scope, name);
  if (hidden?.range.used[hidden.number]) return false;
  scope.names.set(name, entity);
  scope.hides ||= hidden !== undefined;
  return true;
}

/** A use of a label, filled in when its scope ends. */
export function useLabel(scope: Scope, name: string, at: number): LabelRef {
  const ref: OpenLabel["ref"] = { kind: "label", label: scope.labels.get(name) };
  if (ref.label === undefined) scope.open.push({ ref, name, at });
  return ref as LabelRef;
}

/** Finds the labels used in the scope; those that it does not have may be of the scope around it. */
export function closeScope(c: Cursor, scope: Scope, outermost: boolean): void {
  for (const use of scope.open) {
    use.ref.label = scope.labels.get(use.name);
    if (use.ref.label !== undefined) continue;
    if (outermost || !scope.parent) failUndeclared(c, scope, use.name, use.at);
    scope.parent.open.push(use);
  }
}

/** The labels' uses that are still open, found by what stands for them. */
export function nameOfLabel(scope: Scope, ref: LabelRef): OpenLabel | undefined {
  for (let s: Scope | undefined = scope; s; s = s.parent) {
    const found = s.open.find((o) => o.ref === ref);
    if (found) return found;
  }
  return undefined;
}

/** Of the registers of its ranges, in the order of their first use. */
function usedNames({ ranges }: Scope): readonly string[] {
  const used = [...ranges.values()].flatMap((range) => Object.values(range.used)).filter((r) => r !== undefined);
  return used.sort((a, b) => a.id - b.id).map((r) => r.name);
}

export function failUndeclared(c: Cursor, scope: Scope, name: string, at: number): never {
  const known: string[] = [];
  for (let s: Scope | undefined = scope; s; s = s.parent)
    for (const names of [s.labels.keys(), s.names.keys(), usedNames(s)]) for (const one of names) known.push(one);
  return fail("W9803", { name, near: nearest(name, known) }, spansAt(c, at));
}
