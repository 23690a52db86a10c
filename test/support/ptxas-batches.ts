/**
 * Many modules through one ptxas: starting it takes as long as a small kernel. Of a batch in which ptxas finds anything to say, each
 * module is assembled by itself.
 */
import { type Assembled, type Assembler, ptxas } from "./ptxas.ts";

const head = /^\.version \S+\n\.target \S+\n\.address_size \d+\n/;
const entry = /^(\.visible \.entry )([\w$]+)\(/gm;
const extern = /^\.extern \.shared .*;\n/gm;
const outside =
  /^\.(?!extern \.shared |visible \.entry |file |reqntid |maxntid |minnctapersm |reqnctapercluster |explicitcluster)/m;

/** What a module of the compiler is made of; undefined where it has more than one kernel and the shared memory of its blocks. */
interface Parts {
  readonly head: string;
  readonly extern: readonly string[];
  readonly body: string;
}

function partsOf(ptx: string): Parts | undefined {
  const [found] = head.exec(ptx) ?? [];
  if (!found) return undefined;
  const rest = ptx.slice(found.length);
  if (outside.test(rest) || [...rest.matchAll(entry)].length !== 1) return undefined;
  return { head: found, extern: rest.match(extern) ?? [], body: rest.replace(extern, "") };
}

/** One module out of several that declare the same shared memory. Its kernels are `k0`, `k1` and so on; the files of `.file` and `.loc` get new numbers. */
function joined(parts: readonly Parts[]): string {
  let files = 0;
  const bodies = parts.map(({ body }, i) => {
    const first = files;
    files += body.match(/^\.file /gm)?.length ?? 0;
    return body
      .replace(entry, (_, before: string) => `${before}k${i}(`)
      .replace(/^(\s*\.(?:loc|file) )(\d+)/gm, (_, before: string, file: string) => `${before}${Number(file) + first}`);
  });
  return [parts[0]?.head ?? "", ...(parts[0]?.extern ?? []), ...bodies].join("\n");
}

const clean = ({ ok, warnings, spills }: Assembled): boolean => ok && warnings.length === 0 && spills === 0;

/** What ptxas says of each; `registers` are those of all kernels of a batch. */
function assembleTogether(texts: readonly string[], through: Assembler): readonly (Assembled | undefined)[] {
  const result = texts.map((text) => through.kept(text));
  const parts = texts.map((text, i) => (result[i] ? undefined : partsOf(text)));
  const alike = new Map<string, number[]>();
  parts.forEach((part, i) => {
    if (!part) return;
    // With the shared memory of another module, one would be taken that does not declare its own.
    const key = [part.head, ...part.extern].join("");
    alike.set(key, [...(alike.get(key) ?? []), i]);
  });
  for (const indices of alike.values()) {
    if (indices.length === 1) continue;
    const made = through.assemble(joined(indices.flatMap((i) => parts[i] ?? [])));
    if (!made || !clean(made)) continue;
    for (const i of indices) {
      result[i] = made;
      through.keep(texts[i] ?? "", made);
    }
  }
  return result.map((made, i) => made ?? through.assemble(texts[i] ?? ""));
}

/**
 * Gives what assembles an item of a list: the first one that is asked for, with those that stand beside it. `ptxOf` may throw: then the
 * item fails that throws. `registers` of a result mean nothing.
 */
export function inBatches<T>(
  items: readonly T[],
  ptxOf: (item: T) => string,
  through = ptxas,
  size = 24,
): (item: T) => Assembled | undefined {
  const done = new Map<T, Assembled | undefined>();
  const failed = new Map<T, unknown>();
  return (item) => {
    if (!done.has(item) && !failed.has(item)) {
      const at = items.indexOf(item);
      const first = at - (at % size);
      const good: T[] = [];
      const texts: string[] = [];
      for (const one of items.slice(first, first + size)) {
        try {
          texts.push(ptxOf(one));
          good.push(one);
        } catch (error) {
          failed.set(one, error);
        }
      }
      assembleTogether(texts, through).forEach((made, i) => {
        done.set(good[i] as T, made);
      });
    }
    if (failed.has(item)) throw failed.get(item);
    return done.get(item);
  };
}
