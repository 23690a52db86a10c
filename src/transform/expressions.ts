import { assignment, isMember, step } from "./assignments.ts";
import { rangeOf } from "./bindings.ts";
import { accessSpan, call, construct, element, member, spread, tagged, template } from "./calls.ts";
import { tested } from "./conditions.ts";
import { propertyKey } from "./patterns.ts";
import type { Piece } from "./pieces.ts";
import { at, type Context, hook, quote, refuse, splice, trivia, vars } from "./rewrite-context.ts";
import { bare, isAssignmentOperator, isStep, startsFunction } from "./syntax.ts";
import { ts } from "./typescript.ts";
import { readName } from "./variables.ts";

const K = ts.SyntaxKind;

const comparisons = new Set([K.LessThanToken, K.LessThanEqualsToken, K.GreaterThanToken, K.GreaterThanEqualsToken]);
const shortCircuits: ReadonlyMap<ts.SyntaxKind, "and" | "or" | "nullish"> = new Map([
  [K.AmpersandAmpersandToken, "and"],
  [K.BarBarToken, "or"],
  [K.QuestionQuestionToken, "nullish"],
]);

function refuseChainedComparison(cx: Context, node: ts.BinaryExpression): void {
  const { left, right } = node;
  if (!comparisons.has(node.operatorToken.kind) || !ts.isBinaryExpression(left) || !comparisons.has(left.operatorToken.kind))
    return;
  const tail = `${node.operatorToken.getText()} ${right.getText()}`;
  refuse(cx, "W1007", { text: node.getText(), left: left.getText(), middle: left.right.getText(), right: tail }, node);
}

/** `, ` in place of an operator, with the comments and line breaks around it. */
const comma = (cx: Context, left: ts.Node, operator: ts.Node, right: ts.Node): Piece => [
  trivia(cx, left.end, operator.getStart(), ""),
  ",",
  trivia(cx, operator.end, right.getStart(), " "),
];

type Rewrite = (cx: Context, node: ts.Expression) => Piece;

/** `left && right`, `||`, `??`. Whether the right side decides is for what stands around it to say. */
function shortCircuit(cx: Context, node: ts.BinaryExpression, name: "and" | "or" | "nullish", ofRight: Rewrite): Piece {
  const { left, right, operatorToken } = node;
  return [
    { mark: node.getStart() },
    `${cx.hooks}.${name}(${at(cx, node)}, `,
    name === "nullish" ? cx.rewrite.expr(cx, left) : condition(cx, left),
    comma(cx, left, operatorToken, right),
    "() => ",
    ofRight(cx, right),
    ", ",
    vars(cx, [rangeOf(right)]),
    ")",
  ];
}

/** An expression whose truth decides. */
export function condition(cx: Context, node: ts.Expression): Piece {
  if (ts.isParenthesizedExpression(node)) return around(cx, node, condition);
  const short = ts.isBinaryExpression(node) ? shortCircuits.get(node.operatorToken.kind) : undefined;
  if (ts.isBinaryExpression(node) && short && short !== "nullish") return shortCircuit(cx, node, short, condition);
  refuseAssignment(cx, node);
  return tested(cx, node);
}

/** Refuses `if (a = b)`; in parentheses of its own an assignment is meant. W1024. */
function refuseAssignment(cx: Context, node: ts.Expression): void {
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== K.EqualsToken) return;
  if (ts.isParenthesizedExpression(node.parent) || ts.isCallExpression(node.parent)) return;
  const [left, right] = [node.left.getText(), node.right.getText()];
  refuse(cx, "W1024", { text: node.getText(), compared: `${left} === ${right}` }, node);
}

function binary(cx: Context, node: ts.BinaryExpression): Piece {
  const { left, right, operatorToken } = node;
  if (isAssignmentOperator(operatorToken.kind)) return assignment(cx, node, true);
  if (operatorToken.kind === K.CommaToken)
    return [
      "(",
      splice(node.getStart(), node.end, [left, right], (n) =>
        n === left ? cx.rewrite.discard(cx, left) : cx.rewrite.expr(cx, right),
      ),
      ")",
    ];
  const short = shortCircuits.get(operatorToken.kind);
  if (short) return shortCircuit(cx, node, short, cx.rewrite.expr);
  const between = comma(cx, left, operatorToken, right);
  refuseChainedComparison(cx, node);
  if (ts.isPrivateIdentifier(left)) refuse(cx, "W1015", { name: left.text }, left);
  const operator = quote(operatorToken.getText());
  return [
    { mark: node.getStart() },
    `${cx.hooks}.bin(${at(cx, node)}, ${operator}, `,
    cx.rewrite.expr(cx, left),
    between,
    cx.rewrite.expr(cx, right),
    ")",
  ];
}

function prefix(cx: Context, node: ts.PrefixUnaryExpression): Piece {
  const isLiteral = ts.isNumericLiteral(node.operand) || ts.isBigIntLiteral(node.operand);
  if (isLiteral && node.operator === K.MinusToken) return rangeOf(node);
  const operand = node.operator === K.ExclamationToken ? condition(cx, node.operand) : cx.rewrite.expr(cx, node.operand);
  return hook(cx, "un", node, at(cx, node), quote(ts.tokenToString(node.operator) ?? ""), operand);
}

/** Whether the file itself declares the name: of others JavaScript's `typeof` says "undefined" where there are none. */
const isThere = (symbol: ts.Symbol | undefined): boolean =>
  symbol?.declarations?.some((declaration) => (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Ambient) === 0) ??
  false;

function typeOf(cx: Context, node: ts.TypeOfExpression): Piece {
  const inner = bare(node.expression);
  if (ts.isIdentifier(inner) && !isThere(cx.bindings.symbolOf(inner))) return rangeOf(node);
  return hook(cx, "un", node, at(cx, node), quote("typeof"), cx.rewrite.expr(cx, node.expression));
}

function remove(cx: Context, node: ts.DeleteExpression): Piece {
  const target = bare(node.expression);
  if (!isMember(target) || ts.isOptionalChain(target)) return refuse(cx, "W1022", {}, node);
  const key = ts.isElementAccessExpression(target) ? cx.rewrite.expr(cx, target.argumentExpression) : quote(target.name.text);
  return hook(cx, "remove", node, at(cx, node), cx.rewrite.expr(cx, target.expression), key);
}

function conditional(cx: Context, node: ts.ConditionalExpression): Piece {
  const { condition: asked, questionToken, whenTrue, colonToken, whenFalse } = node;
  return [
    { mark: node.getStart() },
    `${cx.hooks}.cond(${at(cx, asked)}, `,
    condition(cx, asked),
    comma(cx, asked, questionToken, whenTrue),
    "() => ",
    cx.rewrite.expr(cx, whenTrue),
    comma(cx, whenTrue, colonToken, whenFalse),
    "() => ",
    cx.rewrite.expr(cx, whenFalse),
    ", ",
    vars(cx, [rangeOf(whenTrue), rangeOf(whenFalse)]),
    ")",
  ];
}

function property(cx: Context, node: ts.ObjectLiteralElementLike): Piece {
  if (ts.isShorthandPropertyAssignment(node)) {
    const value = readName(cx, node.name);
    return typeof value === "object" && "start" in value ? value : [node.name.text, ": ", value];
  }
  if (ts.isSpreadAssignment(node)) return ["...", spread(cx, node, node.expression)];
  if (ts.isMethodDeclaration(node)) return cx.rewrite.method(cx, node);
  if (!ts.isPropertyAssignment(node)) return refuse(cx, "W1016", {}, node);
  const name = ts.isComputedPropertyName(node.name) ? ["[", propertyKey(cx, node.name), "]"] : rangeOf(node.name);
  const between = { start: node.name.end, end: node.initializer.getStart() };
  return [name, between, cx.rewrite.expr(cx, node.initializer)];
}

function objectLiteral(cx: Context, node: ts.ObjectLiteralExpression): Piece {
  return hook(
    cx,
    "born",
    node,
    splice(node.getStart(), node.end, node.properties, (p) => property(cx, p)),
  );
}

function arrayLiteral(cx: Context, node: ts.ArrayLiteralExpression): Piece {
  const items = node.elements.filter((e) => !ts.isOmittedExpression(e));
  return hook(
    cx,
    "born",
    node,
    splice(node.getStart(), node.end, items, (e) => element(cx, e)),
  );
}

/** Syntax around one expression that only types care about, or parentheses. */
const around = (
  cx: Context,
  node: ts.Expression & { readonly expression: ts.Expression },
  rewrite: Rewrite = cx.rewrite.expr,
): Piece => splice(node.getStart(), node.end, [node.expression], (inner) => rewrite(cx, inner));

function thisValue(cx: Context, node: ts.Node): Piece {
  let owner = node.parent;
  while (owner !== cx.root && (!startsFunction(owner) || ts.isArrowFunction(owner))) owner = owner.parent;
  if (cx.role === "kernel" && owner === cx.root) refuse(cx, "W1011", {}, node);
  return rangeOf(node);
}

const unsupported = (cx: Context, node: ts.Node, what: string, instead: string): never =>
  refuse(cx, "W1021", { what, instead }, node);

const verbatim: ReadonlySet<ts.SyntaxKind> = new Set([
  K.NumericLiteral,
  K.BigIntLiteral,
  K.StringLiteral,
  K.NoSubstitutionTemplateLiteral,
  K.RegularExpressionLiteral,
  K.TrueKeyword,
  K.FalseKeyword,
  K.NullKeyword,
  K.OmittedExpression,
]);

function wrapped(cx: Context, node: ts.Expression): Piece | undefined {
  if (
    ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isTypeAssertionExpression(node) ||
    ts.isExpressionWithTypeArguments(node)
  )
    return around(cx, node);
  if (ts.isNonNullExpression(node))
    return ts.isOptionalChain(node) && isMember(node.expression) ? member(cx, node.expression) : around(cx, node);
  return undefined;
}

function operation(cx: Context, node: ts.Expression): Piece | undefined {
  if (ts.isBinaryExpression(node)) return binary(cx, node);
  if (isStep(node)) return step(cx, node, true);
  if (ts.isPrefixUnaryExpression(node)) return prefix(cx, node);
  if (ts.isConditionalExpression(node)) return conditional(cx, node);
  if (ts.isTypeOfExpression(node)) return typeOf(cx, node);
  if (ts.isVoidExpression(node)) return hook(cx, "un", node, at(cx, node), quote("void"), cx.rewrite.expr(cx, node.expression));
  return ts.isDeleteExpression(node) ? remove(cx, node) : undefined;
}

function refused(cx: Context, node: ts.Expression): never {
  if (ts.isAwaitExpression(node)) return refuse(cx, "W1002", { what: "`await`" }, node);
  if (ts.isYieldExpression(node)) return refuse(cx, "W1003", {}, node);
  if (node.kind === K.SuperKeyword) return refuse(cx, "W1012", {}, node);
  if (ts.isMetaProperty(node))
    return unsupported(cx, node, `\`${node.getText()}\``, "read it outside the kernel, into a `const`");
  if (ts.isJsxElement(node) || ts.isJsxSelfClosingElement(node) || ts.isJsxFragment(node))
    return unsupported(cx, node, "JSX", "write plain calls");
  return unsupported(cx, node, `\`${node.getText().slice(0, 40)}\``, "say the same with operators and calls");
}

/** An expression whose value is used. */
export function expr(cx: Context, node: ts.Expression): Piece {
  if (ts.isIdentifier(node)) return readName(cx, node);
  if (verbatim.has(node.kind)) return rangeOf(node);
  if (isMember(node)) return member(cx, node);
  if (ts.isCallExpression(node)) return call(cx, node);
  if (ts.isNewExpression(node)) return construct(cx, node);
  if (ts.isTemplateExpression(node)) return template(cx, node);
  if (ts.isTaggedTemplateExpression(node)) return tagged(cx, node);
  if (ts.isObjectLiteralExpression(node)) return objectLiteral(cx, node);
  if (ts.isArrayLiteralExpression(node)) return arrayLiteral(cx, node);
  if (ts.isFunctionExpression(node) || ts.isArrowFunction(node) || ts.isClassExpression(node)) return cx.rewrite.value(cx, node);
  if (node.kind === K.ThisKeyword) return thisValue(cx, node);
  return wrapped(cx, node) ?? operation(cx, node) ?? refused(cx, node);
}

/** An expression for its effects: nothing of it is merged. */
export function discard(cx: Context, node: ts.Expression): Piece {
  const inner = bare(node);
  if (isStep(inner)) return step(cx, inner, false);
  if (ts.isConditionalExpression(inner)) {
    const { whenTrue, whenFalse } = inner;
    return discardIf(cx, inner, condition(cx, inner.condition), whenTrue, whenFalse);
  }
  if (!ts.isBinaryExpression(inner)) return discarded(cx, inner, ts.isPrefixUnaryExpression(inner));
  const { left, right, operatorToken } = inner;
  if (isAssignmentOperator(operatorToken.kind)) return assignment(cx, inner, false);
  if (operatorToken.kind === K.CommaToken) return ["(", discard(cx, left), ", ", discard(cx, right), ")"];
  if (operatorToken.kind === K.AmpersandAmpersandToken) return discardIf(cx, inner, condition(cx, left), right);
  if (operatorToken.kind === K.BarBarToken)
    return discardIf(cx, inner, hook(cx, "un", left, at(cx, left), quote("!"), condition(cx, left)), right);
  if (operatorToken.kind !== K.QuestionQuestionToken) return discarded(cx, inner, true);
  return hook(cx, "nullish", inner, at(cx, inner), cx.rewrite.expr(cx, left), thunk(cx, right), vars(cx, [rangeOf(right)]));
}

/** A statement of one expression, whose result is discarded. */
function discarded(cx: Context, node: ts.Expression, isOperator: boolean): Piece {
  const span = ts.isCallExpression(node) && !ts.isOptionalChain(node) ? accessSpan(cx, node) : at(cx, node);
  return hook(cx, "stmt", node, span, cx.rewrite.expr(cx, node), ...(isOperator ? ["true"] : []));
}

const thunk = (cx: Context, node: ts.Expression): Piece => ["() => { ", discard(cx, node), "; }"];

function discardIf(cx: Context, node: ts.Expression, asked: Piece, yes: ts.Expression, no?: ts.Expression): Piece {
  const ranges = no ? [rangeOf(yes), rangeOf(no)] : [rangeOf(yes)];
  return hook(cx, "if", node, at(cx, node), asked, thunk(cx, yes), no ? thunk(cx, no) : "null", vars(cx, ranges));
}
