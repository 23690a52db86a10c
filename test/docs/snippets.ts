/** TypeScript in the documents: blocks of pages, and lines of their tables. */
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Project, ts } from "ts-morph";
import { isBuilt } from "../support/is-built.ts";

const root = join(import.meta.dirname, "../..");

/** A module made of what a page says. */
export interface Snippet {
  /** The page and the line that it begins on: `docs/cuda.md:12`. */
  readonly name: string;
  readonly page: string;
  readonly line: number;
  /** What the reader sees. */
  readonly shown: string;
  readonly text: string;
  /** Whether it is also run, on the emulator. */
  readonly runs: boolean;
  /** The code of the error that it is an example of. */
  readonly refused: string | undefined;
  /** What it says that it prints: the comments behind its `console.log(…);`. */
  readonly prints: readonly string[];
}

/**
 * What stands, unseen, in a comment above a block or table: `<!-- run -->` runs it; `<!-- refused W2005 -->` runs it until that error;
 * `<!-- given … -->`, `<!-- run, given … -->` and `<!-- refused W2005, given … -->` put TypeScript before it, or around it where that
 * says HERE; `<!-- part of … -->` says that a block is no module. `<!-- run, goes on -->` is what stands on the page so far with this block behind it;
 * `aside` in its place the same, but later blocks go on without it.
 */
const comment =
  /<!-- (?:(?<run>run)|refused (?<refused>W\d{4}))?(?:, )?(?<follows>goes on|aside)?(?:, )?(?:(?<part>part of) [^>]*?|given\n(?<given>(?:(?!-->)[\s\S])*?))?\s*-->\s*$/;
const fence = /^(?<indent> *)```ts\n(?<code>[\s\S]*?)^ *```$/gm;

const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length;

const printed = /console\.log\(.*\);\s*\/\/ (?<text>.*)$/gm;

/** What a block or line of a table is, below `above`. */
function snippet(page: string, line: number, above: string, shown: string): Snippet {
  const { run, refused, given = "" } = comment.exec(above)?.groups ?? {};
  const text = /\bHERE\b/.test(given) ? given.replace(/\bHERE\b/, () => shown) : `${given}\n${shown}`;
  const prints = [...shown.matchAll(printed)].map(({ groups }) => groups?.text ?? "");
  return { name: `${page}:${line}`, page, line, shown, text, runs: run !== undefined, refused, prints };
}

function blocksOf(page: string, text: string): readonly Snippet[] {
  let before: Snippet | undefined;
  return [...text.matchAll(fence)].flatMap((match) => {
    const { indent = "", code = "" } = match.groups ?? {};
    const above = text.slice(0, match.index);
    const { part, follows } = comment.exec(above)?.groups ?? {};
    if (part) return [];
    const shown = code
      .split("\n")
      .map((line) => line.slice(indent.length))
      .join("\n");
    const own = snippet(page, lineAt(text, match.index), above, shown);
    const whole = follows === undefined || before === undefined ? own : behind(before, own);
    if (follows !== "aside") before = whole;
    return [whole];
  });
}

/** A block that goes on where the ones before it end. */
const behind = (before: Snippet, own: Snippet): Snippet => ({
  ...own,
  text: `${before.text}\n${own.text}`,
  prints: [...before.prints, ...own.prints],
});

const table = /(?<above><!--(?:(?!-->)[\s\S])*-->)\n\n?(?<rows>(?:\|.*\n)+)/g;

/** The code of a cell: "`a \| b`" is a | b. */
const codeOf = (cell: string): string | undefined => /^`([^`]+)`$/.exec(cell)?.[1]?.replaceAll("\\|", "|");

/** Of tables below a comment, the second column of each line, as far as it is code. */
function rowsOf(page: string, text: string): readonly Snippet[] {
  return [...text.matchAll(table)].flatMap((match) => {
    const { above = "", rows = "" } = match.groups ?? {};
    const first = lineAt(text, match.index + match[0].indexOf(rows));
    return rows.split("\n").flatMap((row, i) => {
      const shown = codeOf(row.split(/(?<!\\)\|/)[2]?.trim() ?? "");
      if (shown === undefined) return [];
      return [snippet(page, first + i, above, shown)];
    });
  });
}

/** All of a page. */
export function snippetsOf(page: string): readonly Snippet[] {
  const text = readFileSync(join(root, page), "utf8");
  return [...blocksOf(page, text), ...rowsOf(page, text)];
}

/** What snippets import. First that of schedules, as `grid` and `block` alone are those of kernels. */
const entries = {
  "warpsmith/schedule": "entries/schedule",
  warpsmith: "index",
  "warpsmith/kernels": "entries/kernels",
  "warpsmith/testing": "entries/testing",
  "warpsmith/ptx": "entries/ptx",
  "warpsmith/arrays": "entries/arrays",
  "warpsmith/build": "entries/build",
  "warpsmith/runtime": "entries/runtime",
  "warpsmith/plugin": "entries/plugin",
} as const;

/** The names of everyday things, such as `add`, are those of kernels to whoever imports them. */
const isMeant = (module: string, name: string): boolean =>
  module !== "warpsmith/kernels" || /^matmul/i.test(name) || name === "Plan";
const without: readonly string[] = ["warpsmith/build", "warpsmith/runtime", "warpsmith/plugin"];

/** What an entry exports, of `src` or of the bundled types: it says so in lists, `export { a, b as c };`, by `export * from "./other.ts";`, and where it declares something. */
function exportsOf(file: string): readonly string[] {
  const text = readFileSync(file, "utf8");
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = ""]) =>
    list.split(",").flatMap((item) => /(?:\bas\s+)?([\w$]+)\s*$/.exec(item)?.[1] ?? []),
  );
  const others = [...text.matchAll(/^export \* from "([^"]+)";/gm)].flatMap(([, other = ""]) =>
    exportsOf(join(dirname(file), other)),
  );
  const declared = [...text.matchAll(/^export (?:type|interface|const|function|class) (\w+)/gm)].map(([, name = ""]) => name);
  return [...listed, ...declared, ...others];
}

/** Where the types of an entry are: those of the package; `src`, which takes ten seconds more, where `dist` is not what `src` is. */
const built = await isBuilt();
const fileOf = (entry: string): string => join(root, built ? `dist/${entry}.d.ts` : `src/${entry}.ts`);

/** The names that each entry point exports: what a snippet uses without an import is imported for it. */
function namesOf(): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(entries)
      .filter(([module]) => !without.includes(module))
      .flatMap(([module, entry]) =>
        exportsOf(fileOf(entry))
          .filter((name) => isMeant(module, name))
          .map((name) => [name, module] as const),
      ),
  );
}

/** The snippet with its imports. They stand on its first line, so that lines stay what they are. */
function asModule(snippet: Snippet, names: ReadonlyMap<string, string>): string {
  const file = ts.createSourceFile("snippet.ts", snippet.text, ts.ScriptTarget.Latest);
  const declared = new Set<string>();
  const used = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) used.add(node.text);
    if (ts.isImportSpecifier(node)) declared.add(node.name.text);
    ts.forEachChild(node, visit);
  };
  visit(file);
  for (const statement of file.statements) {
    if (ts.isVariableStatement(statement))
      for (const { name } of statement.declarationList.declarations) if (ts.isIdentifier(name)) declared.add(name.text);
    if ((ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) && statement.name)
      declared.add(statement.name.text);
  }
  const missing = [...used].filter((name) => names.has(name) && !declared.has(name));
  const imports = [...new Set(missing.map((name) => names.get(name)))].map(
    (module) => `import { ${missing.filter((name) => names.get(name) === module).join(", ")} } from "${module}";`,
  );
  return `${imports.join(" ")} export {}; ${snippet.text}\n`;
}

/** Each snippet as a module. */
export function modulesOf(snippets: readonly Snippet[]): ReadonlyMap<Snippet, string> {
  const names = namesOf();
  return new Map(snippets.map((snippet) => [snippet, asModule(snippet, names)]));
}

/** What TypeScript says against them, as an author's files: the settings of the examples. */
export function problemsOf(modules: ReadonlyMap<Snippet, string>): readonly string[] {
  const project = new Project({ tsConfigFilePath: join(root, "tsconfig.examples.json"), skipAddingFilesFromTsConfig: true });
  project.compilerOptions.set({
    noUnusedLocals: false,
    verbatimModuleSyntax: false,
    paths: Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, [fileOf(entry)]])),
  });
  const files = [...modules].map(([snippet, text], i) => {
    const path = join(root, "examples", `${basename(snippet.page, ".md")}-${snippet.line}-${i}.snippet.ts`);
    return [snippet, project.createSourceFile(path, text)] as const;
  });
  project.resolveSourceFileDependencies();
  return files.flatMap(([snippet, file]) =>
    file
      .getPreEmitDiagnostics()
      .map((d) => `${snippet.name}: ${ts.flattenDiagnosticMessageText(d.compilerObject.messageText, "\n")}\n${snippet.shown}`),
  );
}
