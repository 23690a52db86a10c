import { fail } from "../errors.ts";
import { specialTypes } from "../isa/read/special-registers.ts";
import { accept, type Cursor, expectMark, failExpected, kindAt, listUntil, P, spansAt, textAt } from "./cursor.ts";
import { WORD } from "./lex.ts";
import { beginsConstant, constant, integer } from "./numbers.ts";
import { type Entity, failUndeclared, lookUpToken, type RegisterList, type Scope, useLabel } from "./scopes.ts";
import type { Address, LabelRef, Operand, Register, Scalar, Sink, Special, TensorAddress, Vector } from "./tree.ts";

/** Where operands are read: among which names. */
export interface OperandContext {
  readonly c: Cursor;
  readonly scope: Scope;
  readonly registers: RegisterList;
  /** Operands of the instruction that is read, and their places: room that is used again for the next. */
  readonly given: Operand[];
  readonly places: number[];
}

const sink: Sink = { kind: "sink" };
const specials = new Map<string, Special>();
for (const name of specialTypes.keys()) specials.set(`%${name}`, { kind: "special", name });

/** `+8` or `+-8` after a base: like assemblers, no minus alone. */
const offsetHere = (c: Cursor): number => (accept(c, P.plus) ? integer(c, "an offset in bytes") : 0);

/** What a name that is no register means in an operand; undefined: a label, perhaps. */
function named(x: OperandContext, name: string, entity: Entity | undefined): Scalar | undefined {
  if (name === "_") return sink;
  if (name === "WARP_SZ") return { kind: "int", value: 32n };
  if (entity === undefined) return specials.get(name);
  if (entity.kind !== "variable") return entity;
  return { kind: "symbol", variable: entity, offset: offsetHere(x.c) };
}

function register(x: OperandContext, what: string): Register {
  const at = x.c.at;
  if (kindAt(x.c) !== WORD) failExpected(x.c, what);
  x.c.at++;
  const entity = lookUpToken(x.scope, x.c, at, x.registers);
  if (entity === undefined) return failUndeclared(x.c, x.scope, textAt(x.c, at), at);
  return entity.kind === "register" ? entity : failExpected(x.c, what, at);
}

/** A predicate register, as in a guard. */
export const predicate = (x: OperandContext): Register => {
  const at = x.c.at;
  const found = register(x, "a predicate register");
  return found.type === "pred" ? found : failExpected(x.c, "a predicate register", at);
};

function scalar(x: OperandContext): Scalar | LabelRef {
  const { c } = x;
  if (beginsConstant(c)) return constant(c);
  if (accept(c, P.not)) return { kind: "not", register: predicate(x) };
  if (kindAt(c) !== WORD) failExpected(c, "an operand");
  const at = c.at++;
  const entity = lookUpToken(x.scope, c, at, x.registers);
  if (entity?.kind === "register") return entity;
  const name = textAt(c, at);
  return named(x, name, entity) ?? useLabel(x.scope, name, at);
}

/** An element of `{ }` or `( )`: no label. */
function element(x: OperandContext): Scalar {
  const at = x.c.at;
  const found = scalar(x);
  return found.kind === "label" ? failUndeclared(x.c, x.scope, textAt(x.c, at), at) : found;
}

function half(x: OperandContext, found: Operand, at: number): Register | Sink {
  if (found.kind === "register" || found.kind === "sink") return found;
  return found.kind === "label" ? failUndeclared(x.c, x.scope, textAt(x.c, at), at) : failExpected(x.c, "a register", at);
}

/** `[base]`, `[base+offset]`, `[map, {c0, c1}]`, `[map, c0]`, the bracket taken. */
function bracketed(x: OperandContext): Address | TensorAddress {
  const { c } = x;
  if (beginsConstant(c)) {
    const offset = integer(c, "an address");
    expectMark(c, P.bracketClose);
    return { kind: "address", base: undefined, offset };
  }
  const at = c.at;
  const base = element(x);
  if (base.kind !== "register" && base.kind !== "symbol") return failExpected(c, "a register or a variable", at);
  if (accept(c, P.comma)) {
    const coords = accept(c, P.open) ? listUntil(c, P.close, () => element(x)) : [element(x)];
    expectMark(c, P.bracketClose);
    return { kind: "tensor", map: base.kind === "symbol" ? base.variable : base, coords };
  }
  const offset = base.kind === "symbol" ? base.offset : offsetHere(c);
  expectMark(c, P.bracketClose);
  return { kind: "address", base: base.kind === "symbol" ? base.variable : base, offset };
}

/** Texture instructions have `{a, b}|p`. */
function withPredicate(x: OperandContext, first: Vector): Operand {
  const { c } = x;
  if (kindAt(c) !== P.bar) return first;
  c.at++;
  const at = c.at;
  return { kind: "pair", first, second: half(x, scalar(x), at) };
}

/** Reads one operand. In parentheses: the arguments of a call, where `call`, else a number. */
export function parseOperand(x: OperandContext, call: boolean): Operand {
  const { c } = x;
  const at = c.at;
  switch (kindAt(c)) {
    case P.bracketOpen:
      c.at++;
      return bracketed(x);
    case P.open:
      c.at++;
      return withPredicate(x, { kind: "vector", items: listUntil(c, P.close, () => element(x)) });
    case P.parenOpen:
      if (!call) return constant(c);
      c.at++;
      return { kind: "list", items: listUntil(c, P.parenClose, () => element(x)) };
  }
  const first = scalar(x);
  if (kindAt(c) !== P.bar) return first;
  c.at++;
  const secondAt = c.at;
  return { kind: "pair", first: half(x, first, at), second: half(x, scalar(x), secondAt) };
}

/** An integer that a directive has. */
export function directiveNumber(c: Cursor, what: string, least = 0): number {
  const at = c.at;
  const value = integer(c, what);
  return value >= least ? value : fail("W9800", { expected: what, found: `${value}` }, spansAt(c, at));
}
