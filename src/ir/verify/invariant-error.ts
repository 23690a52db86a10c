import { renderFrames, type Spans } from "../../base/diag/index.ts";
import type { Op } from "../graph.ts";
import { printOpHead } from "../print.ts";

/** The op graph breaks an invariant: a mistake of the compiler, not of the kernel's author. */
export class InvariantError extends Error {
  override readonly name = "InvariantError";
  /** The op that breaks it; undefined where it is the graph as a whole. */
  readonly op: Op | undefined;
  /** Where the author wrote what became that op. */
  readonly spans: Spans;

  constructor(complaint: string, op: Op | undefined) {
    super(`${complaint} (a mistake of the compiler: please report it)${op ? pointAt(op) + renderFrames(op.spans) : ""}`);
    this.op = op;
    this.spans = op?.spans ?? [];
  }
}

function pointAt(op: Op): string {
  const line = printOpHead(op);
  const start = op.results.length > 0 ? line.indexOf(` = ${op.name}`) + 3 : 0;
  return `\n  ${line}\n  ${" ".repeat(start)}${"^".repeat(op.name.length)}`;
}

/** Says that `op` breaks an invariant. */
export function breaks(op: Op | undefined, complaint: string): never {
  throw new InvariantError(op ? `'${op.name}' ${complaint}` : complaint, op);
}
