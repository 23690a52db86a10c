import type { Accumulator, i32, SharedView, Static, Tensor } from "warpsmith";
import { kernel, range, sharedMemory, syncThreads, syncWarp, threadIdx, WGMMAMatrix } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { integers } from "./numbers.ts";
import { fill } from "./wgmma.ts";

const ROWS = 64;
const TILE = 16;
const WIDTH = 72;

type Room = SharedView<"f16", 2>;

/** Where the tile goes: iteration by iteration to columns of `room`, from 16 times `first` on, `step` further each time. */
type Walk = (room: Room, x: Accumulator, first: i32, turns: i32, step: number) => void;

function put(room: Room, x: Accumulator, at: number): void {
  "use kernel";
  syncWarp(); // a tile lies partly where other threads have put the one before
  x.store(room.subview([0, at], [ROWS, TILE]));
}

class Cursor {
  at: number;
  constructor(at: number) {
    "use kernel";
    this.at = at;
  }
  advance(by: number) {
    "use kernel";
    this.at += by;
  }
}

class Holder {
  readonly view: Room;
  constructor(view: Room) {
    "use kernel";
    this.view = view;
  }
}

const placeOf = (room: Room, first: i32): Room => {
  "use kernel";
  return room.subview([0, first * TILE], [ROWS, TILE]);
};

/** A view that is made before the loop and read in it. */
const readOnly = {
  frozen(room, x, first, turns) {
    "use kernel";
    const o = Object.freeze({ view: placeOf(room, first) });
    for (const _ of range(turns)) x.store(o.view);
  },
  field(room, x, first, turns) {
    "use kernel";
    const o = { view: placeOf(room, first) };
    for (const _ of range(turns)) x.store(o.view);
  },
  nested(room, x, first, turns) {
    "use kernel";
    const o = { inner: { view: placeOf(room, first) } };
    for (const _ of range(turns)) for (const _ of range(2)) x.store(o.inner.view);
  },
  instance(room, x, first, turns) {
    "use kernel";
    const o = new Holder(placeOf(room, first));
    for (const _ of range(turns)) x.store(o.view);
  },
  element(room, x, first, turns) {
    "use kernel";
    const views = [placeOf(room, first)];
    for (const _ of range(turns)) x.store(views[0] as Room);
  },
} satisfies Record<string, Walk>;

/** A place that each iteration changes. */
const changing = {
  variable(room, x, first, turns, step) {
    "use kernel";
    let at = first * TILE;
    for (const _ of range(turns)) {
      put(room, x, at);
      at += step;
    }
  },
  literal(room, x, first, turns, step) {
    "use kernel";
    let at = 0;
    for (const _ of range(turns)) {
      put(room, x, at + first * TILE);
      at += step;
    }
  },
  index(room, x, first, turns, step) {
    "use kernel";
    for (const at of range(first * TILE, first * TILE + turns * step, step)) put(room, x, at);
  },
  field(room, x, first, turns, step) {
    "use kernel";
    const o = { at: first * TILE };
    for (const _ of range(turns)) {
      put(room, x, o.at);
      o.at += step;
    }
  },
  instance(room, x, first, turns, step) {
    "use kernel";
    const o = new Cursor(first * TILE);
    for (const _ of range(turns)) {
      put(room, x, o.at);
      o.advance(step);
    }
  },
  element(room, x, first, turns, step) {
    "use kernel";
    const at = [first * TILE];
    for (const _ of range(turns)) {
      put(room, x, at[0] as number);
      at[0] = (at[0] as number) + step;
    }
  },
  view(room, x, first, turns, step) {
    "use kernel";
    const o = { view: placeOf(room, first) };
    for (const t of range(turns)) {
      syncWarp();
      x.store(o.view);
      if (t + 1 < turns) o.view = room.subview([0, first * TILE + (t + 1) * step], [ROWS, TILE]);
    }
  },
  while(room, x, first, turns, step) {
    "use kernel";
    let at = first * TILE;
    while (at < first * TILE + turns * step) {
      put(room, x, at);
      at += step;
    }
  },
  branch(room, x, first, turns, step) {
    "use kernel";
    let at = first * TILE;
    for (const t of range(2 * turns)) {
      put(room, x, at);
      if (t % 2 === 1 && t + 1 < 2 * turns) at += step;
    }
  },
  /** What one iteration gives to the next but one. */
  relay(room, x, first, turns, step) {
    "use kernel";
    let [at, next] = [first * TILE, first * TILE + step];
    for (const _ of range(turns)) {
      put(room, x, at);
      [at, next] = [next, next + step];
    }
  },
  /** The inner loop is sure of its place as long as the outer one is of what it began with. */
  inner(room, x, first, turns, step) {
    "use kernel";
    let start = first * TILE;
    for (const _ of range(turns)) {
      let at = start;
      for (const _ of range(2)) {
        put(room, x, at);
        at += 0 * step;
      }
      start += step;
    }
  },
} satisfies Record<string, Walk>;

export const walks: Readonly<Record<string, Walk>> = {
  ...Object.fromEntries(Object.entries(readOnly).map(([name, walk]) => [`read-${name}`, walk])),
  ...changing,
};

/** The tile x, wherever the walk has put it, in what was zeros. */
export const walkKernel = (walk: Walk) =>
  kernel(
    { block: 128, grid: 1 },
    function walked(
      x: Tensor<"f16", 2>,
      zeros: Tensor<"f16", 2>,
      d: Tensor<"f16", 2>,
      first: i32,
      turns: i32,
      step: Static<number>,
    ) {
      const from = sharedMemory.alloc("f16", [ROWS, TILE]);
      const room = sharedMemory.alloc("f16", [ROWS, WIDTH]);
      fill(from, x, 128);
      fill(room, zeros, 128);
      syncThreads();
      walk(room, WGMMAMatrix.load(from), first, turns, step);
      syncThreads();
      for (const i of range(threadIdx.x, ROWS * WIDTH, 128)) {
        const [row, col] = [Math.trunc(i / WIDTH), i % WIDTH];
        d[row]![col] = room.at(row, col).load();
      }
    },
  );

/** With a step of 16, 8 or 24 columns every place lies a multiple of 16 bytes in; with 2 it does of 4 bytes, and with 1 of 2. */
export const keptCases: readonly Case[] = Object.entries(walks).flatMap(([name, walk]) =>
  (name.startsWith("read-") ? [0] : [16, 2, 1]).map((step) =>
    defineCase(`kept-by-loops/${name}-${step}`, walkKernel(walk), () => {
      const [first, turns] = [1, 3];
      const x = integers(ROWS * TILE, 1, 100);
      const expected = new Array<number>(ROWS * WIDTH).fill(0);
      for (let t = 0; t < turns; t++)
        x.forEach((value, i) => {
          expected[Math.trunc(i / TILE) * WIDTH + first * TILE + t * step + (i % TILE)] = value;
        });
      const zeros = new Array<number>(ROWS * WIDTH).fill(0);
      return {
        args: [
          input("f16", [ROWS, TILE], x),
          input("f16", [ROWS, WIDTH], zeros),
          output("f16", [ROWS, WIDTH], expected),
          first,
          turns,
          step,
        ],
      };
    }),
  ),
);
