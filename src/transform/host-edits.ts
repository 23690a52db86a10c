import { hoistedFunction, metaText } from "./function-meta.ts";
import { classField, classMark, classMethod, functionText, functionValue, objectMethod } from "./functions.ts";
import { extendsClause, type FunctionNode, type Marks, prologueLength, type Role } from "./marks.ts";
import type { Piece } from "./pieces.ts";
import { at, type Context, hook, refuse } from "./rewrite-context.ts";
import { ts } from "./typescript.ts";

/** Text put in place of a stretch of host code; empty stretches insert. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly piece: Piece;
}

type ContextOf = (root: ts.Node, role: Role) => Context;

/** Where a block's own declarations may be marked: after its brace and directives. */
function hoistPoint(declaration: ts.FunctionDeclaration): number | undefined {
  const scope = declaration.parent;
  if (ts.isSourceFile(scope)) return undefined;
  if (ts.isBlock(scope) || ts.isModuleBlock(scope)) {
    const count = prologueLength(scope.statements);
    return scope.statements[count - 1]?.end ?? scope.getStart() + 1;
  }
  return declaration.getStart();
}

/** Host code edits, and the marks that belong at the top of the module. */
export interface HostEdits {
  readonly edits: readonly Edit[];
  readonly top: readonly Piece[];
}

function declarationEdits(cx: Context, node: ts.FunctionDeclaration, role: Role): HostEdits {
  const { name } = node;
  if (!name) {
    const start = node.modifiers?.at(-1)?.end ?? node.getStart();
    const text = functionText(cx, node, start);
    return {
      edits: [{ start, end: node.end, piece: [" ", hook(cx, "fn", node, at(cx, node), metaText(cx, node, role), text), ";"] }],
      top: [],
    };
  }
  const mark = hoistedFunction(cx, node, name, role);
  const edit = { start: node.getStart(), end: node.end, piece: functionText(cx, node) };
  const point = hoistPoint(node);
  return point === undefined
    ? { edits: [edit], top: [mark] }
    : { edits: [{ start: point, end: point, piece: [" ", mark] }, edit], top: [] };
}

function functionEdits(cx: Context, node: FunctionNode, role: Role): HostEdits {
  if (ts.isFunctionDeclaration(node)) return declarationEdits(cx, node, role);
  const replace = (piece: Piece): HostEdits => ({ edits: [{ start: node.getStart(), end: node.end, piece }], top: [] });
  if (ts.isConstructorDeclaration(node)) return replace(functionText(cx, node));
  if (ts.isFunctionExpression(node) || ts.isArrowFunction(node)) return replace(functionValue(cx, node, role));
  if (!ts.isObjectLiteralExpression(node.parent)) return replace(classMethod(cx, node, role));
  return ts.isMethodDeclaration(node) ? replace(objectMethod(cx, node, role)) : refuse(cx, "W1016", {}, node);
}

const isOwnField = (member: ts.ClassElement): member is ts.PropertyDeclaration =>
  ts.isPropertyDeclaration(member) &&
  member.initializer !== undefined &&
  !member.modifiers?.some((m) => m.kind === ts.SyntaxKind.StaticKeyword);

function classEdits(contextOf: ContextOf, node: ts.ClassLikeDeclaration): readonly Edit[] {
  const cx = contextOf(node, "helper");
  const base = extendsClause(node);
  if (base) refuse(cx, "W1012", {}, base);
  const fields = node.members.filter(isOwnField).map((field) => ({
    start: field.getStart(),
    end: field.end,
    piece: classField(contextOf(field, "helper"), field),
  }));
  if (ts.isClassDeclaration(node)) return [...fields, { start: node.end, end: node.end, piece: classMark(cx, node, "helper") }];
  const start = node.getStart();
  const open = [{ mark: start }, `${cx.hooks}.fn(${at(cx, node)}, `, metaText(cx, node, "helper"), ", "];
  return [{ start, end: start, piece: open }, ...fields, { start: node.end, end: node.end, piece: ")" }];
}

/** Everything that changes in host code: the marked functions, the marked classes, and their marks. */
export function hostEdits(marks: Marks, contextOf: ContextOf): HostEdits {
  const found = [...marks.functions].map(([node, role]) => functionEdits(contextOf(node, role), node, role));
  const inClasses = [...marks.classes].flatMap((node) => classEdits(contextOf, node));
  const fields = inClasses.filter((e) => e.end > e.start);
  const covers = (e: Edit): boolean => fields.some((f) => f.start <= e.start && e.end <= f.end);
  const edits = [...found.flatMap((f) => f.edits).filter((e) => !covers(e)), ...inClasses];
  return { edits: edits.sort((a, b) => a.start - b.start || a.end - b.end), top: found.flatMap((f) => f.top) };
}
