/**
 * Families of products of a warpgroup: `wgmma_fill_<sum>_<m>x<n>`, `wgmma_sync_<input>_<sum>_<m>x<n>x<k>_<order>`,
 * `wgmma_load_<dtype>_<m>x<n>` and `wgmma_store_<dtype>_<m>x<n>` (of global memory). `order` says of A and of B whether they lie as they are multiplied ("n": A as [m, k], B as [k, n]) or
 * the other way ("t"); A may be in registers ("r"), where `wgmma_load_a_<dtype>_<m>x<k>_<lines>` brings it from shared memory. PTX ISA 9.7.15.
 */

import { elementBytes } from "../../base/element-types.ts";
import type { DType } from "../../base/types.ts";
import type { AccumulatorType } from "../../dsl/emit.ts";
import { wholeNumber } from "./family.ts";
import { intrinsicFamily } from "./registry.ts";
import { fillParts, loadLeftParts, loadParts, storeParts, syncParts } from "./wgmma-parts.ts";
import { extentsOf, isOneOf, list, shapes } from "./wgmma-shapes.ts";

const sums = ["f32", "f16", "i32"] as const;
const results = ["f32", "f16", "bf16", "i32"] as const;
/** The types that are multiplied, with those that they sum in. */
const inputs: Readonly<Record<string, readonly AccumulatorType[]>> = {
  f16: ["f32", "f16"],
  bf16: ["f32"],
  tf32: ["f32"],
  i8: ["i32"],
};

intrinsicFamily({
  names: "wgmma_fill_<sum>_<m>x<n>",
  takes: `${list(sums)}; ${shapes}`,
  make: (name, fields) => {
    const { sum = "", m, n } = fields;
    if (!isOneOf(sums, sum)) return `it sums in ${list(sums)}, not in ${sum}`;
    const shape = extentsOf(fields, sum);
    if (typeof shape === "string") return shape;
    return { ...fillParts(name, sum, shape), beside: [`wgmma_store_${sum}_${m}x${n}`] };
  },
});

/** Between registers and global memory; `back` goes the other way. */
const moves = (verb: "load" | "store", parts: typeof loadParts, back: "load" | "store"): void =>
  intrinsicFamily({
    names: `wgmma_${verb}_<dtype>_<m>x<n>`,
    takes: `${list(results)}; ${shapes}`,
    make: (name, fields) => {
      const { dtype = "", m, n } = fields;
      if (!isOneOf(results, dtype)) return `it ${verb}s ${list(results)}, not ${dtype}`;
      const shape = extentsOf(fields, dtype);
      if (typeof shape === "string") return shape;
      return { ...parts(name, dtype, shape), beside: [`wgmma_${back}_${dtype}_${m}x${n}`] };
    },
  });
moves("store", storeParts, "load");

/** Types that a product takes A from registers in, spread as sums are. */
const leftTypes = ["f16", "bf16"] as const;
const leftShapes = "m a multiple of 64, k of 32, 64 or 128 bytes";

intrinsicFamily({
  names: "wgmma_load_a_<dtype>_<m>x<k>_<lines>",
  takes: `${list(leftTypes)}; ${leftShapes}; n, or t for shared memory as [k, m]`,
  make: (name, { dtype = "", m, k, lines }) => {
    if (!isOneOf(leftTypes, dtype)) return `it loads ${list(leftTypes)}, not ${dtype}`;
    const [rows, depth] = [wholeNumber(m), wholeNumber(k)];
    if (rows === undefined || rows % 64 !== 0) return `${m} rows are no multiple of 64`;
    if (depth === undefined || !depths.includes(depth * elementBytes[dtype])) return noDepth(k);
    if (lines !== "n" && lines !== "t") return `${lines} is neither n nor t`;
    const parts = loadLeftParts(name, dtype, [rows, depth], lines === "n" ? "row" : "col");
    const [fill, sync, store] = ["wgmma_fill_f32", `wgmma_sync_${dtype}_f32`, "wgmma_store_f32"];
    return { ...parts, beside: [`${fill}_${m}x64`, `${sync}_${m}x64x${k}_rn`, `${store}_${m}x64`] };
  },
});

moves("load", loadParts, "store");

/** Bytes along K that a product takes. */
const depths: readonly number[] = [32, 64, 128];
const noDepth = (k: string | undefined): string =>
  `k is ${k}, and a row of shared memory that wgmma reads has 32, 64 or 128 bytes`;

intrinsicFamily({
  names: "wgmma_sync_<input>_<sum>_<m>x<n>x<k>_<order>",
  takes: `f16 with f32 or f16 sums, bf16 or tf32 with f32, i8 with i32; ${shapes}; k of 32, 64 or 128 bytes; nn, nt, tn, tt, rn or rt, of tf32 and i8 nt`,
  make: (name, fields) => {
    const { input = "", sum = "", m, n, k, order = "" } = fields;
    const type = Object.hasOwn(inputs, input) ? (input as DType) : undefined;
    if (!type) return `it multiplies ${list(Object.keys(inputs))}, not ${input}`;
    if (!isOneOf(sums, sum) || !inputs[input]?.includes(sum)) return `the tensor cores do not sum products of ${input} in ${sum}`;
    const shape = extentsOf(fields, sum);
    if (typeof shape === "string") return shape;
    const depth = wholeNumber(k);
    if (depth === undefined || !depths.includes(depth * elementBytes[type])) return noDepth(k);
    if (!/^[nrt][nt]$/.test(order)) return `${order} is none of nn, nt, tn, tt, rn and rt`;
    if (elementBytes[type] !== 2 && order !== "nt") return `wgmma takes ${input} along k alone, which is nt`;
    const left = order[0] === "r" ? "registers" : "shared";
    const lines = [order[0] === "t" ? "col" : "row", order[1] === "n" ? "row" : "col"] as const;
    const product = { input: type, sum, m: shape[0], n: shape[1], k: depth, lines, left } as const;
    const loads = [`wgmma_load_${sum}_${m}x${n}`, ...(left === "registers" ? [`wgmma_load_a_${input}_${m}x${k}_n`] : [])];
    return { ...syncParts(name, product), beside: [...loads, `wgmma_store_${sum}_${m}x${n}`] };
  },
});
