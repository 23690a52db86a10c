/** Parts of drawings: SVG as text. */

export const inXml = (text: string): string =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

/** A number as short as it may be: hundredths of a pixel are not seen. */
export const num = (x: number): string => String(Math.round(x * 100) / 100);

export const text = (x: number, y: number, words: string, classes = "", size?: number): string =>
  `<text x="${num(x)}" y="${num(y)}"${classes ? ` class="${classes}"` : ""}${size === undefined ? "" : ` font-size="${num(size)}"`}>${inXml(words)}</text>`;

export const rect = (x: number, y: number, width: number, height: number, classes: string, more = ""): string =>
  `<rect x="${num(x)}" y="${num(y)}" width="${num(width)}" height="${num(height)}" class="${classes}"${more}/>`;
