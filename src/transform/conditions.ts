import { contains, rangeOf } from "./bindings.ts";
import { accessSpan } from "./calls.ts";
import { paramShape } from "./param-kinds.ts";
import type { Piece } from "./pieces.ts";
import { at, type Context, hook } from "./rewrite-context.ts";
import { bare } from "./syntax.ts";
import { ts } from "./typescript.ts";

/** In place of a span: what the expression gives is there whatever happens before. */
const always = "-1";

/** A parameter of the kernel that every launch gives a tensor or a tensor map. */
function isGiven(cx: Context, declaration: ts.ParameterDeclaration): boolean {
  if (cx.role !== "kernel" || declaration.parent !== cx.root || declaration.questionToken || declaration.initializer)
    return false;
  const { kind } = paramShape(declaration, cx, cx.declarations);
  return kind === "tensor" || kind === "tma";
}

/** The span of `x.y`, `x[i]`, `x.at(i)` or `new X()`; undefined for other expressions. */
function makerSpan(cx: Context, node: ts.Expression): string | undefined {
  if (ts.isOptionalChain(node)) return undefined;
  if (ts.isNewExpression(node) || ts.isPropertyAccessExpression(node)) return at(cx, node);
  const isMethod = ts.isCallExpression(node) && ts.isPropertyAccessExpression(bare(node.expression));
  return isMethod || ts.isElementAccessExpression(node) ? accessSpan(cx, node) : undefined;
}

/**
 * Which expression has made what is tested, where its value is tested at once or through one `const` or several (`seen`); undefined where the
 * text does not say whether there is an object: of other variables, parameters and fields.
 */
function madeBy(cx: Context, node: ts.Expression, seen: readonly ts.Declaration[] = []): string | undefined {
  if (!ts.isIdentifier(node)) return makerSpan(cx, node);
  if (cx.imports.imported(node) !== undefined) return always;
  const symbol = cx.bindings.symbolOf(node);
  const declaration = symbol?.valueDeclaration;
  if (!symbol || !declaration || cx.bindings.isAssigned(symbol)) return undefined;
  if (ts.isParameter(declaration)) return isGiven(cx, declaration) ? always : undefined;
  if (!ts.isVariableDeclaration(declaration) || !declaration.initializer || seen.includes(declaration)) return undefined;
  const isInside = contains(rangeOf(cx.root), declaration.getStart());
  return isInside ? madeBy(cx, bare(declaration.initializer), [...seen, declaration]) : undefined;
}

/** An expression that decides: a hook looks at what is an object there on every way. */
export function tested(cx: Context, node: ts.Expression): Piece {
  const made = cx.role === "program" ? undefined : madeBy(cx, bare(node));
  const value = cx.rewrite.expr(cx, node);
  return made === undefined ? value : hook(cx, "test", node, at(cx, node), value, made);
}
