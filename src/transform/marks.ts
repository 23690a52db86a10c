import type { Imports } from "./imports.ts";
import { bare } from "./syntax.ts";
import { ts } from "./typescript.ts";

export type Role = "kernel" | "helper" | "program" | "inner";

/** A function with a body: what can be transformed. */
export type FunctionNode =
  | ts.FunctionDeclaration
  | ts.FunctionExpression
  | ts.ArrowFunction
  | ts.MethodDeclaration
  | ts.ConstructorDeclaration
  | ts.AccessorDeclaration;

export interface Marks {
  /** The outermost transformed functions, in the order of the file. */
  readonly functions: ReadonlyMap<FunctionNode, Role>;
  /** Host classes whose constructor and fields are transformed. */
  readonly classes: ReadonlySet<ts.ClassLikeDeclaration>;
}

const directive = "use kernel";

export function isFunctionNode(node: ts.Node): node is FunctionNode {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isFunctionExpression(node) ||
    ts.isArrowFunction(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isConstructorDeclaration(node) ||
    ts.isGetAccessorDeclaration(node) ||
    ts.isSetAccessorDeclaration(node)
  );
}

/** How many directives a statement list begins with. */
export function prologueLength(statements: readonly ts.Statement[]): number {
  const end = statements.findIndex((s) => !ts.isExpressionStatement(s) || !ts.isStringLiteral(s.expression));
  return end < 0 ? statements.length : end;
}

function hasDirective(statements: readonly ts.Statement[]): boolean {
  const prologue = statements.slice(0, prologueLength(statements));
  return prologue.some((s) => ts.isExpressionStatement(s) && ts.isStringLiteral(s.expression) && s.expression.text === directive);
}

const functionLiteral = (node: ts.Expression | undefined): ts.FunctionExpression | ts.ArrowFunction | undefined => {
  const inner = node && bare(node);
  return inner && (ts.isFunctionExpression(inner) || ts.isArrowFunction(inner)) ? inner : undefined;
};

const decoratedByKernel = (node: ts.Node, imports: Imports): boolean =>
  ts.isMethodDeclaration(node) &&
  (ts.getDecorators(node) ?? []).some((d) => {
    const name = ts.isCallExpression(d.expression) ? d.expression.expression : d.expression;
    return imports.imported(name) === "kernel";
  });

export const extendsClause = (node: ts.ClassLikeDeclaration): ts.HeritageClause | undefined =>
  node.heritageClauses?.find((clause) => clause.token === ts.SyntaxKind.ExtendsKeyword);

interface Literal {
  readonly node: FunctionNode;
  readonly role: Role;
}

/** What the name of a called function settles about its arguments. */
interface Settled {
  /** To transform. */
  readonly literal?: Literal;
  /** Not to look into. */
  readonly skip: readonly ts.Node[];
  /** The host's, whatever the directive of the module says: only what says itself that it is a helper is one. */
  readonly host?: ts.Node;
}

function settledBy(call: ts.CallExpression, imports: Imports): Settled {
  const [first, second] = call.arguments;
  const name = imports.imported(call.expression);
  const given = name === "program" ? call.arguments.at(-1) : name === "kernel" ? second : first;
  const node = functionLiteral(given);
  const settled = node && given ? [given] : [];
  if (name === "kernel" && first && second)
    return { ...(node ? { literal: { node, role: "kernel" } } : {}), skip: settled, host: first };
  if ((name === "helper" || name === "program") && node) return { literal: { node, role: name }, skip: settled };
  return { skip: name === "explicit" ? settled : [] };
}

/** The role of a function that says itself what it is: by decorator, by directive, or by the directive of its module. */
function ownRole(node: FunctionNode, everything: boolean, imports: Imports): Role | undefined {
  if (!node.body) return undefined;
  if (decoratedByKernel(node, imports)) return "kernel";
  if (ts.isBlock(node.body) && hasDirective(node.body.statements)) return "helper";
  const isDerived = ts.isConstructorDeclaration(node) && extendsClause(node.parent) !== undefined;
  return everything && !isDerived ? "helper" : undefined;
}

/** Finds what a file asks to have transformed. */
export function findMarks(file: ts.SourceFile, imports: Imports): Marks {
  const functions = new Map<FunctionNode, Role>();
  const classes = new Set<ts.ClassLikeDeclaration>();
  const visit = (node: ts.Node, everything: boolean): void => {
    const role = isFunctionNode(node) ? ownRole(node, everything, imports) : undefined;
    if (role && isFunctionNode(node)) {
      if (ts.isConstructorDeclaration(node)) classes.add(node.parent);
      functions.set(node, role);
      return;
    }
    if (ts.isClassLike(node) && everything && !extendsClause(node)) classes.add(node);
    if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return;
    const { literal, skip, host }: Settled = ts.isCallExpression(node) ? settledBy(node, imports) : { skip: [] };
    if (literal) functions.set(literal.node, literal.role);
    ts.forEachChild(node, (child) => {
      if (!skip.includes(child)) visit(child, everything && child !== host);
    });
  };
  visit(file, hasDirective(file.statements));
  return { functions, classes };
}
