import type { OperandForm } from "./isa/define-forms.ts";
import type { FormName, Forms } from "./isa/index.ts";
import type { Address, Imm, LabelRef, NotPred, Operand, Pair, Sink, Special, SymbolRef, TensorAddress, Vec } from "./operands.ts";
import type { Reg } from "./regs.ts";

interface OperandTypes {
  d: Reg;
  s: Reg | Imm;
  special: Special;
  sym: SymbolRef;
  v: Reg | Vec;
  w: Reg | Imm | Vec;
  vec: Vec;
  p: Reg | NotPred | Imm;
  dp: Reg;
  pair: Pair;
  addr: Address;
  tensor: TensorAddress;
  label: LabelRef;
  imm: Imm;
  sink: Sink;
}
type OperandOf<S> = S extends `${infer K extends keyof OperandTypes}?`
  ? OperandTypes[K] | undefined
  : S extends `${infer K extends keyof OperandTypes}:${string}`
    ? OperandTypes[K]
    : S extends keyof OperandTypes
      ? OperandTypes[S]
      : never;
type AllOf<T extends readonly OperandForm[]> = {
  readonly [I in keyof T]: OperandOf<T[I]>;
};
type OperandsOf<T extends readonly OperandForm[]> = T extends readonly [
  ...infer Rest extends readonly OperandForm[],
  `${string}?`,
]
  ? AllOf<T> | OperandsOf<Rest>
  : AllOf<T>;

/** The operands of a form; those that it may lack are `undefined`, and may be left out at the end. */
export type FormOperands<K extends FormName> = OperandsOf<Forms[K]["operands"]>;

type Slots<K extends FormName> = Forms[K] extends {
  readonly modifiers: infer M extends Readonly<Record<string, readonly string[]>>;
}
  ? M
  : Record<never, never>;
type Required<M> = {
  readonly [S in keyof M as M[S] extends readonly (infer V)[]
    ? "" extends V
      ? never
      : S
    : never]: M[S] extends readonly (infer V)[] ? V : never;
};
type Optional<M> = {
  readonly [S in keyof M as M[S] extends readonly (infer V)[] ? ("" extends V ? S : never) : never]?:
    | (M[S] extends readonly (infer V)[] ? V : never)
    | undefined;
};
/** The modifiers of a form, by slot. */
export type FormModifiers<K extends FormName> = Required<Slots<K>> & Optional<Slots<K>>;

/** Runs the instruction where the predicate is true, or false where `negate`. */
export interface Guard {
  readonly reg: Reg;
  readonly negate: boolean;
}

export interface Instruction {
  readonly kind: "instruction";
  readonly form: FormName;
  readonly modifiers: Readonly<Record<string, string | undefined>>;
  readonly operands: readonly (Operand | undefined)[];
  readonly guard?: Guard;
}

/** Makes an instruction; the ISA table says which modifiers and operands it has. */
export function instruction<K extends FormName>(
  form: K,
  modifiers: FormModifiers<K>,
  operands: FormOperands<K>,
  guard?: Guard,
): Instruction {
  const slots = modifiers as Instruction["modifiers"];
  if (guard === undefined) return { kind: "instruction", form, modifiers: slots, operands };
  return { kind: "instruction", form, modifiers: slots, operands, guard };
}
