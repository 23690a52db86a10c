import { descriptorFacts } from "./descriptor-facts.ts";
import type { Fact } from "./fact.ts";
import { mbarrierFacts } from "./mbarrier-facts.ts";
import { practiceFacts } from "./practice-facts.ts";
import { reductionFacts } from "./reduction-facts.ts";
import { tensorFacts } from "./tensor-facts.ts";
import { warpFacts } from "./warp-facts.ts";

export { type Fact, moduleOf } from "./fact.ts";
export { runFact } from "./run-fact.ts";

export { practiceFacts };
export const allFacts: readonly Fact[] = [
  ...mbarrierFacts,
  ...warpFacts,
  ...practiceFacts,
  ...reductionFacts,
  ...tensorFacts,
  ...descriptorFacts,
];
