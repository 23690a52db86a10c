/**
 * Where accesses to memory go. A lane looks first in the region that was used last: by the same instruction, or by another of the
 * segment that takes its address from the same register.
 */

import type { Address, Instruction, Operand } from "../../../ptx/parse/index.ts";
import { spaceNamed } from "../../../ptx/parse/index.ts";
import { storageOf } from "./layout.ts";
import { type Does, isPlain, Told, tellingOf, type Where } from "./told.ts";
import { Unsupported } from "./unsupported.ts";
import type { Writer } from "./writer.ts";

/** Of a lane: a region, and the bytes from its beginning. */
export interface MemoryOperand {
  readonly region: string;
  readonly offset: string;
  /** The region as an array of some type. */
  view(type: View): string;
  /** Of a store, where somebody is told: whether it has changed anything. */
  tellChange?(change: string): void;
}
export type View = "bytes" | "u16" | "i32" | "u32" | "f32" | "f64";

type Kind = "shared" | "local" | "global" | "generic";

/** Constants lie in global memory. */
const kindOf = (space: string | undefined): Kind => {
  const named = spaceNamed(space);
  return named === "const" || named === "param" ? "global" : named;
};

/** The variables that hold the region that was used last. */
class Window {
  readonly kind: Exclude<Kind, "local">;
  readonly name: string;
  readonly #views = new Set<View>();
  /** Who uses it, where somebody is told. */
  told: Told | undefined;

  /** `first`: index of the instruction that made it. */
  constructor(w: Writer, kind: Window["kind"], first: number) {
    this.kind = kind;
    this.name = w.fresh();
    w.before(() => `let ${this.name}=${kind === "shared" ? "B.shared" : `B.launch.global.recent[${first}]??nothing`};`);
    w.before(() => `let ${this.#fields().join()};`);
  }

  view(type: View): string {
    this.#views.add(type);
    return `${this.name}_${type}`;
  }

  /** The region that those who are told of are kept by. */
  home(w: Writer): string {
    w.before(() => `let ${this.name}home=${this.name};`);
    return `${this.name}home`;
  }

  #fields(): readonly string[] {
    const { name, kind } = this;
    const high = kind === "shared" ? [] : [`${name}h=${name}.${kind === "global" ? "high" : "genericHigh"}`];
    return [...high, `${name}l=${name}.low,${name}s=${name}.size`, ...[...this.#views].map((v) => `${name}_${v}=${name}.${v}`)];
  }

  /** Looks for another region. */
  find(address: string, bytes: number, index: number): string {
    return `${this.name}=w.${this.kind}(l,${address},${bytes},${index});${this.#fields().join(";")};`;
  }
}

/** Whether there is somebody to be told: not of what is only read. */
const isTold = (w: Writer, space: string | undefined): boolean => w.watched && !["param", "const"].includes(spaceNamed(space));

/** Sees that the access of a lane goes to memory that is there. Who watches is told when all lanes have run. */
export function memoryOperand(
  w: Writer,
  o: Operand | undefined,
  space: string | undefined,
  bytes: number,
  i: Instruction,
  does: Does,
): MemoryOperand {
  if (o?.kind !== "address") throw new Unsupported("memory without an address");
  const named = o.base?.kind === "variable" && (space === undefined || space === "") ? o.base.space : space;
  const variable = o.base?.kind === "variable" ? o.base : undefined;
  const kind = named && spaceNamed(named) === "param" ? w.symbols.paramSpace(variable, named) : kindOf(named);
  const seen = isTold(w, space) ? ([does, bytes, i] as const) : undefined;
  return kind === "local" ? local(w, o, bytes, i, seen) : outside(w, o, kind, bytes, i, seen);
}

type Seen = readonly [does: Does, bytes: number, i: Instruction];

const offsetText = (offset: number): string => (offset === 0 ? "" : offset < 0 ? `${offset}` : `+${offset}`);

/** A narrow address of up to 32 bits. */
function addressIn(w: Writer, { base, offset }: Address): string {
  if (base === undefined) return `${offset}`;
  if (base.kind === "variable") return `(${w.symbols.address(base)}${offsetText(offset)})`;
  const wide = storageOf(base.type) !== "word";
  return wide ? `(${w.address64(base)}${offsetText(offset)})` : `((${w.word(base)}${offsetText(offset)})>>>0)`;
}

function local(w: Writer, o: Address, bytes: number, { index }: Instruction, seen: Seen | undefined): MemoryOperand {
  const narrow = o.base?.kind === "register" ? `((${w.word(o.base)}${offsetText(o.offset)})>>>0)` : addressIn(w, o);
  const region = w.fresh();
  w.line(`w.at=${index};`);
  w.line(`const ${region}=w.local(l,${narrow},${bytes});`);
  const offset = w.keep("w.found");
  const operand: MemoryOperand = { region, offset, view: (type) => `${region}.${type}` };
  if (!seen) return operand;
  const home = w.fresh();
  w.before(() => `let ${home}=w.stack.region;`);
  const told = new Told(w, home, ...seen, 0);
  const where: Where = { region, offset, home };
  w.line(told.note(where));
  return { ...operand, tellChange: (change) => w.line(told.noteChange(change, where)) };
}

function outside(
  w: Writer,
  o: Address,
  kind: Window["kind"],
  bytes: number,
  i: Instruction,
  seen: Seen | undefined,
): MemoryOperand {
  const { base } = o;
  const window = windowOf(w, kind, windowKey(w, base, i, seen), i.index);
  const { name } = window;
  const offset = w.fresh();
  const [address, words] = addressOf(w, o, kind);
  const at = words === undefined ? `(${address}-${name}.base)|0` : `(${words.low}-${name}l)|0`;
  w.line(`let ${offset}=${at};`);
  const beyond = `(${offset}>>>0)>${name}s-${bytes}`;
  const elsewhere =
    words === undefined
      ? `!(${address}>=${name}.base&&${address}+${bytes}<=${name}.base+${name}s)`
      : words.high === undefined
        ? beyond
        : `${words.high}!==${name}h||${beyond}`;
  const misaligned = bytes === 1 ? "" : `||(${offset}&${bytes - 1})!==0`;
  const again = kind === "generic" ? `${offset}=(w.found-${name}.base)|0;` : `${offset}=(${address}-${name}.base)|0;`;
  const operand: MemoryOperand = { region: name, offset, view: (type) => window.view(type) };
  if (!seen) {
    w.line(() => `if(${elsewhere}${misaligned}){${window.find(address, bytes, i.index)}${again}}`);
    return operand;
  }
  if (window.told) {
    const where: Where = { region: name, offset, home: `${name}home` };
    const [each, found] = window.told.join(w, ...seen, o.offset, where);
    w.line(() => `if(${elsewhere}${misaligned}){${window.find(address, bytes, i.index)}${again}${found}}`);
    w.line(each);
    return operand;
  }
  const home = window.home(w);
  const told = new Told(w, home, ...seen, o.offset);
  window.told = told;
  const where: Where = { region: name, offset, home };
  // The first lane that comes here says which region is home.
  w.line(
    () => `if(${elsewhere}${misaligned}){${window.find(address, bytes, i.index)}${again}if(${told.ran}===0)${home}=${name};}`,
  );
  w.line(told.note(where));
  return { ...operand, tellChange: (change) => w.line(told.noteChange(change, where)) };
}

const windows = new WeakMap<Writer, Map<string, Window>>();

function windowOf(w: Writer, kind: Window["kind"], key: string, index: number): Window {
  const known = windows.get(w) ?? new Map<string, Window>();
  windows.set(w, known);
  const window = known.get(`${kind} ${key}`) ?? new Window(w, kind, index);
  known.set(`${kind} ${key}`, window);
  return window;
}

/** Accesses with one key look for their region in one place, and are told of together where somebody is. */
function windowKey(w: Writer, base: Address["base"], i: Instruction, seen: Seen | undefined): string {
  if (base?.kind !== "register") return `at ${i.index}`;
  if (!seen) return `${base.id}`;
  const [does] = seen;
  if (isPlain(i, does)) return `told ${base.id} ${w.version(base)} ${tellingOf(w).epoch} ${i.opcode.text}`;
  // What comes behind is told of behind it.
  tellingOf(w).epoch += 1;
  return `at ${i.index}`;
}

/** The address as a double, and where it comes from a register as words. Shared memory has no upper one. */
function addressOf(
  w: Writer,
  o: Address,
  kind: Window["kind"],
): readonly [address: string, words?: { readonly low: string; readonly high?: string }] {
  const { base, offset } = o;
  if (kind === "shared" && base !== undefined) {
    const low = base.kind === "variable" ? addressIn(w, o) : `${w.word(base)}${offsetText(offset)}`;
    const kept = w.keep(`(${low})|0`);
    return [`(${kept}>>>0)`, { low: kept }];
  }
  if (base?.kind !== "register" || storageOf(base.type) !== "long") return [w.keep(addressIn(w, o))];
  const [low, high] = w.sumOfHalves(base, offset);
  return [`(${high}*4294967296+(${low}>>>0))`, { low, high }];
}
