/** What transformed code calls: `warpsmith/hooks`. */

import { hooksVersion } from "../base/hook-names.ts";
import { fail } from "./errors/index.ts";
import { callHooks } from "./hooks/call-hooks.ts";
import { hookContext } from "./hooks/context.ts";
import { expressionHooks } from "./hooks/expression-hooks.ts";
import { fieldHooks } from "./hooks/field-hooks.ts";
import { functionHooks } from "./hooks/function-hooks.ts";
import { statementHooks } from "./hooks/statement-hooks.ts";
import type { Hooks, ModuleInfo } from "./hooks-interface.ts";

/** Opens the hooks for one transformed module: what its rewritten syntax calls. */
export function open(version: number, info: ModuleInfo): Hooks {
  if (version !== hooksVersion) fail("W2021", { found: version, wanted: hooksVersion });
  const context = hookContext(info);
  return {
    ...functionHooks(context),
    ...statementHooks(context),
    ...expressionHooks(context),
    ...fieldHooks(context),
    ...callHooks(context),
  };
}
