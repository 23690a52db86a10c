/**
 * W9241 and, under `strict`, W9242: copies by TMA of which no element is inside of the tensor. The manual allows them: a load brings the fill alone, a store does nothing. But that
 * is also all that comes of coordinates in the wrong order, `[row, 0]` for `[0, row]`, and nothing else tells. Who means such boxes says so by `outside` (ptx/notes.ts). Of PTX of
 * other compilers, which cannot, nothing is said.
 */
import type { Listener } from "../../machine/monitor.ts";
import { missesImages, otherOrder, type Transfer } from "../../machine/units/index.ts";
import type { Cluster, Warp } from "../../machine/warp.ts";
import type { Program } from "../../program/program.ts";
import { type CheckContext, inPractice } from "./context.ts";
import { threadName } from "./names.ts";

/** A copy of a box through a map. */
type BoxCopy = Transfer & Required<Pick<Transfer, "map" | "coordinates">>;
const isBox = (transfer: Transfer): transfer is BoxCopy => transfer.map !== undefined && transfer.coordinates !== undefined;

/**
 * What a thread copies by one call: boxes at one place of the author's, through maps of one tensor, for one phase of an mbarrier or in one group. A tile of several boxes that
 * hangs over the edge has some that lie outside.
 */
interface Call {
  readonly place: number | string;
  readonly tensor: number;
  readonly until: object | number;
  readonly phase: number;
  /** Its first box, and the instruction. */
  readonly first: BoxCopy;
  readonly at: number;
  /** The box that came last. */
  last: BoxCopy;
  /** No box was inside so far. */
  outside: boolean;
}

const isLoad = ({ completion }: Transfer): boolean => "barrier" in completion;

function isOutside(transfer: BoxCopy): boolean {
  const { map, coordinates, reads, writes } = transfer;
  if ((isLoad(transfer) ? reads : writes).length > 0) return false;
  return map.mode === "tiled" || missesImages(map, coordinates);
}

/** What ends with the call: the phase of the mbarrier, or the group that is open. */
function endOf({ block: { cluster } }: Warp, { completion }: Transfer): Pick<Call, "until" | "phase"> {
  if (!("barrier" in completion)) return { until: completion.groups.open, phase: 0 };
  const { barrier } = completion;
  return { until: barrier, phase: cluster.barriers.barriers.get(barrier)?.phase ?? 0 };
}

/** The author's line and column, by instruction; where there is none, the instruction. */
function placesIn({ instructions }: Program): (at: number) => number | string {
  const known = new Map<number, number | string>();
  return (at) => {
    const loc = instructions[at]?.loc;
    const place = known.get(at) ?? (loc ? `${loc.file}:${loc.line}:${loc.column}` : at);
    known.set(at, place);
    return place;
  };
}

class Calls {
  readonly #c: CheckContext;
  readonly #placeOf: (at: number) => number | string;
  readonly #calls = new Map<Warp, (Call | undefined)[]>();

  constructor(c: CheckContext) {
    this.#c = c;
    this.#placeOf = placesIn(c.program);
  }

  copy(warp: Warp, lane: number, box: BoxCopy): void {
    const lanes = this.#calls.get(warp) ?? [];
    this.#calls.set(warp, lanes);
    const now = lanes[lane];
    if (now?.last.coordinates === box.coordinates) return; // the same, for another block of the cluster
    const { at } = warp;
    const outside = isOutside(box) && !this.#c.program.mayBeOutside(at);
    const [place, tensor, end] = [this.#placeOf(at), box.map.address, endOf(warp, box)];
    const goesOn = now?.place === place && now.tensor === tensor && now.until === end.until && now.phase === end.phase;
    if (now && goesOn) {
      now.last = box;
      now.outside &&= outside;
      return;
    }
    this.end(warp, lane);
    lanes[lane] = { place, tensor, ...end, first: box, at, last: box, outside };
  }

  end(warp: Warp, lane: number): void {
    const lanes = this.#calls.get(warp);
    const call = lanes?.[lane];
    if (!lanes || !call) return;
    lanes[lane] = undefined;
    if (call.outside) this.#report(warp, lane, call);
  }

  #report(warp: Warp, lane: number, { first, at }: Call): void {
    const { reports, program } = this.#c;
    const { map, coordinates } = first;
    const args = () => ({
      kernel: program.name,
      who: threadName(warp, lane),
      shape: map.dims.toReversed().join(", "),
      given: coordinates.join(", "),
      meant: otherOrder(map, coordinates)?.join(", "),
    });
    if (isLoad(first)) reports.add("W9241", args, at);
    else reports.add("W9242", () => ({ ...args(), does: first.reduces ? "reduces" : "stores", excuse: inPractice }), at);
  }

  forget(cluster: Cluster): void {
    for (const warp of cluster.warps) this.#calls.delete(warp);
  }
}

export function outside(c: CheckContext): Listener {
  if (c.program.foreign) return {};
  const calls = new Calls(c);
  return {
    transferIssues(warp, lane, transfer) {
      if (isBox(transfer) && (c.tolerance === "report" || isLoad(transfer))) calls.copy(warp, lane, transfer);
    },
    exits(warp, mask) {
      for (let rest = mask; rest !== 0; rest &= rest - 1) calls.end(warp, 31 - Math.clz32(rest & -rest));
    },
    clusterEnds: (cluster) => calls.forget(cluster),
  };
}
