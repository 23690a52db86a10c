/** What came of each fault, kept in a file as it comes. */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { Fault } from "./fault.ts";

/** What has found a fault: a test, the build before it, or that the command came to no end. */
export type By = "tests" | "build" | "time";

export interface Answer {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly found: boolean;
  readonly by?: By;
  readonly seconds: number;
  readonly failing: readonly string[];
}

/** What was asked: other commands, and tests that are others, have other answers. */
export interface Question {
  readonly command: string;
  readonly rebuild: string;
  /** The digest of the tree that faults are planted in. */
  readonly tree: string;
}

interface Kept extends Question {
  readonly answers: readonly Answer[];
}

const isOf = (answer: Answer, { name, file, find, replace }: Fault): boolean =>
  answer.name === name && answer.file === file && answer.find === find && answer.replace === replace;

export class Answers {
  readonly #path: string | undefined;
  readonly #question: Question;
  readonly #all: Answer[];

  /** Goes on with what the file has. Its answers must be those of the same commands, and of the same tree. */
  constructor(path: string | undefined, question: Question) {
    this.#path = path;
    this.#question = question;
    const { command, rebuild, tree } = question;
    const kept = path !== undefined && existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Kept) : undefined;
    if (kept && (kept.command !== command || kept.rebuild !== rebuild))
      throw new Error(`${path} has the answers of other commands: ${kept.command}, after ${kept.rebuild || "no build"}`);
    if (kept && kept.tree !== tree) throw new Error(`${path} has the answers of another tree: give another --out`);
    this.#all = [...(kept?.answers ?? [])];
  }

  of(fault: Fault): Answer | undefined {
    return this.#all.find((answer) => isOf(answer, fault));
  }

  add(answer: Answer): void {
    const before = this.#all.findIndex(({ name }) => name === answer.name);
    if (before >= 0) this.#all.splice(before, 1);
    this.#all.push(answer);
    if (this.#path === undefined) return;
    const kept: Kept = { ...this.#question, answers: this.#all };
    // Whoever is stopped while writing loses nothing.
    writeFileSync(`${this.#path}.new`, `${JSON.stringify(kept, undefined, 2)}\n`);
    renameSync(`${this.#path}.new`, this.#path);
  }
}
