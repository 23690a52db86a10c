/** Tensor intrinsics: what a group of threads computes together, once as a program and once as kernel code. */
import { checkOptions, fail, nearest, optionsOf, type Spans } from "../../diag/index.ts";
import type { Program } from "../ir/types.ts";

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
  /** "async": it reads shared memory through the asynchronous proxy, as wgmma does: what threads have stored there is fenced first. */
  readonly proxy?: "async";
  /** The intrinsics that bring registers like its own their values, and take them away: what `checkIntrinsic` runs before and after it. Default: any that fit. */
  readonly beside?: readonly string[];
}
/** A registered intrinsic. */
export interface TensorIntrinsic extends TensorIntrinsicParts {
  /** As `tensorize` names it. */
  readonly name: string;
}

const registered = new Map<string, TensorIntrinsic>();

const knownParts = optionsOf<TensorIntrinsicParts>("tensorIntrinsic()", {
  description: true,
  implementation: true,
  participants: true,
  beside: true,
  proxy: true,
});

/** Registers an intrinsic. W2601, W5593. */
export function tensorIntrinsic(name: string, parts: TensorIntrinsicParts): TensorIntrinsic {
  checkOptions(parts, knownParts);
  if (registered.has(name)) fail("W5593", { name });
  const made = { name, ...parts };
  registered.set(name, made);
  return made;
}

/** The names of all intrinsics, in the order they were registered. */
export const tensorIntrinsics = (): readonly string[] => [...registered.keys()];

/** The intrinsic of that name. W5592. */
export function intrinsicOf(name: string, spans?: Spans): TensorIntrinsic {
  return registered.get(name) ?? fail("W5592", { name, near: nearest(name, tensorIntrinsics()) }, spans);
}
