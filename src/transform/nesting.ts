import type { Span } from "../base/diag/index.ts";
import { fail } from "./errors.ts";
import type { SpanTable } from "./span-table.ts";
import { ts } from "./typescript.ts";

/**
 * How deeply the text of a kernel may nest. What it becomes has to pass through V8's parser, which runs out of its stack of 984 KB, where
 * no error of ours can say so, from about 900 parentheses, 1500 terms or 900 conditional expressions on.
 */
const most = 1000;

interface NodeAtDepth {
  readonly node: ts.Node;
  readonly depth: number;
}

/** Conditional expressions become closures inside closures. */
const weight = (node: ts.Node): number => (ts.isConditionalExpression(node) ? 2 : 1);

/** The innermost node. Without recursion: it is for text that is too deep for that. */
function deepest(root: ts.Node): NodeAtDepth {
  const todo: NodeAtDepth[] = [{ node: root, depth: 0 }];
  let found: NodeAtDepth = { node: root, depth: 0 };
  for (let at = todo.pop(); at; at = todo.pop()) {
    if (at.depth > found.depth) found = at;
    const depth = at.depth + weight(at.node);
    ts.forEachChild(at.node, (node) => void todo.push({ node, depth }));
  }
  return found;
}

/** W2054 where a function that is rewritten nests too deeply. */
export function checkNesting(root: ts.Node, file: ts.SourceFile, spans: SpanTable): void {
  const { node, depth } = deepest(root);
  if (depth > most) fail("W2054", {}, [spans.span(node.getStart(file), node.end)]);
}

/** The place with the most brackets around it, for text that nests too deeply to be parsed. */
function mostBrackets(text: string): readonly [start: number, end: number] {
  const scanner = ts.createScanner(ts.ScriptTarget.ESNext, true, ts.LanguageVariant.Standard, text);
  let [depth, record, start] = [0, 0, 0];
  for (let token = scanner.scan(); token !== ts.SyntaxKind.EndOfFileToken; token = scanner.scan()) {
    if (/^[([{]$/.test(scanner.getTokenText())) depth++;
    else if (/^[)\]}]$/.test(scanner.getTokenText())) depth--;
    if (depth > record) [record, start] = [depth, scanner.getTokenStart()];
  }
  return [start, start + 1];
}

/** Where a text nests most. */
export function innermost(text: string, spans: SpanTable): Span {
  try {
    const file = ts.createSourceFile("kernel.ts", text, ts.ScriptTarget.ESNext, true);
    const { node } = deepest(file);
    return spans.span(node.getStart(file), node.end);
  } catch {
    return spans.span(...mostBrackets(text));
  }
}
