// Runs every pair under many schedules.
//
//   node --import warpsmith/register test/hazards/run.ts [part of a name …] [--seeds 20] [--check strict]
//
// One line for each pair; exit status 1 where a broken one is not reported as its marks say, or a mended one is.
import { parseArgs } from "node:util";
import type { Hazard } from "./hazard.ts";
import { hazards } from "./index.ts";
import type { Schedule, Setting } from "./schedule.ts";
import { judgePair } from "./verdict.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seeds: { type: "string", default: "20" }, check: { type: "string", default: "normal,strict" } },
});

const schedules: readonly Schedule[] = [
  "eager",
  "lazy",
  "torn",
  ...Array.from({ length: Number(values.seeds) }, (_, seed) => seed + 1),
];
const settings = values.check
  .split(",")
  .flatMap((check) => schedules.map((schedule): Setting => ({ check: check as Setting["check"], schedule })));

const chosen = hazards.filter(({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)));

async function run(hazard: Hazard): Promise<boolean> {
  const problems = await judgePair(hazard, settings);
  console.log(problems.length === 0 ? `ok    ${hazard.name}` : `FAIL  ${hazard.name}\n${problems.join("\n\n")}\n`);
  return problems.length === 0;
}

let failed = 0;
for (const hazard of chosen) if (!(await run(hazard))) failed += 1;
console.log(`${chosen.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
