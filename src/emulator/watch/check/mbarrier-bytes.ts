/**
 * W9215: a phase that ends though copies that count for it are still under way, because fewer bytes were expected than they bring
 * (HAZARDS 11). A copy counts for the first phase that its thread does not know to be over, so that it is found whenever the
 * copies land.
 */
import type { Listener } from "../../machine/monitor.ts";
import type { Cluster, Warp } from "../../machine/warp.ts";
import type { CheckContext } from "./context.ts";
import { barrierName } from "./names.ts";
import type { LaunchOrder } from "./order/launch-order.ts";
import { knownPhase } from "./order/launch-order.ts";

/** Bytes of one phase. */
interface PhaseBytes {
  expected: number;
  issued: number;
  /** Where the last copy was issued. */
  copyAt: number;
}

/** Phases that are remembered: later copies may still mean them. */
const kept = 4;

class ByteCounts {
  readonly #phases = new Map<number, PhaseBytes>();

  of(phase: number): PhaseBytes {
    let known = this.#phases.get(phase);
    if (!known) {
      known = { expected: 0, issued: 0, copyAt: -1 };
      this.#phases.set(phase, known);
      this.#phases.delete(phase - kept);
    }
    return known;
  }
}

/** Those of the barriers of each cluster, by their address. */
class Counts {
  readonly #clusters = new WeakMap<Cluster, Map<number, ByteCounts>>();

  of(cluster: Cluster, address: number): ByteCounts {
    const all = this.#clusters.get(cluster) ?? new Map<number, ByteCounts>();
    this.#clusters.set(cluster, all);
    const known = all.get(address) ?? new ByteCounts();
    all.set(address, known);
    return known;
  }

  forget(cluster: Cluster, address: number): void {
    this.#clusters.get(cluster)?.delete(address);
  }
}

const currentPhase = (cluster: Cluster, address: number): number => cluster.barriers.barriers.get(address)?.phase ?? 0;

export function mbarrierBytes(c: CheckContext, order: LaunchOrder): Listener {
  const all = new Counts();
  const report = (address: number, phase: number, bytes: number, at: number): void => {
    c.reports.add("W9215", { kernel: c.program.name, barrier: barrierName(address, c), phase, bytes }, at);
  };
  const issue = (warp: Warp, address: number, bytes: number): void => {
    const { cluster } = warp.block;
    const current = currentPhase(cluster, address);
    const phase = Math.min(current, (knownPhase(order, warp, address) ?? current - 1) + 1);
    const counts = all.of(cluster, address).of(phase);
    counts.issued += bytes;
    counts.copyAt = warp.at;
    const surplus = counts.issued - counts.expected;
    if (phase < current && surplus > 0) report(address, phase, Math.min(surplus, bytes), warp.at);
  };
  return {
    mbarrierInits: (warp, _mask, address) => all.forget(warp.block.cluster, address),
    mbarrierExpects(warp, _lane, address, bytes) {
      const { cluster } = warp.block;
      if (bytes < 0) issue(warp, address, -bytes);
      else all.of(cluster, address).of(currentPhase(cluster, address)).expected += bytes;
    },
    transferIssues(warp, _lane, { completion, bytes }) {
      if ("barrier" in completion) issue(warp, completion.barrier, bytes);
    },
    mbarrierCompletes(cluster, address, phase) {
      const { issued, expected, copyAt } = all.of(cluster, address).of(phase);
      if (issued > expected) report(address, phase, issued - expected, copyAt);
    },
  };
}
