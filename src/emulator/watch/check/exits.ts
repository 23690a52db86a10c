/**
 * What threads leave behind (HAZARDS 24, 25). W9216: bulk stores whose sources may still be read, `cp.async`, and copies into the
 * shared memory of a block that nobody has waited for. W9220: waits that cannot cover a copy, because it is not committed: where
 * it never is, or where thread after wait for nothing waits for nothing again. A pipeline may start a copy, wait for older ones
 * and commit it then.
 */
import type { GroupKind, Listener } from "../../machine/monitor.ts";
import type { Cluster, Warp } from "../../machine/warp.ts";
import { type CheckContext, inPractice } from "./context.ts";
import { GroupLedger } from "./group-ledger.ts";
import { blockName, hex, threadName } from "./names.ts";

/** Where a copy was issued. */
type CopyAt = number;

/** The copies of one thread, of one kind. */
interface Copies {
  readonly ledger: GroupLedger<CopyAt>;
  /** A wait with a copy that was not committed: still open. */
  doubt: { readonly waitAt: number; readonly copyAt: CopyAt; readonly forNothing: boolean } | undefined;
}

/** A copy that an mbarrier of the block tells of. */
interface Load {
  readonly rank: number;
  readonly barrier: number;
  readonly phase: number;
  readonly at: CopyAt;
}

const kinds: readonly GroupKind[] = ["bulk", "copy"];
const copyNames: Readonly<Record<GroupKind, string>> = { bulk: "bulk stores", copy: "cp.async copies" };

class Outstanding {
  readonly #c: CheckContext;
  /** By warp, then 2 * lane, and one more for `cp.async`. */
  readonly #copies = new Map<Warp, (Copies | undefined)[]>();
  readonly #loads = new Map<Cluster, Load[]>();

  constructor(c: CheckContext) {
    this.#c = c;
  }

  of(warp: Warp, lane: number, kind: GroupKind): Copies {
    let lanes = this.#copies.get(warp);
    if (!lanes) {
      lanes = [];
      this.#copies.set(warp, lanes);
    }
    const index = 2 * lane + kinds.indexOf(kind);
    lanes[index] ??= { ledger: new GroupLedger<CopyAt>(), doubt: undefined };
    return lanes[index];
  }

  commit(copies: Copies): void {
    copies.ledger.commit();
    copies.doubt = undefined;
  }

  wait(warp: Warp, lane: number, kind: GroupKind, copies: Copies, allowed: number): void {
    const covers = copies.ledger.wait(allowed);
    const [copyAt] = copies.ledger.open;
    if (copyAt === undefined) return;
    const { doubt } = copies;
    if (doubt?.forNothing && !covers) this.#uncommitted(warp, lane, kind, doubt.waitAt, doubt.copyAt);
    else copies.doubt = doubt ?? { waitAt: warp.at, copyAt, forNothing: !covers };
  }

  #uncommitted(warp: Warp, lane: number, kind: GroupKind, waitAt: number, copyAt: CopyAt): void {
    const args = { kernel: this.#c.program.name, who: threadName(warp, lane), what: `its ${copyNames[kind]} have` };
    this.#c.reports.add("W9220", args, waitAt, [{ note: "the copy is at", at: copyAt }]);
  }

  exit(warp: Warp, lane: number): void {
    const lanes = this.#copies.get(warp);
    if (!lanes) return;
    for (const kind of kinds) {
      const copies = lanes[2 * lane + kinds.indexOf(kind)];
      if (!copies || copies.ledger.idle) continue;
      const { doubt, ledger } = copies;
      if (doubt) this.#uncommitted(warp, lane, kind, doubt.waitAt, doubt.copyAt);
      else this.#left(warp, lane, kind, ledger);
    }
  }

  #left(warp: Warp, lane: number, kind: GroupKind, ledger: GroupLedger<CopyAt>): void {
    const missing = ledger.committed.length > 0 ? "waited for" : "committed";
    const what = `${copyNames[kind]} of its own have not been ${missing}`;
    const [at] = ledger.outstanding;
    if (at === undefined) return;
    const args = { kernel: this.#c.program.name, who: threadName(warp, lane) };
    // The shared memory of a block stays until its bulk stores have read it (docs/decisions/0008-what-normal-lets-pass.md).
    const isPractice = kind === "bulk" && ledger.open.length === 0;
    if (isPractice) this.#c.reports.tolerate("W9216", { ...args, what: `${what}; ${inPractice}` }, at);
    else this.#c.reports.add("W9216", { ...args, what }, at);
  }

  loads(cluster: Cluster): Load[] {
    const known = this.#loads.get(cluster) ?? [];
    this.#loads.set(cluster, known);
    return known;
  }

  /** Somebody knows that those of earlier phases have come. */
  seen(cluster: Cluster, barrier: number, phase: number): void {
    const before = this.loads(cluster);
    if (before.length === 0) return;
    this.#loads.set(
      cluster,
      before.filter((load) => load.barrier !== barrier || load.phase >= phase),
    );
  }

  /** The last threads of a block exit. */
  close({ block }: Warp): void {
    for (const load of this.loads(block.cluster)) {
      if (load.rank !== block.rank) continue;
      const what = `nobody has seen the end of phase ${load.phase} of its mbarrier at ${hex(load.barrier)}, which a copy into its shared memory completes`;
      this.#c.reports.add("W9216", { kernel: this.#c.program.name, who: blockName(block), what }, load.at);
    }
  }

  forget(cluster: Cluster): void {
    this.#loads.delete(cluster);
    for (const warp of cluster.warps) this.#copies.delete(warp);
  }
}

export function exits(c: CheckContext): Listener {
  const outstanding = new Outstanding(c);
  const phaseOf = ({ barriers }: Cluster, address: number): number => barriers.barriers.get(address)?.phase ?? 0;
  return {
    transferIssues(warp, lane, { kind, completion, writes: [target] }) {
      const { cluster } = warp.block;
      if ("groups" in completion) outstanding.of(warp, lane, kind === "cp.async" ? "copy" : "bulk").ledger.add(warp.at);
      else if (target?.space === "shared") {
        const { barrier } = completion;
        outstanding.loads(cluster).push({ rank: target.rank, barrier, phase: phaseOf(cluster, barrier), at: warp.at });
      }
    },
    commits: (warp, lane, _groups, kind) => outstanding.commit(outstanding.of(warp, lane, kind)),
    waits: (warp, lane, _groups, kind, allowed) => outstanding.wait(warp, lane, kind, outstanding.of(warp, lane, kind), allowed),
    /** From now on the mbarrier tells of them. */
    copiesArrive(warp, lane, barrier, phase) {
      const { ledger } = outstanding.of(warp, lane, "copy");
      const [at] = ledger.outstanding;
      ledger.clear();
      const { cluster, rank } = warp.block;
      if (at !== undefined) outstanding.loads(cluster).push({ rank, barrier, phase, at });
    },
    mbarrierWaits(warp, _mask, address, phase, passed) {
      if (passed) outstanding.seen(warp.block.cluster, address, phase);
    },
    mbarrierInvalidates: (warp, _lane, address) => outstanding.seen(warp.block.cluster, address, Number.POSITIVE_INFINITY),
    exits(warp, mask) {
      for (let rest = mask; rest !== 0; rest &= rest - 1) outstanding.exit(warp, 31 - Math.clz32(rest & -rest));
      const last = (warp.live & ~mask) === 0 && warp.block.warps.every((other) => other === warp || other.live === 0);
      if (last) outstanding.close(warp);
    },
    clusterEnds: (cluster) => outstanding.forget(cluster),
  };
}
