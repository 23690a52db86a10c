import { bracketed, defineErrors, wordFix } from "../../base/diag/index.ts";

/** W7xxx: wrong calls of the host. */
export const hostErrors = defineErrors({
  W7001: {
    message: (a: { variable: string; value: string; expected: string }) =>
      `The environment variable ${a.variable} is "${a.value}", which is not one of its values.`,
    fix: (a) => `set ${a.variable} to ${wordFix(a.value, a.expected)}, or unset it`,
  },
  W7003: {
    message: (a: { shape: readonly unknown[]; extent: unknown; number?: number | undefined }) =>
      a.number === undefined
        ? `The shape ${bracketed(a.shape)} has the extent ${String(a.extent)}; every extent is a whole number from 1.`
        : `A shape is a list of extents, and ${a.number} is given.`,
    fix: (a) =>
      a.number !== undefined
        ? `write \`[${a.number}]\``
        : "give the number of elements per dimension, outermost first, at least one dimension",
  },
  W7004: {
    message: (a: { given: number; expected: number; shape: readonly number[]; nested?: boolean | undefined }) =>
      `The data has ${a.given} elements, but the shape ${bracketed(a.shape)} has ${a.expected}.`,
    fix: (a) =>
      a.nested
        ? "give one list of all elements: `data.flat()`, or `data.flat(Infinity)` of lists in lists"
        : `give exactly ${a.expected} elements, in row-major order`,
  },
  W7005: {
    message: (a: { value: string; index: number; dtype: string; range: string }) =>
      `Element ${a.index} of the data is ${a.value}, which is not ${a.range} as ${a.dtype} needs.`,
    fix: (a) => `convert the data to ${a.dtype} values first, or choose another element type`,
  },
  W7006: {
    message: (a: { dtype: string; shape: readonly number[]; owner: boolean }) =>
      `This ${a.dtype} tensor of shape ${bracketed(a.shape)} has been disposed${a.owner ? "" : ", or the tensor that it is a view of has been"}.`,
    fix: () => "keep the tensor until its last use: move the use up, or the end of its `using` scope down",
  },
  W7007: {
    message: (a: { name: string }) => `The device ${a.name} has been disposed.`,
    fix: () => "keep the device until its last use, or open it again with openDevice()",
  },
  W7008: {
    message: (a: { permutation: readonly unknown[]; rank: number }) =>
      `transpose(${a.permutation.join(", ")}) does not name each of the ${a.rank} dimensions once.`,
    fix: (a) => `name every dimension from 0 to ${a.rank - 1} once, or none to reverse them`,
  },
  W7009: {
    message: (a: { from: readonly number[]; to: readonly number[]; fromCount: number; toCount: number }) =>
      `reshape(${a.to.join(", ")}) has ${a.toCount} elements, but the tensor of shape ${bracketed(a.from)} has ${a.fromCount}.`,
    fix: (a) => `give extents whose product is ${a.fromCount}`,
  },
  W7011: {
    message: (a: { range: string; dimension: number; shape: readonly number[] }) =>
      `slice(): ${a.range} is not a range of dimension ${a.dimension} of the shape ${bracketed(a.shape)}.`,
    fix: () => "give [start, stop] with 0 <= start < stop <= the extent, or undefined for all of a dimension",
  },
  W7013: {
    message: (a: { open: number }) =>
      a.open === 0
        ? "This launch has no device: none of its arguments lives on one, and no device is open."
        : `This launch does not say where it runs: none of its arguments lives on a device, and ${a.open} devices are open.`,
    fix: (a) => (a.open === 0 ? "open one first: await using gpu = await openDevice()" : "name it: launch({ device: gpu }, …)"),
  },
  W7014: {
    message: () => "This stream has been disposed.",
    fix: () => "keep the stream until its last use, or make another with device.stream()",
  },
  W7015: {
    message: (a: { what: string; given: string }) => `${a.what} is ${a.given}, which is not one to three whole numbers from 1.`,
    fix: () => "give a number, or [x], [x, y] or [x, y, z]; round a quotient up with cdiv(n, size)",
  },
  W7016: {
    message: (a: { grid: readonly number[]; axis: string; extent: number; limit: number }) =>
      `The grid ${bracketed(a.grid)} has ${a.extent} blocks along ${a.axis}; the limit is ${a.limit}.`,
    fix: () => "put the longest dimension on x (up to 2147483647), or let each block do more than one tile",
  },
  W7017: {
    message: (a: { block: readonly number[]; threads: number; limit: number; limitZ: number }) =>
      `A block of ${bracketed(a.block)} has ${a.threads} threads; a block has at most ${a.limit}, and at most ${a.limitZ} along z.`,
    fix: () => "make the block smaller and the grid larger",
  },
  W7018: {
    message: (a: { grid: readonly number[]; cluster: readonly number[]; axis: string }) =>
      `The grid ${bracketed(a.grid)} is not a whole number of clusters of ${bracketed(a.cluster)} along ${a.axis}.`,
    fix: () => "round the grid up to a multiple of the cluster and let the extra blocks do nothing, or change the cluster",
  },
  W7019: {
    message: (a: { cluster: readonly number[]; blocks: number; limit: number; portable: number; most: number }) =>
      `A cluster of ${bracketed(a.cluster)} has ${a.blocks} blocks; the limit is ${a.limit}${a.limit === a.portable ? "" : " with nonPortableCluster"}.`,
    fix: (a) =>
      a.blocks <= a.most
        ? `set nonPortableCluster: true in the kernel's options, or use at most ${a.portable} blocks`
        : `use at most ${a.portable} blocks, or ${a.most} with nonPortableCluster`,
  },
  W7020: {
    message: (a: { bytes: number; limit: number; capability: string }) =>
      `A block asks for ${a.bytes} bytes of shared memory; a block of compute capability ${a.capability} has at most ${a.limit}.`,
    fix: () => "use fewer pipeline stages or smaller tiles",
  },
  W7021: {
    message: (a: { bytes: unknown }) => `${String(a.bytes)} is not a size of shared memory: a whole number of bytes from 0.`,
    fix: () => "give the bytes that sharedMemory.dynamic() uses",
  },
  W7022: {
    message: (a: { given: string }) => `openDevice(${a.given}) names no device.`,
    fix: () => 'give "cuda", "cuda:" and a number, "emulator", or nothing',
  },
  W7023: {
    message: (a: { what: string }) => `This is not a ${a.what} of a device that openDevice() opened.`,
    fix: (a) =>
      a.what === "tensor"
        ? "make it with device.tensor(), device.empty() or device.zeros()"
        : `use the ${a.what} that the device gave you`,
  },
  W7024: {
    message: (a: { block: readonly number[]; kernel: string; registers: number; limit: number }) =>
      `A block of ${bracketed(a.block)} does not fit ${a.kernel}, which uses ${a.registers} registers per thread: at most ${a.limit} threads do.`,
    fix: (a) => `use a block of at most ${a.limit} threads, or limit the registers with the kernel's option registers`,
  },
  W7025: {
    message: (a: { setting: string; given: string; expected: string }) =>
      `openDevice(): ${a.setting} is ${a.given}, which is not one of its values.`,
    fix: (a) => `give ${wordFix(a.given, a.expected)}, or leave it out`,
  },
  W7027: {
    message: (a: { given: string }) => `The data of a tensor is ${a.given}, and not a list of its elements.`,
    fix: () => "give all elements in row-major order, or call gpu.zeros(dtype, shape) or gpu.empty(dtype, shape)",
  },
  W7029: {
    message: (a: { what: string }) =>
      `${a.what} cannot be part of a graph: a capture takes launches of kernels, and nothing else.`,
    fix: () => "do it before device.capture(…), or after it",
  },
  W7030: {
    message: () =>
      "The function that device.capture() was given is async: what comes after its first await would not be captured.",
    fix: () => "give a function that launches kernels and returns",
  },
  W7031: {
    message: () => "This graph was disposed.",
    fix: () => "launch it before its using block ends, or capture it again",
  },
  W7032: {
    message: (a: { dtype: string; shape: readonly number[] }) =>
      `This graph was captured with a tensor (${a.dtype} ${bracketed(a.shape)}) that has been disposed since.`,
    fix: () => "keep the tensors of a graph as long as it is launched, or capture it again with others",
  },
  W7033: {
    message: () => "A captured launch names a stream, and a graph has an order of its own: that of its launches.",
    fix: () => "leave the stream out, and give it to graph.launch({ stream })",
  },
  W7034: {
    message: (a: { given: string }) => `device.capture() takes a function that launches kernels, and it was given ${a.given}.`,
    fix: () => "write device.capture(() => { multiply.launch({}, x, y); })",
  },
  W7055: {
    message: (a: { shape: readonly number[]; bytes: number }) =>
      `The tensor ${bracketed(a.shape)} lies in ${a.bytes} bytes of memory, and JavaScript has no array here that holds what it has to read of it.`,
    fix: () => "read it part by part, `await tensor.slice([0, 1024]).read()`",
  },
  W7056: {
    message: (a: { shape: readonly number[] }) =>
      `A tensor of the shape ${bracketed(a.shape)} has more bytes than 2^53: their number cannot be told exactly.`,
    fix: () => "give a smaller shape; no device has that much memory",
  },
  W7057: {
    message: (a: { dtype: string; shape: readonly number[]; address: string; reason: string }) =>
      `There can be no ${a.dtype} tensor of shape ${bracketed(a.shape)} at ${a.address}: ${a.reason}.`,
    fix: () =>
      "give the address of memory that is allocated on this device as a bigint, and keep it allocated until its last use",
  },
  W7058: {
    message: (a: { strides: string; shape: readonly number[]; reason: string }) =>
      `The strides ${a.strides} do not fit the shape ${bracketed(a.shape)}: ${a.reason}.`,
    fix: () =>
      "give the elements between neighbours for each dimension, outermost first; leave strides out where the elements are row-major without gaps",
  },
  W7059: {
    message: (a: { dtype: string; shape: readonly number[] }) =>
      `A tensor of a device, ${a.dtype} ${bracketed(a.shape)}, stands where JavaScript wants a number or a text, and its elements are in device memory.`,
    fix: () => "compute with it in a kernel, or by a function of `warpsmith/kernels`; its elements are in `await x.read()`",
  },
});
