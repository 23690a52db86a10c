/**
 * Where accesses to memory go. A lane looks first in the region that was used last: by the same instruction, or by another of the
 * segment that takes its address from the same register.
 */
import { spaceNamed } from "../../../ptx/parse/spaces.ts";
import type { Address, Instruction, Operand } from "../../../ptx/parse/tree.ts";
import { storageOf } from "./layout.ts";
import { Unsupported } from "./unsupported.ts";
import type { Writer } from "./writer.ts";

/** Of a lane: a region, and the bytes from its beginning. */
export interface Place {
  readonly region: string;
  readonly offset: string;
  /** The region as an array of some type. */
  view(type: View): string;
  /** Of a store, where somebody is told: whether it has changed anything. */
  tellChange?(change: string): void;
}
export type View = "bytes" | "u16" | "i32" | "u32" | "f32" | "f64";

export type Does = "read" | "write" | "atomic";
type Kind = "shared" | "local" | "global" | "generic";

/** Constants lie in global memory. */
const kindOf = (space: string | undefined): Kind => {
  const named = spaceNamed(space);
  return named === "const" || named === "param" ? "global" : named;
};

/** Instructions of a segment that are told of, at most, and room for what their lanes do. */
const mostTold = 256;
export const toldOffsets = new Int32Array(mostTold * 32);

/**
 * What the lanes do by one instruction, kept until all have run, or until one of them goes to another region. Where no guard leaves a
 * lane out, it is all lanes that are through (`z`), and the one that has failed (`f`) if it has come further (`at`).
 */
class Told {
  readonly #guarded: boolean;
  /** Guarded: who has done it; else who has been told of. */
  readonly #mask: string;
  readonly #changes: string;
  readonly #slot: number;
  readonly #does: Does;
  readonly #bytes: number;
  readonly #index: number;

  constructor(w: Writer, does: Does, bytes: number, { index, guard }: Instruction) {
    this.#guarded = guard !== undefined;
    [this.#mask, this.#changes] = [w.fresh(), w.fresh()];
    this.#slot = 32 * w.toldSlot();
    [this.#does, this.#bytes, this.#index] = [does, bytes, index];
    w.before(() => `let ${this.#mask}=0${does === "write" ? `,${this.#changes}=0` : ""};`);
  }

  note(offset: string): string {
    return `${this.#guarded ? `${this.#mask}|=1<<l;` : ""}toldOffsets[${this.#slot}+l]=${offset};`;
  }

  noteChange(change: string): string {
    return `if(${change})${this.#changes}|=1<<l;`;
  }

  /** Of a lane that has come to it, all lanes before; `atEnd`: when all have run. */
  tell(region: string, atEnd = false): string {
    const [own, index] = [this.#mask, this.#index];
    const through = atEnd ? `(z|(${index}<at?f:0))` : "z";
    const [mask, after] = this.#guarded ? [own, `${own}=0`] : [`(${through}&~${own})`, `${own}|=z`];
    const accesses = `told.set(${region},${mask},toldOffsets,${this.#slot},${this.#bytes},${index})`;
    const changes = this.#does === "write" ? [`,${this.#changes}`, `${this.#changes}=0;`] : ["", ""];
    return `if(${mask}!==0){w.at=${index};M.${this.#does}s(w,${accesses}${changes[0]});${after};${changes[1]}}`;
  }
}

/** The variables that hold the region that was used last. */
export class Window {
  readonly kind: Exclude<Kind, "local">;
  readonly name: string;
  readonly #views = new Set<View>();

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
export function place(
  w: Writer,
  o: Operand | undefined,
  space: string | undefined,
  bytes: number,
  i: Instruction,
  does: Does,
): Place {
  if (o?.kind !== "address") throw new Unsupported("memory without an address");
  const named = o.base?.kind === "variable" && (space === undefined || space === "") ? o.base.space : space;
  const variable = o.base?.kind === "variable" ? o.base : undefined;
  const kind = named && spaceNamed(named) === "param" ? w.symbols.paramSpace(variable, named) : kindOf(named);
  const told = isTold(w, space) ? new Told(w, does, bytes, i) : undefined;
  const to = kind === "local" ? local(w, o, bytes, i.index, told) : outside(w, o, kind, bytes, i.index, told);
  if (!told) return to;
  w.line(told.note(to.offset));
  return { ...to, tellChange: (change) => w.line(told.noteChange(change)) };
}

const offsetText = (offset: number): string => (offset === 0 ? "" : offset < 0 ? `${offset}` : `+${offset}`);

/** A narrow address of up to 32 bits. */
function addressIn(w: Writer, { base, offset }: Address): string {
  if (base === undefined) return `${offset}`;
  if (base.kind === "variable") return `(${w.symbols.address(base)}${offsetText(offset)})`;
  const wide = storageOf(base.type) !== "word";
  return wide ? `(${w.address64(base)}${offsetText(offset)})` : `((${w.word(base)}${offsetText(offset)})>>>0)`;
}

function local(w: Writer, o: Address, bytes: number, index: number, told: Told | undefined): Place {
  const narrow = o.base?.kind === "register" ? `((${w.word(o.base)}${offsetText(o.offset)})>>>0)` : addressIn(w, o);
  const region = w.fresh();
  w.line(`w.at=${index};`);
  w.line(`const ${region}=w.local(l,${narrow},${bytes});`);
  const offset = w.keep("w.found");
  if (told) {
    const last = w.fresh();
    w.before(() => `let ${last}=nothing;`);
    w.line(`if(${region}!==${last}){${told.tell(last)}${last}=${region};}`);
    w.after(told.tell(last, true));
  }
  return { region, offset, view: (type) => `${region}.${type}` };
}

function outside(w: Writer, o: Address, kind: Window["kind"], bytes: number, index: number, told: Told | undefined): Place {
  const { base } = o;
  const window = w.window(kind, base?.kind === "register" && !told ? `${base.id}` : `at ${index}`, index);
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
  const before = told?.tell(name) ?? "";
  w.line(() => `if(${elsewhere}${misaligned}){${before}${window.find(address, bytes, index)}${again}}`);
  if (told) w.after(told.tell(name, true));
  return { region: name, offset, view: (type) => window.view(type) };
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
