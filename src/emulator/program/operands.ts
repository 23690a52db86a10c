/** Reads and writes operands of one lane, for instructions that are not compiled into segments. */
import type { Address, Instruction, Operand, Register, Scalar, TensorAddress } from "../../ptx/parse/index.ts";
import { KernelFault } from "../machine/fault.ts";
import { sharedWindow } from "../machine/memory.ts";
import type { Warp } from "../machine/warp.ts";
import { type RegisterLayout, storageOf } from "./codegen/layout.ts";
import { makeFunction } from "./codegen/make-function.ts";
import { specialValue } from "./codegen/specials.ts";
import { Unsupported } from "./codegen/unsupported.ts";
import type { Symbols } from "./codegen/writer.ts";
import type { GuardMask } from "./step.ts";

export type Read = (warp: Warp, lane: number) => number;
export type Write = (warp: Warp, lane: number, value: number) => void;

/** How a program is made. */
export interface ProgramOptions {
  /** Launches have a monitor. */
  readonly watched: boolean;
  /** Segments end at each access to memory, so that others can come between two of them. */
  readonly fine: boolean;
  /** Clusters wait for their turn where blocks can tell each other something. */
  readonly ordered?: boolean;
  /** It is of a program of loop nests. */
  readonly ofLoops?: boolean;
}

export interface Operating extends ProgramOptions {
  readonly layout: RegisterLayout;
  readonly symbols: Symbols;
}

/** An expression over `w`, its block `B` and lane `l` as a function. */
const expression = (text: string): Read => makeFunction("w", "l", `const B=w.block;return ${text};`) as Read;

const widthOf = (r: Register): 1 | 2 => (["long", "double"].includes(storageOf(r.type) ?? "") ? 2 : 1);

/** The lower 32 bits, signed. */
export function readWord(c: Operating, o: Operand | undefined): Read {
  if (o?.kind === "register") {
    const [base, width] = [c.layout.place(o), widthOf(o)];
    return (warp, lane) => warp.i32[base + width * lane] ?? 0;
  }
  if (o?.kind === "int") {
    const value = Number(BigInt.asIntN(32, o.value));
    return () => value;
  }
  if (o?.kind === "special") return expression(specialValue(o.name)[0]);
  if (o?.kind === "symbol") return expression(`(${c.symbols.address(o.variable)}+${o.offset})`);
  throw new Unsupported(`an operand of the kind ${o?.kind}`);
}

/** 64 bits as a double: exact below 2 ** 53. */
export function readLong(c: Operating, o: Operand | undefined): Read {
  if (o?.kind !== "register" || widthOf(o) === 1) {
    if (o?.kind === "int") {
      const value = Number(BigInt.asUintN(64, o.value));
      return () => value;
    }
    const word = readWord(c, o);
    return o?.kind === "symbol" ? word : (warp, lane) => word(warp, lane) >>> 0;
  }
  const base = c.layout.place(o);
  return (warp, lane) => (warp.i32[base + 2 * lane + 1] ?? 0) * 2 ** 32 + ((warp.i32[base + 2 * lane] ?? 0) >>> 0);
}

export function readPredicate(c: Operating, o: Operand | undefined): Read {
  if (o?.kind === "int") return () => (o.value === 0n ? 0 : 1);
  const register = o?.kind === "not" ? o.register : o;
  const read = readWord(c, register);
  return o?.kind === "not" ? (warp, lane) => 1 - read(warp, lane) : read;
}

const nowhere: Write = () => {};

export function writeWord(c: Operating, o: Operand | undefined): Write {
  if (o?.kind === "sink" || o === undefined) return nowhere;
  if (o.kind !== "register") throw new Unsupported(`a result of the kind ${o.kind}`);
  const [base, width] = [c.layout.place(o), widthOf(o)];
  return (warp, lane, value) => {
    warp.i32[base + width * lane] = value;
    if (width === 2) warp.i32[base + width * lane + 1] = 0;
  };
}

/** A whole number below 2 ** 53. */
export function writeLong(c: Operating, o: Operand | undefined): Write {
  if (o?.kind === "sink" || o === undefined) return nowhere;
  if (o.kind !== "register") throw new Unsupported(`a result of the kind ${o.kind}`);
  const base = c.layout.place(o);
  return (warp, lane, value) => {
    warp.i32[base + 2 * lane] = (value % 2 ** 32) | 0;
    warp.i32[base + 2 * lane + 1] = Math.floor(value / 2 ** 32);
  };
}

export function readBase(c: Operating, { base, offset }: Address | { base: TensorAddress["map"]; offset: number }): Read {
  if (base === undefined) return () => offset;
  if (base.kind === "variable") return expression(`(${c.symbols.address(base)}+${offset})`);
  const read = readLong(c, base);
  return (warp, lane) => read(warp, lane) + offset;
}

/** An address in global memory; parameters lie there, too. */
export function readGlobal(c: Operating, o: Operand | undefined): Read {
  if (o?.kind !== "address") throw new Unsupported("memory without an address");
  return readBase(c, o);
}

/** An address of shared::cluster, given as one or as a generic address. */
export function readShared(c: Operating, o: Operand | undefined): Read {
  if (o?.kind !== "address") throw new Unsupported("memory without an address");
  const read = readBase(c, o);
  return (warp, lane) => {
    const address = read(warp, lane);
    if (address < 2 ** 32) return address;
    if (address >= sharedWindow && address < sharedWindow + 2 ** 32) return address - sharedWindow;
    throw new KernelFault(`it used 0x${address.toString(16)} as an address of shared memory`);
  };
}

/** The map's address, and its coordinates. */
export function readTensor(c: Operating, o: Operand | undefined): { readonly map: Read; readonly coordinates: readonly Read[] } {
  if (o?.kind !== "tensor") throw new Unsupported("a tensor copy without a tensor");
  return { map: readBase(c, { base: o.map, offset: 0 }), coordinates: o.coords.map((item) => readWord(c, item)) };
}

export const itemsOf = (o: Operand | undefined): readonly Scalar[] =>
  o?.kind === "vector" ? o.items : o === undefined ? [] : [o as Scalar];

/** Indices of the rows of a vector of registers. */
export const rowsOf = (c: Operating, o: Operand | undefined): readonly number[] =>
  itemsOf(o).map((item) => {
    if (item.kind !== "register") throw new Unsupported("matrix operands that are no registers");
    return c.layout.place(item);
  });

export function guardMask(c: Operating, { guard }: Instruction): GuardMask | undefined {
  if (!guard) return undefined;
  const base = c.layout.place(guard.register);
  const { negate } = guard;
  return ({ i32 }, mask) => {
    let set = 0;
    for (let lane = 0; lane < 32; lane++) set |= (i32[base + lane] as number) << lane;
    return mask & (negate ? ~set : set);
  };
}
