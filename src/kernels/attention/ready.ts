import type { DeviceTensor } from "warpsmith";
import { KnownLaunches } from "../common/known-launches.ts";
import { areSame, noTensors } from "../common/tensors.ts";
import { checkData, checkOperands } from "./check.ts";
import type { Asked, Options } from "./options.ts";
import { prepare, type Ready } from "./prepare.ts";
import type { HalfType } from "./problem.ts";

type Heads = DeviceTensor<HalfType, 4>;

/** Launches made before into memory of the author's, by `q`. */
const known = new KnownLaunches<Asked, Ready>(8);

/** Whether a launch was made for the same. Nothing is allocated here: it runs at every call. */
const isAsked = (before: Asked, k: Heads, v: Heads, options: Options): boolean =>
  before.k === k &&
  before.v === v &&
  before.out === options.out &&
  before.causal === options.causal &&
  before.window === options.window &&
  before.scale === options.scale &&
  before.score === options.score &&
  areSame(before.data ?? noTensors, options.data ?? noTensors) &&
  before.mask === options.mask &&
  before.logSumExp === options.logSumExp &&
  before.plan === options.plan &&
  before.overlapPrevious === options.overlapPrevious;

/** The launch that is asked for: one made before for these tensors, or a new one. W7012, W76xx. */
export function readyFor(q: Heads, k: Heads, v: Heads, options: Options): Ready {
  const found = options.out && known.recall(q, (before) => isAsked(before, k, v, options));
  if (found) return found;
  checkOperands(q, k, v);
  checkData(options, q.device);
  // A copy of the tensors' names: theirs is an object that the author may change.
  const data = options.data && Object.freeze({ ...options.data });
  const asked: Asked = { ...options, k, v, ...(data ? { data } : {}) };
  const ready = prepare(q, asked);
  // Memory that is made here is new each time: nobody asks for it again.
  if (options.out) known.remember(q, asked, ready);
  return ready;
}
