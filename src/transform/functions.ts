import { rangeOf } from "./bindings.ts";
import { metaText } from "./function-meta.ts";
import { returnsAtEnd } from "./leaving.ts";
import { blockInside } from "./lists.ts";
import type { FunctionNode, Role } from "./marks.ts";
import { declarators, propertyKey } from "./patterns.ts";
import type { Piece } from "./pieces.ts";
import { at, atRange, type Context, hook, refuse, splice, temporary } from "./rewrite-context.ts";
import { ts } from "./typescript.ts";
import { boxedSymbol, initial } from "./variables.ts";

/** From the start of a function to its body, or to the end of that line. */
const headSpan = (cx: Context, node: FunctionNode): string =>
  atRange(cx, node.getStart(), node.body ? node.body.getFullStart() : node.end);

function refuseAsync(cx: Context, node: FunctionNode): void {
  const isAsync = node.modifiers?.find((m) => m.kind === ts.SyntaxKind.AsyncKeyword);
  if (isAsync) refuse(cx, "W1002", { what: "an `async` function" }, isAsync);
  if (node.asteriskToken) refuse(cx, "W1003", {}, node.asteriskToken);
}

/** The array that JavaScript makes of the remaining arguments is a new one, as that of a literal. */
const bornHere = (cx: Context, node: ts.Node, name: string): Piece => [" ", hook(cx, "born", node, name), ";"];

/** A parameter, and what the body must do with it before anything else. */
function parameter(
  cx: Context,
  node: ts.ParameterDeclaration,
  all: readonly ts.ParameterDeclaration[],
): { head: Piece; prologue: Piece } {
  const { name, initializer } = node;
  const value = initializer && cx.rewrite.expr(cx, initializer);
  const afterPattern = all.slice(0, all.indexOf(node)).some((p) => !ts.isIdentifier(p.name));
  if (!ts.isIdentifier(name) || (value && afterPattern)) {
    const given = temporary(cx);
    // The names of a pattern are there only in the body, and what a later default computes comes after what the pattern does.
    const late = value && afterPattern;
    const whole: Piece = late ? ["(", given, " === undefined ? ", value, " : ", given, ")"] : given;
    const head = [node.dotDotDotToken ? "..." : "", given, value && !late ? [" = ", value] : ""];
    const fresh: Piece = node.dotDotDotToken ? bornHere(cx, name, given) : "";
    const declared = ts.isIdentifier(name)
      ? [rangeOf(name), " = ", initial(cx, name, whole) ?? whole]
      : declarators(cx, name, whole);
    return { head, prologue: [fresh, " let ", declared, ";"] };
  }
  const head: Piece = initializer && value ? [{ start: node.getStart(), end: initializer.getStart() }, value] : rangeOf(node);
  const symbol = boxedSymbol(cx, name);
  const fresh: Piece = node.dotDotDotToken ? bornHere(cx, name, name.text) : "";
  if (!symbol) return { head, prologue: fresh };
  const usedInDefault = all.some((p) => p.initializer && cx.bindings.references(symbol, rangeOf(p.initializer)).length > 0);
  if (usedInDefault) refuse(cx, "W1020", { name: name.text }, name);
  return { head, prologue: [fresh, ` ${name.text} = `, initial(cx, name, name.text) ?? "", ";"] };
}

function functionBody(cx: Context, node: FunctionNode, body: ts.ConciseBody, prologue: Piece): Piece {
  if (!ts.isBlock(body)) {
    const value = cx.rewrite.expr(cx, body);
    return prologue === "" ? value : ["{", prologue, " return ", value, "; }"];
  }
  if (returnsAtEnd(node)) return ["{", prologue, blockInside(cx, body), "}"];
  return ["{", prologue, " return ", hook(cx, "body", body, headSpan(cx, node), ["() => {", blockInside(cx, body), "}"]), "; }"];
}

/** A function with its parameters and body rewritten, from `start`, which may skip its name. */
export function functionText(cx: Context, node: FunctionNode, start = node.getStart()): Piece {
  refuseAsync(cx, node);
  const { body } = node;
  if (!body) return { start, end: node.end };
  const parameters = new Map(node.parameters.map((p) => [p, parameter(cx, p, node.parameters)] as const));
  const prologue = [...parameters.values()].map((p) => p.prologue).filter((p) => p !== "");
  return splice<ts.Node>(start, node.end, [...node.parameters, body], (part) => {
    if (part === body) return functionBody(cx, node, body, prologue.length > 0 ? prologue : "");
    return ts.isParameter(part) ? (parameters.get(part)?.head ?? "") : "";
  });
}

/** A function expression or arrow as a marked value. */
export function functionValue(
  cx: Context,
  node: ts.FunctionExpression | ts.ArrowFunction | ts.FunctionDeclaration,
  role: Role,
): Piece {
  return hook(cx, "fn", node, headSpan(cx, node), metaText(cx, node, role), functionText(cx, node));
}

/** A method of an object literal, as a property that holds a marked function. */
export function objectMethod(cx: Context, node: ts.MethodDeclaration, role: Role): Piece {
  const name = ts.isComputedPropertyName(node.name) ? ["[", propertyKey(cx, node.name), "]"] : rangeOf(node.name);
  const value = ["function ", functionText(cx, node, node.name.end)];
  return [name, ": ", hook(cx, "fn", node, headSpan(cx, node), metaText(cx, node, role), value)];
}

/** A method, getter or setter of a class, marked by a decorator below those of the author. */
export function classMethod(cx: Context, node: ts.MethodDeclaration | ts.AccessorDeclaration, role: Role): Piece {
  if (ts.isPrivateIdentifier(node.name)) refuse(cx, "W1015", { name: node.name.text }, node.name);
  const decorators = ts.getDecorators(node);
  const last = decorators?.at(-1);
  const start = node.modifiers?.find((m) => !ts.isDecorator(m))?.getStart() ?? nameStart(node);
  const before: Piece = last ? { start: node.getStart(), end: start } : "";
  const mark = hook(cx, "method", node, atRange(cx, node.name.getStart(), node.name.end), metaText(cx, node, role));
  return [before, "@", mark, " ", functionText(cx, node, start)];
}

/** Where a member begins once its decorators and modifiers are past: at `get`, `set`, `*` or the name. */
function nameStart(node: ts.MethodDeclaration | ts.AccessorDeclaration): number {
  const decorators = ts.getDecorators(node) ?? [];
  const first = node.getChildren().find((c) => c.kind !== ts.SyntaxKind.JSDoc && c.kind !== ts.SyntaxKind.SyntaxList);
  return decorators.length > 0 ? (first ?? node.name).getStart() : node.getStart();
}

/** A class written inside a kernel or helper. */
export function classText(cx: Context, node: ts.ClassLikeDeclaration): Piece {
  const base = node.heritageClauses?.find((clause) => clause.token === ts.SyntaxKind.ExtendsKeyword);
  if (base) refuse(cx, "W1012", {}, base);
  return splice(node.getStart(), node.end, node.members, (member) => classMember(cx, member));
}

function classMember(cx: Context, node: ts.ClassElement): Piece {
  if (ts.isConstructorDeclaration(node)) return functionText(cx, node);
  if (ts.isMethodDeclaration(node) || ts.isGetAccessorDeclaration(node) || ts.isSetAccessorDeclaration(node)) {
    return node.body ? classMethod(cx, node, "inner") : rangeOf(node);
  }
  if (ts.isClassStaticBlockDeclaration(node))
    refuse(cx, "W1021", { what: "a `static` block", instead: "initialise the static fields where they are declared" }, node);
  return ts.isPropertyDeclaration(node) ? classField(cx, node) : rangeOf(node);
}

/** A field with its initialiser rewritten. */
export function classField(cx: Context, node: ts.PropertyDeclaration): Piece {
  if (ts.isPrivateIdentifier(node.name)) refuse(cx, "W1015", { name: node.name.text }, node.name);
  const { initializer } = node;
  return initializer ? splice(node.getStart(), node.end, [initializer], () => cx.rewrite.expr(cx, initializer)) : rangeOf(node);
}

/** What marks a class once it is declared. */
export function classMark(cx: Context, node: ts.ClassDeclaration, role: Role): Piece {
  return node.name ? [" ", hook(cx, "fn", node.name, at(cx, node.name), metaText(cx, node, role), node.name.text), ";"] : "";
}

/** A class expression as a marked value. */
export function classValue(cx: Context, node: ts.ClassExpression): Piece {
  return hook(cx, "fn", node, at(cx, node), metaText(cx, node, "inner"), classText(cx, node));
}
