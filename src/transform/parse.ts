import { ts } from "ts-morph";
import { fail } from "../diag/index.ts";
import type { SpanTable } from "./span-table.ts";

export interface Parsed {
  readonly file: ts.SourceFile;
  /** Resolves names within the file; nothing is type-checked. */
  readonly checker: ts.TypeChecker;
}

/** Parses one file and binds its names; a syntax error is reported as TypeScript words it. */
export function parse(text: string, fileName: string, spans: SpanTable): Parsed {
  const file = ts.createSourceFile(fileName, text, { languageVersion: ts.ScriptTarget.ESNext }, true);
  const host: ts.CompilerHost = {
    getSourceFile: (name) => (name === fileName ? file : undefined),
    getDefaultLibFileName: () => "lib.d.ts",
    writeFile: () => undefined,
    getCurrentDirectory: () => "/",
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => "\n",
    fileExists: (name) => name === fileName,
    readFile: () => undefined,
  };
  const options = {
    noLib: true,
    noResolve: true,
    allowJs: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    types: [],
  };
  const program = ts.createProgram([fileName], options, host);
  const [problem] = program.getSyntacticDiagnostics(file);
  if (problem) {
    const start = problem.start;
    const message = ts.flattenDiagnosticMessageText(problem.messageText, " ");
    fail("W1001", { message }, [spans.span(start, start + problem.length)]);
  }
  return { file, checker: program.getTypeChecker() };
}
