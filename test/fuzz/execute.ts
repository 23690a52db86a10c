/** A program through the package: its text is transformed, the kernel compiled and run on a device. */

import type { Device, DeviceTensor, Kernel, LaunchConfig } from "warpsmith";
import * as warpsmith from "warpsmith";
import type { Scalar } from "./arithmetic.ts";
import type { Contents } from "./oracle.ts";
import { kernelText } from "./print.ts";
import type { Program } from "./program.ts";

/** The two halves of the package that the text of a module needs besides its public names. */
export interface Toolchain {
  /** The text of a module as TypeScript that calls the hooks: the transform with `emit: "ts"`. */
  transform(text: string, fileName: string): string;
  /** What `warpsmith/hooks` exports. */
  readonly hooks: { readonly open: unknown };
  /** Another way to launch than the kernel's own. */
  readonly launch?: (kernel: Kernel<readonly unknown[]>, config: LaunchConfig, args: readonly unknown[]) => Promise<unknown>;
}

const fileName = "fuzz.ts";

/**
 * The annotations that the printer writes. They are taken out here, because TypeScript's own printing of a module costs as much as all of
 * the transform.
 */
const annotations = /: (?:Tensor<"\w+", \d>|Static<number>|number|bigint|boolean|bool|bf16|[iuf]\d+)(?=[,);]| \{)/g;

/** The kernel that a text exports as `fuzz`: its imports are given, so that no file is written. */
export function loadKernel(text: string, { transform, hooks }: Toolchain): Kernel<readonly unknown[]> {
  const body = transform(text, fileName)
    .replace(annotations, "")
    .replace(/^import \{ open as (\S+) \} from "[^"]*";/m, "const $1 = $hooks.open;")
    .replace(
      /^import \{([^}]*)\} from "warpsmith";/m,
      (_, names: string) => `const {${names.replace(/,\s*type \w+/g, "")}} = $warpsmith;`,
    )
    .replace(/^export const/m, "const");
  const make = new Function("$hooks", "$warpsmith", `"use strict";\n${body}\nreturn fuzz;`);
  return make(hooks, warpsmith) as Kernel<readonly unknown[]>;
}

/** As the host passes it: bools are bytes. */
const toHost = (values: readonly Scalar[]): ArrayLike<never> =>
  values.map((x) => (typeof x === "boolean" ? Number(x) : x)) as unknown as ArrayLike<never>;

/** The contents of every tensor after the kernel has run. */
export async function actualContents(program: Program, before: Contents, gpu: Device, tools: Toolchain): Promise<Contents> {
  const kernel = loadKernel(kernelText(program), tools);
  const tensors: [string, DeviceTensor][] = [];
  try {
    for (const { name, type, shape, kind } of program.memories)
      if (kind !== "shared") tensors.push([name, gpu.tensor(type, shape, toHost(before[name] ?? []))]);
    const args = [...tensors.map(([, tensor]) => tensor), ...program.scalars.map((s) => s.value)];
    if (tools.launch) await tools.launch(kernel, { device: gpu }, args);
    else kernel.launch({ device: gpu }, ...args);
    const after: [string, readonly Scalar[]][] = [];
    for (const [name, tensor] of tensors) after.push([name, Array.from((await tensor.read()) as ArrayLike<Scalar>)]);
    return Object.fromEntries(after);
  } finally {
    for (const [, tensor] of tensors) tensor.dispose();
  }
}
