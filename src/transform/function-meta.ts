import { rangeOf } from "./bindings.ts";
import type { FunctionNode, Role } from "./marks.ts";
import { type ParamShape, paramShape } from "./param-kinds.ts";
import type { Piece } from "./pieces.ts";
import { at, type Context, hook, quote } from "./rewrite-context.ts";
import { ts } from "./typescript.ts";

/** The name that the author gave: of the function, or of what it is assigned to. */
function authorsName(node: FunctionNode | ts.ClassLikeDeclaration): string {
  if (ts.isConstructorDeclaration(node)) return authorsName(node.parent);
  if (node.name) return ts.isComputedPropertyName(node.name) ? "" : node.name.text;
  let child: ts.Node = node;
  let parent: ts.Node = node.parent;
  while (
    ts.isCallExpression(parent) ||
    ts.isParenthesizedExpression(parent) ||
    ts.isAsExpression(parent) ||
    ts.isSatisfiesExpression(parent)
  ) {
    child = parent;
    parent = parent.parent;
  }
  if (!ts.isVariableDeclaration(parent) && !ts.isPropertyAssignment(parent) && !ts.isPropertyDeclaration(parent)) return "";
  return parent.initializer === child && (ts.isIdentifier(parent.name) || ts.isStringLiteral(parent.name))
    ? parent.name.text
    : "";
}

/** What gives a number that a launch leaves out, of the arguments before it: the default value as it stands. */
function defaultOf(parameter: ts.ParameterDeclaration, before: readonly ts.ParameterDeclaration[]): Piece {
  const { initializer } = parameter;
  const names = before.map((p) => p.name.getText()).join(", ");
  return initializer ? [`, default: (${names}) => (`, rangeOf(initializer), ")"] : "";
}

function paramText(
  cx: Context,
  parameter: ts.ParameterDeclaration,
  before: readonly ts.ParameterDeclaration[],
  role: Role,
): Piece {
  const name = ts.isIdentifier(parameter.name) ? parameter.name.text : parameter.name.getText().replace(/\s+/g, " ");
  const given = paramShape(parameter, cx, cx.declarations);
  const isOptional = parameter.questionToken !== undefined;
  // `x?: Tensor` is `x: Tensor | undefined`.
  const shape: ParamShape = isOptional && (given.kind === "tensor" || given.kind === "tma") ? { kind: "other" } : given;
  const fields = [`name: ${quote(name)}`, `kind: ${quote(shape.kind)}`];
  if (isOptional && role === "kernel") fields.push("optional: true");
  if ("dtype" in shape) fields.push(`dtype: ${quote(shape.dtype)}`);
  if ("rank" in shape) fields.push(`rank: ${shape.rank}`);
  if ("type" in shape) fields.push(`type: ${quote(shape.type)}`);
  if ("why" in shape) fields.push(`why: ${quote(shape.why)}`);
  if ("type" in shape) fields.push(`at: ${at(cx, parameter.type ?? parameter)}`);
  const more = role === "kernel" && shape.kind === "scalar" ? defaultOf(parameter, before) : "";
  return [`{ ${fields.join(", ")}`, more, " }"];
}

const isThis = (parameter: ts.ParameterDeclaration): boolean => ts.isIdentifier(parameter.name) && parameter.name.text === "this";

/** `FunctionMeta` of the hooks. */
export function metaText(cx: Context, node: FunctionNode | ts.ClassLikeDeclaration, role: Role): Piece {
  const owner = ts.isClassLike(node) ? node.members.find(ts.isConstructorDeclaration) : node;
  const own = (owner?.parameters ?? []).filter((p) => !isThis(p));
  const params = own.map((p, i): Piece => [i === 0 ? "" : ", ", paramText(cx, p, own.slice(0, i), role)]);
  const name = ts.isCallExpression(node.parent) && role === "inner" && !node.name ? "" : authorsName(node);
  return [`{ name: ${quote(name)}, role: ${quote(role)}, params: [`, params, "] }"];
}

/** `$.fn(…)` at the top of the scope that hoists a function declaration. */
export function hoistedFunction(cx: Context, node: ts.FunctionDeclaration, name: ts.Identifier, role: Role): Piece {
  return [hook(cx, "fn", name, at(cx, name), metaText(cx, node, role), name.text), ";"];
}
