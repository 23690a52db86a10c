/** W9214 and W9219: waits that take one phase for another, and mbarriers that are given up too early. */
import { getOrMake } from "../../../base/get-or-make.ts";
import { traitsOf } from "../../../ptx/parse/index.ts";
import type { Listener } from "../../machine/monitor.ts";
import type { Cluster, Warp } from "../../machine/warp.ts";
import type { CheckContext } from "./context.ts";
import { hex, threadName, warpName } from "./names.ts";
import type { LaunchOrder } from "./order/launch-order.ts";
import { knownPhase } from "./order/launch-order.ts";

/** States of arrivals: phase * 2 ** 20 + pending. */
const stateUnit = 2 ** 20;

/** What a warp has done at the barriers of its cluster, by their address. */
interface Visits {
  /** The last phase that it has seen end or, having arrived in the next one, must know to be over. */
  readonly seen: Map<number, number>;
  /** The wait that was refused last: where it stands. */
  readonly refused: Map<number, number>;
}

class PhaseWatch {
  readonly #c: CheckContext;
  readonly #order: LaunchOrder;
  readonly #visits = new WeakMap<Warp, Visits>();
  readonly #told = new Set<number>();

  constructor(c: CheckContext, order: LaunchOrder) {
    this.#c = c;
    this.#order = order;
  }

  #of(warp: Warp): Visits {
    return getOrMake(this.#visits, warp, () => ({ seen: new Map(), refused: new Map() }));
  }

  /** Whatever happened at that address before was at another barrier. */
  begin(cluster: Cluster, address: number): void {
    for (const warp of cluster.warps) {
      this.#visits.get(warp)?.seen.delete(address);
      this.#visits.get(warp)?.refused.delete(address);
    }
  }

  sees(warp: Warp, address: number, phase: number): void {
    const { seen } = this.#of(warp);
    if (phase > (seen.get(address) ?? -1)) seen.set(address, phase);
  }

  known(warp: Warp, address: number): number {
    return Math.max(this.#of(warp).seen.get(address) ?? -1, knownPhase(this.#order, warp, address) ?? -1);
  }

  waits(warp: Warp, address: number, current: number, passed: boolean): void {
    const { refused } = this.#of(warp);
    if (passed) refused.delete(address);
    else refused.set(address, warp.at);
    if (passed) this.sees(warp, address, current - 1);
  }

  /**
   * The phase that a parity means is the first one of that parity after all that the warp knows to be over, by its own waits or
   * by what others have passed on: whoever skips waits in good order knows. Whoever knows of none and asks for parity 1 means the
   * phase before the first, as producers do. Once the phase after the one meant is over as well, the answer is about another.
   */
  checkParity(warp: Warp, lane: number, address: number, current: number, parity: number): void {
    if (current < 2 || this.#told.has(warp.at)) return;
    const next = this.known(warp, address) + 1;
    const meant = (next & 1) === parity ? next : next + 1;
    if (next === 0 && parity === 1) return;
    if (current > meant + 1) this.#report(warp, lane, address, meant, current);
  }

  /** By the state of an arrival only its phase and the next one may be looked at (PTX ISA 9.7.13.15.16). */
  checkState(warp: Warp, lane: number, address: number, current: number, asked: number): void {
    if (current > asked + 1 && !this.#told.has(warp.at)) this.#report(warp, lane, address, asked, current);
  }

  #report(warp: Warp, lane: number, address: number, asked: number, current: number): void {
    this.#told.add(warp.at);
    const args = { kernel: this.#c.program.name, who: threadName(warp, lane), barrier: hex(address), asked, current };
    this.#c.reports.add("W9214", args, warp.at);
  }

  /** Nobody may be waiting still. */
  checkWaiters(warp: Warp, lane: number, address: number): boolean {
    const { steps } = this.#c.program;
    for (const other of warp.block.cluster.warps) {
      const at = this.#visits.get(other)?.refused.get(address);
      if (at === undefined || !other.splits.some((split) => steps[split.pc]?.instruction.index === at)) continue;
      this.invalid(warp, lane, address, `while ${warpName(other)} waits there`, at);
      return false;
    }
    return true;
  }

  invalid(warp: Warp, lane: number, address: number, why: string, other: number | undefined): void {
    const args = { kernel: this.#c.program.name, who: threadName(warp, lane), barrier: hex(address), why };
    this.#c.reports.add("W9219", args, warp.at, other === undefined ? [] : [{ note: "see also", at: other }]);
  }
}

const lowest = (mask: number): number => 31 - Math.clz32(mask & -mask);

export function mbarrierPhases(c: CheckContext, order: LaunchOrder): Listener {
  const watch = new PhaseWatch(c, order);
  /** The last phase in which copies were to complete, and where the last was issued. */
  const copies = new WeakMap<Cluster, Map<number, { readonly phase: number; readonly at: number }>>();
  const copiesTo = (cluster: Cluster) => {
    const known = copies.get(cluster) ?? new Map<number, { phase: number; at: number }>();
    copies.set(cluster, known);
    return known;
  };
  return {
    mbarrierInits(warp, _mask, address) {
      watch.begin(warp.block.cluster, address);
      copiesTo(warp.block.cluster).delete(address);
    },
    mbarrierArrives: (warp, _lane, address, phase) => watch.sees(warp, address, phase - 1),
    mbarrierWaits(warp, mask, address, phase, passed, i, asked) {
      // A relaxed one orders no memory (PTX ISA 9.7.13.15.16): what is touched on its word is a race, and is told of as one.
      if (i.opcode.modifiers.order === "relaxed") return;
      if (traitsOf(i).phase === "parity") watch.checkParity(warp, lowest(mask), address, phase, asked & 1);
      else watch.checkState(warp, lowest(mask), address, phase, Math.floor(asked / stateUnit));
      watch.waits(warp, address, phase, passed);
    },
    transferIssues(warp, _lane, { completion }) {
      if (!("barrier" in completion)) return;
      const phase = warp.block.cluster.barriers.barriers.get(completion.barrier)?.phase ?? 0;
      copiesTo(warp.block.cluster).set(completion.barrier, { phase, at: warp.at });
    },
    mbarrierInvalidates(warp, lane, address) {
      if (!watch.checkWaiters(warp, lane, address)) return;
      const last = copiesTo(warp.block.cluster).get(address);
      if (!last || watch.known(warp, address) >= last.phase) return;
      watch.invalid(warp, lane, address, `before it has seen the end of phase ${last.phase}, which copies complete`, last.at);
    },
  };
}
