import { defineErrors } from "../define-errors.ts";

const list = (names: readonly string[]): string => names.join(", ");

/** W772x: what is to be built. W773x: a build that is loaded or launched; the launchers for C++ and Python give the same codes. */
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
      `'${a.name}' cannot be built: it is ${a.kernels.length} launches, ${list(a.kernels)}. ${a.why}`,
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
  W7726: {
    message: (a: { file: string; exports: readonly string[] }) =>
      a.exports.length === 0
        ? `${a.file} exports nothing that is to be built`
        : `${a.file} exports ${list(a.exports)}, and none of them is to be built`,
    fix: () => 'write export default build({ name: kernel.at(…) }), with build from "warpsmith/build"',
  },
  W7728: {
    message: (a: { what: string }) => `${a.what} is not possible on the device of build(): it has no memory, only addresses`,
    fix: () => "use gpu.empty(…) inside build(…), and launch the kernels that were built on a device of openDevice()",
  },
  W7729: {
    message: (a: { name: string; open: string; numbers: readonly string[] }) =>
      `'${a.name}' is to leave '${a.open}' open, and has ${a.numbers.length === 0 ? "no numbers" : `the numbers ${list(a.numbers)}`}`,
    fix: () => "name numbers of the kernel; dimensions are left open by its option dynamic",
  },
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
      `${a.kernel} takes ${a.parameters.length} arguments (${list(a.parameters)}), and ${a.given}`,
    fix: () => "pass a tensor or a number for each, in this order",
  },
  W7737: {
    message: (a: { kernel: string }) => `${a.kernel} has no grid: how many blocks it takes is not in its manifest`,
    fix: () =>
      "say it at the launch, or let the option grid compute it with cdiv, or within helper(…), which a build turns into a formula",
  },
});
