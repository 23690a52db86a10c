/** Goes through a graph as the threads of one block do, and counts. */
import { type AnyOp, bitsOf, isScalar, type Op, operandList, type Region, type Value, yielded } from "../../../ir/index.ts";
import { type Active, either, everyone, joined, possibly, repeated, split } from "./active.ts";
import type { Cost, Move } from "./costs.ts";
import { type BlockPlace, registerValue } from "./registers.ts";
import type { Slice } from "./slice.ts";
import { type Doubts, Tally } from "./tally.ts";
import { choose, type Effort, evaluated, inLane, type Known, Lanes } from "./values.ts";

/** What is the same for all blocks. */
export interface Counting {
  readonly slice: Slice;
  readonly threads: number;
  /** Bytes of the box of a tensor map, by the parameter that it is. */
  readonly boxBytes: (parameter: number) => number | undefined;
  /** What is known of the parameters of the kernel, by their ids. */
  readonly parameters: ReadonlyMap<number, Known>;
  readonly doubts: Doubts;
  readonly effort: Effort;
}

/** Iterations that a loop is followed through one by one. */
const mostTrips = 1 << 20;

export class BlockWalk {
  readonly #of: Counting;
  readonly #place: BlockPlace;
  readonly #known: Map<number, Known>;
  #tally = new Tally();

  constructor(of: Counting, place: BlockPlace) {
    this.#of = of;
    this.#place = place;
    this.#known = new Map(of.parameters);
  }

  run(body: Region): Tally {
    this.#region(body, everyone(this.#of.threads));
    return this.#tally;
  }

  #get = ({ id }: Value): Known => this.#known.get(id);
  #set({ id }: Value, known: Known): void {
    this.#known.set(id, known);
  }

  #setAll(values: readonly Value[], known: readonly Known[]): void {
    for (const [i, value] of values.entries()) this.#set(value, known[i]);
  }

  /** Gives who comes out at its end: whoever has not exited. */
  #region(region: Region, active: Active): Active {
    let now = active;
    for (const { op, cost, needed } of this.#of.slice.sitesOf(region)) {
      if (now.sum === 0) return now;
      if (cost) this.#count(op, cost, now);
      if (op.name === "exit") return repeated(now, 0);
      if (op.name === "if") now = this.#branch(op, now);
      else if (op.name === "for") now = this.#counted(op, now);
      else if (op.name === "while") now = this.#loop(op, now);
      else if (needed) for (const result of op.results) this.#set(result, this.#value(op, now));
    }
    return now;
  }

  #value(op: AnyOp, active: Active): Known {
    const { threads, effort } = this.#of;
    switch (op.name) {
      case "const":
        return op.attrs.value;
      case "sreg":
      case "warp.index":
        return registerValue(op.name === "sreg" ? op.attrs.reg : "warp.index", this.#place, threads);
      case "elect.sync":
        return elected(active);
      case "select":
        return choose(this.#get(op.operands.condition), this.#get(op.operands.yes), this.#get(op.operands.no), threads, effort);
      case "shfl":
        return broadcast(this.#get(op.operands.value), this.#get(op.operands.by), op.attrs.mode);
      case "vote":
      case "ptx.pure":
        return undefined;
      default: {
        const type = op.results[0]?.type;
        if (type === undefined || !isScalar(type)) return undefined;
        const operands = operandList(op as Op);
        return operands.length === 0 ? undefined : evaluated(op as Op, operands.map(this.#get), threads, effort);
      }
    }
  }

  #count(op: AnyOp, { together, moves = [], flops, events = {}, pred, opaque }: Cost, all: Active): void {
    const { doubts } = this.#of;
    if (opaque) doubts.add("ptx", op.spans);
    const { active, sure } = pred ? possibly(all, this.#get(pred)) : { active: all, sure: true };
    if (active.sum === 0) return;
    if (!sure) doubts.add("predicate", op.spans);
    const times = active.sum / together;
    if (flops) this.#tally.add(`${flops.unit} ${flops.type}`, times * flops.count);
    for (const name in events) this.#tally.add(name, times * (events[name] as number));
    for (const move of moves) this.#move(op, move, active, times);
  }

  #move(op: AnyOp, { way, by, of, bytes }: Move, active: Active, times: number): void {
    const parameter = this.#of.slice.parameterOf(of);
    this.#tally.add(`${way} ${by} ${parameter ?? "?"}`, this.#bytesMoved(op, parameter, bytes, active, times));
  }

  #bytesMoved(op: AnyOp, parameter: number | undefined, bytes: Move["bytes"], active: Active, times: number): number {
    const { boxBytes, doubts } = this.#of;
    if (typeof bytes === "number") return times * bytes;
    if (bytes === "box") {
      const box = parameter === undefined ? undefined : boxBytes(parameter);
      if (box === undefined) doubts.add("box", op.spans);
      return times * (box ?? 0);
    }
    const known = this.#get(bytes);
    const exact = known instanceof Lanes ? this.#sumOf(known, active) : known === undefined ? undefined : times * Number(known);
    if (exact === undefined) doubts.add("bytes", op.spans);
    // A copy of a thread reads at most what it writes.
    return exact ?? (op.name === "cp.async" ? times * op.attrs.bytes : 0);
  }

  #sumOf({ list }: Lanes, { times }: Active): number | undefined {
    let sum = 0;
    for (let lane = 0; lane < times.length; lane++) {
      if (times[lane] === 0) continue;
      const bytes = list[lane];
      if (bytes === undefined) return undefined;
      sum += Number(bytes) * (times[lane] as number);
    }
    return sum;
  }

  #branch(op: Extract<AnyOp, { name: "if" }>, active: Active): Active {
    const [yes, no] = op.regions as readonly [Region, Region];
    const condition = this.#get(op.operands.condition);
    const ways = split(active, condition);
    if (!ways) return this.#eitherWay(op, yes, no, active, condition);
    const after = [this.#region(yes, ways[0]), this.#region(no, ways[1])] as const;
    op.results.forEach((result, i) => {
      if (!this.#of.slice.isNeeded(result)) return;
      const [a, b] = [yielded(yes)[i], yielded(no)[i]].map((value) => value && this.#get(value));
      const known = ways[0].sum === 0 ? b : ways[1].sum === 0 ? a : choose(condition, a, b, this.#of.threads, this.#of.effort);
      this.#set(result, known);
    });
    return joined(...after);
  }

  /** It is not known which way: the larger of the counts. */
  #eitherWay(op: AnyOp, yes: Region, no: Region, active: Active, condition: Known): Active {
    const before = this.#tally;
    const inside = (region: Region, who: Active): readonly [Tally, Active] => {
      this.#tally = new Tally();
      const after = this.#region(region, who);
      return [this.#tally, after];
    };
    const [a, afterYes] = inside(yes, possibly(active, condition).active);
    const [b, afterNo] = inside(no, active);
    this.#tally = before;
    const most = Tally.most(a, b);
    this.#tally.addAll(most);
    if (most.counts.size > 0) this.#of.doubts.add("branch", op.spans);
    for (const result of op.results) this.#set(result, undefined);
    return either(afterYes, afterNo);
  }

  #counted(op: Extract<AnyOp, { name: "for" }>, active: Active): Active {
    const { start, stop, step, carried } = op.operands;
    const [body] = op.regions as readonly [Region];
    const trips = tripsOf(this.#get(start), this.#get(stop), this.#get(step), this.#of.threads);
    const [index, ...params] = body.params as readonly [Value, ...Value[]];
    if (trips === undefined || this.#of.slice.repeats(op as Op) || this.#of.effort.spent) {
      for (const param of body.params) this.#set(param, undefined);
      if (trips === undefined) this.#of.doubts.add("loop", op.spans);
      const after = this.#region(body, repeated(active, trips ?? 1));
      for (const result of op.results) this.#set(result, undefined);
      return trips === undefined ? after : active;
    }
    let now: readonly Known[] = carried.map(this.#get);
    let going = active;
    let left = repeated(active, 0);
    const most = typeof trips === "number" ? trips : Math.max(0, ...trips);
    for (let trip = 0; trip < most && going.sum > 0; trip++) {
      const goOn = typeof trips === "number" ? true : new Lanes(() => trips.map((n) => trip < n));
      const [inside, done] = split(going, goOn) as readonly [Active, Active];
      left = joined(left, done);
      this.#set(index, this.#indexAt(start, step, trip));
      this.#setAll(params, now);
      going = this.#region(body, inside);
      const next = yielded(body).map(this.#get);
      now = now.map((before, i) => choose(goOn, next[i], before, this.#of.threads, this.#of.effort));
    }
    this.#setAll(op.results, now);
    return joined(left, going);
  }

  #indexAt(start: Value, step: Value, trip: number): Known {
    const [from, by] = [this.#get(start), this.#get(step)];
    const at = (a: unknown, b: unknown): Known =>
      typeof a === "bigint" && typeof b === "bigint" ? a + BigInt(trip) * b : Number(a) + trip * Number(b);
    if (!(from instanceof Lanes) && !(by instanceof Lanes)) return at(from, by);
    const make = () => Array.from({ length: this.#of.threads }, (_, i) => at(inLane(from, i), inLane(by, i)) as number | bigint);
    const narrow = isScalar(start.type) && bitsOf(start.type) <= 32 && from instanceof Lanes && typeof by === "number";
    return narrow ? new Lanes(make, from.low + trip * by, from.high + trip * by) : new Lanes(make);
  }

  #loop(op: Extract<AnyOp, { name: "while" }>, active: Active): Active {
    const [test, body] = op.regions as readonly [Region, Region];
    const last = test.ops.at(-1) as Op<"condition">;
    let now: readonly Known[] = op.operands.carried.map(this.#get);
    let results: readonly Known[] = op.results.map(() => undefined);
    let going = active;
    let left = repeated(active, 0);
    for (let trip = 0; going.sum > 0; trip++) {
      this.#setAll(test.params, now);
      going = this.#region(test, going);
      const goOn = this.#get(last.operands.go);
      const given = last.operands.values.map(this.#get);
      const ways = split(going, goOn);
      if (!ways || trip >= mostTrips || this.#of.effort.spent) return this.#unknownLoop(op, body, joined(left, going));
      results =
        trip === 0 ? given : results.map((before, i) => choose(goOn, before, given[i], this.#of.threads, this.#of.effort));
      left = joined(left, ways[1]);
      if (ways[0].sum === 0) break;
      this.#setAll(body.params, given);
      going = this.#region(body, ways[0]);
      const next = yielded(body).map(this.#get);
      now =
        trip === 0 && ways[1].sum === 0
          ? next
          : next.map((value, i) => choose(goOn, value, now[i], this.#of.threads, this.#of.effort));
    }
    this.#setAll(op.results, results);
    return left;
  }

  /** Once, and said so. */
  #unknownLoop(op: AnyOp, body: Region, active: Active): Active {
    this.#of.doubts.add("loop", op.spans);
    for (const param of body.params) this.#set(param, undefined);
    this.#region(body, active);
    for (const result of op.results) this.#set(result, undefined);
    return active;
  }
}

/** The lowest lane of each warp that is there. */
function elected({ times }: Active): Known {
  return new Lanes(() => {
    const chosen = Array<boolean>(times.length).fill(false);
    for (let first = 0; first < times.length; first += 32) {
      const lane = times.slice(first, first + 32).findIndex((n) => n > 0);
      if (lane >= 0) chosen[first + lane] = true;
    }
    return chosen;
  });
}

/** What all lanes of a warp take from one of them. */
function broadcast(value: Known, by: Known, mode: string): Known {
  if (value === undefined || !(value instanceof Lanes)) return value;
  // Of one block it may be one number.
  const { list } = value;
  if (mode !== "idx" || typeof by !== "number") return undefined;
  return new Lanes(() => list.map((_, lane) => list[(lane & ~31) + (by & 31)]), value.low, value.high);
}

function tripsOf(start: Known, stop: Known, step: Known, threads: number): number | readonly number[] | undefined {
  if (start === undefined || stop === undefined || step === undefined) return undefined;
  const trips = (a: unknown, b: unknown, by: unknown): number => Math.max(0, Math.ceil((Number(b) - Number(a)) / Number(by)));
  if (![start, stop, step].some((bound) => bound instanceof Lanes)) return trips(start, stop, step);
  const list: number[] = [];
  for (let lane = 0; lane < threads; lane++) {
    const bounds = [start, stop, step].map((bound) => inLane(bound, lane));
    if (bounds.includes(undefined)) return undefined;
    list.push(trips(bounds[0], bounds[1], bounds[2]));
  }
  return list;
}
