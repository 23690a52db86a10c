import type { Hang } from "./hang.ts";
import { barrierInARole } from "./kernels/barrier-in-a-role.ts";
import { clusterBarrierOfARole } from "./kernels/cluster-barrier-of-a-role.ts";
import { flagNobodySets } from "./kernels/flag-nobody-sets.ts";
import { lockNeverReleased } from "./kernels/lock-never-released.ts";
import { lockTakenTwice } from "./kernels/lock-taken-twice.ts";
import { missingArrive } from "./kernels/missing-arrive.ts";
import { missingExpectTx } from "./kernels/missing-expect-tx.ts";
import { namedBarrierCount } from "./kernels/named-barrier-count.ts";
import { neverReleased } from "./kernels/never-released.ts";
import { oneConsumerTooFew } from "./kernels/one-consumer-too-few.ts";
import { oneTileEarly } from "./kernels/one-tile-early.ts";
import { oppositeOrder } from "./kernels/opposite-order.ts";
import { peerGone } from "./kernels/peer-gone.ts";
import { primaryWaitsForSecondary } from "./kernels/primary-waits-for-secondary.ts";
import { tilesOutOfStep } from "./kernels/tiles-out-of-step.ts";
import { tooManyBlocks } from "./kernels/too-many-blocks.ts";
import { waitsForItself } from "./kernels/waits-for-itself.ts";
import { wrongBarrier } from "./kernels/wrong-barrier.ts";
import { wrongBytes } from "./kernels/wrong-bytes.ts";
import { wrongCount } from "./kernels/wrong-count.ts";
import { wrongParity } from "./kernels/wrong-parity.ts";
import { wrongRank } from "./kernels/wrong-rank.ts";

/** Kernels that never end, each for one reason. */
export const hangs: readonly Hang[] = [
  barrierInARole,
  clusterBarrierOfARole,
  flagNobodySets,
  lockNeverReleased,
  lockTakenTwice,
  missingArrive,
  missingExpectTx,
  namedBarrierCount,
  neverReleased,
  oneConsumerTooFew,
  oneTileEarly,
  oppositeOrder,
  peerGone,
  primaryWaitsForSecondary,
  tilesOutOfStep,
  tooManyBlocks,
  waitsForItself,
  wrongBarrier,
  wrongBytes,
  wrongCount,
  wrongParity,
  wrongRank,
];
