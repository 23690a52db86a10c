/** What the checks of one launch have found: each pair of lines once. */

import type { ErrorArgs } from "../../diag/define-errors.ts";
import type { catalogue } from "../../diag/index.ts";
import { type ErrorCode, inPtxWords, makeError, type Span, type Spans, WarpsmithError } from "../../diag/index.ts";
import { inPtxAt } from "../../ptx/parse/index.ts";
import type { Program } from "../program/program.ts";

/** After so many the launch ends: what follows is mostly more of the same. */
const most = 16;

/** What mostly comes of something else that is reported as well: told last. */
const consequences: ReadonlySet<string> = new Set(["W9209"]);

/** Of the reports that are not told in full, so many are named. */
const shown = 4;
const briefly = ({ code, spans: [place] }: WarpsmithError): string => (place ? `${code} at ${place.file}:${place.line}` : code);

/** A second place: what stands before it is the note, "the other access is at". */
export interface OtherPlace {
  readonly note: string;
  /** Index of an instruction. */
  readonly at: number;
  /** Of another kernel. */
  readonly program?: Program | undefined;
}

type Args<K extends ErrorCode> = ErrorArgs<typeof catalogue, K>;

/** A report that waits for a reason to be made. */
export type Suspicion = {
  [K in "W9230" | "W9231"]: readonly [code: K, args: Args<K>, at: number, others: readonly OtherPlace[]];
}["W9230" | "W9231"];

export class Reports {
  readonly #program: Program;
  readonly #suspected: { readonly codes: ReadonlySet<string>; readonly say: () => Suspicion }[] = [];
  readonly #found = new Map<string, WarpsmithError>();
  /** By instructions: a line of the author's may be many. */
  readonly #seen = new Set<string>();

  constructor(program: Program) {
    this.#program = program;
  }

  /** Something wrong at an instruction. Throws once there is enough. */
  add<K extends ErrorCode>(code: K, args: Args<K>, at: number, others: readonly OtherPlace[] = []): void {
    const instructions = [code, at, ...others.map((other) => `${other.program?.name ?? ""} ${other.at}`)].join(" ");
    if (this.#seen.has(instructions)) return;
    this.#seen.add(instructions);
    const spans = this.#spansOf(at, others);
    const authors = spans.filter((span) => span.note !== inPtxAt);
    const lines = [code, ...authors.map((span) => `${span.file}:${span.line}`)].join(" ");
    if (this.#found.has(lines)) return;
    this.#found.set(lines, this.#make(code, args, spans));
    if (this.#found.size >= most) throw this.error();
  }

  #make<K extends ErrorCode>(code: K, args: Args<K>, spans: Spans): WarpsmithError {
    const error = makeError(code, args, spans);
    return this.#program.foreign ? inPtxWords(error) : error;
  }

  #spansOf(at: number, others: readonly OtherPlace[]): Spans {
    const spans: Span[] = [...this.#program.placeOf(at)];
    for (const other of others) {
      const [span] = (other.program ?? this.#program).placeOf(other.at);
      if (span) spans.push({ ...span, note: other.note });
    }
    return spans;
  }

  /** Something that is no mistake by itself, and the reason where one of those codes is found. `say` is asked then. */
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
    const found = [...this.#found.values()];
    const cause = found.flatMap(({ code }) => this.causeOf(code) ?? []).slice(0, 1);
    const all = [...cause, ...found];
    const late = (error: WarpsmithError): boolean => consequences.has(error.code);
    const [first, ...rest] = [...all.filter((error) => !late(error)), ...all.filter(late)];
    if (!first || rest.length === 0) return first;
    const sentence = `${first.sentence}\n  ${rest.length} more: ${rest.slice(0, shown).map(briefly).join(", ")}${rest.length > shown ? ", …" : ""}`;
    return new WarpsmithError(first.code, sentence, first.fix, first.spans, { cause: new AggregateError(rest) });
  }
}
