import { type MarkName, markTypes, type ScalarType, type Value } from "../../ir/index.ts";
import type { Trace } from "./trace.ts";

/** Records a mark of a profile, where one is asked for. `values`: of a type that stands. */
export function emitMark(trace: Trace, mark: MarkName, name: string, values: readonly Value[] = []): void {
  if (!trace.options.profile) return;
  const site = trace.logs.length;
  const types = [...markTypes, ...values.map((value) => value.type as ScalarType)];
  trace.logs.push({ kind: "mark", mark, parts: [name], types, spans: trace.spans() });
  trace.emit("mark", { values }, { site });
}
