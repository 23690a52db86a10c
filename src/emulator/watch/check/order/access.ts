/** Accesses to memory as they are remembered, and who did them. */
import type { TensorMap } from "../../../machine/units/index.ts";
import type { Program } from "../../../program/program.ts";
import type { Home } from "./clock.ts";

/** Who did it, for the reports; made words only when asked. */
export interface Agent {
  /** "warp 3 of block (0, 0, 0) writes", "a tensor copy that thread 0 … has issued reads". `lanes`: those concerned. */
  describe(access: Access, lanes: number): string;
  /** What is missing, or nothing. */
  since(): string | undefined;
  /** Of an asynchronous operation: what it is. `launch`: all of a launch before this one. */
  readonly kind: "lane" | "load" | "store" | "cp.async" | "wgmma" | "launch";
  /** One object for each block, or for a launch before: which one it belongs to. */
  readonly block: object;
  /** Of a launch before: what `at` of its accesses is an index of. */
  readonly program?: Program | undefined;
}

/** One execution of one instruction, or one asynchronous operation. */
export interface Access {
  readonly home: Home;
  readonly slot: number;
  readonly tick: number;
  /** Index of the instruction. */
  readonly at: number;
  /** The same execution, by another instruction that was told of together with it. */
  by?(at: number): Access;
  readonly writes: boolean;
  /** Whose accesses a fence of the asynchronous proxy separates. */
  readonly proxy: "generic" | "async";
  /** Atomic, volatile, relaxed, …; two such do not race where the scope of both holds the other. */
  readonly strong: "" | "cta" | "cluster" | "wide";
  /** It reads by the non-coherent cache: nothing may write there as long as the kernel runs, in whatever order. */
  readonly nonCoherent?: boolean;
  readonly agent: Agent;
  /** Of a store of the asynchronous proxy: the same where lanes of one instruction store the same. */
  readonly copy?: string | undefined;
  /** Of a store of a constant: which. */
  readonly value?: string | undefined;
  /** A copy reads the tensor map there, by which it goes on. */
  readonly ofMap?: true;
  /** Of what a tensor copy has written. */
  readonly map?: TensorMap | undefined;
}

/** An access, and those lanes of its slot that did it. */
export interface Touched {
  readonly access: Access;
  readonly lanes: number;
  /** Lanes have written different values. */
  readonly mixed?: boolean | undefined;
}

/** In this order each races with no more than the one before it does. */
const strengths = ["", "cta", "cluster", "wide"] as const;
type Strength = Access["strong"];

/**
 * Whether what comes after a later access of one thread may yet race with an earlier one: two atomics do not race with each other, and each does with a plain access.
 * So an atomic does not stand for the plain access before it.
 */
export const isWeaker = (earlier: Strength, later: Strength): boolean => strengths.indexOf(earlier) < strengths.indexOf(later);

/** An instruction of a warp, or one operation. It is kept as long as memory that it has touched. */
export interface Source extends Pick<Access, "home" | "slot" | "writes" | "strong"> {
  readonly nonCoherent: boolean;
  /** The one of that tick. As long as no later one is asked for, the same object. */
  access(tick: number): Access;
}

/** What one warp does. */
export interface Sources {
  /** By the index of an instruction; one that reads and writes has two. */
  of(index: number, writes: boolean): Source;
}

/** What does nothing else. */
export const sourceOf = (access: Access): Source => {
  const { home, slot, writes, strong, nonCoherent = false } = access;
  return { home, slot, writes, strong, nonCoherent, access: () => access };
};
