/** Errors of tools/build: what cannot be built. */
import { defineErrors, type Fail, type MakeError, raising } from "../../base/diag/index.ts";
import { baseErrors } from "../../base/errors.ts";

export const buildErrors = defineErrors({
  W7720: {
    message: (a: { name: string | undefined; given: string }) =>
      a.name === undefined
        ? `build() takes kernels by name, not ${a.given}`
        : `'${a.name}' is to be built, and is ${a.given}: no kernel with arguments`,
    fix: () =>
      "write build({ name: kernel.at(…) }), or give what matmulKernel, attentionKernel or kernelOf return; build((gpu) => ({ … })) has a device for their tensors",
  },
  W7721: {
    message: (a: { name: string; kernel: string; why: string; way: string }) =>
      `'${a.name}' cannot be built: ${a.kernel} ${a.why}`,
    fix: (a) => a.way,
  },
  W7722: {
    message: (a: { name: string; what: string; of: string }) =>
      `'${a.name}' cannot be built: ${a.what} of ${a.of} depends on a number or a dimension that each launch gives`,
    fix: () => "let it depend on static dimensions alone; only the grid may depend on what a launch gives",
  },
  W7723: {
    message: (a: { name: string; kernels: readonly string[]; why: string; without: string }) =>
      `'${a.name}' cannot be built: it is ${a.kernels.length} launches, ${a.kernels.join(", ")}. ${a.why}`,
    fix: (a) => a.without,
  },
  W7724: {
    message: (a: { what: string; name: string; why: string }) => `${a.what} cannot be called '${a.name}': ${a.why}`,
    fix: () => "take a name of letters, digits and _ that begins with a letter and is no word of TypeScript, C++ or Python",
  },
  W7725: {
    message: (a: { folder: string; why: string }) => `The build cannot be written to ${a.folder}: ${a.why}`,
    fix: () => "name a folder that is new, empty or of an earlier build of the same name",
  },
  W7728: {
    message: (a: { what: string }) => `${a.what} is not possible on the device of build(): it has no memory, only addresses`,
    fix: () => "use gpu.empty(…) inside build(…), and launch the kernels that were built on a device of openDevice()",
  },
  W7729: {
    message: (a: { name: string; open: string; numbers: readonly string[] }) =>
      `'${a.name}' is to leave '${a.open}' open, and has ${a.numbers.length === 0 ? "no numbers" : `the numbers ${a.numbers.join(", ")}`}`,
    fix: () => "name numbers of the kernel; dimensions are left open by its option dynamic",
  },
});

/** What this room raises: its own, and of rooms below. */
const raised = { ...baseErrors, ...buildErrors };

export type ErrorCode = keyof typeof raised;
export const makeError: MakeError<typeof raised> = raising(raised).makeError;
export const fail: Fail<typeof raised> = raising(raised).fail;
