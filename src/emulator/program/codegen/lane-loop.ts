/** Passes over the lanes of a mask: what is written in one runs once for each lane, on local variables that stand for registers. */
import type { Register } from "../../../ptx/parse/index.ts";
import { type RegisterLayout, storageOf } from "./layout.ts";
import { Unsupported } from "./unsupported.ts";

/** A line, or what makes it when all is written. */
type Line = string | (() => string);

/** The local variables of a register, lowest word first. */
export function partsOf(r: Register): readonly string[] {
  const storage = storageOf(r.type);
  if (!storage) throw new Unsupported(`registers of the type ${r.type}`);
  return [...(storage === "quad" ? "rhuv" : storage === "long" ? "rh" : "r")].map((letter) => `${letter}${r.id}`);
}

export class LaneLoop {
  readonly lines: Line[] = [];
  readonly #known = new Set<Register>();
  /** What they hold before matters. */
  readonly initial = new Set<Register>();
  readonly #written = new Set<Register>();

  /** The variable of a register, filled with what it holds before the loop where nothing has been written to it. */
  read(r: Register): void {
    if (this.#known.has(r)) return;
    this.#known.add(r);
    this.initial.add(r);
  }

  write(r: Register): void {
    this.#known.add(r);
    this.#written.add(r);
  }

  /**
   * `isKept`: whether somebody may read what a register holds afterwards. `counts`: `l` stays the lane that has failed, if one has, and
   * `z` becomes the lanes that are through.
   */
  finish(layout: RegisterLayout, isKept: (r: Register) => boolean, counts: boolean): string {
    if (this.lines.length === 0) return "";
    const at = (r: Register, part = 0): string => {
      const base = layout.place(r);
      const storage = storageOf(r.type);
      if (storage === "long" || storage === "quad") return `I[${base + part}+${storage === "long" ? 2 : 4}*l]`;
      if (storage === "double") return `D[${base / 2}+l]`;
      return `${storage === "float" ? "F" : "I"}[${base}+l]`;
    };
    const local = [...this.#known].map((r) => {
      const given = this.initial.has(r);
      return `let ${partsOf(r).map((name, i) => `${name}=${given ? at(r, i) : "0"}`)};`;
    });
    const out = [...this.#written].filter(isKept).flatMap((r) => partsOf(r).map((name, i) => `${at(r, i)}=${name};`));
    const lines = this.lines.map((line) => (typeof line === "string" ? line : line()));
    return [
      `for(${counts ? "" : "let l=0"};l<32;l++){if((m>>>l&1)===0)continue;`,
      ...local,
      ...lines,
      ...out,
      counts ? "z|=1<<l;}" : "}",
    ].join("\n");
  }
}
