/** Errors of kernel: what a kernel is given, its compilation, launches that fail or do not end. */
import { bundleFirst, defineErrors, type Fail, type MakeError, raising } from "../base/diag/index.ts";
import { baseErrors } from "../base/errors.ts";
import { runtimeErrors } from "../runtime/errors/index.ts";

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

/** Rows of a map that a kernel stores to, which end at no multiple of 16 bytes. */
export interface StoredRows {
  readonly kernel: string;
  readonly name: string;
  readonly dtype: string;
  readonly elements: number;
  /** Bytes of an element. */
  readonly size: number;
  /** Bytes from the end of a row to the next multiple of 16. */
  readonly over: number;
  /** Bytes from there to the next row, or to the end of memory behind the only one; undefined: nobody knows. */
  readonly bytes: number | undefined;
  readonly rows: number;
  readonly reduces: boolean;
}

function overWhat({ over, reduces, rows }: StoredRows): string {
  const where = `${rows === 1 ? "the row" : "each row"}`;
  return `TMA ${reduces ? "reduces" : "writes"} on to the next multiple of 16, over the ${over} bytes behind ${where}`;
}

function nextTo({ bytes, rows }: StoredRows): string {
  if (bytes === undefined) return "somebody else has allocated that memory";
  return rows === 1 ? `memory goes on for ${bytes} bytes` : `the next row begins ${bytes} bytes further on`;
}

/** Warps that wait for the same. */
export interface HungGroup {
  readonly what: string;
  readonly who: readonly string[];
  /** How many more there are. */
  readonly more: number;
}

export interface Hung {
  readonly kernel: string;
  readonly seconds: number;
  readonly groups: readonly HungGroup[];
  /** What is known of blocks that have not begun. */
  readonly beyond: string;
}

const line = ({ what, who, more }: HungGroup): string => `\n  ${who.join(", ")}${more > 0 ? ` and ${more} more` : ""} ${what}`;

/** By what a group lacks: the commonest reason first. */
const hints: readonly (readonly [lack: RegExp, fix: string])[] = [
  [
    /of the mbarrier/,
    "see that everybody whom the barrier counts arrives in each phase, that it expects the bytes that come, and that the wait asks for the right parity; on the emulator the report also says where arrivals came from",
  ],
  [/barrier of the grid/, "launch no more blocks than fit the GPU at once, and let every block come to each `syncGrid`"],
  [/the barrier of the cluster/, "let every thread of all blocks of the cluster arrive at its barrier, as often as the others"],
  [
    /in no wait that is recorded/,
    "see that the loop that runs ends; for a computation that takes so long, give the launch more time: `watch: 60`",
  ],
  [/; it finds /, "see that what the loop waits for can come: that somebody who runs at the same time writes it"],
];

const usual = "see that every thread that a barrier counts comes to it, as often as the others";

const fixOf = ({ groups }: Hung): string => hints.find(([lack]) => groups.some(({ what }) => lack.test(what)))?.[1] ?? usual;

export const kernelErrors = defineErrors({
  W2056: {
    message: (a: { path: string; most: number }) =>
      `the static argument \`${a.path}\` has more than ${a.most} objects inside one another`,
    fix: () => "pass what the kernel needs of it, or its parts side by side in an array",
  },
  W5021: {
    message: (a: { kernel: string }) =>
      `\`grid.sync()\` waits for all blocks, and without a cooperative launch ${a.kernel} may have some of them wait until others end`,
    fix: () => "write `cooperative: true` into the kernel's options, and launch no more blocks than the GPU holds at once",
  },
  W7047: {
    message: (a: { kernel: string; listener: string; error: string }) =>
      `${a.listener} of this launch of ${a.kernel} threw: ${a.error}`,
    fix: (a) =>
      `let ${a.listener} note what it is given and return; look at that when read() or sync() has waited for the launch`,
  },
  W7502: {
    message: (a: { kernel: string; expected: number; given: number }) =>
      `${a.kernel} takes ${a.expected} argument${a.expected === 1 ? "" : "s"}, and ${a.given} ${a.given === 1 ? "was" : "were"} given`,
    fix: () =>
      "pass one argument for each parameter of the kernel; a number with a default value, and what is declared with `?` and is no number, may be left out at the end",
  },
  W7503: {
    message: (a: { kernel: string; name: string; what: string; value: string; isMap?: boolean }) =>
      `${a.kernel} takes ${a.what} for '${a.name}', not ${a.value}`,
    fix: (a) =>
      a.isMap
        ? `pass the tensor that the map was made of, or declare \`${a.name}: TMA<…>\``
        : a.what === "a tensor"
          ? "make it with `device.tensor(dtype, shape, data)`, `device.empty` or `device.zeros`"
          : `pass ${a.what}`,
  },
  W7504: {
    message: (a: { kernel: string; name: string; what: string; expected: string; given: string }) =>
      `${a.kernel} takes ${a.what} of ${a.expected} for '${a.name}', and this one is of ${a.given}`,
    fix: (a) => `pass ${a.what} of ${a.expected}, or change the annotation of '${a.name}'`,
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
  W7529: {
    message: (a: { kernel: string }) =>
      `The stages and the op graph of ${a.kernel} cannot be shown: to show them its function is traced again, and it gave another kernel this time`,
    fix: () =>
      "make the function do the same each time: what it reads from outside, such as a counter, must not change, and random numbers must come from a seed; where the kernel has a cacheKey, that must say what the function depends on",
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
  W7675: {
    message: (a: StoredRows) =>
      `${a.kernel} ${a.reduces ? "reduces into" : "stores to"} ${a.name} by TMA, in rows of ${a.elements} ${a.dtype}, ${a.elements * a.size} bytes: ${overWhat(a)}, and what lies there is not the tensor's: ${nextTo(a)}`,
    fix: (a) => {
      const whole = a.elements - (a.elements % (16 / a.size));
      const threads =
        whole === 0
          ? "store the rows by threads, through a parameter that is the tensor"
          : `make the map of the first ${whole} columns, as \`new TMA(x.slice(…, [0, ${whole}]), …)\`, and store the others by threads`;
      return `${threads}; or, where what lies behind is padding that nobody else uses, make the map of ${a.elements + a.over / a.size} columns`;
    },
    inLoops: {
      fix: (a: StoredRows) =>
        `leave \`stores\` out or give \`stores: "thread"\`, so that threads store the rows; or pass a tensor whose rows begin ${a.elements * a.size + a.over} bytes apart, so that nothing but padding lies behind them`,
    },
  },
  W7750: {
    message: (a: Hung) =>
      `${a.kernel} does not end: nothing has changed in it for ${a.seconds} s.${a.groups.map(line).join("")}${a.beyond}`,
    fix: (a: Hung) => `${fixOf(a)}. CUDA gives this process no device any more: start the program again`,
  },
  W8013: {
    message: (a: { kernel: string }) =>
      `${a.kernel}.bench measures a GPU, and this device is the emulator: how long that takes says nothing of a kernel`,
    fix: () =>
      'open a GPU, with openDevice("cuda"), or leave the measurement out where device.kind is "emulator"; what the emulator itself takes is performance.now() around launch() and await device.sync()',
  },
});

/** What this room raises: its own, and of rooms below. */
const raised = { ...baseErrors, ...runtimeErrors, ...kernelErrors };

export type ErrorCode = keyof typeof raised;
export const makeError: MakeError<typeof raised> = raising(raised).makeError;
export const fail: Fail<typeof raised> = raising(raised).fail;
