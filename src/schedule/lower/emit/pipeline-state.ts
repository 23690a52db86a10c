/** The stages between the thread that copies and the threads that compute, as one of the two sides sees them. */

import type { ConsumerStage, Mbarrier, NamedBarrier, Pipeline, ProducerStage } from "../../../dsl/emit.ts";
import { binary, currentTrace, noVariables, shortCircuit, warp, wgmma } from "../../../dsl/emit.ts";
import type { Stmt } from "../../ir/types.ts";
import { statements } from "../../ir/walk.ts";
import type { Cell } from "../storage/slots.ts";

/** One side of the pipeline. What its effects do is here; the emitter says where they stand. */
export interface PipelineState {
  /** The effect of that name: gives what the variable that it names stands for. */
  run(op: string, args: readonly unknown[]): unknown;
  has(op: string): boolean;
  /** Cells that a statement with these effects changes. */
  changedBy(s: Stmt): readonly Cell[];
  /** Where a copy that runs now tells that it is complete. */
  readonly barrier: Mbarrier | undefined;
}

const opsIn = (s: Stmt): ReadonlySet<string> => new Set([...statements(s)].flatMap((x) => (x.kind === "effect" ? [x.op] : [])));

/** Whether the effect says which stage comes, and its first argument is the variable for that. */
export const namesStage = (op: string): boolean => op === "acquireStage" || op === "awaitStage" || op === "currentStage";

/** The side of the thread that copies. */
export class ProducerState implements PipelineState {
  readonly #at: Cell;
  barrier: Mbarrier | undefined;

  constructor(pipe: Pipeline) {
    this.#at = { name: "stage", value: pipe.producer() };
  }
  get #stage(): ProducerStage {
    return this.#at.value as ProducerStage;
  }

  has(op: string): boolean {
    return op === "acquireStage" || op === "nextStage";
  }
  run(op: string, [, bytes]: readonly unknown[]): unknown {
    if (op === "acquireStage") {
      this.barrier = this.#stage.acquire(bytes as number);
      return this.#stage.index;
    }
    this.#at.value = this.#stage.next();
    return undefined;
  }
  changedBy(s: Stmt): readonly Cell[] {
    return opsIn(s).has("nextStage") ? [this.#at] : [];
  }
}

const consumerOps = [
  "beginStages",
  "awaitStage",
  "currentStage",
  "awaitProducts",
  "releaseStage",
  "releaseStageBefore",
  "nextStage",
  "skipStages",
  "awaitTurn",
  "passTurn",
];

/** Of a warpgroup that takes turns with others: where it waits for its turn, and where the next one does. */
export interface Turn {
  readonly mine: NamedBarrier;
  readonly next: NamedBarrier;
}

/** The side of a warpgroup that computes. A lane of each of its warps hands a stage back. */
export class ConsumerState implements PipelineState {
  readonly #at: Cell;
  readonly #before: Cell = { name: "stage before", value: undefined };
  readonly barrier = undefined;
  readonly #turn: Turn | undefined;

  constructor(pipe: Pipeline, turn?: Turn) {
    this.#at = { name: "stage", value: pipe.consumer() };
    this.#turn = turn;
  }
  get #stage(): ConsumerStage {
    return this.#at.value as ConsumerStage;
  }

  has(op: string): boolean {
    return consumerOps.includes(op);
  }
  run(op: string, [first]: readonly unknown[]): unknown {
    switch (op) {
      case "beginStages":
        this.#before.value = this.#stage;
        break;
      case "awaitStage":
        this.#stage.wait();
        return this.#stage.index;
      case "currentStage":
        return this.#stage.index;
      case "awaitProducts":
        wgmma.wait(first as number);
        break;
      case "releaseStage":
        this.#stage.release({ pred: binary("===", warp.lane, 0) as boolean });
        break;
      case "releaseStageBefore":
        this.#release(first);
        break;
      case "skipStages":
        this.#at.value = this.#stage.next(first as number);
        break;
      case "awaitTurn":
        this.#turn?.mine.sync();
        break;
      case "passTurn":
        this.#turn?.next.arrive();
        break;
      default:
        this.#before.value = this.#stage;
        this.#at.value = this.#stage.next();
    }
    return undefined;
  }

  /** The stage of the iteration before, which the first one (0) has not. */
  #release(iteration: unknown): void {
    const lane = binary("===", warp.lane, 0);
    const isLater = typeof iteration === "number" ? iteration > 0 : binary(">", iteration, 0);
    const pred = shortCircuit(currentTrace("a stage"), "&&", lane, () => isLater, noVariables);
    (this.#before.value as ConsumerStage).release({ pred: pred as boolean });
  }

  changedBy(s: Stmt): readonly Cell[] {
    const ops = opsIn(s);
    if (!ops.has("nextStage")) return ops.has("skipStages") ? [this.#at] : [];
    // What a statement begins anew it does not take from its iteration before.
    return ops.has("releaseStageBefore") && !ops.has("beginStages") ? [this.#at, this.#before] : [this.#at];
  }
}
