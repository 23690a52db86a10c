/** Random programs as trees of text, so that they can be made smaller: statements may be left out, and nothing else is changed. */

/** A statement: `texts` with the statement lists `bodies` between them. */
export interface Statement {
  readonly texts: readonly string[];
  readonly bodies: readonly (readonly Statement[])[];
}

export interface Program {
  readonly seed: number;
  readonly body: readonly Statement[];
}

/** `out(k, x)` in a program has k below this. */
export const outputs = 24;

export const line = (text: string): Statement => ({ texts: [text], bodies: [] });

function printList(list: readonly Statement[], indent: string): string {
  return list.map((s) => printStatement(s, indent)).join("");
}

function printStatement({ texts, bodies }: Statement, indent: string): string {
  const pieces = texts.map((text, i) => {
    const body = bodies[i];
    return body ? `${text}\n${printList(body, `${indent}  `)}${indent}` : text;
  });
  return `${indent}${pieces.join("")}\n`;
}

/** The statements as JavaScript over `n`, `m`, `out`, `i32`, `range` and `staticRange`. */
export const programText = ({ body }: Program): string => printList(body, "  ");

/** Every program with one statement less, or with the inside of one in its place. */
export function* smallerPrograms({ seed, body }: Program): Generator<Program> {
  for (const list of smallerLists(body)) yield { seed, body: list };
}

function* smallerLists(list: readonly Statement[]): Generator<readonly Statement[]> {
  for (let size = Math.ceil(list.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let at = 0; at < list.length; at += size) yield [...list.slice(0, at), ...list.slice(at + size)];
  for (const [i, { texts, bodies }] of list.entries())
    for (const [k, body] of bodies.entries()) {
      yield [...list.slice(0, i), ...body, ...list.slice(i + 1)];
      for (const fewer of smallerLists(body)) yield list.with(i, { texts, bodies: bodies.with(k, fewer) });
    }
}
