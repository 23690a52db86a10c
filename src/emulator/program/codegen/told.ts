/**
 * Who watches is told what lanes do by an instruction when all have run. Until then the offsets are kept that lanes use, all from the
 * beginning of one region, the home; a lane that goes to another one is told of by itself, at once. Loads whose addresses differ by
 * constants alone are told of together: one keeps its offsets for all.
 */
import type { Instruction } from "../../../ptx/parse/tree.ts";
import type { Writer } from "./writer.ts";

export type Does = "read" | "write" | "atomic";

/** Instructions of a segment that are told of, at most, and room for what their lanes do. */
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
  /** Lanes that are elsewhere. */
  readonly elsewhere: string;
  readonly #changes: string;

  constructor(w: Writer, does: Does, bytes: number, { index, guard }: Instruction, delta = 0) {
    [this.#does, this.#bytes, this.#index, this.#guarded, this.#delta] = [does, bytes, index, guard !== undefined, delta];
    [this.#ran, this.elsewhere, this.#changes] = [w.fresh(), w.fresh(), w.fresh()];
    const changes = does === "write" ? `,${this.#changes}=0` : "";
    w.before(() => `let ${this.elsewhere}=0${this.#guarded ? `,${this.#ran}=0` : ""}${changes};`);
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
    const place = `${region},${offset}>>>0,${this.#bytes},${this.#index}`;
    return `${this.elsewhere}|=1<<l;w.at=${this.#index};M.${this.#does}(w,l,${place}${changes});`;
  }

  /** `z`: lanes that are through; `f`: the one that has failed, at `at`. */
  tell(home: string, slot: number, members: string): string {
    const ran = this.#guarded ? this.#ran : `(z|(${this.#index}<at?f:0))`;
    const changes = this.#does === "write" ? `,${this.#changes}` : "";
    return `if((n=${ran}&~${this.elsewhere})!==0){${this.tellOf(home, "n", slot, members, changes)}}`;
  }

  tellOf(home: string, mask: string, slot: number, members: string, changes = ""): string {
    const accesses = `told.set(${home},${mask},toldOffsets,${slot},${this.#bytes},${members})`;
    return `w.at=${this.#index};M.${this.#does}s(w,${accesses}${changes});`;
  }
}

/** Instructions that are told of together. */
export class Told {
  readonly #slot: number;
  readonly #first: Doing;
  readonly #firstOffset: number;
  readonly #all: Doing[];

  /** `offset`: the constant in its address. */
  constructor(w: Writer, home: string, does: Does, bytes: number, i: Instruction, offset: number) {
    this.#slot = 32 * w.toldSlot();
    this.#first = new Doing(w, does, bytes, i);
    this.#firstOffset = offset;
    this.#all = [this.#first];
    w.after((name) => this.#tell(home, name));
    w.constants((name) => this.#members(name));
  }

  note(where: Where): string {
    return `toldOffsets[${this.#slot}+l]=${where.offset};${this.#first.note(where)}`;
  }

  noteChange(change: string, where: Where): string {
    return this.#first.noteChange(change, where);
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

  #members(name: string): string {
    const lists = this.#all.map((one, n) => `${this.#name(name, n)}=[${one.member}]`);
    const all = this.#all.length > 1 ? [`${this.#name(name, "all")}=[${this.#all.map((one) => one.member)}]`] : [];
    return `const ${[...lists, ...all].join()};`;
  }

  #tell(home: string, name: string): string {
    const each = this.#all.map((one, n) => one.tell(home, this.#slot, this.#name(name, n))).join("");
    if (this.#all.length === 1) return each;
    const elsewhere = this.#all.map((one) => one.elsewhere).join("|");
    const together = this.#first.tellOf(home, "z", this.#slot, this.#name(name, "all"));
    return `if((f|${elsewhere})===0){if(z!==0){${together}}}else{${each}}`;
  }
}
