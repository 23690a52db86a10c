/** What somebody typed, as TypeScript: whether it is all there, and the names that it declares and uses. */
import { ts } from "../../../transform/typescript.ts";

const errorsOf = (text: string): readonly ts.Diagnostic[] => {
  const { diagnostics = [] } = ts.transpileModule(text, {
    fileName: "entry.ts",
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  });
  return diagnostics.filter(({ category }) => category === ts.DiagnosticCategory.Error);
};

/** Of TypeScript: a template, or a comment, that does not end. */
const endless: ReadonlySet<number> = new Set([1160, 1010]);

export const isWellFormed = (text: string): boolean => errorsOf(text).length === 0;

/** A string that does not end on its line: no line below ends it. */
const openString = 1002;

/** Does more have to follow? What is wrong with it stands at its end, where something is missing. */
export function isUnfinished(text: string): boolean {
  const end = text.trimEnd().length;
  const [first] = errorsOf(text);
  if (!first || first.code === openString) return false;
  return endless.has(first.code) || (first.start ?? 0) >= end;
}

/** An object alone is no block: `{ a: 1 }` gives it. */
export function withParentheses(text: string): string {
  if (!/^\s*\{/.test(text) || /;\s*$/.test(text)) return text;
  const expression = `(${text.trim()})\n`;
  return isWellFormed(expression) ? expression : text;
}

/** Of a name that an entry declares: whether it may be assigned again. */
export type Kind = "let" | "const";

export interface Read {
  /** The text as a module: resources of `using` stay, and nothing is exported. Every character that is left is where it was. */
  readonly text: string;
  /** What it declares, in order; imports are among it. */
  readonly names: ReadonlyMap<string, Kind>;
  /** Those among the names that it imports, from anywhere but this package. */
  readonly imported: readonly string[];
  /** Declarations of types, as they stand, by name. */
  readonly types: ReadonlyMap<string, string>;
  /** Names that occur, whatever they mean there. */
  readonly mentioned: ReadonlySet<string>;
  /** Those that occur as types. */
  readonly mentionedTypes: ReadonlySet<string>;
  /** The last call `name.launch(config, …arguments)` of each name: its arguments as text. */
  readonly launches: ReadonlyMap<string, string>;
}

function* boundBy(name: ts.BindingName): Generator<string> {
  if (ts.isIdentifier(name)) yield name.text;
  else for (const element of name.elements) if (ts.isBindingElement(element)) yield* boundBy(element.name);
}

function* importedBy({ importClause: clause }: ts.ImportDeclaration): Generator<string> {
  if (!clause || clause.isTypeOnly) return;
  if (clause.name) yield clause.name.text;
  const { namedBindings: named } = clause;
  if (named && ts.isNamespaceImport(named)) yield named.name.text;
  else if (named) for (const one of named.elements) if (!one.isTypeOnly) yield one.name.text;
}

const usings = ts.NodeFlags.Using | ts.NodeFlags.AwaitUsing;

const isOwnModule = (specifier: string): boolean => specifier === "warpsmith" || specifier.startsWith("warpsmith/");

/** Blanks out characters: what follows stays where it is. */
const blanked = (text: string, start: number, end: number, by = ""): string =>
  text.slice(0, start) + by.padEnd(end - start) + text.slice(end);

export function readEntry(given: string): Read {
  const file = ts.createSourceFile("entry.ts", given, ts.ScriptTarget.ESNext, true, ts.ScriptKind.TS);
  let text = given;
  const names = new Map<string, Kind>();
  const imported: string[] = [];
  const types = new Map<string, string>();
  const mentioned = new Set<string>();
  const mentionedTypes = new Set<string>();
  const launches = new Map<string, string>();
  const look = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) mentioned.add(node.text);
    if (ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName)) mentionedTypes.add(node.typeName.text);
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { expression, name } = node.expression;
      const args = node.arguments.slice(1).map((arg) => arg.getText());
      if (name.text === "launch" && ts.isIdentifier(expression)) launches.set(expression.text, args.join(", "));
    }
    ts.forEachChild(node, look);
  };
  look(file);
  for (const statement of file.statements) {
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
    for (const { kind, end } of modifiers)
      if (kind === ts.SyntaxKind.ExportKeyword || kind === ts.SyntaxKind.DefaultKeyword) {
        const word = kind === ts.SyntaxKind.ExportKeyword ? "export" : "default";
        text = blanked(text, end - word.length, end);
      }
    if (ts.isImportDeclaration(statement)) {
      for (const name of importedBy(statement)) {
        names.set(name, "const");
        const own = ts.isStringLiteral(statement.moduleSpecifier) && isOwnModule(statement.moduleSpecifier.text);
        if (!own) imported.push(name);
      }
    } else if (ts.isVariableStatement(statement)) {
      const list = statement.declarationList;
      const [first] = list.declarations;
      if (list.flags & usings && first) text = blanked(text, list.getStart(), first.getStart(), "const ");
      const kind: Kind = list.flags & (ts.NodeFlags.Const | usings) ? "const" : "let";
      for (const { name } of list.declarations) for (const bound of boundBy(name)) names.set(bound, kind);
    } else if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement))
      types.set(statement.name.text, statement.getText().replace(/^export /, ""));
    else if (
      (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement) || ts.isEnumDeclaration(statement)) &&
      statement.name
    )
      names.set(statement.name.text, "const");
  }
  return { text, names, imported, types, mentioned, mentionedTypes, launches };
}
