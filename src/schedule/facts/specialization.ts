/** What `warpSpecialize` writes at a loop, and what it means. */
import type { For, Program, Stmt } from "../ir/types.ts";
import { statements } from "../ir/walk.ts";

/** What a loop is annotated with. */
export interface Specialization {
  /** Iterations whose copies are in shared memory at a time. */
  readonly stages: number;
  /** Iterations whose products may still run when the next one begins. */
  readonly wait: 0 | 1;
  /** Warpgroups that take turns at the iterations of the loop around; 1: all that compute do so together. */
  readonly pingpong: number;
}

const key = "warpSpecialize";

export const annotationOf = ({ stages, wait, pingpong }: Specialization) => ({
  ...{ [key]: stages, wait },
  ...(pingpong > 1 ? { pingpong } : {}),
});
export const isSpecialized = (s: Stmt): s is For => s.kind === "for" && typeof s.annotations[key] === "number";
export const specializationOf = ({ annotations }: For): Specialization => ({
  stages: Number(annotations[key]),
  wait: annotations.wait === 1 ? 1 : 0,
  pingpong: typeof annotations.pingpong === "number" ? annotations.pingpong : 1,
});

/** Warpgroups that take turns in a program; 1 where none do. */
export function turnsIn({ body }: Program): number {
  for (const s of statements(body)) if (isSpecialized(s)) return specializationOf(s).pingpong;
  return 1;
}
