import type { FunctionNode } from "./marks.ts";
import { isLoop, startsFunction } from "./syntax.ts";
import { ts } from "./typescript.ts";

/** Which jumps end inside the part of a statement that is being looked at. */
interface Inside {
  readonly breaks: boolean;
  readonly continues: boolean;
  readonly labels: readonly string[];
}

const nothing: Inside = { breaks: false, continues: false, labels: [] };

function within(node: ts.Node, inside: Inside): Inside {
  if (isLoop(node)) return { ...inside, breaks: true, continues: true };
  if (ts.isSwitchStatement(node)) return { ...inside, breaks: true };
  return ts.isLabeledStatement(node) ? { ...inside, labels: [...inside.labels, node.label.text] } : inside;
}

function leaves(node: ts.Node, inside: Inside): boolean {
  if (startsFunction(node)) return false;
  if (ts.isReturnStatement(node)) return true;
  if (ts.isBreakStatement(node)) return node.label ? !inside.labels.includes(node.label.text) : !inside.breaks;
  if (ts.isContinueStatement(node)) return node.label ? !inside.labels.includes(node.label.text) : !inside.continues;
  const deeper = within(node, inside);
  return ts.forEachChild(node, (child) => leaves(child, deeper) || undefined) ?? false;
}

/** Whether a `break`, `continue` or `return` in the statement may end the list it stands in. */
export const mayLeave = (node: ts.Statement): boolean => leaves(node, nothing);

/** A statement that always leaves, and does nothing else. */
export const isJump = (node: ts.Statement): node is ts.ReturnStatement | ts.BreakStatement | ts.ContinueStatement =>
  ts.isReturnStatement(node) || ts.isBreakStatement(node) || ts.isContinueStatement(node);

/** Whether a function returns from its last statement alone, so that `return` may stay as it is. */
export function returnsAtEnd(node: FunctionNode): boolean {
  if (!node.body || !ts.isBlock(node.body)) return true;
  const { statements } = node.body;
  return statements.every((s, i) => !mayLeave(s) || (i === statements.length - 1 && ts.isReturnStatement(s)));
}
