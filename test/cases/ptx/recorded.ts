import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Fact, moduleOf } from "./fact.ts";

/** What a device answered. */
export interface FactRecord {
  readonly device: string;
  readonly driver: string;
  /** The digests of what was asked and of the answer, or why there is none. */
  readonly answers: Readonly<{ [fact: string]: readonly [asked: string, answer: string] }>;
}

export const recordedFacts = new URL("../../recorded/facts.json", import.meta.url);

export const readFactRecord = (): FactRecord => JSON.parse(readFileSync(recordedFacts, "utf8")) as FactRecord;

const digest = (parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex").slice(0, 12);
};

/** Of all that the answer depends on: an answer to another question is none. */
export const askedDigest = (fact: Fact): string =>
  digest([moduleOf([fact]), JSON.stringify(fact.launch), fact.input, fact.before]);

export const answerDigest = (words: Uint32Array): string =>
  digest([new Uint8Array(words.buffer, words.byteOffset, words.byteLength)]);

export const factRecordText = ({ answers, ...head }: FactRecord): string => {
  const lines = Object.entries(answers).map(([name, answer]) => `${JSON.stringify(name)}: ${JSON.stringify(answer)}`);
  return `${JSON.stringify(head).slice(0, -1)}, "answers": {\n${lines.join(",\n")}\n}}\n`;
};
