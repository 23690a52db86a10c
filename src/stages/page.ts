import { readFileSync } from "node:fs";
import { sourceText } from "../diag/index.ts";
import { pageData } from "./page-data.ts";
import type { KernelRecord } from "./types.ts";

const part = (name: string): string => readFileSync(new URL(`./page/${name}`, import.meta.url), "utf8").trimEnd();

/** JSON that may stand in a script of HTML, whatever its texts hold: nothing in it ends the script or begins a comment. */
const scriptJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** One page that steps through what became of each kernel, or program. It asks nobody for anything: style, script and data are in it. */
export function stagesPage(
  kernels: readonly KernelRecord[],
  textOf: (file: string) => string | undefined = sourceText,
  title = "Stages of compilation",
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>${title}</title>
<style>
${part("page.css")}
</style>
</head>
<body>
<header>
  <select id="kernels" aria-label="Kernel"></select>
  <span id="place"></span>
  <span class="space"></span>
  <span class="switch" role="group" aria-label="What the graph shows">
    <button id="changes" type="button">changes</button><button id="all" type="button">all lines</button>
  </span>
  <input id="search" type="search" placeholder="/ search" aria-label="Search" autocomplete="off" spellcheck="false">
  <span id="found" aria-live="polite"></span>
</header>
<nav id="stages" aria-label="Stages"></nav>
<main>
  <section id="source" tabindex="0" aria-label="Source"></section>
  <section id="graph" tabindex="0" aria-label="Op graph"></section>
  <section id="ptx" tabindex="0" aria-label="PTX"></section>
  <section id="picture" tabindex="0" aria-label="Picture" hidden></section>
</main>
<footer id="status" aria-live="polite"></footer>
<script type="application/json" id="data">${scriptJson(pageData(kernels, textOf))}</script>
<script>
${part("page.js")}
</script>
</body>
</html>
`;
}
