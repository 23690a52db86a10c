/** Tensor intrinsics: what a group of threads computes together, once as a program and once as kernel code. */

import { checkOptions, exact, nearest, optionsOf, refuseMore, type Spans } from "../../base/diag/index.ts";
import type { Swizzle } from "../../base/types.ts";
import type { Accumulator, Mbarrier, SharedView, TMA } from "../../dsl/emit.ts";
import { fail } from "../errors/index.ts";
import type { Buffer, Program } from "../ir/types.ts";
import { type Family, memberOf } from "./family.ts";

/** Who runs an intrinsic together: all of them reach it at the same time, with the same arguments. */
export type Participants = "thread" | "warp" | "warpgroup" | "block";

/** How many threads run it together; of a block all there are. */
export const participantThreads: Readonly<Record<Participants, number | undefined>> = {
  thread: 1,
  warp: 32,
  warpgroup: 128,
  block: undefined,
};

/** A tile of registers: `value` is what the kernel language has for it, such as a matrix of WMMAMatrix. */
export interface RegisterTile {
  /** Whatever the implementation keeps there. Undefined before anything is written. */
  value: unknown;
}

/**
 * Registers that are not computed yet: what reads them next takes them some columns at a time. A `RegisterTile` has it in the place of a
 * matrix only where the code around asks for it.
 */
export interface Deferred {
  /** [rows, columns]. */
  readonly shape: readonly [number, number];
  /** Registers that what is read of memory for 8 columns takes, in each thread. */
  readonly held: number;
  /** Reads what is needed of memory for so many columns from `start` on; what it gives computes them. */
  begin(start: number, count: number): () => Accumulator;
}

/** What the code around an intrinsic asks of its implementation, which gets it behind the parts of the buffers. */
export interface Surroundings {
  /** How many groups of asynchronous products may be unfinished when it ends; undefined: the code around waits for them itself. */
  readonly wait: number | undefined;
  /** Whether a product adds to what its registers hold, or replaces it; undefined: it adds. */
  readonly accumulate?: boolean | undefined;
  /** For each part, which of its stages: with `takesStages`, of buffers that have some. */
  readonly stages?: readonly (number | undefined)[];
  /** Where a copy by TMA tells that it is complete; undefined: the copy waits for itself. */
  readonly barrier?: Mbarrier | undefined;
  /** The intrinsic's own shared memory, of the group of threads that runs it. */
  readonly scratch?: SharedView | undefined;
  /** What it writes to registers is read by the next intrinsic alone, which takes it `Deferred`. */
  readonly defer?: boolean | undefined;
  /** The program touches in another place, too, what it writes: it is complete when the intrinsic ends. */
  readonly shared?: boolean | undefined;
}

/** What an intrinsic copies of global memory at a time, by TMA. */
export interface MapRequest {
  /** Rows and columns of a box: each at most 256, and a row no longer than the swizzle is wide. */
  readonly box: readonly [rows: number, columns: number];
  readonly swizzle: Swizzle;
  /** Columns of the last box of a row, where boxes do not divide it: a map of its own moves that one. */
  readonly rest?: number;
  /** Of `box`, columns that are behind the part: they fill what is put in after the rows of the target. */
  readonly padding?: number;
}

/** A part of global memory for TMA: the tensor's map, that of the request's `rest`, and where the part begins, innermost first. */
export interface MappedPart {
  readonly map: TMA;
  readonly rest?: TMA | undefined;
  readonly coords: readonly number[];
}

/** What an intrinsic is made of. */
export interface TensorIntrinsicParts {
  /** What it computes, over buffers of constant shapes in the scopes where it takes them. */
  readonly description: Program;
  /**
   * The same in the kernel language. For each parameter of the description it gets the part of the buffer: of global and shared memory a
   * view of that shape, of a register scope a `RegisterTile`.
   */
  // biome-ignore lint/suspicious/noExplicitAny: views and tiles of every type
  readonly implementation: (...args: any[]) => void;
  /** The threads that run it together. */
  readonly participants: Participants;
  /** "async": it reads or writes shared memory through the asynchronous proxy, as wgmma and TMA do: what threads have stored there is fenced first. */
  readonly proxy?: "async";
  /** The intrinsics that bring registers like its own their values, and take them away: what `checkIntrinsic` runs before and after it. Default: any that fit. */
  readonly beside?: readonly string[];
  /**
   * It takes a part of a buffer in shared memory whose first dimension counts stages as all of them, `[stages, rows, columns]`, and
   * `Surroundings.stages` says which: a descriptor of all is made once, before the loop.
   */
  readonly takesStages?: true;
  /** The parameters in global memory that it takes through a tensor map, by their names: of each it gets a `MappedPart` in the place of a view. */
  readonly maps?: Readonly<Record<string, MapRequest>>;
  /** Shared memory that it has besides what it takes: a buffer for each group of threads that runs it, which nothing else uses. */
  readonly scratch?: Buffer;
  /** The number of a parameter in registers that may be `Deferred`. */
  readonly takesDeferred?: number;
  /** What its threads do at the end of the program. */
  readonly atEnd?: () => void;
}
/** A registered intrinsic. */
export interface TensorIntrinsic extends TensorIntrinsicParts {
  /** As `tensorize` names it. */
  readonly name: string;
}

const registered = new Map<string, TensorIntrinsic>();
const families: Family<TensorIntrinsicParts>[] = [];

const knownParts = optionsOf<TensorIntrinsicParts>("tensorIntrinsic()", {
  description: true,
  implementation: true,
  participants: true,
  beside: true,
  proxy: true,
  maps: true,
  takesStages: true,
  scratch: true,
  atEnd: true,
  takesDeferred: true,
});

/** Registers an intrinsic. W2601, W5593. */
export function tensorIntrinsic(name: string, parts: TensorIntrinsicParts): TensorIntrinsic {
  refuseMore(tensorIntrinsic, arguments);
  checkOptions(parts, knownParts);
  if (registered.has(name) || typeof memberOf(families, name)?.made === "object") fail("W5593", { name });
  return register(name, parts);
}

function register(name: string, parts: TensorIntrinsicParts): TensorIntrinsic {
  const made = { name, ...parts };
  registered.set(name, made);
  return made;
}

/** Registers intrinsics that are made when their names are asked for. What is registered by name comes first. */
export const intrinsicFamily = (family: Family<TensorIntrinsicParts>): void => void families.push(family);

const own = new Map<string, { readonly text: string; readonly intrinsic: TensorIntrinsic }>();

/** A short name for a text, the same each time. FNV-1a. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/** The name of an intrinsic that lowering makes for itself, which is listed nowhere; `text` says all of it. */
export function ownIntrinsic(stem: string, text: string, parts: TensorIntrinsicParts): string {
  let name = `${stem}_${hashOf(text)}`;
  while (own.has(name) && own.get(name)?.text !== text) name += "_";
  if (!own.has(name)) own.set(name, { text, intrinsic: { name, ...parts } });
  return name;
}

/** The names of all intrinsics, in the order they were registered; of a family those that have been asked for. */
export const tensorIntrinsics = exact((): readonly string[] => [...registered.keys()], "tensorIntrinsics");

/** The name that says one word less: what goes without saying, such as that A lies by rows. */
function withoutAWord(name: string): string | undefined {
  const known = tensorIntrinsics();
  const words = name.split("_");
  const shorter = words.flatMap((word, i) =>
    i > 0 && known.some((other) => other.split("_").includes(word)) ? [words.toSpliced(i, 1).join("_")] : [],
  );
  return shorter.find((other) => known.includes(other));
}

/** The intrinsic of that name. W5592. */
export function intrinsicOf(name: string, spans?: Spans): TensorIntrinsic {
  const known = registered.get(name) ?? own.get(name)?.intrinsic;
  if (known) return known;
  const found = memberOf(families, name);
  if (found && typeof found.made === "object") return register(name, found.made);
  const near = found?.made === undefined ? (withoutAWord(name) ?? nearest(name, tensorIntrinsics())) : undefined;
  const family = found && { names: found.family.names, takes: found.family.takes };
  return fail("W5592", { name, near, why: found?.made, family }, spans);
}
