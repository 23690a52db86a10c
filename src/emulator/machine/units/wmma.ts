/**
 * `wmma` (PTX ISA 9.7.14.4). Which lane holds which elements of a fragment is not specified: here, a lane holds consecutive ones
 * of the matrix, A and the accumulator by rows, B by columns. f16 registers of A and B beyond those hold the same again.
 */
import { type Fragment, laneWords, setLaneWords } from "./fragments.ts";
import { decodeWords, elementBits, encodeWords } from "./matrix-elements.ts";
import type { ByteView, WarpRegisters } from "./types.ts";
import { multiplyAdd, type WarpProduct, type WarpShape } from "./warp-product.ts";

export type WmmaOperand = "a" | "b" | "c";

/** A fragment, and how its matrix lies in memory. */
export interface WmmaFragment {
  readonly fragment: Fragment;
  readonly operand: WmmaOperand;
  readonly shape: WarpShape;
  readonly layout: "row" | "col";
}

/** So many bytes from the beginning of the matrix on. */
type Memory = (offset: number, length: number) => ByteView;

/** Lines of the matrix as a fragment keeps it, and elements of each. */
const linesOf = (operand: WmmaOperand, { m, n, k }: WarpShape): readonly [number, number] =>
  operand === "c" ? [m, n] : [operand === "a" ? m : n, k];

/** Bytes in order from the lanes or to them. */
function denseBytes({ operand, shape, fragment }: WmmaFragment): Uint8Array {
  const [lines, along] = linesOf(operand, shape);
  return new Uint8Array((lines * along * elementBits[fragment.type]) / 8);
}

/** Calls for each piece of consecutive bytes: where it is in the fragment, where in memory, and how long it is. */
function eachPiece(
  f: WmmaFragment,
  stride: number | undefined,
  move: (inner: number, outer: number, length: number) => void,
): void {
  const [lines, along] = linesOf(f.operand, f.shape);
  const bits = elementBits[f.fragment.type];
  const consecutive = f.layout === (f.operand === "b" ? "col" : "row");
  const step = ((stride ?? (consecutive ? along : lines)) * bits) / 8;
  const bytes = (along * bits) / 8;
  for (let line = 0; line < lines; line += 1) {
    if (consecutive) move(line * bytes, line * step, bytes);
    else for (let x = 0; x < along; x += 1) move(line * bytes + (x * bits) / 8, x * step + (line * bits) / 8, bits / 8);
  }
}

/** `stride`: elements from one row or column to the next. */
export function loadWmma(warp: WarpRegisters, f: WmmaFragment, memory: Memory, stride: number | undefined): void {
  const dense = denseBytes(f);
  eachPiece(f, stride, (inner, outer, length) => {
    const { bytes, offset } = memory(outer, length);
    dense.set(bytes.subarray(offset, offset + length), inner);
  });
  deal(warp, f.fragment, new Int32Array(dense.buffer));
}

export function storeWmma(warp: WarpRegisters, f: WmmaFragment, memory: Memory, stride: number | undefined): void {
  const dense = new Uint8Array(collect(warp, f.fragment, denseBytes(f).length / 4).buffer);
  eachPiece(f, stride, (inner, outer, length) => {
    const { bytes, offset } = memory(outer, length);
    bytes.set(dense.subarray(inner, inner + length), offset);
  });
}

/** Consecutive words for each lane, again and again until its registers are full. */
function deal(warp: WarpRegisters, fragment: Fragment, words: Int32Array): void {
  const per = words.length / 32;
  const count = fragment.rows.length * (fragment.type === "f64" ? 2 : 1);
  for (let lane = 0; lane < 32; lane += 1) {
    setLaneWords(
      warp,
      fragment,
      lane,
      Int32Array.from({ length: count }, (_, w) => words[lane * per + (w % per)] ?? 0),
    );
  }
}

function collect(warp: WarpRegisters, fragment: Fragment, count: number): Int32Array {
  const words = new Int32Array(count);
  const per = count / 32;
  for (let lane = 0; lane < 32; lane += 1) words.set(laneWords(warp, fragment, lane).subarray(0, per), lane * per);
  return words;
}

export function multiplyWmma(warp: WarpRegisters, product: WarpProduct): void {
  const { shape, a, b, c, d } = product;
  const { m, n, k } = shape;
  const read = (f: Fragment, elements: number) => decodeWords(f.type, collect(warp, f, (elements * elementBits[f.type]) / 32));
  const arithmetic = { ...product, aType: a.type, dType: d.type };
  const sums = read(c, m * n);
  multiplyAdd(shape, arithmetic, read(a, m * k), read(b, n * k), sums);
  deal(warp, d, encodeWords(d.type, sums));
}
