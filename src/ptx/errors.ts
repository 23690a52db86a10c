/** Errors of ptx: PTX text that is read. */
import { defineErrors, type Fail, type MakeError, raising } from "../base/diag/index.ts";

export const ptxErrors = defineErrors({
  W7814: {
    message: (a: { name: string; type: string; given: string }) =>
      `The initial value of ${a.name}, of type ${a.type}, is ${a.given}: ptxas takes no such value here (Initial value type mismatch).`,
    fix: (a) =>
      a.given.includes("brace") || a.given.includes("list")
        ? "write a list in braces for each dimension and for a vector, `{{1, 2}, {3, 4}}`, and a single value without braces"
        : "write integers for .u32 and .s32, floating-point numbers such as 0f3F800000 or 1.0 for .f32, either for .b32, an address for .u64, and a byte of one, `0xFF00(name)`, for .u8",
  },
  W7815: {
    message: (a: { name: string; most: number; exactly: boolean }) =>
      a.exactly
        ? `${a.name} is a vector of ${a.most} numbers, and its initial value has another number of them.`
        : `${a.name} has ${a.most} elements here, and more initial values.`,
    fix: (a) => (a.exactly ? `write ${a.most} numbers in braces for each vector` : "leave some out, or declare more elements"),
  },
  W7816: {
    message: (a: { name: string; why: string; half: boolean }) => `${a.name} can have no initial value: ${a.why}.`,
    fix: (a) =>
      a.half
        ? "declare it as .b16 or .b32 and write the bits: 0x3C00 is 1.0 in f16"
        : "leave the value out, and store it in the kernel",
  },
  W9800: {
    message: (a: { expected: string; found: string }) => `the PTX has ${a.found} where ${a.expected} should stand`,
    fix: (a) => `write ${a.expected}; PTX that a compiler wrote was perhaps cut short`,
  },
  W9801: {
    message: (a: { opcode: string; why: string; nearest: string | undefined }) => `\`${a.opcode}\` is not known: ${a.why}`,
    fix: (a) =>
      a.nearest === undefined
        ? "video instructions, multimem and what came after sm_90a cannot be run without a GPU"
        : `the nearest form is \`${a.nearest}\``,
  },
  W9802: {
    message: (a: { opcode: string; problem: string; expected: string }) => `\`${a.opcode}\` does not fit: ${a.problem}`,
    fix: (a: { opcode: string; expected: string }) => `write \`${`${a.opcode} ${a.expected}`.trim()}\``,
  },
  W9803: {
    message: (a: { name: string; near: string | undefined }) => `nothing of the name '${a.name}' is declared here`,
    fix: (a) =>
      a.near === undefined
        ? "declare it: a register with .reg, a variable in its state space, a label as `name:`"
        : `declare it, or write '${a.near}'`,
  },
  W9804: {
    message: (a: { name: string }) => `'${a.name}' is declared twice in the same block`,
    fix: () => "give one of them another name, or enclose one of them in { }",
  },
  W9805: {
    message: (a: { what: string }) => `${a.what} is not supported in PTX that runs without a GPU`,
    fix: () => "compile the kernel so that it does without, or run it on a GPU",
  },
  W9806: {
    message: (a: { opcode: string; register: string; type: string; wanted: string }) =>
      `'${a.register}' is a register of type .${a.type}, and \`${a.opcode}\` takes .${a.wanted} there`,
    // Names such as $2 are those of inline PTX, where they stand for values of the kernel.
    fix: (a) =>
      /^\$\d+$/.test(a.register)
        ? `convert the value that it stands for, or move its bits with mov to a register of type .${a.wanted}`
        : `declare it as .reg .${a.wanted}, or move its bits with mov to a register of that type`,
  },
  W9807: {
    message: (a: { deepest: number }) => `this is nested more than ${a.deepest} deep`,
    fix: () => "compute the value, and write it as one number; leave out brackets and braces that hold nothing else",
  },
});

export type ErrorCode = keyof typeof ptxErrors;
export const makeError: MakeError<typeof ptxErrors> = raising(ptxErrors).makeError;
export const fail: Fail<typeof ptxErrors> = raising(ptxErrors).fail;
