/** What a terminal shows, as a drawing: text with the colours of ANSI escapes becomes SVG. */

/** The formats that the command uses, by their numbers; 39 and 22 end them. */
const formats: Readonly<Record<string, string>> = { 1: "b", 2: "d", 31: "r", 32: "g", 33: "y", 36: "c" };

const [charWidth, lineHeight, margin] = [7.23, 17, 14];
const style = `<style>
.tm{font-family:"DejaVu Sans Mono",Menlo,Consolas,monospace;font-size:12px}
.tm .bg{fill:#f6f7f9}.tm text{fill:#222;white-space:pre}.tm .b{font-weight:bold}.tm .d{fill:#777}.tm .r{fill:#c4342b}.tm .g{fill:#1e7d36}.tm .y{fill:#96690a}.tm .c{fill:#0b7285}
@media(prefers-color-scheme:dark){.tm .bg{fill:#16181d}.tm text{fill:#dfe3ea}.tm .d{fill:#8b94a3}.tm .r{fill:#ef6b60}.tm .g{fill:#5cc477}.tm .y{fill:#e0b53c}.tm .c{fill:#4fc3d9}}
</style>`;

const inXml = (text: string): string => text.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`);

interface Part {
  readonly text: string;
  readonly format: string | undefined;
}

function partsOf(line: string): readonly Part[] {
  const parts: Part[] = [];
  let format: string | undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for escapes
  for (const [i, piece] of line.split(/\x1b\[(\d+)m/).entries()) {
    if (i % 2 === 1) {
      if (piece !== "39" && piece !== "22" && formats[piece] === undefined) throw new Error(`format ${piece} is not drawn`);
      format = formats[piece];
    } else if (piece !== "") parts.push({ text: piece, format });
  }
  return parts;
}

/** Draws lines of text; each session is a command and what it printed. */
export function drawTerminal(about: string, lines: readonly string[]): string {
  const drawn = lines.map((line, i) => {
    let at = 0;
    const spans = partsOf(line).map(({ text, format }) => {
      const x = (margin + at * charWidth).toFixed(1);
      at += [...text].length;
      return `<tspan x="${x}"${format ? ` class="${format}"` : ""}>${inXml(text)}</tspan>`;
    });
    return { text: `<text y="${margin + 12 + i * lineHeight}" xml:space="preserve">${spans.join("")}</text>`, length: at };
  });
  const width = Math.ceil(2 * margin + Math.max(...drawn.map(({ length }) => length)) * charWidth);
  const height = 2 * margin + lines.length * lineHeight;
  return `<svg xmlns="http://www.w3.org/2000/svg" class="tm" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${inXml(about)}">
${style}
<rect width="${width}" height="${height}" rx="6" class="bg"/>
${drawn.map(({ text }) => text).join("\n")}
</svg>
`;
}
