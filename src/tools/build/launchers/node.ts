/** The module for Node, and its types. */
import type { BuildManifest, BuiltParameter, KernelManifest } from "../../built/index.ts";

const head = "// Kernels of a warpsmith build, launched without its compiler. Written by `warpsmith build`: do not edit.\n";

/** The text of the module. */
export const nodeModule = ({ id, kernels }: BuildManifest): string => `${head}import { loadBuilt } from "warpsmith/runtime";

const built = loadBuilt(new URL("./", import.meta.url), { id: ${JSON.stringify(id)} });
${Object.keys(kernels)
  .map((name) => `export const ${name} = built.kernels.${name};`)
  .join("\n")}
`;

function typeOf(p: BuiltParameter): string {
  if (p.kind === "tensor") return `DeviceTensor<"${p.dtype}", ${p.shape.length}>`;
  if (p.type === "pred") return "boolean";
  return p.type === "i64" || p.type === "u64" ? "bigint | number" : "number";
}

const describe = (p: BuiltParameter): string =>
  p.kind === "tensor"
    ? `${p.name}: ${p.dtype}[${p.shape.map((n) => n ?? "?").join(", ")}], strides [${p.strides.map((n) => n ?? "?").join(", ")}], at a multiple of ${p.alignment} bytes`
    : `${p.name}: ${p.type === "pred" ? "bool" : p.type}`;

const declaration = ([name, { parameters }]: readonly [string, KernelManifest]): string => `/**
${parameters.map((p) => ` * ${describe(p)}`).join("\n")}
 */
export declare const ${name}: BuiltKernel<[${parameters.map((p) => `${p.name}: ${typeOf(p)}`).join(", ")}]>;
`;

/** The types of the module. */
export function nodeTypes({ kernels }: BuildManifest): string {
  const all = Object.entries(kernels);
  const hasTensors = all.some(([, kernel]) => kernel.parameters.some((p) => p.kind === "tensor"));
  const names = hasTensors ? "BuiltKernel, DeviceTensor" : "BuiltKernel";
  return `${head}import type { ${names} } from "warpsmith/runtime";

${all.map(declaration).join("\n")}`;
}
