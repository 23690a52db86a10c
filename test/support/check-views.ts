import { WarpsmithError } from "../../src/base/diag/index.ts";
import { type Graph, isInteger, isView, type Region, type Value, verify, walkOps } from "../../src/ir/index.ts";
import { dimensionParts, type Facts, factsOf } from "../../src/passes/facts/index.ts";
import { vectorise } from "../../src/passes/tile-level/vectorise.ts";
import { type Access, type Held, interpret } from "./ir-interpreter.ts";
import { withoutTileLevel } from "./machine-level.ts";
import { Meaning, peerAddress, type Touched, type View } from "./view-meaning.ts";

function fail(message: string): never {
  throw new Error(message);
}

const registers =
  (thread: number) =>
  (name: string): number =>
    name === "laneid" ? thread % 32 : name === "warp.index" ? Math.floor(thread / 32) : 0;

/** What is loaded and stored, in order. A vector begins at a multiple of its bytes, as the hardware asks. */
function accessed(into: Touched[]): (access: Access) => void {
  return ({ kind, address, start, width, value }) => {
    if (start !== address && start % BigInt(width) !== 0n) fail(`${width} bytes at once from byte ${start} on`);
    into.push({ kind, address, ...(value === undefined ? {} : { value }) });
  };
}

/** What surely divides the parts of a view, and which of them are the same, holds of views as they run. */
class Claims {
  private readonly facts: Facts;
  private readonly meaning: Meaning;
  /** What parts of that key are, region by region around. */
  private readonly scopes: Map<string, { readonly held: bigint; readonly of: string }>[] = [new Map()];

  constructor(facts: Facts, meaning: Meaning) {
    this.facts = facts;
    this.meaning = meaning;
  }

  enter(): void {
    this.scopes.push(new Map());
  }
  leave(): void {
    this.scopes.pop();
  }

  see(value: Value, held: Held): void {
    if (isInteger(value.type)) this.same(`${value.id}`, BigInt(held), `%${value.id}`);
    if (!isView(value.type)) return;
    const view = this.meaning.of(held);
    if (!view) return;
    const parts = this.facts.view(value);
    const is = partsOf(view, value);
    if (parts.length !== is.length) fail(`%${value.id} has ${is.length} parts, not ${parts.length}`);
    parts.forEach(({ key, divisor }, n) => {
      const part = is[n] ?? 0n;
      const what = `part ${n} of %${value.id}, which is ${part},`;
      if (n > 0 && (divisor === 0 ? part !== 0n : part % BigInt(divisor) !== 0n)) fail(`${what} is not a multiple of ${divisor}`);
      if (typeof key === "string") this.same(key, part, what);
      else if (BigInt(key) !== part) fail(`${what} is not ${key}`);
    });
  }

  /** Whatever has that key is the same as long as both are there. */
  private same(key: string, held: bigint, of: string): void {
    const before = this.scopes.findLast((scope) => scope.has(key))?.get(key);
    if (before && before.held !== held) fail(`${of} is not ${before.of} although both are ${key}`);
    if (!before) this.scopes.at(-1)?.set(key, { held, of });
  }
}

function partsOf({ base, element, edges }: View, { type }: Value): readonly bigint[] {
  if (!isView(type)) return [];
  const rank = type.space === "global" ? type.dims.length : type.layout.length;
  const start = BigInt(element(Array.from({ length: rank }, () => 0)));
  const dims = edges.flatMap((e) => [e.begin, e.extent, e.stride, e.limit].map(BigInt));
  if (dims.length !== (type.space === "global" ? rank * dimensionParts.count : 0)) fail(`${dims.length} parts of dimensions`);
  return [base, start, ...dims];
}

function meant(graph: Graph, args: readonly Held[], thread: number, claims: (meaning: Meaning) => Claims): readonly Touched[] {
  const meaning = new Meaning(thread);
  const claimed = claims(meaning);
  interpret(graph, args, 272, {
    observe: (value, held) => claimed.see(value, held),
    enter: (_region: Region) => claimed.enter(),
    leave: () => claimed.leave(),
    perform: (op, get) => meaning.perform(op, get),
    access: accessed(meaning.touched),
    register: registers(thread),
  });
  return meaning.touched;
}

function done(graph: Graph, args: readonly Held[], thread: number): readonly Touched[] {
  const touched: Touched[] = [];
  interpret(graph, args, 272, {
    perform: (op, get) => {
      if (op.name === "mapa") return [peerAddress(BigInt(get(op.operands.ptr)), get(op.operands.rank))];
      return op.name === "stmatrix" ? [] : undefined;
    },
    access: accessed(touched),
    register: registers(thread),
  });
  return touched;
}

/** An element of a view that nobody had may be anywhere. */
const agree = (is: Touched | undefined, should: Touched): boolean =>
  is?.kind === should.kind && is.value === should.value && (should.address === undefined || is.address === should.address);

const text = (value: unknown): string => JSON.stringify(value, (_, v) => (typeof v === "bigint" ? `${v}` : v));

function hasUndef(graph: Graph): boolean {
  let has = false;
  walkOps(graph.body, ({ name }) => {
    has ||= name === "view.undef";
  });
  return has;
}

/** Without the tile level; undefined where the author is told that a view is sometimes none. */
function expandedOrRefused(graph: Graph): Graph | undefined {
  try {
    return withoutTileLevel(graph);
  } catch (error) {
    if (error instanceof WarpsmithError && error.code === "W2022" && hasUndef(graph)) return undefined;
    throw error;
  }
}

/** What was run, for who runs it by hand. */
export const counted = { runs: 0, refused: 0, touched: 0 };

/**
 * Runs a graph before its tile level is taken apart, as what its ops mean, and afterwards: the same elements are read and written, in the
 * same order, and what the facts say of each view holds each time that it is there.
 */
export function checkViews(graph: Graph, runs: readonly (readonly Held[])[], thread: number): void {
  verify(graph);
  const wide = vectorise(graph);
  const facts = factsOf(wide);
  const machine = expandedOrRefused(graph);
  if (machine) verify(machine, "machine");
  for (const args of runs) {
    const should = meant(wide, args, thread, (meaning) => new Claims(facts, meaning));
    counted.runs++;
    counted.touched += should.length;
    if (!machine) {
      counted.refused++;
      continue;
    }
    const is = done(machine, args, thread);
    const at = should.findIndex((s, i) => !agree(is[i], s));
    if (at >= 0) fail(`access ${at} is ${text(is[at])} and not ${text(should[at])}`);
    if (is.length !== should.length) fail(`${is.length} accesses and not ${should.length}`);
  }
}
