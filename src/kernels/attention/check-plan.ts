/** Refuses plans that no kernel can follow: W7613, W7646. */

import { checkOptions, display, optionsOf } from "../../base/diag/index.ts";
import { fail } from "../errors.ts";
import type { MaskBlock } from "./mask/list.ts";
import { mostBytes, mostKeys, type Plan, planBytes, ROWS } from "./plan.ts";

const planOptions = optionsOf<Plan>("The plan", {
  consumers: true,
  keys: true,
  stages: true,
  turns: true,
  overlap: true,
  slack: true,
  persistent: true,
  group: true,
});

const isCount = (x: unknown): x is number => typeof x === "number" && Number.isInteger(x) && x >= 1 && x < 2 ** 31;

/** A field of a plan, whether it may be what it is, and what it has to be. */
type Requirement = readonly [field: keyof Plan, holds: boolean, expected: string];

const flag = (plan: Plan, field: keyof Plan): Requirement => [field, typeof plan[field] === "boolean", "true or false"];

/** What each field may hold. */
const kindsOfFields = (plan: Plan): readonly Requirement[] => [
  ["consumers", [1, 2, 3, 4].includes(plan.consumers), "1, 2, 3 or 4"],
  ["keys", isCount(plan.keys) && plan.keys % 16 === 0 && plan.keys <= 256, "a multiple of 16, at most 256"],
  ["stages", isCount(plan.stages), "a whole number from 1"],
  flag(plan, "turns"),
  flag(plan, "overlap"),
  ["slack", typeof plan.slack === "number" && plan.slack >= 0 && plan.slack <= 12, "a number from 0 to 12"],
  flag(plan, "persistent"),
  ["group", isCount(plan.group), "a whole number from 1"],
];

/** What fields ask of each other, and of the heads. */
const fitOfFields = (plan: Plan, dv: number): readonly Requirement[] => [
  [
    "keys",
    plan.keys <= mostKeys(plan.consumers, dv),
    `at most ${mostKeys(plan.consumers, dv)} with ${plan.consumers} consumers and values of ${dv}: registers hold no more`,
  ],
  ["turns", plan.consumers > 1 || !plan.turns, "false where one consumer is alone"],
  [
    "stages",
    plan.stages > 1 || !plan.overlap,
    "at least 2 where products overlap: scores of a block are multiplied before the one before it is done",
  ],
];

/** What a mask asks of a plan. */
const fitOfMask = (plan: Plan, block: MaskBlock): readonly Requirement[] => [
  [
    "consumers",
    block.queries % (plan.consumers * ROWS) === 0,
    `a divisor of ${block.queries / ROWS} with a mask of blocks of ${block.queries} queries, ${ROWS} for each consumer`,
  ],
  ["keys", block.keys % plan.keys === 0, `a divisor of ${block.keys} with a mask of blocks of ${block.keys} keys`],
];

/** Heads of which size. */
interface Asked {
  readonly d: number;
  readonly dv: number;
  /** Blocks of the mask, where there is one. */
  readonly block: MaskBlock | undefined;
}

function hold(plan: Plan, rules: readonly Requirement[]): void {
  for (const [field, holds, expected] of rules) if (!holds) fail("W7613", { field, given: display(plan[field]), expected });
}

/** A plan of the author's, for heads of that size. W2601, W2602, W7613, W7646. */
export function checkPlan(plan: Plan, sizes: Asked): void {
  checkOptions(plan, planOptions);
  hold(plan, kindsOfFields(plan));
  hold(plan, fitOfFields(plan, sizes.dv));
  if (sizes.block) hold(plan, fitOfMask(plan, sizes.block));
  const { stage, queries, all } = planBytes(plan, sizes);
  const { stages, consumers } = plan;
  if (all > mostBytes) fail("W7646", { all, limit: mostBytes, stages, stage, consumers, queries });
}
