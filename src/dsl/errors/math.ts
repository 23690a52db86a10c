import { defineErrors } from "../../base/diag/index.ts";

/** W27xx: mathematics in kernels: Math.*, fast.*, fma, bits, cdiv. */
export const mathErrors = defineErrors({
  W2700: {
    message: (a: { name: string; near: string }) => `\`Math.${a.name}\` is not available on the GPU`,
    fix: (a) => `use ${a.near}`,
  },
  W2701: {
    message: (a: { name: string; what: string }) => `\`${a.name}\` works in floating point, and is given ${a.what}`,
    fix: (a) => `say in which type: \`${a.name}(f32(x))\``,
  },
  W2702: {
    message: (a: { name: string; what: string }) => `\`${a.name}\` is not available on ${a.what}`,
    fix: (a) => `compute it in f32: \`${a.name}(f32(x))\``,
  },
  W2703: {
    message: (a: { name: string }) => `\`${a.name}\` does not take bigints, as in JavaScript`,
    fix: () => "compare with `<` and choose with `?:`, or convert first: `i32(x)`, `f64(x)`",
  },
  W2704: {
    message: (a: { name: string; wanted: number; got: number }) =>
      `\`${a.name}\` takes ${a.wanted} ${a.wanted === 1 ? "argument" : "arguments"}, and is given ${a.got}`,
    fix: (a) => `give all ${a.wanted}: JavaScript would compute with \`undefined\`, which is NaN`,
  },
  W2705: {
    message: (a: { name: string }) => `\`Math.${a.name}\` compares its arguments element by element, and one tile alone is given`,
    fix: (a) => `for the ${a.name === "max" ? "greatest" : "least"} element along an axis write \`tile.${a.name}(t, axis)\``,
  },
  W2706: {
    message: (a: { base: string }) =>
      `\`**\` of ${a.base} takes a whole exponent from 0 to 64 that is known while the kernel is traced`,
    fix: () => "multiply in a loop, or compute in floating point: `f32(x) ** f32(n)`",
  },
});
