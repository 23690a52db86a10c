import type { Imm, Reg } from "../ptx/index.ts";

/** A shift that is known at lowering time is kept apart from the register, so that address and descriptor arithmetic folds. */
export type Lowered =
  | { readonly kind: "scalar"; readonly operand: Reg | Imm }
  /** base + offset bytes. */
  | { readonly kind: "pointer"; readonly base: Reg; readonly offset: number }
  /** A matrix descriptor: its low word is low + offset (in 16 bytes); its high word does not change with the address. */
  | { readonly kind: "desc"; readonly low: Reg; readonly offset: number; readonly high: Reg }
  | { readonly kind: "acc"; readonly regs: readonly Reg[] };
