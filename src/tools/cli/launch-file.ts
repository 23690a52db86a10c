import { readText } from "./input-file.ts";
import { Refusal } from "./refusal.ts";

/** What a launch file may say. Paths in it are as seen from the file. */
export interface LaunchFile {
  readonly entry?: string;
  readonly grid?: readonly number[];
  readonly block?: readonly number[];
  readonly cluster?: readonly number[];
  readonly smem?: number;
  readonly cooperative?: boolean;
  readonly buffers?: readonly string[];
  readonly args?: readonly string[];
}

const isListOf = (type: "number" | "string") => (value: unknown) =>
  Array.isArray(value) && value.every((item) => typeof item === type);
const launchKeys: Readonly<Record<keyof LaunchFile, (value: unknown) => boolean>> = {
  entry: (value) => typeof value === "string",
  grid: isListOf("number"),
  block: isListOf("number"),
  cluster: isListOf("number"),
  smem: (value) => typeof value === "number",
  cooperative: (value) => typeof value === "boolean",
  buffers: isListOf("string"),
  args: isListOf("string"),
};

/** Keys that are not of a launch are left alone: who writes such files may say more in them. */
export function readLaunchFile(path: string | undefined): LaunchFile {
  if (path === undefined) return {};
  const text = readText(path);
  const refuse = (why: string): never => {
    throw new Refusal(`${path} is no launch file: ${why}`);
  };
  const parsed = parseJson(text, refuse);
  if (typeof parsed !== "object" || parsed === null) return refuse("it holds no object");
  const values = parsed as Readonly<Record<string, unknown>>;
  const wrong = Object.entries(launchKeys).find(([key, isGood]) => values[key] !== undefined && !isGood(values[key]));
  return wrong ? refuse(`its ${wrong[0]} is ${JSON.stringify(values[wrong[0]])}`) : (parsed as LaunchFile);
}

function parseJson(text: string, refuse: (why: string) => never): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}
