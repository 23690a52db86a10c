/** Results that a statement discards although nothing else comes of the statement. */
import { type Span, textAt } from "../../base/diag/index.ts";
import { describe } from "../numbers/describe.ts";
import { isStaged } from "../numbers/lift.ts";
import { failHere, spansHere } from "../trace/fail-here.ts";
import { hasStructure, isOwnObject, isToCall, structure } from "../trace/staged.ts";
import type { Trace } from "../trace/trace.ts";
import type { CallSite } from "./call-site.ts";

/** What a call of the language has returned. `isPure`: no op with an effect came of it. */
export interface CallResult {
  readonly result: unknown;
  readonly site: CallSite;
  readonly isPure: boolean;
}

/** The last call that was written, and the span where it stands. */
const last = { make: (): { call?: CallResult | undefined; span?: Span | undefined } => ({}) };

/** Notes what the call that stands here has returned; `undefined` of a call that is not one of the language. */
export function noteResult(trace: Trace, call: CallResult | undefined): void {
  const state = trace.state(last);
  state.call = call;
  state.span = spansHere()[0];
}

/** Whether the statement must keep the value: it is a product or a tile, or nothing but the value comes of the call. */
function isWanted(value: unknown, call: CallResult | undefined): boolean {
  if (isOwnObject(value) && hasStructure(value) && value[structure].kept) return true;
  if (!call?.isPure || value === undefined) return false;
  return value !== call.site.receiver && !call.site.args.includes(value);
}

/** The statement as the author writes it where that is one line, else the callee alone. */
function written(here: Span | undefined, site: CallSite | undefined): string {
  const text = here && textAt(here);
  if (!site || text?.endsWith(")")) return text ?? "…";
  return `${site.construct ? "new " : ""}${site.text}(${site.args.length > 0 ? "…" : ""})`;
}

/** What a statement begins with that keeps the result: `put = ` where the result is like what the method is called on, else a new name. */
function keeper(value: unknown, site: CallSite | undefined): string {
  const [, owner] = /^([\w$]+)\.[\w$]+$/.exec(site?.text ?? "") ?? [];
  const [made, from] = [value, site?.receiver].map((x) => (hasStructure(x) ? x[structure].describe : undefined));
  // What is described by a name of its own, such as a tensor, keeps that name.
  return owner !== undefined && made !== undefined && made === from && !made.includes("`") ? `${owner} = ` : "const result = ";
}

/** Refuses, where a statement stands, a value that it discards although nothing else comes of it. W2044. */
export function refuseDiscarded(trace: Trace, value: unknown, isOperator: boolean): void {
  const state = trace.state(last);
  const [here] = spansHere();
  if (isToCall(value) && !(here && textAt(here))?.endsWith(")")) failHere("W2080", { text: (here && textAt(here)) ?? "…" });
  const call = state.span === here && state.call?.result === value ? state.call : undefined;
  if (!isWanted(value, call) && !(isOperator && isStaged(value))) return;
  const text = written(here, call?.site);
  const compared = isOperator ? /^([^=!<>]+?)\s*={2,3}\s*([^=].*)$/s.exec(text) : null;
  failHere("W2044", {
    text,
    what: describe(value),
    keep: keeper(value, call?.site) + text,
    assign: compared ? `${compared[1]} = ${compared[2]}` : undefined,
  });
}
