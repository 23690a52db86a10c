import * as warpsmith from "warpsmith";
import * as schedule from "warpsmith/schedule";
import { open } from "warpsmith/schedule/hooks";
import type { Program } from "../../src/schedule/ir/types.ts";
import { transformSource } from "../../src/transform/index.ts";
import { compileText } from "../support/compile-file.mjs";

const { bf16, bool, f16, f32, f64, i32, u32 } = warpsmith;
const conversions = { bf16, bool, f16, f32, f64, i32, u32 };
const names = { ...warpsmith, ...schedule } as Readonly<Record<string, unknown>>;

/** What a module of programs exports: its text transformed and run, with the package's names for its imports. */
export function exportsOf(text: string): Readonly<Record<string, unknown>> {
  const { code } = compileText(text, { fileName: "program.ts", displayName: "program.ts" }, transformSource);
  const exported = [...text.matchAll(/^export const (\w+)/gm)].map((m) => m[1]);
  const body = code
    .replace(/^import \{ open as (\S+) \} from "[^"]*";/gm, "const $1 = $$open;")
    .replace(/^import [^;]*;$/gm, "")
    .replace(/^export /gm, "")
    .replace(/^\/\/# sourceMappingURL.*$/gm, "");
  const keys = Object.keys(names).filter((name) => !exported.includes(name) && new RegExp(`\\b${name}\\b`).test(body));
  const run = new Function("$open", ...keys, `"use strict";\n${body}\nreturn { ${exported.join(", ")} };`);
  return run(open, ...keys.map((key) => names[key])) as Readonly<Record<string, unknown>>;
}

/** The one program of a module. */
export function programOf(text: string): Program {
  const [only] = Object.values(exportsOf(text));
  if (!only) throw new Error("the module exports no program");
  return only as Program;
}

/** The same for many modules of one program each, transformed as one file, so that TypeScript is asked once: each when it is called for. */
export function programsOf(texts: readonly string[]): readonly (() => Program)[] {
  const imports = `import { ${Object.keys(conversions).join(", ")} } from "warpsmith";\nimport { ${Object.keys(schedule).join(", ")}, type Buffer } from "warpsmith/schedule";\n`;
  const bodies = texts.map((text, i) =>
    text.replace(/^import .*;$/gm, "").replace(/^export const \w+ = /m, `export const made${i} = () => `),
  );
  return Object.values(exportsOf(imports + bodies.join("\n"))) as readonly (() => Program)[];
}
