import { containerOf, rangeOf } from "./bindings.ts";
import { classMark, classText, functionText } from "./functions.ts";
import { mayLeave, returnsAtEnd } from "./leaving.ts";
import { blockInside, clauseInside, inside, lexicalNames } from "./lists.ts";
import { declaration, loopPiece, refuseKind } from "./loops.ts";
import { isFunctionNode } from "./marks.ts";
import type { Piece } from "./pieces.ts";
import { at, atRange, type Context, hook, quote, type Rest, refuse, splice, trivia, vars } from "./rewrite-context.ts";
import { isLoop } from "./syntax.ts";
import { ts } from "./typescript.ts";

const thunk = (cx: Context, node: ts.Statement): Piece => ["() => {", inside(cx, node), "}"];

const restThunk = (rest: Rest): Piece => ["() => {", rest.piece(), "}"];

function ifCall(cx: Context, node: ts.IfStatement, rest?: Rest): Piece {
  const { expression, thenStatement, elseStatement } = node;
  const ranges = [thenStatement, elseStatement].filter((s) => s !== undefined).map(rangeOf);
  const condition = cx.rewrite.condition(cx, expression);
  const assigned = vars(cx, rest ? [...ranges, rest.range] : ranges);
  const parts = [
    at(cx, expression),
    condition,
    thunk(cx, thenStatement),
    elseStatement ? elseThunk(cx, node, elseStatement) : "null",
    assigned,
  ];
  return hook(cx, "if", node, ...parts, ...(rest ? [restThunk(rest)] : []));
}

/** The `else` branch, with a comment that stands before it. */
function elseThunk(cx: Context, node: ts.IfStatement, branch: ts.Statement): Piece {
  const keyword = node.getChildren().find((child) => child.kind === ts.SyntaxKind.ElseKeyword);
  const comment = keyword && /\/\/|\/\*/.test(cx.text.slice(node.thenStatement.end, keyword.getStart()));
  return [comment ? trivia(cx, node.thenStatement.end, keyword.getStart(), "") : "", thunk(cx, branch)];
}

/** A name that one case declares is not in sight of the others. */
function refuseSharedNames(cx: Context, clause: ts.CaseOrDefaultClause): void {
  const block = rangeOf(clause.parent);
  const others = [
    { start: block.start, end: clause.getStart() },
    { start: clause.end, end: block.end },
  ];
  const functions = clause.statements.flatMap((s) => (ts.isFunctionDeclaration(s) && s.name ? [s.name] : []));
  for (const id of [...clause.statements.flatMap(lexicalNames), ...functions]) {
    const symbol = cx.bindings.symbolOf(id);
    const use = symbol && others.flatMap((range) => cx.bindings.references(symbol, range))[0];
    if (use) refuse(cx, "W1019", { name: id.text }, use.node);
  }
}

function clausePiece(cx: Context, clause: ts.CaseOrDefaultClause): Piece {
  refuseSharedNames(cx, clause);
  const test = ts.isCaseClause(clause) ? ["() => ", cx.rewrite.expr(cx, clause.expression)] : "null";
  const span = ts.isCaseClause(clause)
    ? at(cx, clause.expression)
    : atRange(cx, clause.getStart(), clause.getStart() + "default".length);
  const colon = clause.getChildren().find((child) => child.kind === ts.SyntaxKind.ColonToken);
  const range = { start: colon?.end ?? clause.end, end: clause.end };
  const body = ["() => {", clauseInside(cx, clause.statements, range), " }"];
  return [`{ at: ${span}, test: `, test, ", body: ", body, `, empty: ${clause.statements.length === 0} },`];
}

function switchCall(cx: Context, node: ts.SwitchStatement, labels: readonly string[]): Piece {
  const { clauses } = node.caseBlock;
  const value = cx.rewrite.expr(cx, node.expression);
  const cases = [
    "[",
    splice(node.caseBlock.getStart() + 1, node.caseBlock.end - 1, clauses, (clause) => clausePiece(cx, clause)),
    "]",
  ];
  const named = labels.length > 0 ? [`[${labels.map(quote).join(", ")}]`] : [];
  return hook(cx, "switch", node, at(cx, node.expression), value, cases, vars(cx, [rangeOf(node.caseBlock)]), ...named);
}

/** The statement under its labels. */
function unlabelled(node: ts.Statement): { statement: ts.Statement; labels: readonly ts.Identifier[] } {
  const labels: ts.Identifier[] = [];
  let statement = node;
  while (ts.isLabeledStatement(statement)) {
    labels.push(statement.label);
    statement = statement.statement;
  }
  return { statement, labels };
}

/** A loop, switch or labelled statement as an expression, with what must be declared before it. */
function compound(cx: Context, node: ts.Statement): { before?: Piece | undefined; value: Piece } | undefined {
  const { statement, labels } = unlabelled(node);
  const names = labels.map((label) => label.text);
  if (isLoop(statement)) {
    const { before, loop } = loopPiece(cx, statement, names);
    return { before, value: loop };
  }
  if (ts.isSwitchStatement(statement)) return { value: switchCall(cx, statement, names) };
  return ts.isLabeledStatement(node) ? { value: labelCall(cx, node) } : undefined;
}

function labelCall(cx: Context, node: ts.LabeledStatement): Piece {
  const assigned = vars(cx, [rangeOf(node.statement)]);
  return hook(cx, "label", node, at(cx, node.label), quote(node.label.text), thunk(cx, node.statement), assigned);
}

function returnStatement(cx: Context, node: ts.ReturnStatement): Piece {
  const owner = containerOf(node);
  const value = node.expression && cx.rewrite.expr(cx, node.expression);
  if (isFunctionNode(owner) && returnsAtEnd(owner)) {
    if (!node.expression || !value) return "return;";
    const between = trivia(cx, node.getStart() + "return".length, node.expression.getStart(), " ");
    return [{ mark: node.getStart() }, "return", between, value, ";"];
  }
  return ["return ", hook(cx, "ret", node, at(cx, node), ...(value ? [value] : [])), ";"];
}

function jump(cx: Context, node: ts.BreakStatement | ts.ContinueStatement): Piece {
  const label = node.label ? [quote(node.label.text)] : [];
  return ["return ", hook(cx, ts.isBreakStatement(node) ? "brk" : "cont", node, at(cx, node), ...label), ";"];
}

function variables(cx: Context, node: ts.VariableStatement): Piece {
  refuseKind(cx, node.declarationList);
  const { declarations } = node.declarationList;
  return splice(node.getStart(), node.end, declarations, (d) => declaration(cx, d));
}

function refused(cx: Context, node: ts.Statement): never {
  if (ts.isTryStatement(node)) return refuse(cx, "W1004", {}, node.getFirstToken() ?? node);
  if (ts.isWithStatement(node)) return refuse(cx, "W1005", { what: "with" }, node);
  return refuse(cx, "W1021", { what: `\`${node.getText().slice(0, 40)}\``, instead: "write it outside the kernel" }, node);
}

function declares(cx: Context, node: ts.Statement): Piece | undefined {
  if (ts.isVariableStatement(node)) return variables(cx, node);
  if (ts.isFunctionDeclaration(node)) return functionText(cx, node);
  if (ts.isClassDeclaration(node)) return [classText(cx, node), classMark(cx, node, "inner")];
  return ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isEnumDeclaration(node)
    ? rangeOf(node)
    : undefined;
}

function simple(cx: Context, node: ts.Statement): Piece | undefined {
  if (ts.isExpressionStatement(node)) {
    return ts.isStringLiteral(node.expression) ? rangeOf(node) : [cx.rewrite.discard(cx, node.expression), ";"];
  }
  if (ts.isReturnStatement(node)) return returnStatement(cx, node);
  if (ts.isBreakStatement(node) || ts.isContinueStatement(node)) return jump(cx, node);
  if (ts.isThrowStatement(node))
    return ["throw ", hook(cx, "raise", node, at(cx, node), cx.rewrite.expr(cx, node.expression)), ";"];
  return ts.isEmptyStatement(node) || ts.isDebuggerStatement(node) ? rangeOf(node) : undefined;
}

/** A statement that cannot leave its list, or that always does. */
export function statement(cx: Context, node: ts.Statement): Piece {
  const plain = simple(cx, node) ?? declares(cx, node);
  if (plain) return plain;
  if (ts.isBlock(node)) return ["{", blockInside(cx, node), "}"];
  if (ts.isIfStatement(node)) return [ifCall(cx, node), ";"];
  const found = compound(cx, node);
  if (!found) return refused(cx, node);
  return found.before ? ["{ ", found.before, " ", found.value, "; }"] : [found.value, ";"];
}

/** A statement that may leave its list: what follows it becomes a function that runs where it did not. */
export function leaving(cx: Context, node: ts.Statement, rest: Rest | undefined): Piece {
  if (ts.isIfStatement(node)) return ["return ", ifCall(cx, node, rest), ";"];
  const value = leavingValue(cx, node);
  if (!rest) return ["return ", value, ";"];
  const call = hook(cx, "then", node, at(cx, node), value, restThunk(rest), vars(cx, [rest.range]));
  return ["return ", call, ";"];
}

function leavingValue(cx: Context, node: ts.Statement): Piece {
  if (ts.isBlock(node)) return ["(() => {", blockInside(cx, node), "})()"];
  if (!mayLeave(node)) return "undefined";
  const found = compound(cx, node);
  if (!found) return refused(cx, node);
  return found.before ? ["(() => { ", found.before, " return ", found.value, "; })()"] : found.value;
}
