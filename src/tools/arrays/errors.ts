/** Errors of tools/arrays: files of arrays. */
import { bracketed, defineErrors, type Fail, firstNames, type MakeError, raising } from "../../base/diag/index.ts";
import { baseErrors } from "../../base/errors.ts";
import { runtimeErrors } from "../../runtime/errors/index.ts";

/** W71xx: files of arrays. */
export const arraysErrors = defineErrors({
  W7101: {
    message: (a: { file: string; act: "read" | "written"; reason: string }) =>
      `The file ${a.file} cannot be ${a.act}: ${a.reason}.`,
    fix: (a) =>
      a.act === "read"
        ? "give the path of a .npy, .npz or .safetensors file that may be read"
        : "name a file in a folder that is there and may be written to",
  },
  W7102: {
    message: (a: { file: string; format: string; reason: string }) =>
      `The file ${a.file} is no whole ${a.format} file: ${a.reason}.`,
    fix: (a) =>
      `write it again, with ${a.format === ".safetensors" ? "safetensors' save_file" : a.format === ".npz" ? "numpy.savez" : "numpy.save"} or writeArrays; a copy or download may have broken off`,
  },
  W7103: {
    message: (a: { array: string; stored: string; what: string; way: string }) =>
      `The elements of ${a.array} are ${a.what} (${a.stored}), which kernels have no type for.`,
    fix: (a) => a.way,
  },
  W7104: {
    message: (a: { file: string; name: string | undefined; near: string | undefined; names: readonly string[] }) =>
      a.name === undefined
        ? `The file ${a.file} has ${a.names.length} arrays, and no name says which one is meant.`
        : `The file ${a.file} has no array ${a.name}.`,
    fix: (a) =>
      a.names.length === 0
        ? "give a file with arrays in it"
        : a.near === undefined
          ? `name one of its arrays: ${firstNames(a.names)}`
          : `did you mean ${a.near}? It has ${firstNames(a.names)}`,
  },
  W7105: {
    message: (a: { array: string; dtype: string; shape: readonly number[]; expected: string }) =>
      `${a.array} is ${a.dtype} ${bracketed(a.shape)}, and it was to be ${a.expected}.`,
    fix: () => "ask for what it is, or convert it before it is saved, as in numpy.save(path, x.astype(numpy.float32))",
  },
  W7106: {
    message: (a: { file: string }) => `The name of the file ${a.file} does not say what format it has.`,
    fix: () => "let it end in .npy, .npz or .safetensors",
  },
  W7107: {
    message: (a: { file: string; name: string | undefined; reason: string }) =>
      `${a.name === undefined ? `The file ${a.file} cannot be written` : `The array ${a.name} cannot be written to ${a.file}`}: ${a.reason}.`,
    fix: () =>
      'give a tensor, a typed array, or { dtype: "f32", shape: [2, 3], data }; a .npy file takes one array, and names in files are texts',
  },
  W7108: {
    message: (a: { array: string; shape: readonly number[] }) =>
      `${a.array} has the shape ${bracketed(a.shape)} and no elements, and a tensor of a device has at least one.`,
    fix: () => "leave it out: loadArrays(gpu, path, { names: […] }), or read it on the host with readArrays",
  },
  W7109: {
    message: (a: { given: string }) => `The path of a file of arrays is ${a.given}, and it must be a text or a file: URL.`,
    fix: () => 'give the path, "weights.safetensors"',
  },
});

/** What this room raises: its own, and of rooms below. */
const raised = { ...baseErrors, ...runtimeErrors, ...arraysErrors };

export type ErrorCode = keyof typeof raised;
export const makeError: MakeError<typeof raised> = raising(raised).makeError;
export const fail: Fail<typeof raised> = raising(raised).fail;
