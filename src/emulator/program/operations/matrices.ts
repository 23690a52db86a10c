/** Matrices of one warp (PTX ISA 9.7.14): operands are gathered here, the units multiply. */

import type { Instruction, Operand } from "../../../ptx/parse/index.ts";
import { shapeNamed, spaceNamed } from "../../../ptx/parse/index.ts";
import { KernelFault } from "../../machine/fault.ts";
import { badAccess } from "../../machine/memory.ts";
import {
  elementBits,
  loadWmma,
  type MatrixElement,
  multiplyWmma,
  quadMultiplier,
  type ResultElement,
  storeWmma,
  type WmmaFragment,
  type WmmaOperand,
  warpMultiplier,
} from "../../machine/units/index.ts";
import { lanes, type Warp } from "../../machine/warp.ts";
import { type Operating, readGlobal, readShared, readWord, rowsOf, writeWord } from "../operands.ts";
import { locate, tell } from "./locate.ts";
import type { OperationRule, OperationRules } from "./rule.ts";

const fragmentOf = <T extends MatrixElement>(c: Operating, o: Operand | undefined, type: string | undefined) => ({
  type: type as T,
  rows: rowsOf(c, o),
});

/** The four fragments and what is done with them. `f16`: the type of A and B where the instruction does not say it. */
function productOf(c: Operating, i: Instruction) {
  const [d, a, b, accumulator] = i.operands;
  const { modifiers: m } = i.opcode;
  return {
    shape: shapeNamed(i.opcode.modifiers.shape),
    d: fragmentOf<ResultElement>(c, d, m.d),
    a: fragmentOf<MatrixElement>(c, a, m.a ?? "f16"),
    b: fragmentOf<MatrixElement>(c, b, m.b ?? "f16"),
    c: fragmentOf<ResultElement>(c, accumulator, m.c),
    satfinite: Boolean(m.satfinite),
    bits: m.op as "and" | "xor" | undefined,
    round: m.round as "rn" | "rz" | "rm" | "rp" | undefined,
  };
}

const mma: OperationRule = (c, i) => {
  const product = productOf(c, i);
  const layouts = i.opcode.modifiers as { readonly layoutA: "row" | "col"; readonly layoutB: "row" | "col" };
  const quads = product.shape.m === 8 && product.a.type === "f16";
  const run = quads ? quadMultiplier({ ...layouts, ...product }) : warpMultiplier(product);
  return (warp) => {
    run(warp);
    return "next";
  };
};

const wmma: OperationRule = (c, i) => {
  const product = productOf(c, i);
  return (warp) => {
    multiplyWmma(warp, product);
    return "next";
  };
};

/** All threads of the warp have to give the same. */
function checkSame(what: string, value: (warp: Warp, lane: number) => number, warp: Warp, first: number): void {
  for (let lane = 1; lane < lanes; lane += 1)
    if (value(warp, lane) !== first)
      throw new KernelFault(`it gave ${what} that is not the same in thread 0 and thread ${lane} of its warp`);
}

/**
 * Bytes that divide where a matrix begins, and its rows or columns: those that a thread holds of it (PTX ISA 9.7.14.4.2), but no more than the 16 that
 * CUDA's `ldm` asks for, which compilers keep to.
 */
const alignmentOf = ({ fragment: { rows, type } }: WmmaFragment): number => Math.min(16, rows.length * (type === "f64" ? 8 : 4));

/** A block may end within a warp. */
function checkWhole({ block: { launch }, index }: Warp): void {
  const threads = launch.block.reduce((n, extent) => n * extent, 1);
  if (threads - lanes * index < lanes)
    throw new KernelFault("it has a warp with fewer than 32 threads work on a matrix together");
}

/** The matrix is where lane 0 says, as is its stride. */
function wmmaMove(load: boolean): OperationRule {
  return (c, i) => {
    const [first, second, third] = i.operands;
    const { fragment = "c", layout, space, type } = i.opcode.modifiers;
    const [registers, address] = load ? [first, second] : [second, first];
    const start = spaceNamed(space) === "shared" ? readShared(c, address) : readGlobal(c, address);
    const stride = third && readWord(c, third);
    const matrix: WmmaFragment = {
      fragment: fragmentOf(c, registers, type),
      operand: fragment as WmmaOperand,
      shape: shapeNamed(i.opcode.modifiers.shape),
      layout: layout as "row" | "col",
    };
    const alignment = alignmentOf(matrix);
    const element = elementBits[matrix.fragment.type] / 8;
    return (warp) => {
      checkWhole(warp);
      const origin = start(warp, 0);
      checkSame("a matrix of the warp an address", start, warp, origin);
      if (stride) checkSame("a matrix of the warp a stride", stride, warp, stride(warp, 0));
      if (origin % alignment !== 0) badAccess(spaceNamed(space), origin, alignment, undefined);
      const apart = (stride?.(warp, 0) ?? 0) * element;
      if (apart % alignment !== 0)
        throw new KernelFault(`it has rows or columns of a matrix ${apart} bytes apart, which is no multiple of ${alignment}`);
      const memory = (offset: number, length: number) => {
        const location = locate(warp, space, origin + offset, length);
        tell(warp, 0, load ? "read" : "write", location, length);
        return { bytes: location.region.bytes, offset: location.offset };
      };
      (load ? loadWmma : storeWmma)(warp, matrix, memory, stride?.(warp, 0));
      return "next";
    };
  };
}

/** The 8 x 8 matrix of b16 with rows and columns exchanged: lane l holds row l / 4, columns 2 (l % 4) and one more. */
const movmatrix: OperationRule = (c, { operands: [d, a] }) => {
  const [write, read] = [writeWord(c, d), readWord(c, a)];
  const element = (warp: Warp, row: number, column: number): number =>
    (read(warp, 4 * row + (column >> 1)) >>> (16 * (column & 1))) & 0xffff;
  return (warp) => {
    const words = Array.from({ length: lanes }, (_, lane) => {
      const [row, column] = [lane >> 2, 2 * (lane & 3)];
      return element(warp, column, row) | (element(warp, column + 1, row) << 16);
    });
    words.forEach((word, lane) => void write(warp, lane, word));
    return "next";
  };
};

export const matrixRules: OperationRules = {
  mma,
  "mma.b1": mma,
  "wmma.load": wmmaMove(true),
  "wmma.store": wmmaMove(false),
  "wmma.mma": wmma,
  "wmma.mma.half": wmma,
  "wmma.mma.b1": wmma,
  movmatrix,
};
