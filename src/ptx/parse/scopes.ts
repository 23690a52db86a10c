import { fail, nearest } from "../../diag/index.ts";
import { type Cursor, placeAt } from "./cursor.ts";
import type {
  BranchTargets,
  CallPrototype,
  CallTargets,
  FunctionRef,
  Label,
  LabelRef,
  PtxType,
  Register,
  Variable,
} from "./tree.ts";

/** What a name can be, labels apart. */
export type Entity = Register | Variable | FunctionRef;
export type LabelTarget = Label | BranchTargets | CallTargets | CallPrototype;

interface Range {
  readonly type: PtxType;
  readonly count: number;
}

/** The names declared between `{` and `}` (PTX ISA 4.4); of the module, where there is no parent. */
export interface Scope {
  readonly parent: Scope | undefined;
  readonly names: Map<string, Entity>;
  /** `%r<100>`: by the name before the number. */
  readonly ranges: Map<string, Range>;
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
  labels: new Map(),
  open: [],
});

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** A register of a range such as `%r<100>`, made when it is first used. */
function fromRange(scope: Scope, name: string, registers: RegisterList): Register | undefined {
  if (scope.ranges.size === 0) return undefined;
  let split = name.length;
  while (split > 1 && isDigit(name.charCodeAt(split - 1))) split--;
  for (; split < name.length; split++) {
    const range = scope.ranges.get(name.slice(0, split));
    const digits = name.slice(split);
    if (range && Number(digits) < range.count && (digits.length === 1 || digits[0] !== "0")) {
      const made: Register = { kind: "register", name, type: range.type, id: registers.length };
      registers.push(made);
      scope.names.set(name, made);
      return made;
    }
  }
  return undefined;
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
    const made = fromRange(s, name, registers);
    if (made) return made;
  }
  return undefined;
}

export function declareRegister(scope: Scope, name: string, type: PtxType, count: number | undefined): boolean {
  if (count === undefined) return declare(scope, name, { kind: "register", name, type, id: -1 });
  if (scope.ranges.has(name)) return false;
  scope.ranges.set(name, { type, count });
  return true;
}

/** False where the scope has that name already. */
export function declare(scope: Scope, name: string, entity: Entity): boolean {
  if (scope.names.has(name)) return false;
  scope.names.set(name, entity);
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

export function failUndeclared(c: Cursor, scope: Scope, name: string, at: number): never {
  const known: string[] = [];
  for (let s: Scope | undefined = scope; s; s = s.parent)
    for (const list of [s.labels, s.names]) for (const one of list.keys()) known.push(one);
  return fail("W9803", { name, near: nearest(name, known) }, placeAt(c, at));
}
