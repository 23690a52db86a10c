import { fail } from "../errors.ts";
import {
  accept,
  acceptDirective,
  type Cursor,
  expectDirective,
  expectMark,
  expectWord,
  failExpected,
  kindAt,
  lineAt,
  P,
  spansAt,
  textAt,
} from "./cursor.ts";
import { initialValues } from "./initial-values.ts";
import { DIRECTIVE } from "./lex.ts";
import { directiveNumber } from "./parse-operand.ts";
import type { RegisterList } from "./scopes.ts";
import type { Linkage, PtxType, Register, StateSpace, Variable } from "./tree.ts";
import { sizeOfType, typeOfDirective } from "./types.ts";

const spaceOf: Readonly<Record<string, StateSpace>> = {
  ".global": "global",
  ".shared": "shared",
  ".const": "const",
  ".local": "local",
  ".param": "param",
};
export const isSpace = (directive: string): boolean => directive in spaceOf;

interface Attributes {
  align: number | undefined;
  vector: 1 | 2 | 4;
  type: PtxType | undefined;
  pointsTo: Variable["pointsTo"];
  managed: boolean;
}

/** `.ptr .global .align 16`, the `.ptr` taken. */
function pointer(c: Cursor): NonNullable<Variable["pointsTo"]> {
  const at = textAt(c, c.at);
  const space = kindAt(c) === DIRECTIVE && at in spaceOf ? (spaceOf[at] ?? "") : "";
  if (space !== "") c.at++;
  return { space, align: acceptDirective(c, ".align") ? directiveNumber(c, "an alignment", 1) : 4 };
}

/** `.attribute(.managed)`, the `.attribute` taken (PTX ISA 5.4.8). */
function managed(c: Cursor): true {
  expectMark(c, P.parenOpen);
  const at = c.at;
  const name = expectDirective(c, "an attribute such as .managed");
  if (name !== ".managed") fail("W9805", { what: `.attribute(${name}) of a variable` }, spansAt(c, at));
  expectMark(c, P.parenClose);
  return true;
}

function attribute(c: Cursor, into: Attributes): void {
  const at = c.at;
  const name = expectDirective(c, "a type");
  const type = typeOfDirective(name);
  if (type !== undefined) into.type = type;
  else if (name === ".align") into.align = directiveNumber(c, "an alignment", 1);
  else if (name === ".v2" || name === ".v4") into.vector = name === ".v2" ? 2 : 4;
  else if (name === ".ptr") into.pointsTo = pointer(c);
  else if (name === ".attribute") into.managed = managed(c);
  else fail("W9805", { what: `${name} of a variable` }, spansAt(c, at));
}

function attributes(c: Cursor): Attributes {
  const into: Attributes = { align: undefined, vector: 1, type: undefined, pointsTo: undefined, managed: false };
  while (kindAt(c) === DIRECTIVE) attribute(c, into);
  return into;
}

function dimensions(c: Cursor): number[] {
  const dims: number[] = [];
  while (accept(c, P.bracketOpen)) {
    dims.push(kindAt(c) === P.bracketClose ? 0 : directiveNumber(c, "a number of elements"));
    expectMark(c, P.bracketClose);
  }
  return dims;
}

function finish(c: Cursor, a: Attributes, space: Variable["space"], linkage: Linkage, name: string, line: number): Variable {
  const at = c.at;
  if (a.type === undefined || a.type === "pred") return failExpected(c, "a type such as .b32 before the name", at);
  const given = dimensions(c);
  const initial = initialValues(c, { name, space, linkage, type: a.type, vector: a.vector, dims: given });
  const dims = given[0] === 0 && initial ? [initial.count, ...given.slice(1)] : given;
  const element = sizeOfType(a.type) * a.vector;
  const size = dims.reduce((n, d) => n * d, element);
  const { type, vector, align, pointsTo } = a;
  const natural = align ?? element;
  return {
    kind: "variable",
    name,
    space,
    type,
    vector,
    align: natural,
    alignDeclared: align !== undefined,
    dims,
    size,
    linkage,
    initial: initial?.values,
    pointsTo,
    ...(a.managed ? { managed: true } : {}),
    line,
  };
}

/** `.global .align 4 .b32 a[4] = {…}, b;`, the space included, the semicolon too. */
export function parseVariables(c: Cursor, linkage: Linkage): readonly Variable[] {
  const space = spaceOf[expectDirective(c, "a state space")] ?? failExpected(c, "a state space", c.at - 1);
  const shared = attributes(c);
  const variables: Variable[] = [];
  do {
    const line = lineAt(c, c.at);
    variables.push(finish(c, shared, space, linkage, expectWord(c, "a name"), line));
  } while (accept(c, P.comma));
  expectMark(c, P.semicolon);
  return variables;
}

/** `.reg .b32 a` of a function; its register goes into the list where there is one. */
function parseRegisterParameter(c: Cursor, registers: RegisterList | undefined): Variable {
  const line = lineAt(c, c.at);
  const a = attributes(c);
  const found = finish(c, a, "reg", "", expectWord(c, "a name"), line);
  if (!registers || found.name === "_") return found;
  const register: Register = { kind: "register", name: found.name, type: found.type, id: registers.length };
  registers.push(register);
  return { ...found, register };
}

/** One parameter or result of a function or entry. `registers`: of the function's body, where it has a scope. */
export function parseParameter(c: Cursor, registers?: RegisterList): Variable {
  const at = c.at;
  const directive = expectDirective(c, "a parameter such as .param .b64 a");
  if (directive === ".reg") return parseRegisterParameter(c, registers);
  if (directive !== ".param") failExpected(c, ".param", at);
  const line = lineAt(c, c.at);
  const a = attributes(c);
  return finish(c, a, "param", "", expectWord(c, "a name"), line);
}
