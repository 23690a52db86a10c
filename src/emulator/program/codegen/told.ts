/**
 * Who watches is told what lanes do by an instruction when all have run. Until then the offsets are kept that lanes use, all from the
 * beginning of one region; a lane that goes to another one is told of by itself, at once.
 */
import type { Instruction } from "../../../ptx/parse/tree.ts";
import type { Writer } from "./writer.ts";

export type Does = "read" | "write" | "atomic";

/** Instructions of a segment that are told of, at most, and room for what their lanes do. */
const mostTold = 256;
export const toldOffsets = new Int32Array(mostTold * 32);

interface Where {
  /** Of the lane that runs. */
  readonly region: string;
  readonly offset: string;
  /** What it is compared with. */
  readonly home: string;
}

export class Told {
  readonly #does: Does;
  readonly #bytes: number;
  readonly #index: number;
  readonly #guarded: boolean;
  /** Lanes that a guard has let through. */
  readonly #ran: string;
  /** Lanes that are elsewhere. */
  readonly elsewhere: string;
  readonly #changes: string;
  readonly slot: number;
  /** From the offsets that are kept to those of this instruction. */
  readonly #delta: number;
  /** Another instruction of all lanes, whose address differs by a constant: its offsets serve for this one, too. */
  readonly #leader: Told | undefined;

  constructor(w: Writer, does: Does, bytes: number, { index, guard }: Instruction, leader?: Told, delta = 0) {
    [this.#does, this.#bytes, this.#index, this.#guarded] = [does, bytes, index, guard !== undefined];
    [this.#ran, this.elsewhere, this.#changes] = [w.fresh(), w.fresh(), w.fresh()];
    [this.slot, this.#delta, this.#leader] = [leader?.slot ?? 32 * w.toldSlot(), delta, leader];
    const changes = does === "write" ? `,${this.#changes}=0` : "";
    w.before(() => `let ${this.elsewhere}=0${this.#guarded ? `,${this.#ran}=0` : ""}${changes};`);
  }

  /** Where a lane runs the instruction. Of a store, `noteChange` comes when it has taken effect. */
  note({ region, offset, home }: Where): string {
    const kept = this.#leader ? "" : `toldOffsets[${this.slot}+l]=${offset};`;
    const ran = this.#guarded ? `${this.#ran}|=1<<l;` : "";
    const alone = this.#does === "write" ? "" : `if(${region}!==${home}){${this.#one(region, offset, "")}}`;
    return `${kept}${ran}${alone}`;
  }

  noteChange(change: string, { region, offset, home }: Where): string {
    const strayed = this.#leader ? `||(${this.#leader.elsewhere}>>>l&1)!==0` : "";
    return `if(${region}!==${home}${strayed}){${this.#one(region, offset, `,${change}`)}}else if(${change})${this.#changes}|=1<<l;`;
  }

  /** Where a lane has come back from elsewhere, the offset that its leader has kept is of no use. */
  noteReturn({ region, offset, home }: Where): string {
    if (!this.#leader || this.#does === "write") return "";
    return `if((${this.#leader.elsewhere}>>>l&1)!==0&&${region}===${home}){${this.#one(region, offset, "")}}`;
  }

  #one(region: string, offset: string, changes: string): string {
    const place = `${region},${offset}>>>0,${this.#bytes},${this.#index}`;
    return `${this.elsewhere}|=1<<l;w.at=${this.#index};M.${this.#does}(w,l,${place}${changes});`;
  }

  /** Behind the loop. `z`: lanes that are through; `f`: the one that has failed, at `at`. */
  tell(home: string): string {
    const index = this.#index;
    const ran = this.#guarded ? this.#ran : `(z|(${index}<at?f:0))`;
    const changes = this.#does === "write" ? `,${this.#changes}` : "";
    const accesses = `told.set(${home},n,toldOffsets,${this.slot},${this.#bytes},${index},${this.#delta})`;
    return `if((n=${ran}&~${this.elsewhere})!==0){w.at=${index};M.${this.#does}s(w,${accesses}${changes});}`;
  }
}
