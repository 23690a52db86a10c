import { fail } from "./errors.ts";
import type { SpanTable } from "./span-table.ts";
import { ts } from "./typescript.ts";

export interface Parsed {
  readonly file: ts.SourceFile;
  /** Resolves names within the file; nothing is type-checked. */
  readonly checker: ts.TypeChecker;
}

function programOf(text: string, fileName: string): { readonly file: ts.SourceFile; readonly program: ts.Program } {
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
  return { file, program: ts.createProgram([fileName], options, host) };
}

/** Parses one file and binds its names; a syntax error is reported as TypeScript words it. */
export function parse(text: string, fileName: string, spans: SpanTable): Parsed {
  const { file, program } = programOf(text, fileName);
  const [problem] = program.getSyntacticDiagnostics(file);
  if (problem) {
    const start = problem.start;
    const message = ts.flattenDiagnosticMessageText(problem.messageText, " ");
    fail("W1001", { message }, [spans.span(start, start + problem.length)]);
  }
  return { file, checker: program.getTypeChecker() };
}

/** Binds the names of a file that is only looked things up in: what is wrong in it is said when it is loaded itself. */
export function bind(text: string, fileName: string): Parsed {
  const { file, program } = programOf(text, fileName);
  return { file, checker: program.getTypeChecker() };
}
