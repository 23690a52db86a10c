import * as warpsmith from "warpsmith";
import * as schedule from "warpsmith/schedule";
import { open } from "../../src/schedule/hooks.ts";
import type { Program } from "../../src/schedule/ir/types.ts";
import { transformSource } from "../../src/transform/index.ts";

const names = { ...warpsmith, ...schedule } as Readonly<Record<string, unknown>>;

/** The values that a module of programs exports: its text transformed and run, with the package's names for its imports. */
export function modulesPrograms(text: string): Readonly<Record<string, Program>> {
  const { code } = transformSource(text, { fileName: "program.ts" });
  const exported = [...text.matchAll(/^export const (\w+)/gm)].map((m) => m[1]);
  const body = code
    .replace(/^import \{ open as (\S+) \} from "[^"]*";$/gm, "const $1 = $$open;")
    .replace(/^import [^;]*;$/gm, "")
    .replace(/^export /gm, "")
    .replace(/^\/\/# sourceMappingURL.*$/gm, "");
  const keys = Object.keys(names).filter((name) => !exported.includes(name) && new RegExp(`\\b${name}\\b`).test(body));
  const run = new Function("$open", ...keys, `"use strict";\n${body}\nreturn { ${exported.join(", ")} };`);
  return run(open, ...keys.map((key) => names[key])) as Readonly<Record<string, Program>>;
}

/** The one program of a module. */
export function programOf(text: string): Program {
  const [only] = Object.values(modulesPrograms(text));
  if (!only) throw new Error("the module exports no program");
  return only;
}
