import { ts } from "ts-morph";

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
