/** Errors of tools/built: builds at run time. */
import { defineErrors, type Fail, type MakeError, raising } from "../../base/diag/index.ts";
import { runtimeErrors } from "../../runtime/errors/index.ts";

export const builtErrors = defineErrors({
  W7730: {
    message: (a: { file: string; why: string }) => `The manifest ${a.file} cannot be used: ${a.why}`,
    fix: () => "name the folder that warpsmith build wrote, and build it again with the version that loads it",
  },
  W7731: {
    message: (a: { file: string; why: string }) => `The file ${a.file} of the build cannot be read: ${a.why}`,
    fix: () => "copy the whole folder that warpsmith build wrote",
  },
  W7732: {
    message: (a: { file: string }) => `The file ${a.file} is not the one that was built: its hash is not the manifest's`,
    fix: () => "copy the whole folder again, or build it again; its files are not to be edited",
  },
  W7733: {
    message: (a: { device: string; given: string; needed: string }) =>
      `The kernels were built for ${a.needed}, and ${a.device} has ${a.given}`,
    fix: () => "launch them on such a device; code of one architecture with an a in its name runs on no other",
  },
  W7734: {
    message: (a: { file: string }) => `The manifest ${a.file} is of another build than the launcher that reads it`,
    fix: () => "copy all files of one build together",
  },
  W7735: {
    message: (a: { kernel: string; name: string; what: string; given: string; expected: string }) =>
      `${a.kernel}: the ${a.what} of '${a.name}' ${a.what === "strides" ? "are" : "is"} ${a.given}, and the kernel was built for ${a.expected}`,
    fix: (a) =>
      a.what === "address"
        ? "pass memory that begins there, or build the kernel for a view of such memory"
        : "pass such a tensor, or build the kernel for this one; dimensions that vary are named by the option dynamic",
  },
  W7736: {
    message: (a: { kernel: string; parameters: readonly string[]; given: string }) =>
      `${a.kernel} takes ${a.parameters.length} arguments (${a.parameters.join(", ")}), and ${a.given}`,
    fix: () => "pass a tensor or a number for each, in this order",
  },
  W7737: {
    message: (a: { kernel: string }) => `${a.kernel} has no grid: how many blocks it takes is not in its manifest`,
    fix: () =>
      "say it at the launch, or let the option grid compute it with cdiv, or within helper(…), which a build turns into a formula",
  },
});

/** What this room raises: its own, and of rooms below. */
const raised = { ...runtimeErrors, ...builtErrors };

export type ErrorCode = keyof typeof raised;
export const makeError: MakeError<typeof raised> = raising(raised).makeError;
export const fail: Fail<typeof raised> = raising(raised).fail;
