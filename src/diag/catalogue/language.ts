import { defineErrors } from "../define-errors.ts";

/** W2xxx: what staged code can say. */
export const languageErrors = defineErrors({
  W2001: {
    message: (a: { what: string }) => `${a.what} has a meaning only inside a kernel`,
    fix: () => `call it from a function given to kernel(), or from a helper that begins with "use kernel"`,
  },
  W2002: {
    message: (a: { name: string }) => `\`${a.name}\` returns a value, and a kernel returns nothing`,
    fix: () => "write the result to a tensor, and return nothing",
  },
  W2021: {
    message: (a: { found: number; wanted: number }) => `this file was compiled for version ${a.found} of the hooks, and this is version ${a.wanted}`,
    fix: () => "compile it again: delete the build's output and its cache, and use one version of warpsmith",
  },
  W2003: {
    message: (a: { op: string; a: string; b: string }) => `\`${a.op}\` has ${a.a} on one side and ${a.b} on the other, and they do not mix by themselves`,
    fix: (a: { fix: string }) => a.fix,
  },
  W2004: {
    message: (a: { literal: string; type: string }) => `\`${a.literal}\` is no value of type ${a.type}, which it meets here`,
    fix: (a: { fix: string }) => a.fix,
  },
  W2005: {
    message: () => "`/` divides two integers here, and does not say how to round",
    fix: () => "write `Math.trunc(a / b)`, `Math.floor(a / b)` or `(a / b) | 0` for an integer, or convert one side: `f32(a) / b`",
  },
  W2006: {
    message: (a: { op: string; what: string }) => `\`${a.op}\` computes with numbers, and ${a.what} stands on one side of it: a bool is not a number`,
    fix: () => "write `b ? 1 : 0` or `i32(b)` for the number, `n !== 0` for the truth value",
  },
  W2007: {
    message: (a: { op: string }) => `\`${a.op}\` converts its operands before it compares them, which a value of the GPU cannot do`,
    fix: (a: { op: string }) => `write \`${a.op}=\``,
  },
  W2008: {
    message: (a: { noun: string }) => `JavaScript cannot read ${a.noun} while the kernel is traced: its value is known only on the GPU`,
    fix: () => "print it with console.log(…), compute with it by operators inside a kernel or a helper, or mark the function that reads it with \"use kernel\"",
  },
  W2009: {
    message: (a: { op: string; what: string }) => `\`${a.op}\` computes with numbers, not with ${a.what}`,
    fix: () => "load the element first, `x.at(i).load()` or `x[i]`, or take the field that holds the number",
  },
  W2010: {
    message: (a: { what: string; wanted: string; got: string }) => `${a.what} is ${a.wanted}, and ${a.got} is given`,
    fix: (a: { fix: string }) => a.fix,
  },
  W2011: {
    message: (a: { op: string; what: string }) => `\`${a.op}\` works on integers, not on ${a.what}`,
    fix: () => "convert it first: `i32(x)` or `u32(x)`; for a whole exponent multiply, for a power of floats convert with f32(x)",
  },
  W2012: {
    message: (a: { type: string }) => `the negative of a ${a.type} is no ${a.type}`,
    fix: (a: { type: string }) => (a.type === "u32" ? "convert it first, `-i32(n)`, or write `(0 - i32(n)) >>> 0` to wrap" : "convert it first, `-i64(n)`"),
  },
  W2013: {
    message: (a: { op: string }) => `a 64-bit integer, which is a bigint, has no ${/^[a-z]/.test(a.op) ? a.op : `\`${a.op}\``}`,
    fix: (a: { instead: string }) => a.instead,
  },
  W2014: {
    message: (a: { op: string; what: string }) => `the GPU has no \`${a.op}\` for ${a.what}: fp8 is a format of storage`,
    fix: () => "convert it first: `f16(x)` or `f32(x)`",
  },
  W2015: {
    message: (a: { what: string }) => `${a.what} would decide while the kernel is traced what is known only on the GPU`,
    fix: () => "compare with `===`, or keep the values in a tensor or in shared memory and index that",
  },
  W2016: {
    message: (a: { from: string; fromBits: number; to: string; toBits: number }) => `bitcast keeps the bits, and ${a.from} has ${a.fromBits} of them where ${a.to} has ${a.toBits}`,
    fix: (a: { to: string }) => `give a value of the same width, or convert the number with \`${a.to}(x)\``,
  },
  W2017: {
    message: (a: { what: string; got: string }) => `${a.what} is a whole number, and ${a.got} is given`,
    fix: () => "convert it: `i32(x)`, or round the quotient: `Math.trunc(a / b)`",
  },
  W2020: {
    message: (a: { name: string }) => `\`${a.name}\` may have no value here: not every way to this place assigns it`,
    fix: (a: { name: string }) => `give \`${a.name}\` a value where it is declared, or assign it on both sides of the branch and before the loop`,
  },
  W2900: {
    message: (a: { found: string; expected: string }) => `this is not an op graph in its text form: '${a.found}' stands where ${a.expected} should`,
    fix: (a: { expected: string }) => `write ${a.expected}, as in the text that .compile() gives`,
  },
  W2901: {
    message: (a: { value: string }) => `nothing in this op graph defines ${a.value}`,
    fix: (a: { value: string }) => `define ${a.value} by an operation or a parameter, or use another value`,
  },
});
