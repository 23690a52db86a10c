/** What compiling kernels that are given as text says: each text is a body, and all of them are transformed as one module. */

import type { Kernel } from "warpsmith";
import * as warpsmith from "warpsmith";
import { transformSource } from "../../src/transform/index.ts";
import { compileText } from "../support/compile-file.mjs";
import { evaluateModule } from "../support/evaluate-module.ts";

export interface Bodies {
  /** What stands before the kernels: helpers and types. */
  readonly before?: string;
  /** Parameters of each kernel, as text. */
  readonly parameters: string;
  readonly bodies: readonly string[];
  readonly args: readonly unknown[];
}

const imported = Object.keys(warpsmith).filter((name) => /^\w+$/.test(name) && name !== "default");

/** For each body the code of the error with which it is refused, or "none". */
export async function codesOf({ before = "", parameters, bodies, args }: Bodies): Promise<readonly string[]> {
  const head = `import { ${imported.join(", ")}, type Tensor } from "warpsmith";\n${before}`;
  const text = bodies.map(
    (body, n) =>
      `export const k${n} = kernel({ block: 32, grid: 1 }, function k(${parameters}) { const i = threadIdx.x; ${body} });`,
  );
  const names = { fileName: "/bodies.ts", displayName: "bodies.ts" };
  const made = compileText([head, ...text].join("\n"), names, transformSource);
  const kernels = await evaluateModule(made, "bodies.ts", (name) => import(/* @vite-ignore */ name));
  return bodies.map((_, n) => {
    try {
      (kernels[`k${n}`] as Kernel<unknown[]>).compile(...args);
      return "none";
    } catch (error) {
      return error instanceof Error && "code" in error ? String(error.code) : String(error);
    }
  });
}
