/** Errors of base: what every room refuses. */
import { counted } from "./diag/counted.ts";
import { defineErrors } from "./diag/define-errors.ts";
import { elementTypesText } from "./diag/element-types.ts";
import { bracketed } from "./diag/lists.ts";
import { wordFix } from "./diag/other-names.ts";
import { type Fail, type MakeError, raising } from "./diag/raising.ts";

const listed = (names: readonly string[]): string =>
  names.length === 1 ? `its only option is ${names[0]}` : `its options are ${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

const oneOf = (values: readonly string[]): string =>
  `${values
    .slice(0, -1)
    .map((value) => `"${value}"`)
    .join(", ")} or "${values.at(-1)}"`;

export const baseErrors = defineErrors({
  W2034: {
    message: (a: { text: string; where: string; how: string }) =>
      `\`${a.text}\`${a.where} ${a.how}, and it is ordinary JavaScript, which cannot compute on the GPU`,
    fix: (a: { where: string }) =>
      a.where
        ? "compute with operators, Math.* and the functions of this package, or give it static values only"
        : 'begin its body (of a class, that of its constructor and methods) with "use kernel", or the whole file; or wrap the function literal: `helper((…) => …)`; then run the file through the transform',
  },
  W2078: {
    message: (a: { text: string; names: readonly string[]; given: number; pred: boolean }) => {
      const taken =
        a.names.length === 0
          ? "no arguments"
          : `${a.names.length} argument${a.names.length === 1 ? "" : "s"} (\`${a.names.join(", ")}\`)`;
      return `\`${a.text}\` takes ${taken}, and is given ${a.given}`;
    },
    fix: (a: { text: string; names: readonly string[]; pred: boolean }) =>
      a.pred
        ? `put the call under its condition: \`if (…) ${a.text}(${a.names.map(() => "…").join(", ")})\``
        : a.names.length === 0
          ? `call it without: \`${a.text}()\``
          : `leave out what stands behind \`${a.names.at(-1)}\``,
  },
  W2601: {
    message: (a: { of: string; name: string; near: string | undefined; names: readonly string[] }) =>
      `${a.of} has no option \`${a.name}\``,
    fix: (a) => `${a.near === undefined ? "leave it out" : `write \`${a.near}\``}; ${listed(a.names)}`,
  },
  W2602: {
    message: (a: { of: string; given: string; names: readonly string[] }) =>
      `${a.of} takes its options as an object, and ${a.given} is given`,
    fix: (a) => `write { ${a.names[0]}: … }; ${listed(a.names)}`,
  },
  W4001: {
    message: (a: { rank: number; least: number; because: string }) =>
      `A tensor map has ${a.least} to 5 dimensions${a.because}, but this tensor has ${a.rank}.`,
    fix: (a) =>
      a.rank > 5
        ? "merge dimensions with reshape() before you make the TMA"
        : "add dimensions of extent 1 with reshape() before you make the TMA",
  },
  W4002: {
    message: (a: { what: string; given: number; rank: number }) =>
      `${a.what} has ${counted(a.given, "number")}, but the tensor has ${counted(a.rank, "dimension")}.`,
    fix: (a) => `give ${counted(a.rank, "number")}, outermost first like the tensor's shape`,
  },
  W4003: {
    message: (a: { address: string; alignment: number; because: string }) =>
      `A tensor map's tensor begins at a multiple of ${a.alignment} bytes${a.because}, but this one begins at ${a.address}.`,
    fix: () => "slice the tensor at a multiple of that many bytes, or take a whole tensor",
  },
  W4004: {
    message: (a: { dimension: number; extent: number }) =>
      `Dimension ${a.dimension} of the tensor has ${a.extent} elements; a tensor map's has 1 to 4294967296.`,
    fix: () => "split the tensor",
  },
  W4005: {
    message: (a: { dimension: number; bytes: number; alignment: number; because: string; dtype: string; elements: number }) =>
      `Dimension ${a.dimension} of the tensor has a stride of ${a.elements} ${a.dtype} elements, ${a.bytes} bytes; a tensor map's strides are multiples of ${a.alignment} bytes${a.because}.`,
    fix: (a) => {
      const bytes = Math.ceil(a.bytes / a.alignment) * a.alignment;
      return `pad the inner dimensions so that this stride becomes ${(bytes * a.elements) / a.bytes} elements, ${bytes} bytes`;
    },
  },
  W4006: {
    message: (a: { dimension: number; bytes: number }) =>
      `Dimension ${a.dimension} of the tensor has a stride of ${a.bytes} bytes; a tensor map's strides are below 2^40.`,
    fix: () => "split the tensor",
  },
  W4007: {
    message: (a: { stride: number }) =>
      `The innermost dimension of the tensor has a stride of ${a.stride}; a tensor map's elements are neighbours in memory.`,
    fix: () => "make the TMA of the tensor before transpose(), and swap the coordinates in the kernel",
  },
  W4008: {
    message: (a: { box: readonly number[]; dimension: number; extent: number }) =>
      `The box ${bracketed(a.box)} has ${a.extent} elements along dimension ${a.dimension}; each is a whole number from 1 to 256.`,
    fix: (a: { box: readonly number[]; dimension: number }) =>
      `use a smaller box, \`box: ${bracketed(a.box.map((n, d) => (d === a.dimension && n > 256 ? 256 : n)))}\`, and several loads; a destination of several boxes is loaded box by box`,
  },
  W4009: {
    message: (a: { bytes: number; what: string }) => `${a.what} is ${a.bytes} bytes; it must be a multiple of 16 bytes.`,
    fix: (a) => `make it ${Math.ceil(a.bytes / 16) * 16} bytes, or another multiple of 16`,
  },
  W4010: {
    message: (a: { bytes: number; swizzle: string; what: string; dtype: string; elements: number }) =>
      `${a.what} is ${a.bytes} bytes, more than the ${a.swizzle} of its swizzle: at most ${a.elements} elements of ${a.dtype}.`,
    fix: (a) => `make it at most ${a.elements} elements and load several boxes, or choose another swizzle`,
  },
  W4011: {
    message: (a: { dimension: number; stride: number }) =>
      `The element stride of dimension ${a.dimension} is ${a.stride}; each is a whole number from 1 to 8.`,
    fix: () => "use element strides from 1 to 8",
  },
  W4012: {
    message: (a: { swizzle: string }) => `interleave "32B" works with swizzle "32B" alone, but the swizzle is "${a.swizzle}".`,
    fix: () => 'set swizzle: "32B"',
  },
  W4013: {
    message: (a: { dtype: string }) => `oobFill "nan" is for floats of 16 bits or more, but the tensor is of ${a.dtype}.`,
    fix: () => 'use oobFill: "zero"',
  },
  W4014: {
    message: (a: { option: string; given: string; values: readonly string[] }) =>
      `${a.option} is ${a.given}, which is not one of its values.`,
    fix: (a) => `use ${wordFix(a.given, oneOf(a.values))}`,
  },
  W4015: {
    message: (a: { corner: string; given: readonly number[]; count: number }) =>
      `The ${a.corner} corner ${bracketed(a.given)} has ${a.given.length} numbers; im2col of this tensor has ${a.count}, one per dimension between the batch and the channels.`,
    fix: () => "give one whole number per spatial dimension, outermost first",
  },
  W4016: {
    message: (a: { corner: string; offset: number; low: number; high: number; rank: number }) =>
      `The ${a.corner} corner has the offset ${a.offset}; with ${counted(a.rank, "dimension")} each is a whole number from ${a.low} to ${a.high}.`,
    fix: () => "use a smaller filter window or dilation",
  },
  W4017: {
    message: (a: { what: string; given: number; limit: number }) =>
      `im2col loads 1 to ${a.limit} ${a.what} per box, but ${a.given} are asked for.`,
    fix: (a) => `use a whole number from 1 to ${a.limit}`,
  },
  W4018: {
    message: (a: { dimension: number; extent: number; lower: number; upper: number }) =>
      `The corners ${a.lower} and ${a.upper} leave nothing of dimension ${a.dimension}, which has ${a.extent} elements.`,
    fix: () => "let the window's places begin before they end: lower < extent + upper",
  },
  W7002: {
    message: (a: { given: string }) => `${a.given} is not an element type.`,
    fix: (a) => `use ${wordFix(a.given, elementTypesText)}`,
  },
  W7010: {
    message: (a: { shape: readonly number[]; strides: readonly number[]; to: readonly number[] }) =>
      `A view of shape ${bracketed(a.shape)} with strides ${bracketed(a.strides)} cannot be ${bracketed(a.to)}: the elements of a dimension would not lie at regular distances.`,
    fix: () => "reshape the tensor before you transpose or slice it",
  },
  W7012: {
    message: (a: { first: string; second: string }) =>
      a.first === a.second
        ? `One launch names two devices that were opened one after the other, both ${a.first}.`
        : `One launch names two devices: ${a.first} and ${a.second}.`,
    fix: () => "make all tensors of a launch, and its stream, on one device object",
  },
  W7045: {
    message: (a: { field: string; given: string; expected: string }) =>
      `A tensor's ${a.field} must be ${a.expected}, and this one has ${a.given}.`,
    fix: () => 'make it with tensorSpec("f32", [rows, columns]), or on a device with gpu.tensor(…), gpu.empty(…) or gpu.zeros(…)',
  },
  W7046: {
    message: (a: { of: string; option: string; given: string; expected: string; required?: boolean }) =>
      `${a.of}: ${a.option} is ${a.given}, and it must be ${a.expected}.`,
    // What may be left out is never refused as undefined.
    fix: (a) =>
      `give ${a.option} ${wordFix(a.given, a.expected)}${a.required || a.given === "undefined" ? "" : ", or leave it out"}`,
  },
});

export type ErrorCode = keyof typeof baseErrors;
export const makeError: MakeError<typeof baseErrors> = raising(baseErrors).makeError;
export const fail: Fail<typeof baseErrors> = raising(baseErrors).fail;
