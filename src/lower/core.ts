import type { coreOps } from "../ir/ops/core.ts";
import { arithmeticRules } from "./arithmetic.ts";
import type { RuleOf } from "./context.ts";
import { controlRules } from "./control.ts";
import { convertRules } from "./convert.ts";
import { logRules } from "./log.ts";
import { logicRules } from "./logic.ts";
import { threadRules } from "./thread.ts";

export const coreRules = {
  ...arithmeticRules,
  ...logicRules,
  ...threadRules,
  ...controlRules,
  ...logRules,
  ...convertRules,
} satisfies { [K in keyof typeof coreOps]: RuleOf<K> };
