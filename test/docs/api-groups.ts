/** The pages of docs/api: which rooms of the source each one is about. */
export interface Group {
  readonly page: string;
  readonly title: string;
  readonly about: string;
  /** Files and folders below src. */
  readonly rooms: readonly string[];
}

export const groups: readonly Group[] = [
  {
    page: "kernels",
    title: "Kernels and launches",
    about: "Making a kernel, launching, compiling and timing it; helpers, static parameters.",
    rooms: ["kernel", "dsl/public.ts", "dsl/calls/helper.ts"],
  },
  {
    page: "report",
    title: "Reports",
    about: "What a kernel costs, without running it: [report.md](../report.md) explains it.",
    rooms: ["inspect/report"],
  },
  {
    page: "profiles",
    title: "Profiles",
    about: "What happened in a launch, by time: [profile.md](../profile.md) explains it.",
    rooms: ["inspect/profile", "dsl/profile"],
  },
  {
    page: "devices",
    title: "Devices, tensors and element types",
    about: "What the host has: devices, memory on them, streams and graphs; the vocabulary of shapes and element types.",
    rooms: ["runtime", "base/types.ts"],
  },
  {
    page: "threads",
    title: "Threads, warps, warpgroups and clusters",
    about: "Who a thread is, and what it does together with others.",
    rooms: ["dsl/threads"],
  },
  {
    page: "control",
    title: "Loops, assertions and the explicit form",
    about: "Loops of the GPU and of trace time, assertions; functions in place of operators and statements.",
    rooms: ["dsl/control", "dsl/explicit.ts"],
  },
  {
    page: "numbers",
    title: "Scalar types and mathematics",
    about: "Types of parameters and conversions to them; what is there beside JavaScript's `Math`.",
    rooms: ["dsl/numbers", "dsl/math"],
  },
  {
    page: "memory",
    title: "Memory",
    about: "Global memory as a kernel sees it, shared memory, loads, stores and atomics.",
    rooms: ["dsl/memory", "dsl/copies"],
  },
  {
    page: "synchronisation",
    title: "Barriers, fences and pipelines",
    about: "Barriers of the block, mbarriers, pipelines of stages, fences, programmatic dependent launch.",
    rooms: ["dsl/sync", "dsl/pipeline"],
  },
  { page: "tma", title: "TMA and bulk copies", about: "Tensor maps, and the copies that go through them.", rooms: ["dsl/tma"] },
  { page: "wgmma", title: "Tensor cores: wgmma", about: "Products of the tensor cores.", rooms: ["dsl/wgmma"] },
  { page: "wmma", title: "Tensor cores: products of a warp", about: "Products of one warp, by `wmma`.", rooms: ["dsl/wmma"] },
  { page: "inline-ptx", title: "Inline PTX", about: "Instructions in a kernel, as PTX has them.", rooms: ["dsl/ptx"] },
  {
    page: "tiles",
    title: "Tiles",
    about: "Blocks of elements over the registers of threads, and their layouts.",
    rooms: ["dsl/tiles"],
  },
  { page: "tile-schedulers", title: "Tile schedulers", about: "Which tile a block takes next.", rooms: ["dsl/tile-scheduler"] },
  {
    page: "errors",
    title: "Errors",
    about: "What every refusal is. Each code has its entry in [errors.md](../errors.md).",
    rooms: ["base/diag"],
  },
  {
    page: "arrays",
    title: "warpsmith/arrays",
    about: "Arrays in files of numpy and of the frameworks: [arrays.md](../arrays.md) explains them.",
    rooms: ["tools/arrays"],
  },
  {
    page: "build",
    title: "warpsmith/build and warpsmith/runtime",
    about: "Kernels that are built once and launched elsewhere: [build.md](../build.md) explains them.",
    rooms: ["tools/build", "tools/built"],
  },
  {
    page: "matmul",
    title: "warpsmith/kernels",
    about: "Kernels that are ready to use: [kernels.md](../kernels.md) explains them.",
    rooms: ["kernels/matmul"],
  },
  {
    page: "attention",
    title: "warpsmith/kernels: attention",
    about: "Attention that is ready to use: [attention.md](../attention.md) explains it.",
    rooms: ["kernels/attention"],
  },
  {
    page: "memory-kernels",
    title: "warpsmith/kernels: rows and elements",
    about: "Functions of rows and elements that are ready to use: [memory-kernels.md](../memory-kernels.md) explains them.",
    rooms: [
      "kernels/rows",
      "kernels/elementwise",
      "kernels/select",
      "kernels/embedding",
      "kernels/sort",
      "kernels/histogram",
      "kernels/common",
    ],
  },
  {
    page: "ptx",
    title: "warpsmith/ptx",
    about: "Kernels that another compiler made: [ptx.md](../ptx.md) explains them.",
    rooms: ["tools/load-ptx"],
  },
  {
    page: "schedule",
    title: "warpsmith/schedule",
    about: "Programs of loop nests and blocks: [schedules.md](../schedules.md) explains them.",
    rooms: ["schedule"],
  },
  { page: "testing", title: "warpsmith/testing", about: "What tests of kernels need.", rooms: ["tools/testing"] },
  {
    page: "plugin",
    title: "warpsmith/plugin",
    about: "The transform for bundlers and vitest.",
    rooms: ["entries/plugin.ts"],
  },
];
