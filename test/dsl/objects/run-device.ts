/** A program through the package, on a device: one thread for each of the inputs. */
import type { Device, Kernel } from "warpsmith";
import * as warpsmith from "warpsmith";
import type { Toolchain } from "../../fuzz/execute.ts";
import { classNames, classText } from "./generate.ts";
import { inputs, type Run, untold } from "./judge.ts";
import { outputs, type Program, programText } from "./program.ts";

const kernelText = (
  program: Program,
): string => `import { kernel, i32, range, staticRange, threadIdx, type Tensor } from "warpsmith";
export const f = kernel({ block: ${inputs.length}, grid: 1 }, function f(told: Tensor<"i32", 2>, given: Tensor<"i32", 2>) {
  const n = given[threadIdx.x][0], m = given[threadIdx.x][1];
  const out = (k, x) => { told[k][threadIdx.x] = i32(x); };
${programText(program)}});`;

const typed = /: Tensor<"i32", 2>/g;

function load(text: string, name: string, { transform, hooks }: Toolchain, given: Readonly<Record<string, unknown>>): unknown {
  const body = transform(text, "objects.ts")
    .replace(typed, "")
    .replace(/^import \{ open as (\S+) \} from "[^"]*";/m, "const $1 = $hooks.open;")
    .replace(
      /^import \{([^}]*)\} from "warpsmith";/m,
      (_, names: string) => `const {${names.replace(/,\s*type \w+/g, "")}} = $warpsmith;`,
    )
    .replace(/^export const/m, "const");
  const make = new Function("$hooks", "$warpsmith", ...Object.keys(given), `"use strict";\n${body}\nreturn ${name};`);
  return make(hooks, warpsmith, ...Object.values(given));
}

/** `toJavaScript` takes away what JavaScript does not have: the decorators of a class. */
export function runOn(gpu: Device, tools: Toolchain, toJavaScript: (text: string, fileName: string) => string): Run {
  const classes = `"use kernel";\nimport { kernel } from "warpsmith";\n${classText}`;
  const made = load(classes, `{ ${classNames.join()} }`, { ...tools, transform: toJavaScript }, {}) as Record<string, unknown>;
  return async (program) => {
    const kernel = load(kernelText(program), "f", tools, made) as Kernel<readonly unknown[]>;
    using told = gpu.tensor("i32", [outputs, inputs.length], new Int32Array(outputs * inputs.length).fill(untold));
    using given = gpu.tensor("i32", [inputs.length, 2], Int32Array.from(inputs.flat()));
    kernel.launch({ device: gpu }, told, given);
    const all = await told.read();
    return inputs.map((_, i) => Array.from({ length: outputs }, (_, k) => Number(all[k * inputs.length + i])));
  };
}
