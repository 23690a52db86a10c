/** Copies by TMA whose boxes lie wholly outside of their tensor: W9241 of loads, and under `strict` W9242 of stores. */
import { describe, expect, it } from "vitest";
import {
  cluster,
  type Device,
  fence,
  kernel,
  Mbarriers,
  openDevice,
  ptx,
  range,
  type Static,
  sharedMemory,
  staticRange,
  syncThreads,
  type Tensor,
  TMA,
  type TMAOptions,
  tensorSpec,
  threadIdx,
  tma,
} from "warpsmith";
import { loadPtx, tensorMapBytes } from "warpsmith/ptx";
import { amount } from "../../../../support/amount.ts";

type Check = "normal" | "strict";
type Place = readonly number[];

/** The message of what a run fails with. */
async function said(
  run: (gpu: Device) => unknown,
  check: Check = "normal",
  schedule: "eager" | number = "eager",
): Promise<string> {
  await using gpu = await openDevice("emulator", { check, schedule });
  try {
    await run(gpu);
    await gpu.sync();
    return "silent";
  } catch (error) {
    return (error as Error).message;
  }
}

/** A barrier that copies complete. */
function loadedBarrier() {
  "use kernel";
  const bar = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    bar.init(1);
    fence.mbarrierInit();
  }
  syncThreads();
  return bar;
}

/** A tile of that shape by one call; what came, in the order of the tile. */
const load = kernel(
  { block: 32, grid: 1 },
  function load(x: TMA, out: Tensor<"f32", 1>, shape: Static<Place>, at: Static<Place>, outside: Static<boolean>) {
    const tile = sharedMemory.alloc("f32", shape as readonly [number, number], { swizzle: x.swizzle, align: 1024 });
    const bar = loadedBarrier();
    if (threadIdx.x === 0) {
      bar.arrive({ tx: tile.bytes });
      x.load(tile, bar, at as never, outside ? { outside } : {});
    }
    bar.wait(false);
    const [rows = 1, columns = 1] = shape;
    for (const e of range(threadIdx.x, rows * columns, 32)) out[e] = tile.at(Math.trunc(e / columns), e % columns).load();
  },
);

const numbers = (count: number): Float32Array => Float32Array.from({ length: count }, (_, i) => i + 1);

interface Load {
  readonly tensor: readonly [number, number];
  readonly box: readonly [number, number];
  readonly swizzle?: TMAOptions["swizzle"];
  readonly tile: readonly [number, number];
  /** Innermost first. */
  readonly at: readonly [number, number];
  readonly outside?: boolean;
}

/** Loads, and expects what lies inside and zeros beside it. */
async function loads(gpu: Device, { tensor, box, swizzle = "none", tile, at, outside = false }: Load): Promise<void> {
  const [rows, columns] = tensor;
  const [height, width] = tile;
  using x = gpu.tensor("f32", tensor, numbers(rows * columns));
  using out = gpu.zeros("f32", [height * width]);
  load.launch({}, new TMA(x, { box, swizzle }), out, tile, at, outside);
  const found = await out.read();
  const expected = Array.from(found, (_, e) => {
    const [r, c] = [Math.trunc(e / width) + at[1], (e % width) + at[0]];
    return r >= 0 && r < rows && c >= 0 && c < columns ? r * columns + c + 1 : 0;
  });
  expect(Array.from(found)).toEqual(expected);
}

const matrix = { tensor: [32, 8], box: [8, 8], tile: [8, 8] } as const;

describe("a load", () => {
  it("of a box outside is reported, with its coordinates the other way round where those are inside", async () => {
    const message = await said((gpu) => loads(gpu, { ...matrix, at: [8, 0] }));
    expect(message).toMatch(
      /^W9241 {2}Thread 0 of block \(0, 0, 0\) loads in load a box that lies wholly outside of its tensor, \[32, 8\]: it begins at the coordinates \[8, 0\], innermost first, and brings nothing but fill\.$/m,
    );
    expect(message).toContain("x.load(tile, bar, at as never");
    expect(message).toContain(
      "fix: coordinates are innermost first, `[column, row]` of a matrix: where they are the other way round, give [0, 8] for [8, 0]; where",
    );
    expect(message).toContain("`load(dst, bar, coords, { outside: true })`");
  });
  it("is silent with the other order, and where it is said that boxes lie outside", async () => {
    for (const check of ["normal", "strict"] as const) {
      expect(await said((gpu) => loads(gpu, { ...matrix, at: [0, 8] }), check)).toBe("silent");
      expect(await said((gpu) => loads(gpu, { ...matrix, at: [8, 0], outside: true }), check)).toBe("silent");
    }
  });
  it("is reported before the tensor, too, and where no order is inside", async () => {
    const before = await said((gpu) => loads(gpu, { ...matrix, at: [0, -8] }));
    expect(before).toContain("of a matrix: begin the box inside of the tensor; where");
    expect(await said((gpu) => loads(gpu, { ...matrix, at: [8, 32] }))).toContain("W9241");
  });
  it("is silent where an element is inside", async () => {
    for (const at of [
      [4, 31],
      [-4, 0],
      [0, -7],
      [4, -7],
    ] as const)
      expect(await said((gpu) => loads(gpu, { ...matrix, at }), "strict")).toBe("silent");
  });
  it("of several boxes is silent where one of them is inside", async () => {
    const panels = { tensor: [16, 40], box: [8, 32], swizzle: "128B", tile: [8, 64] } as const;
    expect(await said((gpu) => loads(gpu, { ...panels, tensor: [16, 32], at: [0, 8] }))).toBe("silent");
    expect(await said((gpu) => loads(gpu, { ...panels, at: [32, 8] }))).toBe("silent");
    expect(await said((gpu) => loads(gpu, { ...panels, at: [40, 8] }))).toContain("W9241");
  });
  it("is judged the same whenever it lands", async () => {
    for (const seed of [1, 2, 3])
      expect(await said((gpu) => loads(gpu, { ...matrix, at: [8, 0] }), "normal", seed)).toContain("W9241");
  });
});

describe("random tiles", () => {
  let state = 71;
  const below = (n: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  const random = (): Load => {
    const tensor = [1 + below(20), 4 * (1 + below(20))] as const;
    const at = [4 * (below(40) - 18), below(48) - 20] as const;
    if (below(2) === 0) {
      const box = [1 + below(8), 4 * (1 + below(4))] as const;
      return { tensor, at, box, tile: box };
    }
    const tile = [8 * (1 + below(2)), 32 * (1 + below(2))] as const;
    return { tensor, at, box: [8, 32], tile, swizzle: "128B" };
  };
  const isInside = ({ tensor, tile, at }: Load): boolean =>
    [0, 1].every((d) => (at[1 - d] ?? 0) < (tensor[d] ?? 0) && (at[1 - d] ?? 0) + (tile[d] ?? 0) > 0);
  it("are reported where no element is inside, and nowhere else", async () => {
    for (let i = amount(400, 12); i > 0; i--) {
      const one = random();
      const message = await said((gpu) => loads(gpu, one));
      expect(message.slice(0, 6), JSON.stringify(one)).toBe(isInside(one) ? "silent" : "W9241 ");
    }
  });
});

describe("what is one load", () => {
  /** Two halves of a tile, in a loop or by a call each. */
  const halves = kernel({ block: 32, grid: 1 }, function halves(x: TMA<"f32", 2>, apart: Static<boolean>) {
    const tile = sharedMemory.alloc("f32", [16, 8], { align: 128 });
    const bar = loadedBarrier();
    if (threadIdx.x === 0) {
      bar.arrive({ tx: tile.bytes });
      if (apart) {
        x.load(tile.subview([0, 0], [8, 8]), bar, [0, 0]);
        x.load(tile.subview([8, 0], [8, 8]), bar, [0, 8]);
      } else for (const i of staticRange(2)) x.load(tile.subview([8 * i, 0], [8, 8]), bar, [0, 8 * i]);
    }
    bar.wait(false);
  });
  /** The same place, but a phase for each. */
  const phases = kernel({ block: 32, grid: 1 }, function phases(x: TMA<"f32", 2>) {
    const tile = sharedMemory.alloc("f32", [8, 8], { align: 128 });
    const bar = loadedBarrier();
    for (const i of range(2)) {
      if (threadIdx.x === 0) {
        bar.arrive({ tx: tile.bytes });
        x.load(tile, bar, [0, 8 * i]);
      }
      bar.wait(i);
      syncThreads();
    }
  });
  const map = (gpu: Device) => new TMA(gpu.zeros("f32", [8, 8]), { box: [8, 8] });
  it("parts by one line for one phase", async () => {
    expect(await said((gpu) => halves.launch({}, map(gpu), false))).toBe("silent");
    expect(await said((gpu) => halves.launch({}, map(gpu), true))).toContain("W9241");
    expect(await said((gpu) => phases.launch({}, map(gpu)))).toContain("W9241");
  });

  const multicast = kernel({ block: 32, grid: 2, cluster: 2 }, function multicast(x: TMA<"f32", 2>, column: Static<number>) {
    const tile = sharedMemory.alloc("f32", [8, 64], { swizzle: "128B" });
    const bar = new Mbarriers(1).at(0);
    if (threadIdx.x === 0) {
      bar.init(1);
      fence.mbarrierInit();
    }
    cluster.sync();
    if (threadIdx.x === 0) bar.arrive({ tx: tile.bytes });
    if (threadIdx.x === 0 && cluster.rank === 0) x.load(tile, bar, [column, 0], { multicast: 0b11 });
    bar.wait(false);
    cluster.sync();
  });
  it("a box for several blocks", async () => {
    const wide = (gpu: Device) => new TMA(gpu.zeros("f32", [8, 32]), { box: [8, 32], swizzle: "128B" });
    expect(await said((gpu) => multicast.launch({}, wide(gpu), 0))).toBe("silent");
    const message = await said((gpu) => multicast.launch({}, wide(gpu), 32));
    expect(message).toContain("W9241");
    expect(message).not.toContain("more");
  });
});

describe("im2col", () => {
  const window = kernel(
    { block: 32, grid: 1 },
    function window(x: TMA<"f32", 4>, at: Static<readonly [number, number, number, number]>) {
      const tile = sharedMemory.alloc("f32", [4, 8], { align: 128 });
      const bar = loadedBarrier();
      if (threadIdx.x === 0) {
        bar.arrive({ tx: tile.bytes });
        x.load(tile, bar, at, { offsets: [0, 0] });
      }
      bar.wait(false);
    },
  );
  const map = (gpu: Device) =>
    TMA.im2col(gpu.zeros("f32", [2, 4, 4, 8]), { lower: [-1, -1], upper: [-1, -1], channels: 8, pixels: 4 });
  it("a window in the border is what the mode is for; channels and images that there are not are reported", async () => {
    expect(await said((gpu) => window.launch({}, map(gpu), [0, -1, -1, 0]), "strict")).toBe("silent");
    expect(await said((gpu) => window.launch({}, map(gpu), [8, 0, 0, 0]))).toContain("W9241");
    expect(await said((gpu) => window.launch({}, map(gpu), [0, 0, 0, 2]))).toContain("W9241");
  });
});

describe("a store", () => {
  const store = kernel(
    { block: 32, grid: 1 },
    function store(
      to: TMA<"f32", 2>,
      at: Static<readonly [number, number]>,
      how: Static<"store" | "add">,
      outside: Static<boolean>,
    ) {
      const tile = sharedMemory.alloc("f32", [8, 8], { align: 128 });
      for (const e of range(threadIdx.x, 64, 32)) tile.at(e >> 3, e & 7).store(1);
      fence.proxyAsync({ space: "shared::cta" });
      syncThreads();
      if (threadIdx.x === 0) {
        if (how === "add") to.reduce("add", tile, at, { outside });
        else to.store(tile, at, { outside });
        tma.commit();
        tma.wait(0);
      }
    },
  );
  const stores = (check: Check, at: readonly [number, number], how: "store" | "add" = "store", outside = false) =>
    said((gpu) => store.launch({}, new TMA(gpu.zeros("f32", [32, 8]), { box: [8, 8] }), at, how, outside), check);
  it("of a box outside is reported under `strict`, and says that working code does it", async () => {
    expect(await stores("normal", [8, 0])).toBe("silent");
    const message = await stores("strict", [8, 0]);
    expect(message).toMatch(
      /^W9242 {2}Thread 0 of block \(0, 0, 0\) stores in store a box .*\[8, 0\].*nothing is written; working code/m,
    );
    expect(message).toContain("give [0, 8] for [8, 0]");
    expect(message).toContain("`store(src, coords, { outside: true })`");
    expect(await stores("strict", [8, 0], "add")).toMatch(
      /W9242 .* reduces in store a box[\s\S]*`reduce\(op, src, coords, { outside: true }\)`/,
    );
  });
  it("is silent where something is stored, and where it is said", async () => {
    expect(await stores("strict", [0, 24])).toBe("silent");
    expect(await stores("strict", [4, 28])).toBe("silent");
    for (const how of ["store", "add"] as const) expect(await stores("strict", [8, 0], how, true)).toBe("silent");
  });
});

describe("nothing is said", () => {
  it("of what is brought into the L2 cache", async () => {
    const prefetch = kernel({ block: 32, grid: 1 }, function prefetch(x: TMA<"f32", 2>) {
      if (threadIdx.x === 0) x.prefetchBox([8, 64]);
    });
    expect(await said((gpu) => prefetch.launch({}, new TMA(gpu.zeros("f32", [8, 8]), { box: [8, 8] })), "strict")).toBe("silent");
  });
  it("of PTX of other compilers, which has no such option", async () => {
    const run = (gpu: Device) => {
      const x = new TMA(gpu.zeros("f32", [32, 8]), { box: [8, 8] });
      const out = gpu.zeros("f32", [64]);
      const compiled = load.compile(x, out, [8, 8], [8, 0], false);
      loadPtx(compiled.ptx).entry().launch({ grid: 1, block: 32, smem: 4096 }, x, out);
    };
    expect(await said(run, "strict")).toBe("silent");
  });
  it("of the author's own PTX in a kernel, which has none either", async () => {
    const inlined = kernel({ block: 32, grid: 1 }, function inlined(maps: Tensor<"u8", 1>) {
      const tile = sharedMemory.alloc("f32", [8, 8], { align: 128 });
      const bar = loadedBarrier();
      if (threadIdx.x === 0) {
        bar.arrive({ tx: tile.bytes });
        const copy = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes";
        ptx(`${copy} [$0], [$1, {8, 0}], [$2];`, {}, tile, maps, bar);
      }
      bar.wait(false);
    });
    const run = (gpu: Device) => {
      const bytes = tensorMapBytes(new TMA(gpu.zeros("f32", [32, 8]), { box: [8, 8] }));
      inlined.launch({}, gpu.tensor("u8", [128], bytes));
    };
    expect(await said(run, "strict")).toBe("silent");
  });
  it("without the checks", async () => {
    await using gpu = await openDevice("emulator", { check: "off" });
    await loads(gpu, { ...matrix, at: [8, 0] });
  });
});

describe("the option", () => {
  const specs = (outside: boolean) => {
    const x = new TMA(tensorSpec("f32", [32, 8]), { box: [8, 8] });
    return load.compile(x, tensorSpec("f32", [64]), [8, 8], [0, 0], outside).ptx;
  };
  it("is a comment before the copy, and changes nothing else", () => {
    const comment = /\n *\/\/ warpsmith: the box may lie outside of the tensor\n(?= *cp\.async\.bulk\.tensor)/g;
    expect(specs(true).match(comment)).toHaveLength(1);
    expect(specs(true).replace(comment, "\n")).toBe(specs(false));
  });
});
