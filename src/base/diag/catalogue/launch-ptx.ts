import { defineErrors } from "../define-errors.ts";

const list = (names: readonly unknown[]): string => names.join(", ");
const mostNames = 8;
/** Of many names the first. */
const names = (all: readonly string[]): string =>
  all.length > mostNames ? `${list(all.slice(0, mostNames))} and ${all.length - mostNames} more` : list(all);
const meant = (near: string | undefined, all: readonly string[]): string =>
  near === undefined ? `name one of these: ${names(all)}` : `did you mean ${near}? It has ${names(all)}`;

/** W78xx: modules of PTX that another compiler made, and their launches. */
export const launchPtxErrors = defineErrors({
  W7801: {
    message: (a: { text: string; reason: string }) => `The argument ${a.text} cannot be read: ${a.reason}.`,
    fix: () =>
      "write i32:7, f32:1.5, x=f32[64x128]:randn:1, f32[1024]:zeros:out, f32[8x4]:npy=x.npy, @x+256, tma:@x:f16[64x128]:box=64x64, tex:@x:f32[64x128]:linear or surf:@x:u8x4[64x128]",
  },
  W7802: {
    message: (a: { name: string; reason: string }) => `The buffer ${a.name} ${a.reason}.`,
    fix: (a) => `declare each buffer once, as an argument ${a.name}=f32[1024]:zeros or with --buffer, and point inside it`,
  },
  W7803: {
    message: (a: { name: string; what: string; given: number; expected: number }) =>
      `The buffer ${a.name} has ${a.expected} bytes, but ${a.what} has ${a.given}.`,
    fix: () => "give the buffer the element type and the count of what it is to hold",
  },
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
    fix: (a) => (a.parameters.length === 0 ? "give no arguments" : `give one argument for each: ${names(a.parameters)}`),
  },
  W7806: {
    message: (a: { entry: string; index: number; parameter: string; given: number; bytes: number }) =>
      `Argument ${a.index} of ${a.entry} has ${a.given} bytes, but its parameter ${a.parameter} has ${a.bytes}.`,
    fix: (a) => `give a type of ${a.bytes} bytes`,
  },
  W7807: {
    message: (a: { file: string; name: string; what: string; found: readonly string[] }) =>
      `Of ${a.file}, ${a.found.length} ${a.what} may be meant by ${a.name}.`,
    fix: (a: { found: readonly string[] }) => `say more of its name, as in one of these: ${names(a.found)}`,
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
  W7813: {
    message: (a: { given: string; size: number }) => `There is no address ${a.given} bytes into a tensor of ${a.size} bytes.`,
    fix: (a) => `give a whole number of bytes from 0 to ${a.size}`,
  },
});
