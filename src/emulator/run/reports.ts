/** What the checks of one launch have found: each pair of lines once. */

import type { ErrorArgs } from "../../diag/define-errors.ts";
import type { catalogue } from "../../diag/index.ts";
import { type ErrorCode, inLoopsWords, inPtxWords, makeError, type Span, type Spans, WarpsmithError } from "../../diag/index.ts";
import { inPtxAt } from "../../ptx/parse/index.ts";
import type { Program } from "../program/program.ts";

/** So many are kept; what follows is mostly more of the same, and counted: up to that. */
const most = 16;
const mostCounted = 1000;
/** More than a kernel has. */
const mostInstructions = 2 ** 26;

/** Errors that mostly follow from another error that is reported, too. They come last. */
const consequences: ReadonlySet<string> = new Set(["W9209"]);

/** How many of the reports that are not printed in full are at least named. */
const shown = 4;
const briefly = ({ code, spans: [place] }: WarpsmithError): string => (place ? `${code} at ${place.file}:${place.line}` : code);

/** A second place: what stands before it is the note, "the other access is at". */
export interface RelatedPoint {
  readonly note: string;
  /** Index of an instruction. */
  readonly at: number;
  /** Of another kernel. */
  readonly program?: Program | undefined;
}

type Args<K extends ErrorCode> = ErrorArgs<typeof catalogue, K>;

const inspect = Symbol.for("nodejs.util.inspect.custom");

/** Reports beside the first one. Node prints of them what they say: their stack and their fields are of no use to anybody. */
class FurtherReports extends AggregateError {
  constructor(reports: readonly WarpsmithError[]) {
    super(reports, `${reports.length} more`);
    this.stack = `${this.name}: ${this.message}`;
  }
  [inspect](): string {
    return this.errors.map((error: WarpsmithError) => error.message).join("\n");
  }
}

/** A report that waits for a reason to be made. */
export type Suspicion = {
  [K in "W9230" | "W9231"]: readonly [code: K, args: Args<K>, at: number, others: readonly RelatedPoint[]];
}["W9230" | "W9231"];

export class Reports {
  readonly #program: Program;
  readonly #suspected: { readonly codes: ReadonlySet<string>; readonly say: () => Suspicion }[] = [];
  readonly #found: WarpsmithError[] = [];
  /** Pairs of lines, and of instructions: a line of the author's may be many. */
  readonly #lines = new Set<string>();
  readonly #seen = new Map<ErrorCode, Set<number | string>>();
  #count = 0;

  constructor(program: Program) {
    this.#program = program;
  }

  /**
   * Something wrong at an instruction. The launch goes on: what it computes is there beside the report. `args` is asked once for each
   * pair of lines: one mistake may be millions of accesses, and names of threads and memory are long to make.
   */
  add<K extends ErrorCode>(code: K, args: Args<K> | (() => Args<K>), at: number, others: readonly RelatedPoint[] = []): void {
    if (this.#count >= mostCounted || !this.#isNew(code, at, others)) return;
    this.#count += 1;
    const spans = this.#spansOf(at, others);
    const authors = spans.filter((span) => span.note !== inPtxAt);
    const lines = [code, ...authors.map((span) => `${span.file}:${span.line}`)].join(" ");
    if (this.#lines.has(lines)) return;
    this.#lines.add(lines);
    this.#keep(
      () => this.#make(code, typeof args === "function" ? (args as () => Args<K>)() : args, spans),
      consequences.has(code),
    );
  }

  /** The first of its kind: the same instructions may meet millions of times. */
  #isNew(code: ErrorCode, at: number, others: readonly RelatedPoint[]): boolean {
    const [other] = others;
    const isPlain = others.length <= 1 && !other?.program;
    const key = isPlain
      ? at * mostInstructions + (other?.at ?? -1)
      : [at, ...others.map(({ program, at }) => `${program?.name ?? ""} ${at}`)].join(" ");
    let seen = this.#seen.get(code);
    if (!seen) {
      seen = new Set();
      this.#seen.set(code, seen);
    }
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  }

  /** What explains others is kept in their place. */
  #keep(make: () => WarpsmithError, follows: boolean): void {
    if (this.#found.length < most) this.#found.push(make());
    else if (!follows) {
      const last = this.#found.findLastIndex((error) => consequences.has(error.code));
      if (last >= 0) this.#found.splice(last, 1, make());
    }
  }

  #make<K extends ErrorCode>(code: K, args: Args<K>, spans: Spans): WarpsmithError {
    const error = makeError(code, args, spans);
    return this.#program.foreign ? inPtxWords(error) : this.#program.ofLoops ? inLoopsWords(error) : error;
  }

  #spansOf(at: number, others: readonly RelatedPoint[]): Spans {
    const spans: Span[] = [...this.#program.placeOf(at)];
    for (const other of others) {
      const [span] = (other.program ?? this.#program).placeOf(other.at);
      if (span) spans.push({ ...span, note: other.note });
    }
    return spans;
  }

  /** Notes something that is no mistake by itself, but explains an error of one of those codes. `say` is called only if there is such an error. */
  suspect(codes: ReadonlySet<string>, say: () => Suspicion): void {
    this.#suspected.push({ codes, say });
  }

  /** What explains an error of that code; undefined where nothing does. */
  causeOf(code: string): WarpsmithError | undefined {
    const found = this.#suspected.find(({ codes }) => codes.has(code));
    if (!found) return undefined;
    const [name, args, at, others] = found.say();
    return this.#make(name, args as never, this.#spansOf(at, others));
  }

  /** The first one, with the rest as its cause; undefined where nothing was found. */
  error(): WarpsmithError | undefined {
    const found = this.#found;
    const cause = found.flatMap(({ code }) => this.causeOf(code) ?? []).slice(0, 1);
    const all = [...cause, ...found];
    const late = (error: WarpsmithError): boolean => consequences.has(error.code);
    const [first, ...rest] = [...all.filter((error) => !late(error)), ...all.filter(late)];
    if (!first || rest.length === 0) return first;
    const untold = this.#lines.size - found.length;
    const atLeast = this.#count >= mostCounted ? "at least " : "";
    const named = rest.slice(0, shown).map(briefly).join(", ");
    const sentence = `${first.sentence}\n  ${atLeast}${rest.length + untold} more: ${named}${rest.length > shown ? ", …" : ""}`;
    return new WarpsmithError(first.code, sentence, first.fix, first.spans, { cause: new FurtherReports(rest) });
  }
}
