/** TypeScript source text → JavaScript that calls the hooks. Loads TypeScript: import it only where nothing is cached. */

import remapping, { type SourceMapInput } from "@jridgewell/remapping";
import { registerSource, withinStack } from "../base/diag/index.ts";
import { fail } from "./errors.ts";
import { instrument } from "./instrument.ts";
import { innermost } from "./nesting.ts";
import { mayHoldKernels, type Transformed, type TransformOptions, withDefaults } from "./options.ts";
import type { DecodedMap } from "./pieces.ts";
import { SpanTable } from "./span-table.ts";
import { ts } from "./typescript.ts";

export type { Transformed, TransformOptions } from "./options.ts";

/**
 * Rewrites the kernels, helpers and programs of one file into calls of the hooks and compiles the whole of it. A file without any is only compiled.
 *
 * @throws WarpsmithError W1001…W1999 for what a kernel or helper may not say.
 */
export function transformSource(text: string, options: TransformOptions): Transformed {
  const { displayName } = withDefaults(options);
  registerSource(displayName, text);
  return withinStack(
    () => transformed(text, withDefaults(options)),
    () => fail("W2054", {}, [innermost(text, new SpanTable(text, displayName))]),
  );
}

function transformed(text: string, options: ReturnType<typeof withDefaults>): Transformed {
  const { fileName, displayName, modules, hooksModule, programHooksModule, emit: form } = options;
  const source = { text, fileName, displayName, modules, hooksModule, programHooksModule };
  const rewritten = mayHoldKernels(text, modules) ? instrument(source) : undefined;
  const changed = rewritten !== undefined;
  const rest =
    rewritten && rewritten.reads.length > 0 ? { transformed: changed, reads: rewritten.reads } : { transformed: changed };
  if (form === "ts") return { code: rewritten?.code ?? text, map: rewritten ? encoded(rewritten.map) : undefined, ...rest };
  return { ...emit(rewritten?.code ?? text, fileName, displayName, rewritten?.map), ...rest };
}

interface Emitted {
  readonly code: string;
  /** Version 3, encoded, as JSON. */
  readonly map: string;
}

const compilerOptions: ts.CompilerOptions = {
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
const encoded = (map: DecodedMap): string => remapping(map, () => null).toString();

/** All of TypeScript to JavaScript: enums, namespaces, decorators, `await using`. `before` is the map of what was done to the text already. */
function emit(text: string, fileName: string, displayName: string, before: DecodedMap | undefined): Emitted {
  const result = ts.transpileModule(text, { fileName, compilerOptions, reportDiagnostics: true });
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
    map: remapping(own, (source) => (before && source === rewritten ? before : null)).toString(),
  };
}
