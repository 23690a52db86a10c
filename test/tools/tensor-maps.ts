// Asks a device how it encodes the tensor maps of test/tensor-maps/maps.ts.
//
//   node --import warpsmith/register test/tools/tensor-maps.ts [--device cuda|emulator] [--record FILE] [--driver VERSION]
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { openDevice } from "../../src/index.ts";
import { backendOf } from "../../src/runtime/device.ts";
import { askedMaps, hexOf } from "../tensor-maps/maps.ts";

const { values } = parseArgs({
  options: { device: { type: "string", default: "cuda" }, record: { type: "string" }, driver: { type: "string", default: "" } },
});
await using device = await openDevice(values.device === "emulator" ? "emulator" : "cuda");
const backend = backendOf(device);
const answers = askedMaps.map(({ address, map }) => {
  try {
    return hexOf(backend.encodeTensorMap(address, map));
  } catch (error) {
    return `refused: ${error instanceof Error ? error.message.split("\n")[0] : error}`;
  }
});
console.log(`${answers.length} maps, ${answers.filter((a) => a.startsWith("refused")).length} refused`);
for (const answer of new Set(answers.filter((a) => a.startsWith("refused")))) console.log(answer);
const lines = answers.map((answer) => JSON.stringify(answer)).join(",\n");
if (values.record !== undefined)
  writeFileSync(values.record, `{"device":"${device.name}","driver":"${values.driver}","answers":[\n${lines}\n]}\n`);
