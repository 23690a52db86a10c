import { readFileSync } from "node:fs";

/** What a device answered: the digests of an instruction's results for few tuples and for all, or why there are none; empty where nobody has asked. */
export interface Record {
  readonly device: string;
  readonly driver: string;
  readonly answers: Readonly<{ [instruction: string]: readonly [few: string, all: string] | string }>;
}

export const recordedFile = new URL("../recorded/instructions.json", import.meta.url);

export const readRecord = (file: URL | string = recordedFile): Record => JSON.parse(readFileSync(file, "utf8")) as Record;

/** One line for each instruction. */
export const recordText = ({ answers, ...head }: Record): string => {
  const lines = Object.entries(answers).map(([name, answer]) => `${JSON.stringify(name)}: ${JSON.stringify(answer)}`);
  return `${JSON.stringify(head).slice(0, -1)}, "answers": {\n${lines.join(",\n")}\n}}\n`;
};
