import { defineErrors } from "../define-errors.ts";

const list = (names: readonly unknown[]): string => names.join(", ");

/** W78xx: launches of PTX that another compiler made. */
export const launchPtxErrors = defineErrors({
  W7801: {
    message: (a: { text: string; reason: string }) => `The argument ${a.text} cannot be read: ${a.reason}.`,
    fix: () =>
      "write i32:7, f32:1.5, x=f32[64x128]:randn:1, f32[1024]:zeros:out, @x+256, tma:@x:f16[64x128]:box=64x64, tex:@x:f32[64x128]:linear or surf:@x:u8x4[64x128]",
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
    message: (a: { file: string; name: string | undefined; entries: readonly string[] }) =>
      a.entries.length === 0
        ? `${a.file} has no entry.`
        : a.name === undefined
          ? `${a.file} has ${a.entries.length} entries.`
          : `${a.file} has no entry ${a.name}.`,
    fix: (a) => (a.entries.length === 0 ? "give a file with a .entry" : `choose one with --entry: ${list(a.entries)}`),
  },
  W7805: {
    message: (a: { entry: string; parameters: readonly number[]; given: number }) =>
      `The kernel ${a.entry} takes ${a.parameters.length} parameters, and ${a.given} arguments were given.`,
    fix: (a) =>
      a.parameters.length === 0 ? "give no arguments" : `give one argument for each; they have ${list(a.parameters)} bytes`,
  },
  W7806: {
    message: (a: { entry: string; index: number; parameter: string; given: number; bytes: number }) =>
      `Argument ${a.index} of ${a.entry} has ${a.given} bytes, but its parameter ${a.parameter} has ${a.bytes}.`,
    fix: (a) => `give a type of ${a.bytes} bytes`,
  },
});
