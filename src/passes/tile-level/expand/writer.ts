import { noSpans, type Spans } from "../../../base/diag/index.ts";
import { type AnyOp, anyOp, type Ids, type Op, Recorder, type Value } from "../../../ir/index.ts";

/** Writes the ops of a new body. What it emits comes from where the op stands that is being taken apart. */
export class Writer extends Recorder {
  readonly ids: Ids;
  private place: Spans = noSpans;

  constructor(ids: Ids) {
    super();
    this.ids = ids;
  }

  spans(): Spans {
    return this.place;
  }

  /** Runs `run`, which writes what stands for `op`. */
  insteadOf<T>(op: Op, run: () => T): T {
    const around = this.place;
    this.place = op.spans;
    try {
      return run();
    } finally {
      this.place = around;
    }
  }

  /** The op that gave a value; undefined for a parameter of a region. */
  definition(value: Value): AnyOp | undefined {
    const op = this.makerOf(value);
    return op && anyOp(op);
  }

  /** An integer literal. */
  literalOf(value: Value): number | undefined {
    const op = this.definition(value);
    if (op?.name !== "const" || typeof op.attrs.value === "boolean") return undefined;
    const number = Number(op.attrs.value);
    return Number.isSafeInteger(number) ? number : undefined;
  }
}
