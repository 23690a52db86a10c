// Runs cases of the court on a GPU, one after the other, and says how each went.
//
//   node --import warpsmith/register test/court/on-gpu.ts broken|mended NAME …
//
// NAME is a whole name or its beginning. One line for each: `case NAME: right`, or what was thrown.
import { openDevice } from "warpsmith";
import { court } from "./index.ts";

const [half, ...names] = process.argv.slice(2);
if ((half !== "broken" && half !== "mended") || names.length === 0) throw new Error("on-gpu.ts broken|mended NAME …");

const device = await openDevice("cuda");
const setting = { check: "normal", schedule: "eager" } as const;
for (const bug of court.filter(({ name }) => names.some((begin) => name.startsWith(begin)))) {
  console.log(`begin ${bug.name}`);
  try {
    await bug.run(half === "broken", { setting, device, warnings: undefined });
    console.log(`case ${bug.name}: right`);
  } catch (error) {
    console.log(`case ${bug.name}: ${(error instanceof Error ? error.message : String(error)).split("\n")[0]}`);
  }
}
// Tools tell some of what they have found when the device is closed. One that a kernel has taken cannot be.
await Promise.race([device.dispose(), new Promise((resolve) => setTimeout(resolve, 5000))]).catch(() => undefined);
process.exit(0);
