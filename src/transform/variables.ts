import { contains, rangeOf, variableDeclaration } from "./bindings.ts";
import type { Piece } from "./pieces.ts";
import { at, type Context, hook, nameOf, quote, refuse } from "./rewrite-context.ts";
import { ts } from "./typescript.ts";

const isOuter = (cx: Context, symbol: ts.Symbol): boolean => {
  const start = symbol.valueDeclaration?.getStart() ?? symbol.declarations?.[0]?.getStart();
  return start !== undefined && !contains(rangeOf(cx.root), start);
};

/** The symbol of a name, where it lives in a box. */
export function boxedSymbol(cx: Context, id: ts.Identifier): ts.Symbol | undefined {
  const symbol = cx.bindings.symbolOf(id);
  return symbol && cx.bindings.isBoxed(symbol) && !isOuter(cx, symbol) ? symbol : undefined;
}

/** The value of a name. */
export function readName(cx: Context, id: ts.Identifier): Piece {
  const symbol = cx.bindings.symbolOf(id);
  if (id.text === "arguments" && !symbol?.declarations?.length) refuse(cx, "W1010", {}, id);
  if (!symbol) return rangeOf(id);
  if (isOuter(cx, symbol)) {
    if (variableDeclaration(symbol) && cx.bindings.isAssigned(symbol)) refuse(cx, "W1009", { name: id.text }, id);
    return rangeOf(id);
  }
  if (cx.bindings.isBoxed(symbol)) return hook(cx, "get", id, at(cx, id), nameOf(cx, symbol), quote("v"));
  return cx.renamed.has(symbol) ? [{ mark: id.getStart() }, nameOf(cx, symbol)] : rangeOf(id);
}

/** The symbol of a name that is about to be assigned; refuses what belongs to host code, and constants. W1008, W1023. */
export function assignedSymbol(cx: Context, id: ts.Identifier): ts.Symbol {
  const symbol = cx.bindings.symbolOf(id);
  if (!symbol || isOuter(cx, symbol)) return refuse(cx, "W1008", { name: id.text }, id);
  const declaration = variableDeclaration(symbol);
  const flags = declaration ? ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.BlockScoped : ts.NodeFlags.None;
  if ((flags & ts.NodeFlags.Constant) !== 0)
    refuse(cx, "W1023", { name: id.text, word: (flags & ts.NodeFlags.Using) === 0 ? "const" : "using" }, id);
  return symbol;
}

/** `name = value` as an expression. */
export function writeName(cx: Context, id: ts.Identifier, value: Piece): Piece {
  const symbol = assignedSymbol(cx, id);
  if (cx.bindings.isBoxed(symbol)) return hook(cx, "set", id, at(cx, id), nameOf(cx, symbol), quote("v"), value);
  return [cx.renamed.has(symbol) ? nameOf(cx, symbol) : rangeOf(id), " = ", value];
}

/** What a declaration of the name is initialised with. */
export function initial(cx: Context, id: ts.Identifier, value: Piece | undefined): Piece | undefined {
  if (!boxedSymbol(cx, id)) return value;
  const parts = [at(cx, id), quote(id.text), ...(value === undefined ? [] : [value])];
  return hook(cx, "box", id, ...parts);
}
