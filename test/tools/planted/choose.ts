import type { Fault } from "./fault.ts";

/** Those whose names begin with one of these; all where there is none. */
function named(all: readonly Fault[], only: readonly string[]): readonly Fault[] {
  for (const start of only)
    if (!all.some(({ name }) => name.startsWith(start))) throw new Error(`no fault has a name that begins with ${start}`);
  return only.length === 0 ? all : all.filter(({ name }) => only.some((start) => name.startsWith(start)));
}

/** `2/5`: of the faults the second, the seventh, and so on. */
function partOf(all: readonly Fault[], part: string): readonly Fault[] {
  const [, first = "", count = ""] = /^(\d+)\/(\d+)$/.exec(part) ?? [];
  const [from, every] = [Number(first), Number(count)];
  if (from < 1 || from > every) throw new Error(`a part is I/N with I from 1 to N, such as 2/5, not ${part}`);
  return all.filter((_, i) => i % every === from - 1);
}

export const chosen = (all: readonly Fault[], only: readonly string[], part: string): readonly Fault[] =>
  partOf(named(all, only), part);

/** One line for each: its name, its file, and what is seen. */
export function table(faults: readonly Fault[]): string {
  const width = (of: (fault: Fault) => string): number => Math.max(0, ...faults.map((fault) => of(fault).length));
  const [names, rooms, files] = [width((f) => f.name), width((f) => f.room), width((f) => f.file)];
  const line = ({ name, room, file, seen }: Fault): string =>
    `${name.padEnd(names)}  ${room.padEnd(rooms)}  ${file.padEnd(files)}  ${seen}`;
  return faults.map(line).join("\n");
}
