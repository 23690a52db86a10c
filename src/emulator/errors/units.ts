import { defineErrors } from "../../base/diag/index.ts";

/** W91xx: what a kernel does wrong with mbarriers, TMA, bulk copies and wgmma, seen while it runs in the emulator. */
export const unitsErrors = defineErrors({
  W9101: {
    message: (a: { address: string }) =>
      `there can be no mbarrier at the shared address ${a.address}: it is 8 bytes at a multiple of 8`,
    fix: () => "declare it as `Mbarriers`, or align the memory to 8 bytes",
    inPtx: {
      fix: () => "align it to 8 bytes: `__align__(8)`, in PTX `.align 8`",
    },
  },
  W9102: {
    message: (a: { what: string; address: string }) =>
      `a thread or a copy ${a.what} the mbarrier at the shared address ${a.address}, where none has been initialised`,
    fix: () => "let one thread call `init`, then a barrier of all threads (of the cluster, for a peer's) before the first use",
    inPtx: {
      fix: () =>
        "let one thread issue `mbarrier.init`, then a barrier of all threads (of the cluster, for a peer's) before the first use",
    },
  },
  W9103: {
    message: (a: { count: number }) => `an mbarrier cannot wait for ${a.count} arrivals: their number is from 1 to 1048575`,
    fix: () => "count the threads that call `arrive` in one phase",
    inPtx: {
      fix: () => "count the threads that issue `mbarrier.arrive` in one phase",
    },
  },
  W9104: {
    message: (a: { address: string }) => `the mbarrier at the shared address ${a.address} is initialised a second time`,
    fix: () => "initialise it once, by one thread; call `inval` first where the memory is used again",
    inPtx: {
      fix: () => "initialise it once, by one thread; issue `mbarrier.inval` first where the memory is used again",
    },
  },
  W9105: {
    message: (a: { address: string; count: number; pending: number; phase: number }) =>
      `${a.count === 1 ? "an arrival comes" : `${a.count} arrivals come`} at the mbarrier at the shared address ${a.address}, whose phase ${a.phase} waits for ${a.pending} more`,
    fix: () => "give `init` the number of arrivals of one phase, and let nobody arrive for the next before this one is over",
    inPtx: {
      fix: () =>
        "give `mbarrier.init` the number of arrivals of one phase, and let nobody arrive for the next before this one is over",
    },
  },
  W9106: {
    message: (a: { address: string; bytes: number }) =>
      `the mbarrier at the shared address ${a.address} would have ${a.bytes} bytes outstanding: it counts to 1048575 either way`,
    fix: () => "expect in each phase exactly the bytes of the copies that complete on the barrier: `view.bytes` of each",
    inPtx: {
      fix: () => "expect in each phase exactly the bytes of the copies that complete on the barrier",
    },
  },
  W9107: {
    message: (a: { count: number }) => `a thread cannot arrive ${a.count} times at once: it is from 1 to 1048575`,
    fix: () => "give `arrive` a count from 1 to 1048575",
    inPtx: {
      fix: () => "give `mbarrier.arrive` a count from 1 to 1048575",
    },
  },
  W9108: {
    message: (a: { address: string }) => `an arrival marked .noComplete would complete the phase of the mbarrier at ${a.address}`,
    fix: () => "use `mbarrier.arrive` without .noComplete for the last arrival of a phase",
  },
  W9109: {
    message: (a: { address: string }) =>
      `the mbarrier at the shared address ${a.address} would wait for more than 1048575 arrivals`,
    fix: () => "use cp.async.mbarrier.arrive.noinc and count these arrivals in `init`",
    inPtx: {
      fix: () => "use cp.async.mbarrier.arrive.noinc and count these arrivals in `mbarrier.init`",
    },
  },
  W9110: {
    message: () => "the tensor map is none: its 128 bytes were not made by `cuTensorMapEncode…`, or have been overwritten",
    fix: () => "pass the kernel a map made by `TMA.tiled` or `TMA.im2col`, and write nothing over it",
    inPtx: {
      fix: () =>
        "pass the kernel a map that this device made (cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col), and write nothing over it",
    },
  },
  W9111: {
    message: (a: { what: string; address: string; alignment: number }) =>
      `${a.what} at ${a.address} is not at a multiple of ${a.alignment} bytes`,
    fix: (a) =>
      `begin at an index whose place is a multiple of ${a.alignment} bytes, in memory that begins at one: \`sharedMemory.alloc(…, { align: ${a.alignment} })\``,
    inPtx: {
      fix: (a: { alignment: number }) =>
        `align the memory to ${a.alignment} bytes: \`__align__(${a.alignment})\`, in PTX \`.align ${a.alignment}\``,
    },
  },
  W9112: {
    message: (a: { what: string; address: string; bytes: number }) =>
      `${a.what} takes ${a.bytes} bytes at the shared address ${a.address}, which are not all in the block's shared memory`,
    fix: () => "make the tile as large as the box, and keep its index below the number of stages",
    inPtx: {
      fix: () => "make the tile as large as the box, and see that it lies inside static and dynamic shared memory",
    },
  },
  W9113: {
    message: (a: { what: string; given: number; rank: number }) =>
      `${a.what}: ${a.given} are given, the tensor map needs ${a.rank}`,
    fix: () => "give one coordinate per dimension of the map, and im2col offsets per spatial dimension",
  },
  W9114: {
    message: (a: { bytes: number }) => `a bulk copy cannot move ${a.bytes} bytes: it moves a multiple of 16`,
    fix: () => "copy a multiple of 16 bytes, and the rest by ordinary loads",
  },
  W9115: {
    message: (a: { op: string; type: string }) => `a bulk copy cannot reduce by ${a.op} on elements of type ${a.type}`,
    fix: () => "use one of the pairs of the PTX ISA's table of cp.reduce.async.bulk",
  },
  W9116: {
    message: (a: { rank: number; size: number }) => `there is no block ${a.rank} in this cluster of ${a.size}`,
    fix: (a) => `use a rank, or bits of a multicast mask, from 0 to ${a.size - 1}`,
  },
  W9117: {
    message: (a: { mode: string; instruction: string }) =>
      `a tensor map of mode ${a.mode} is given to a copy of mode ${a.instruction}`,
    fix: () => "make the map by `TMA.tiled` for `load`, and by `TMA.im2col` for `loadIm2col`",
    inPtx: {
      fix: () => "use maps of cuTensorMapEncodeTiled with `.tile`, and maps of cuTensorMapEncodeIm2col with `.im2col`",
    },
  },
  W9118: {
    message: (a: { barrier: string; destination: string }) =>
      `the copy to shared address ${a.destination} completes on an mbarrier of another block, at ${a.barrier}`,
    fix: () => "use the mbarrier of the block that receives the bytes",
  },
  W9119: {
    message: (a: { coordinate: number; bytes: number; given: string; meant: string | undefined }) =>
      `a box of a tensor map begins at the coordinates [${a.given}], innermost first, ${a.coordinate} ${a.coordinate === 1 ? "element" : "elements"} into a row, ${a.bytes} bytes: the hardware takes only multiples of 16 bytes there`,
    fix: (a) => {
      const begin = "begin the box at a multiple of 16 bytes, and pick the elements you want out of shared memory";
      return a.meant === undefined
        ? begin
        : `coordinates are innermost first, [column, row] of a matrix: where they were meant the other way round, give [${a.meant}] for [${a.given}]; else ${begin}`;
    },
  },
  W9121: {
    message: (a: { operand: string; address: string }) =>
      `the matrix descriptor of ${a.operand} reaches the shared address ${a.address}, outside the block's shared memory`,
    fix: () => "make the tile as large as wgmma's shape says, and check leading and stride byte offsets",
  },
  W9122: {
    message: (a: { type: string }) => `wgmma cannot read ${a.type} elements with K not innermost: only 16-bit types`,
    fix: () => "store the tile with K innermost",
  },
  W9123: {
    message: (a: { coordinates: string }) =>
      `a store to a tensor map begins at the coordinates ${a.coordinates}, innermost first: the hardware takes none before the tensor`,
    fix: () => "begin at 0 or later in every dimension (what lies beyond the end is not written)",
  },
  W9124: {
    message: (a: { interleave: string }) =>
      `the emulator does not know where the hardware puts a box of a tensor map with interleave "${a.interleave}"`,
    fix: () => 'run it on a GPU, or use interleave "none"',
  },
});
