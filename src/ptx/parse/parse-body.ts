import { fail } from "../errors.ts";
import {
  accept,
  acceptDirective,
  type Cursor,
  expectDirective,
  expectMark,
  expectNumber,
  expectString,
  expectWord,
  failExpected,
  kindAt,
  listUntil,
  P,
  spansAt,
  textAt,
} from "./cursor.ts";
import { DIRECTIVE, END, NUMBER, WORD } from "./lex.ts";
import { parseInstruction } from "./parse-instruction.ts";
import { isSpace, parseParameter, parseVariables } from "./parse-variable.ts";
import {
  closeScope,
  declare,
  declareRegister,
  type LabelTarget,
  lookUp,
  newScope,
  type RegisterList,
  type Scope,
  useLabel,
} from "./scopes.ts";
import type {
  Body,
  BranchTargets,
  CallPrototype,
  CallTargets,
  Instruction,
  Label,
  Loc,
  Operand,
  Pragma,
  Register,
  Statement,
  UnknownInstruction,
  Variable,
} from "./tree.ts";
import { typeOfDirective } from "./types.ts";

/** A body while it is read. */
interface BodyReader {
  readonly c: Cursor;
  scope: Scope;
  readonly registers: Register[];
  readonly given: Operand[];
  readonly places: number[];
  readonly statements: Statement[];
  readonly instructions: Instruction[];
  readonly unknown: UnknownInstruction[];
  readonly variables: Variable[];
  loc: Loc | undefined;
}

function registerDeclaration(b: BodyReader): void {
  const { c } = b;
  c.at++;
  const typeAt = c.at;
  const directive = expectDirective(c, "a type");
  if (directive === ".v2" || directive === ".v4") fail("W9805", { what: "a vector register" }, spansAt(c, typeAt));
  const type = typeOfDirective(directive) ?? failExpected(c, "a type", typeAt);
  const names: { name: string; count: number | undefined }[] = [];
  do {
    const at = c.at;
    const name = expectWord(c, "a register's name");
    let count: number | undefined;
    if (accept(c, P.less)) {
      count = Number(expectNumber(c, "a number of registers"));
      expectMark(c, P.greater);
    }
    if (!declareRegister(b.scope, name, type, count)) fail("W9804", { name }, spansAt(c, at));
    names.push({ name, count });
  } while (accept(c, P.comma));
  expectMark(c, P.semicolon);
  b.statements.push({ kind: "registers", type, names });
}

function declareVariables(b: BodyReader): void {
  const at = b.c.at;
  for (const variable of parseVariables(b.c, "")) {
    if (!declare(b.scope, variable.name, variable)) fail("W9804", { name: variable.name }, spansAt(b.c, at));
    b.statements.push(variable);
    b.variables.push(variable);
  }
}

/** `, function_name $L_str+4, inlined_at 1 2 3` (PTX ISA 11.5.4). */
function inlining(c: Cursor): Pick<Loc, "inlinedAt" | "functionName"> {
  let inlinedAt: Loc["inlinedAt"];
  let functionName: string | undefined;
  while (accept(c, P.comma)) {
    const at = c.at;
    const word = expectWord(c, "function_name or inlined_at");
    if (word === "inlined_at") inlinedAt = { file: locNumber(c), line: locNumber(c), column: locNumber(c) };
    else if (word === "function_name") {
      const label = expectWord(c, "a label");
      functionName = accept(c, P.plus) ? `${label}+${expectNumber(c, "a number")}` : label;
    } else failExpected(c, "function_name or inlined_at", at);
  }
  return { inlinedAt, functionName };
}
const locNumber = (c: Cursor): number => Number(expectNumber(c, "a number"));

/** `.loc 1 20 5 …`; the column may be left out. */
function parseLoc(c: Cursor): Loc {
  c.at++;
  const file = locNumber(c);
  const line = locNumber(c);
  const column = kindAt(c) === NUMBER ? locNumber(c) : 0;
  return { kind: "loc", file, line, column, ...inlining(c) };
}

export function parsePragma(c: Cursor): Pragma {
  c.at++;
  return { kind: "pragma", texts: listUntil(c, P.semicolon, () => expectString(c, "a text in quotes")) };
}

function prototype(c: Cursor, name: string): CallPrototype {
  const returns = accept(c, P.parenOpen) ? listUntil(c, P.parenClose, () => parseParameter(c)) : [];
  expectWord(c, "_");
  const params = accept(c, P.parenOpen) ? listUntil(c, P.parenClose, () => parseParameter(c)) : [];
  const noreturn = acceptDirective(c, ".noreturn");
  expectMark(c, P.semicolon);
  return { kind: "callprototype", name, returns, params, noreturn };
}

function branchTargets(b: BodyReader, name: string): BranchTargets {
  const targets = listUntil(b.c, P.semicolon, () => {
    const at = b.c.at;
    return useLabel(b.scope, expectWord(b.c, "a label"), at);
  });
  return { kind: "branchtargets", name, targets };
}

function callTargets(b: BodyReader, name: string): CallTargets {
  const functions = listUntil(b.c, P.semicolon, () => {
    const at = b.c.at;
    const word = expectWord(b.c, "a function");
    const found = lookUp(b.scope, word, b.registers);
    return found?.kind === "function" ? found : failExpected(b.c, "a function", at);
  });
  return { kind: "calltargets", name, functions };
}

/** `name:` and what may follow it: a place, `.branchtargets …;`, `.calltargets …;` or `.callprototype …;`. */
function label(b: BodyReader): void {
  const { c } = b;
  const at = c.at;
  const name = expectWord(c, "a label");
  expectMark(c, P.colon);
  let target: LabelTarget & Statement;
  if (acceptDirective(c, ".branchtargets")) target = branchTargets(b, name);
  else if (acceptDirective(c, ".calltargets")) target = callTargets(b, name);
  else if (acceptDirective(c, ".callprototype")) target = prototype(c, name);
  else target = { kind: "label", name, target: b.instructions.length } satisfies Label;
  if (b.scope.labels.has(name)) fail("W9804", { name }, spansAt(c, at));
  b.scope.labels.set(name, target);
  b.statements.push(target);
}

function directive(b: BodyReader): void {
  const { c } = b;
  const name = textAt(c, c.at);
  if (name === ".reg") registerDeclaration(b);
  else if (isSpace(name)) declareVariables(b);
  else if (name === ".loc") {
    b.loc = parseLoc(c);
    b.statements.push(b.loc);
  } else if (name === ".pragma") b.statements.push(parsePragma(c));
  else fail("W9805", { what: `${name} in a function` }, spansAt(c, c.at));
}

function statement(b: BodyReader): void {
  const { c } = b;
  const kind = kindAt(c);
  if (kind === DIRECTIVE) directive(b);
  else if (kind === WORD && kindAt(c, 1) === P.colon) label(b);
  else if (kind === WORD || kind === P.at) {
    const read = parseInstruction(b, b.loc, b.instructions.length);
    if (read.kind === "unknown") b.unknown.push(read);
    else b.instructions.push(read);
    b.statements.push(read);
  } else if (accept(c, P.open)) {
    b.scope = newScope(b.scope);
    b.statements.push({ kind: "open" });
  } else if (!accept(c, P.semicolon)) failExpected(c, "an instruction or a directive");
}

/**
 * Reads a body, its `{` taken. `outer`: the names of the parameters; `registers`: those among them. A body that is all of the text has no
 * `}`: it ends where the text does.
 */
export function parseBody(c: Cursor, outer: Scope, registers: RegisterList, end: typeof P.close | typeof END = P.close): Body {
  const outermost = newScope(outer);
  const lists = { statements: [], instructions: [], unknown: [], variables: [], given: [], places: [] };
  const b: BodyReader = { c, scope: outermost, registers, ...lists, loc: undefined };
  for (;;) {
    const whole = b.scope === outermost;
    const wanted = whole ? end : P.close;
    if (kindAt(c) === END && wanted !== END) failExpected(c, "'}'");
    if (kindAt(c) !== wanted) {
      statement(b);
      continue;
    }
    if (wanted !== END) c.at++;
    closeScope(c, b.scope, whole);
    const { statements, instructions, unknown, variables } = b;
    if (whole) return { statements, instructions, unknown, registers, variables };
    b.scope = b.scope.parent ?? outermost;
    statements.push({ kind: "close" });
  }
}
