import { ts } from "ts-morph";
import type { Imports } from "./imports.ts";
import { bare } from "./syntax.ts";

export type Role = "kernel" | "helper" | "inner";

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

/** Finds what a file asks to have transformed. */
export function findMarks(file: ts.SourceFile, imports: Imports): Marks {
  const functions = new Map<FunctionNode, Role>();
  const classes = new Set<ts.ClassLikeDeclaration>();
  const everything = hasDirective(file.statements);

  const literal = (node: ts.Expression | undefined, role: Role): ts.Node | undefined => {
    const found = functionLiteral(node);
    if (found) functions.set(found, role);
    return found;
  };
  /** What of a call's arguments is settled by the name of what is called. */
  const settled = (call: ts.CallExpression): readonly (ts.Node | undefined)[] => {
    const [first, second] = call.arguments;
    switch (imports.imported(call.expression)) {
      case "kernel":
        return second ? [first, literal(second, "kernel") && second] : [];
      case "helper":
        return [literal(first, "helper") && first];
      case "explicit":
        return [functionLiteral(first) && first];
      default:
        return [];
    }
  };
  const visit = (node: ts.Node): void => {
    if (isFunctionNode(node) && node.body) {
      const isDerived = ts.isConstructorDeclaration(node) && extendsClause(node.parent) !== undefined;
      const own = ts.isBlock(node.body) && hasDirective(node.body.statements);
      const kernel = decoratedByKernel(node, imports);
      if (kernel || own || (everything && !isDerived)) {
        if (ts.isConstructorDeclaration(node)) classes.add(node.parent);
        functions.set(node, kernel ? "kernel" : "helper");
        return;
      }
    }
    if (ts.isClassLike(node) && everything && !extendsClause(node)) classes.add(node);
    if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return;
    const skip = ts.isCallExpression(node) ? settled(node) : [];
    ts.forEachChild(node, (child) => {
      if (!skip.includes(child)) visit(child);
    });
  };
  visit(file);
  return { functions, classes };
}
