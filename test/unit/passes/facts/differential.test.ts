import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Graph,
  isFloat,
  isInteger,
  isScalar,
  type Literal,
  printGraph,
  type Region,
  type Value,
  verify,
  walkOps,
} from "../../../../src/ir/index.ts";
import { roundTo } from "../../../../src/passes/evaluate/number.ts";
import { type Facts, factsOf } from "../../../../src/passes/facts/index.ts";
import { ofProperty } from "../../../support/amount.ts";
import { integerArgumentsArbitrary, integerGraphArbitrary } from "../../../support/integer-graphs.ts";
import { argumentsArbitrary, graphArbitrary } from "../../../support/ir-arbitrary.ts";
import { type Held, interpret } from "../../../support/ir-interpreter.ts";

/** The special registers of one thread of the second block of five. */
function registersOf(thread: number, [x, y]: readonly [number, number, number]): (name: string) => number {
  const held: Readonly<Record<string, number>> = {
    "tid.x": thread % x,
    "tid.y": Math.floor(thread / x) % y,
    "tid.z": Math.floor(thread / x / y),
    laneid: thread % 32,
    "ctaid.x": 1,
    "nctaid.x": 5,
    "warp.index": Math.floor(thread / 32),
  };
  return (name) => held[name] ?? 0;
}

const asked = [2, 3, 5, 6, 8, 12, 16, 48, 1000, 2 ** 20, 2 ** 31];

/** A literal of an op is rounded to its type when it runs. */
const rounded = ({ type }: Value, literal: Literal): Literal =>
  isScalar(type) && isFloat(type) ? (roundTo(type, Number(literal)) ?? literal) : literal;

/** What is wrong with the facts about a value that holds that. */
function wrong(facts: Facts, value: Value, held: Held): string | undefined {
  const literal = facts.literal(value);
  if (literal !== undefined && !Object.is(rounded(value, literal), held)) return `is not ${literal}`;
  if (!isInteger(value.type)) return undefined;
  const n = BigInt(held);
  const [least, most] = facts.range(value);
  if (n < least || n > most) return `is not from ${least} to ${most}`;
  if (facts.nonNegative(value) && n < 0n) return "is negative";
  const bits = facts.bits(value);
  if (BigInt.asUintN(32, n) & ~BigInt(bits)) return `has more bits than ${bits.toString(2)}`;
  const not = asked.find((by) => n % BigInt(facts.divisor(value, by)) !== 0n);
  return not === undefined ? undefined : `is not a multiple of ${facts.divisor(value, not)}`;
}

/** Runs the graph; every fact holds of every value, in every iteration. */
function holds(graph: Graph, facts: Facts, args: readonly Held[], thread: number): void {
  const observe = (value: Value, held: Held): void => {
    const complaint = wrong(facts, value, held);
    if (complaint) expect.fail(`%${value.id} = ${held} ${complaint}, in\n${printGraph(graph)}`);
  };
  const { block } = graph.launch;
  const threads = block.reduce((n, extent) => n * extent, 1);
  interpret(graph, args, 272, { observe, register: registersOf(thread % threads, block) });
}

function regionNames(graph: Graph): ReadonlyMap<Region, string> {
  const names = new Map([[graph.body, "body"]]);
  walkOps(graph.body, ({ regions }) => {
    for (const region of regions) names.set(region, String(names.size));
  });
  return names;
}

/** What every value holds in one thread, by the iterations of the loops around. */
function traceOf(graph: Graph, args: readonly Held[], thread: number): ReadonlyMap<string, readonly [Value, Held]> {
  const seen = new Map<string, readonly [Value, Held]>();
  const times = new Map<string, number>();
  const names = regionNames(graph);
  let path = "";
  const around: string[] = [];
  const enter = (region: Region): void => {
    around.push(path);
    const inside = `${path}/${names.get(region)}`;
    const count = times.get(inside) ?? 0;
    times.set(inside, count + 1);
    path = `${inside}:${count}`;
  };
  const leave = (): void => {
    path = around.pop() ?? "";
  };
  const observe = (value: Value, held: Held): void => void seen.set(`${path} %${value.id}`, [value, held]);
  interpret(graph, args, 272, { observe, enter, leave, register: registersOf(thread, graph.launch.block) });
  return seen;
}

describe("every fact holds of every value", { timeout: 120_000 }, () => {
  test("of integers, in loops and branches", () => {
    fc.assert(
      fc.property(
        integerGraphArbitrary,
        fc.array(integerArgumentsArbitrary, { minLength: 4, maxLength: 4 }),
        fc.nat(1023),
        (graph, runs, thread) => {
          verify(graph);
          const facts = factsOf(graph);
          for (const args of runs) holds(graph, facts, args, thread);
        },
      ),
      ofProperty(4000, 80),
    );
  });

  test("of threads side by side", () => {
    const sizes = { thread: 1, warp: 32, warpgroup: 128, block: 1024 } as const;
    fc.assert(
      fc.property(integerGraphArbitrary, integerArgumentsArbitrary, fc.nat(1023), fc.nat(1023), (graph, args, a, b) => {
        const facts = factsOf(graph);
        const threads = graph.launch.block.reduce((n, extent) => n * extent, 1);
        const one = a % threads;
        const within = (size: number): number => one - (one % size) + (b % Math.min(size, threads));
        const first = traceOf(graph, args, one);
        for (const other of [within(32), within(128), within(1024)].filter((thread) => thread < threads))
          for (const [key, [value, held]] of traceOf(graph, args, other)) {
            const beside = first.get(key)?.[1];
            const size = sizes[facts.uniformity(value)];
            const together = Math.floor(one / size) === Math.floor(other / size);
            if (together && beside !== undefined && !Object.is(beside, held))
              expect.fail(`%${value.id} is ${beside} in thread ${one} and ${held} in ${other}, in\n${printGraph(graph)}`);
          }
      }),
      ofProperty(4000, 80),
    );
  });

  test("of graphs of all kinds", () => {
    fc.assert(
      fc.property(graphArbitrary, argumentsArbitrary, (graph, args) => holds(graph, factsOf(graph), args, 5)),
      ofProperty(1000, 30),
    );
  });
});
