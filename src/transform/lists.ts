import { type Range, rangeOf } from "./bindings.ts";
import { hoistedFunction } from "./function-meta.ts";
import { isJump, mayLeave } from "./leaving.ts";
import type { Piece } from "./pieces.ts";
import { type Context, refuse, trivia } from "./rewrite-context.ts";
import { ts } from "./typescript.ts";

/** Statements that share a scope, and the stretch of the source that they fill. */
interface List {
  readonly statements: readonly ts.Statement[];
  readonly range: Range;
}

type NamedFunction = ts.FunctionDeclaration & { readonly name: ts.Identifier };

const isNamedFunction = (node: ts.Statement): node is NamedFunction =>
  ts.isFunctionDeclaration(node) && node.name !== undefined && node.body !== undefined;

/** Whether anything in one of the ranges names what `id` declares. */
function isNamedIn(cx: Context, id: ts.Identifier, ranges: readonly Range[]): boolean {
  const symbol = cx.bindings.symbolOf(id);
  return symbol !== undefined && ranges.some((range) => cx.bindings.references(symbol, range).length > 0);
}

/** Functions declared after a split but used before it: they move up, with those that they use. */
function functionsToMove(cx: Context, before: Range, after: readonly ts.Statement[]): ReadonlySet<NamedFunction> {
  const moved = new Set<NamedFunction>();
  const candidates = after.filter(isNamedFunction);
  for (let grew = true; grew; ) {
    const ranges = [before, ...[...moved].map(rangeOf)];
    const next = candidates.filter((f) => !moved.has(f) && isNamedIn(cx, f.name, ranges));
    for (const f of next) moved.add(f);
    grew = next.length > 0;
  }
  return moved;
}

const boundNames = (name: ts.BindingName): readonly ts.Identifier[] =>
  ts.isIdentifier(name) ? [name] : name.elements.flatMap((e) => (ts.isOmittedExpression(e) ? [] : boundNames(e.name)));

/** The names that a statement declares for its whole list, functions apart. */
export function lexicalNames(node: ts.Statement): readonly ts.Identifier[] {
  if (ts.isVariableStatement(node)) return node.declarationList.declarations.flatMap((d) => boundNames(d.name));
  return (ts.isClassDeclaration(node) || ts.isEnumDeclaration(node)) && node.name ? [node.name] : [];
}

/** What stands below a split goes into a function of its own, out of sight of what stands above. */
function refuseHiddenNames(cx: Context, above: readonly Range[], below: readonly ts.Statement[]): void {
  for (const id of below.flatMap(lexicalNames)) {
    if (isNamedIn(cx, id, above)) refuse(cx, "W1018", { name: id.text }, id);
  }
}

/** The statements of a list from one of them on; `start` is where the one before it ended. */
function listFrom(cx: Context, list: List, first: number, start: number, done: ReadonlySet<ts.Statement>): Piece {
  const split = list.statements.findIndex((s, i) => i >= first && mayLeave(s) && !isJump(s) && i + 1 < list.statements.length);
  const count = split < 0 ? list.statements.length : split + 1;
  const above = list.statements.slice(first, count);
  const below = list.statements.slice(count).filter((s) => !done.has(s));
  const range = { start, end: above.at(-1)?.end ?? start };
  const moved = functionsToMove(cx, range, below);
  if (split >= 0) refuseHiddenNames(cx, [range, ...[...moved].map(rangeOf)], below);

  const out: Piece[] = [];
  for (const f of [...above.filter(isNamedFunction).filter((s) => !done.has(s)), ...moved])
    out.push(" ", hoistedFunction(cx, f, f.name, "inner"));
  for (const f of moved) out.push(" ", cx.rewrite.statement(cx, f));
  const known = new Set([...done, ...moved]);
  let end = start;
  above.forEach((s, i) => {
    out.push({ start: end, end: s.getStart() });
    if (!known.has(s))
      out.push(listed(cx, s, i + first === split ? () => listFrom(cx, list, split + 1, s.end, known) : undefined, list));
    end = s.end;
  });
  if (split < 0) out.push({ start: end, end: list.range.end });
  return out;
}

function listed(cx: Context, node: ts.Statement, rest: (() => Piece) | undefined, list: List): Piece {
  if (isJump(node) || !mayLeave(node)) return cx.rewrite.statement(cx, node);
  return cx.rewrite.leaving(cx, node, rest && { piece: rest, range: { start: node.end, end: list.range.end } });
}

/** The inside of a block, braces apart. */
export const blockInside = (cx: Context, node: ts.Block): Piece =>
  listFrom(
    cx,
    { statements: node.statements, range: { start: node.getStart() + 1, end: node.end - 1 } },
    0,
    node.getStart() + 1,
    new Set(),
  );

/** The statements of one case. */
export function clauseInside(cx: Context, statements: readonly ts.Statement[], range: Range): Piece {
  return listFrom(cx, { statements, range }, 0, range.start, new Set());
}

/** Any statement as the inside of a function's braces. */
export function inside(cx: Context, node: ts.Statement): Piece {
  if (ts.isBlock(node)) return blockInside(cx, node);
  const range = rangeOf(node);
  return [
    trivia(cx, node.getFullStart(), range.start, " "),
    listFrom(cx, { statements: [node], range }, 0, range.start, new Set()),
    " ",
  ];
}
