import { defineErrors } from "../../base/diag/index.ts";

const few = (names: readonly string[]): string =>
  names.length > 3 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");

export interface Waiter {
  readonly what: string;
  readonly who: readonly string[];
}

type Hints = readonly (readonly [lack: RegExp, fix: string])[];

const tooManyBytes = /bytes more than expected have come/;
const tooFewBytes = /arrivals and [1-9]\d* bytes/;
const tooFewThreads = /waits for barrier [1-9]\d*, which has/;
const nobody = /nobody has ever arrived there/;

/** By what a waiter lacks: the commonest reason first. */
const hints: Hints = [
  [
    tooManyBytes,
    "let the barrier expect every byte that the copies of its phase bring: `bar.arrive({ tx: tile.bytes })`, the sum where there are several copies",
  ],
  [
    tooFewBytes,
    "let the barrier expect no more bytes than the copies of its phase bring, `bar.arrive({ tx: tile.bytes })`, and see that each copy is issued and names this barrier",
  ],
  [
    nobody,
    "let whoever is waited for arrive there: `bar.arrive()`, for a stage of a Pipeline `stage.release()` once it has been read; and see that the wait asks for the right parity",
  ],
  [
    tooFewThreads,
    "let as many threads come to the named barrier as its number says, whole warps of 32: for two warps `namedBarrier(1, 64)`; whoever calls `arrive()` counts, too",
  ],
];

const hintsInPtx: Hints = [
  [
    tooManyBytes,
    "let the barrier expect every byte that the copies of its phase bring (`mbarrier.arrive.expect_tx`), the sum where there are several copies",
  ],
  [
    tooFewBytes,
    "let the barrier expect no more bytes than the copies of its phase bring (`mbarrier.arrive.expect_tx`), and see that each copy is issued and names this barrier",
  ],
  [
    nobody,
    "let whoever is waited for arrive there (`mbarrier.arrive`; in a pipeline, whoever has read a stage), and see that the wait asks for the right parity",
  ],
  [
    tooFewThreads,
    "let as many threads come to the barrier as its second operand says, whole warps of 32: `bar.sync 1, 64` for two warps; `bar.arrive` counts, too",
  ],
];

const stuckFix = (waiters: readonly Waiter[], by: Hints): string =>
  by.find(([lack]) => waiters.some(({ what }) => lack.test(what)))?.[1] ??
  "see that every barrier gets all the arrivals and bytes it waits for in each phase, and that each wait asks for the right parity";

/** W90xx: what the emulator finds when it loads and runs a kernel. */
export const runErrors = defineErrors({
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
  W7744: {
    message: (a: { name: string; given: string }) =>
      `The latency of profile() gave ${a.given} for this ${a.name}, and it has to give a number of ticks from 0 on`,
    fix: () => 'return a number for whatever is issued: ({ kind, bytes = 0 }) => kind === "product" ? 128 : 500 + bytes / 32',
  },
  W9001: {
    message: (a: { kernel: string; waiters: readonly Waiter[] }) =>
      `The threads of ${a.kernel} wait for each other for ever:${a.waiters.map((w) => `\n  ${few(w.who)} at ${w.what}`).join("")}`,
    fix: (a: { waiters: readonly Waiter[] }) => stuckFix(a.waiters, hints),
    inPtx: {
      fix: (a: { waiters: readonly Waiter[] }) => stuckFix(a.waiters, hintsInPtx),
    },
  },
  W9002: {
    message: (a: { kernel: string; instruction: string; what: string; line: number }) =>
      `The emulator cannot run ${a.kernel}: it does not know ${a.what === a.instruction ? a.what : `${a.what} in ${a.instruction}`} (line ${a.line} of its PTX)`,
    fix: () => "run it on a GPU, or write it without this instruction",
  },
  W9003: {
    message: (a: { kernel: string; reason: string; where: string }) =>
      `The kernel ${a.kernel} failed: ${a.reason}, in ${a.where}`,
    fix: () => "see the place named; compile the kernel with debug: true to check bounds and assertions",
    inPtx: {
      fix: () => "see the place named; compiled with -lineinfo, the PTX names the line of CUDA C++",
    },
  },
  W9004: {
    message: (a: { kernel: string; waiters: readonly Waiter[] }) =>
      `The threads of ${a.kernel} spin for ever and change nothing:${a.waiters.map((w) => `\n  ${few(w.who)} at ${w.what}`).join("")}`,
    fix: () =>
      "see that what the loop waits for can come: that somebody still writes it, and that the loop reads it anew each time; for a computation that long, raise stepBudget",
    inPtx: {
      fix: () =>
        "see that what the loop waits for can come: that somebody still writes it, and that the loop reads it anew each time (`volatile`, an atomic)",
    },
  },
  W9005: {
    message: (a: { kernel: string; name: string }) =>
      `The emulator cannot run ${a.kernel}: its module calls ${a.name}, which it only declares`,
    fix: () => "put the function's body into the module, as a linker would; built in are vprintf, __assertfail, malloc and free",
  },
  W9006: {
    message: (a: { reason: string }) => `A thread that ran blocks of a kernel on the emulator has ended: ${a.reason}`,
    fix: () => 'open the emulator on one thread, openDevice("emulator", { threads: 1 })',
  },
  W9007: {
    message: (_: object) =>
      "This page does not let the emulator make functions of the kernel's instructions: its Content-Security-Policy forbids code from strings",
    fix: () =>
      "run the emulator in a worker or a frame whose policy has script-src 'unsafe-eval' ('wasm-unsafe-eval' alone is not enough)",
  },
  W9008: {
    message: (a: { kernel: string; who: string; does: string; place: string; there: string; limit: string }) =>
      `${a.who} ${a.does} ${a.place}, in ${a.kernel}: ${a.there}`,
    fix: (a) =>
      `compare the index before it is used, \`if (i < ${a.limit}) { … }\`; compiled with debug: true, the kernel names the index and its value`,
    inPtx: {
      fix: () =>
        "compare the index before it is used, `if (i < n)`; see that buffers have as many elements as the launch and its arguments say",
    },
  },
  W9009: {
    message: (a: { kernel: string; who: string; does: string; place: string; bytes: number }) =>
      `${a.who} ${a.does} ${a.bytes} bytes at once from ${a.place}, in ${a.kernel}, which is not at a multiple of ${a.bytes} bytes`,
    fix: () => "begin at an index that is a multiple of the vector's length, or use a shorter vector",
    inPtx: {
      fix: () => "begin at an address that is a multiple of the access (16 bytes for `float4`), or use a narrower one",
    },
  },
  W9250: {
    message: (a: { count: number; bytes: number; first: number }) =>
      a.count === a.bytes
        ? `nothing has written the ${a.bytes} bytes that are read here`
        : `Of the ${a.bytes} bytes that are read here nothing has written ${a.count}, the first of them at byte ${a.first}`,
    fix: () =>
      "see that the kernel that writes them is launched before, with blocks for all of them (`grid: cdiv(n, block)`), or make the tensor by `device.zeros`",
    inPtx: {
      fix: () => "see that the kernel that writes them is launched before, with blocks for all of them, or set the memory first",
    },
  },
});
