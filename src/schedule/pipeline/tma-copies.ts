/** What `copies: "tma"` asks of a product and its options, and the intrinsics that copy its tiles then. */

import type { Spans } from "../../base/diag/index.ts";
import { elementBytes } from "../../base/element-types.ts";
import { defaultTarget, warpgroupSize } from "../../base/target.ts";
import { fail } from "../errors/index.ts";
import { mapFor, paddedMapFor } from "../intrinsics/index.ts";
import type { Contraction } from "./contraction.ts";
import type { Extents } from "./extents.ts";
import type { TensorCorePipelineOptions } from "./options.ts";

/** Bytes between rows of shared memory, so that eight of them begin in other banks. */
export const paddingBytes = 16;

/** Rows and columns of the tile of A and of that of B, as they lie in memory. */
export function tilesOf({ a, b }: Contraction, { m, n, k }: Extents): Readonly<Record<"a" | "b", readonly [number, number]>> {
  return { a: a.lines === "row" ? [m, k] : [k, m], b: b.lines === "row" ? [k, n] : [n, k] };
}

/** The intrinsics that copy a tile of A and one of B. */
export interface TmaCopies {
  readonly a: string;
  readonly b: string;
}

const mostStages = 16;
const plain = 'write `copies: "cp.async"`';

/** What the options have come to. */
interface Given {
  readonly contraction: Contraction;
  readonly tile: Extents;
  readonly instruction: Extents;
  readonly warps: { readonly m: number; readonly n: number };
  /** Elements between rows, where the options say so. */
  readonly padding: number | undefined;
  /** The tile does not divide the product. */
  readonly ragged: boolean;
}

/** The copies of `copies: "tma"`; undefined without it. W5625. */
export function tmaCopiesOf(options: TensorCorePipelineOptions, given: Given, spans: Spans): TmaCopies | undefined {
  if (options.copies !== "tma") return undefined;
  const { contraction, warps } = given;
  const refuse = (why: string, instead: string): never => fail("W5625", { why, instead }, spans);
  if (options.instruction === "mma.sync")
    refuse('"mma.sync" reads rows that its loads permute, and TMA permutes them in another way', `${plain}, or take "wmma"`);
  if (options.doubleBuffer === true)
    refuse("`doubleBuffer` loads operands of the next tile before this one is handed back to whoever copies", plain);
  if (options.epilogue === "peeled") refuse("no trip of the loop is copied by those who multiply, and none is peeled", plain);
  if (options.promoteOperands === "global")
    refuse('TMA copies to shared memory, and `promoteOperands: "global"` takes A and B from elsewhere', plain);
  const [computed] = contraction.before;
  if (computed)
    refuse(
      `'${computed.name}' computes what the product reads, and TMA copies elements as they are`,
      `compute it in a kernel before, into a matrix of its own; or ${plain}`,
    );
  const threads = 32 * warps.m * warps.n;
  if (threads % warpgroupSize !== 0)
    refuse(
      `${threads} threads multiply, and next to a warpgroup that copies there are whole warpgroups, of ${warpgroupSize}`,
      "give `workgroup` 4, 8 or 12 warps, such as [64, 4, 1]",
    );
  const most = defaultTarget.limits.threads;
  if (threads + warpgroupSize > most)
    refuse(
      `${threads} threads multiply, and with the ${warpgroupSize} of the warpgroup that copies a block has at most ${most}`,
      "take fewer warps, and let each make a larger part of the tile",
    );
  if (options.depth > mostStages) refuse(`${options.depth} tiles are more than ${mostStages}`, "give a smaller `depth`");
  if (given.ragged && options.promoteC === "registers" && contraction.after.length === 0) checkParts(given, refuse);
  return copiesOf(given, refuse);
}

/** Sums in registers are stored an instruction's part at a time: whole parts, or none of them. */
function checkParts({ contraction: { shape, c }, instruction }: Given, refuse: (why: string, instead: string) => never): void {
  const cut = (["m", "n"] as const).find((d) => shape[d] % instruction[d] !== 0);
  if (cut)
    refuse(
      `${c.name} has ${shape[cut]} ${cut === "m" ? "rows" : "columns"}, and sums in registers are stored ${instruction[cut]} at a time`,
      'let them go through shared memory: `promoteC: "shared"`',
    );
}

function copiesOf({ contraction, tile, padding: asked }: Given, refuse: (why: string, instead: string) => never): TmaCopies {
  const tiles = tilesOf(contraction, tile);
  const nameOf = (side: "a" | "b"): string => {
    const [rows, columns] = tiles[side];
    const { dtype, name } = contraction[side].buffer;
    const padding = asked ?? paddingBytes / elementBytes[dtype];
    const map = padding === 0 ? mapFor(dtype, rows, columns, "none") : paddedMapFor(dtype, rows, columns, padding);
    if (typeof map === "string")
      refuse(`for the tile of ${name}, ${map}`, `take another \`tile\` or \`padding\`, such as tiles of 256 x 192; or ${plain}`);
    return `tma_load_${dtype}_${rows}x${columns}_${padding === 0 ? "none" : `pad${padding}`}`;
  };
  return { a: nameOf("a"), b: nameOf("b") };
}
