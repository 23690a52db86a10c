import { type Spans, textAt } from "../../base/diag/index.ts";
import { fail } from "../errors/index.ts";
import { describe } from "../numbers/describe.ts";
import { changesOf, type FieldChange, fieldText } from "../objects/fields.ts";
import { type FieldEntry, FieldSet, type Frame } from "../objects/frames.ts";
import { Stale } from "../objects/identity.ts";
import { spansHere } from "../trace/fail-here.ts";
import type { Trace } from "../trace/trace.ts";
import { mayBeCarried } from "./carried.ts";

/**
 * What a loop changes is known when its body is traced. A field that it reads before that is static: a size, a flag of the author's. Where
 * the end of an iteration finds such a field changed, what was traced is true of the first iteration alone. It is taken back, and the body
 * is traced again with the field carried. Each time at least one field is added, so that this ends.
 */
export interface Changing {
  /** The fields that are found so far. */
  readonly fields: FieldSet;
  /** Runs what traces the body and the end of an iteration. */
  whileTracing<T extends { readonly exited?: boolean }>(frame: Frame, run: () => T): T;
}

/** What was traced is taken back; `fields` are carried the next time. */
class Again {
  readonly fields: readonly FieldEntry[];
  constructor(fields: readonly FieldEntry[]) {
    this.fields = fields;
  }
}

/**
 * So often only the fields are added whose value has changed. A value that moves from field to field, as in a queue, shows one more each
 * time: after that, every field is added that was assigned at all.
 */
const patience = 8;

/** Traces a loop, again until nothing that it read as static changes. */
export function retraced<T>(trace: Trace, run: (changing: Changing) => T): T {
  const fields = new FieldSet();
  for (let times = 1; ; times++) {
    const takeBack = trace.save();
    const whileTracing: Changing["whileTracing"] = (frame, body) => checked(frame, body, times > patience);
    try {
      return run({ fields, whileTracing });
    } catch (error) {
      if (!(error instanceof Again)) throw error;
      takeBack();
      for (const field of error.fields) fields.add(field);
    }
  }
}

function checked<T extends { readonly exited?: boolean }>(frame: Frame, body: () => T, all: boolean): T {
  const found = (which: (change: FieldChange) => boolean): readonly FieldEntry[] => {
    const read = changesOf(frame).filter((change) => change.entry.readStatic && which(change));
    return read.map(({ entry }) => entry).filter((entry) => mayBeCarried(entry.before) && !isKnown(frame, entry));
  };
  const isAssigned = ({ entry }: FieldChange): boolean => entry.written !== undefined;
  let result: T;
  try {
    result = body();
  } catch (error) {
    // What is refused may be so only in the first iteration, with what the fields hold there.
    const fields = found(isAssigned);
    throw fields.length > 0 ? new Again(fields) : error;
  }
  if (result.exited) return result;
  const fields = found(isChanged);
  if (fields.length > 0) throw new Again(all ? found(isAssigned) : fields);
  for (const change of changesOf(frame)) if (change.entry.readStatic && isChanged(change)) failStatic(change);
  return result;
}

const isKnown = (frame: Frame, { object, key }: FieldEntry): boolean => frame.changing?.has(object, key) === true;

/** What may have been changed through another object is refused where it is read. */
const isChanged = ({ entry, after }: FieldChange): boolean =>
  !Object.is(after, entry.before) && after !== entry.carried && !(after instanceof Stale);

/** The error of a field that no loop can carry, because the GPU has nothing like what it holds. */
function failStatic({ entry }: FieldChange): never {
  if (mayBeCarried(entry.before)) throw new Error("a loop carries a field that it reads as static");
  const { object, key, before } = entry;
  const spans: Spans = entry.written ?? spansHere();
  const [here] = spans;
  return fail("W2026", { what: fieldText(object, key), value: describe(before), object: here && textAt(here) }, spans);
}
