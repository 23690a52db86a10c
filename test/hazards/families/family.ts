/** Kernels with one piece taken out at a time. Families differ in what is copied, what is changed, and what must be said. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Device } from "warpsmith";
import { ChangedCopy } from "../../support/changed-copy.ts";
import { type Change, changed, judge, type Said, settings, titleOf } from "../said.ts";
import type { Setting } from "../schedule.ts";

/** Launches a kernel, and says that its result is wrong. */
export type Launch = (device: Device) => Promise<void>;

/** A kernel as it is, of which nothing is said. */
export interface Whole {
  readonly title: string;
  load(): Promise<Launch>;
}

/** A kernel of which a piece is taken. */
export interface Taken {
  readonly title: string;
  readonly settings: readonly Setting[];
  /** Under one of the settings something is said, and under those before it nothing. */
  readonly someSchedule?: boolean;
  load(): Promise<Launch>;
  /** What is wrong with what was said; undefined where it is as the table says. */
  judge(setting: Setting, said: Said | undefined): string | undefined;
  /** Where UPDATE=1 writes the table anew: what was said, by setting. */
  renew?(said: readonly (Said | undefined)[]): void;
}

/** A file all of whose lines that synchronise are in the table. */
export interface Lines {
  readonly file: string;
  /** Those that are not. */
  missing(): readonly string[];
}

export interface Family {
  readonly name: string;
  readonly wholes: readonly Whole[];
  readonly taken: readonly Taken[];
  readonly lines: readonly Lines[];
}

/** Where copies are. */
export const copies = mkdtempSync(join(tmpdir(), "removals-"));
let count = 0;
export const nextFolder = (): string => join(copies, `${count++}`);

export const root = join(import.meta.dirname, "../../..");

const timings: readonly Setting[] = (["lazy", ...Array.from({ length: 40 }, (_, i) => i + 1)] as const).map((schedule) => ({
  check: "strict",
  schedule,
}));

/** A change that a table tells of. */
export const taken = (title: string, change: Change, load: () => Promise<Launch>, someSchedule = false): Taken => ({
  title: `${title}: ${titleOf(change)} is ${change.harmless === undefined ? "reported" : "silent"}`,
  settings: someSchedule ? timings : settings,
  someSchedule,
  load,
  judge: (setting, said) => judge(change, setting, said),
});

/** The library's kernels: a change is of a file of src/kernels, and copied is what leads there from the module that makes a launch. */
const library = new ChangedCopy(join(root, "src/kernels"), { "common/made.ts": join(import.meta.dirname, "../made-anew.ts") });

const imported = new Map<string, Promise<unknown>>();

/** A module of src/kernels, as it is or with a change: one copy for all who ask for it. */
export function libraryModule<M>(entry: string, file = "", change?: Change): Promise<M> {
  const key = JSON.stringify([entry, file, change?.text, change?.instead]);
  const module =
    imported.get(key) ??
    import(
      /* @vite-ignore */ change
        ? library.write(entry, `${file}.ts`, (text) => changed(text, change), nextFolder())
        : join(root, "src/kernels", entry)
    );
  imported.set(key, module);
  return module as Promise<M>;
}

const linesOf = (text: string): readonly string[] => text.split("\n");
const times = (lines: readonly string[], line: string): number => lines.filter((other) => other === line).length;

/** Which lines of a file of src/kernels synchronise: calls of these, but in lines like those. */
interface Synchronising {
  readonly calls: RegExp;
  readonly but: RegExp;
}

export const linesIn = (
  file: string,
  changes: readonly (Change & { readonly file: string })[],
  { calls, but }: Synchronising,
): Lines => ({
  file,
  missing: () => {
    const text = library.read(`${file}.ts`);
    const without = changes.filter((change) => change.file === file).map((change) => linesOf(changed(text, change)));
    const lines = linesOf(text).filter(
      (line) => !/^\s*(\/?\*|\/\/)|\bfunction /.test(line) && !but.test(line) && calls.test(line),
    );
    return lines.filter((line) => without.every((others) => times(others, line) >= times(lines, line)));
  },
});

export const isDeviceCode = (file: string): boolean => /"use kernel"|\bkernel\(/.test(library.read(file));
