/** Errors of ir: graphs. */
import { defineErrors, type Fail, type MakeError, raising } from "../base/diag/index.ts";

export const irErrors = defineErrors({
  W2022: {
    message: (a: { what: string; a: string; b: string }) =>
      `${a.what} is ${a.a} on one way to this place and ${a.b} on another, and the GPU cannot hold one value for both`,
    fix: (a: { a: string; b: string }) =>
      [a.a, a.b].some((x) => /^(the text|the function|an array|an object)/.test(x))
        ? "decide with a static value, or keep a number that says which one is meant: `let which = 0`"
        : "give it one type throughout, with a conversion such as f32(…) where it begins, or use two variables",
  },
  W2900: {
    message: (a: { found: string; expected: string }) =>
      `this is not an op graph in its text form: '${a.found}' stands where ${a.expected} should`,
    fix: (a: { expected: string }) => `write ${a.expected}, as in the text that .compile() gives`,
  },
  W2901: {
    message: (a: { value: string }) => `nothing in this op graph defines ${a.value}`,
    fix: (a: { value: string }) => `define ${a.value} by an operation or a parameter, or use another value`,
  },
  W3011: {
    message: (a: { start: string; end: string; extent: number; dimension: number; what: string }) =>
      `elements ${a.start} to ${a.end} are outside dimension ${a.dimension} of ${a.what}, which has ${a.extent} elements`,
    fix: () => "choose an offset and a shape that lie inside",
  },
  W3012: {
    message: (a: { dimension: number; panel: number; what: string }) =>
      `dimension ${a.dimension} of ${a.what} is stored in panels of ${a.panel} elements, and this part of it neither begins where one does nor stays within one`,
    fix: (a: { panel: number }) => `take parts that begin at a multiple of ${a.panel}, or that stay within one panel`,
  },
  W3032: {
    message: (a: { bytes: number }) => `\`cache: "cg"\` moves 16 bytes at a time, and this copy goes in pieces of ${a.bytes}`,
    fix: () => 'leave `cache` out or use "ca", or begin rows on both sides at multiples of 16 bytes',
  },
  W6201: {
    message: (a: { what: string; a: string; b: string }) =>
      `${a.what} takes tiles that lie alike, and these are ${a.a} and ${a.b}`,
    fix: () => "bring one to the other's layout: `tile.convertLayout(x, layout)`",
  },
});

export type ErrorCode = keyof typeof irErrors;
export const makeError: MakeError<typeof irErrors> = raising(irErrors).makeError;
export const fail: Fail<typeof irErrors> = raising(irErrors).fail;
