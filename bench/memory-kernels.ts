// Copies and sums of large f32 matrices, each in the ways that compare: through registers, and by TMA.
import {
  blockIdx,
  cdiv,
  type DeviceTensor,
  f32,
  fence,
  kernel,
  Mbarriers,
  Pipeline,
  range,
  sharedMemory,
  syncThreads,
  type Tensor,
  TMA,
  threadIdx,
  tile,
  tma,
  u32,
  warpgroup,
} from "warpsmith";

/** Elements of a tile that a block moves through registers: one vector of 16 bytes for each thread is fastest on an H200. */
const TILE = 512;

/** y = x: every thread loads vectors of 16 bytes and stores them. */
const copyTiles = kernel(
  { block: 128, grid: (x) => cdiv(x.shape[0], TILE) },
  function copyTiles(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>) {
    y.storeTile([blockIdx.x * TILE], x.loadTile([blockIdx.x * TILE], [TILE]));
  },
);

/** Rows of 256 elements, and as many of them as a box has. */
const [ROW, ROWS, COPIES] = [256, 32, 6];

/** y = x by TMA alone: one thread of each block keeps `COPIES` boxes under way. */
const copyBoxes = kernel({ block: 32, grid: 132 }, function copyBoxes(x: TMA<"f32", 2>, y: TMA<"f32", 2>) {
  const boxes = sharedMemory.alloc("f32", [COPIES, ROWS, ROW], { align: 128 });
  const loaded = new Mbarriers(COPIES);
  if (threadIdx.x === 0) {
    for (const i of range(COPIES)) loaded.at(i).init(1);
    fence.mbarrierInit();
  }
  syncThreads();
  if (threadIdx.x !== 0) return;
  const count = cdiv(cdiv(x.shape[0], ROWS) - blockIdx.x, 132);
  const row = (i: number): number => (blockIdx.x + i * 132) * ROWS;
  for (const i of range(count + COPIES - 2)) {
    if (i < count) {
      // The store from this box has been read: all but the last one.
      if (i >= COPIES) tma.wait(1, { read: true });
      loaded.at(i % COPIES).arrive({ tx: boxes.at(0).bytes });
      x.load(boxes.at(i % COPIES), loaded.at(i % COPIES), [0, row(i)]);
    }
    const done = i - (COPIES - 2);
    if (done >= 0) {
      loaded.at(done % COPIES).wait(((done / COPIES) | 0) % 2 === 1);
      y.store(boxes.at(done % COPIES), [0, row(done)]);
      tma.commit();
    }
  }
  tma.wait(0);
});

/** c = a + b through registers. */
const addTiles = kernel(
  { block: 128, grid: (a) => cdiv(a.shape[0], TILE) },
  function addTiles(a: Tensor<"f32", 1>, b: Tensor<"f32", 1>, c: Tensor<"f32", 1>) {
    const at = blockIdx.x * TILE;
    c.storeTile([at], a.loadTile([at], [TILE]) + b.loadTile([at], [TILE]));
  },
);

const [X, Y, LOADS, STORES] = [32, 128, 4, 2];

/** c = a + b by TMA: blocks that stay, a partition that loads, one that adds, one that stores. */
const addBoxes = kernel({ block: 384, grid: 132 }, function addBoxes(a: TMA<"f32", 2>, b: TMA<"f32", 2>, c: TMA<"f32", 2>) {
  const aTiles = sharedMemory.alloc("f32", [LOADS, X, Y], { align: 128 });
  const bTiles = sharedMemory.alloc("f32", [LOADS, X, Y], { align: 128 });
  const cTiles = sharedMemory.alloc("f32", [STORES, X, Y], { align: 128 });
  const inputs = new Pipeline({ stages: LOADS });
  const sums = new Pipeline({ stages: STORES, producers: 128 });
  inputs.init();
  sums.init();
  const across = cdiv(a.shape[1], Y);
  const count = cdiv(cdiv(a.shape[0], X) * across - blockIdx.x, 132);
  const place = (i: number) => {
    const box = blockIdx.x + i * 132;
    return [(box % across) * Y, ((box / across) | 0) * X] as const;
  };
  warpgroup.specialize({
    load: {
      registers: 24,
      run: () => {
        if (!warpgroup.elect()) return;
        let put = inputs.producer();
        for (const i of range(count)) {
          const bar = put.acquire(2 * aTiles.at(0).bytes);
          a.load(aTiles.at(put.index), bar, place(i));
          b.load(bTiles.at(put.index), bar, place(i));
          put = put.next();
        }
      },
    },
    add: {
      registers: 232,
      run: () => {
        let get = inputs.consumer();
        let put = sums.producer();
        for (const _ of range(count)) {
          get.wait();
          const sum = aTiles.at(get.index).load() + bTiles.at(get.index).load();
          fence.proxyAsync();
          warpgroup.sync();
          get.release({ pred: warpgroup.thread === 0 });
          get = get.next();
          put.wait();
          cTiles.at(put.index).store(sum);
          fence.proxyAsync();
          put.commit();
          put = put.next();
        }
      },
    },
    store: {
      registers: 24,
      run: () => {
        if (!warpgroup.elect()) return;
        let get = sums.consumer();
        for (const i of range(count)) {
          get.wait();
          c.store(cTiles.at(get.index), place(i));
          tma.commit();
          tma.wait(0, { read: true });
          get.release();
          get = get.next();
        }
        tma.wait(0);
      },
    },
  });
});

/** Numbers from -1 to 1 that look random. */
const fills = kernel({ block: 128, grid: (x) => cdiv(x.shape[0], TILE) }, function fills(x: Tensor<"f32", 1>, seed: u32) {
  const i = u32(tile.arange(TILE)) + u32(blockIdx.x * TILE);
  const mixed = Math.imul(i ^ seed, 2654435761) ^ (i >>> 15);
  x.storeTile([blockIdx.x * TILE], f32(mixed & 0xffffff) / 8388608 - 1);
});

/** How many elements of c are not a + b, bit for bit; without b those that are not a. */
const differs = kernel(
  { block: 128, grid: (a) => cdiv(a.shape[0], TILE) },
  function differs(a: Tensor<"f32", 1>, b: Tensor<"f32", 1>, c: Tensor<"f32", 1>, sums: f32, count: Tensor<"u32", 1>) {
    const at = blockIdx.x * TILE;
    const expected = a.loadTile([at], [TILE]) + b.loadTile([at], [TILE]) * sums;
    const odd = tile.sum(u32(expected !== c.loadTile([at], [TILE])), 0);
    if (threadIdx.x === 0 && odd > 0) count.at(0).atomic("add", odd);
  },
);

type Matrix = DeviceTensor<"f32", 2>;

/** A way to compute something, ready to be launched. */
export interface Way {
  readonly name: string;
  launch(stream: LaunchStream): void;
}
type LaunchStream = NonNullable<Parameters<typeof copyTiles.launch>[0]["stream"]>;

const flat = (x: Matrix): DeviceTensor<"f32", 1> => x.reshape(x.shape[0] * x.shape[1]);

export function fill(x: Matrix, seed: number): void {
  fills.launch({}, flat(x), seed);
}

/** y = x. */
export function copies(x: Matrix, y: Matrix): readonly Way[] {
  const rows = (m: Matrix) => new TMA(m.reshape((m.shape[0] * m.shape[1]) / ROW, ROW), { box: [ROWS, ROW] });
  const maps = [rows(x), rows(y)] as const;
  return [
    { name: "tiles", launch: (stream) => copyTiles.launch({ stream }, flat(x), flat(y)) },
    { name: "TMA", launch: (stream) => copyBoxes.launch({ stream }, ...maps) },
  ];
}

/** c = a + b. */
export function adds(a: Matrix, b: Matrix, c: Matrix): readonly Way[] {
  const map = (m: Matrix) => new TMA(m, { box: [X, Y] });
  const maps = [map(a), map(b), map(c)] as const;
  return [
    { name: "tiles", launch: (stream) => addTiles.launch({ stream }, flat(a), flat(b), flat(c)) },
    { name: "TMA", launch: (stream) => addBoxes.launch({ stream }, ...maps) },
  ];
}

/** Elements of c that are not a + b, or without b not a. */
export async function wrongElements(a: Matrix, b: Matrix | undefined, c: Matrix): Promise<number> {
  using count = c.device.zeros("u32", [1]);
  differs.launch({}, flat(a), flat(b ?? a), flat(c), b ? 1 : 0, count);
  return (await count.read())[0] ?? 0;
}
