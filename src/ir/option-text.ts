import { defaultTarget, type Target } from "../base/target.ts";
import type { Cursor } from "./cursor.ts";
import type { LaunchBounds, ProgramOptions } from "./options.ts";

/** How the text of a graph says one option: nothing where it is the usual one. `read` takes what `print` wrote, and nothing else. */
interface Spelling<T> {
  readonly print: (value: T) => string;
  readonly read: (at: Cursor, targets: readonly Target[]) => T;
}

function one(at: Cursor): number {
  return at.list("(", ")", () => at.number("a number"))[0] ?? at.refuse("a number");
}

function triple(at: Cursor): readonly [number, number, number] {
  const [x, y, z] = at.list("(", ")", () => at.number("a number"));
  return x !== undefined && y !== undefined && z !== undefined ? [x, y, z] : at.refuse("three numbers");
}

const flag = (word: string): Spelling<boolean> => ({
  print: (value) => (value ? word : ""),
  read: (at) => at.take(word),
});

const count = <U extends number | undefined>(word: string, usual: U): Spelling<number | U> => ({
  print: (value) => (value === usual ? "" : `${word}(${value})`),
  read: (at) => (at.take(word) ? one(at) : usual),
});

const extents = (word: string): Spelling<readonly [number, number, number]> => ({
  print: (value) => `${word}(${value.join(", ")})`,
  read: (at) => {
    at.expect(word);
    return triple(at);
  },
});

type Spellings<T> = { readonly [K in keyof T]-?: Spelling<T[K]> };

/** All fields of `T`, in the order in which `spellings` has them. Fields that the text leaves undefined are left out. */
function fields<T extends object>(spellings: Spellings<T>): Spelling<T> {
  const names = Object.keys(spellings) as (keyof T)[];
  return {
    print: (all) =>
      names
        .map((name) => spellings[name].print(all[name]))
        .filter((text) => text !== "")
        .join(" "),
    read: (at, targets) => {
      const read = names.map((name) => [name, spellings[name].read(at, targets)] as const);
      return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as T;
    },
  };
}

const target: Spelling<Target> = {
  print: ({ name }) => (name === defaultTarget.name ? "" : `target(${name})`),
  read: (at, targets) => {
    if (!at.take("target")) return defaultTarget;
    const [found] = at.list("(", ")", () => {
      const token = at.word("a target");
      return targets.find(({ name }) => name === token.text) ?? at.refuse("a target", token);
    });
    return found ?? at.refuse("a target");
  },
};

const options = fields<ProgramOptions>({
  target,
  launch: fields<LaunchBounds>({
    block: extents("block"),
    cluster: extents("cluster"),
    registers: count("registers", undefined),
    blocksPerSM: count("blocks_per_sm", undefined),
  }),
  dynamicShared: count("dynamic_shared", 0),
  contract: flag("contract"),
  debug: flag("debug"),
  profile: {
    print: (value) => (value === undefined ? "" : value === "marks" ? "profile" : value),
    read: (at) => (at.take("profile") ? "marks" : at.take("timeline") ? "timeline" : undefined),
  },
  watch: {
    print: (value) => (value ? "watch" : ""),
    read: (at) => at.take("watch") || undefined,
  },
});

/** What stands between the parameters and the body of a kernel. */
export const printOptions = (of: ProgramOptions): string => options.print(of);
/** `targets`: those that the text may name. */
export const readOptions = (at: Cursor, targets: readonly Target[]): ProgramOptions => options.read(at, targets);
