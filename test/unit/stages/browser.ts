import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome-headless-shell"];

/** A Chromium: `WARPSMITH_TEST_BROWSER`, or the first on the path. Undefined where there is none. */
export function findBrowser(): string | undefined {
  const { WARPSMITH_TEST_BROWSER: given } = process.env;
  return [...(given ? [given] : []), ...names].find((name) => spawnSync(name, ["--version"]).status === 0);
}

const options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-zygote", "--single-process", "--virtual-time-budget=5000", "--dump-dom"];

/**
 * Opens a page from disk, runs `script` in it once it is loaded, and gives what that returns, as JSON has it. Errors of the page are errors.
 */
export function runInPage(browser: string, page: string, script: string): unknown {
  const folder = mkdtempSync(join(tmpdir(), "warpsmith-page-"));
  try {
    const file = join(folder, "page.html");
    const first = "<script>window.faults = []; addEventListener('error', (e) => faults.push(e.message));</script>";
    const last = `<script>{
      let result;
      try { result = (() => { ${script} })(); } catch (error) { faults.push(String(error)); }
      const said = document.createElement("output");
      said.textContent = encodeURIComponent(JSON.stringify({ result, faults }));
      document.body.append(said);
    }</script>`;
    writeFileSync(file, page.replace("<head>", `<head>${first}`).replace("</body>", () => `${last}</body>`));
    const { stdout, stderr, status } = spawnSync(browser, [...options, `file://${file}`], { encoding: "utf8", timeout: 50_000 });
    const said = /<output>(.*?)<\/output>/.exec(stdout)?.[1];
    if (said === undefined) throw new Error(`${browser} ended with ${status} and showed no result\n${stderr}`);
    const { result, faults } = JSON.parse(decodeURIComponent(said)) as { result?: unknown; faults: readonly string[] };
    if (faults.length > 0) throw new Error(faults.join("\n"));
    return result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
