import { defineErrors } from "../define-errors.ts";
import { bundleFirst } from "../other-runtime.ts";

/** A check that failed on the GPU. `message` has the values; `who`: "thread 63 of block (0, 0, 0)". */
export interface Trapped {
  readonly message: string;
  readonly who: string;
  /** The GPU is of no use any more. */
  readonly lost: boolean;
}

/** An index outside of its dimension, where the author's text of it is known with the limit; `several`: it is one of several. */
export interface OutOfBounds {
  readonly index?: string;
  readonly limit?: string;
  readonly negative?: boolean;
  readonly several?: boolean | undefined;
}
const afterTrap = ({ lost }: Pick<Trapped, "lost">): string =>
  lost
    ? "; the trap has ended this program's use of the GPU: start it again"
    : "; this launch ended there, and the emulator goes on with the next";

/** W75xx: what a kernel is given: its options and its arguments. */
export const kernelErrors = defineErrors({
  W7501: {
    message: (a: { kernel: string; name: string; type: string; expected: string; value: string }) =>
      `${a.kernel} takes ${a.expected} for its ${a.type} '${a.name}', not ${a.value}`,
    fix: (a) => `pass ${a.expected}, or change the annotation of '${a.name}'`,
  },
  W7502: {
    message: (a: { kernel: string; expected: number; given: number }) =>
      `${a.kernel} takes ${a.expected} argument${a.expected === 1 ? "" : "s"}, and ${a.given} ${a.given === 1 ? "was" : "were"} given`,
    fix: () => "pass one argument for each parameter of the kernel",
  },
  W7503: {
    message: (a: { kernel: string; name: string; what: string; value: string }) =>
      `${a.kernel} takes ${a.what} for '${a.name}', not ${a.value}`,
    fix: (a) =>
      a.what === "a tensor"
        ? "make it with `device.tensor(dtype, shape, data)`, `device.empty` or `device.zeros`"
        : `pass ${a.what}`,
  },
  W7504: {
    message: (a: { kernel: string; name: string; what: string; expected: string; given: string }) =>
      `${a.kernel} takes ${a.what} of ${a.expected} for '${a.name}', and this one is of ${a.given}`,
    fix: (a) => `pass ${a.what} of ${a.expected}, or change the annotation of '${a.name}'`,
  },
  W7505: {
    message: (a: { kernel: string; name: string }) =>
      `${a.kernel} has only the shape and type of '${a.name}' (a tensorSpec), and a launch needs its memory`,
    fix: () => "pass a tensor made by device.tensor, device.empty or device.zeros; compile() takes a tensorSpec",
  },
  W7506: {
    message: (a: { kernel: string; name: string; type: string }) =>
      `${a.kernel} does not say what its parameter '${a.name}: ${a.type}' is on the GPU`,
    fix: (a) =>
      a.type === "bigint"
        ? "annotate it as i64, u64, or Static<bigint>"
        : "annotate it as i32, u32, f32, … or Static<number> (a JavaScript 2 does not say which is meant)",
  },
  W7507: {
    message: (a: { kernel: string; runtime: string | undefined; file: string | undefined }) =>
      `the function given to kernel() has not been transformed${a.kernel ? ` ('${a.kernel}')` : ""}${a.runtime ? `: ${a.runtime} loads files without warpsmith/register` : ""}`,
    fix: (a) =>
      a.runtime !== undefined
        ? `${bundleFirst(a.runtime)}; or write it with explicit(…)`
        : a.file !== undefined && /\.[cm]?jsx?$/.test(a.file)
          ? `${a.file} is JavaScript, which has no types to say what the parameters are: run the TypeScript file itself, \`warpsmith run main.ts\`, or bundle it with warpsmith/plugin. Without a transform: explicit(…)`
          : 'write the function in the call itself, or begin its body with "use kernel"; and run the program with `node --import warpsmith/register` or `warpsmith run`, or add warpsmith/plugin to the bundler. Without a transform: explicit(…)',
  },
  W7508: {
    message: (a: { kernel: string }) => `${a.kernel} has no grid: neither launch({ grid }) nor the kernel's options give one`,
    fix: () => "write launch({ grid: … }, …), or give the options a grid",
  },
  W7509: {
    message: (a: { method: string }) => `'${a.method}' is not a static method decorated with @kernel(…)`,
    fix: () =>
      "decorate the static method with @kernel({ block: … }), or give kernel() its options first: kernel(options, function …)",
  },
  W7510: {
    message: (a: { kernel: string }) => `${a.kernel} is a kernel and cannot be called like a function`,
    fix: (a) => `write ${a.kernel}.launch({ grid: … }, …) on the host; in a kernel call a helper that begins with "use kernel"`,
  },
  W7511: {
    message: (a: { kernel: string; option: string; value: string; expected: string }) =>
      `${a.kernel} has the option ${a.option}: ${a.value}, and it must be ${a.expected}`,
    fix: (a) => `give ${a.option} ${a.expected}`,
  },
  W7512: {
    message: (a: { kernel: string; name: string; tensors: string }) =>
      `${a.kernel} has dynamic dimensions for '${a.name}', which is not one of its tensors and tensor maps (${a.tensors})`,
    fix: () =>
      "name a tensor or a tensor map of the parameter list in `dynamic`, or one within an object by its path, such as `inputs.x`",
  },
  W7513: {
    message: (a: { kernel: string; name: string; dimension: number; rank: number }) =>
      `${a.kernel} has dimension ${a.dimension} of '${a.name}' as dynamic, and '${a.name}' has rank ${a.rank}`,
    fix: (a) => (a.rank === 1 ? "name dimension 0, or none" : `name dimensions from 0 to ${a.rank - 1}`),
  },
  W7514: {
    message: (a: { kernel: string; name: string; value: string; dimension: string }) =>
      `${a.kernel} has the dynamic ${a.dimension} of '${a.name}', which is ${a.value} here: more than an i32 holds`,
    fix: () => "leave this dimension static",
  },
  W7515: {
    message: (a: { kernel: string; message: string; who: string; lost: boolean }) =>
      `assert in ${a.kernel}: ${a.message}: ${a.who}`,
    fix: (a) => `correct what leads to this assertion, or the assertion${afterTrap(a)}`,
  },
  W7516: {
    message: (a: { kernel: string; warmup: string; repeat: string }) =>
      `${a.kernel}.bench is asked for warmup: ${a.warmup} and repeat: ${a.repeat}`,
    fix: () => "give whole numbers: warmup from 0 on, repeat from 1 on",
  },
  W7517: {
    message: (a: { kernel: string; params: number; given: number }) =>
      `${a.kernel} is written with explicit(…), has ${a.params} ${a.params === 1 ? "parameter" : "parameters"} and names ${a.given} in its option params`,
    fix: () => 'give one of "tensor", "tma", "static" or an element type for each parameter: params: ["tensor", "f32"]',
  },
  W7518: {
    message: (a: { kernel: string }) =>
      `${a.kernel} is launched with overlapPrevious, and never waits for the kernel before it: neither it nor any launch after it would be in order with that one`,
    fix: () =>
      "call gridDependency.wait() in the kernel before it uses what the kernel before it writes or reads; for kernels that have nothing to do with each other, use two streams",
  },
  W7525: {
    message: (a: Trapped & OutOfBounds) => `${a.message}: ${a.who}`,
    fix: (a) => {
      const guard = a.index === undefined ? undefined : a.negative ? `${a.index} >= 0` : a.limit && `${a.index} < ${a.limit}`;
      const order = a.several ? " (the outermost comes first: `.at(row, column)`)" : "";
      return `${guard ? `guard it, \`if (${guard}) { … }\`, or correct the index` : "compare the index before it is used, `if (i < n) { … }`, or correct it"}${order}${afterTrap(a)}`;
    },
  },
  W7526: {
    message: (a: Trapped & { readonly operator: string; readonly type: string }) => `${a.message}: ${a.who}`,
    fix: (a) =>
      (a.operator.endsWith(" 0")
        ? `compare the divisor with 0 before: \`b === 0 ? … : a ${a.operator.charAt(0)} b\``
        : a.operator === "Math.abs"
          ? "compare with the least number before: it has no positive one beside it"
          : a.type === "i64"
            ? "keep the numbers smaller, or compute with f64"
            : a.operator === "*"
              ? "compute with 64 bits, `i64(a) * i64(b)`; where it may wrap, write `Math.imul(a, b)`"
              : a.operator === "neg"
                ? "compute with 64 bits, `-i64(a)`; where it may wrap, write `(-a) | 0`"
                : `compute with 64 bits, \`i64(a) ${a.operator} i64(b)\`; where it may wrap, write \`(a ${a.operator} b) | 0\``) +
      afterTrap(a),
  },
  W7527: {
    message: (a: Trapped) => `${a.message}: ${a.who}`,
    fix: (a) => `correct the number that is given here, or compare it before${afterTrap(a)}`,
  },
  W7528: {
    message: (a: { what: string; key: string; instead: string }) =>
      `${a.what} gives a promise, and ${a.key} is taken of it before what it promises is here`,
    fix: (a) => `write \`await\` before the call: \`${a.instead}\``,
  },
  W7529: {
    message: (a: { kernel: string }) =>
      `The stages and the op graph of ${a.kernel} cannot be shown: to show them its function is traced again, and it gave another kernel this time`,
    fix: () =>
      "make the function do the same each time: what it reads from outside, such as a counter, must not change, and random numbers must come from a seed; where the kernel has a cacheKey, that must say what the function depends on",
  },
  W7530: {
    message: (a: { kernel: string; name: string | undefined; failed: string; code: string }) =>
      `${a.kernel} did not run: ${a.name === undefined ? "memory that it takes" : `'${a.name}'`} is in doubt since ${a.failed} failed (${a.code})`,
    fix: (a) =>
      `correct what failed first, which the cause of this error says; or write ${a.name === undefined ? "the memory" : "the tensor"} anew before this launch; what is launched after an error has been thrown runs`,
  },
  W7531: {
    message: (a: { failed: string; code: string }) =>
      `What is read here is in doubt: ${a.failed} failed (${a.code}), and that had not been reported when this read was issued`,
    fix: () =>
      "correct what failed first, which the cause of this error says; a read that is issued after an error has been thrown gives what the launch left there",
  },
  W7519: {
    message: (a: { kernel: string }) =>
      `${a.kernel} prints, and cannot be part of a graph: each launch of the graph would print again`,
    fix: () => "launch it by itself, or take console.log out of it for the capture",
  },
  W7520: {
    message: (a: { kernel: string; name: string; type: string; why: string }) =>
      `${a.kernel} does not say what its parameter '${a.name}: ${a.type}' is on the GPU: ${a.why}`,
    fix: (a) =>
      `write a type of warpsmith here (${a.name}: f32, Tensor<"f32", 2>, …), or ${a.name}: Static<${a.type}> for a value that is compiled into the kernel`,
  },
  W7536: {
    message: () => "`using` ends what it takes at once, and a device ends later: it waits for what still runs on it",
    fix: () => "write `await using gpu = await openDevice()`",
  },
  W7537: {
    message: (a: { method: string; written: string; member: string }) =>
      `\`${a.written}\` is the method itself, and has no \`.${a.member}\`: a decorator cannot change a method's type, so the kernel is a value of its own`,
    fix: (a) => `write \`const ${a.method} = kernel(${a.written})\` once, then \`${a.method}.${a.member}(…)\``,
  },
  W7540: {
    message: (a: { what: string; given: string; expected: string }) =>
      `autotune() takes ${a.expected} as its ${a.what}, and it was given ${a.given}`,
    fix: () => "write autotune([32, 64], (block) => kernel({ block }, function name(…) { … }))",
  },
  W7541: {
    message: (a: { given: string }) => `The function that makes the kernels of autotune() gave ${a.given}, which is no kernel`,
    fix: () => "return what kernel(…) gives, for each configuration: (block) => kernel({ block }, function name(…) { … })",
  },
  W7542: {
    message: (a: { kernel: string; reasons: readonly string[] }) =>
      `None of the ${a.reasons.length} configurations of ${a.kernel} can be used for these arguments:\n${a.reasons.map((r) => `  ${r}`).join("\n")}`,
    fix: () => "add a configuration that fits these arguments, or correct what the reasons name",
  },
  W7543: {
    message: (a: { what: string; given: string; expected: string }) =>
      `tune() takes ${a.expected} as its ${a.what}, and it was given ${a.given}`,
    fix: () =>
      "write tune({ depth: [2, 3, 4] }, ({ depth }) => tensorCorePipeline(product, { …, depth }), { device, program: product })",
  },
  W7544: {
    message: (a: { given: string }) =>
      `The function that makes the kernels of tune() gave ${a.given}, which is no kernel, no schedule and no pipeline`,
    fix: () => "return what kernel(…), new Schedule(…) or tensorCorePipeline(…) gives, for each configuration",
  },
  W7545: {
    message: (a: { name: string; reasons: readonly string[] }) =>
      `None of the ${a.reasons.length} configurations of ${a.name} can be used:\n${a.reasons.map((r) => `  ${r}`).join("\n")}`,
    fix: () => "add a value that fits to the space, or correct what the reasons name",
  },
  W7546: {
    message: (a: { name: string; lacks: "arguments" | "a reference"; why: string }) =>
      `tune() has no ${a.lacks === "arguments" ? "arguments" : "reference"} for ${a.name}: ${a.why}`,
    fix: (a) =>
      a.lacks === "arguments"
        ? "give the tensors to run it with: tune(…, …, { args: [a, b, c], … })"
        : "give a kernel or a function that computes what is right: tune(…, …, { reference: (a, b, c) => …, … })",
  },
});
