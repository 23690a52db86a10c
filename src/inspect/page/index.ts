/** What pages of HTML share: their shell, colours for light and dark, bars and controls. */
import { readFileSync } from "node:fs";
import { ownFile } from "../../base/own-files.ts";

/** A part of a page that stands in a file of its own, as text: by its path below the folder of all code. */
export const pagePart = (path: string): string => readFileSync(ownFile(path), "utf8").trimEnd();

/** JSON that may stand in a script of HTML, whatever its texts hold: nothing in it ends the script or begins a comment. */
const scriptJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

export interface HtmlPage {
  readonly title: string;
  /** Beside what all pages share: colours for light and dark, bars, controls. */
  readonly style: string;
  readonly body: string;
  /** What the script finds as JSON in the element `data`. */
  readonly data: unknown;
  readonly script: string;
}

/** One page that asks nobody for anything: style, script and data are in it. */
export const htmlPage = ({ title, style, body, data, script }: HtmlPage): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>${title.replace(/[<&]/g, (c) => (c === "<" ? "&lt;" : "&amp;"))}</title>
<style>
${pagePart("inspect/page/base.css")}
${style}
</style>
</head>
<body>
${body}
<script type="application/json" id="data">${scriptJson(data)}</script>
<script>
${script}
</script>
</body>
</html>
`;
