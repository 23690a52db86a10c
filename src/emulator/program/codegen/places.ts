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
}
export type View = "bytes" | "u16" | "i32" | "u32" | "f32" | "f64";

export type Does = "read" | "write" | "atomic";
type Kind = "shared" | "local" | "global" | "generic";

/** Constants lie in global memory. */
const kindOf = (space: string | undefined): Kind => {
  const named = spaceNamed(space);
  return named === "const" || named === "param" ? "global" : named;
};

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

  /** Looks for another region; `told`: what is to be done with the old one before. */
  find(address: string, bytes: number, index: number): () => string {
    return () => `${this.name}=w.${this.kind}(l,${address},${bytes},${index});${this.#fields().join(";")};`;
  }
}

/** Sees that the access of a lane goes to memory that is there, and tells who watches. */
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
  const to = kind === "local" ? local(w, o, bytes, i.index) : outside(w, o, kind, bytes, i.index);
  const fixed = ["param", "const"].includes(spaceNamed(space));
  if (w.watched && !fixed) {
    w.line(`w.at=${i.index};M.${does}(w,l,${to.region},${to.offset},${bytes},${i.index});`);
  }
  return to;
}

const offsetText = (offset: number): string => (offset === 0 ? "" : offset < 0 ? `${offset}` : `+${offset}`);

/** A narrow address of up to 32 bits. */
function addressIn(w: Writer, { base, offset }: Address): string {
  if (base === undefined) return `${offset}`;
  if (base.kind === "variable") return `(${w.symbols.address(base)}${offsetText(offset)})`;
  const wide = storageOf(base.type) !== "word";
  return wide ? `(${w.address64(base)}${offsetText(offset)})` : `((${w.word(base)}${offsetText(offset)})>>>0)`;
}

function local(w: Writer, o: Address, bytes: number, index: number): Place {
  const narrow = o.base?.kind === "register" ? `((${w.word(o.base)}${offsetText(o.offset)})>>>0)` : addressIn(w, o);
  const region = w.fresh();
  w.line(`w.at=${index};`);
  w.line(`const ${region}=w.local(l,${narrow},${bytes});`);
  return { region, offset: w.keep("w.found"), view: (type) => `${region}.${type}` };
}

function outside(w: Writer, o: Address, kind: Window["kind"], bytes: number, index: number): Place {
  const { base } = o;
  const window = w.window(kind, base?.kind === "register" ? `${base.id}` : `at ${index}`, index);
  const { name } = window;
  const offset = w.fresh();
  const [address, words] = addressOf(w, o, kind);
  const at = words === undefined ? `(${address}-${name}.base)|0` : `(${words.low}-${name}l)|0`;
  w.line(`let ${offset}=${at};`);
  const outside = `(${offset}>>>0)>${name}s-${bytes}`;
  const elsewhere =
    words === undefined
      ? `!(${address}>=${name}.base&&${address}+${bytes}<=${name}.base+${name}s)`
      : words.high === undefined
        ? outside
        : `${words.high}!==${name}h||${outside}`;
  const crooked = bytes === 1 ? "" : `||(${offset}&${bytes - 1})!==0`;
  const find = window.find(address, bytes, index);
  const again = kind === "generic" ? `${offset}=(w.found-${name}.base)|0;` : `${offset}=(${address}-${name}.base)|0;`;
  w.line(() => `if(${elsewhere}${crooked}){${find()}${again}}`);
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
