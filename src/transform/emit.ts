import remapping, { type SourceMapInput } from "@jridgewell/remapping";
import { ts } from "ts-morph";
import { fail } from "../diag/index.ts";
import type { DecodedMap } from "./pieces.ts";
import { SpanTable } from "./span-table.ts";

export interface Emitted {
  readonly code: string;
  /** Version 3, encoded, as JSON. */
  readonly map: string;
}

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  jsx: ts.JsxEmit.ReactJSX,
  isolatedModules: true,
  sourceMap: true,
  inlineSources: true,
  removeComments: false,
};

/** Names the rewritten text between the two maps; no file is called so. */
const rewritten = "warpsmith:rewritten";

/** Encodes the map of the rewrite alone. */
export const encoded = (map: DecodedMap): string => remapping(map as unknown as SourceMapInput, () => null).toString();

/** All of TypeScript to JavaScript: enums, namespaces, decorators, `await using`. `before` is the map of what was done to the text already. */
export function emit(text: string, fileName: string, displayName: string, before: DecodedMap | undefined): Emitted {
  const result = ts.transpileModule(text, { fileName, compilerOptions: options, reportDiagnostics: true });
  const problem = result.diagnostics?.find((d) => d.category === ts.DiagnosticCategory.Error);
  if (problem) {
    const start = problem.start ?? 0;
    const span = new SpanTable(text, displayName).span(start, start + (problem.length ?? 1));
    fail("W1001", { message: ts.flattenDiagnosticMessageText(problem.messageText, " ") }, before ? [] : [span]);
  }
  const code = result.outputText.replace(/\n?\/\/# sourceMappingURL=.*\s*$/, "\n");
  const own: SourceMapInput = { ...JSON.parse(result.sourceMapText ?? "{}"), sources: [before ? rewritten : fileName] };
  return {
    code,
    map: remapping(own, (source) => (before && source === rewritten ? (before as unknown as SourceMapInput) : null)).toString(),
  };
}
