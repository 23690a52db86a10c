import { sourceText } from "../../base/diag/index.ts";
import { htmlPage, pagePart } from "../page/index.ts";
import { pageData } from "./page-data.ts";
import type { ProfileData } from "./types.ts";

const body = `<header>
  <select id="launches" aria-label="Launch"></select>
  <span id="about"></span>
  <span class="space"></span>
  <span id="legend" role="group" aria-label="What is shown"></span>
  <button id="out" type="button" title="zoom out (-)">−</button>
  <button id="in" type="button" title="zoom in (+)">+</button>
  <button id="fit" type="button" title="show all (0)">all</button>
</header>
<div id="timeline" tabindex="0" aria-label="Timeline"><canvas></canvas><div id="hover" hidden></div></div>
<div id="chosen" aria-live="polite"></div>
<div id="tables">
  <section id="roles" tabindex="0" aria-label="Who is idle"></section>
  <section id="waits" tabindex="0" aria-label="What is waited for"></section>
  <section id="work" tabindex="0" aria-label="Under way"></section>
</div>`;

const part = (name: string): string => pagePart(`inspect/profile/page/${name}`);

/** What stands in a module, for a script. */
const asScript = (text: string): string => text.replaceAll(/^export /gm, "");

/** One page of launches: rows by multiprocessor, block and warp; who is idle, and what is waited for. */
export const profilePage = (
  profiles: readonly ProfileData[],
  textOf: (file: string) => string | undefined = sourceText,
  title = "Profile",
): string =>
  htmlPage({
    title,
    body,
    style: part("page.css"),
    data: pageData(profiles, textOf),
    script: `${asScript(part("lanes.js"))}\n${part("page.js")}`,
  });
