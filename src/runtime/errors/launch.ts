import { defineErrors } from "../../base/diag/index.ts";

export const launchErrors = defineErrors({
  W7501: {
    message: (a: { kernel: string; name: string; type: string; expected: string; value: string }) =>
      `${a.kernel} takes ${a.expected} for its ${a.type} '${a.name}', not ${a.value}`,
    fix: (a) => `pass ${a.expected}, or change the annotation of '${a.name}'`,
  },
  W7505: {
    message: (a: { kernel: string; name: string }) =>
      `${a.kernel} has only the shape and type of '${a.name}' (a tensorSpec), and a launch needs its memory`,
    fix: () => "pass a tensor made by device.tensor, device.empty or device.zeros; compile() takes a tensorSpec",
  },
  W7514: {
    message: (a: { kernel: string; name: string; value: string; dimension: string }) =>
      `${a.kernel} has the dynamic ${a.dimension} of '${a.name}', which is ${a.value} here: more than an i32 holds`,
    fix: () => "leave this dimension static",
  },
  W7518: {
    message: (a: { kernel: string }) =>
      `${a.kernel} is launched with overlapPrevious, and never waits for the kernel before it: neither it nor any launch after it would be in order with that one`,
    fix: () =>
      "call gridDependency.wait() in the kernel before it uses what the kernel before it writes or reads; for kernels that have nothing to do with each other, use two streams",
  },
  W7528: {
    message: (a: { what: string; key: string; instead: string }) =>
      `${a.what} gives a promise, and ${a.key} is taken of it before what it promises is here`,
    fix: (a) => `write \`await\` before the call: \`${a.instead}\``,
  },
  W7536: {
    message: () => "`using` ends what it takes at once, and a device ends later: it waits for what still runs on it",
    fix: () => "write `await using gpu = await openDevice()`",
  },
});
