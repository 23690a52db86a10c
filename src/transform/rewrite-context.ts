import type { HookName } from "../base/hook-names.ts";
import { type Bindings, type Range, rangeOf } from "./bindings.ts";
import type { Declarations } from "./declarations.ts";
import { type ErrorCode, fail } from "./errors.ts";
import type { FreeNames } from "./free-names.ts";
import type { Imports } from "./imports.ts";
import type { Role } from "./marks.ts";
import { join, type Piece } from "./pieces.ts";
import type { SpanTable } from "./span-table.ts";
import { ts } from "./typescript.ts";

/** The rewriters that call one another across files; `instrument.ts` puts them together. */
export interface Rewriters {
  /** An expression whose value is used. */
  expr(cx: Context, node: ts.Expression): Piece;
  /** An expression whose truth decides. */
  condition(cx: Context, node: ts.Expression): Piece;
  /** An expression whose value nobody uses. */
  discard(cx: Context, node: ts.Expression): Piece;
  /** A function expression, arrow or class expression as a value. */
  value(cx: Context, node: ts.FunctionExpression | ts.ArrowFunction | ts.ClassExpression): Piece;
  /** A method of an object literal, as a property. */
  method(cx: Context, node: ts.MethodDeclaration): Piece;
  /** A statement in a list. */
  statement(cx: Context, node: ts.Statement): Piece;
  /** A statement that may leave, with what comes after it in the list. */
  leaving(cx: Context, node: ts.Statement, rest: Rest | undefined): Piece;
}

/** The statements after one that may leave. */
export interface Rest {
  readonly piece: () => Piece;
  readonly range: Range;
}

/** What every rewriter needs to know of the file and of the transformed function it is in. */
export interface Context {
  readonly text: string;
  readonly file: ts.SourceFile;
  readonly checker: ts.TypeChecker;
  readonly bindings: Bindings;
  readonly imports: Imports;
  /** What names in annotations mean, in other files, too. */
  readonly declarations: Declarations;
  readonly spans: SpanTable;
  readonly names: FreeNames;
  /** The file's name for the hooks, usually `$`. */
  readonly hooks: string;
  /** A free name for the values that a setter of `Vars` is given. */
  readonly incoming: string;
  /** The outermost transformed function, or the field initialiser, and what it is. */
  readonly root: ts.Node;
  readonly role: Role;
  /** Variables that go by another name where they are rewritten just now. */
  readonly renamed: Map<ts.Symbol, string>;
  readonly rewrite: Rewriters;
}

/** An error at a node. */
export function refuse<K extends ErrorCode>(
  cx: Context,
  code: K,
  args: Parameters<typeof fail<K>>[1],
  node: ts.Node | Range,
): never {
  const range = "kind" in node ? rangeOf(node) : node;
  return fail<K>(code, args, [cx.spans.span(range.start, range.end)]);
}

/** The index of a node's span. */
export function at(cx: Context, node: ts.Node): string {
  const span = cx.spans.at(node.getStart(), node.end);
  describe(cx, node, span);
  return `${span}`;
}

/** Notes what an error at that span will want to know: where an index and arguments stand, what takes a call's value. */
export function describe(cx: Context, node: ts.Node, span: number): void {
  const parts = partsOf(node);
  if (parts.length > 0 && !parts.every(ts.isLiteralExpression) && parts.every((part) => isShort(cx, part))) {
    cx.spans.hasParts(
      span,
      parts.map((part) => cx.spans.at(part.getStart(), part.end)),
    );
  }
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return;
  const name = takerOf(node);
  if (name !== undefined) cx.spans.isNamed(span, name);
}

/** The index of an element access, the arguments of a method. */
function partsOf(node: ts.Node): readonly ts.Expression[] {
  if (ts.isElementAccessExpression(node)) return [node.argumentExpression];
  return ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) ? node.arguments : [];
}

/** A number of some kind, as far as its syntax says, on one line. */
function isShort(cx: Context, node: ts.Expression): boolean {
  const computes =
    ts.isIdentifier(node) ||
    ts.isNumericLiteral(node) ||
    ts.isBinaryExpression(node) ||
    ts.isPrefixUnaryExpression(node) ||
    ts.isPropertyAccessExpression(node) ||
    ts.isElementAccessExpression(node) ||
    ts.isParenthesizedExpression(node) ||
    ts.isCallExpression(node);
  return computes && !cx.text.slice(node.getStart(), node.end).includes("\n");
}

/** The expression with its parentheses and types, and the methods that its value is handed to: `make().part(0)`. */
function outermost(node: ts.Node): ts.Node {
  const { parent } = node;
  if (ts.isParenthesizedExpression(parent) || ts.isAsExpression(parent) || ts.isSatisfiesExpression(parent))
    return outermost(parent);
  const called = ts.isPropertyAccessExpression(parent) && parent.expression === node ? parent.parent : undefined;
  return called && ts.isCallExpression(called) && called.expression === parent ? outermost(called) : node;
}

/** The variable or field whose value an expression is, where it is written as one name. */
function takerOf(node: ts.Expression): string | undefined {
  const value = outermost(node);
  const { parent } = value;
  if (ts.isVariableDeclaration(parent) || ts.isPropertyDeclaration(parent) || ts.isPropertyAssignment(parent))
    return parent.initializer === value && ts.isIdentifier(parent.name) ? parent.name.text : undefined;
  if (!ts.isBinaryExpression(parent) || parent.right !== value || parent.operatorToken.kind !== ts.SyntaxKind.EqualsToken)
    return undefined;
  const { left } = parent;
  return ts.isIdentifier(left) ? left.text : ts.isPropertyAccessExpression(left) ? left.name.text : undefined;
}

/** The index of the span from the start of one node to the end of another. */
export const atRange = (cx: Context, start: number, end: number): string => `${cx.spans.at(start, end)}`;

/** A call of a hook, standing for `node` in the source map. */
export function hook(cx: Context, name: HookName, node: ts.Node, ...args: readonly Piece[]): Piece {
  return [{ mark: node.getStart() }, `${cx.hooks}.${name}(`, join(args, ", "), ")"];
}

export const quote = (text: string): string =>
  JSON.stringify(text).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");

/** A new name for a value that is used more than once. */
export const temporary = (cx: Context): string => cx.names.next(cx.hooks);

/** The trivia between two tokens: kept where it holds a comment or a line break, else `otherwise`. */
export function trivia(cx: Context, start: number, end: number, otherwise: string): Piece {
  const text = cx.text.slice(start, end);
  return /\n|\/\/|\/\*/.test(text) ? { start, end } : otherwise;
}

/** Copies a stretch of the source with some of its nodes replaced. */
export function splice<N extends ts.Node>(start: number, end: number, nodes: readonly N[], replace: (node: N) => Piece): Piece {
  const out: Piece[] = [];
  let done = start;
  for (const node of nodes) {
    out.push({ start: done, end: node.getStart() }, replace(node));
    done = node.end;
  }
  out.push({ start: done, end });
  return out;
}

/** The name under which a variable is rewritten. */
export const nameOf = (cx: Context, symbol: ts.Symbol): string => cx.renamed.get(symbol) ?? symbol.name;

/** `Vars` of the hooks for what is assigned in the ranges. */
export function vars(cx: Context, ranges: readonly Range[], extra: readonly ts.Symbol[] = []): Piece {
  const found = cx.bindings.assignedIn(ranges, cx.root);
  const symbols = [...extra.filter((s) => !found.includes(s)), ...found];
  if (symbols.length === 0) return "null";
  const names = symbols.map((s) => nameOf(cx, s)).join(", ");
  const spans = symbols.map((s) => {
    const declaration = s.valueDeclaration;
    const node = declaration && ts.getNameOfDeclaration(declaration);
    return node ? at(cx, node) : "0";
  });
  const authors = symbols.map((s) => quote(s.name)).join(", ");
  return `{ names: [${authors}], at: [${spans.join(", ")}], get: () => [${names}], set: (${cx.incoming}) => { [${names}] = ${cx.incoming}; } }`;
}
