import { rangeOf } from "./bindings.ts";
import { assignmentPattern, plainArray, stepStatements, takeApart } from "./patterns.ts";
import type { Piece } from "./pieces.ts";
import { at, type Context, hook, quote, refuse, temporary, vars } from "./rewrite-context.ts";
import { bare } from "./syntax.ts";
import { ts } from "./typescript.ts";
import { assignedSymbol, boxedSymbol, readName, writeName } from "./variables.ts";

/** `object.key` or `object[key]`. */
export type Member = ts.PropertyAccessExpression | ts.ElementAccessExpression;

export const isMember = (node: ts.Node): node is Member =>
  ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node);

/** The object and the key of a member, each evaluated once. */
export function memberParts(cx: Context, node: Member): { object: Piece; key: Piece } {
  if (node.expression.kind === ts.SyntaxKind.SuperKeyword) refuse(cx, "W1012", {}, node.expression);
  const object = cx.rewrite.expr(cx, node.expression);
  if (ts.isElementAccessExpression(node)) return { object, key: cx.rewrite.expr(cx, node.argumentExpression) };
  if (ts.isPrivateIdentifier(node.name)) return refuse(cx, "W1015", { name: node.name.text }, node.name);
  return { object, key: [{ mark: node.name.getStart() }, quote(node.name.text)] };
}

const badTarget = (cx: Context, node: ts.Node): never =>
  refuse(
    cx,
    "W1021",
    { what: "this as the left side of an assignment", instead: "assign a variable, a field or an element: `y.at(i).value = x`" },
    node,
  );

/** `target = value`, for a name or a member. */
function assign(cx: Context, target: ts.Expression, value: Piece): Piece {
  const node = bare(target);
  if (ts.isIdentifier(node)) return writeName(cx, node, value);
  if (!isMember(node)) return badTarget(cx, node);
  const { object, key } = memberParts(cx, node);
  return hook(cx, "set", node, at(cx, node), object, key, value);
}

type Logical = "and" | "or" | "nullish";

const logical: { readonly [operator: string]: Logical } = { "&&=": "and", "||=": "or", "??=": "nullish" };

/** `left && right`, `||`, `??`, where `right` writes; unused, it is an `if`, so that its value need not be merged. */
function logicalWrite(
  cx: Context,
  node: ts.BinaryExpression,
  name: Logical,
  left: Piece,
  write: Piece,
  assigned: Piece,
  used: boolean,
): Piece {
  const span = at(cx, node);
  if (used) return hook(cx, name, node, span, left, ["() => ", write], assigned);
  const run = ["() => { ", write, "; }"];
  if (name === "nullish") return hook(cx, name, node, span, left, run, assigned);
  const condition = name === "and" ? left : hook(cx, "un", node, at(cx, node.left), quote("!"), left);
  return hook(cx, "if", node, span, condition, run, "null", assigned);
}

/** `target &&= value` and its kin: the target is read once and written only where the operator asks for it. */
function assignLogically(cx: Context, node: ts.BinaryExpression, name: Logical, used: boolean): Piece {
  const target = bare(node.left);
  const right = (): Piece => cx.rewrite.expr(cx, node.right);
  if (ts.isIdentifier(target)) {
    const symbol = assignedSymbol(cx, target);
    const extra = boxedSymbol(cx, target) ? [] : [symbol];
    const write = writeName(cx, target, right());
    return logicalWrite(cx, node, name, readName(cx, target), write, vars(cx, [rangeOf(node.right)], extra), used);
  }
  if (!isMember(target)) return badTarget(cx, target);
  const { object, key } = memberParts(cx, target);
  const held = temporary(cx);
  const heldKey = temporary(cx);
  const write = hook(cx, "set", target, at(cx, node), held, heldKey, right());
  const old = hook(cx, "get", target, at(cx, target), held, heldKey);
  const whole = logicalWrite(cx, node, name, old, write, vars(cx, [rangeOf(node.right)]), used);
  return [`((${held}, ${heldKey}) => `, whole, ")(", object, ", ", key, ")"];
}

/** `target += value` and its kin. */
function assignCompound(cx: Context, node: ts.BinaryExpression, operator: string): Piece {
  const target = bare(node.left);
  const change = (old: Piece): Piece =>
    hook(cx, "bin", node, at(cx, node), quote(operator), old, cx.rewrite.expr(cx, node.right));
  if (ts.isIdentifier(target)) {
    assignedSymbol(cx, target);
    const old = readName(cx, target);
    return writeName(cx, target, change(old));
  }
  if (!isMember(target)) return badTarget(cx, target);
  const { object, key } = memberParts(cx, target);
  const old = temporary(cx);
  return hook(cx, "update", node, at(cx, target), object, key, [`(${old}) => `, change(old)]);
}

/** A destructuring assignment. As a statement of plain names it stays one; else it is a function called on the spot. */
function assignPattern(cx: Context, node: ts.BinaryExpression, used: boolean): Piece {
  const pattern = assignmentPattern(node.left);
  const plain = used ? undefined : plainArray(cx, pattern);
  if (plain) return plain(cx.rewrite.expr(cx, node.right));
  const whole = temporary(cx);
  const steps = takeApart(cx, pattern, whole, (target, value) => assign(cx, target, value));
  return [
    `((${whole}) => { `,
    stepStatements(steps),
    used ? `return ${whole}; ` : "",
    "})(",
    cx.rewrite.expr(cx, node.right),
    ")",
  ];
}

/** An assignment with any operator. */
export function assignment(cx: Context, node: ts.BinaryExpression, used: boolean): Piece {
  const operator = node.operatorToken.getText();
  const left = bare(node.left);
  if (ts.isArrayLiteralExpression(left) || ts.isObjectLiteralExpression(left)) return assignPattern(cx, node, used);
  if (operator === "=") return assign(cx, node.left, cx.rewrite.expr(cx, node.right));
  const name = logical[operator];
  return name ? assignLogically(cx, node, name, used) : assignCompound(cx, node, operator.slice(0, -1));
}

/** Assigns whatever stands on the left of `of` in a loop. */
export function assignElement(cx: Context, target: ts.Expression, element: string): Piece {
  const node = bare(target);
  const pattern = assignmentPattern(node);
  const plain = plainArray(cx, pattern);
  if (plain) return [plain(element), "; "];
  return stepStatements(takeApart(cx, pattern, element, (leaf, value) => assign(cx, leaf, value)));
}

/** `++` and `--`, before or after. */
export function step(cx: Context, node: ts.PrefixUnaryExpression | ts.PostfixUnaryExpression, used: boolean): Piece {
  const target = bare(node.operand);
  const operator = quote(node.operator === ts.SyntaxKind.PlusPlusToken ? "++" : "--");
  const post = used && ts.isPostfixUnaryExpression(node);
  const change = (old: Piece): Piece => hook(cx, "un", node, at(cx, node), operator, old);
  if (ts.isIdentifier(target)) {
    assignedSymbol(cx, target);
    const write = writeName(cx, target, change(readName(cx, target)));
    if (post) return hook(cx, "first", node, readName(cx, target), write);
    return used ? ["(", write, ")"] : write;
  }
  if (!isMember(target)) return badTarget(cx, target);
  const { object, key } = memberParts(cx, target);
  const old = temporary(cx);
  return hook(cx, post ? "updatePost" : "update", node, at(cx, target), object, key, [`(${old}) => `, change(old)]);
}
