// Applies every instruction of arithmetic, logic, conversion and move to the tuples of test/instructions on a device.
//
//   node --import warpsmith/register test/tools/instructions.ts [part of an instruction …] [--device cuda|emulator]
//     --out FILE        the digests of the results, as test/recorded/instructions.json keeps them
//     --driver VERSION  stands in that file
//     --against emulator|cuda|recorded   compares with another device, value by value, or with the record, by digests
//     --report FILE     the differences as JSON
//     --new             takes the instructions that ptxas knows instead of those of the record
//
//   … test/tools/instructions.ts --compare A B     two files of --out
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Device, openDevice } from "../../src/index.ts";
import { type Difference, differenceOf, settled } from "../instructions/compare.ts";
import { listInstructions } from "../instructions/list.ts";
import { type Record, readRecord, recordText } from "../instructions/recorded.ts";
import { type Answer, digestOf, runInstructions } from "../instructions/run-instructions.ts";
import { statedFor } from "../instructions/stated.ts";
import { fewTuples } from "../instructions/tuples.ts";

const { values, positionals } = parseArgs({
  options: {
    device: { type: "string", default: "cuda" },
    out: { type: "string" },
    driver: { type: "string", default: "" },
    against: { type: "string" },
    report: { type: "string" },
    new: { type: "boolean", default: false },
    compare: { type: "boolean", default: false },
  },
  allowPositionals: true,
});

const open = (kind: string): Promise<Device> => openDevice(kind === "emulator" ? "emulator" : "cuda");

type Digests = Record["answers"][string];
const digestsOf = ({ instruction, results, refused = "" }: Answer): Digests =>
  results ? digestsOfResults(settled(instruction, results)) : refused;
const digestsOfResults = (results: BigUint64Array): readonly [string, string] => [
  digestOf(results.subarray(0, 2 * fewTuples)),
  digestOf(results),
];

const say = (instruction: string, { count, nan, ulps, beyond, examples }: Difference): void => {
  console.log(
    `${instruction}: ${count} differ${nan > 0 ? `, ${nan} of them NaN` : ""}${ulps === undefined ? "" : `, ${ulps} ulp at most`}${beyond === undefined ? "" : `, ${beyond} beyond the bound`}`,
  );
  for (const example of examples.slice(0, 3)) console.log(`    ${example}`);
};

/** The results of a second device beside those of the first. */
async function* beside(other: Device | undefined, instructions: readonly string[]): AsyncGenerator<Answer | undefined> {
  if (other) yield* runInstructions(other, instructions);
  else for (const _ of instructions) yield undefined;
}

async function run(instructions: readonly string[]): Promise<void> {
  const device = await open(values.device);
  const other = values.against && values.against !== "recorded" ? await open(values.against) : undefined;
  const record = values.against === "recorded" ? readRecord() : undefined;
  const answers: { [instruction: string]: Digests } = {};
  const differences: { [instruction: string]: Difference | string } = {};
  let approximate = 0;
  const others = beside(other, instructions);
  for await (const answer of runInstructions(device, instructions)) {
    const { instruction, results, refused } = answer;
    answers[instruction] = digestsOf(answer);
    const against = (await others.next()).value;
    const known = record?.answers[instruction];
    if (refused !== undefined) console.log(`${instruction}: ${refused}`);
    if (against?.refused !== undefined) differences[instruction] = `refused there: ${against.refused}`;
    if (known && String(known) !== String(answers[instruction]))
      differences[instruction] = `differs from the record. ${statedFor(instruction)?.why ?? "Not stated."}`;
    if (results && against?.results) {
      const difference = differenceOf(instruction, results, against.results);
      if (difference) say(instruction, difference);
      if (difference) differences[instruction] = difference;
      if (difference?.beyond === 0) approximate += 1;
    }
    if (typeof differences[instruction] === "string") console.log(`${instruction}: ${differences[instruction]}`);
  }
  console.log(
    `${Object.keys(answers).length} instructions on ${device.name}, ${Object.keys(differences).length} differ, ${approximate} of them no more than the manual allows`,
  );
  if (values.out) writeFileSync(values.out, recordText({ device: device.name, driver: values.driver, answers }));
  if (values.report) writeFileSync(values.report, `${JSON.stringify(differences, undefined, 1)}\n`);
  await device.dispose();
  await other?.dispose();
}

function compareFiles(a: string, b: string): void {
  const [here, there] = [readRecord(a), readRecord(b)];
  const names = [...new Set([...Object.keys(here.answers), ...Object.keys(there.answers)])];
  const differ = names.filter((name) => String(here.answers[name]) !== String(there.answers[name]));
  for (const name of differ) console.log(name);
  console.log(`${differ.length} of ${names.length} differ`);
}

if (values.compare) compareFiles(positionals[0] ?? "", positionals[1] ?? "");
else {
  const all = values.new ? listInstructions() : Object.keys(readRecord().answers);
  await run(all.filter((name) => positionals.length === 0 || positionals.some((part) => name.startsWith(part))));
}
