import * as warpsmith from "../../../index.ts";
import type { Session } from "./session.ts";

/** What the part before the last dot is; what would have to run for that stays unknown. */
function ownerOf(path: readonly string[], session: Session): unknown {
  const [first = "", ...rest] = path;
  let at = session.valueOf(first);
  for (const name of rest) {
    if ((typeof at !== "object" && typeof at !== "function") || at === null) return undefined;
    const found = chain(at)
      .map((owner) => Object.getOwnPropertyDescriptor(owner, name))
      .find((descriptor) => descriptor !== undefined);
    at = found?.value;
  }
  return at;
}

/** The object and its prototypes. */
function chain(of: object): readonly object[] {
  const found: object[] = [];
  for (let at: object | null = of; at && at !== Object.prototype && at !== Function.prototype; at = Object.getPrototypeOf(at))
    found.push(at);
  return found;
}

/** Names that the word at the end of a line may become. */
export function completions(line: string, session: Session): [string[], string] {
  const word = /[\w$.]*$/.exec(line)?.[0] ?? "";
  const path = word.split(".");
  const begun = path.pop() ?? "";
  const owner = path.length > 0 ? ownerOf(path, session) : undefined;
  const names =
    path.length === 0
      ? [...session.names, ...Object.keys(warpsmith), ...Object.getOwnPropertyNames(globalThis)]
      : typeof owner === "object" || typeof owner === "function"
        ? chain(owner ?? {}).flatMap((one) => Object.getOwnPropertyNames(one))
        : [];
  const fitting = [...new Set(names)].filter((name) => name.startsWith(begun) && /^[A-Za-z_$][\w$]*$/.test(name)).sort();
  const before = path.length > 0 ? `${path.join(".")}.` : "";
  return [fitting.map((name) => before + name), word];
}
