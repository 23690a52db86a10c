/**
 * Who may import whom: the one table of the rooms of `src`, from which layers.test.ts checks every import and docs/architecture.md is written. A room is
 * a folder of `src` or of one of its wings, or a file at the top of `src`. Every room may import `base`. A room is entered by its faces: `index.ts`, `errors.ts` (or `errors/index.ts`), and those that it names here.
 */
export interface Room {
  readonly name: string;
  /** The rooms that it may import, besides `base`; "any" where it joins others. */
  readonly may: readonly string[] | "any";
  /** Faces besides `index.ts`, by their paths in the room, with who they are for. */
  readonly faces?: Readonly<Record<string, string>>;
  /** What the page says beside the list. */
  readonly note?: string;
}

/** Folders of `src` that hold rooms of one kind, with what they are. A room in one is named by its path. */
export const wings: Readonly<Record<string, string>> = {
  inspect: "what one looks at: stages, report, profile, pages, machine programs",
  tools: "what is made of devices and kernels: the command line, builds, files of arrays, PTX of others, testing",
};

/** From the ground up. */
export const rooms: readonly Room[] = [
  {
    name: "base",
    may: [],
    faces: { "*.ts": "a vocabulary each", "diag/index.ts": "errors, remarks, warnings" },
    note: "what every room may use",
  },
  { name: "inspect/cubin", may: [] },
  { name: "layout", may: [], faces: { "modes/index.ts": "views of memory" } },
  { name: "inspect/page", may: [] },
  { name: "tools/testing", may: [] },
  { name: "ptx", may: [], faces: { "parse/index.ts": "PTX that is read" }, note: "ir and ptx never import each other" },
  { name: "ir", may: ["layout"], faces: { "arith.ts": "who writes ops" } },
  { name: "inspect/profile", may: ["inspect/page"], faces: { "written.ts": "with what writes files" } },
  {
    name: "transform",
    may: [],
    faces: { "cached.ts": "without TypeScript, where nothing is new", "typescript.ts": "TypeScript itself" },
  },
  {
    name: "dsl",
    may: ["ir", "layout"],
    faces: { "public.ts": "authors", "hooks.ts": "transformed code", "emit.ts": "who generates kernels" },
  },
  { name: "passes", may: ["ir", "layout"] },
  { name: "lower", may: ["ir", "ptx"] },
  { name: "runtime", may: ["inspect/profile"], faces: { "public.ts": "authors" } },
  { name: "cuda", may: ["inspect/cubin", "runtime"], faces: { "offline.ts": "without a driver" } },
  { name: "emulator", may: ["ptx", "runtime", "inspect/profile"] },
  { name: "compile", may: ["dsl", "passes", "lower", "ptx", "ir"], note: "trace, passes, lower, print" },
  { name: "inspect/stages", may: ["ir", "inspect/page"] },
  {
    name: "inspect/report",
    may: ["inspect/cubin", "ir", "passes"],
    faces: { "gpus.ts": "names of GPUs alone" },
    note: "of passes what an op gives for literals",
  },
  {
    name: "kernel",
    may: ["dsl", "compile", "inspect/stages", "inspect/report", "inspect/cubin", "inspect/profile", "runtime", "ir", "ptx"],
    faces: { "public.ts": "authors", "tune/index.ts": "the search for the fastest" },
  },
  { name: "tools/built", may: ["runtime"], faces: { "public.ts": "what manifests say, for programs that read them" } },
  { name: "tools/build", may: ["tools/built", "kernel", "dsl", "ir", "cuda", "runtime"] },
  { name: "tools/load-ptx", may: ["runtime", "ptx"], faces: { "public.ts": "authors" } },
  { name: "tools/arrays", may: ["runtime"] },
  { name: "tools/launch-ptx", may: ["tools/load-ptx", "tools/arrays", "runtime", "tools/testing"] },
  { name: "schedule", may: ["dsl", "kernel", "runtime", "inspect/stages", "layout"], faces: { "hooks.ts": "transformed code" } },
  {
    name: "kernels",
    may: ["kernel"],
    faces: { "tune/index.ts": "`warpsmith tune`", "tune/names.ts": "names alone" },
    note: "of base what refuses bad input, what is kept, and types of elements; of kernel the search, in tune/; all else by the public name of the package",
  },
  {
    name: "tools/cli",
    may: [
      "index",
      "entries",
      "inspect/profile",
      "tools/arrays",
      "tools/build",
      "kernels",
      "compile",
      "inspect/report",
      "tools/load-ptx",
      "tools/launch-ptx",
      "transform",
    ],
    note: "of report the names of GPUs; of transform what the prompt needs",
  },
  { name: "index", may: "any", note: "`warpsmith`" },
  {
    name: "entries",
    may: "any",
    faces: { "*.ts": "an entry each", "shared/*.ts": "what several join" },
    note: "a file for each further entry of package.json, and for each module that is started by its path; shared/ is what several of them join",
  },
];

type Floors = Readonly<Record<string, readonly [may: readonly string[], what: string]>>;

/** Floors inside of a room, the lowest first: folders, or files at its top. Files that a table leaves out join the floors: no floor imports them. `errors` lies below all. */
export const floors: Readonly<Record<string, Floors>> = {
  dsl: {
    "hooks-interface": [[], "what the hooks are called and take"],
    trace: [[], "the current trace, values on the GPU, errors at the author's line"],
    checks: [["trace"], "checks that `debug` asks for"],
    numbers: [["checks", "trace"], "number types, open ones too: arithmetic, literals, conversions"],
    math: [["numbers", "trace"], "functions of `Math`, `fast`, `bits`, `erf`; those of f64 in `double/`"],
    objects: [
      ["numbers", "trace"],
      "fields of the author's objects under branches and loops, which objects may be one, and what was read of those that were there before",
    ],
    operators: [["objects", "math", "numbers", "trace"], "JavaScript's operators on whatever the author gave"],
    control: [
      ["operators", "objects", "numbers", "trace"],
      "branches, loops, what they merge and carry; ranges, assertions; which loops unroll and need not",
    ],
    calls: [
      ["objects", "math", "numbers", "trace", "hooks-interface"],
      "what a call means: the author's functions, JavaScript's own, `console.log`",
    ],
    hooks: [["calls", "control", "operators", "objects", "numbers", "trace", "hooks-interface"], "the hooks of transformed code"],
    tiles: [
      ["calls", "operators", "math", "numbers", "checks", "trace"],
      "tiles over the registers of threads, and their layouts",
    ],
    memory: [["tiles", "numbers", "checks", "trace"], "tensors, shared memory, elements, atomics"],
    sync: [["memory", "numbers", "trace"], "fences and barriers"],
    threads: [
      ["sync", "memory", "calls", "control", "objects", "numbers", "trace"],
      "who runs: threads, warps, warpgroups, clusters",
    ],
    copies: [["sync", "memory", "tiles", "numbers", "trace"], "asynchronous copies and stores of threads"],
    tma: [["sync", "memory", "numbers", "trace"], "tensor maps and bulk copies"],
    pipeline: [["threads", "sync", "numbers", "checks", "trace"], "stages between producers and consumers"],
    wgmma: [
      ["sync", "memory", "tiles", "calls", "operators", "numbers", "trace"],
      "accumulators and products of the tensor cores",
    ],
    wmma: [["memory", "calls", "numbers", "trace"], "matrices of one warp and their products"],
    "tile-scheduler": [["control", "objects", "numbers", "checks", "trace"], "which tile a block takes next"],
    ptx: [["sync", "memory", "numbers", "trace"], "instructions that the author writes as PTX"],
    profile: [["trace"], "marks of the author's in the profile of a launch"],
  },
  passes: {
    evaluate: [[], "what ops give for literals"],
    rewrite: [["evaluate"], "new graphs from old ones: renaming, writing ops, values that are one value"],
    facts: [["rewrite", "evaluate"], "what is known of values: divisors, ranges, bits, who has the same, where views lie"],
    checks: [["facts"], "refusals that need the whole graph"],
    "tile-level": [["facts", "rewrite"], "choices for accesses of tiles, and from the tile level to the machine level"],
    fold: [["facts", "rewrite", "evaluate"], "what is known is computed"],
    "machine-level": [["fold", "facts", "rewrite"], "the other passes of the machine level"],
    timeline: [
      ["facts", "rewrite", "evaluate"],
      "what a kernel records for its timeline, where it is compiled for one; a warp that sees copies land",
    ],
  },
  schedule: {
    ir: [[], "programs of loops and blocks: building, simplifying, printing, running them"],
    intrinsics: [["ir"], "what a block of a certain form becomes in one step: copies by TMA, products of tensor cores"],
    facts: [["intrinsics", "ir"], "what statements touch, depend on and are marked as; threads and blocks of a launch"],
    trace: [["facts", "ir"], "programs written as functions"],
    flat: [["facts", "intrinsics", "ir"], "a program without blocks, and what it leaves visible at its end"],
    roles: [["facts", "intrinsics", "ir"], "a loop whose copies are made by warps of their own"],
    primitives: [
      ["roles", "flat", "facts", "intrinsics", "ir"],
      "the steps of a schedule: what each refuses, and the program after it",
    ],
    lower: [["roles", "flat", "facts", "intrinsics", "ir"], "a program to a kernel: memory, threads, barriers, statements"],
    pictures: [["lower", "primitives", "facts", "intrinsics", "ir"], "drawings of buffers, banks and timelines"],
    "program-stages": [["ir"], "what the viewer of stages shows of a schedule"],
    refs: [["primitives", "ir"], "blocks and loops as an author names them"],
    steps: [["refs", "primitives", "facts", "intrinsics", "ir"], "the table of steps: what each takes, and what it applies"],
    schedule: [["steps", "refs", "program-stages", "pictures", "lower", "primitives", "facts", "ir"], "`Schedule`"],
    pipeline: [["schedule", "primitives", "facts", "intrinsics", "ir"], "a whole schedule for a product on the tensor cores"],
    tune: [["pipeline", "schedule", "roles", "facts", "ir"], "a search over such schedules"],
  },
  "schedule/lower": {
    pass: [[], "what each pass takes, and what all of them give"],
    tensors: [[], "the tensors of a launch: the program for their sizes, where they begin, their tensor maps"],
    expressions: [[], "expressions as values of the kernel language"],
    "register-maps": [["expressions", "pass"], "loops over registers of warpgroups as intrinsics"],
    buffers: [
      ["pass"],
      "how large buffers are and where they lie: compacted, put in shared memory, packed there, checked for room",
    ],
    loops: [["tensors", "pass"], "loops and their conditions: merged, unrolled, vectorised, bound to threads"],
    barriers: [["buffers"], "where threads meet: between which accesses, put in as which effects; the table of effects"],
    "lower-program": [["barriers", "loops", "buffers", "register-maps", "pass"], "the passes in order"],
    storage: [["buffers", "tensors"], "buffers as objects of the kernel language: tensors, shared memory, registers"],
    "start-values": [["storage"], "registers that begin with a value, and reads of what nothing has stored"],
    emit: [
      ["start-values", "storage", "barriers", "expressions", "pass"],
      "statements recorded as ops: loops as indices of threads, calls of intrinsics, roles of warpgroups and their stages",
    ],
    kernel: [
      ["emit", "storage", "lower-program", "tensors", "pass"],
      "what callers take: the kernel of a program, its stages, checks of intrinsics",
    ],
  },
  "kernels/matmul": {
    epilogue: [[], "what becomes of each sum, and of rows, before a tile is stored"],
    problem: [["epilogue"], "sizes, types and layouts; what no product can take"],
    plan: [["problem"], "tiles, stages and clusters: checked, chosen, tuned"],
    options: [["plan", "problem"], "what a caller may say"],
    kernel: [["plan", "problem", "epilogue"], "the kernel: loads, products, stores"],
    launch: [
      ["kernel", "options", "plan", "problem", "epilogue"],
      "makes a launch of a call; copies operands that TMA cannot load",
    ],
    matmul: [["launch", "options", "problem"], "`matmul`"],
    gated: [["matmul", "launch", "options", "problem"], "`gatedMatmul`"],
  },
  emulator: {
    machine: [[], "state and what changes it: memory, lanes, warps, blocks, clusters; the units of a multiprocessor"],
    program: [["machine"], "PTX to steps: straight lines as JavaScript, and what is more than that"],
    run: [["machine", "program"], "launches, streams, the scheduler, deadlocks, reports"],
    watch: [["machine", "program", "run"], "the checks of a launch and its timeline: they listen, and nothing needs them"],
  },
};

const listed = (names: readonly string[]): string => (names.length === 0 ? "nothing" : names.join(", "));

/** The tables as docs/architecture.md has them, by the heading that each stands under. */
export const tables: ReadonlyMap<string, string> = new Map([
  [
    "Who may import whom",
    [
      "| room | may import, besides base | faces besides index.ts | |",
      "|---|---|---|---|",
      ...rooms.map(
        ({ name, may, faces = {}, note = "" }) =>
          `| ${name} | ${may === "any" ? "any: it only joins" : listed(may)} | ${Object.entries(faces)
            .map(([face, whom]) => `${face}: ${whom}`)
            .join("; ")} | ${note} |`,
      ),
      "| examples, bench | the public name of the package | | |",
    ].join("\n"),
  ],
  ...Object.entries(floors).map(
    ([room, table]) =>
      [
        `Inside ${room}`,
        [
          "| floor | may import | what it is |",
          "|---|---|---|",
          ...Object.entries(table).map(([floor, [may, what]]) => `| ${floor} | ${listed(may)} | ${what} |`),
        ].join("\n"),
      ] as const,
  ),
]);
