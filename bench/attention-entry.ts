import type { AttentionRecord } from "./attention-case.ts";
import type { DecodeRecord } from "./attention-decode-case.ts";
import { given, numberIn, parametersOf, peersOf, timesOf } from "./entry.ts";
import type { Entry, Parameter } from "./record.ts";

/** A case of `bench/attention.ts`, or of `bench/attention-decode.ts`, as an entry of a record; `group` is the function that it calls. */
export function attentionEntry(group: string, one: AttentionRecord | DecodeRecord): Entry {
  const { name, us, peers, skipped, ratio, worst, correct, ...more } = one;
  const { tflops, tbps, ...of } = more as Readonly<Record<string, Parameter>> & {
    readonly tflops?: number;
    readonly tbps?: number;
  };
  return {
    ...{ group, case: name, of, us, peers: peersOf(peers, Object.keys(skipped)), correct },
    figures: { ratio, ...given({ tflops, tbps }), worst },
    ...given({ skipped }),
  };
}

const sidesOf = (entry: Entry) => ({
  ...{ name: entry.case, us: entry.us ?? Number.NaN, peers: timesOf(entry), skipped: entry.skipped ?? {} },
  ...{ ratio: numberIn(entry.figures?.ratio), worst: numberIn(entry.figures?.worst) ?? Number.NaN },
  correct: entry.correct === true,
});
const shape = { dtype: "string", batches: "number", heads: "number", kvHeads: "number", length: "number", d: "number" } as const;

/** The case of an entry of `bench/attention.ts`. */
export function attentionCase(entry: Entry): AttentionRecord {
  parametersOf(entry, { ...shape, causal: "boolean", score: "boolean" });
  return { ...entry.of, ...sidesOf(entry), tflops: numberIn(entry.figures?.tflops) ?? Number.NaN } as unknown as AttentionRecord;
}

/** The case of an entry of `bench/attention-decode.ts`. */
export function decodeCase(entry: Entry): DecodeRecord {
  parametersOf(entry, { ...shape, pageSize: "number", queries: "number", window: "number", ragged: "boolean" });
  return { ...entry.of, ...sidesOf(entry), tbps: numberIn(entry.figures?.tbps) ?? Number.NaN } as unknown as DecodeRecord;
}
