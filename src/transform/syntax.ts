import { ts } from "./typescript.ts";

/** The expression inside parentheses, `as`, `satisfies`, `!` and type assertions. */
export function bare(node: ts.Expression): ts.Expression {
  let at = node;
  while (
    ts.isParenthesizedExpression(at) ||
    ts.isAsExpression(at) ||
    ts.isSatisfiesExpression(at) ||
    ts.isNonNullExpression(at) ||
    ts.isTypeAssertionExpression(at) ||
    ts.isExpressionWithTypeArguments(at)
  )
    at = at.expression;
  return at;
}

/** `=`, `+=`, `??=`, …. */
export const isAssignmentOperator = (kind: ts.SyntaxKind): boolean =>
  kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;

/** `++` or `--`. */
export const isStep = (node: ts.Node): node is ts.PrefixUnaryExpression | ts.PostfixUnaryExpression =>
  (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) &&
  (node.operator === ts.SyntaxKind.PlusPlusToken || node.operator === ts.SyntaxKind.MinusMinusToken);

export type Loop = ts.ForStatement | ts.ForOfStatement | ts.ForInStatement | ts.WhileStatement | ts.DoStatement;

export const isLoop = (node: ts.Node): node is Loop => ts.isIterationStatement(node, false);

/** Whether a node evaluates no part of itself when its function is entered: code inside runs later, or elsewhere. */
export const startsFunction = (node: ts.Node): boolean =>
  ts.isFunctionLike(node) || ts.isPropertyDeclaration(node) || ts.isClassStaticBlockDeclaration(node);

/** Whether an expression is an object, by the look of it. */
export function isObject(node: ts.Expression): boolean {
  if (ts.isParenthesizedExpression(node) || ts.isSatisfiesExpression(node)) return isObject(node.expression);
  if (ts.isAsExpression(node)) return isConstAssertion(node) && isObject(node.expression);
  return (
    ts.isObjectLiteralExpression(node) ||
    ts.isArrayLiteralExpression(node) ||
    ts.isNewExpression(node) ||
    ts.isFunctionExpression(node) ||
    ts.isArrowFunction(node) ||
    ts.isClassExpression(node) ||
    ts.isStringLiteralLike(node)
  );
}

const isConstAssertion = (node: ts.AsExpression): boolean =>
  ts.isTypeReferenceNode(node.type) && ts.isIdentifier(node.type.typeName) && node.type.typeName.text === "const";

/** Whether the type of a constant, or of what is in it, is a literal: numbers of it are never anything else. */
export function isConstant(node: ts.Expression): boolean {
  if (ts.isParenthesizedExpression(node) || ts.isSatisfiesExpression(node)) return isConstant(node.expression);
  if (ts.isAsExpression(node)) return isConstAssertion(node) && isLiteral(node.expression);
  return isLiteral(node) && !ts.isArrayLiteralExpression(node) && !ts.isObjectLiteralExpression(node);
}

function isLiteral(node: ts.Expression): boolean {
  if (ts.isArrayLiteralExpression(node)) return node.elements.every(isLiteral);
  if (ts.isObjectLiteralExpression(node))
    return node.properties.every((p) => ts.isPropertyAssignment(p) && isLiteral(p.initializer));
  if (ts.isPrefixUnaryExpression(node)) return ts.isNumericLiteral(node.operand);
  return ts.isLiteralExpression(node) || node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword;
}
