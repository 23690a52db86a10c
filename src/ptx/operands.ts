import type { Reg } from "./regs.ts";

/** A typed immediate. Floats are printed bit-exactly. */
export type Imm =
  | { readonly kind: "imm"; readonly type: "int"; readonly value: bigint }
  | { readonly kind: "imm"; readonly type: "f32" | "f64"; readonly value: number };

export const int = (value: number | bigint): Imm => ({ kind: "imm", type: "int", value: BigInt(value) });
export const f32 = (value: number): Imm => ({ kind: "imm", type: "f32", value });
export const f64 = (value: number): Imm => ({ kind: "imm", type: "f64", value });

export const specialRegisters = [
  "tid.x",
  "tid.y",
  "tid.z",
  "ntid.x",
  "ntid.y",
  "ntid.z",
  "ctaid.x",
  "ctaid.y",
  "ctaid.z",
  "nctaid.x",
  "nctaid.y",
  "nctaid.z",
  "laneid",
  "lanemask_lt",
  "smid",
  "warpid",
  "clock",
  "globaltimer",
  "cluster_ctarank",
  "cluster_nctarank",
  "clusterid.x",
  "clusterid.y",
  "clusterid.z",
  "envreg1",
  "envreg2",
] as const;
export type SpecialRegister = (typeof specialRegisters)[number];

/** `%tid.x` */
export interface Special {
  readonly kind: "special";
  readonly name: SpecialRegister;
}
export const special = (name: SpecialRegister): Special => ({ kind: "special", name });

/** A variable or parameter, by its address. */
export interface SymbolRef {
  readonly kind: "symbol";
  readonly name: string;
}
export const symbol = (name: string): SymbolRef => ({ kind: "symbol", name });

/** `!p` */
export interface NotPred {
  readonly kind: "not";
  readonly reg: Reg;
}
export const not = (reg: Reg): NotPred => ({ kind: "not", reg });

/** `_`: a result nobody wants. */
export interface Sink {
  readonly kind: "sink";
}
export const sink: Sink = { kind: "sink" };

/** `{a, b, …}` */
export interface Vec {
  readonly kind: "vec";
  readonly items: readonly (Reg | Imm | Sink)[];
}
export const vec = (items: readonly (Reg | Imm | Sink)[]): Vec => ({ kind: "vec", items });

/** `d|p` */
export interface Pair {
  readonly kind: "pair";
  readonly value: Reg | Sink;
  readonly pred: Reg;
}
export const pair = (value: Reg | Sink, pred: Reg): Pair => ({ kind: "pair", value, pred });

/** `[base+offset]`, offset in bytes. */
export interface Address {
  readonly kind: "address";
  readonly base: Reg | SymbolRef;
  readonly offset: number;
}
export const address = (base: Reg | SymbolRef, offset = 0): Address => ({ kind: "address", base, offset });

/** `[map, {c0, c1, …}]` */
export interface TensorAddress {
  readonly kind: "tensor";
  readonly map: Reg;
  readonly coords: readonly (Reg | Imm)[];
}
export const tensorAddress = (map: Reg, coords: readonly (Reg | Imm)[]): TensorAddress => ({ kind: "tensor", map, coords });

/** The place a branch goes to. */
export interface LabelRef {
  readonly kind: "label";
  readonly name: string;
}

export type Operand = Reg | Imm | Special | SymbolRef | NotPred | Sink | Vec | Pair | Address | TensorAddress | LabelRef;
