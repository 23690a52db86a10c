/** Names of C++ in PTX, as C++ writes them: the Itanium C++ ABI, 5.1. */
import {
  accept,
  ended,
  expect,
  nested,
  newReader,
  number,
  peek,
  type Reader,
  remember,
  sequenceNumber,
  take,
  Unreadable,
  unreadable,
  untilEnd,
} from "./reader.ts";
import {
  arrayOf,
  bracketed,
  functionOf,
  joined,
  joinedParameters,
  memberOf,
  plain,
  pointerTo,
  qualified,
  qualifiedType,
  spelled,
  type TypeText,
} from "./type-text.ts";
import { abbreviations, builtinTypes, builtinTypesD, literalEndings, operators } from "./words.ts";

/** A name, and what decides whether a function's type begins with what it gives. */
interface Name {
  readonly text: string;
  /** It ends with arguments of a template. */
  readonly template: boolean;
  /** It is a constructor, a destructor or a conversion: it gives nothing that is written. */
  readonly special: boolean;
  /** ` const`, ` &&` behind the parameters. */
  readonly qualifiers: string;
}

const identifier = (r: Reader): string => {
  const length = number(r);
  const text = r.text.slice(r.at, r.at + length);
  if (length === 0 || text.length < length) unreadable();
  r.at += length;
  return /^_GLOBAL_[._$]N/.test(text) ? "(anonymous namespace)" : text;
};

const lastOf = (name: string): string => /(?:^|::)(\w+)(?:<.*>)?$/s.exec(name)?.[1] ?? name;

/** `{lambda(int)#1}`, `{unnamed type#1}`. */
function unnamed(r: Reader): string {
  if (accept(r, "Ut")) return `{unnamed type#${sequenceNumber(r, 10) + 1}}`;
  expect(r, "Ul");
  const parameters = untilEnd(r, () => readType(r));
  return `{lambda(${joinedParameters(parameters)})#${sequenceNumber(r, 10) + 1}}`;
}

/** A name without what it belongs to. `within`: what constructors are called by. */
function unqualified(r: Reader, within: string): Omit<Name, "qualifiers" | "template"> {
  let text: string;
  let special = false;
  if (/\d/.test(r.text[r.at] ?? "")) text = identifier(r);
  else if (take(r, /CI?[1-5]/y)) [text, special] = [lastOf(within), true];
  else if (take(r, /D[0-5]/y)) [text, special] = [`~${lastOf(within)}`, true];
  else if (peek(r, "U")) text = unnamed(r);
  else if (accept(r, "L")) text = identifier(r);
  else if (accept(r, "cv")) [text, special] = [`operator ${spelled(readType(r))}`, true];
  else if (accept(r, "li")) text = `operator"" ${identifier(r)}`;
  else {
    const [operator] = operators[take(r, /[a-z][a-zA-Z]/y) ?? ""] ?? unreadable();
    text = `operator${/^[a-z]/.test(operator) ? " " : ""}${operator}`;
  }
  while (accept(r, "B")) text += `[abi:${identifier(r)}]`;
  return { text, special };
}

/** `I … E`, its `I` taken. */
function templateArguments(r: Reader): readonly TypeText[] {
  return untilEnd(r, () => nested(r, () => templateArgument(r)));
}

function templateArgument(r: Reader): TypeText {
  if (accept(r, "X")) {
    const value = expression(r);
    expect(r, "E");
    return plain(value);
  }
  if (accept(r, "J")) return plain(joined(templateArguments(r)));
  return peek(r, "L") ? plain(literal(r)) : readType(r);
}

/** `of`: the name is that of what is declared, so that `T_` means its arguments. */
function withArguments(r: Reader, name: string, of: boolean): string {
  const args = templateArguments(r);
  if (of) r.templateArguments = args;
  return name + bracketed(args);
}

function nestedName(r: Reader, of: boolean): Name {
  const qualifiers = qualified("", take(r, /[rVK]*/y) ?? "") + (accept(r, "R") ? " &" : accept(r, "O") ? " &&" : "");
  let name = "";
  let [template, special] = [false, false];
  while (!accept(r, "E")) {
    if (ended(r)) unreadable();
    template = false;
    if (peek(r, "S") && !peek(r, "St")) {
      name = spelled(substitution(r));
      continue;
    }
    if (accept(r, "St")) {
      name = "std";
      continue;
    }
    if (accept(r, "I")) {
      name = withArguments(r, name, of);
      template = true;
    } else if (peek(r, "T")) name = spelled(templateParameter(r));
    else if (peek(r, "Dt") || peek(r, "DT")) name = spelled(decltypeOf(r));
    else {
      const part = unqualified(r, name);
      name = name === "" ? part.text : `${name}::${part.text}`;
      special = part.special;
    }
    remember(r, plain(name));
  }
  // All of it is no part of a name: as a type it is remembered by who reads that.
  r.substitutions.pop();
  return { text: name, template, special, qualifiers };
}

/** `Z function E name`: what is declared in a function. */
function localName(r: Reader, of: boolean): Name {
  const outer = r.templateArguments;
  const within = encoding(r, true).text;
  expect(r, "E");
  if (accept(r, "s")) {
    take(r, /_\d|__\d+_/y);
    return { text: `${within}::string literal`, template: false, special: false, qualifiers: "" };
  }
  if (accept(r, "d")) sequenceNumber(r, 10);
  if (!of) r.templateArguments = outer;
  const inner = readName(r, of);
  take(r, /__\d+_|_\d/y);
  return { ...inner, text: `${within}::${inner.text}` };
}

function readName(r: Reader, of: boolean): Name {
  if (accept(r, "N")) return nestedName(r, of);
  if (accept(r, "Z")) return localName(r, of);
  let [name, special] = ["", false];
  if (peek(r, "S") && !peek(r, "St")) {
    name = spelled(substitution(r));
    if (!peek(r, "I")) unreadable();
  } else {
    const std = accept(r, "St");
    const part = unqualified(r, "");
    [name, special] = [std ? `std::${part.text}` : part.text, part.special];
    if (peek(r, "I")) remember(r, plain(name));
  }
  const template = accept(r, "I");
  return { text: template ? withArguments(r, name, of) : name, template, special, qualifiers: "" };
}

function substitution(r: Reader): TypeText {
  for (const [code, text] of Object.entries(abbreviations)) if (accept(r, code)) return plain(text);
  expect(r, "S");
  return r.substitutions[sequenceNumber(r, 36)] ?? unreadable();
}

function templateParameter(r: Reader): TypeText {
  expect(r, "T");
  return r.templateArguments[sequenceNumber(r, 10)] ?? unreadable();
}

function decltypeOf(r: Reader): TypeText {
  r.at += 2;
  const value = expression(r);
  expect(r, "E");
  return plain(`decltype (${value})`);
}

function functionType(r: Reader): TypeText {
  accept(r, "Y");
  const result = readType(r);
  const parameters: TypeText[] = [];
  let reference = "";
  while (!accept(r, "E")) {
    if (ended(r)) unreadable();
    if (accept(r, "RE")) {
      reference = " &";
      break;
    }
    if (accept(r, "OE")) {
      reference = " &&";
      break;
    }
    parameters.push(readType(r));
  }
  return functionOf(result, parameters, reference);
}

function arrayType(r: Reader): TypeText {
  const extent = /\d/.test(r.text[r.at] ?? "") ? String(number(r)) : peek(r, "_") ? "" : expression(r);
  expect(r, "_");
  return arrayOf(readType(r), extent);
}

/** `M class member`. */
function memberPointer(r: Reader): TypeText {
  const of = spelled(readType(r));
  return memberOf(readType(r), of);
}

const readType = (r: Reader): TypeText => nested(r, () => typeOf(r));

/** Types made of others, behind their letter. */
const compounds: Readonly<Record<string, (r: Reader) => TypeText>> = {
  P: (r) => pointerTo(readType(r), "*"),
  R: (r) => pointerTo(readType(r), "&"),
  O: (r) => pointerTo(readType(r), "&&"),
  F: functionType,
  A: arrayType,
  M: memberPointer,
  u: (r) => plain(identifier(r)),
};

function typeOf(r: Reader): TypeText {
  const letter = r.text[r.at] ?? "";
  const builtin = builtinTypes[letter];
  if (builtin !== undefined) {
    r.at += 1;
    return plain(builtin);
  }
  const compound = compounds[letter];
  if (compound) {
    r.at += 1;
    return remember(r, compound(r));
  }
  switch (letter) {
    case "r":
    case "V":
    case "K": {
      const letters = take(r, /[rVK]+/y) ?? "";
      return remember(r, qualifiedType(readType(r), letters));
    }
    case "D":
      return typeOfD(r);
    case "T": {
      const found = remember(r, templateParameter(r));
      return accept(r, "I") ? remember(r, plain(spelled(found) + bracketed(templateArguments(r)))) : found;
    }
    case "S":
      if (peek(r, "St")) break;
      return ofSubstitution(r);
  }
  return remember(r, plain(readName(r, false).text));
}

function ofSubstitution(r: Reader): TypeText {
  const found = substitution(r);
  return accept(r, "I") ? remember(r, plain(spelled(found) + bracketed(templateArguments(r)))) : found;
}

function typeOfD(r: Reader): TypeText {
  if (peek(r, "Dt") || peek(r, "DT")) return remember(r, decltypeOf(r));
  if (accept(r, "Dp")) return remember(r, readType(r));
  if (accept(r, "DoF")) return remember(r, functionType(r));
  for (const [code, text] of Object.entries(builtinTypesD)) if (accept(r, `D${code}`)) return plain(text);
  if (!accept(r, "Dv")) return unreadable();
  const count = number(r);
  expect(r, "_");
  return remember(r, plain(`${spelled(readType(r))} __vector(${count})`));
}

/** `L type value E`. */
function literal(r: Reader): string {
  expect(r, "L");
  if (accept(r, "_Z")) {
    const { text } = encoding(r);
    expect(r, "E");
    return text;
  }
  const code = r.text[r.at] ?? "";
  const type = spelled(readType(r));
  const negative = accept(r, "n") ? "-" : "";
  const value = take(r, /[0-9a-f]*/y) ?? "";
  expect(r, "E");
  if (type === "decltype(nullptr)") return "nullptr";
  if (type === "bool") return value === "0" ? "false" : "true";
  const ending = literalEndings[code];
  if (ending !== undefined) return `${negative}${value}${ending}`;
  return /^[fdeg]$/.test(code) ? `(${type})[${value}]` : `(${type})${negative}${value}`;
}

function expression(r: Reader): string {
  return nested(r, () => expressionOf(r));
}

function expressionOf(r: Reader): string {
  if (peek(r, "L")) return literal(r);
  if (peek(r, "T")) return spelled(templateParameter(r));
  if (accept(r, "sr")) {
    const of = spelled(readType(r));
    const { text } = unqualified(r, of);
    return `${of}::${text}${accept(r, "I") ? bracketed(templateArguments(r)) : ""}`;
  }
  if (accept(r, "st")) return `sizeof (${spelled(readType(r))})`;
  if (accept(r, "sz")) return `sizeof (${expression(r)})`;
  if (accept(r, "sZ")) return `sizeof...(${spelled(templateParameter(r))})`;
  if (accept(r, "sp")) return expression(r);
  if (accept(r, "fp")) return `{parm#${sequenceNumber(r, 10) + 1}}`;
  if (accept(r, "cl")) {
    const called = expression(r);
    return `${called}(${untilEnd(r, () => expression(r)).join(", ")})`;
  }
  if (accept(r, "cv")) return `(${spelled(readType(r))})(${expression(r)})`;
  if (accept(r, "tl")) return `${spelled(readType(r))}{${untilEnd(r, () => expression(r)).join(", ")}}`;
  if (/\d/.test(r.text[r.at] ?? "")) return identifier(r) + (accept(r, "I") ? bracketed(templateArguments(r)) : "");
  const [operator, operands] = operators[take(r, /[a-z][a-zA-Z]/y) ?? ""] ?? unreadable();
  const given = Array.from({ length: operands }, () => expression(r));
  if (operands === 1) return `${operator}(${given[0]})`;
  if (operands === 3) return `(${given[0]})?(${given[1]}) : (${given[2]})`;
  return operands === 2 ? `(${given.join(`)${operator}(`)})` : unreadable();
}

const specialNames: Readonly<Record<string, string>> = {
  TV: "vtable for ",
  TT: "VTT for ",
  TI: "typeinfo for ",
  TS: "typeinfo name for ",
};

/** A name as C++ writes it. */
export interface CppName {
  /** All of it: `void ns::scale<float>(float*, int)`. */
  readonly text: string;
  /** Without what it gives and takes: `ns::scale<float>`. */
  readonly name: string;
}

const both = (text: string): CppName => ({ text, name: text });

/** A function with its parameters, or a variable. `inner`: it holds what is named, and what it gives is left out. */
function encoding(r: Reader, inner = false): CppName {
  for (const [code, what] of Object.entries(specialNames)) if (accept(r, code)) return both(what + spelled(readType(r)));
  if (accept(r, "GV")) return both(`guard variable for ${readName(r, true).text}`);
  const name = readName(r, true);
  const over = (): boolean => ended(r) || peek(r, "E") || peek(r, ".");
  if (over()) return both(name.text);
  const given = name.template && !name.special ? readType(r) : undefined;
  const parameters: TypeText[] = [];
  while (!over()) parameters.push(readType(r));
  const declared = `${name.text}(${joinedParameters(parameters)})${name.qualifiers}`;
  return { text: given && !inner ? `${given.left} ${declared}${given.right}` : declared, name: name.text };
}

/** The name as C++ writes it; one that is not mangled, or in a way that is not known, as it is. */
export function demangle(mangled: string): CppName {
  if (!mangled.startsWith("_Z")) return both(mangled);
  const r = newReader(mangled, 2);
  try {
    const found = encoding(r);
    if (ended(r)) return found;
    return peek(r, ".") ? { ...found, text: `${found.text} [clone ${mangled.slice(r.at)}]` } : both(mangled);
  } catch (error) {
    if (error instanceof Unreadable) return both(mangled);
    throw error;
  }
}
