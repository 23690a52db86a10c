import { ts } from "ts-morph";

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
