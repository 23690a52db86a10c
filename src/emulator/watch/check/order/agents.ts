/** Who accesses memory, in words. They outlive their clusters, as long as memory that they have touched: they hold names alone. */
import type { Transfer } from "../../../machine/units/index.ts";
import type { Warp, Warpgroup } from "../../../machine/warp.ts";
import { hex, type NamedWarp, threadName, warpName } from "../names.ts";
import type { Access, Agent } from "./access.ts";
import type { GroupOrder, ProductOrder } from "./launch-order.ts";

const does = (access: Access): string => (access.writes ? "writes" : "reads");

const nameOf = ({ index, block }: Warp): NamedWarp => ({ index, block: { index: block.index } });

/** "thread 5 of …", "8 threads of warp 0 of …". `all`: those that the warp has. */
function lanesName(warp: NamedWarp, lanes: number, all: number): string {
  let count = 0;
  for (let rest = lanes; rest !== 0; rest &= rest - 1) count += 1;
  if (count === 1) return threadName(warp, 31 - Math.clz32(lanes));
  return lanes === all ? warpName(warp) : `${count} threads of ${warpName(warp)}`;
}

export function laneAgent(warp: Warp): Agent {
  const [name, all] = [nameOf(warp), warp.live];
  return {
    kind: "lane",
    block: warp.block.index,
    describe: (access, lanes) =>
      `${lanesName(name, lanes, all)} ${access.strong !== "" && access.writes ? "changes" : does(access)}`,
    since: () => undefined,
  };
}

const transferNames: Readonly<Record<Transfer["kind"], string>> = {
  tensor: "a tensor copy",
  bulk: "a bulk copy",
  "cp.async": "a cp.async",
};

export function transferAgent(
  warp: Warp,
  lane: number,
  transfer: Transfer,
  kind: "load" | "store" | "cp.async",
  since: () => string | undefined,
): Agent {
  const [name, what] = [nameOf(warp), transferNames[transfer.kind]];
  return {
    kind,
    block: warp.block.index,
    describe: (access) => `${what} that ${threadName(name, lane)} has issued ${does(access)}`,
    since,
  };
}

export const mbarrierSince = (address: number, phase: number) => (): string =>
  `it completes on phase ${phase} of the mbarrier at ${hex(address)}, which has not been waited for here`;

const after = (newer: number): string => {
  if (newer === 0) return "";
  return `, after which ${newer === 1 ? "1 was" : `${newer} were`} committed`;
};

export function groupSince(groups: GroupOrder, tick: number) {
  return (): string => {
    const at = groups.committed.findIndex((closed) => closed >= tick);
    if (at < 0) return "it has not been committed";
    const newer = groups.committed.length - 1 - at;
    return `no wait of its thread covers its group${after(newer)}`;
  };
}

export function productAgent(warp: Warp, group: Warpgroup, products: ProductOrder, tick: number): Agent {
  const { index: first } = group.warps[0] ?? warp;
  return {
    kind: "wgmma",
    block: warp.block.index,
    describe: (access) => `a wgmma of warps ${first} to ${first + 3} ${does(access)}`,
    since: () => {
      const at = products.committed.findIndex((closed) => closed >= tick);
      if (at < 0) return "it has not been committed";
      const newer = products.committed.length - 1 - at;
      return `no wgmma.wait that is seen here covers its group${after(newer)}`;
    },
  };
}
