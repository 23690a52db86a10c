import { clusterIdx, type LaunchIds } from "../launch-ids.ts";
import { first } from "../memory/arith.ts";
import { scalar } from "../scalar.ts";
import { OwnObject } from "../staged.ts";
import { currentTrace } from "../trace.ts";

class Cluster extends OwnObject {
  /** The block's number in its cluster. */
  get rank(): number {
    return scalar(first(currentTrace("cluster.rank").emit("sreg", {}, { reg: "cluster_ctarank" })));
  }
  /** Blocks of a cluster. Static. */
  get size(): number {
    return currentTrace("cluster.size").options.cluster.reduce((n, extent) => n * extent, 1);
  }
  get index(): LaunchIds {
    return clusterIdx;
  }
}

/** The block's cluster: the blocks that reach each other's shared memory. */
export const cluster: { readonly rank: number; readonly size: number; readonly index: LaunchIds } = new Cluster();
