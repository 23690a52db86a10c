/** A module that the transform gave, as the text of a function that a script can hold: what it declares is kept outside of it. */
import { SourceMap } from "node:module";
import { ts } from "../../../transform/typescript.ts";
import type { Read } from "./read-entry.ts";

/** A change of the text at a place. */
interface Edit {
  readonly at: number;
  readonly end: number;
  readonly text: string;
}

export interface Script {
  /** An expression: a function of `names`, `define`, `own` and `load`, which gives a list with the value of the last statement, if that is one. */
  readonly code: string;
  /** It gives a promise. */
  readonly isAsync: boolean;
  /** Where the author wrote what stands at a place of the code, all from 1. */
  readonly placeOf: (line: number, column: number) => { readonly line: number; readonly column: number } | undefined;
}

function awaits(node: ts.Node): boolean {
  if (ts.isFunctionLike(node) || ts.isClassLike(node)) return false;
  if (ts.isAwaitExpression(node) || (ts.isForOfStatement(node) && node.awaitModifier)) return true;
  return ts.forEachChild(node, awaits) ?? false;
}

/** `import a, { b as c } from "x"` as a pattern that takes the module apart. */
function pattern(clause: ts.ImportClause): string {
  const named = clause.namedBindings;
  const parts = named && ts.isNamedImports(named) ? named.elements : [];
  const list = parts.map(({ propertyName, name }) => `${propertyName ? `${propertyName.getText()}: ` : ""}${name.text}`);
  return `{ ${[...(clause.name ? [`default: ${clause.name.text}`] : []), ...list].join(", ")} }`;
}

function importing(statement: ts.ImportDeclaration, isOwn: (specifier: string) => boolean): string {
  const { importClause: clause, moduleSpecifier } = statement;
  const specifier = (moduleSpecifier as ts.StringLiteral).text;
  const module = isOwn(specifier) ? `own(${JSON.stringify(specifier)})` : `await load(${JSON.stringify(specifier)})`;
  if (!clause) return `${module};`;
  const named = clause.namedBindings;
  if (named && ts.isNamespaceImport(named)) return `const ${named.name.text} = ${module};`;
  return `const ${pattern(clause)} = ${module};`;
}

/** `var E;`, as it stands before what fills an enumeration. */
function emptyVariable(statement: ts.Statement): string | undefined {
  if (!ts.isVariableStatement(statement)) return undefined;
  const [first] = statement.declarationList.declarations;
  return first && !first.initializer && ts.isIdentifier(first.name) ? first.name.text : undefined;
}

/** What is done to a statement so that what it declares outlives the script. */
function kept(statement: ts.Statement, { names }: Read, previous: ts.Statement | undefined): readonly Edit[] {
  const start = statement.getStart();
  const define = (list: readonly string[]): Edit => ({
    at: statement.end,
    end: statement.end,
    text: list.map((name) => ` define(${JSON.stringify(name)}, ${name});`).join(""),
  });
  if (ts.isVariableStatement(statement)) {
    const { declarations } = statement.declarationList;
    const bound = declarations.flatMap(({ name }) => [...boundBy(name)]).filter((name) => names.has(name));
    const [first] = declarations;
    if (bound.length === 0 || !first) return [];
    const empty = emptyVariable(statement);
    if (empty !== undefined && names.get(empty) === "const") return [];
    if (bound.every((name) => names.get(name) === "const")) return [define(bound)];
    // Assigned, not declared: a name that may change is one outside, the same for all entries.
    return [
      { at: start, end: first.getStart(), text: "(" },
      { at: statement.declarationList.end, end: statement.end, text: ");" },
    ];
  }
  const filled = previous && emptyVariable(previous);
  if (filled !== undefined && names.get(filled) === "const") return [define([filled])];
  const declares = ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement);
  return declares && statement.name && names.has(statement.name.text) ? [define([statement.name.text])] : [];
}

function* boundBy(name: ts.BindingName): Generator<string> {
  if (ts.isIdentifier(name)) yield name.text;
  else for (const element of name.elements) if (ts.isBindingElement(element)) yield* boundBy(element.name);
}

/** `import(x)`: what is meant is found from the working directory on. */
function dynamicImports(file: ts.SourceFile): readonly Edit[] {
  const found: Edit[] = [];
  const look = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      found.push({ at: node.expression.getStart(), end: node.expression.end, text: "load" });
    ts.forEachChild(node, look);
  };
  look(file);
  return found;
}

/** The text with the changes, which stand in order, and where a place in it was before. */
function edited(text: string, edits: readonly Edit[]): { readonly text: string; readonly before: (place: number) => number } {
  let made = "";
  let from = 0;
  const moved: { readonly at: number; readonly by: number }[] = [];
  for (const edit of edits) {
    made += text.slice(from, edit.at) + edit.text;
    from = edit.end;
    moved.push({ at: made.length, by: from - made.length });
  }
  made += text.slice(from);
  return { text: made, before: (place) => place + (moved.findLast(({ at }) => at <= place)?.by ?? 0) };
}

/** Lines and columns of a text, from 1. */
function linesOf(text: string) {
  const starts = [0, ...[...text.matchAll(/\n/g)].map((m) => m.index + 1)];
  return {
    offset: (line: number, column: number): number => (starts[line - 1] ?? text.length) + column - 1,
    place: (offset: number): { line: number; column: number } => {
      const line = starts.findLastIndex((start) => start <= offset);
      return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
    },
  };
}

/** `known`: names of earlier entries that it uses. Its last statement is no one's: it stands for what the transform is to see. */
export function asScript(
  code: string,
  map: string | undefined,
  read: Read,
  known: readonly string[],
  isOwn: (specifier: string) => boolean,
): Script {
  const file = ts.createSourceFile("entry.js", code, ts.ScriptTarget.ESNext, true, ts.ScriptKind.JS);
  const statements = file.statements.filter(
    (s) => !ts.isImportDeclaration(s) && !ts.isExportDeclaration(s) && !ts.isEmptyStatement(s),
  );
  const [marker, result] = statements.toReversed();
  const imports = file.statements.filter(ts.isImportDeclaration);
  const edits = file.statements.flatMap((statement, i): readonly Edit[] => {
    if (statement === marker || ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement))
      return [{ at: statement.getStart(), end: statement.end, text: "" }];
    const isEnum = i > 0 && emptyVariable(file.statements[i - 1] as ts.Statement) !== undefined;
    if (statement !== result || !ts.isExpressionStatement(statement) || isEnum)
      return kept(statement, read, file.statements[i - 1]);
    const { expression, end } = statement;
    return [
      { at: statement.getStart(), end: expression.getStart(), text: "return [(" },
      { at: expression.end, end, text: ")];" },
    ];
  });
  const body = edited(
    code,
    [...edits, ...dynamicImports(file)].toSorted((a, b) => a.at - b.at),
  );
  const isAsync =
    file.statements.some(awaits) || imports.some(({ moduleSpecifier }) => !isOwn((moduleSpecifier as ts.StringLiteral).text));
  const head = [
    ...(known.length > 0 ? [`const { ${known.join(", ")} } = names;`] : []),
    ...imports.map((statement) => importing(statement, isOwn)),
    ...read.imported.map((name) => `define(${JSON.stringify(name)}, ${name});`),
  ];
  const opening = `(${isAsync ? "async " : ""}(names, define, own, load) => { "use strict"; ${head.join(" ")}\n`;
  const [written, transformed] = [linesOf(body.text), linesOf(code)];
  const source = map === undefined ? undefined : new SourceMap(JSON.parse(map));
  return {
    code: `${opening}${body.text}\nreturn [];\n})`,
    isAsync,
    placeOf: (line, column) => {
      // The opening is a line of its own.
      const before = transformed.place(body.before(written.offset(line - 1, column)));
      const entry = source?.findEntry(before.line - 1, before.column - 1);
      return entry && "originalLine" in entry ? { line: entry.originalLine + 1, column: entry.originalColumn + 1 } : undefined;
    },
  };
}
