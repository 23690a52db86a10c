/** Kernels over rows, elements and tokens: all other rooms of src/kernels. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type RowRemoval, type RowSetup, rowRemovals } from "../row-removals.ts";
import { type Family, isDeviceCode, type Launch, libraryModule, linesIn, root, taken } from "./family.ts";
import { cases, launch, type Module } from "./row-cases.ts";

async function load(setup: RowSetup, removal?: RowRemoval): Promise<Launch> {
  const of = cases[setup];
  const module = await libraryModule<Module>(of.entry, removal?.file, removal);
  return (device) => launch(device, of, module);
}

const rooms = ["rows", "select", "sort", "embedding", "histogram", "elementwise"];
const files = rooms.flatMap((room) => readdirSync(join(root, "src/kernels", room)).map((file) => `${room}/${file}`));

/** What `syncRow` is made of. */
const inside = /^ {2}(if \(clusterOf\(plan\) > 1\) cluster\.sync|else syncThreads)\(\);$/;

export const rows: Family = {
  name: "rows, elements and tokens",
  lines: files.filter(isDeviceCode).map((file) =>
    linesIn(file.slice(0, -3), rowRemovals, {
      calls: /\b(syncThreads|syncWarp|syncRow|sync|wait)\(/,
      but: file === "select/narrow.ts" ? inside : /^$/,
    }),
  ),
  wholes: (Object.keys(cases) as RowSetup[]).map((setup) => ({ title: setup, load: () => load(setup) })),
  taken: rowRemovals.flatMap((removal) =>
    removal.setups.map((setup) => taken(`${setup}, ${removal.file}`, removal, () => load(setup, removal), removal.someSchedule)),
  ),
};
