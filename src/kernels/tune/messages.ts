/** What the process that tunes and those that run candidates say to each other. */
import type { Verdict } from "../../kernel/tune/index.ts";
import type { Candidate } from "./types.ts";

/** What a worker is for: `WorkerSpec` as JSON is its only argument. */
export interface WorkerSpec {
  readonly family: string;
  readonly problem: unknown;
  /** As `openDevice` takes it: undefined leaves the choice to it. */
  readonly device?: string;
}

export type Ask =
  | { readonly ask: "verify"; readonly candidate: Candidate }
  | { readonly ask: "time"; readonly candidates: readonly Candidate[]; readonly seconds: number };

export type Answer =
  | { readonly answer: "ready"; readonly device: string; readonly multiprocessors: number; readonly emulated: boolean }
  | { readonly answer: "verdict"; readonly verdict: Verdict }
  /** Microseconds, in the order of the candidates. */
  | { readonly answer: "times"; readonly times: readonly (number | null)[] }
  /** Nothing can be done: no device, no memory. */
  | { readonly answer: "failed"; readonly reason: string };
