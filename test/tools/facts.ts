// Asks a device the questions of test/cases/ptx and records its answers.
//
//   node --import warpsmith/register test/tools/facts.ts [part of a name …] [--device cuda|emulator] [--seconds 30] [--list]
//     --json FILE          all answers: the words of the output as hexadecimal digits
//     --record FILE        their digests, as test/recorded/facts.json keeps them
//     --driver VERSION     stands in the record
//
// One line per question.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openDevice } from "../../src/index.ts";
import { allFacts, type Fact, runFact } from "../cases/ptx/index.ts";
import { answerDigest, askedDigest, factRecordText } from "../cases/ptx/recorded.ts";
import { isChild, type Outcome, runInChildren, serveRuns } from "./child-runs.ts";

const { values, positionals } = parseArgs({
  options: {
    child: { type: "boolean", default: false },
    device: { type: "string", default: "cuda" },
    json: { type: "string" },
    record: { type: "string" },
    driver: { type: "string", default: "" },
    seconds: { type: "string", default: "30" },
    list: { type: "boolean", default: false },
  },
  allowPositionals: true,
});

const kind = values.device === "emulator" ? "emulator" : "cuda";
const hex = (words: Uint32Array): string => [...words].map((word) => word.toString(16).padStart(8, "0")).join("");

async function serve(): Promise<void> {
  // Questions to the hardware are not all in order: no checks.
  const device = await openDevice(kind, { check: "off" });
  const run = async (name: string): Promise<unknown> => {
    const fact = allFacts.find((f) => f.name === name);
    return fact && hex(await runFact(device, fact));
  };
  const works = async (): Promise<boolean> => {
    try {
      using probe = device.tensor("i32", [4], [1, 2, 3, 4]);
      return (await probe.read()).join() === "1,2,3,4";
    } catch {
      return false;
    }
  };
  serveRuns(run, works);
}

/** What is short is shown; what differs from what the fact says is shown beside it. */
function describe(fact: Fact | undefined, outcome: Outcome): string {
  if (outcome.error !== undefined) return `! ${outcome.error.split("\n")[0]}`;
  const answer = String(outcome.result);
  const shown =
    answer.length <= 512
      ? (answer.match(/.{8}/g) ?? []).map((w) => Number.parseInt(w, 16)).join(" ")
      : `${answer.length / 8} words`;
  if (fact?.expected === undefined) return shown;
  if (typeof fact.expected === "string") return `${shown}   (the emulator refuses: ${fact.expected})`;
  const same = hex(Uint32Array.from(fact.expected)) === answer;
  return same ? `= ${shown}` : `DIFFERS ${shown}\n    expected: ${fact.expected.join(" ")}`;
}

const words = (text: string): Uint32Array => Uint32Array.from(text.match(/.{8}/g) ?? [], (word) => Number.parseInt(word, 16));

function recordOf({ name, error, result }: Outcome): [string, readonly [string, string]][] {
  const fact = allFacts.find((f) => f.name === name);
  const why = error?.match(/W\d{4}/)?.[0] ?? "no answer";
  return fact ? [[name, [askedDigest(fact), error === undefined ? answerDigest(words(String(result))) : why]]] : [];
}

async function record(): Promise<void> {
  const wanted = allFacts.filter(({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)));
  const names = wanted.toSorted((a, b) => Number(a.mayTrap ?? false) - Number(b.mayTrap ?? false)).map((f) => f.name);
  if (values.list) return console.log(names.join("\n"));
  const outcomes = await runInChildren(fileURLToPath(import.meta.url), names, Number(values.seconds), (outcome) =>
    console.log(
      `${outcome.name}: ${describe(
        allFacts.find((f) => f.name === outcome.name),
        outcome,
      )}`,
    ),
  );
  // Questions to the hardware are not all in order: no checks.
  const device = await openDevice(kind, { check: "off" });
  if (values.json) {
    const answers = Object.fromEntries(outcomes.map((o) => [o.name, o.error === undefined ? o.result : `! ${o.error}`]));
    writeFileSync(values.json, `${JSON.stringify({ device: device.name, answers }, undefined, 1)}\n`);
  }
  if (values.record) {
    const answers = Object.fromEntries(outcomes.flatMap((o) => recordOf(o)));
    writeFileSync(values.record, factRecordText({ device: device.name, driver: values.driver, answers }));
  }
  await device.dispose();
  console.log(`${outcomes.length} of ${names.length} answered`);
}

await (isChild ? serve() : record());
