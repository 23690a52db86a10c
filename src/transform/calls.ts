import { isMember, type Member, memberParts } from "./assignments.ts";
import type { Piece } from "./pieces.ts";
import { at, type Context, describe, hook, quote, refuse, splice, temporary } from "./rewrite-context.ts";
import { bare } from "./syntax.ts";
import { ts } from "./typescript.ts";

/** The arguments as an array literal, comments and line breaks kept. */
function argumentList(cx: Context, call: ts.CallExpression | ts.NewExpression): Piece {
  const given = call.arguments;
  if (!given || given.length === 0) return "[]";
  return ["[", splice(given.pos, call.end - 1, given, (argument) => element(cx, argument)), "]"];
}

/** An element of an argument list or array literal. */
export function element(cx: Context, node: ts.Expression): Piece {
  if (ts.isOmittedExpression(node)) return "";
  return ts.isSpreadElement(node) ? ["...", spread(cx, node, node.expression)] : cx.rewrite.expr(cx, node);
}

export const spread = (cx: Context, node: ts.Node, value: ts.Expression): Piece =>
  hook(cx, "spread", node, at(cx, node), cx.rewrite.expr(cx, value));

/** The callee as the author wrote it, on one line. */
const calleeText = (node: ts.Node): string =>
  quote(
    node
      .getText()
      .replace(/\s+(?=[.?])/g, "")
      .replace(/\s+/g, " "),
  );

/** From the method's name where the object begins on an earlier line, else the whole of it. */
function callSpan(cx: Context, node: ts.Expression, callee: ts.Expression): string {
  const name = ts.isPropertyAccessExpression(callee) ? callee.name.getStart() : callee.getStart();
  const start = node.getStart();
  const span = cx.spans.at(cx.text.slice(start, name).includes("\n") ? name : start, node.end);
  describe(cx, node, span);
  return `${span}`;
}

/** The span at which a member or a method call is handed to the hooks. */
export const accessSpan = (cx: Context, node: ts.Expression): string =>
  callSpan(cx, node, ts.isCallExpression(node) ? bare(node.expression) : node);

/** One step of a chain: `.key`, `[key]`, `(args)`, or a key and its call together. */
interface Link {
  readonly member: Member | undefined;
  readonly call: ts.CallExpression | undefined;
}

const isChained = (node: ts.Node): boolean =>
  ts.isOptionalChain(node) || (ts.isNonNullExpression(node) && ts.isOptionalChain(node.expression));

/** The links of an optional chain, from its start to `node`, and what they start from. */
function links(node: ts.Expression): { start: ts.Expression; chain: readonly Link[] } {
  const chain: Link[] = [];
  let current: ts.Expression = node;
  while (isChained(current)) {
    if (ts.isNonNullExpression(current)) current = current.expression;
    else if (ts.isCallExpression(current)) {
      const callee: ts.Expression = isChained(current.expression) ? withoutNonNull(current.expression) : bare(current.expression);
      const method = isMember(callee) ? callee : undefined;
      chain.unshift({ member: method, call: current });
      current = method ? method.expression : current.expression;
    } else if (isMember(current)) {
      chain.unshift({ member: current, call: undefined });
      current = current.expression;
    } else break;
  }
  return { start: current, chain };
}

function withoutNonNull(node: ts.Expression): ts.Expression {
  return ts.isNonNullExpression(node) ? withoutNonNull(node.expression) : node;
}

const isAbsent = (name: Piece): Piece => [name, " === null || ", name, " === undefined ? undefined : "];

/** `value` under a name, for `body`; undefined in its place where it is null or undefined. */
function guarded(cx: Context, value: Piece, body: (name: string) => Piece): Piece {
  const name = temporary(cx);
  return [`((${name}) => `, isAbsent(name), body(name), ")(", value, ")"];
}

function linkKey(cx: Context, member: Member): Piece {
  if (ts.isElementAccessExpression(member)) return cx.rewrite.expr(cx, member.argumentExpression);
  return ts.isPrivateIdentifier(member.name)
    ? refuse(cx, "W1015", { name: member.name.text }, member.name)
    : quote(member.name.text);
}

/** A key that costs nothing to evaluate, so that the hooks may be given it though they may not need it. */
const hasPlainKey = (member: Member): boolean =>
  ts.isPropertyAccessExpression(member) ||
  ts.isLiteralExpression(member.argumentExpression) ||
  ts.isIdentifier(member.argumentExpression);

/** A link that ends its chain may use the hooks for optional access; one in the middle must skip all that follows. */
function follow(cx: Context, object: Piece, chain: readonly Link[]): Piece {
  const [link, ...rest] = chain;
  if (!link) return object;
  const { member, call } = link;
  const objectOptional = member?.questionDotToken !== undefined;
  const callOptional = call?.questionDotToken !== undefined;
  const needsGuard = rest.length > 0 || callOptional || (member !== undefined && !hasPlainKey(member));
  if (objectOptional && needsGuard) return guarded(cx, object, (name) => followPlain(cx, name, link, rest));
  if (!objectOptional) return followPlain(cx, object, link, rest);
  const node = call ?? member;
  if (!member) return object;
  const span = callSpan(cx, node, member);
  if (!call) return hook(cx, "getOpt", node, span, object, linkKey(cx, member));
  return hook(
    cx,
    "invokeOpt",
    node,
    span,
    object,
    linkKey(cx, member),
    ["() => ", argumentList(cx, call)],
    calleeText(member),
    quote("object"),
  );
}

/** A link whose object is known to be there; the call may still be optional. */
function followPlain(cx: Context, object: Piece, link: Link, rest: readonly Link[]): Piece {
  const { member, call } = link;
  if (!call) return member ? follow(cx, hook(cx, "get", member, at(cx, member), object, linkKey(cx, member)), rest) : object;
  const callee = call.expression;
  const span = callSpan(cx, call, callee);
  const optional = call.questionDotToken !== undefined;
  if (!member) {
    if (!optional) return follow(cx, hook(cx, "call", call, span, object, argumentList(cx, call), calleeText(callee)), rest);
    if (rest.length === 0) return hook(cx, "callOpt", call, span, object, ["() => ", argumentList(cx, call)], calleeText(callee));
    return guarded(cx, object, (name) =>
      follow(cx, hook(cx, "call", call, span, name, argumentList(cx, call), calleeText(callee)), rest),
    );
  }
  const key = linkKey(cx, member);
  const invoke = (on: Piece, by: Piece): Piece =>
    hook(cx, "invoke", call, span, on, by, argumentList(cx, call), calleeText(callee));
  if (!optional) return follow(cx, invoke(object, key), rest);
  if (rest.length === 0)
    return hook(
      cx,
      "invokeOpt",
      call,
      span,
      object,
      key,
      ["() => ", argumentList(cx, call)],
      calleeText(callee),
      quote("method"),
    );
  const held = temporary(cx);
  const heldKey = temporary(cx);
  const method = hook(cx, "get", member, at(cx, member), held, heldKey);
  const body = guarded(cx, method, () => follow(cx, invoke(held, heldKey), rest));
  return [`((${held}, ${heldKey}) => `, body, ")(", object, ", ", key, ")"];
}

function optionalChain(cx: Context, node: ts.Expression): Piece {
  const { start, chain } = links(node);
  if (start.kind === ts.SyntaxKind.SuperKeyword) refuse(cx, "W1012", {}, start);
  return follow(cx, cx.rewrite.expr(cx, start), chain);
}

/** `object.key` and `object[key]`. */
export function member(cx: Context, node: Member): Piece {
  if (ts.isOptionalChain(node)) return optionalChain(cx, node);
  if (ts.isMetaProperty(node.expression) && node.expression.keywordToken === ts.SyntaxKind.ImportKeyword)
    return { start: node.getStart(), end: node.end };
  const { object, key } = memberParts(cx, node);
  return hook(cx, "get", node, callSpan(cx, node, node), object, key);
}

/** A call of a function or method. */
export function call(cx: Context, node: ts.CallExpression): Piece {
  if (ts.isOptionalChain(node)) return optionalChain(cx, node);
  const callee = bare(node.expression);
  if (callee.kind === ts.SyntaxKind.ImportKeyword) refuse(cx, "W1013", {}, node);
  if (callee.kind === ts.SyntaxKind.SuperKeyword) refuse(cx, "W1012", {}, callee);
  if (ts.isIdentifier(callee) && callee.text === "eval" && !cx.bindings.symbolOf(callee))
    refuse(cx, "W1005", { what: "eval" }, node);
  const span = callSpan(cx, node, callee);
  if (isMember(callee) && ts.isOptionalChain(callee)) {
    refuse(
      cx,
      "W1021",
      { what: "an optional chain in parentheses that is then called", instead: "write `a?.b?.()`, without the parentheses" },
      node,
    );
  }
  if (isMember(callee)) {
    const { object, key } = memberParts(cx, callee);
    return hook(cx, "invoke", node, span, object, key, argumentList(cx, node), calleeText(callee));
  }
  if (ts.isIdentifier(callee) && callee.text === "Boolean" && !cx.bindings.symbolOf(callee))
    return hook(cx, "call", node, span, cx.rewrite.expr(cx, node.expression), conditionList(cx, node), calleeText(callee));
  if (cx.imports.imported(callee) === "explicit")
    return hook(cx, "call", node, span, cx.rewrite.expr(cx, node.expression), explicitArguments(node), calleeText(callee));
  return hook(cx, "call", node, span, cx.rewrite.expr(cx, node.expression), argumentList(cx, node), calleeText(callee));
}

/** Of what is given to `Boolean`, the truth is asked. */
const conditionList = (cx: Context, { arguments: given, end }: ts.CallExpression): Piece => [
  "[",
  splice(given.pos, end - 1, given, (argument) =>
    ts.isSpreadElement(argument) ? element(cx, argument) : cx.rewrite.condition(cx, argument),
  ),
  "]",
];

/** What is given to `explicit` stays as it is. */
const explicitArguments = (node: ts.CallExpression): Piece => ["[", { start: node.arguments.pos, end: node.end - 1 }, "]"];

/** `new constructor(…args)`. */
export function construct(cx: Context, node: ts.NewExpression): Piece {
  const list = node.arguments ? argumentList(cx, node) : "[]";
  return hook(cx, "make", node, at(cx, node), cx.rewrite.expr(cx, node.expression), list, calleeText(node.expression));
}

const cooked = (node: ts.TemplateLiteralLikeNode): string => (node.text === undefined ? "undefined" : quote(node.text));

const rawText = (node: ts.TemplateLiteralLikeNode): string => {
  const end = node.kind === ts.SyntaxKind.TemplateHead || node.kind === ts.SyntaxKind.TemplateMiddle ? 2 : 1;
  return quote(node.getText().slice(1, -end).replaceAll("\r\n", "\n"));
};

function templateParts(cx: Context, node: ts.TemplateLiteral): { texts: readonly ts.TemplateLiteralLikeNode[]; values: Piece } {
  if (ts.isNoSubstitutionTemplateLiteral(node)) return { texts: [node], values: "[]" };
  const values = node.templateSpans.map((span, i): Piece => [i === 0 ? "" : ", ", cx.rewrite.expr(cx, span.expression)]);
  return { texts: [node.head, ...node.templateSpans.map((span) => span.literal)], values: ["[", values, "]"] };
}

const list = (texts: readonly string[]): string => `[${texts.join(", ")}]`;

/** A template literal with values in it. */
export function template(cx: Context, node: ts.TemplateExpression): Piece {
  const { texts, values } = templateParts(cx, node);
  return hook(cx, "template", node, at(cx, node), list(texts.map(cooked)), values);
}

/** A tagged template; the object whose method is the tag is evaluated once. */
export function tagged(cx: Context, node: ts.TaggedTemplateExpression): Piece {
  const { texts, values } = templateParts(cx, node.template);
  const tag = bare(node.tag);
  const rest = [list(texts.map(cooked)), list(texts.map(rawText)), values, calleeText(node.tag)];
  if (!isMember(tag)) return hook(cx, "tagged", node, at(cx, node), "undefined", cx.rewrite.expr(cx, tag), ...rest);
  const { object, key } = memberParts(cx, tag);
  const held = temporary(cx);
  return [
    `((${held}) => `,
    hook(cx, "tagged", node, at(cx, node), held, hook(cx, "get", tag, at(cx, tag), held, key), ...rest),
    ")(",
    object,
    ")",
  ];
}
