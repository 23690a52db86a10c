// Kernels that a GPU stops, as authors get them wrong. The line that a report has to name ends in `// faults: <name>`.
import {
  assert,
  blockIdx,
  fence,
  type i32,
  kernel,
  Mbarriers,
  ptx,
  range,
  sharedMemory,
  syncThreads,
  type Tensor,
  threadIdx,
  type u64,
} from "warpsmith";

export const store = kernel({ block: 64, grid: 4, debug: false }, function store(x: Tensor<"i32", 1>) {
  if (blockIdx.x === 2 && threadIdx.x >= 40) {
    x[threadIdx.x * 5_000_000] = 1; // faults: store
  }
});

export const load = kernel({ block: [8, 8], grid: [2, 2], debug: false }, function load(x: Tensor<"i32", 1>) {
  const i = threadIdx.x + 8 * threadIdx.y;
  const a = x[i * 5_000_000]!; // faults: load
  x[i] = a + 1;
});

export const atomic = kernel({ block: 64, grid: 2, debug: false }, function atomic(x: Tensor<"i32", 1>) {
  x.at(threadIdx.x * 5_000_000).atomic("add", 1); // faults: atomic
});

/** Called at two places, of which only the second goes wrong. */
function put(x: Tensor<"i32", 1>, i: i32) {
  "use kernel";
  x[i] = 7; // faults: helper
}

export const helper = kernel({ block: 32, grid: 1, debug: false }, function helper(x: Tensor<"i32", 1>) {
  put(x, threadIdx.x);
  for (const i of range(3)) put(x, 100_000_000 * i + threadIdx.x);
});

export const everywhere = kernel({ block: 256, grid: 264, debug: false }, function everywhere(x: Tensor<"i32", 1>) {
  x[400_000_000 + blockIdx.x * 256 + threadIdx.x] = 1; // faults: everywhere
});

export const nothing = kernel({ block: 64, grid: 1, debug: false }, function nothing(x: Tensor<"i32", 1>, at: u64) {
  x[threadIdx.x] = ptx("{ .reg .u64 a; mov.u64 a, $1; ld.global.s32 $0, [a]; }", { out: "i32" }, at); // faults: nothing
});

export const vector = kernel({ block: 64, grid: 1, debug: false }, function vector(x: Tensor<"i32", 1>) {
  const [a, b] = ptx("ld.global.v2.s32 {$0, $1}, [$2+4];", { out: ["i32", "i32"] }, x.at(2 * threadIdx.x)); // faults: vector
  x[threadIdx.x] = a + b;
});

export const shared = kernel({ block: 64, grid: 2, debug: false }, function shared(x: Tensor<"i32", 1>) {
  const s = sharedMemory.alloc("i32", [64]);
  s[threadIdx.x] = 1;
  syncThreads();
  s[x[threadIdx.x]! + 1000 * threadIdx.x] = 2; // faults: shared
  x[threadIdx.x] = s[threadIdx.x]!;
});

export const farShared = kernel({ block: 64, grid: 2, debug: false }, function farShared(x: Tensor<"i32", 1>) {
  const s = sharedMemory.alloc("i32", [64]);
  s[threadIdx.x] = 1;
  syncThreads();
  s[x[threadIdx.x]! + 1_000_000 * threadIdx.x] = 2; // faults: farShared
  x[threadIdx.x] = s[threadIdx.x]!;
});

export const oddShared = kernel({ block: 64, grid: 1, debug: false }, function oddShared(x: Tensor<"i32", 1>) {
  const s = sharedMemory.alloc("i32", [64]);
  s[threadIdx.x] = 1;
  syncThreads();
  x[threadIdx.x] = ptx("ld.shared.s32 $0, [$1+2];", { out: "i32" }, s.at(threadIdx.x)); // faults: oddShared
});

export const matrixRow = kernel({ block: 32, grid: 1, debug: false }, function matrixRow(x: Tensor<"i32", 1>) {
  const s = sharedMemory.alloc("i32", [64], { align: 128 });
  s[threadIdx.x] = 1;
  syncThreads();
  x[threadIdx.x] = ptx("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {$0}, [$1+4];", { out: "i32" }, s.at(0)); // faults: matrixRow
});

export const bulkFrom = kernel({ block: 64, grid: 1, debug: false }, function bulkFrom(x: Tensor<"i32", 1>, from: u64) {
  const s = sharedMemory.alloc("i32", [64], { align: 128 });
  const full = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    full.init(1);
    fence.mbarrierInit();
  }
  syncThreads();
  if (threadIdx.x === 0) {
    full.arrive({ tx: 256 });
    ptx("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], 256, [$2];", {}, s, from, full); // faults: bulkFrom
  }
  full.wait(0);
  x[threadIdx.x] = s[threadIdx.x]!;
});

export const oddBulk = kernel({ block: 64, grid: 1, debug: false }, function oddBulk(x: Tensor<"i32", 1>) {
  const s = sharedMemory.alloc("i32", [64], { align: 128 });
  const full = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    full.init(1);
    fence.mbarrierInit();
  }
  syncThreads();
  if (threadIdx.x === 0) {
    full.arrive({ tx: 64 });
    ptx("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1+4], 64, [$2];", {}, s, x, full); // faults: oddBulk
  }
  full.wait(0);
  x[threadIdx.x] = s[threadIdx.x]!;
});

export const arrivals = kernel({ block: 64, grid: 1, debug: false }, function arrivals(x: Tensor<"i32", 1>) {
  const full = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    full.init(1);
    fence.mbarrierInit();
  }
  syncThreads();
  full.arrive({ tx: 16 }); // faults: arrivals
  x[threadIdx.x] = 1;
});

export const rank = kernel({ block: 32, grid: 2, cluster: 2, debug: false }, function rank(x: Tensor<"i32", 1>) {
  const s = sharedMemory.alloc("i32", [64]);
  s[threadIdx.x] = 1;
  syncThreads();
  ptx("{ .reg .u32 a; mapa.shared::cluster.u32 a, $0, 9; st.shared::cluster.s32 [a], 7; }", {}, s.at(threadIdx.x)); // faults: rank
  x[threadIdx.x] = s[threadIdx.x]!;
});

export const ended = kernel({ block: 32, grid: 2, cluster: 2, debug: false }, function ended(x: Tensor<"i32", 1>) {
  const s = sharedMemory.alloc("i32", [64]);
  if (blockIdx.x === 0) {
    for (const _ of range(20)) ptx("nanosleep.u32 1000000;");
    ptx("{ .reg .u32 a; mapa.shared::cluster.u32 a, $0, 1; st.shared::cluster.s32 [a], 7; }", {}, s.at(threadIdx.x)); // faults: ended
  }
  x[threadIdx.x] = 1;
});

export const trap = kernel({ block: [8, 8], grid: 2, debug: false }, function trap(x: Tensor<"i32", 1>) {
  const i = threadIdx.x + 8 * threadIdx.y;
  x[64 * blockIdx.x + i] = 1;
  if (blockIdx.x === 1 && i === 33) {
    ptx("trap;"); // faults: trap
  }
  x[64 * blockIdx.x + i] = 2;
});

export const asserted = kernel({ block: 64, grid: 1, debug: true }, function asserted(x: Tensor<"i32", 1>) {
  assert(threadIdx.x < 40, "too many threads"); // faults: asserted
  x[threadIdx.x] = 1;
});

export const bounds = kernel({ block: 64, grid: 1, debug: true }, function bounds(x: Tensor<"i32", 1>) {
  x[17 * threadIdx.x] = 1; // faults: bounds
});
