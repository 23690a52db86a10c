/** What has failed on a device, what did not run because of it, and who is told. */

import { type Spans, WarpsmithError } from "../../base/diag/index.ts";
import type { BackendStream } from "../../runtime/index.ts";
import { makeError } from "../errors/index.ts";

/** Of errors that come together so many are kept; the others are counted. */
const mostKept = 16;
/** So many of them are named. */
const mostNamed = 4;

/** A launch that did not run because of a failure. */
interface Skipped {
  readonly error: WarpsmithError;
  readonly kernel: string;
}

/** A launch that has failed, or something else that a device was to do. */
export class Failure {
  readonly error: unknown;
  /** What did: a kernel, where it was a launch. */
  readonly what: string;
  readonly issued: number;
  readonly #stream: BackendStream | undefined;
  told: number | undefined;
  /** Launches that did not run because of it: the first of them, and how many. */
  skipped: readonly Skipped[] = [];
  skips = 0;
  readonly #streams = new Set<BackendStream>();

  /** `issued`: the number of its task. */
  constructor(error: unknown, what: string, stream: BackendStream | undefined, issued = Number.POSITIVE_INFINITY) {
    this.error = error;
    this.what = what;
    this.issued = issued;
    this.#stream = stream;
  }

  /** `why` is asked of the first of them. */
  skip(kernel: string, stream: BackendStream, why: () => WarpsmithError): void {
    this.skips += 1;
    this.#streams.add(stream);
    if (this.skipped.length < mostKept) this.skipped = [...this.skipped, { kernel, error: why() }];
  }

  /** Whether a stream has something to hear of. */
  concerns(stream: BackendStream): boolean {
    return this.#stream === stream || this.#streams.has(stream);
  }
}

/** "inc at main.ts:12", each once. */
function named(errors: readonly { readonly name: string; readonly error: unknown }[]): string {
  const names = errors.map(({ name, error }) => {
    const place = error instanceof WarpsmithError ? error.spans[0] : undefined;
    return place ? `${name} at ${place.file}:${place.line}` : name;
  });
  const different = [...new Set(names)];
  return `${different.slice(0, mostNamed).join(", ")}${different.length > mostNamed ? ", …" : ""}`;
}

const codeOf = (error: unknown): string => (error instanceof WarpsmithError ? error.code : "an error");
const launches = (count: number): string => (count === 1 ? "1 launch" : `${count} launches`);

/** What the one who waits is told of several: the first, and the others behind it. */
function together(failures: readonly Failure[]): unknown {
  const errors = failures.map(({ error }) => ({ name: codeOf(error), error }));
  const skipped = failures.flatMap((failure) => failure.skipped.map(({ kernel, error }) => ({ name: kernel, error })));
  const skips = failures.reduce((sum, failure) => sum + failure.skips, 0);
  const [first, ...rest] = [...errors, ...skipped].map(({ error }) => error);
  if (rest.length === 0) return first;
  const failed = errors.slice(1);
  const others = rest.slice(0, mostKept);
  if (!(first instanceof WarpsmithError)) return new AggregateError([first, ...others], String(first));
  const lines = [
    ...(failed.length > 0 ? [`  ${failed.length} more failed: ${named(failed)}`] : []),
    ...(skips > 0 ? [`  ${launches(skips)} behind did not run: ${named(skipped)}`] : []),
  ];
  const known =
    first.cause instanceof AggregateError ? (first.cause.errors as unknown[]) : first.cause === undefined ? [] : [first.cause];
  const cause = new AggregateError([...known, ...others]);
  return new WarpsmithError(first.code, [first.sentence, ...lines].join("\n"), first.fix, first.spans, { cause });
}

/** What has failed on a device and nobody has been told of. */
export class Failures {
  readonly #untold = new Set<Failure>();
  readonly #issued: () => number;
  /** The number of the first task after the last report. */
  #reported = 0;

  /** `issued`: how many tasks there have been. */
  constructor(issued: () => number) {
    this.#issued = issued;
  }

  add(failure: Failure): void {
    this.#untold.add(failure);
  }

  /** A launch did not run because of that failure. Gives what is to be told of it: that failure; where somebody has heard of that already, one of its own. */
  skip(failure: Failure, kernel: string, stream: BackendStream, issued: number, why: () => WarpsmithError): Failure {
    if (failure.told === undefined) {
      failure.skip(kernel, stream, why);
      return failure;
    }
    const own = new Failure(why(), kernel, stream, issued);
    this.add(own);
    return own;
  }

  /** What one who waits for a stream, or for all, is to be told, once; undefined: nothing has failed. */
  tell(stream?: BackendStream): unknown {
    return this.#tell([...this.#untold].filter((failure) => !stream || failure.concerns(stream)));
  }

  /** The same of what had been issued when a failure was reported last: its author has not gone on since. */
  tellBehind(): unknown {
    return this.#tell([...this.#untold].filter(({ issued }) => issued < this.#reported));
  }

  /** Why bytes are not read that it has left in doubt: itself, if nobody has been told of it. */
  refusal(failure: Failure, place: () => Spans): unknown {
    if (failure.told === undefined) return this.#tell([failure]);
    const { what: failed, error } = failure;
    return makeError("W7531", { failed, code: codeOf(error) }, place(), { cause: error });
  }

  clear(): void {
    this.#untold.clear();
  }

  #tell(failures: readonly Failure[]): unknown {
    const error = together(failures);
    if (failures.length > 0) this.#reported = this.#issued();
    for (const failure of failures) {
      failure.told = this.#issued();
      this.#untold.delete(failure);
    }
    return error;
  }
}

/** Of a launch that takes memory that a failure has left in doubt. `name`: what its author calls the memory. */
export function skippedError(kernel: string, name: string | undefined, of: Failure, spans: Spans): WarpsmithError {
  return makeError("W7530", { kernel, name, failed: of.what, code: codeOf(of.error) }, spans, { cause: of.error });
}
