/** TypeScript source text → JavaScript that calls the hooks. Loads TypeScript: import it only where nothing is cached. */
import { fail, registerSource, withinStack } from "../diag/index.ts";
import { emit, encoded } from "./emit.ts";
import { instrument } from "./instrument.ts";
import { innermost } from "./nesting.ts";
import { mayHoldKernels, type Transformed, type TransformOptions, withDefaults } from "./options.ts";
import { SpanTable } from "./span-table.ts";

export type { Transformed, TransformOptions } from "./options.ts";

/**
 * Rewrites the kernels and helpers of one file into calls of the hooks and compiles the whole of it. A file without any is only compiled.
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
  const { fileName, displayName, modules, hooksModule, emit: form } = options;
  const rewritten = mayHoldKernels(text, modules) ? instrument({ text, fileName, displayName, modules, hooksModule }) : undefined;
  const changed = rewritten !== undefined;
  const rest =
    rewritten && rewritten.reads.length > 0 ? { transformed: changed, reads: rewritten.reads } : { transformed: changed };
  if (form === "ts") return { code: rewritten?.code ?? text, map: rewritten ? encoded(rewritten.map) : undefined, ...rest };
  return { ...emit(rewritten?.code ?? text, fileName, displayName, rewritten?.map), ...rest };
}
