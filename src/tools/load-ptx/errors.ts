/** Errors of tools/load-ptx: modules of PTX. */
import { defineErrors, type Fail, firstNames, type MakeError, raising } from "../../base/diag/index.ts";
import { runtimeErrors } from "../../runtime/errors/index.ts";

const meant = (near: string | undefined, all: readonly string[]): string =>
  near === undefined ? `name one of these: ${firstNames(all)}` : `did you mean ${near}? It has ${firstNames(all)}`;

/** W78xx: modules of PTX that another compiler made, and their launches. */
export const loadPtxErrors = defineErrors({
  W7804: {
    message: (a: { file: string; name: string | undefined; near: string | undefined; entries: readonly string[] }) =>
      a.entries.length === 0
        ? `${a.file} has no entry.`
        : a.name === undefined
          ? `${a.file} has ${a.entries.length} entries.`
          : `${a.file} has no entry ${a.name}.`,
    fix: (a) => (a.entries.length === 0 ? "give a file with a .entry" : meant(a.near, a.entries)),
  },
  W7805: {
    message: (a: { entry: string; parameters: readonly string[]; given: number }) =>
      `The kernel ${a.entry} takes ${a.parameters.length} parameters, and ${a.given} arguments were given.`,
    fix: (a) => (a.parameters.length === 0 ? "give no arguments" : `give one argument for each: ${firstNames(a.parameters)}`),
  },
  W7806: {
    message: (a: { entry: string; index: number; parameter: string; given: number; bytes: number }) =>
      `Argument ${a.index} of ${a.entry} has ${a.given} bytes, but its parameter ${a.parameter} has ${a.bytes}.`,
    fix: (a) => `give a type of ${a.bytes} bytes`,
  },
  W7807: {
    message: (a: { file: string; name: string; what: string; found: readonly string[] }) =>
      `Of ${a.file}, ${a.found.length} ${a.what} may be meant by ${a.name}.`,
    fix: (a: { found: readonly string[] }) => `say more of its name, as in one of these: ${firstNames(a.found)}`,
  },
  W7808: {
    message: (a: { file: string; name: string; near: string | undefined; variables: readonly string[] }) =>
      `${a.file} has no variable ${a.name} in global or constant memory.`,
    fix: (a: { near: string | undefined; variables: readonly string[] }) =>
      a.variables.length === 0
        ? "declare it with __device__ or __constant__, and use it: compilers leave out what nobody uses"
        : meant(a.near, a.variables),
  },
  W7809: {
    message: (a: { place: string; given: string; expected: string }) => `${a.place} cannot be ${a.given}.`,
    fix: (a) => `give ${a.expected}`,
  },
  W7810: {
    message: (a: { file: string; reason: string; source?: boolean }) => `The file ${a.file} cannot be read: ${a.reason}.`,
    fix: (a: { file: string; reason: string; source?: boolean }) =>
      a.source
        ? `compile it first, \`nvcc -ptx -arch=sm_90a -lineinfo ${a.file.endsWith(".ptx") ? "kernel.cu" : a.file}\`, and give the .ptx file that this writes`
        : 'give the path of a PTX file, loadPtx({ file: "kernel.ptx" }), or its text, loadPtx(text)',
  },
  W7811: {
    message: (a: { name: string; bytes: number; dtype: string; shape: string }) =>
      `The variable ${a.name} has ${a.bytes} bytes, too few for ${a.dtype} elements of the shape ${a.shape}.`,
    fix: () => "give an element type and a shape that it has room for, or leave them out",
  },
  W7812: {
    message: (a: { entry: string }) => `The launch of ${a.entry} does not say how many threads a block has.`,
    fix: () => "give `block`: this kernel's PTX does not fix it",
  },
  W7813: {
    message: (a: { given: string; size: number }) => `There is no address ${a.given} bytes into a tensor of ${a.size} bytes.`,
    fix: (a) => `give a whole number of bytes from 0 to ${a.size}`,
  },
});

/** What this room raises: its own, and of rooms below. */
const raised = { ...runtimeErrors, ...loadPtxErrors };

export type ErrorCode = keyof typeof raised;
export const makeError: MakeError<typeof raised> = raising(raised).makeError;
export const fail: Fail<typeof raised> = raising(raised).fail;
