import { sourceText } from "../../base/diag/index.ts";
import { htmlPage, pagePart } from "../page/index.ts";
import { pageData } from "./page-data.ts";
import type { KernelRecord } from "./types.ts";

const body = `<header>
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
<footer id="status" aria-live="polite"></footer>`;

/** One page that steps through what became of each kernel, or program. */
export const stagesPage = (
  kernels: readonly KernelRecord[],
  textOf: (file: string) => string | undefined = sourceText,
  title = "Stages of compilation",
): string =>
  htmlPage({
    title,
    body,
    style: pagePart("inspect/stages/page/page.css"),
    data: pageData(kernels, textOf),
    script: pagePart("inspect/stages/page/page.js"),
  });
