import { counted, defineErrors } from "../../base/diag/index.ts";

export const tmaErrors = defineErrors({
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
  W7670: {
    message: (a: { name: string }) =>
      `the kernel knows neither extents nor strides of what ${a.name} was made of, because some of its dimensions are \`dynamic\``,
    fix: (a) =>
      `read \`${a.name}.shape\`, of which the dynamic extents are numbers of the launch, or pass what you need as a parameter`,
  },
});
