import type { ReadFormName } from "../isa/read/index.ts";
import type { DataType, PtxType } from "./types.ts";

export type { DataType, PtxType } from "./types.ts";

export type StateSpace = "global" | "shared" | "const" | "local" | "param";

/** A virtual register. One object per register: compare by identity. */
export interface Register {
  readonly kind: "register";
  /** As in the text, with its `%` if it has one. */
  readonly name: string;
  readonly type: PtxType;
  /** Unique in its function, dense from 0: its index in `Body.registers`. Registers that nothing uses have none. */
  readonly id: number;
}

/** An integer, sign included: `-1`, `0xFFFFFFFF` and `4294967295` keep their values. */
export interface IntImmediate {
  readonly kind: "int";
  readonly value: bigint;
}
/** `0f…` is f32, `0d…` and `1.5` are f64. `bits` is exact, NaN payloads too. */
export interface FloatImmediate {
  readonly kind: "float";
  readonly type: "f32" | "f64";
  readonly bits: bigint;
  readonly value: number;
}
export type Immediate = IntImmediate | FloatImmediate;

/** `%tid.x`: the name has no `%`. Which names exist: isa/read/special-registers.ts. */
export interface Special {
  readonly kind: "special";
  readonly name: string;
}
/** The address of a variable, plus bytes. */
export interface SymbolRef {
  readonly kind: "symbol";
  readonly variable: Variable;
  readonly offset: number;
}
/** A function, called or its address taken. */
export interface FunctionRef {
  readonly kind: "function";
  readonly name: string;
}
/** A label of the same function: of an instruction, a `.branchtargets` or `.calltargets` list, or a `.callprototype`. */
export interface LabelRef {
  readonly kind: "label";
  readonly label: Label | BranchTargets | CallTargets | CallPrototype;
}
/** `!p` */
export interface NotPredicate {
  readonly kind: "not";
  readonly register: Register;
}
/** `_` */
export interface Sink {
  readonly kind: "sink";
}
/** `{a, b, …}` */
export interface Vector {
  readonly kind: "vector";
  readonly items: readonly Scalar[];
}
export type Scalar = Register | Immediate | Special | SymbolRef | FunctionRef | NotPredicate | Sink;
/** `d|p`, `{a, b, …}|p` */
export interface Pair {
  readonly kind: "pair";
  readonly first: Register | Sink | Vector;
  readonly second: Register | Sink;
}
/** `[base+offset]`, offset in bytes. An absolute address has no base. */
export interface Address {
  readonly kind: "address";
  readonly base: Register | Variable | undefined;
  readonly offset: number;
}
/** `[map, {c0, c1, …}]`, or with one coordinate `[map, c0]`; the map of a tensor, or a texture or surface object. */
export interface TensorAddress {
  readonly kind: "tensor";
  readonly map: Register | Variable;
  readonly coords: readonly Scalar[];
}
/** `(a, b, …)` of a call: variables of the space param, registers, immediates. */
export interface ArgumentList {
  readonly kind: "list";
  readonly items: readonly Scalar[];
}
export type Operand = Scalar | LabelRef | Vector | Pair | Address | TensorAddress | ArgumentList;

/** What an instruction is, from its text alone. Shared by all instructions with the same opcode text and form. */
export interface Opcode {
  /** All of it: `ld.global.v4.f32`. */
  readonly text: string;
  readonly form: ReadFormName;
  /** Values of the form's slots; a slot left out is `undefined`. */
  readonly modifiers: Readonly<Record<string, string | undefined>>;
  /** Those of them that are types. */
  readonly types: Readonly<Record<string, DataType>>;
}

export interface Guard {
  readonly register: Register;
  readonly negate: boolean;
}

export interface Instruction {
  readonly kind: "instruction";
  readonly opcode: Opcode;
  /** One for each operand of the form, `undefined` where it is left out. */
  readonly operands: readonly (Operand | undefined)[];
  readonly guard: Guard | undefined;
  /** Of the PTX text, from 1: where its opcode stands. */
  readonly line: number;
  readonly column: number;
  /** The `.loc` in force. */
  readonly loc: Loc | undefined;
  /** In `Body.instructions`. */
  readonly index: number;
}

/** An instruction that is not known: what comes to its function cannot run here, all else can. */
export interface UnknownInstruction {
  readonly kind: "unknown";
  /** All of it, without its semicolon. */
  readonly text: string;
  /** W9801. */
  readonly refuse: () => never;
}

export interface Label {
  readonly kind: "label";
  readonly name: string;
  /** The index in `Body.instructions` of what follows it; their number where nothing does. */
  readonly target: number;
}
/** `.loc` (ISA 11.5.4). `file` is the number of a `.file`. */
export interface Loc {
  readonly kind: "loc";
  readonly file: number;
  readonly line: number;
  readonly column: number;
  /** Where the function that holds this line is inlined. */
  readonly inlinedAt: { readonly file: number; readonly line: number; readonly column: number } | undefined;
  /** The function inlined: a label in `.debug_str`, plus bytes, as written. */
  readonly functionName: string | undefined;
}
/** `name: .branchtargets a, b, …;` for `brx.idx`. */
export interface BranchTargets {
  readonly kind: "branchtargets";
  readonly name: string;
  readonly targets: readonly LabelRef[];
}
/** `name: .calltargets f, g, …;` for indirect calls: functions that may be called, all of one type. */
export interface CallTargets {
  readonly kind: "calltargets";
  readonly name: string;
  readonly functions: readonly FunctionRef[];
}
/** `name: .callprototype …;` for indirect calls. */
export interface CallPrototype {
  readonly kind: "callprototype";
  readonly name: string;
  readonly returns: readonly Variable[];
  readonly params: readonly Variable[];
  readonly noreturn: boolean;
}
export interface RegisterDeclaration {
  readonly kind: "registers";
  readonly type: PtxType;
  /** `count` undefined: a plain name; else `name0` … `name<count-1>`. */
  readonly names: readonly { readonly name: string; readonly count: number | undefined }[];
}
export interface Pragma {
  readonly kind: "pragma";
  readonly texts: readonly string[];
}
/** `{` or `}`: names declared between belong there. */
export interface ScopeMark {
  readonly kind: "open" | "close";
}
export type Statement =
  | Instruction
  | UnknownInstruction
  | Label
  | Loc
  | BranchTargets
  | CallTargets
  | CallPrototype
  | RegisterDeclaration
  | Variable
  | Pragma
  | ScopeMark;

/** One element of an initialiser. `address`: of a variable or function, generic or in its own space, of which `mask` picks bits. */
export type InitialValue =
  | Immediate
  | {
      readonly kind: "address";
      readonly name: string;
      readonly offset: number;
      readonly generic: boolean;
      readonly mask: bigint | undefined;
    };

export type Linkage = "visible" | "weak" | "extern" | "common" | "";

/** A variable or parameter. One object per variable: compare by identity. */
export interface Variable {
  readonly kind: "variable";
  readonly name: string;
  /** `reg`: a parameter or result of a function that is a register. */
  readonly space: StateSpace | "reg";
  readonly type: PtxType;
  /** In the space reg: what the body knows it by. Prototypes and declarations have none. */
  readonly register?: Register;
  /** Elements of a vector; 1 for scalars. */
  readonly vector: 1 | 2 | 4;
  /** In bytes; as declared, else the natural one. */
  readonly align: number;
  readonly alignDeclared: boolean;
  /** Outermost first; empty for scalars. `[]` is 0. */
  readonly dims: readonly number[];
  /** In bytes; 0 for `[]`. */
  readonly size: number;
  readonly linkage: Linkage;
  /** Row-major, padded to the shape with zeros; trailing zeros may be absent. */
  readonly initial: readonly InitialValue[] | undefined;
  /** `.ptr .global .align 16` of an entry's parameter. */
  readonly pointsTo: { readonly space: StateSpace | ""; readonly align: number } | undefined;
  /** The host can reach it, too: `.attribute(.managed)`. */
  readonly managed?: true;
  readonly line: number;
}

/** Performance-tuning and cluster directives (ISA 11.4, 11.7). */
export interface FunctionDirectives {
  readonly reqntid?: readonly number[];
  readonly maxntid?: readonly number[];
  readonly maxnreg?: number;
  readonly minnctapersm?: number;
  readonly maxnctapersm?: number;
  readonly reqnctapercluster?: readonly number[];
  readonly explicitcluster?: true;
  readonly maxclusterrank?: number;
  readonly noreturn?: true;
  readonly pragmas?: readonly string[];
}

export interface Body {
  /** Everything, in the order of the text. */
  readonly statements: readonly Statement[];
  /** The instructions alone. */
  readonly instructions: readonly Instruction[];
  /** Those among the statements that are not known. */
  readonly unknown: readonly UnknownInstruction[];
  /** Those that occur, by id. */
  readonly registers: readonly Register[];
  /** All declared inside. Those of the spaces shared, global and const exist once; local and param once per thread and call. */
  readonly variables: readonly Variable[];
}

export interface PtxFunction {
  readonly kind: "function";
  readonly name: string;
  readonly entry: boolean;
  readonly linkage: Linkage;
  readonly returns: readonly Variable[];
  readonly params: readonly Variable[];
  readonly directives: FunctionDirectives;
  /** Absent in a declaration. */
  readonly body: Body | undefined;
  readonly line: number;
}
export interface SourceFile {
  readonly kind: "file";
  readonly number: number;
  readonly path: string;
  /** What follows the path, as written: time stamp and size. */
  readonly rest: string;
}
/** `.section .debug_…  { … }`, as written. */
export interface Section {
  readonly kind: "section";
  readonly text: string;
}
/** `.alias name, target;` (ISA 5.4.7): another name of a function. */
export interface Alias {
  readonly kind: "alias";
  readonly name: string;
  readonly target: string;
}
export type Item = Variable | PtxFunction | Alias | SourceFile | Section | Pragma;

/** A PTX module as read. */
export interface PtxTree {
  /** What errors call it. */
  readonly name: string;
  /** What was read. */
  readonly text: string;
  readonly version: string;
  /** `sm_90a`, then options such as `debug`. */
  readonly target: readonly string[];
  readonly addressSize: 32 | 64;
  /** Everything else, in the order of the text. */
  readonly items: readonly Item[];
  /** Variables of the module. */
  readonly variables: readonly Variable[];
  /** Those with a body; of the declarations only those without a definition. */
  readonly functions: readonly PtxFunction[];
  readonly files: readonly SourceFile[];
}
