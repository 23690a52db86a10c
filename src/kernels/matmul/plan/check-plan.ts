/** Refuses plans that no kernel can follow: W7613, W7614. */

import { checkOptions, display, optionsOf } from "../../../base/diag/index.ts";
import { fail } from "../../errors.ts";
import { matricesOf, type Problem } from "../problem/problem.ts";
import { planBytes } from "./choose-plan.ts";
import { inputStages, most, mostSums, type Plan, rowsOf, sumsOf } from "./plan.ts";

const isCount = (x: unknown): x is number => typeof x === "number" && Number.isInteger(x) && x >= 1 && x < 2 ** 31;
const isPair = (x: unknown): boolean => Array.isArray(x) && x.length === 2 && x.every(isCount);

const planOptions = optionsOf<Plan>("The plan", {
  tile: true,
  stages: true,
  consumers: true,
  schedule: true,
  cluster: true,
  splits: true,
  group: true,
  order: true,
  wait: true,
  leftFirst: true,
  stores: true,
  buffers: true,
  splitTail: true,
  promotion: true,
  blocks: true,
  unaligned: true,
});

/** A field of a plan, whether it may be what it is, and what it has to be. */
type Requirement = readonly [field: keyof Plan, holds: boolean, expected: string];

const oneOf = (plan: Plan, field: keyof Plan, values: readonly unknown[]): Requirement => [
  field,
  values.includes(plan[field]),
  values.map((value) => display(value)).join(" or "),
];

/** Each field by itself. */
const kindsOfFields = (plan: Plan): readonly Requirement[] => [
  ["tile", isPair(plan.tile), "two whole numbers from 1, [rows, columns]"],
  ["stages", isCount(plan.stages) && plan.stages > 1, "a whole number from 2: one is loaded while another is used"],
  oneOf(plan, "consumers", [1, 2]),
  oneOf(plan, "schedule", ["cooperative", "pingpong"]),
  ["cluster", isPair(plan.cluster), "two whole numbers from 1, [along M, along N]"],
  oneOf(plan, "splits", [1, 2, 4, 8, undefined]),
  ["group", isCount(plan.group), "a whole number from 1"],
  oneOf(plan, "order", ["grouped", "hilbert", undefined]),
  oneOf(plan, "wait", [0, 1]),
  ["leftFirst", plan.leftFirst === undefined || plan.leftFirst === 0 || isCount(plan.leftFirst), "a whole number from 0"],
  oneOf(plan, "stores", ["warpgroup", "warp"]),
  ["buffers", isCount(plan.buffers), "a whole number from 1"],
  oneOf(plan, "splitTail", [false, true]),
  oneOf(plan, "promotion", ["none", "128B", "256B"]),
  ["blocks", isCount(plan.blocks), "a whole number from 1"],
  oneOf(plan, "unaligned", ["copied", "threads", undefined]),
];

/**
 * What fields ask of each other, and of the matrices. A block of a cluster loads whole 8 rows of a swizzle for the others. A consumer that skips
 * the stages of the other one, whose epilogue still reads from the pipeline, must stay within one round of the pipeline: then a parity means one phase.
 * Stages whose right columns are still to come stay taken while the left ones are stored, with the one whose products were left running, and
 * with what the pipeline brings for the left ones.
 */
function fitOfFields(plan: Plan, problem: Problem): readonly Requirement[] {
  const { tile, consumers, schedule, splitTail, blocks, splits = 1, unaligned } = plan;
  const [alongM, alongN] = plan.cluster;
  const halves = splitTail ? 2 : 1;
  const height = 64 * halves * (schedule === "pingpong" ? 1 : consumers);
  const { aMajor, bMajor } = problem;
  const more = inputStages(plan, problem);
  const least = schedule === "pingpong" ? 1 + more : 1;
  const { leftFirst = 0 } = plan;
  const apart = Math.max(0, plan.stages - more - plan.wait);
  const box = tile[0] / halves;
  const [rows, columns] = [8 * halves * alongN, 8 * alongM];
  return [
    ["consumers", schedule !== "pingpong" || consumers === 2, '2 where the schedule is "pingpong": they take turns'],
    ["splitTail", schedule !== "pingpong" || !splitTail, 'false where the schedule is "pingpong"'],
    [
      "leftFirst",
      schedule !== "pingpong" || leftFirst === 0,
      '0 where the schedule is "pingpong": the other consumer multiplies meanwhile',
    ],
    ["leftFirst", leftFirst === 0 || !problem.pair, "0 where two products make one result: an element takes both"],
    ["leftFirst", leftFirst === 0 || leftFirst <= apart, `at most ${apart}: as many stages as the end of a tile has for A and B`],
    ["splits", splits === 1 || alongM * alongN === 1, "1 where blocks of a cluster load for each other"],
    ["splits", splits === 1 || !problem.invariant, "1 where a row's bits must not depend on how many there are"],
    ["splits", splits === 1 || schedule !== "pingpong", '1 where the schedule is "pingpong"'],
    ["splits", splits === 1 || !splitTail, "1 where tiles of the last wave are split along M"],
    ["splits", splits === 1 || leftFirst === 0, "1 where left columns are stored before the right ones are there"],
    ["tile", tile[1] % (16 * splits) === 0, `of a multiple of ${16 * splits} columns, 16 for each part of K`],
    [
      "tile",
      tile[1] % (problem.partColumns ?? 1) === 0,
      `of a multiple of ${problem.partColumns} columns where a row's sums must not depend on how many rows there are`,
    ],
    ["cluster", [1, 2, 4, 8].includes(alongM * alongN), "of 1, 2, 4 or 8 blocks"],
    [
      "cluster",
      unaligned !== "threads" || alongM * alongN === 1,
      '[1, 1] where unaligned is "threads": what threads load stays in their block',
    ],
    ["cluster", alongM === 1 || alongN === 1, "1 along M or along N: what a block loads goes to all others"],
    ["tile", tile[0] % height === 0 && rowsOf(plan) <= 256, `of a multiple of ${height} rows, at most 256 for each consumer`],
    [
      "tile",
      sumsOf(plan, problem) <= mostSums,
      `of at most ${mostSums / matricesOf(problem)} elements for each consumer: its registers hold no more`,
    ],
    ["tile", box <= 256 || box % 256 === 0, `of at most ${256 * halves} rows, or of a multiple of that`],
    ["tile", tile[1] % 16 === 0 && tile[1] <= 256, "of a multiple of 16 columns, at most 256"],
    ["tile", aMajor !== "k" || tile[0] % rows === 0, `of a multiple of ${rows} rows, which the cluster shares out`],
    ["tile", bMajor !== "k" || tile[1] % columns === 0, `of a multiple of ${columns} columns, which the cluster shares out`],
    ["stages", plan.stages >= least, `at least ${least} where consumers take turns and an input comes through the pipeline`],
    ["blocks", blocks % (alongM * alongN * splits) === 0, `whole clusters: a multiple of ${alongM * alongN * splits}`],
  ];
}

function hold(plan: Plan, rules: readonly Requirement[]): void {
  for (const [field, holds, expected] of rules) if (!holds) fail("W7613", { field, given: display(plan[field]), expected });
}

/** A plan of the author's, for that problem. W2601, W2602, W7613, W7614. */
export function checkPlan(plan: Plan, problem: Problem): void {
  checkOptions(plan, planOptions);
  hold(plan, kindsOfFields(plan));
  hold(plan, fitOfFields(plan, problem));
  const bytes = planBytes(plan, problem);
  if (bytes.all > most.sharedBytes) fail("W7614", { ...bytes, stages: plan.stages, limit: most.sharedBytes });
}
