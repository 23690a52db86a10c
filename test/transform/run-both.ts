import { ts } from "ts-morph";
import { transformSource } from "../../src/transform/index.ts";
import { referenceHooks } from "./reference-hooks.ts";

export interface Outcome {
  readonly result: unknown;
  readonly logged: readonly unknown[];
}

const header = /import \{ open as (\S+) \} from "warpsmith\/hooks";/;

function outcome(code: string, speculate: boolean): Outcome {
  const logged: unknown[] = [];
  const out = (...values: unknown[]): unknown => {
    logged.push(structuredClone(values));
    return values[0];
  };
  const open = () => referenceHooks(speculate, new Set([out]));
  const main: unknown = new Function(
    "openHooks",
    "out",
    `${code.replace(header, "const $1 = openHooks;").replace("export {};", "")}\nreturn main;`,
  )(open, out);
  if (typeof main !== "function") throw new Error("the snippet has no function main");
  try {
    return { result: main(), logged };
  } catch (error) {
    return { result: `threw ${error instanceof Error ? error.constructor.name : String(error)}`, logged };
  }
}

/** Runs `function main() { … }` as it is and transformed. */
export function runBoth(body: string, speculate = false): { plain: Outcome; transformed: Outcome; code: string } {
  const source = `function main() {\n"use kernel";\n${body}\n}`;
  const plainCode = ts.transpileModule(source, { compilerOptions: { target: ts.ScriptTarget.ES2022 } }).outputText;
  const { code } = transformSource(source, { fileName: "main.ts" });
  return { plain: outcome(plainCode, false), transformed: outcome(code, speculate), code };
}
