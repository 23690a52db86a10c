import { optionsOf } from "../../base/diag/index.ts";
import type { SharedView } from "../memory/index.ts";
import { SharedViewObject } from "../memory/shared-view.ts";
import { checkOptionsHere, describe } from "../numbers/describe.ts";
import { type Mbarrier, MbarrierObject, readRank } from "../sync/index.ts";
import { failHere } from "../trace/fail-here.ts";
import { scalar } from "../trace/scalar.ts";
import { ownMethods } from "../trace/staged.ts";
import { currentTrace } from "../trace/trace.ts";
import { Collective, type CollectiveMethod } from "./collective.ts";
import { clusterIdx, type LaunchIds } from "./launch-ids.ts";

interface ArriveOptions {
  /** True: what was written before is not made visible by the barrier (`.relaxed`). Default false (`.release`). */
  relaxed?: boolean;
}
const arriveOptions = optionsOf<ArriveOptions>("cluster.arrive()", { relaxed: true });

class Cluster extends Collective {
  constructor() {
    super("cluster");
  }

  /** The block's number in its cluster, from 0 on. PTX `%cluster_ctarank`; CUDA `cluster.block_rank()`. */
  get rank(): number {
    return scalar(currentTrace("cluster.rank").once("sreg", {}, { reg: "cluster_ctarank" }));
  }
  /** Blocks of a cluster. Static. */
  get size(): number {
    return currentTrace("cluster.size").options.launch.cluster.reduce((n, extent) => n * extent, 1);
  }
  /** The cluster's position in the grid, counted in clusters. PTX `%clusterid`. */
  get index(): LaunchIds {
    return clusterIdx;
  }

  /** Arrives at the barrier of the cluster; `relaxed`: what was written before is not passed on. Once before each `wait`. PTX ISA 9.7.13.3. */
  arrive(options: ArriveOptions = {}): void {
    const trace = currentTrace("cluster.arrive");
    checkOptionsHere(options, arriveOptions);
    trace.emit("barrier.cluster.arrive", {}, { order: options.relaxed ? "relaxed" : "release" });
  }
  /** Waits until every thread of the cluster has arrived, and sees what those have written that were not `relaxed`. */
  wait(): void {
    currentTrace("cluster.wait").emit("barrier.cluster.wait", {}, {});
  }
  /** Every thread of the cluster meets here: before the first use of a peer's shared memory, and after the last. */
  sync(): void {
    this.arrive();
    this.wait();
  }

  /**
   * The same object in the shared memory of block `rank` of the cluster: a view whose elements are loaded, stored and updated there, or an
   * mbarrier to arrive at. Between `sync()` after the object's first use there and `sync()` before that block ends. PTX ISA 9.7.9.24. W3025,
   * W3028, W5008.
   */
  map<T extends SharedView | Mbarrier>(object: T, rank: number): T {
    const trace = currentTrace("cluster.map");
    if (object instanceof SharedViewObject || object instanceof MbarrierObject)
      return object.ofBlock(trace, readRank(trace, rank)) as T;
    const allowed = "a view of this block's shared memory, or one of its mbarriers";
    return failHere("W3025", { what: "what cluster.map maps", given: describe(object), allowed });
  }
}
ownMethods(Cluster);

/**
 * The block's cluster: the blocks that reach each other's shared memory.
 *
 * @example
 * ```ts
 * const swap = kernel({ block: 32, grid: 2, cluster: 2 }, (y: Tensor<"i32", 2>) => {
 *   const own = sharedMemory.alloc("i32", [32]);
 *   own[threadIdx.x] = cluster.rank;
 *   cluster.sync();
 *   const peer = cluster.map(own, 1 - cluster.rank);
 *   y.at(cluster.rank, threadIdx.x).store(peer[threadIdx.x]!);
 *   cluster.sync(); // no block ends while another reads its memory
 * });
 *
 * await using gpu = await openDevice();
 * swap.launch({}, gpu.zeros("i32", [2, 32]));
 * ```
 */
export const cluster: Pick<Cluster, "rank" | "size" | "index" | "arrive" | "wait" | "sync" | "map" | CollectiveMethod> =
  new Cluster();
