/** Parts of drawings, which need nothing else and are read on light and dark pages. */
import { inXml, rect, text } from "../../base/svg.ts";

/** Colours of groups: told apart without red and green, too, and light enough for dark text (after Okabe and Ito). */
const palette = ["#9ecbec", "#f8c987", "#9fdcc0", "#ecb6d3", "#f3ea93", "#f2a48b", "#c4b7ea", "#c9d1d8"] as const;

/** Neighbours of a row differ, and so do those of a column where a row has a multiple of eight. */
export const colourOf = (id: number): number => (id + Math.floor(id / palette.length)) % palette.length;

const style = `<style>
.ws{font-family:"DejaVu Sans",Helvetica,Arial,sans-serif;font-size:12px}
.ws .bg{fill:#fff}.ws text{fill:#222}.ws .dim{fill:#666}.ws .b{font-weight:bold}.ws .m{text-anchor:middle}.ws .e{text-anchor:end}
.ws .cells{fill:#111;text-anchor:middle}.ws .cells text{fill:#111}
.ws .none{fill:#e8e8e8}.ws .edge{fill:none;stroke:#222}.ws .thin{fill:none;stroke:#222;stroke-opacity:.35}.ws .in{stroke:#111}
${palette.map((c, i) => `.ws .c${i}{fill:${c}}`).join("")}
@media(prefers-color-scheme:dark){.ws .bg{fill:#15181c}.ws text{fill:#e6e6e6}.ws .dim{fill:#a0a0a0}.ws .none{fill:#33383f}.ws .edge{stroke:#000}.ws .out{stroke:#ccc}}
</style>`;

/** About how wide text is, in pixels. */
export const widthOf = (words: string, size = 12): number => words.length * size * 0.6;

export const path = (d: string, classes: string, more = ""): string =>
  d === "" ? "" : `<path d="${d}" class="${classes}"${more}/>`;

/** What a colour stands for. */
export interface Key {
  /** A class of the style: `c3`, `none`. */
  readonly classes: string;
  readonly words: string;
}

/** The keys beside each other, in as many lines as they take; and how high that is. */
export function legend(
  keys: readonly Key[],
  x: number,
  y: number,
  width: number,
): { readonly svg: string; readonly height: number } {
  let [at, line] = [x, y];
  const parts = keys.map(({ classes, words }) => {
    const wide = 22 + widthOf(words) + 10;
    if (at > x && at + wide > x + width) [at, line] = [x, line + 20];
    const own = rect(at, line, 14, 14, classes, ' stroke="#222" stroke-width="0.5"') + text(at + 20, line + 11.5, words);
    at += wide;
    return own;
  });
  return { svg: parts.join("\n"), height: keys.length === 0 ? 0 : line - y + 20 };
}

/** Lines of words, no longer than that. */
function wrapped(words: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of words.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(`${last} ${word}`) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Words as lines below each other, the first one below `y`; and where they end. */
export function paragraph(
  words: string,
  at: { readonly x: number; readonly y: number },
  width: number,
  classes = "",
): { readonly svg: string; readonly end: number } {
  const lines = wrapped(words, width);
  return {
    svg: lines.map((line, i) => text(at.x, at.y + 17 * (i + 1), line, classes)).join("\n"),
    end: at.y + 17 * lines.length,
  };
}

/** A whole drawing. `label` says in words what is seen. */
export function drawing(width: number, height: number, label: string, body: readonly string[]): string {
  const [w, h] = [Math.ceil(width), Math.ceil(height)];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="ws" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" role="img" aria-label="${inXml(label)}">`,
    style,
    rect(0, 0, w, h, "bg", ' rx="6"'),
    ...body.filter((part) => part !== ""),
    "</svg>",
    "",
  ].join("\n");
}
