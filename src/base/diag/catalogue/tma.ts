import { counted } from "../counted.ts";
import { defineErrors } from "../define-errors.ts";
import { wordFix } from "../other-names.ts";

const list = (numbers: readonly number[]): string => `[${numbers.join(", ")}]`;
const oneOf = (values: readonly string[]): string =>
  `${values
    .slice(0, -1)
    .map((value) => `"${value}"`)
    .join(", ")} or "${values.at(-1)}"`;

/** Rows of a map that a kernel stores to, which end at no multiple of 16 bytes. */
export interface StoredRows {
  readonly kernel: string;
  readonly name: string;
  readonly dtype: string;
  readonly elements: number;
  /** Bytes of an element. */
  readonly size: number;
  /** Bytes from the end of a row to the next multiple of 16. */
  readonly over: number;
  /** Bytes from there to the next row, or to the end of memory behind the only one; undefined: nobody knows. */
  readonly bytes: number | undefined;
  readonly rows: number;
  readonly reduces: boolean;
}

function overWhat({ over, reduces, rows }: StoredRows): string {
  const where = `${rows === 1 ? "the row" : "each row"}`;
  return `TMA ${reduces ? "reduces" : "writes"} on to the next multiple of 16, over the ${over} bytes behind ${where}`;
}

function nextTo({ bytes, rows }: StoredRows): string {
  if (bytes === undefined) return "somebody else has allocated that memory";
  return rows === 1 ? `memory goes on for ${bytes} bytes` : `the next row begins ${bytes} bytes further on`;
}

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
      `The box ${list(a.box)} has ${a.extent} elements along dimension ${a.dimension}; each is a whole number from 1 to 256.`,
    fix: (a: { box: readonly number[]; dimension: number }) =>
      `use a smaller box, \`box: ${list(a.box.map((n, d) => (d === a.dimension && n > 256 ? 256 : n)))}\`, and several loads; a destination of several boxes is loaded box by box`,
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
      `The ${a.corner} corner ${list(a.given)} has ${a.given.length} numbers; im2col of this tensor has ${a.count}, one per dimension between the batch and the channels.`,
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
  W4019: {
    message: (a: { tensor: boolean }) =>
      a.tensor
        ? "The options of this tensor map have no box."
        : "A tensor map is made of a tensor of a device, or of a tensorSpec.",
    fix: () => "write `new TMA(tensor, { box: [rows, columns] })`, outermost first",
  },
  W4502: {
    message: (a: { shape: string }) =>
      `the kernel uses a tensor map over [${a.shape}] that it was not given: a tensor map reaches the GPU only as a parameter`,
    fix: () => 'add a parameter to the kernel, such as `a: TMA<"f16", 2>`, and pass the map at launch',
  },
  W4503: {
    message: (a: { given: string; map: string; name: string }) =>
      `the shared view holds ${a.given}, and the tensor map \`${a.name}\` moves ${a.map}`,
    fix: (a) => `allocate the shared memory as "${a.map}", or use \`view.reinterpret("${a.map}", shape)\``,
  },
  W4504: {
    message: (a: { given: string; map: string; name: string }) =>
      `the shared view has swizzle "${a.given}", and the tensor map \`${a.name}\` moves its boxes with swizzle "${a.map}"`,
    fix: (a) =>
      `give both the same: \`sharedMemory.alloc(…, { swizzle: "${a.map}" })\` or \`new TMA(…, { swizzle: "${a.given}" })\``,
  },
  W4505: {
    message: (a: { shape: string; box: string; name: string }) =>
      `a view of [${a.shape}] is not a whole number of boxes [${a.box}] of the tensor map \`${a.name}\``,
    fix: () =>
      "make each extent of the view a multiple of the box's: change the box in `new TMA(…, { box })`, or take a `.subview`",
  },
  W4506: {
    message: (a: { box: string; name: string }) =>
      `a box [${a.box}] of the tensor map \`${a.name}\` does not lie in one piece in this view`,
    fix: () =>
      "use a view whose rows are as long as the box's and that is not transposed; a swizzled view is stored in panels as wide as its swizzle",
  },
  W4507: {
    message: (a: { known: number; align: number; why: string }) =>
      `TMA needs shared memory that begins at a multiple of ${a.align} bytes${a.why}, and this begins at a multiple of ${a.known}`,
    fix: (a) => `allocate it with \`{ align: ${a.align} }\`, and take parts that begin at multiples of ${a.align} bytes`,
  },
  W4508: {
    message: (a: { given: number; rank: number; name: string }) =>
      `there are ${a.given} coordinates for the tensor map \`${a.name}\`, which has ${counted(a.rank, "dimension")}`,
    fix: (a) => `give ${a.rank}, innermost first`,
  },
  W4509: {
    message: (a: { size: number; mask: string }) => `the multicast mask ${a.mask} names blocks outside a cluster of ${a.size}`,
    fix: (a) =>
      a.size === 1 ? "give the kernel a `cluster`, or leave `multicast` out" : `use one bit per block, 0 to ${a.size - 1}`,
  },
  W4510: {
    message: (a: { what: string; given: string }) =>
      `${a.what} is ${a.given}, but it is a whole number known when the kernel is compiled`,
    fix: () => "give a literal or a static value, 0 or more",
  },
  W4511: {
    message: (a: { bytes: number }) => `a bulk copy moves a multiple of 16 bytes, not ${a.bytes}`,
    fix: () => "copy a multiple of 16 bytes, and the rest by ordinary loads and stores",
  },
  W4512: {
    message: (a: { what: string }) => `${a.what} does not lie in one piece in memory, so one bulk copy cannot move it`,
    fix: () => "copy row by row, or use a tensor map",
  },
  W4513: {
    message: (a: { dst: string; src: string }) => `the copy has [${a.src}] on one side and [${a.dst}] on the other`,
    fix: () => "give both sides the same element type and shape, with `.subview` or `.reshape`",
  },
  W4514: {
    message: (a: { op: string; dtype: string }) => `TMA has no reduction "${a.op}" of ${a.dtype}`,
    fix: () =>
      '"add" works on f32, f16, bf16, i32, u32 and u64; "min" and "max" on f16, bf16 and integers of 32 and 64 bits; "and", "or", "xor" on integers of 32 and 64 bits; "inc" and "dec" on u32',
  },
  W4515: {
    message: (a: { given: number; wanted: number }) =>
      a.wanted === 0
        ? "this tensor map is no im2col map, so it takes no `offsets`"
        : `there are ${a.given} offsets for an im2col map with ${a.wanted} spatial dimensions`,
    fix: (a) =>
      a.wanted === 0 ? "leave `offsets` out" : `give { offsets: [${new Array(a.wanted).fill("0").join(", ")}] }, innermost first`,
  },
  W4516: {
    message: (a: { given: string }) => `${a.given} is no shared memory of this kernel`,
    fix: () => "give a view that `sharedMemory.alloc` or `sharedMemory.dynamic` made",
  },
  W4517: {
    message: (a: { given: string }) => `${a.given} is no mbarrier`,
    fix: () => "give one barrier: `new Mbarriers(1).at(0)`",
  },
  W4518: {
    message: (a: {
      coordinate: number;
      name: string;
      dtype: string;
      multiple: number;
      given: string;
      turned: string | undefined;
    }) =>
      `the innermost coordinate of ${a.name}, the first of [${a.given}], is ${a.coordinate}, and the hardware takes only multiples of 16 bytes there: ${a.multiple} ${a.dtype}`,
    fix: (a) => {
      const begin = `begin the box at a multiple of ${a.multiple}, and pick the elements you want out of shared memory`;
      return a.turned === undefined
        ? begin
        : `coordinates are innermost first, \`[column, row]\` of a matrix: where they were meant the other way round, give [${a.turned}]; else ${begin}`;
    },
  },
  W4519: {
    message: (a: { coordinate: number; name: string }) =>
      `A store to ${a.name} begins at the coordinate ${a.coordinate}, and the hardware takes none before the tensor there.`,
    fix: () => "begin at 0 or later (what lies beyond the end is not written), or store the part that is inside",
  },
  W4521: {
    message: (a: { what: string; why: string }) => `${a.what} cannot be used for a tensor map that the kernel changes: ${a.why}`,
    fix: () =>
      'give `map.at` 128 bytes of a `Tensor<"u8", 1>` in global memory, such as `room.at(blockIdx.x)` of [blocks, 128], change that map by `replace`, and begin it in a tensor of the map\'s type',
  },
  W4522: {
    message: (a: { given: number; wanted: number; what: string }) =>
      `there are ${a.given} ${a.what} for a tensor map that takes ${a.wanted}`,
    fix: (a) =>
      a.what === "strides"
        ? "give one for each dimension but the innermost, outermost first"
        : "give one for each dimension, outermost first",
  },
  W4523: {
    message: () =>
      "a kernel cannot change an im2col map: PTX's `tensormap.replace` is for maps of boxes alone (`.tile`, PTX ISA 9.7.9.28)",
    fix: () => "make a map for each tensor on the host, or a map of boxes in place of the im2col one: `new TMA(x, { box: […] })`",
  },
  W7675: {
    message: (a: StoredRows) =>
      `${a.kernel} ${a.reduces ? "reduces into" : "stores to"} ${a.name} by TMA, in rows of ${a.elements} ${a.dtype}, ${a.elements * a.size} bytes: ${overWhat(a)}, and what lies there is not the tensor's: ${nextTo(a)}`,
    fix: (a) => {
      const whole = a.elements - (a.elements % (16 / a.size));
      const threads =
        whole === 0
          ? "store the rows by threads, through a parameter that is the tensor"
          : `make the map of the first ${whole} columns, as \`new TMA(x.slice(…, [0, ${whole}]), …)\`, and store the others by threads`;
      return `${threads}; or, where what lies behind is padding that nobody else uses, make the map of ${a.elements + a.over / a.size} columns`;
    },
    inLoops: {
      fix: (a: StoredRows) =>
        `leave \`stores\` out or give \`stores: "thread"\`, so that threads store the rows; or pass a tensor whose rows begin ${a.elements * a.size + a.over} bytes apart, so that nothing but padding lies behind them`,
    },
  },
  W7670: {
    message: (a: { name: string }) =>
      `the kernel knows neither extents nor strides of what ${a.name} was made of, because some of its dimensions are \`dynamic\``,
    fix: (a) =>
      `read \`${a.name}.shape\`, of which the dynamic extents are numbers of the launch, or pass what you need as a parameter`,
  },
});
