/** What the checks of one launch have found: each pair of lines once. */

import { inLoopsWords, inPtxWords, type Span, type Spans, WarpsmithError } from "../../base/diag/index.ts";
import { getOrMake } from "../../base/get-or-make.ts";
import { inPtxAt } from "../../ptx/parse/index.ts";
import { type ErrorCode, makeError } from "../errors/index.ts";
import type { Program } from "../program/program.ts";

/** So many are kept; what follows is mostly more of the same, and counted: up to that. */
const most = 16;
const mostCounted = 1000;
/** More than a kernel has. */
const mostInstructions = 2 ** 26;

/** Errors that others mostly follow from, which are reported, too. They come first. */
const origins: ReadonlySet<string> = new Set(["W9226", "W9247"]);
/** Errors that mostly follow from another one. They come last. */
const consequences: ReadonlySet<string> = new Set(["W9209"]);
const rank = ({ code }: WarpsmithError): number => (origins.has(code) ? 0 : consequences.has(code) ? 2 : 1);

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

type Args<K extends ErrorCode> = Parameters<typeof makeError<K>>[1];

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

/**
 * What becomes of what the manual does not promise and practice tolerates (docs/decisions/0008): nothing is said, a warning, or a report.
 */
export type Tolerance = "ignore" | "warn" | "report";

/** A report that waits for a reason to be made. */
export type Suspicion = {
  [K in CauseCode]: readonly [code: K, args: Args<K>, at: number, others: readonly RelatedPoint[]];
}[CauseCode];
type CauseCode = "W9230" | "W9231" | "W9248";

/** Errors of one kind, or warnings. */
class Found {
  /** By their code and the author's lines, as many as are kept. */
  readonly all = new Map<string, WarpsmithError>();
  /** Pairs of lines, and of instructions: a line of the author's may be many. */
  readonly #lines = new Set<string>();
  readonly #seen = new Map<ErrorCode, Set<number | string>>();
  #count = 0;

  get isFull(): boolean {
    return this.#count >= mostCounted;
  }
  /** Those that are not kept. */
  get untold(): number {
    return this.#lines.size - this.all.size;
  }

  /** The first of its kind: the same instructions may meet millions of times. */
  isNew(code: ErrorCode, at: number, others: readonly RelatedPoint[]): boolean {
    if (this.isFull) return false;
    const [other] = others;
    const isPlain = others.length <= 1 && !other?.program;
    const key = isPlain
      ? at * mostInstructions + (other?.at ?? -1)
      : [at, ...others.map(({ program, at }) => `${program?.name ?? ""} ${at}`)].join(" ");
    const seen = getOrMake(this.#seen, code, () => new Set());
    if (seen.has(key)) return false;
    seen.add(key);
    this.#count += 1;
    return true;
  }

  /** What explains others is kept in their place. */
  keep(lines: string, code: ErrorCode, make: () => WarpsmithError): void {
    if (this.#lines.has(lines)) return;
    this.#lines.add(lines);
    if (this.all.size >= most) {
      const last = consequences.has(code) ? undefined : [...this.all].findLast(([, error]) => consequences.has(error.code));
      if (!last) return;
      this.all.delete(last[0]);
    }
    this.all.set(lines, make());
  }
}

export class Reports {
  readonly #program: Program;
  readonly #tolerance: Tolerance;
  readonly #suspected: { readonly codes: ReadonlySet<string>; readonly say: () => Suspicion }[] = [];
  readonly #errors = new Found();
  readonly #warnings = new Found();

  constructor(program: Program, tolerance: Tolerance) {
    this.#program = program;
    this.#tolerance = tolerance;
  }

  /**
   * Something wrong at an instruction. The launch goes on, and its results can be read beside the report. `args` is called once for each
   * pair of lines: one mistake may be millions of accesses, and names of threads and memory are long to make.
   */
  add<K extends ErrorCode>(code: K, args: Args<K> | (() => Args<K>), at: number, others: readonly RelatedPoint[] = []): void {
    this.#find(this.#errors, code, args, at, others);
  }

  /** The same of what practice tolerates. */
  tolerate<K extends ErrorCode>(...[code, args, at, others = []]: Parameters<typeof this.add<K>>): void {
    if (this.#tolerance !== "ignore")
      this.#find(this.#tolerance === "warn" ? this.#warnings : this.#errors, code, args, at, others);
  }

  #find<K extends ErrorCode>(
    found: Found,
    code: K,
    args: Args<K> | (() => Args<K>),
    at: number,
    others: readonly RelatedPoint[],
  ): void {
    if (!found.isNew(code, at, others)) return;
    const spans = this.#spansOf(at, others);
    const authors = spans.filter((span) => span.note !== inPtxAt);
    const lines = [code, ...authors.map((span) => `${span.file}:${span.line}`)].join(" ");
    found.keep(lines, code, () => this.#make(code, typeof args === "function" ? (args as () => Args<K>)() : args, spans));
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
    // Of one code, by `Suspicion`; in a union of pairs TypeScript loses what goes with what.
    return this.#make(name, args as never, this.#spansOf(at, others));
  }

  /** What practice tolerates, without what is an error at the same lines. The last one says how many are not kept. */
  warnings(): readonly WarpsmithError[] {
    const found = [...this.#warnings.all].flatMap(([lines, warning]) => (this.#errors.all.has(lines) ? [] : [warning]));
    const { untold, isFull } = this.#warnings;
    const last = found.at(-1);
    if (!last || untold === 0) return found;
    const sentence = `${last.sentence}\n  ${isFull ? "at least " : ""}${untold} more in this launch`;
    return [...found.slice(0, -1), new WarpsmithError(last.code, sentence, last.fix, last.spans)];
  }

  /** The first one, with the rest as its cause; undefined where nothing was found. */
  error(): WarpsmithError | undefined {
    const found = [...this.#errors.all.values()];
    const cause = found.flatMap(({ code }) => this.causeOf(code) ?? []).slice(0, 1);
    const all = [...cause, ...found];
    const [first, ...rest] = all.sort((a, b) => rank(a) - rank(b));
    if (!first || rest.length === 0) return first;
    const { untold, isFull } = this.#errors;
    const atLeast = isFull ? "at least " : "";
    const named = rest.slice(0, shown).map(briefly).join(", ");
    const sentence = `${first.sentence}\n  ${atLeast}${rest.length + untold} more: ${named}${rest.length > shown ? ", …" : ""}`;
    return new WarpsmithError(first.code, sentence, first.fix, first.spans, { cause: new FurtherReports(rest) });
  }
}
