import { type Bases, inputExtents, type LinearLayout, linear, type Shape } from "./linear-layout.ts";

/**
 * A layout as text: a line of extents, then one line for each bit of a place with the coordinates that it adds.
 *
 *     register 2, lane 4 -> row 2, col 4
 *     register 1 -> col 1
 *     lane 1 -> col 2
 *     lane 2 -> row 1
 */
export function printLayout(layout: LinearLayout): string {
  const list = (extents: readonly { readonly name: string; readonly size: number }[]): string =>
    extents.map((d) => `${d.name} ${d.size}`).join(", ") || "0";
  const lines = layout.inputs.flatMap(({ name, bases }) =>
    bases.map(
      (basis, i) =>
        `${name} ${2 ** i} -> ${list(layout.outputs.flatMap((d, o) => (basis[o] ? { name: d.name, size: basis[o] } : [])))}`,
    ),
  );
  return [`${list(inputExtents(layout))} -> ${list(layout.outputs)}`, ...lines].join("\n");
}

/** What `printLayout` printed. RangeError that names the line which is wrong. */
export function parseLayout(text: string): LinearLayout {
  const [head = "", ...lines] = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const [inputs, shape] = sides(head);
  const bases = new Map<string, number[][]>(Object.keys(inputs).map((name) => [name, []]));
  for (const line of lines) {
    const [place, element] = sides(line);
    const [[name, bit] = ["", 0], ...more] = Object.entries(place);
    const known = bases.get(name);
    if (!known || more.length > 0 || bit !== 2 ** known.length)
      throw new RangeError(`"${line}" is not the next basis of a dimension.`);
    if (Object.keys(element).some((d) => !(d in shape)))
      throw new RangeError(`"${line}" has a coordinate that the first line has not.`);
    known.push(Object.keys(shape).map((d) => element[d] ?? 0));
  }
  for (const [name, size] of Object.entries(inputs))
    if (2 ** (bases.get(name)?.length ?? 0) !== size)
      throw new RangeError(`${name} ${size} has ${bases.get(name)?.length} bases.`);
  return linear(Object.fromEntries(bases) satisfies Bases, shape);
}

function sides(line: string): [Record<string, number>, Shape] {
  const [left, right, ...more] = line.split("->");
  if (left === undefined || right === undefined || more.length > 0) throw new RangeError(`"${line}" is not "place -> element".`);
  return [terms(left, line), terms(right, line)];
}

function terms(text: string, line: string): Record<string, number> {
  if (text.trim() === "0") return {};
  const pairs = text.split(",").map((term): [string, number] => {
    const { name, size } = /^\s*(?<name>[A-Za-z_]\w*) (?<size>\d+)\s*$/.exec(term)?.groups ?? {};
    if (name === undefined) throw new RangeError(`"${term.trim()}" in "${line}" is not a name and a number.`);
    return [name, Number(size)];
  });
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) throw new RangeError(`"${line}" names a dimension twice.`);
  return Object.fromEntries(pairs);
}
