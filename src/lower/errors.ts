/** Errors of lower: what PTX cannot be made of. */
import { counted, defineErrors, type Fail, type MakeError, raising } from "../base/diag/index.ts";

/** W28xx: PTX that the author writes in a kernel. What is no PTX at all is W98xx. */
export const lowerErrors = defineErrors({
  W2801: {
    message: (a: { name: string; results: number; operands: number }) =>
      `\`${a.name}\` stands for nothing: there are ${counted(a.results, "result")} and ${counted(a.operands, "operand")}`,
    fix: (a: { results: number; operands: number }) =>
      a.results + a.operands === 0
        ? "name results in `out`, and give operands behind the options"
        : `the results come first, then the operands: \`$0\`${a.results + a.operands > 1 ? ` to \`$${a.results + a.operands - 1}\`` : ""}`,
  },
  W2802: {
    message: (a: { name: string; what: string }) =>
      `the PTX does not name \`${a.name}\`, ${a.what === "result" ? "a result" : "an operand"}`,
    fix: (a: { name: string; what: string }) =>
      a.what === "result"
        ? `write it: \`${a.name}\` is where it goes; or leave it out of \`out\``
        : `use \`${a.name}\` in the text, or leave the operand out`,
  },
  W2803: {
    message: (a: { name: string }) => `nothing writes \`${a.name}\`, a result`,
    fix: () => "the first operand of an instruction is the one that it writes; results come first: `$0`, `$1`, …",
  },
  W2804: {
    message: (a: { name: string; opcode: string }) =>
      `\`${a.opcode}\` writes \`${a.name}\`, an operand: the kernel's values do not change`,
    fix: () => "write a result, or a register of its own: `.reg .u32 t;`",
  },
  W2805: {
    message: (a: { what: string; why: string }) => `${a.what} cannot stand in inline PTX: ${a.why}`,
    fix: () => "write functions, the kernel's end and shared memory in TypeScript, and the instructions between them in PTX",
  },
  W2806: {
    message: (a: { name: string }) => `\`${a.name}\` is read here, and nothing is in it yet`,
    fix: () => "write it first, with `mov`; values of the kernel come in as operands",
  },
  W2807: {
    message: (a: { name: string; value: string; type: string }) =>
      `\`${a.name}\` is the number ${a.value}, and .${a.type} does not hold it`,
    fix: () => "convert it, so that it comes in a register of its type: `f16(1.5)`",
  },
  W2808: {
    message: (a: { name: string; memory: string; opcode: string; space: string }) =>
      `\`${a.name}\` is an address in ${a.memory} memory, and \`${a.opcode}\` takes ${a.space === "" ? "a generic one" : `one in ${a.space} memory`}`,
    fix: (a: { memory: string }) => `write .${a.memory} behind the instruction's name`,
  },
  W2809: {
    message: (a: { what: string }) =>
      `\`pure: true\` says that the PTX only computes, and \`${a.what}\` does more, or gives something else each time`,
    fix: () => "leave `pure` out: it is for instructions whose results come from their operands alone",
  },
  W2812: {
    message: (a: { opcode: string }) => `\`${a.opcode}\` takes a carry, and no instruction before it leaves one`,
    fix: () => "write both in one text, with no label and no branch between them: `add.cc.u32`, then `addc.u32`",
  },
  W2813: {
    message: (a: { opcode: string }) => `\`${a.opcode}\` still goes on where the text ends, and writes registers then`,
    fix: () => "end with `wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;`, or use WGMMAMatrix",
  },
  W2815: {
    message: (a: { name: string; type: string; wanted: string }) =>
      `\`${a.name}\` is a register of type .${a.type}, and an address there is an integer of ${a.wanted}`,
    fix: () => "give the memory itself as an operand, `x.at(i)`: it becomes its address",
  },
  W2816: {
    message: () => "this PTX never comes to its end: its branches go round for ever",
    fix: () => "branch out of the loop, to a label behind it: `@p bra done; bra again; done:`",
  },
  W2817: {
    message: (a: { opcode: string }) =>
      `the threads of a warp may part at \`${a.opcode}\`, and the text has instructions that all of them run together`,
    fix: () =>
      "write `bra.uni` where all threads of the warp go the same way, or put those instructions into a text without branches",
  },
  W2818: {
    message: (a: { opcode: string }) =>
      `\`${a.opcode}\` goes back, and a text that is \`pure\` may be run where the kernel's own text would not come, where it might not end`,
    fix: () => "leave `pure` out; or write the loop in TypeScript",
  },
  W6800: {
    message: (a: { operation: string; type: string }) => `the GPU has no atomic ${a.operation} on ${a.type}`,
    fix: () => "use i32, u32, i64, u64 or f32 elements (8-bit elements have no atomics at all)",
  },
});

export type ErrorCode = keyof typeof lowerErrors;
export const makeError: MakeError<typeof lowerErrors> = raising(lowerErrors).makeError;
export const fail: Fail<typeof lowerErrors> = raising(lowerErrors).fail;
