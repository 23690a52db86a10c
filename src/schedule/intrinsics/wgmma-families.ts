/**
 * Families of products of a warpgroup: `wgmma_fill_<sum>_<m>x<n>`, `wgmma_sync_<input>_<sum>_<m>x<n>x<k>_<order>`,
 * `wgmma_load_<dtype>_<m>x<n>` and `wgmma_store_<dtype>_<m>x<n>` (of global memory). `order` says of A and of B whether they lie as they are multiplied ("n": A as [m, k], B as [k, n]) or
 * the other way ("t"). PTX ISA 9.7.15.
 */
import type { AccumulatorType } from "../../dsl/wgmma/index.ts";
import { elementBytes } from "../../tensor-map.ts";
import type { DType } from "../../types.ts";
import { wholeNumber } from "./family.ts";
import { intrinsicFamily } from "./registry.ts";
import { fillParts, loadParts, storeParts, syncParts } from "./wgmma-parts.ts";
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

intrinsicFamily({
  names: "wgmma_store_<dtype>_<m>x<n>",
  takes: `${list(results)}; ${shapes}`,
  make: (name, fields) => {
    const { dtype = "", m, n } = fields;
    if (!isOneOf(results, dtype)) return `it stores ${list(results)}, not ${dtype}`;
    const shape = extentsOf(fields, dtype);
    if (typeof shape === "string") return shape;
    return { ...storeParts(name, dtype, shape), beside: [`wgmma_load_${dtype}_${m}x${n}`] };
  },
});

intrinsicFamily({
  names: "wgmma_load_<dtype>_<m>x<n>",
  takes: `${list(results)}; ${shapes}`,
  make: (name, fields) => {
    const { dtype = "", m, n } = fields;
    if (!isOneOf(results, dtype)) return `it loads ${list(results)}, not ${dtype}`;
    const shape = extentsOf(fields, dtype);
    if (typeof shape === "string") return shape;
    return { ...loadParts(name, dtype, shape), beside: [`wgmma_store_${dtype}_${m}x${n}`] };
  },
});

intrinsicFamily({
  names: "wgmma_sync_<input>_<sum>_<m>x<n>x<k>_<order>",
  takes: `f16 with f32 or f16 sums, bf16 or tf32 with f32, i8 with i32; ${shapes}; k of 32, 64 or 128 bytes; nn, nt, tn or tt, of tf32 and i8 nt`,
  make: (name, fields) => {
    const { input = "", sum = "", m, n, k, order = "" } = fields;
    const type = Object.hasOwn(inputs, input) ? (input as DType) : undefined;
    if (!type) return `it multiplies ${list(Object.keys(inputs))}, not ${input}`;
    if (!isOneOf(sums, sum) || !inputs[input]?.includes(sum)) return `the tensor cores do not sum products of ${input} in ${sum}`;
    const shape = extentsOf(fields, sum);
    if (typeof shape === "string") return shape;
    const depth = wholeNumber(k);
    if (depth === undefined || ![32, 64, 128].includes(depth * elementBytes[type]))
      return `k is ${k}, and a row of shared memory that wgmma reads has 32, 64 or 128 bytes`;
    if (!/^[nt]{2}$/.test(order)) return `${order} is none of nn, nt, tn and tt`;
    if (elementBytes[type] !== 2 && order !== "nt") return `wgmma takes ${input} along k alone, which is nt`;
    const lines = [order[0] === "n" ? "row" : "col", order[1] === "n" ? "row" : "col"] as const;
    const product = { input: type, sum, m: shape[0], n: shape[1], k: depth, lines };
    const beside = [`wgmma_load_${sum}_${m}x${n}`, `wgmma_store_${sum}_${m}x${n}`];
    return { ...syncParts(name, product), beside };
  },
});
