import { ts } from "ts-morph";
import type { Imports } from "./imports.ts";

/** `ParamKind` of the hooks, before its span has an index. */
export interface ParamShape {
  readonly kind: "tensor" | "tma" | "scalar" | "static" | "bare" | "other";
  readonly dtype?: string;
  readonly rank?: number;
  readonly type?: "number" | "bigint";
}

const scalars = new Set([
  "i64",
  "u64",
  "i32",
  "u32",
  "i16",
  "u16",
  "i8",
  "u8",
  "bool",
  "f64",
  "f32",
  "tf32",
  "f16",
  "bf16",
  "e4m3",
  "e5m2",
]);
const other: ParamShape = { kind: "other" };
const deepest = 16;

/** Stands for type parameters while an alias is taken apart. */
type Substitution = ReadonlyMap<string, ts.TypeNode>;

interface Resolved {
  readonly node: ts.TypeNode;
  readonly within: Substitution;
}

const aliasOf = (name: ts.EntityName, checker: ts.TypeChecker): ts.TypeAliasDeclaration | undefined =>
  checker.getSymbolAtLocation(name)?.declarations?.find(ts.isTypeAliasDeclaration);

/** Follows parentheses, type parameters and aliases of the same file. */
function resolve(node: ts.TypeNode, within: Substitution, checker: ts.TypeChecker, depth = 0): Resolved {
  if (depth > deepest) return { node, within };
  if (ts.isParenthesizedTypeNode(node)) return resolve(node.type, within, checker, depth + 1);
  if (!ts.isTypeReferenceNode(node)) return { node, within };
  const substitute = ts.isIdentifier(node.typeName) ? within.get(node.typeName.text) : undefined;
  if (substitute) return resolve(substitute, new Map(), checker, depth + 1);
  const alias = aliasOf(node.typeName, checker);
  if (!alias) return { node, within };
  const parameters = new Map<string, ts.TypeNode>();
  alias.typeParameters?.forEach((parameter, i) => {
    const given = node.typeArguments?.[i] ?? parameter.default;
    if (given) parameters.set(parameter.name.text, resolve(given, within, checker, depth + 1).node);
  });
  return resolve(alias.type, parameters, checker, depth + 1);
}

function literalOf(node: ts.TypeNode | undefined, within: Substitution, checker: ts.TypeChecker): string | number | undefined {
  const resolved = node && resolve(node, within, checker).node;
  if (!resolved || !ts.isLiteralTypeNode(resolved)) return undefined;
  if (ts.isStringLiteral(resolved.literal)) return resolved.literal.text;
  return ts.isNumericLiteral(resolved.literal) ? Number(resolved.literal.text) : undefined;
}

function memory(kind: "tensor" | "tma", { node, within }: Resolved, checker: ts.TypeChecker): ParamShape {
  const [first, second] = ts.isTypeReferenceNode(node) ? (node.typeArguments ?? []) : [];
  const dtype = literalOf(first, within, checker);
  const rank = literalOf(second, within, checker);
  return { kind, ...(typeof dtype === "string" ? { dtype } : {}), ...(typeof rank === "number" ? { rank } : {}) };
}

/** What a parameter's annotation says of it. */
export function paramShape(parameter: ts.ParameterDeclaration, checker: ts.TypeChecker, imports: Imports): ParamShape {
  if (!parameter.type || parameter.dotDotDotToken) return other;
  const resolved = resolve(parameter.type, new Map(), checker);
  const { node } = resolved;
  if (node.kind === ts.SyntaxKind.NumberKeyword) return { kind: "bare", type: "number" };
  if (node.kind === ts.SyntaxKind.BigIntKeyword) return { kind: "bare", type: "bigint" };
  if (!ts.isTypeReferenceNode(node)) return other;
  const name = imports.imported(node.typeName);
  if (name === "Tensor") return memory("tensor", resolved, checker);
  if (name === "TMA") return memory("tma", resolved, checker);
  if (name === "Static") return { kind: "static" };
  return name !== undefined && scalars.has(name) ? { kind: "scalar", dtype: name } : other;
}
