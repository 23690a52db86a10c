import { defineErrors } from "../define-errors.ts";

const list = (numbers: readonly number[]): string => `[${numbers.join(", ")}]`;

/** W4xxx. W4001–W4499: what a tensor map can be; from W4500: how kernels use one. */
export const tmaErrors = defineErrors({
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
      `${a.what} has ${a.given} numbers, but the tensor has ${a.rank} dimensions.`,
    fix: (a) => `give ${a.rank} numbers, outermost first like the tensor's shape`,
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
    fix: (a) => `pad the inner dimensions so that this stride becomes ${Math.ceil(a.bytes / a.alignment) * a.alignment} bytes`,
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
      `The box ${list(a.box)} has ${a.extent} elements along dimension ${a.dimension}; each is a whole number from 1 to 256.`,
    fix: () => "use a smaller box and several loads; a destination of several boxes is loaded box by box",
  },
  W4009: {
    message: (a: { bytes: number; what: string }) => `${a.what} is ${a.bytes} bytes; it is a multiple of 16.`,
    fix: (a) => `make it ${Math.ceil(a.bytes / 16) * 16} bytes`,
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
    fix: (a) => `use one of ${a.values.map((v: string) => `"${v}"`).join(", ")}`,
  },
  W4015: {
    message: (a: { corner: string; given: readonly number[]; count: number }) =>
      `The ${a.corner} corner ${list(a.given)} has ${a.given.length} numbers; im2col of this tensor has ${a.count}, one per dimension between the batch and the channels.`,
    fix: () => "give one whole number per spatial dimension, outermost first",
  },
  W4016: {
    message: (a: { corner: string; offset: number; low: number; high: number; rank: number }) =>
      `The ${a.corner} corner has the offset ${a.offset}; with ${a.rank} dimensions each is a whole number from ${a.low} to ${a.high}.`,
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
});
