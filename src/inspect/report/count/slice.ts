/** What has to be known of a graph to count what it does: which values decide how often ops run, and where values come from. */
import {
  type AnyOp,
  anyOp,
  deciders,
  type Graph,
  isLoop,
  type Op,
  operandList,
  type Region,
  sources,
  type Value,
} from "../../../ir/index.ts";
import { type Cost, costOf, costValues } from "./costs.ts";

/** An op, and what it costs. */
export interface Site {
  readonly op: AnyOp;
  readonly cost: Cost | undefined;
  /** Some value that it gives decides something. */
  readonly needed: boolean;
}

export interface Slice {
  /** The ops of a region that are looked at; the others neither cost nor decide. */
  readonly sitesOf: (region: Region) => readonly Site[];
  readonly isNeeded: (value: Value) => boolean;
  /** What a loop runs is the same each time, as far as it is counted, and leaves nothing that decides. */
  readonly repeats: (loop: Op) => boolean;
  /** The parameter of the kernel that a pointer or a tensor map goes back to; undefined where there may be several, or none. */
  readonly parameterOf: (value: Value) => number | undefined;
}

/** An op that has the value as a result, or as a parameter of one of its regions. */
type Makers = ReadonlyMap<number, AnyOp>;

function makersOf(body: Region): Makers {
  const makers = new Map<number, AnyOp>();
  const look = (region: Region): void => {
    for (const raw of region.ops) {
      const op = anyOp(raw);
      for (const { id } of op.results) makers.set(id, op);
      for (const inner of op.regions) {
        for (const { id } of inner.params) makers.set(id, op);
        look(inner);
      }
    }
  };
  look(body);
  return makers;
}

/** What ops of a region decide by: conditions, bounds, predicates, numbers of bytes. */
function decidersOf(op: AnyOp): readonly Value[] {
  const cost = costOf(op);
  return [...(op.regions.length > 0 ? deciders(op as Op) : []), ...(cost ? costValues(cost) : [])];
}

function eachOp(region: Region, visit: (op: AnyOp) => void): void {
  for (const raw of region.ops) {
    visit(anyOp(raw));
    for (const inner of raw.regions) eachOp(inner, visit);
  }
}

/** What a value is made of. */
function madeOf(value: Value, makers: Makers): readonly Value[] {
  const op = makers.get(value.id);
  if (!op) return [];
  if (op.regions.length === 0) return operandList(op as Op);
  return [...sources(op as Op, value), ...deciders(op as Op)];
}

function neededIn(body: Region, makers: Makers): ReadonlySet<number> {
  const needed = new Set<number>();
  const left: Value[] = [];
  const need = (value: Value): void => {
    if (needed.has(value.id)) return;
    needed.add(value.id);
    left.push(value);
  };
  eachOp(body, (op) => decidersOf(op).forEach(need));
  for (let value = left.pop(); value; value = left.pop()) madeOf(value, makers).forEach(need);
  return needed;
}

/** Whether some op in the loop decides by what changes from one iteration to the next, or leaves something that decides. */
function changes(loop: Op, needed: ReadonlySet<number>, makers: Makers): boolean {
  if (loop.results.some(({ id }) => needed.has(id))) return true;
  const changed = new Set<number>(loop.regions.flatMap(({ params }) => params.map(({ id }) => id)));
  const isChanged = (values: readonly Value[]): boolean => values.some(({ id }) => changed.has(id));
  let [found, before] = [false, -1];
  const look = (op: AnyOp): void => {
    found ||= op.name === "exit" || isChanged(decidersOf(op));
    for (const value of [...op.results, ...op.regions.flatMap(({ params }) => params)])
      if (isChanged(madeOf(value, makers))) changed.add(value.id);
  };
  while (!found && changed.size > before) {
    before = changed.size;
    for (const region of loop.regions) eachOp(region, look);
  }
  return found;
}

function makeParameterOf({ params }: Graph, makers: Makers): Slice["parameterOf"] {
  const own = new Map(params.map(({ value }, i) => [value.id, i]));
  const handed: ReadonlySet<string> = new Set(["ptr.add", "select"]);
  return (value) => {
    const [found, seen, left] = [new Set<number>(), new Set<number>(), [value]];
    for (let at = left.pop(); at; at = left.pop()) {
      if (seen.has(at.id)) continue;
      seen.add(at.id);
      const parameter = own.get(at.id);
      const op = makers.get(at.id);
      if (parameter !== undefined) found.add(parameter);
      else if (op && op.regions.length > 0) for (const source of sources(op as Op, at)) left.push(source);
      else if (op && handed.has(op.name)) {
        for (const operand of operandList(op as Op)) if (operand.type === value.type) left.push(operand);
      } else return undefined;
    }
    const [only, ...others] = found;
    return others.length === 0 ? only : undefined;
  };
}

/** Looks a graph over. */
export function sliceOf(graph: Graph): Slice {
  const makers = makersOf(graph.body);
  const needed = neededIn(graph.body, makers);
  const known = new Map<Region, readonly Site[]>();
  const repeating = new Map<Op, boolean>();
  const siteOf = (raw: Op): readonly Site[] => {
    const op = anyOp(raw);
    const [cost, isNeeded] = [costOf(op), op.results.some(({ id }) => needed.has(id))];
    return cost || isNeeded || op.regions.length > 0 || op.name === "exit" ? [{ op, cost, needed: isNeeded }] : [];
  };
  return {
    sitesOf: (region) => {
      const sites = known.get(region) ?? region.ops.flatMap(siteOf);
      known.set(region, sites);
      return sites;
    },
    isNeeded: ({ id }) => needed.has(id),
    repeats: (loop) => {
      const answer = repeating.get(loop) ?? (isLoop(loop) && !changes(loop, needed, makers));
      repeating.set(loop, answer);
      return answer;
    },
    parameterOf: makeParameterOf(graph, makers),
  };
}
