import { rangeOf } from "./bindings.ts";
import { join, type Piece } from "./pieces.ts";
import { at, type Context, hook, quote, refuse, temporary } from "./rewrite-context.ts";
import { bare } from "./syntax.ts";
import { ts } from "./typescript.ts";
import { assignedSymbol, boxedSymbol, initial } from "./variables.ts";

/** Destructuring, of a declaration or an assignment alike. */
export type Pattern =
  | { readonly kind: "leaf"; readonly node: ts.Identifier | ts.Expression }
  | {
      readonly kind: "array";
      readonly node: ts.Node;
      readonly items: readonly (Item | undefined)[];
      readonly rest: Pattern | undefined;
    }
  | {
      readonly kind: "object";
      readonly node: ts.Node;
      readonly items: readonly (Item & { readonly key: ts.PropertyName })[];
      readonly rest: Pattern | undefined;
    };

interface Item {
  readonly node: ts.Node;
  readonly pattern: Pattern;
  readonly fallback: ts.Expression | undefined;
}

/** One step of taking a value apart: a temporary name for it, what is done with it, or `{}`, which JavaScript itself takes apart. */
export interface Step {
  readonly temporary?: string;
  readonly isEmpty?: true;
  readonly piece: Piece;
}

function bindingPattern(name: ts.BindingName): Pattern {
  if (ts.isIdentifier(name)) return { kind: "leaf", node: name };
  const elements: readonly ts.ArrayBindingElement[] = name.elements;
  const rest = elements.filter(ts.isBindingElement).find((e) => e.dotDotDotToken !== undefined);
  const restPattern = rest && bindingPattern(rest.name);
  const item = (e: ts.BindingElement) => ({ node: e, pattern: bindingPattern(e.name), fallback: e.initializer });
  if (ts.isArrayBindingPattern(name)) {
    const items = name.elements.filter((e) => e !== rest).map((e) => (ts.isOmittedExpression(e) ? undefined : item(e)));
    return { kind: "array", node: name, items, rest: restPattern };
  }
  const items = name.elements
    .filter((e) => e !== rest)
    .flatMap((e) => {
      const key = e.propertyName ?? (ts.isIdentifier(e.name) ? e.name : undefined);
      return key ? [{ ...item(e), key }] : [];
    });
  return { kind: "object", node: name, items, rest: restPattern };
}

function assignedItem(node: ts.Expression): Item {
  const isDefault = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken;
  return { node, pattern: assignmentPattern(isDefault ? node.left : node), fallback: isDefault ? node.right : undefined };
}

/** The left side of a destructuring assignment. */
export function assignmentPattern(target: ts.Expression): Pattern {
  const node = bare(target);
  if (ts.isArrayLiteralExpression(node)) {
    const rest = node.elements.find(ts.isSpreadElement);
    const items = node.elements.filter((e) => e !== rest).map((e) => (ts.isOmittedExpression(e) ? undefined : assignedItem(e)));
    return { kind: "array", node, items, rest: rest && assignmentPattern(rest.expression) };
  }
  if (!ts.isObjectLiteralExpression(node)) return { kind: "leaf", node };
  const rest = node.properties.find(ts.isSpreadAssignment);
  const items = node.properties.flatMap((p) => {
    if (ts.isPropertyAssignment(p)) return [{ ...assignedItem(p.initializer), key: p.name }];
    if (!ts.isShorthandPropertyAssignment(p)) return [];
    return [{ node: p, key: p.name, pattern: { kind: "leaf", node: p.name } as const, fallback: p.objectAssignmentInitializer }];
  });
  return { kind: "object", node, items, rest: rest && assignmentPattern(rest.expression) };
}

/** A property's name as a value. */
export function propertyKey(cx: Context, name: ts.PropertyName): Piece {
  if (ts.isIdentifier(name) || ts.isStringLiteralLike(name)) return quote(name.text);
  if (ts.isPrivateIdentifier(name)) return refuse(cx, "W1015", { name: name.text }, name);
  if (ts.isComputedPropertyName(name)) return hook(cx, "key", name, at(cx, name), cx.rewrite.expr(cx, name.expression));
  return quote(ts.isNumericLiteral(name) ? String(Number(name.text)) : name.text);
}

const isPlainName = (cx: Context, pattern: Pattern): boolean =>
  pattern.kind === "leaf" && ts.isIdentifier(pattern.node) && boxedSymbol(cx, pattern.node) === undefined;

/** `[a, b = 1, …rest]` of plain names, which JavaScript itself may take apart once the hooks have given the elements. */
export function plainArray(cx: Context, pattern: Pattern): ((value: Piece) => Piece) | undefined {
  if (pattern.kind !== "array") return undefined;
  const parts = pattern.items.map((item) => (item ? item.pattern : undefined));
  if (![...parts, pattern.rest].every((p) => p === undefined || isPlainName(cx, p))) return undefined;
  const name = (p: Pattern): Piece => (p.kind === "leaf" ? assignable(cx, p.node) : "");
  const items = pattern.items.map((item): Piece => {
    if (!item) return "";
    return item.fallback ? [name(item.pattern), " = ", cx.rewrite.expr(cx, item.fallback)] : name(item.pattern);
  });
  const left = join(pattern.rest ? [...items, name(pattern.rest)] : items, ", ");
  return (value) => [
    "[",
    left,
    pattern.items.length > 0 && !pattern.items.at(-1) && !pattern.rest ? "," : "",
    "] = ",
    elements(cx, pattern, value),
  ];
}

/** A plain name on the left; says no where it belongs to host code. */
function assignable(cx: Context, node: ts.Node): Piece {
  if (!ts.isIdentifier(node)) return rangeOf(node);
  const parent = node.parent;
  const declares =
    (ts.isVariableDeclaration(parent) || ts.isBindingElement(parent) || ts.isParameter(parent)) && parent.name === node;
  if (!declares) assignedSymbol(cx, node);
  const symbol = cx.bindings.symbolOf(node);
  return (symbol && cx.renamed.get(symbol)) ?? rangeOf(node);
}

function elements(cx: Context, pattern: Pattern & { kind: "array" }, value: Piece): Piece {
  const count = pattern.items.length;
  return hook(cx, "elements", pattern.node, at(cx, pattern.node), value, `${count}`, `${pattern.rest !== undefined}`);
}

type Hold = (piece: Piece) => string;

/** The parts of an array or object with what each is given, in the order in which JavaScript reads them. */
function* partsOf(
  cx: Context,
  p: Exclude<Pattern, { kind: "leaf" }>,
  piece: Piece,
  hold: Hold,
): Generator<[Pattern | Item, Piece]> {
  if (p.kind === "array") {
    const name = hold(elements(cx, p, piece));
    for (const [i, item] of p.items.entries()) if (item) yield [item, `${name}[${i}]`];
    if (p.rest) yield [p.rest, `${name}[${p.items.length}]`];
    return;
  }
  const name = typeof piece === "string" ? piece : hold(piece);
  const keys: Piece[] = [];
  for (const item of p.items) {
    const key = propertyKey(cx, item.key);
    const held = p.rest && ts.isComputedPropertyName(item.key) ? hold(key) : key;
    keys.push(held);
    yield [item, hook(cx, "get", item.node, at(cx, item.node), name, held)];
  }
  if (p.rest) yield [p.rest, objectRest(cx, p.node, name, keys)];
}

/** Takes a value apart; `leaf` says what becomes of each part. */
export function takeApart(
  cx: Context,
  pattern: Pattern,
  value: Piece,
  leaf: (node: ts.Expression, value: Piece) => Piece,
): readonly Step[] {
  const steps: Step[] = [];
  const hold: Hold = (piece) => {
    const name = temporary(cx);
    steps.push({ temporary: name, piece });
    return name;
  };
  const visit = (p: Pattern | Item, piece: Piece): void => {
    if ("pattern" in p) {
      const name = p.fallback && hold(piece);
      const fallback = p.fallback && cx.rewrite.expr(cx, p.fallback);
      visit(p.pattern, name && fallback ? ["(", name, " === undefined ? ", fallback, " : ", name, ")"] : piece);
    } else if (p.kind === "leaf") steps.push({ piece: leaf(p.node, piece) });
    else if (p.kind === "object" && p.items.length === 0 && !p.rest) steps.push({ isEmpty: true, piece });
    else for (const [part, value] of partsOf(cx, p, piece, hold)) visit(part, value);
  };
  visit(pattern, value);
  return steps;
}

function objectRest(cx: Context, node: ts.Node, name: string, keys: readonly Piece[]): Piece {
  const rest = temporary(cx);
  const dropped = keys.map((key): Piece => ["[", key, "]: ", temporary(cx), ", "]);
  return hook(cx, "born", node, [
    `(({ `,
    dropped,
    `...${rest} }) => ${rest})(`,
    hook(cx, "spread", node, at(cx, node), name),
    ")",
  ]);
}

/** The declarators that declare the names of a pattern; they stand in a `let` or `const`. */
export function declarators(cx: Context, name: ts.BindingName, value: Piece): Piece {
  const pattern = bindingPattern(name);
  const plain = plainArray(cx, pattern);
  if (plain) return plain(value);
  const steps = takeApart(cx, pattern, value, (node, part) => {
    if (!ts.isIdentifier(node)) return refuse(cx, "W1021", { what: "this pattern", instead: "declare plain names" }, node);
    return [rangeOf(node), " = ", initial(cx, node, part) ?? part];
  });
  const declared = ({ temporary, isEmpty, piece }: Step): Piece => [
    temporary === undefined ? (isEmpty ? "{} = " : "") : `${temporary} = `,
    piece,
  ];
  return join(steps.map(declared), ", ");
}

/** The steps of an assignment as statements. */
export const stepStatements = (steps: readonly Step[]): Piece =>
  steps.map(({ temporary, isEmpty, piece }): Piece => {
    if (temporary !== undefined) return [`const ${temporary} = `, piece, "; "];
    return isEmpty ? ["({} = ", piece, "); "] : [piece, "; "];
  });
