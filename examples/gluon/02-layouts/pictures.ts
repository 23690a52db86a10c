import { BlockedLayout, SliceLayout } from "warpsmith";
import { columns, rows } from "./layouts.ts";

const narrow = new BlockedLayout({ perThread: [1, 4], threads: [16, 2], warps: [1, 1] });

/** The drawings beside the README, by the names of their files. `npx warpsmith run examples/gluon/02-layouts/draw.ts` writes them. */
export const pictures: Readonly<Record<string, () => string>> = {
  "rows.svg": () => rows.toSvg([32, 32]),
  "columns.svg": () => columns.toSvg([32, 32]),
  "narrow.svg": () => narrow.toSvg([16, 8]),
  "slice.svg": () => new SliceLayout(1, narrow).toSvg([16]),
};
