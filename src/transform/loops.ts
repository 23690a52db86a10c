/** Loops as calls of hooks, with functions for their conditions and bodies: dsl/hooks/statement-hooks.ts takes them, there while-loop.ts (`while`, `do`, C-style `for`) and for-of.ts of dsl/control decide whether a loop unrolls or becomes one on the GPU. */
import { assignElement } from "./assignments.ts";
import { type Range, rangeOf } from "./bindings.ts";
import { inside } from "./lists.ts";
import { declarators } from "./patterns.ts";
import type { Piece } from "./pieces.ts";
import { at, atRange, type Context, hook, quote, refuse, temporary, vars } from "./rewrite-context.ts";
import { type Loop, startsFunction } from "./syntax.ts";
import { ts } from "./typescript.ts";
import { boxedSymbol, initial } from "./variables.ts";

/** A loop as one expression, with the declarations that belong before it. */
export interface LoopPiece {
  readonly before: Piece | undefined;
  readonly loop: Piece;
}

const labelList = (labels: readonly string[]): string => `[${labels.map(quote).join(", ")}]`;

/** From the keyword to the closing parenthesis: what the caret shows. */
const headSpan = (cx: Context, node: Loop): string => {
  const end = ts.isDoStatement(node) ? node.end : node.statement.getFullStart();
  return atRange(
    cx,
    ts.isDoStatement(node) ? node.expression.getStart() : node.getStart(),
    ts.isDoStatement(node) ? node.expression.end : end,
  );
};

const body = (cx: Context, node: Loop, prologue: Piece = ""): Piece => ["() => {", prologue, inside(cx, node.statement), "}"];

/** How the element of `for … of` and `for … in` becomes a parameter and what comes first in the body. */
function elementOf(cx: Context, initializer: ts.ForInitializer): { parameter: Piece; prologue: Piece } {
  if (!ts.isVariableDeclarationList(initializer)) {
    const name = temporary(cx);
    return { parameter: name, prologue: [" ", assignElement(cx, initializer, name)] };
  }
  refuseKind(cx, initializer);
  const name = initializer.declarations[0]?.name;
  if (!name) return { parameter: temporary(cx), prologue: "" };
  if (!ts.isIdentifier(name)) {
    const whole = temporary(cx);
    return {
      parameter: whole,
      prologue: [initializer.flags & ts.NodeFlags.Const ? " const " : " let ", declarators(cx, name, whole), ";"],
    };
  }
  const prologue = boxedSymbol(cx, name) ? [" ", name.text, " = ", initial(cx, name, name.text) ?? "", ";"] : "";
  return { parameter: rangeOf(name), prologue };
}

/** Refuses `var` and `using`. */
export function refuseKind(cx: Context, list: ts.VariableDeclarationList): void {
  const kind = list.flags & ts.NodeFlags.BlockScoped;
  if (kind === ts.NodeFlags.Using || kind === ts.NodeFlags.AwaitUsing) refuse(cx, "W1014", {}, list);
  if (kind === 0) refuse(cx, "W1006", {}, list);
}

/** The names that each element is given, as the author wrote them: what the loops of a program are called. */
function elementNames(initializer: ts.ForInitializer): string {
  const name = ts.isVariableDeclarationList(initializer) ? initializer.declarations[0]?.name : undefined;
  if (!name) return "";
  if (ts.isIdentifier(name)) return name.text;
  return ts.isArrayBindingPattern(name)
    ? name.elements.map((e) => (ts.isBindingElement(e) && ts.isIdentifier(e.name) ? e.name.text : "")).join(", ")
    : "";
}

function overElements(cx: Context, node: ts.ForOfStatement | ts.ForInStatement, labels: readonly string[]): LoopPiece {
  if (ts.isForOfStatement(node) && node.awaitModifier) refuse(cx, "W1002", { what: "`for await`" }, node.awaitModifier);
  const { parameter, prologue } = elementOf(cx, node.initializer);
  const object = cx.rewrite.expr(cx, node.expression);
  const span = headSpan(cx, node);
  if (cx.role === "program") cx.spans.isNamed(Number(span), elementNames(node.initializer));
  const iterable = ts.isForInStatement(node) ? hook(cx, "keys", node.expression, at(cx, node.expression), object) : object;
  const run: Piece = ["(", parameter, ") => {", prologue, inside(cx, node.statement), "}"];
  const assigned = vars(cx, [rangeOf(node.statement), rangeOf(node.initializer)]);
  const parts = [span, iterable, run, assigned, ...(labels.length > 0 ? [labelList(labels)] : [])];
  return { before: undefined, loop: hook(cx, "forOf", node, ...parts) };
}

interface Parts {
  readonly test: Piece;
  readonly update: Piece;
  readonly body: Piece;
  readonly postTest?: boolean;
  readonly labels: readonly string[];
}

function loopCall(cx: Context, node: Loop, span: string, parts: Parts, assigned: Piece): Piece {
  const labels = parts.labels.length > 0 ? `, labels: ${labelList(parts.labels)}` : "";
  const post = parts.postTest ? ", postTest: true" : "";
  return hook(
    cx,
    "loop",
    node,
    span,
    ["{ test: ", parts.test, ", update: ", parts.update, post, labels, ", body: ", parts.body, " }"],
    assigned,
  );
}

function whileLoop(cx: Context, node: ts.WhileStatement | ts.DoStatement, labels: readonly string[]): LoopPiece {
  const parts = {
    test: ["() => ", cx.rewrite.condition(cx, node.expression)],
    update: "null",
    body: body(cx, node),
    postTest: ts.isDoStatement(node),
    labels,
  };
  return {
    before: undefined,
    loop: loopCall(cx, node, headSpan(cx, node), parts, vars(cx, [rangeOf(node.expression), rangeOf(node.statement)])),
  };
}

/** Whether a function inside the range names the variable. */
function isCaptured(cx: Context, symbol: ts.Symbol, range: Range, loop: ts.Node): boolean {
  const owner = ownerOf(loop);
  return cx.bindings.references(symbol, range).some((site) => site.container !== owner);
}

function ownerOf(node: ts.Node): ts.Node {
  let at = node.parent;
  while (!startsFunction(at) && !ts.isSourceFile(at)) at = at.parent;
  return at;
}

/** The loop's variables that functions in its body keep: each iteration gives them a binding of their own. */
function keptVariables(cx: Context, node: ts.ForStatement): readonly { symbol: ts.Symbol; name: string }[] {
  const { initializer } = node;
  if (!initializer || !ts.isVariableDeclarationList(initializer)) return [];
  return initializer.declarations.flatMap((d) => {
    if (!ts.isIdentifier(d.name)) return [];
    const symbol = cx.bindings.symbolOf(d.name);
    if (!symbol || !cx.bindings.isAssigned(symbol)) return [];
    const inHead = [initializer, node.condition, node.incrementor].some(
      (part) => part && isCaptured(cx, symbol, rangeOf(part), node),
    );
    if (!inHead && !isCaptured(cx, symbol, rangeOf(node.statement), node)) return [];
    const changed = cx.bindings.assignedIn([rangeOf(node.statement)], cx.root).includes(symbol);
    if (inHead || changed || cx.bindings.isBoxed(symbol)) refuse(cx, "W1017", { name: d.name.text }, d.name);
    return [{ symbol, name: cx.names.take(`${d.name.text}$1`) }];
  });
}

function initializerOf(cx: Context, initializer: ts.ForInitializer | undefined): Piece | undefined {
  if (!initializer) return undefined;
  if (!ts.isVariableDeclarationList(initializer)) return [cx.rewrite.discard(cx, initializer), ";"];
  refuseKind(cx, initializer);
  const keyword = initializer.flags & ts.NodeFlags.Const ? "const " : "let ";
  const each = initializer.declarations.map((d, i): Piece => [i === 0 ? "" : ", ", declaration(cx, d)]);
  return [keyword, each, ";"];
}

/** One declarator. */
export function declaration(cx: Context, node: ts.VariableDeclaration): Piece {
  const { name, initializer } = node;
  const value = initializer && cx.rewrite.expr(cx, initializer);
  if (!ts.isIdentifier(name)) return declarators(cx, name, value ?? "undefined");
  const symbol = cx.bindings.symbolOf(name);
  const renamed = symbol && cx.renamed.get(symbol);
  if (renamed) return [renamed, " = ", value ?? "undefined"];
  if (boxedSymbol(cx, name)) return [rangeOf(name), " = ", initial(cx, name, value) ?? ""];
  if (!initializer || !value) return rangeOf(node);
  return [{ start: node.getStart(), end: initializer.getStart() }, value];
}

function countingLoop(cx: Context, node: ts.ForStatement, labels: readonly string[]): LoopPiece {
  const kept = keptVariables(cx, node);
  for (const { symbol, name } of kept) cx.renamed.set(symbol, name);
  const before = initializerOf(cx, node.initializer);
  const test = node.condition ? ["() => ", cx.rewrite.condition(cx, node.condition)] : "null";
  const update = node.incrementor ? ["() => { ", cx.rewrite.discard(cx, node.incrementor), "; }"] : "null";
  const parts = [node.condition, node.incrementor, node.statement].filter((part) => part !== undefined);
  const assigned = vars(cx, parts.map(rangeOf));
  for (const { symbol } of kept) cx.renamed.delete(symbol);
  const own = kept.map(({ symbol, name }) => ` const ${symbol.name} = ${name};`);
  return { before, loop: loopCall(cx, node, headSpan(cx, node), { test, update, body: body(cx, node, own), labels }, assigned) };
}

/** Any loop. */
export function loopPiece(cx: Context, node: Loop, labels: readonly string[]): LoopPiece {
  if (ts.isForStatement(node)) return countingLoop(cx, node, labels);
  return ts.isForOfStatement(node) || ts.isForInStatement(node) ? overElements(cx, node, labels) : whileLoop(cx, node, labels);
}
