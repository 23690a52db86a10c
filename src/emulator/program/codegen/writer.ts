/** Writes JavaScript for instructions that concern one lane at a time. What is written runs once per lane. */
import type { Immediate, Instruction, Operand, Register, SymbolRef, Variable } from "../../../ptx/parse/index.ts";
import { b16, b32, bf16, type DataType, f16, f32, u16 } from "../../../ptx/parse/index.ts";
import { f32Bits, f64High, f64Low } from "../../machine/numerics/bits.ts";
import { choicesOf } from "./choices.ts";
import { LaneLoop, partsOf } from "./lane-loop.ts";
import { type RegisterLayout, type Storage, storageOf } from "./layout.ts";
import { specialValue } from "./specials.ts";
import { Unsupported } from "./unsupported.ts";

/** 64 bits as two expressions. */
export type Halves = readonly [low: string, high: string];

/** An integer expression cut to its type: of less than 32 bits extended by it, of 32 bits signed. */
function cut(expression: string, type: DataType): string {
  const { bits, kind } = type;
  if (bits >= 32) return `((${expression})|0)`;
  return kind === "signed" ? `((${expression})<<${32 - bits}>>${32 - bits})` : `((${expression})&${2 ** bits - 1})`;
}

function literal(x: number): string {
  return Object.is(x, -0) ? "(-0)" : x < 0 ? `(${x})` : `${x}`;
}

export interface Symbols {
  /** Address of a variable in its own space; of a parameter as an expression. */
  address(variable: Variable): string;
  /** Where an access to `space`, param or one of its parts, goes: to the kernel's parameters or to the stack. */
  paramSpace(variable: Variable | undefined, space: string): "global" | "local";
  /** What a pointer to a function holds. */
  functionAddress(name: string): number;
}

export class Writer {
  readonly layout: RegisterLayout;
  readonly symbols: Symbols;
  /** The launch has a monitor, to be told of each access to memory. */
  readonly watched: boolean;
  /** Stores say whether they change anything, as atomics do. */
  readonly careful: boolean;
  /** What stands before the first loop over the lanes. */
  readonly #before: (() => string)[] = [];
  /** What is made once for the function, by its name. */
  readonly #constants: ((name: string) => string)[] = [];
  /** What is done once lanes have run, or one of them has failed. */
  readonly #after: ((name: string) => string)[] = [];
  readonly #loop = new LaneLoop();
  /** How often registers have been written. */
  readonly #versions = new Map<Register, number>();
  #names = 0;
  #choices = 0;

  constructor(layout: RegisterLayout, symbols: Symbols, watched: boolean, careful = false) {
    this.layout = layout;
    this.symbols = symbols;
    this.watched = watched;
    this.careful = careful;
  }

  /** A line of its own, or what makes it once all is written. */
  line(text: string | (() => string)): void {
    this.#loop.lines.push(text);
  }
  before(text: () => string): void {
    this.#before.push(text);
  }
  constants(text: (name: string) => string): void {
    this.#constants.push(text);
  }
  after(text: (name: string) => string): void {
    this.#after.push(text);
  }
  /** Of what a register holds at this place. */
  version(r: Register): number {
    return this.#versions.get(r) ?? 0;
  }
  fresh(): string {
    return `t${this.#names++}`;
  }
  /** A constant with the value of the expression. */
  keep(expression: string): string {
    const name = this.fresh();
    this.line(`const ${name}=${expression};`);
    return name;
  }

  /** A predicate that is one of the choices of the instruction (choices.ts), as something true or false. */
  choice(predicate: string): string {
    if (!this.watched) return predicate;
    const lanes = `C[${this.#choices++}]`;
    this.before(() => `${lanes}=0;`);
    const holds = this.keep(predicate);
    this.line(`if(${holds})${lanes}|=1<<l;`);
    return holds;
  }

  /** One instruction: `write` under its guard. */
  instruction(i: Instruction, write: () => void): void {
    const { guard } = i;
    if (!guard) {
      write();
      return;
    }
    // What a guarded instruction may leave alone must be there before.
    for (const register of destinations(i)) this.#read(register);
    const runs = `${guard.negate ? "!" : ""}${this.#read(guard.register)}`;
    this.line(`if(${choicesOf(i).includes("guard") ? this.choice(runs) : runs}){`);
    write();
    this.line("}");
  }

  /** Registers that it takes as they were before. */
  get initial(): Iterable<Register> {
    return this.#loop.initial;
  }

  /** The whole function, under a name. `isKept`: whether somebody may read what a register holds afterwards. */
  finish(name: string, isKept: (r: Register) => boolean): string {
    const tells = this.#after.length > 0;
    const loop = this.#loop.finish(this.layout, isKept, tells);
    return [
      ...this.#constants.map((text) => text(name)),
      `function ${name}(w,m){`,
      `const I=w.i32,F=w.f32,D=w.f64,B=w.block${this.watched ? ",M=B.launch.monitor" : ""}${this.#choices > 0 ? ",C=w.choices" : ""};`,
      ...this.#before.map((text) => text()),
      ...(tells
        ? [
            "let l=0,z=0,n=0;try{",
            loop,
            "}finally{const at=w.at,f=l<32?1<<l:0;",
            ...this.#after.map((text) => text(name)),
            "w.at=at;}",
          ]
        : [loop]),
      "}",
    ].join("\n");
  }

  #storage(r: Register): Storage {
    const storage = storageOf(r.type);
    if (!storage) throw new Unsupported(`registers of the type ${r.type}`);
    return storage;
  }
  /** Its local variable, filled with what the register holds before. */
  #read(r: Register): string {
    this.#loop.read(r);
    return `r${r.id}`;
  }
  #write(r: Register): string {
    this.#versions.set(r, this.version(r) + 1);
    this.#loop.write(r);
    return `r${r.id}`;
  }

  /** The lower 32 bits of an operand, as a signed number. */
  word(o: Operand | undefined): string {
    switch (o?.kind) {
      case "register": {
        const name = this.#read(o);
        const storage = this.#storage(o);
        if (storage === "float") return `f32Bits(${name})`;
        return storage === "double" ? `f64Low(${name})` : name;
      }
      case "int":
        return literal(Number(BigInt.asIntN(32, o.value)));
      case "float":
        return literal(o.type === "f32" ? f32Bits(o.value) : f64Low(o.value));
      case "special":
        return specialValue(o.name)[0];
      case "symbol":
        return `(${this.#symbol(o)}|0)`;
      default:
        throw new Unsupported(`an operand of the kind ${o?.kind}`);
    }
  }

  /** An integer operand of up to 32 bits, extended as its type says. */
  int(o: Operand | undefined, type: DataType): string {
    const word = this.word(o);
    const zeroExtended = o?.kind === "register" && this.#storage(o) === "half" && type.bits === 16 && type.kind !== "signed";
    return zeroExtended ? word : type.bits >= 32 ? word : cut(word, type);
  }

  /** The same as a number in [0, 2 ** 32). */
  unsigned(o: Operand | undefined, type: DataType): string {
    return type.bits < 32 ? this.int(o, type) : `(${this.word(o)}>>>0)`;
  }

  halves(o: Operand | undefined): Halves {
    switch (o?.kind) {
      case "register": {
        const name = this.#read(o);
        const storage = this.#storage(o);
        if (storage === "long" || storage === "quad") return [name, `h${o.id}`];
        return storage === "double" ? [`f64Low(${name})`, `f64High(${name})`] : [this.word(o), "0"];
      }
      case "int": {
        const bits = BigInt.asIntN(64, o.value);
        return [literal(Number(BigInt.asIntN(32, bits))), literal(Number(bits >> 32n))];
      }
      case "float":
        return o.type === "f32" ? [literal(f32Bits(o.value)), "0"] : [literal(f64Low(o.value)), literal(f64High(o.value))];
      case "special":
        return specialValue(o.name);
      case "function": {
        const address = this.symbols.functionAddress(o.name);
        return [`${address | 0}`, `${Math.floor(address / 2 ** 32)}`];
      }
      case "symbol": {
        const address = this.keep(this.#symbol(o));
        return [`(${address}|0)`, `Math.floor(${address}/4294967296)`];
      }
      default:
        throw new Unsupported(`an operand of the kind ${o?.kind}`);
    }
  }

  /** 64 bits and a small constant, as constants. */
  sumOfHalves(o: Operand | undefined, offset: number): Halves {
    const [low, high] = this.halves(o);
    if (offset === 0) return [low, high];
    const sum = this.keep(`(${low}+${literal(offset)})|0`);
    const carry = offset > 0 ? `+((${sum}>>>0)<(${low}>>>0)?1:0)` : `-((${sum}>>>0)>(${low}>>>0)?1:0)`;
    return [sum, this.keep(`(${high}${carry})|0`)];
  }

  /** 128 bits as four words, lowest first. */
  quarters(o: Operand | undefined): readonly string[] {
    if (o?.kind === "int") {
      return [0n, 32n, 64n, 96n].map((at) => literal(Number(BigInt.asIntN(32, o.value >> at))));
    }
    if (o?.kind !== "register" || this.#storage(o) !== "quad") return [...this.halves(o), "0", "0"];
    this.#read(o);
    return partsOf(o);
  }

  /** 64 bits as a double: exact below 2 ** 53, as all addresses are. */
  address64(o: Operand | undefined): string {
    const [low, high] = this.halves(o);
    return `(${high}*4294967296+(${low}>>>0))`;
  }

  /** A float operand as a number. */
  number(o: Operand | undefined, type: DataType): string {
    if (type === f16) return `f16Value(${this.int(o, u16)})`;
    if (type === bf16) return `bf16Value(${this.int(o, u16)})`;
    if (o?.kind === "float") return literal(type === f32 ? Math.fround(o.value) : o.value);
    if (o?.kind === "int") return literal(floatOf(o, type));
    if (o?.kind !== "register") throw new Unsupported(`a float operand of the kind ${o?.kind}`);
    const storage = this.#storage(o);
    if (type === f32) return storage === "float" ? this.#read(o) : `f32FromBits(${this.word(o)})`;
    return storage === "double" ? this.#read(o) : `f64FromBits(${this.halves(o).join()})`;
  }

  /** A predicate operand, as something true or false. */
  predicate(o: Operand | undefined): string {
    if (o?.kind === "not") return `!${this.#read(o.register)}`;
    if (o?.kind === "register") return this.#read(o);
    if (o?.kind === "int") return o.value !== 0n ? "1" : "0";
    if (o?.kind === "special") return specialValue(o.name)[0];
    throw new Unsupported(`a predicate of the kind ${o?.kind}`);
  }

  /** Sets an integer of up to 32 bits; a wider register is filled as the type says. */
  setInt(o: Operand | undefined, type: DataType, expression: string): void {
    if (o?.kind !== "register") return;
    const storage = this.#storage(o);
    const name = this.#write(o);
    const value = cut(expression, type);
    if (storage === "half") this.line(`${name}=(${value})&65535;`);
    else if (storage === "float") this.line(`${name}=f32FromBits(${value});`);
    else if (storage === "long") this.line(`${name}=${value};h${o.id}=${type.kind === "signed" ? `${name}>>31` : "0"};`);
    else if (storage === "double") this.line(`${name}=f64FromBits(${value},0);`);
    else this.line(`${name}=${value};`);
  }

  setHalves(o: Operand | undefined, low: string, high: string): void {
    if (o?.kind !== "register") return;
    const [l, h] = [this.keep(low), this.keep(high)];
    const name = this.#write(o);
    if (this.#storage(o) === "long") this.line(`${name}=${l}|0;h${o.id}=${h}|0;`);
    else if (this.#storage(o) === "double") this.line(`${name}=f64FromBits(${l},${h});`);
    else this.setInt(o, b32, l);
  }

  setQuarters(o: Operand | undefined, values: readonly string[]): void {
    if (o?.kind !== "register") return;
    const kept = values.map((value) => this.keep(value));
    if (this.#storage(o) !== "quad") this.setHalves(o, kept[0] ?? "0", kept[1] ?? "0");
    else {
      this.#write(o);
      partsOf(o).forEach((name, i) => void this.line(`${name}=${kept[i]}|0;`));
    }
  }

  /** What a helper for 64 bits gives. */
  setLong(o: Operand | undefined, call: string): void {
    this.setHalves(o, call, "upper[0]");
  }

  /** A number that the type can hold. */
  setNumber(o: Operand | undefined, type: DataType, expression: string): void {
    if (o?.kind !== "register") return;
    const storage = this.#storage(o);
    if (type === f32 && storage === "float") this.line(`${this.#write(o)}=${expression};`);
    else if (type === f32) this.setInt(o, b32, `f32Bits(${expression})`);
    else if (type === f16) this.setInt(o, b16, `f16Bits(${expression})`);
    else if (type === bf16) this.setInt(o, b16, `bf16Bits(${expression})`);
    else if (storage === "double") this.line(`${this.#write(o)}=${expression};`);
    else {
      const value = this.keep(expression);
      this.setHalves(o, `f64Low(${value})`, `f64High(${value})`);
    }
  }

  setPredicate(o: Operand | undefined, expression: string): void {
    if (o?.kind === "register") this.line(`${this.#write(o)}=(${expression})?1:0;`);
  }

  /** One register takes what another holds, bit for bit. */
  copy(to: Register, from: Register): boolean {
    const storage = this.#storage(to);
    if (storage !== this.#storage(from)) return false;
    this.#read(from);
    this.#write(to);
    const sources = partsOf(from);
    this.line(
      partsOf(to)
        .map((name, i) => `${name}=${sources[i]};`)
        .join(""),
    );
    return true;
  }

  #symbol(o: SymbolRef): string {
    const address = this.symbols.address(o.variable);
    return o.offset === 0 ? address : `(${address}+${o.offset})`;
  }
}

function floatOf(o: Extract<Immediate, { kind: "int" }>, type: DataType): number {
  return type === f32 ? Math.fround(Number(o.value)) : Number(o.value);
}

/** Registers that an instruction may write. */
function destinations(i: Instruction): readonly Register[] {
  return i.operands.flatMap((o) => {
    if (o?.kind === "register") return [o];
    if (o?.kind === "vector") return o.items.filter((item) => item.kind === "register");
    if (o?.kind === "pair") return [o.first, o.second].filter((item) => item.kind === "register");
    return [];
  });
}
