import { noSpans, placeOnStack, type Span, type Spans } from "../../base/diag/index.ts";
import { type ErrorCode, fail } from "../errors/index.ts";
import { seq } from "../ir/build.ts";
import type { Annotations, Axis, Buffer, Expr, Load, Region, Stmt, Var } from "../ir/types.ts";
import { within } from "../ir/walk.ts";

/** What a block has been told so far. */
export interface OpenBlock {
  readonly name: string;
  readonly axes: readonly Axis[];
  where: Expr | undefined;
  init: Stmt | undefined;
  annotations: Annotations;
  /** What `reads` and `writes` said. */
  readonly told: Told[];
}

/** One `reads(…)` or `writes(…)`. */
export interface Told {
  readonly kind: "reads" | "writes";
  readonly regions: readonly Region[];
  readonly span: Span | undefined;
}

/** One list of statements that is being written. `repeats`: it stands for more than one run of itself. */
export interface Frame {
  readonly what: string;
  readonly parent: Frame | undefined;
  readonly body: Stmt[];
  readonly repeats: boolean;
  /** It holds an expression, and no statements. */
  readonly isExpression: boolean;
  readonly block: OpenBlock | undefined;
  /** The buffers that statements in it write. */
  readonly written: Set<Buffer>;
  /** Buffers of which it uses values that were read before it began, and where. */
  readonly readBefore: Map<Buffer, Spans>;
}

/** What kind of list it is. Default: statements that run once. */
interface FrameKind {
  readonly repeats?: boolean;
  readonly isExpression?: boolean;
  readonly block?: OpenBlock;
}

interface Birth {
  readonly version: number;
  readonly frame: Frame;
}

/** One tracing of one program: the statements so far and where the author's text stands. */
export class Tracing {
  readonly name: string;
  readonly buffers: Buffer[] = [];
  /** What is noted on the whole program. */
  annotations: Annotations = {};
  readonly extents = new Map<Var, Expr>();
  frame: Frame;
  readonly #stack: Span[] = [];
  readonly #versions = new Map<Buffer, number>();
  readonly #births = new WeakMap<Load, Birth>();
  readonly #born = new WeakMap<object, Frame>();

  constructor(name: string) {
    this.name = name;
    this.frame = this.#open("the program", {});
  }

  /** Where the author's text stands now, innermost first. */
  spans(): Spans {
    return this.#stack.toReversed();
  }
  /** The place of the statement that is being written. */
  here(): Span | undefined {
    return this.#stack.at(-1);
  }
  at<T>(span: Span | undefined, run: () => T): T {
    if (!span) return run();
    this.#stack.push(span);
    try {
      return run();
    } finally {
      this.#stack.pop();
    }
  }

  #open(what: string, how: FrameKind, parent?: Frame): Frame {
    const { repeats = false, isExpression = false, block } = how;
    return { what, parent, body: [], repeats, isExpression, block, written: new Set(), readBefore: new Map() };
  }

  /** The statements that `run` writes. */
  inside(what: string, how: FrameKind, run: () => void): Stmt {
    const outer = this.frame;
    const frame = this.#open(what, how, outer);
    this.frame = frame;
    try {
      run();
    } finally {
      this.frame = outer;
    }
    for (const [buffer, spans] of frame.readBefore)
      if (frame.repeats && frame.written.has(buffer)) fail("W5509", { buffer: buffer.name }, spans);
    return seq(...frame.body);
  }

  emit(statement: Stmt): void {
    this.frame.body.push(statement);
  }

  /** A read of a buffer: what it gives is what the buffer holds now. */
  read(load: Load): Load {
    let frame = this.frame;
    while (frame.isExpression && frame.parent) frame = frame.parent;
    this.#births.set(load, { version: this.#versions.get(load.buffer) ?? 0, frame });
    return load;
  }

  /** The expression is computed by the statement that is being written: what it reads must still be there. */
  use(expr: Expr): Expr {
    for (const e of within(expr)) {
      const birth = e.kind === "load" ? this.#births.get(e) : undefined;
      if (e.kind !== "load" || !birth) continue;
      if (birth.version !== (this.#versions.get(e.buffer) ?? 0)) fail("W5509", { buffer: e.buffer.name }, this.spans());
      for (let at: Frame | undefined = this.frame; at && at !== birth.frame; at = at.parent)
        if (!at.readBefore.has(e.buffer)) at.readBefore.set(e.buffer, this.spans());
    }
    return expr;
  }

  /** A statement that is being written changes the buffer. */
  writes(buffer: Buffer): void {
    this.#versions.set(buffer, (this.#versions.get(buffer) ?? 0) + 1);
    for (let at: Frame | undefined = this.frame; at; at = at.parent) at.written.add(buffer);
  }

  /** An object of the author's was made here. */
  born<T>(value: T): T {
    if (typeof value === "object" && value !== null && !this.#born.has(value)) this.#born.set(value, this.frame);
    return value;
  }

  /** What stands around this place and began when the object was there already, so that it may not be changed here. */
  olderThan(value: object): string | undefined {
    const home = this.#born.get(value);
    let outermost: string | undefined;
    for (let at: Frame | undefined = this.frame; at; at = at.parent) {
      if (at === home) return outermost;
      if (at.parent) outermost = at.what;
    }
    return outermost;
  }
}

let current: Tracing | undefined;

/** The program that is being traced; `what` names the author's call for the error outside one. */
export function currentTracing(what: string): Tracing {
  if (!current) fail("W5501", { what }, placeOnStack());
  return current;
}

/** Runs `run` while that program is traced. One program may be made while another is traced. */
export function whileTracing<T>(tracing: Tracing, run: () => T): T {
  const outer = current;
  current = tracing;
  try {
    return run();
  } finally {
    current = outer;
  }
}

export const spansHere = (): Spans => current?.spans() ?? noSpans;

/** Throws the error of that code where the author's text stands now. */
export function failHere<K extends ErrorCode>(code: K, args: Parameters<typeof fail<K>>[1]): never {
  return fail(code, args, spansHere());
}
