/**
 * Code that tells the monitor which memory lanes access. It does so once for an instruction, when all lanes have run it: until then it keeps
 * the offsets that they use, from the beginning of one region, the home. Accesses to any other region are kept lane by lane, and told with those
 * of their instruction: a store is told of when the loads before it have been. Loads whose addresses differ by constants alone share the offsets of one of them, and are told together.
 */
import type { Instruction } from "../../../ptx/parse/index.ts";
import type { Writer } from "./writer.ts";

export type Does = "read" | "write" | "atomic";

/** The most instructions of a segment that keep offsets, and room for these. */
const mostTold = 256;
export const toldOffsets = new Int32Array(mostTold * 32);

/** Variables: of the lane that runs, and the home. */
export interface Where {
  readonly region: string;
  readonly offset: string;
  readonly home: string;
}

/** Whether loads may be told of together: they order nothing, and all lanes do them. */
export const isPlain = ({ opcode: { modifiers }, guard }: Instruction, does: Does): boolean =>
  does === "read" && !guard && [undefined, "", "weak"].includes(modifiers.order);

/** One instruction. */
class Doing {
  readonly #does: Does;
  readonly #bytes: number;
  readonly #index: number;
  readonly #guarded: boolean;
  readonly #delta: number;
  /** Lanes that a guard has let through. */
  readonly #ran: string;
  /** Lanes that are elsewhere, and what each does there: itself, the region, the offset, what a store has changed. */
  readonly elsewhere: string;
  readonly #there: string;
  readonly #changes: string;

  constructor(w: Writer, does: Does, bytes: number, { index, guard }: Instruction, delta = 0) {
    [this.#does, this.#bytes, this.#index, this.#guarded, this.#delta] = [does, bytes, index, guard !== undefined, delta];
    [this.#ran, this.elsewhere, this.#there, this.#changes] = [w.fresh(), w.fresh(), w.fresh(), w.fresh()];
    const changes = does === "write" ? `,${this.#changes}=0` : "";
    w.before(() => `let ${this.elsewhere}=0,${this.#there}${this.#guarded ? `,${this.#ran}=0` : ""}${changes};`);
  }

  get index(): number {
    return this.#index;
  }
  /** Before the first lane that runs the instruction, no lane has. */
  get ran(): string {
    return this.#guarded ? this.#ran : "z";
  }

  get member(): string {
    return `{at:${this.#index},delta:${this.#delta}}`;
  }

  /** Where a lane runs the instruction. */
  note({ region, offset, home }: Where): string {
    const ran = this.#guarded ? `${this.#ran}|=1<<l;` : "";
    return this.#does === "write" ? ran : `${ran}if(${region}!==${home}){${this.alone(region, offset)}}`;
  }

  /** A store has taken effect. */
  noteChange(change: string, { region, offset, home }: Where): string {
    return `if(${region}!==${home}){${this.alone(region, offset, `,${change}`)}}else if(${change})${this.#changes}|=1<<l;`;
  }

  alone(region: string, offset: string, changes = ""): string {
    return `${this.elsewhere}|=1<<l;(${this.#there}??=[]).push([l,${region},${offset}>>>0${changes}]);`;
  }

  /** `z`: lanes that are through; `f`: the one that has failed, at `at`. */
  tell(accesses: string, home: string, slot: number): string {
    const ran = this.#guarded ? this.#ran : `(z|(${this.#index}<at?f:0))`;
    const change = this.#does === "write" ? ",e[3]" : "";
    const one = `M.${this.#does}(w,e[0],e[1],e[2],${this.#bytes},${this.#index}${change});`;
    const apart = `if(${this.#there}!==undefined)for(const e of ${this.#there}){w.at=${this.#index};${one}}`;
    return `${apart}if((n=${ran}&~${this.elsewhere})!==0){${setting(accesses, home, "n", slot)};${this.#tellOf(accesses)}}`;
  }

  /** Where none has failed, and none is elsewhere; what is read has been asked about. */
  tellAll(accesses: string, home: string, slot: number): string {
    const set = this.#does === "write" ? `${setting(accesses, home, this.#all, slot)};` : "";
    const text = `${set}${accesses}.isDefined=true;${this.#tellOf(accesses)}`;
    return this.#guarded ? `if(${this.#ran}!==0){${text}}` : text;
  }

  ask(accesses: string, home: string, slot: number): readonly string[] {
    if (this.#does === "write") return [];
    const question = `M.isDefined(w,${setting(accesses, home, this.#all, slot)})`;
    return [this.#guarded ? `(${this.#ran}===0||${question})` : question];
  }

  get #all(): string {
    return this.#guarded ? this.#ran : "z";
  }

  #tellOf(accesses: string): string {
    const changes = this.#does === "write" ? `,${this.#changes}` : "";
    return `w.at=${this.#index};M.${this.#does}s(w,${accesses}${changes});`;
  }
}

const setting = (accesses: string, home: string, mask: string, slot: number): string =>
  `${accesses}.set(${home},${mask},toldOffsets,${slot})`;

/** Instructions that are told of together. */
export class Told {
  readonly #home: string;
  readonly #slot: number;
  readonly #first: Doing;
  readonly #firstOffset: number;
  readonly #bytes: number;
  readonly #all: Doing[];

  /** `offset`: the constant in its address. */
  constructor(w: Writer, home: string, does: Does, bytes: number, i: Instruction, offset: number) {
    this.#home = home;
    const { all } = tellingOf(w);
    this.#slot = 32 * all.length;
    this.#first = new Doing(w, does, bytes, i);
    this.#firstOffset = offset;
    this.#bytes = bytes;
    this.#all = [this.#first];
    all.push(this);
    w.constants((name) => this.#constants(name));
  }

  note(where: Where): string {
    return `toldOffsets[${this.#slot}+l]=${where.offset};${this.#first.note(where)}`;
  }

  noteChange(change: string, where: Where): string {
    return this.#first.noteChange(change, where);
  }
  get ran(): string {
    return this.#first.ran;
  }

  /** One more, which all lanes do: what is to be done in each, and where a lane has had to look for its region. */
  join(
    w: Writer,
    does: Does,
    bytes: number,
    i: Instruction,
    offset: number,
    where: Where,
  ): readonly [each: string, found: string] {
    const one = new Doing(w, does, bytes, i, offset - this.#firstOffset);
    this.#all.push(one);
    // The offset that is kept of a lane that was elsewhere is of no use to one that is not.
    const isBack = `(${this.#first.elsewhere}>>>l&1)!==0&&${where.region}===${where.home}`;
    return [one.note(where), `if(${isBack}){${one.alone(where.region, where.offset)}}`];
  }

  #name(name: string, one: number | "all"): string {
    return `${name}_${this.#slot}_${one}`;
  }

  /** What is made once, for a function of that name: accesses by each, and by all. */
  #constants(name: string): string {
    const members = this.#all.map((one) => one.member);
    const one = members.map((member, n) => `${this.#name(name, n)}=new LaneAccesses([${member}],${this.#bytes})`);
    const all = members.length > 1 ? [`${this.#name(name, "all")}=new LaneAccesses([${members}],${this.#bytes})`] : [];
    return `const ${[...one, ...all].join()};`;
  }

  #allOf(name: string): string {
    return this.#name(name, this.#all.length > 1 ? "all" : 0);
  }

  get elsewhere(): readonly string[] {
    return this.#all.map((one) => one.elsewhere);
  }

  ask(name: string): readonly string[] {
    return this.#first.ask(this.#allOf(name), this.#home, this.#slot);
  }

  together(name: string): string {
    return this.#first.tellAll(this.#allOf(name), this.#home, this.#slot);
  }

  /** Each by itself, and its index. */
  apart(name: string): readonly (readonly [index: number, text: string])[] {
    return this.#all.map((one, n) => [one.index, one.tell(this.#name(name, n), this.#home, this.#slot)]);
  }
}

/** What is told of in one function. */
interface Telling {
  readonly all: Told[];
  /** Goes on where loads may not be told of with those before. */
  epoch: number;
}
const tellings = new WeakMap<Writer, Telling>();

export function tellingOf(w: Writer): Telling {
  const known = tellings.get(w);
  if (known) return known;
  const telling: Telling = { all: [], epoch: 0 };
  tellings.set(w, telling);
  w.after((name) => tellAll(telling.all, name));
  return telling;
}

/**
 * Tells of all that lanes have done in a function: where nothing undefined is about, and no lane has failed or is elsewhere, of loads
 * together, else instruction by instruction.
 */
function tellAll(all: readonly Told[], name: string): string {
  const elsewhere = all.flatMap((one) => one.elsewhere).join("|");
  const asks = ["M.isDefined(w)", ...all.flatMap((one) => one.ask(name))].join("&&");
  const together = all.map((one) => one.together(name)).join("");
  const apart = all.flatMap((one) => one.apart(name)).sort(([a], [b]) => a - b);
  return `if((f|${elsewhere})===0&&${asks}){${together}}else{${apart.map(([, text]) => text).join("")}}`;
}
