/**
 * Which memory a kernel may write and read, by where its addresses come from. Knows no order of instructions: whatever a register or
 * memory of the threads holds anywhere in the kernel counts.
 */
import {
  type Instruction,
  type Operand,
  type PtxFunction,
  type Register,
  registersUsed,
  spaceNamed,
  traitsOf,
  type Variable,
} from "../../ptx/parse/index.ts";
import { builtins } from "./builtins/index.ts";

/** What an address is made of. */
export interface Origin {
  /** Parameters whose values are in it, by index. */
  readonly parameters: readonly number[];
  /** Variables of the module that it points into. */
  readonly variables: readonly Variable[];
  /** Parameters in whose memory the kernel has found it. */
  readonly foundIn: readonly number[];
  /** It may come from anywhere, such as out of the memory of a variable. */
  readonly unknown: boolean;
}

export interface Reach {
  /** Addresses of global memory that the kernel writes at. */
  readonly stores: readonly Origin[];
  /** The same, that it reads at. */
  readonly loads: readonly Origin[];
}

/** Bits for what an address may be made of: of each parameter its own address, its value, what its memory holds; then variables. */
class Sources {
  readonly #parameters: ReadonlyMap<Variable, number>;
  readonly #variables = new Map<Variable, number>();
  /** It may come from anywhere. */
  readonly unknown = 1n;
  /** Memory of the launch itself, such as that of its barrier of the grid. */
  readonly own = 2n;
  readonly #addresses: bigint;

  constructor(parameters: readonly Variable[]) {
    this.#parameters = new Map(parameters.map((variable, i) => [variable, i]));
    this.#addresses = parameters.reduce((bits, _, i) => bits | this.#bit(i, 0), 0n);
  }

  #bit(parameter: number, kind: 0 | 1 | 2): bigint {
    return 1n << BigInt(2 + 3 * parameter + kind);
  }

  #variableBit(index: number): bigint {
    return 1n << BigInt(2 + 3 * this.#parameters.size + index);
  }

  /** The address of a variable or parameter. */
  addressOf(variable: Variable): bigint {
    const parameter = this.#parameters.get(variable);
    if (parameter !== undefined) return this.#bit(parameter, 0);
    if (variable.space !== "global" && variable.space !== "const") return 0n;
    const index = this.#variables.get(variable) ?? this.#variables.size;
    this.#variables.set(variable, index);
    return this.#variableBit(index);
  }

  /** What lies where such an address points. */
  heldAt(address: bigint): bigint {
    const values = this.#addresses << 1n;
    const found = this.#addresses << 2n;
    const beyond = address >> BigInt(2 + 3 * this.#parameters.size);
    return (
      ((address & (this.#addresses | values)) << 1n) | (address & found) | (address & 1n) | (beyond === 0n ? 0n : this.unknown)
    );
  }

  origin(address: bigint): Origin {
    const having = (kind: 1 | 2): readonly number[] =>
      [...this.#parameters.values()].filter((i) => (address & this.#bit(i, kind)) !== 0n);
    const variables = [...this.#variables].filter(([, index]) => (address & this.#variableBit(index)) !== 0n);
    return {
      parameters: having(1),
      variables: variables.map(([variable]) => variable),
      foundIn: having(2),
      unknown: (address & this.unknown) !== 0n,
    };
  }
}

class Flow {
  readonly #sources: Sources;
  readonly #registers = new Map<Register, bigint>();
  /** What is stored anywhere. */
  #memory = 0n;
  readonly stores = new Set<bigint>();
  readonly loads = new Set<bigint>();
  #changed = false;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  run(functions: readonly PtxFunction[]): void {
    // Of functions without a body, those of the heap give addresses.
    if (functions.some((fn) => !fn.body && (builtins.get(fn.name)?.heap ?? true))) this.#memory = this.#sources.unknown;
    do {
      this.#changed = false;
      for (const fn of functions) {
        if (!fn.entry)
          this.#give(
            this.#memory,
            fn.params.flatMap((p) => p.register ?? []),
          );
        for (const i of fn.body?.instructions ?? []) this.#step(i);
      }
    } while (this.#changed);
  }

  #of(o: Operand | Variable | undefined): bigint {
    switch (o?.kind) {
      case "register":
        return this.#registers.get(o) ?? 0n;
      case "variable":
        return this.#sources.addressOf(o);
      case "symbol":
        return this.#sources.addressOf(o.variable);
      case "address":
        return this.#of(o.base);
      case "tensor":
        return this.#of(o.map);
      case "vector":
      case "list":
        return o.items.reduce((all, item) => all | this.#of(item), 0n);
      case "special":
        return o.name.startsWith("envreg") ? this.#sources.own : 0n;
      default:
        return 0n;
    }
  }

  #all(operands: readonly (Operand | undefined)[]): bigint {
    return operands.reduce((all, o) => all | this.#of(o), 0n);
  }

  #give(value: bigint, to: readonly Register[]): void {
    for (const register of to) {
      const held = this.#registers.get(register) ?? 0n;
      if (register.type === "pred" || (held | value) === held) continue;
      this.#registers.set(register, held | value);
      this.#changed = true;
    }
  }

  #keep(value: bigint): void {
    if ((this.#memory | value) === this.#memory) return;
    this.#memory |= value;
    this.#changed = true;
  }

  #step(i: Instruction): void {
    const { form } = i.opcode;
    const { access, async, overwrites } = traitsOf(i);
    if (async === "copy" || overwrites) this.#copy(i);
    else if (access !== undefined) this.#access(i);
    else if (form === "call") {
      this.#keep(this.#all(i.operands));
      this.#give(this.#memory, registersUsed(i).writes);
    } else this.#give(this.#all(i.operands), registersUsed(i).writes);
  }

  #access(i: Instruction): void {
    const { modifiers, types } = i.opcode;
    const at = i.operands.find((o) => o?.kind === "address" || o?.kind === "tensor");
    const address = this.#of(at);
    const { access } = traitsOf(i);
    const space = at?.kind === "tensor" ? "global" : spaceNamed(modifiers.space);
    const reads = access === "load" || access === "atomic";
    if (reads) {
      const own = space === "local" || space === "param";
      const isWide = own || (types.type?.bits ?? 0) >= 64;
      if (isWide) this.#give(this.#sources.heldAt(address) | this.#memory, registersUsed(i).writes);
    }
    if (access !== "load") this.#keep(this.#all(i.operands.filter((o) => o !== at)));
    if (space !== "global" && space !== "generic") return;
    if (access !== "load") this.#uses(this.stores, address, space);
    if (access !== "store") this.#uses(this.loads, address, space);
  }

  /** Copies, from the second operand to the first, and what overwrites that; where a copy reduces, it reads what it writes, too. */
  #copy(i: Instruction): void {
    const { dst, src, op, space } = i.opcode.modifiers;
    if (spaceNamed(space) === "shared") {
      this.#keep(this.#all(i.operands.slice(1)));
      return;
    }
    const to = dst === undefined || dst === "global" ? 0 : undefined;
    const from = src === "global" ? 1 : op === undefined ? undefined : to;
    const place = (at: number): bigint => {
      const o = i.operands[at];
      if (o?.kind !== "tensor") return this.#of(o);
      this.#uses(this.loads, this.#of(o), "generic");
      return this.#sources.heldAt(this.#of(o));
    };
    if (to !== undefined) this.#uses(this.stores, place(to), "global");
    if (from === undefined) return;
    const source = place(from);
    this.#uses(this.loads, source, "global");
    this.#keep(this.#sources.heldAt(source));
  }

  /** Generic addresses that are made of none of these lie in memory of the threads. */
  #uses(set: Set<bigint>, address: bigint, space: "global" | "generic"): void {
    if (address !== 0n) set.add(address);
    else if (space === "global") set.add(this.#sources.unknown);
  }
}

/** `functions`: the kernel, then all that it may call. */
export function reachOf(functions: readonly PtxFunction[]): Reach {
  const sources = new Sources(functions[0]?.params ?? []);
  const flow = new Flow(sources);
  flow.run(functions);
  const origins = (addresses: ReadonlySet<bigint>): readonly Origin[] => [...addresses].map((each) => sources.origin(each));
  return { stores: origins(flow.stores), loads: origins(flow.loads) };
}
