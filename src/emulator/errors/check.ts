import { defineErrors } from "../../base/diag/index.ts";

/** Two accesses that nothing orders. `who` and `other` begin with a noun: "warp 2 of block (0, 0, 0) writes". */
export interface Conflict {
  readonly kernel: string;
  /** Who does what here: "warp 4 of block (1, 0, 0) writes". */
  readonly who: string;
  /** What the other side does or has done: "lane 0 of warp 0 of block (1, 0, 0) stored from there (TMA)". */
  readonly other: string;
  /** "16 bytes of shared memory at 0x8400". */
  readonly what: string;
  /** What has been done about it, and why it is not enough: "the wait at matmul.ts:79 left 1 group pending"; or nothing. */
  readonly since?: string | undefined;
  /** Blocks store to one place by one instruction: mostly an index that is the same in all of them. */
  readonly sameInBlocks?: boolean | undefined;
  /** What still reads is a copy to shared memory, not a store from there. */
  readonly ofLoad?: boolean | undefined;
}

const conflict =
  (problem: string) =>
  (a: Conflict): string =>
    `${problem} in ${a.kernel}: ${a.who} ${a.what}; ${a.other}${a.since ? `; ${a.since}` : ""}`;

/** Warps of a block that were not there any more. */
function endedBefore(warps: readonly number[]): string {
  const [first, ...more] = [...warps].sort((a, b) => a - b);
  if (first === undefined) return "";
  if (more.length === 0) return `; warp ${first} of the block had ended`;
  return `; warps ${more.length > 3 ? `${first} and ${more.length} others` : [first, ...more].join(", ")} of the block had ended`;
}

/** A box of a tensor map of which no element is inside. Coordinates are innermost first, the shape is outermost first. */
export interface StrayBox {
  readonly kernel: string;
  readonly who: string;
  readonly shape: string;
  readonly given: string;
  /** The same in another order, in which the box would be inside. */
  readonly meant: string | undefined;
}

const stray = ({ who, kernel, shape, given }: StrayBox, does: string): string =>
  `${who} ${does} in ${kernel} a box that lies wholly outside of its tensor, [${shape}]: it begins at the coordinates [${given}], innermost first`;

function innermostFirst({ given, meant }: StrayBox, option: string): string {
  const order = "coordinates are innermost first, `[column, row]` of a matrix";
  const inside =
    meant === undefined
      ? "begin the box inside of the tensor"
      : `where they are the other way round, give [${meant}] for [${given}]`;
  return `${order}: ${inside}; where boxes outside are meant, say so: \`${option}\``;
}

/** W92xx: what the checks of the emulator find while a kernel runs. */
export const checkErrors = defineErrors({
  W9201: {
    message: conflict("a race"),
    fix: (a: Conflict) =>
      a.sameInBlocks
        ? 'let each block store to elements of its own: an index without `blockIdx` is the same in every block, and the elements of the others are never written; where several add to one element, `x.at(i).reduce("add", v)`; where one block stores for all, `if (blockIdx.x === 0)`'
        : 'put a barrier to which both threads come between the two (syncThreads, syncWarp, a named barrier, or an mbarrier arrive and wait); where several threads add to one element, of a tensor or of shared memory such as a bin of a histogram, `s.at(i).reduce("add", 1)`; between blocks: after the barrier let one thread call fence.acqRel("gpu") and change a flag by an atomic, and the one that reads the flag call the fence before its own barrier',
    inPtx: {
      fix: (a: Conflict) =>
        a.sameInBlocks
          ? "let each block store to elements of its own: an index without `blockIdx` is the same in every block, and the elements of the others are never written; where several add to one element, `atomicAdd`; where one block stores for all, `if (blockIdx.x == 0)`"
          : "put a barrier to which both threads come between the two: `__syncthreads()`, `__syncwarp()`, a named barrier (`bar.sync`), or an mbarrier arrive and wait; where several threads add to one element, `atomicAdd`; between blocks: after the barrier let one thread call `__threadfence()` and change a flag by an atomic, and the one that reads the flag call it before its own barrier",
    },
    inLoops: {
      fix: () =>
        "where iterations of a bound loop make one element together, its axis is no `spatial` one: call it `reduce`, and bind the loops of other axes; where each is to make elements of its own, let them choose different ones; what one thread stores and another reads, bind in the same way, or keep both in a loop that is not bound",
    },
  },
  W9202: {
    message: conflict("an asynchronous copy or wgmma may not see what was written"),
    fix: () => "call fence.proxyAsync() in every thread that wrote, after its writes and before the barrier",
    inPtx: {
      fix: () => "issue `fence.proxy.async` in every thread that wrote, after its writes and before the barrier",
    },
  },
  W9203: {
    message: conflict("an asynchronous copy may overwrite what is still being read"),
    fix: () => "call fence.proxyAsync() in every thread that read, after its reads and before it releases the memory",
    inPtx: {
      fix: () => "issue `fence.proxy.async` in every thread that read, after its reads and before it releases the memory",
    },
  },
  W9204: {
    message: conflict("this memory is used while an asynchronous copy into it may be under way"),
    fix: () =>
      "before it is used, wait for the copy: `bar.wait(parity)` on its mbarrier, with the parity of the phase that it completes (0 for the first), or close its group (`asyncCopy.commit()`, `tma.commit()`) and wait for that (`asyncCopy.wait(0)`, `tma.wait(0)`), then a barrier for the other threads; before the next copy, let all who use it arrive at a barrier that the copying thread waits for",
    inPtx: {
      fix: () =>
        "before it is used, wait for the copy: `mbarrier.try_wait.parity` on its mbarrier, with the parity of the phase that it completes (0 for the first), or `cp.async.wait_group` or `cp.async.bulk.wait_group` for its group; before the next copy, let all who use it arrive at a barrier that the copying thread waits for",
    },
  },
  W9205: {
    message: (a: Conflict) =>
      conflict(`this memory is overwritten while an asynchronous ${a.ofLoad ? "copy" : "store"} still reads it`)(a),
    fix: (a: Conflict) =>
      a.ofLoad
        ? "wait for the copy before what it reads is overwritten: `bar.wait(parity)` on its mbarrier, or close its group and wait for that (`asyncCopy.commit()` and `asyncCopy.wait(0)`), then a barrier for the other threads"
        : "let the thread that issued the store commit it and call tma.wait(0, { read: true }), then a barrier, before the memory is used again",
    inPtx: {
      fix: (a: Conflict) =>
        a.ofLoad
          ? "wait for the copy before what it reads is overwritten: `mbarrier.try_wait.parity` on its mbarrier, or `cp.async.wait_group 0`, then a barrier for the other threads"
          : "let the thread that issued the store commit it (`cp.async.bulk.commit_group`) and wait with `cp.async.bulk.wait_group.read 0`, then a barrier, before the memory is used again",
    },
  },
  W9206: {
    message: conflict("the result of an asynchronous store is used before it is complete"),
    fix: () => "let the thread that issued the store call tma.wait(0), without { read: true }, then synchronise",
    inPtx: {
      fix: () => "let the thread that issued the store wait with `cp.async.bulk.wait_group 0`, without .read, then synchronise",
    },
  },
  W9207: {
    message: conflict("a tile is overwritten while wgmma still reads it"),
    fix: () =>
      "call wgmma.wait(n) for that product in all warps of its warpgroup, then arrive at the barrier that frees the tile",
    inPtx: {
      fix: () =>
        "wait for that product with `wgmma.wait_group` in all warps of its warpgroup, then arrive at the barrier that frees the tile",
    },
  },
  W9208: {
    message: conflict("two asynchronous operations use the same memory at the same time"),
    fix: () => "wait for the first one before the second is issued",
  },
  W9209: {
    message: (a: { kernel: string; who: string; what: string; why: string; ended: readonly number[] }) =>
      `${a.who} reads ${a.what} in ${a.kernel}, ${a.why}${endedBefore(a.ended)}`,
    fix: (a) =>
      `write it first, or read only what has been written${a.ended.length === 0 ? "" : "; what the threads of a block exchange, by `block.sum` and its kind, too, needs them all: call it before the `return`, or out of the `if`"}`,
    inPtx: {
      fix: (a) =>
        `write it first, or read only what has been written${a.ended.length === 0 ? "" : "; what the threads of a block exchange needs them all: let it come before the `return`, or out of the branch"}`,
    },
  },
  W9210: {
    message: (a: { kernel: string; who: string; register: string; does: string }) =>
      `${a.who} ${a.does} a register (${a.register}) that a wgmma of ${a.kernel} is still using`,
    fix: () => "call wgmma.wait(0), or the depth that covers the product, before its accumulator or its A fragments are touched",
    inPtx: {
      fix: () =>
        "wait with `wgmma.wait_group 0`, or the depth that covers the product, before its accumulator or its A fragments are touched",
    },
  },
  W9211: {
    message: (a: { kernel: string; who: string; register: string }) =>
      `${a.who} issues a wgmma of ${a.kernel} on registers (${a.register}) that were touched with no wgmma.fence since`,
    fix: () => "put wgmma.fence before the first wgmma, and after every other use of its accumulator or of A in registers",
    inPtx: {
      fix: () =>
        "issue `wgmma.fence.sync.aligned` before the first wgmma, and after every other use of its accumulator or of A in registers. With CUTLASS that is `warpgroup_arrive()`, and `warpgroup_fence_operand(accumulator)` before it and behind the wait, which keeps the compiler from moving such a use past it",
    },
  },
  W9212: {
    message: (a: { kernel: string; who: string; barrier: string; why: string }) =>
      `${a.who} uses the mbarrier at ${a.barrier} of ${a.kernel}, whose initialisation it may not see: ${a.why}`,
    fix: () =>
      "after init, call fence.mbarrierInit() in the thread that initialised it, then syncThreads() (in a cluster: cluster.sync())",
    inPtx: {
      fix: () =>
        "after `mbarrier.init`, issue `fence.mbarrier_init.release.cluster` in the thread that initialised it, then `__syncthreads()` (in a cluster: `barrier.cluster.arrive` and `barrier.cluster.wait`)",
    },
  },
  W9213: {
    message: (a: { kernel: string; who: string; does: string; barrier: string }) =>
      `${a.who} ${a.does} memory of ${a.kernel} that holds the live mbarrier at ${a.barrier}`,
    fix: () => "keep mbarriers apart from data; invalidate an mbarrier before its memory is used for anything else",
  },
  W9214: {
    message: (a: { kernel: string; who: string; barrier: string; asked: number; current: number }) =>
      `${a.who} waits for phase ${a.asked} of the mbarrier at ${a.barrier} of ${a.kernel} while phase ${a.current} runs: a parity tells only neighbours apart`,
    fix: () => "let nobody get two phases ahead: whoever starts a phase waits until all have seen the one before",
  },
  W9215: {
    message: (a: { kernel: string; barrier: string; phase: number; bytes: number }) =>
      `Phase ${a.phase} of the mbarrier at ${a.barrier} of ${a.kernel} ends while ${a.bytes} bytes that count for it are under way`,
    fix: () => "expect all bytes that the copies bring: arrive({ tx }) with the size of every box, before or with the copies",
    inPtx: {
      fix: () =>
        "expect all bytes that the copies bring: `mbarrier.arrive.expect_tx` with the size of every box, before or with the copies",
    },
  },
  W9216: {
    message: (a: { kernel: string; who: string; what: string }) => `${a.who} of ${a.kernel} exits while ${a.what}`,
    fix: () =>
      "before the kernel ends, wait for what was started: tma.wait(0) in the thread that issued a store, wgmma.wait(0), or the mbarrier of a load",
    inPtx: {
      fix: () =>
        "before the kernel ends, wait for what was started: `cp.async.bulk.wait_group 0` in the thread that issued a store, `wgmma.wait_group 0`, or the mbarrier of a load",
    },
  },
  W9217: {
    message: (a: { kernel: string; who: string; does: string; when: string }) =>
      `${a.who} ${a.does} the shared memory of another block of its cluster in ${a.kernel} ${a.when}`,
    fix: () => "call cluster.sync() before the first and after the last use of a peer's shared memory",
    inPtx: {
      fix: () =>
        "synchronise the cluster (`barrier.cluster.arrive`, `barrier.cluster.wait`) before the first and after the last use of a peer's shared memory",
    },
  },
  W9218: {
    message: (a: { kernel: string; register: string }) =>
      `A register (${a.register}) of ${a.kernel} is read, but nothing ever writes it`,
    fix: () => "write it on every way that leads here",
  },
  W9219: {
    message: (a: { kernel: string; who: string; barrier: string; why: string }) =>
      `${a.who} invalidates the mbarrier at ${a.barrier} of ${a.kernel} ${a.why}`,
    fix: () => "let all waits end, and synchronise, before an mbarrier is invalidated",
  },
  W9220: {
    message: (a: { kernel: string; who: string; what: string }) =>
      `${a.who} of ${a.kernel} waits for groups while ${a.what} not been committed`,
    fix: () => "call commit after the copies and before the wait: a wait covers committed groups alone",
    inPtx: {
      fix: () =>
        "commit the copies (`cp.async.commit_group`, `cp.async.bulk.commit_group`) before the wait: a wait covers committed groups alone",
    },
  },
  W9221: {
    message: (a: { kernel: string; who: string; reason: string }) =>
      `${a.who} of ${a.kernel} changes its registers wrongly: ${a.reason}`,
    fix: () =>
      "let all warps of a warpgroup ask for the same number, and let the numbers of all warpgroups add up to the block's registers",
  },
  W9222: {
    message: (a: { kernel: string; who: string; operand: string; written: string; read: string }) =>
      `${a.who} of ${a.kernel} reads ${a.operand} as ${a.read}, but it was loaded as ${a.written}`,
    fix: () => "use the same swizzle and element type in the tensor map and in the matrix descriptor",
  },
  W9223: {
    message: (a: { kernel: string; who: string; map: string; why: string }) =>
      `${a.who} of ${a.kernel} uses the tensor map at ${a.map}, ${a.why}`,
    fix: () => "after changing a tensor map call fence.tensorMap(): release where it was written, acquire where it is used",
    inPtx: {
      fix: () =>
        "after changing a tensor map: `fence.proxy.tensormap::generic.release` where it was written, `.acquire` where it is used",
    },
  },
  W9224: {
    message: (a: { kernel: string; who: string; instruction: string; lanes: string }) =>
      `Only ${a.lanes} of ${a.who} of ${a.kernel} come to ${a.instruction}, which all have to run together`,
    fix: () => "move it out of the branch, or let the condition be the same for the whole warp (for wgmma: the whole warpgroup)",
  },
  W9225: {
    message: conflict("this memory is used while the launch before may still be at work"),
    fix: () =>
      "call gridDependency.wait() first: in the thread that uses it, or in one that this thread meets at a barrier after that wait",
    inPtx: {
      fix: () =>
        "issue `griddepcontrol.wait` (`cudaGridDependencySynchronize()`) first: in the thread that uses it, or in one that this thread meets at a barrier after that wait",
    },
  },
  W9226: {
    message: (a: { kernel: string; who: string; barrier: string; why: string }) =>
      `${a.who} of ${a.kernel} uses ${a.barrier} out of turn: ${a.why}`,
    fix: () =>
      "arrive once, in every thread, and then wait there, or for somebody who has waited there, before the next arrival; sync() does both",
    inPtx: {
      fix: () =>
        "arrive once, in every thread, and then wait there, or for somebody who has waited there, before the next arrival; `bar.sync` does both",
    },
  },
  W9249: {
    message: (a: { kernel: string; who: string; barrier: string; by: string; others: string; of: string }) =>
      `${a.who} of ${a.kernel} comes to barrier ${a.barrier} by ${a.by} while ${a.others} is there by ${a.of}: what comes of the two is undefined`,
    fix: () =>
      "let all warps that meet at a barrier reduce there by one operation, or none of them; give others a barrier of another number",
  },
  W9227: {
    message: conflict(
      'memory that is loaded with { cache: "nc" } is written in the same launch, which leaves what is loaded undefined',
    ),
    fix: () =>
      'leave { cache: "nc" } out of the load: that cache is for memory that nothing writes while the kernel runs, before the load or after it',
    inPtx: {
      message: conflict(
        "memory that is loaded through the read-only cache (`ld.global.nc`) is written in the same launch, which leaves what is loaded undefined",
      ),
      fix: () =>
        "load it without `.nc` (`__ldg`, `const … __restrict__`): that cache is for memory that nothing writes while the kernel runs, before the load or after it",
    },
  },
  W9228: {
    message: (a: { kernel: string; who: string; what: string; known: boolean }) =>
      `a TMA store in ${a.kernel} reaches beyond the end of a row, which is at no multiple of 16 bytes: ${a.who} ${a.what}, which somebody has written; ${a.known ? "the hardware writes on to the next multiple of 16" : "whether it stops there is not known, stores of boxes write on to the next multiple of 16"}`,
    fix: () =>
      "make the map of columns that end at a multiple of 16 bytes: of fewer, and let threads store the others; or of more, where what lies behind is padding. Padding that `zeros()` has filled is left alone by `empty()`",
    inPtx: {
      fix: () =>
        "make the map (cuTensorMapEncodeTiled) of a row that ends at a multiple of 16 bytes: of a shorter one, and write the other elements by ordinary stores; or of a longer one, where what lies behind is padding",
    },
    inLoops: {
      fix: () =>
        'leave `stores` out or give `stores: "thread"`, so that threads store the rows; or pass a tensor with padding behind its rows that nobody has filled',
    },
  },
  W9230: {
    message: (a: { kernel: string; who: string; barrier: string }) =>
      `${a.who} waits for parity 1 of the mbarrier at ${a.barrier} of ${a.kernel} and passes at once: no phase of it is over yet, and phase 0, which the copies complete, has parity 0`,
    fix: () => "wait for parity 0 first, `bar.wait(0)`, and let it change after each phase: `parity ^= 1`",
    inPtx: {
      fix: () => "wait for parity 0 first, and let it change after each phase: `parity ^= 1`",
    },
  },
  W9231: {
    message: (a: { kernel: string; who: string }) =>
      `Only ${a.who} of ${a.kernel} come to this syncThreads(), while the others wait at another one: they meet there, and nobody waits for what was meant`,
    fix: () =>
      "move `syncThreads()` out of the `if`, so that all warps of the block come to it; for some warps alone, `namedBarrier(1, threads).sync()`",
    inPtx: {
      message: (a: { kernel: string; who: string }) =>
        `Only ${a.who} of ${a.kernel} come to this barrier of the block, while the others wait at another one: they meet there, and nobody waits for what was meant`,
      fix: () =>
        "move `__syncthreads()` out of the `if`, so that all warps of the block come to it; for some warps alone, `bar.sync 1, threads`",
    },
  },
  W9240: {
    message: (a: { kernel: string; who: string; source: number; why: string; use: string }) =>
      `${a.who} takes in ${a.kernel} the value of lane ${a.source} of its warp, ${a.why}: what it gets is undefined; ${a.use} depends on it`,
    fix: () =>
      "let all 32 lanes come to the shuffle: put it before the `return` or out of the `if`, let blocks be whole warps, or choose a lane that is there; `warp.sum` and its kind know which lanes a block has",
    inPtx: {
      fix: () =>
        "let all lanes that are read come to the shuffle and stand in its mask: put it before the `return` or out of the branch, let blocks be whole warps, or choose a lane that is there",
    },
  },
  W9241: {
    message: (a: StrayBox) => `${stray(a, "loads")}, and brings nothing but fill`,
    fix: (a) => innermostFirst(a, "load(dst, bar, coords, { outside: true })"),
  },
  W9242: {
    message: (a: StrayBox & { does: "stores" | "reduces"; excuse: string }) =>
      `${stray(a, a.does)}, and nothing is written; ${a.excuse}`,
    fix: (a) => innermostFirst(a, `${a.does === "stores" ? "store(" : "reduce(op, "}src, coords, { outside: true })`),
  },
  W9245: {
    message: (a: { kernel: string; who: string; lanes: string; instruction: string; mask: string }) =>
      `${a.lanes} of ${a.who} of ${a.kernel} run ${a.instruction} with the mask ${a.mask}, which does not name them: what they do is undefined`,
    fix: () =>
      "name every lane that comes, `syncWarp()`, or put it where only the lanes of the mask come: `if (lane < 16) syncWarp(0xffff)`",
    inPtx: {
      fix: () =>
        "name every lane that comes, `__syncwarp()` or the mask `0xffffffff`, or let only the lanes of the mask come: put it into the branch",
    },
  },
  W9246: {
    message: conflict("this tensor map is changed while a copy that uses it is under way"),
    fix: () =>
      "wait for the copy before the map is changed: for the mbarrier of a load, with tma.wait(0) for a store; or change another map",
    inPtx: {
      fix: () =>
        "wait for the copy before the map is changed: for the mbarrier of a load, with `cp.async.bulk.wait_group 0` for a store; or change another map",
    },
  },
  W9247: {
    message: (a: { kernel: string; who: string; barrier: string; others: string }) =>
      `${a.who} of ${a.kernel} comes to barrier ${a.barrier} of its block, where ${a.others} have met, and nothing tells it that they have left: under another timing it meets some of them`,
    fix: () =>
      "give each group of warps a barrier of its own, `namedBarrier(2, 64)`, or let the groups meet between the two, by `syncThreads()`; where all threads of the block are to meet there, give their number, or call `syncThreads()`",
    inPtx: {
      fix: () =>
        "give each group of warps a barrier with a number of its own, `bar.sync 2, 64`, or let the groups meet between the two, by `bar.sync 0`; where all threads of the block are to meet there, let the second operand be their number",
    },
  },
  W9248: {
    message: (a: { kernel: string; who: string; barrier: string; parity: number }) =>
      `${a.who} of ${a.kernel} waits again for parity ${a.parity} of the mbarrier at ${a.barrier} and passes at once: that phase is over, and it has waited for it before. The phase that is under way has parity ${1 - a.parity}`,
    fix: () => "let the parity change from phase to phase: `bar.wait(k & 1)` in round k, or `parity ^= 1` after each wait",
    inPtx: {
      fix: () => "let the parity change from phase to phase: `parity ^= 1` after each wait",
    },
  },
});
