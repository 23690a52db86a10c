import { fail } from "../errors.ts";
import {
  accept,
  acceptDirective,
  type Cursor,
  cursorOver,
  expectMark,
  expectNumber,
  expectString,
  expectWord,
  failExpected,
  isDirective,
  kindAt,
  lineAt,
  listUntil,
  P,
  spansAt,
  textAt,
} from "./cursor.ts";
import { DIRECTIVE, END, lex, NUMBER } from "./lex.ts";
import { parseBody, parsePragma } from "./parse-body.ts";
import { parseDirectives } from "./parse-directives.ts";
import { isSpace, parseParameter, parseVariables } from "./parse-variable.ts";
import { declare, newScope, type RegisterList, type Scope } from "./scopes.ts";
import type { Alias, Item, Linkage, PtxFunction, PtxTree, Section, SourceFile, Variable } from "./tree.ts";

const linkages: Readonly<Record<string, Linkage>> = {
  ".visible": "visible",
  ".weak": "weak",
  ".extern": "extern",
  ".common": "common",
};

/** Registers among them are put into the list; an entry has none. */
function parameters(c: Cursor, scope: Scope, registers: RegisterList | undefined): readonly Variable[] {
  if (!accept(c, P.parenOpen)) return [];
  return listUntil(c, P.parenClose, () => {
    const at = c.at;
    const param = parseParameter(c, registers);
    if (param.space === "reg" && !registers) fail("W9805", { what: "a parameter of an entry in a register" }, spansAt(c, at));
    if (param.name !== "_" && !declare(scope, param.name, param.register ?? param))
      fail("W9804", { name: param.name }, spansAt(c, at));
    return param;
  });
}

/** `.entry` or `.func`, the linkage taken. */
function parseFunction(c: Cursor, module: Scope, linkage: Linkage): PtxFunction {
  const entry = textAt(c, c.at++) === ".entry";
  const scope = newScope(module);
  const registers: RegisterList = [];
  const returns = entry ? [] : parameters(c, scope, registers);
  const line = lineAt(c, c.at);
  const name = expectWord(c, "a function's name");
  if (!module.names.has(name)) declare(module, name, { kind: "function", name });
  const params = parameters(c, scope, entry ? undefined : registers);
  const directives = parseDirectives(c);
  const declared = accept(c, P.semicolon);
  if (!declared) expectMark(c, P.open);
  const body = declared ? undefined : parseBody(c, scope, registers);
  return { kind: "function", name, entry, linkage, returns, params, directives, body, line };
}

/** `.file 1 "path"`, perhaps with time stamp and size. */
function parseFile(c: Cursor): SourceFile {
  c.at++;
  const number = Number(expectNumber(c, "the file's number"));
  const path = expectString(c, "a path in quotes").replace(/\\(.)/g, "$1");
  const rest: string[] = [];
  while (kindAt(c) === P.comma && kindAt(c, 1) === NUMBER) {
    rest.push(textAt(c, c.at + 1));
    c.at += 2;
  }
  return { kind: "file", number, path, rest: rest.map((n) => `, ${n}`).join("") };
}

/** Debugging sections are kept as they stand: nothing that runs depends on them. */
function parseSection(c: Cursor): Section {
  const start = c.tokens.starts[c.at] ?? 0;
  while (kindAt(c) !== P.close) {
    if (kindAt(c) === END) failExpected(c, "'}'");
    c.at++;
  }
  c.at++;
  return { kind: "section", text: c.tokens.text.slice(start, c.tokens.ends[c.at - 1]) };
}

function variables(c: Cursor, module: Scope, linkage: Linkage): readonly Variable[] {
  const at = c.at;
  const read = parseVariables(c, linkage);
  for (const variable of read) {
    const known = module.names.get(variable.name);
    const declared = known?.kind === "variable" && (known.linkage === "extern" || linkage === "extern");
    if (known && !declared) fail("W9804", { name: variable.name }, spansAt(c, at));
    if (linkage !== "extern" || !known) module.names.set(variable.name, variable);
  }
  return read;
}

function items(c: Cursor, module: Scope): readonly Item[] {
  if (kindAt(c) !== DIRECTIVE) failExpected(c, "a directive such as .entry or .global");
  const linkage = linkages[textAt(c, c.at)] ?? "";
  if (linkage !== "") c.at++;
  const name = textAt(c, c.at);
  if (name === ".entry" || name === ".func") return [parseFunction(c, module, linkage)];
  if (isSpace(name)) return variables(c, module, linkage);
  if (linkage !== "") return failExpected(c, ".entry, .func or a state space");
  if (name === ".file") return [parseFile(c)];
  if (name === ".section") return [parseSection(c)];
  if (name === ".pragma") return [parsePragma(c)];
  if (name === ".alias") return [parseAlias(c)];
  return fail("W9805", { what: name }, spansAt(c, c.at));
}

/** `.alias name, target;` The name has been declared as a function. */
function parseAlias(c: Cursor): Alias {
  c.at++;
  const name = expectWord(c, "a function's name");
  expectMark(c, P.comma);
  const target = expectWord(c, "a function's name");
  expectMark(c, P.semicolon);
  return { kind: "alias", name, target };
}

function header(c: Cursor): Pick<PtxTree, "version" | "target" | "addressSize"> {
  if (!acceptDirective(c, ".version")) failExpected(c, ".version");
  const version = expectNumber(c, "a version such as 8.0");
  if (!acceptDirective(c, ".target")) failExpected(c, ".target");
  const target: string[] = [];
  do target.push(expectWord(c, "a target such as sm_90a"));
  while (accept(c, P.comma));
  if (!isDirective(c, ".address_size")) return { version, target, addressSize: 32 };
  c.at++;
  const at = c.at;
  const size = expectNumber(c, "32 or 64");
  return { version, target, addressSize: size === "64" ? 64 : size === "32" ? 32 : failExpected(c, "32 or 64", at) };
}

/** Definitions, and declarations of what is not defined here. */
function definedFunctions(all: readonly Item[]): readonly PtxFunction[] {
  const byName = new Map<string, PtxFunction>();
  for (const item of all) {
    if (item.kind === "function" && (item.body || !byName.has(item.name))) byName.set(item.name, item);
  }
  return [...byName.values()];
}

/**
 * Reads the text of a PTX module (PTX ISA 9.0). `name` is what errors call it.
 *
 * Throws W9800 (syntax), W9802 and W9806 (operands), W9803 and W9804 (names), W9805 (what is not supported), each with its place in the
 * text. Instructions that are not known are left in their functions, each with its W9801 (`refuseUnknown`).
 */
export function parsePtx(text: string, name = "module.ptx"): PtxTree {
  const c = cursorOver(lex(text), name);
  const head = header(c);
  const module = newScope(undefined);
  const all: Item[] = [];
  while (kindAt(c) !== END) for (const item of items(c, module)) all.push(item);
  return {
    name,
    text,
    ...head,
    items: all,
    variables: all.filter((item) => item.kind === "variable"),
    functions: definedFunctions(all),
    files: all.filter((item) => item.kind === "file"),
  };
}
