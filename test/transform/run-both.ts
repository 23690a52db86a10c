import { ts } from "ts-morph";
import type { Hooks, ModuleInfo } from "../../src/dsl/hooks-interface.ts";
import { transformSource } from "../../src/transform/index.ts";
import { compileText } from "../support/compile-file.mjs";

export interface Outcome {
  readonly result: unknown;
  readonly logged: readonly unknown[];
}

const header = /import \{ open as (\S+) \} from "warpsmith\/hooks";/;

/** Gives the hooks for a module; `effects` are functions that act. */
export type OpenHooks = (version: number, info: ModuleInfo, effects: ReadonlySet<unknown>) => Hooks;

function outcome(code: string, open: OpenHooks | undefined): Outcome {
  const logged: unknown[] = [];
  const out = (...values: unknown[]): unknown => {
    logged.push(structuredClone(values));
    return values[0];
  };
  const openHooks = (version: number, info: ModuleInfo) => open?.(version, info, new Set([out]));
  const main: unknown = new Function(
    "openHooks",
    "out",
    `${code.replace(header, "const $1 = openHooks;").replace("export {};", "")}\nreturn main;`,
  )(openHooks, out);
  if (typeof main !== "function") throw new Error("the snippet has no function main");
  try {
    return { result: main(), logged };
  } catch (error) {
    return { result: `threw ${error instanceof Error ? error.constructor.name : String(error)}`, logged };
  }
}

interface Codes {
  readonly plainCode: string;
  readonly code: string;
}

const known = new Map<string, Codes>();
/** Each text is transformed once for all the hooks that it runs with. */
function codesOf(source: string): Codes {
  const found = known.get(source) ?? {
    plainCode: ts.transpileModule(source, { compilerOptions: { target: ts.ScriptTarget.ES2022 } }).outputText,
    code: compileText(source, { fileName: "main.ts", displayName: "main.ts" }, transformSource).code,
  };
  known.set(source, found);
  return found;
}

/** Runs `function main() { … }` as it is and transformed. */
export function runBoth(body: string, open: OpenHooks): { plain: Outcome; transformed: Outcome; code: string } {
  const { plainCode, code } = codesOf(`function main() {\n"use kernel";\n${body}\n}`);
  return { plain: outcome(plainCode, undefined), transformed: outcome(code, open), code };
}
