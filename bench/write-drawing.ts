import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes <name>.svg and <name>.png into a folder; says where, or why there is no PNG. */
export async function writeDrawing(svg: string, folder: string, name: string): Promise<string> {
  writeFileSync(join(folder, `${name}.svg`), svg);
  try {
    const { Resvg } = await import("@resvg/resvg-js");
    const options = {
      fitTo: { mode: "zoom", value: 2 },
      font: { loadSystemFonts: true, defaultFontFamily: "DejaVu Sans" },
    } as const;
    writeFileSync(join(folder, `${name}.png`), new Resvg(svg, options).render().asPng());
    return `${name}.svg and ${name}.png written to ${folder}`;
  } catch (error) {
    return `${name}.svg written to ${folder}, but no PNG: ${error instanceof Error ? error.message : error}`;
  }
}
