import type { SharedView, Static, Swizzle, Tensor, TMA } from "warpsmith";
import { fence, kernel, Mbarriers, range, sharedMemory, syncThreads, threadIdx, tma } from "warpsmith";
import { type Case, defineCase, input, mapOf, output } from "./case.ts";
import { integers } from "./numbers.ts";
import { type Any, fill } from "./wgmma.ts";

/** Where a box lies that is narrower than the swizzle: at the beginning of a panel. */
interface Part {
  readonly swizzle: Swizzle;
  /** Columns of shared memory, and the first of the part. */
  readonly room: number;
  readonly from: number;
}

/** What was in the panels beside the part stays there. */
const load = kernel(
  { block: 128, grid: 1 },
  function load(map: TMA<"f16", 2>, out: Tensor<"f16", 2>, { swizzle, room, from }: Static<Part>) {
    const [rows, cols] = map.box;
    const panels = sharedMemory.alloc("f16", [rows!, room], { swizzle });
    for (const e of range(threadIdx.x, rows! * room, 128)) panels.at(Math.trunc(e / room), e % room).store(7);
    const bar = new Mbarriers(1).at(0);
    if (threadIdx.x === 0) bar.init(1);
    fence.mbarrierInit();
    fence.proxyAsync();
    syncThreads();
    if (threadIdx.x === 0) {
      const part = panels.subview([0, from], [rows!, cols!]);
      bar.arrive({ tx: part.bytes });
      map.load(part, bar, [8, 2]);
    }
    bar.wait(false);
    for (const e of range(threadIdx.x, rows! * room, 128))
      out.at(Math.trunc(e / room), e % room).store(panels.at(Math.trunc(e / room), e % room).load());
  },
);

const store = kernel(
  { block: 128, grid: 1 },
  function store(x: Tensor<"f16", 2>, map: TMA<"f16", 2>, { swizzle, room, from }: Static<Part>) {
    const [rows, cols] = map.box;
    const panels = sharedMemory.alloc("f16", [rows!, room], { swizzle });
    fill(panels as SharedView<Any, 2>, x as Tensor<Any, 2>, 128);
    fence.proxyAsync();
    syncThreads();
    if (threadIdx.x === 0) {
      map.store(panels.subview([0, from], [rows!, cols!]), [8, 2]);
      tma.commit();
      tma.wait(0);
    }
  },
);

function partCases(swizzle: Swizzle, room: number, from: number, width: number): Case[] {
  const [rows, box] = [16, [16, width]] as const;
  const whole = [24, 80] as const;
  const name = `${swizzle}-${width}-at${from}-of${room}`;
  const inPart = (col: number): boolean => col >= from && col < from + width;
  return [
    defineCase(`tma-parts/load-${name}`, load, () => {
      const data = integers(whole[0] * whole[1], -9, 9, 41);
      const expected = Array.from({ length: rows * room }, (_, i) => {
        const [row, col] = [Math.floor(i / room), i % room];
        return inPart(col) ? data[(row + 2) * whole[1] + col - from + 8]! : 7;
      });
      const map = mapOf(input("f16", whole, data), { box, swizzle });
      return { args: [map, output("f16", [rows, room], expected), { swizzle, room, from }] };
    }),
    defineCase(`tma-parts/store-${name}`, store, () => {
      const data = integers(rows * room, -9, 9, 43);
      const initial = integers(whole[0] * whole[1], 20, 30, 44);
      const expected = initial.map((v, i) => {
        const [row, col] = [Math.floor(i / whole[1]) - 2, (i % whole[1]) - 8];
        return row >= 0 && row < rows && col >= 0 && col < width ? data[row * room + from + col]! : v;
      });
      const map = mapOf(output("f16", whole, expected, { initial }), { box, swizzle });
      return { args: [input("f16", [rows, room], data), map, { swizzle, room, from }] };
    }),
  ];
}

export const tmaPartCases: readonly Case[] = [
  ...partCases("128B", 192, 128, 16),
  ...partCases("128B", 64, 0, 48),
  ...partCases("128B", 128, 64, 8),
  ...partCases("64B", 64, 32, 16),
  ...partCases("32B", 32, 16, 8),
];
