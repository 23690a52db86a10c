/** The kernel behind `matmul`: src/kernels/matmul. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { KernelRemoval, Setup } from "../kernel-removal.ts";
import { kernelRemovals } from "../kernel-removals.ts";
import { type Family, isDeviceCode, type Launch, libraryModule, linesIn, root, taken } from "./family.ts";
import { cases, multiply, type Prepared } from "./product-cases.ts";

const room = "matmul";
const changes = kernelRemovals.map((removal) => ({ ...removal, file: `${room}/${removal.file}` }));

async function load(setup: Setup, removal?: KernelRemoval): Promise<Launch> {
  const kernels = await libraryModule<Prepared>(`${room}/launch/prepare.ts`, removal && `${room}/${removal.file}`, removal);
  return (device) => multiply(device, kernels, cases[setup]);
}

const files = readdirSync(join(root, "src/kernels", room), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => `${room}/${file}`);

export const products: Family = {
  name: "matmul",
  lines: files.filter(isDeviceCode).map((file) =>
    linesIn(file.slice(0, -3), changes, {
      calls: /\b(wait|sync|syncWarp|arrive|acquire|release|drain|init|meet|proxyAsync|commit|finish|launchDependents)\(/,
      but: /: void;$/,
    }),
  ),
  wholes: (Object.keys(cases) as Setup[]).map((setup) => ({ title: setup, load: () => load(setup) })),
  taken: kernelRemovals.flatMap((removal) =>
    removal.setups.map((setup) => taken(`${setup}, ${removal.file}`, removal, () => load(setup, removal), removal.someSchedule)),
  ),
};
