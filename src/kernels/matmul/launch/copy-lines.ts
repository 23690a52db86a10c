import { blockIdx, gridDependency, type Kernel, kernel, staticRange, type Tensor, threadIdx } from "warpsmith";
import type { Kept } from "../../common/made.ts";
import { loadNeighbours } from "../kernel/load-neighbours.ts";
import type { HalfType, Vector } from "../problem/problem.ts";

/** Lines that are copied: how many neighbours of one memory has at multiples of their bytes, and the distance of lines where they go. */
export interface CopyShape {
  readonly vector: Vector;
  readonly columns: number;
  readonly pitch: number;
}

/** [lines, columns], and as many lines of `pitch` elements. */
export interface Copy {
  readonly from: Tensor<HalfType, 2>;
  readonly to: Tensor<HalfType, 2>;
}

const THREADS = 256;
/** Lines of a thread: so many loads are under way. */
const UNROLL = 8;

/** Neighbours that a thread stores at a time; threads beside each other along a line, and lines of a block. */
function shareOf({ vector, pitch }: CopyShape) {
  const width = Math.max(2, vector);
  const across = Math.min(128, 2 ** Math.ceil(Math.log2(pitch / width)));
  return { width, across, lines: (THREADS / across) * UNROLL };
}

const blocksAcross = (shape: CopyShape): number => Math.ceil(shape.pitch / (shareOf(shape).width * shareOf(shape).across));

/** Blocks that copy so many lines. */
const blocksFor = (shape: CopyShape, lines: number): number => blocksAcross(shape) * Math.ceil(lines / shareOf(shape).lines);

function copyPart({ from, to }: Copy, shape: CopyShape, block: number) {
  "use kernel";
  const { vector, columns, pitch } = shape;
  const { width, across } = shareOf(shape);
  const beside = blocksAcross(shape);
  const col = ((block % beside) * across + (threadIdx.x % across)) * width;
  const down = THREADS / across;
  const first = Math.trunc(block / beside) * down * UNROLL + Math.trunc(threadIdx.x / across);
  const loaded = Array.from({ length: UNROLL }, (_, i) =>
    loadNeighbours(from, [first + i * down, col], width, vector, [from.shape[0], columns]),
  );
  for (const i of staticRange(UNROLL)) {
    const line = first + i * down;
    to.at(line, col).store(loaded[i] ?? [], { pred: line < to.shape[0] && col < pitch });
  }
}

/** What a block copies: of the matrix of that number, or of one behind it, `block` blocks on. */
function copyFrom(copies: readonly Copy[], shapes: readonly CopyShape[], number: number, block: number) {
  "use kernel";
  const [one, shape] = [copies[number] as Copy, shapes[number] as CopyShape];
  if (number === shapes.length - 1) {
    copyPart(one, shape, block);
    return;
  }
  const { lines } = shareOf(shape);
  const blocks = blocksAcross(shape) * Math.trunc((one.from.shape[0] + lines - 1) / lines);
  if (block < blocks) copyPart(one, shape, block);
  else copyFrom(copies, shapes, number + 1, block - blocks);
}

/** Copies matrices line by line. The launch that follows may begin at once, and waits for what it reads. */
export function makeCopy(shapes: readonly CopyShape[], overlaps: boolean, kept: Kept): Kernel<[copies: readonly Copy[]]> {
  const dynamic = Object.fromEntries(shapes.flatMap((_, i) => ["from", "to"].map((name) => [`copies[${i}].${name}`, [0]])));
  const blocksOf = (copies: readonly { readonly from: { readonly shape: readonly number[] } }[]): readonly number[] =>
    shapes.map((shape, i) => blocksFor(shape, copies[i]?.from.shape[0] ?? 0));
  return kernel(
    { ...kept, block: THREADS, grid: (copies) => blocksOf(copies).reduce((sum, count) => sum + count, 0), dynamic },
    function copyLines(copies: readonly Copy[]) {
      if (overlaps) gridDependency.wait();
      gridDependency.launchDependents();
      copyFrom(copies, shapes, 0, blockIdx.x);
    },
  );
}
