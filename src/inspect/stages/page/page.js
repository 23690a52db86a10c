// What the page does. Its data is the PageData of src/inspect/stages/page-data.ts; every text of it gets into the page as text, never as HTML.

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const names = ["source", "graph", "ptx"];
  /** Lines around a change that stay; what lies further away is folded. */
  const context = 3;

  const state = { kernel: 0, stage: 0, changes: true, chosen: undefined, hits: [], hit: -1 };
  /** The rows of each column: { element, code, text, places }. */
  const columns = { source: [], graph: [], ptx: [] };

  function make(tag, className, text) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  }

  // Places: [file, line, column, length]. A place by its line, and exactly.
  const lineKey = (place) => `${place[0]}:${place[1]}`;
  const exactKey = (place) => `${place[0]}:${place[1]}:${place[2]}`;
  const placesAt = (index) => (index < 0 ? [] : data.places[index]);
  /** How long a place is; .loc of PTX does not say. */
  const lengths = new Map(data.places.flat().map((place) => [exactKey(place), place[3]]));
  for (const place of data.places.flat()) lengths.set(exactKey(place), Math.max(place[3], lengths.get(exactKey(place)) ?? 0));

  function tellPlaces(places) {
    return places
      .map(
        ([file, line, column], i) => `${i > 0 && places[i - 1][0] === file ? "" : `${data.files[file].name}:`}${line}:${column}`,
      )
      .join(" < ");
  }

  // Rows.

  function makeRow(column, number, text, places, sign) {
    const element = make("div", "row");
    element.append(make("span", "number", number === undefined ? "" : String(number)));
    if (sign !== undefined) element.append(make("span", "sign", sign));
    const code = make("span", "code");
    element.append(code);
    const row = { column, element, code, text, places };
    paint(row);
    element.row = row;
    if (places.length > 0) element.classList.add("linked");
    if (column === "graph" && places.length > 0) element.title = tellPlaces(places);
    columns[column].push(row);
    return element;
  }

  // Colours: what the words of a line are, as far as the line by itself tells.

  const keywords =
    "as async await break case class const continue default do else export extends false for from function if import in let new null of return static switch this throw true type undefined using void while yield";
  const languages = {
    source: {
      comment: /^\s*\*.*|\/\/.*|\/\*.*?(?:\*\/|$)/y,
      string: /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/y,
      word: new RegExp(`\\b(?:${keywords.replaceAll(" ", "|")})\\b`, "y"),
      figure: /\b(?:0x[\da-f]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)n?\b/iy,
    },
    graph: {
      string: /"(?:[^"\\]|\\.)*"/y,
      name: /%[\w.]+/y,
      word: /(?<=^\s*|= |yes |no )(?:kernel|[a-z_]+(?:\.[a-z_]+)*)(?= |$)/y,
      figure: /(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?n?\b/y,
    },
    ptx: {
      comment: /\/\/.*/y,
      string: /"(?:[^"\\]|\\.)*"/y,
      name: /%[\w.]+|\$[\w$]+/y,
      word: /(?<=^\s*|^\s*@!?%\w+ )\.?[a-z]\w*(?:[.:]+\w+)*/y,
      figure: /(?<![\w.])(?:0[fdx][\da-f]+|-?\d+(?:\.\d+)?)\b/iy,
    },
  };
  const plain = /[\w$]+|\s+|./suy;

  /** The words of a line: [kind, text]; what has no kind stands as it is. */
  function wordsOf({ column, text }) {
    const language = Object.entries(languages[column]);
    const words = [];
    for (let at = 0; at < text.length; ) {
      const tried = language.map(([kind, pattern]) => [kind, matchAt(pattern, text, at)]);
      const [kind, found] = tried.find(([, word]) => word) ?? ["", matchAt(plain, text, at)];
      words.push([kind, found]);
      at += found.length;
    }
    return words;
  }

  function matchAt(pattern, text, at) {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  }

  /** Shows a row's text; from `start` on so many letters of it are marked. */
  function paint(row, start = row.text.length, length = 0) {
    const parts = [];
    const mark = make("mark");
    let at = 0;
    for (const [kind, text] of wordsOf(row)) {
      const [from, to] = [start - at, start + length - at].map((cut) => Math.max(0, Math.min(text.length, cut)));
      const put = (into, part) => part !== "" && into.push(kind === "" ? part : make("span", kind, part));
      const marked = [];
      put(parts, text.slice(0, from));
      put(marked, text.slice(from, to));
      if (marked.length > 0 && mark.childNodes.length === 0) parts.push(mark);
      mark.append(...marked);
      put(parts, text.slice(to));
      at += text.length;
    }
    row.code.replaceChildren(...parts);
  }

  /** Empties a column; its heading stays in sight. */
  function begin(column, title, about) {
    columns[column] = [];
    byId(column).replaceChildren(heading(title, about));
    const rows = make("div", "rows");
    byId(column).append(rows);
    return rows;
  }

  function heading(title, about) {
    const element = make("h2", "", title);
    if (about) element.append(make("small", "", about));
    return element;
  }

  const kernel = () => data.kernels[state.kernel];

  /** The files of a kernel, its own first, and the lines in them that something comes from. */
  function filesOf({ place, lines, ptx }) {
    const used = new Map(place ? [[place[0], new Set()]] : []);
    for (const [, at] of [...lines, ...ptx]) {
      for (const [file, line] of placesAt(at)) {
        if (!used.has(file)) used.set(file, new Set());
        used.get(file).add(line);
      }
    }
    return used;
  }

  function showSource() {
    columns.source = [];
    byId("source").replaceChildren();
    for (const [index, used] of filesOf(kernel())) {
      const { name, text } = data.files[index];
      const rows = make("div", "rows");
      rows.append(heading(name));
      if (text === undefined) rows.append(make("div", "note", "This file could not be read."));
      else
        text.split(/\r?\n/).forEach((line, i) => {
          rows.append(makeRow("source", i + 1, line, used.has(i + 1) ? [[index, i + 1, 0, 0]] : []));
          columns.source.at(-1).line = `${index}:${i + 1}`;
        });
      byId("source").append(rows);
    }
    if (columns.source.length === 0 && byId("source").childElementCount === 0)
      byId("source").append(make("div", "note", "Nothing says which file this kernel is from."));
    const { place } = kernel();
    const first = place && columns.source.find((row) => row.line === lineKey(place));
    if (first) scrollTo(first, "start");
  }

  function showPtx() {
    const { ptx, error } = kernel();
    // Programs of loop nests have none.
    byId("ptx").hidden = ptx.length === 0 && error === undefined;
    const rows = begin("ptx", "PTX", ptx.length > 0 ? `${ptx.length} lines` : "");
    if (ptx.length === 0) rows.append(make("div", "note", error ? "The compilation did not get this far." : ""));
    ptx.forEach(([text, at], i) => {
      const row = makeRow("ptx", i + 1, text, placesAt(at));
      if (/^\s*\.(loc|file)\b/.test(text)) row.classList.add("loc");
      rows.append(row);
    });
  }

  // The graph: what a stage keeps, removes and adds against the one before.

  function diffOf(index) {
    const { stages } = kernel();
    const [before, after] = [index > 0 ? stages[index - 1].lines : [], stages[index].lines];
    if (index === 0) return [{ kind: "keep", lines: after, from: 0 }];
    const parts = [];
    let [i, j] = [0, 0];
    stages[index].diff.forEach((count, nth) => {
      if (count === 0) return;
      const kind = ["keep", "remove", "add"][nth % 3];
      if (kind === "remove") parts.push({ kind, lines: before.slice(i, i + count), from: i });
      else parts.push({ kind, lines: after.slice(j, j + count), from: j });
      if (kind !== "add") i += count;
      if (kind !== "remove") j += count;
    });
    return parts;
  }

  function graphRow(kind, line, number) {
    const [text, at] = kernel().lines[line];
    const sign = { keep: "", remove: "−", add: "+" }[kind];
    const row = makeRow("graph", kind === "remove" ? undefined : number, text, placesAt(at), sign);
    if (kind !== "keep") row.classList.add(kind);
    return row;
  }

  function showError() {
    begin("graph", "error").append(make("div", "note error", kernel().error));
  }

  function showGraph() {
    const { stages } = kernel();
    const stage = stages[state.stage];
    if (!stage) return showError();
    const rows = begin("graph", state.stage === 0 ? stage.name : `after ${stage.name}`, countsOf(state.stage).said);
    const parts = diffOf(state.stage);
    const folding = state.changes && parts.length > 1;
    parts.forEach(({ kind, lines, from }, nth) => {
      if (kind === "remove" && !state.changes) return;
      const [first, last] = [nth === 0 ? 0 : context, nth === parts.length - 1 ? 0 : context];
      const folded = folding && kind === "keep" && lines.length - first - last > 1;
      lines.forEach((line, i) => {
        const row = graphRow(kind, line, from + i + 1);
        rows.append(row);
        if (folded && i >= first && i < lines.length - last) {
          hide(row);
          if (i === first) row.before(foldRow(lines.length - first - last));
        } else if (kind === "keep" && isCheck.test(row.row.text)) foldCheck(row);
      });
    });
  }

  /** Ops that look whether something holds: they stand between the author's, and say nothing of what a kernel computes. */
  const isCheck = /^\s*check\b/;

  function hide(element) {
    element.hidden = true;
    element.style.display = "none";
  }

  /** A check is a mark on the row before it, which shows it. */
  function foldCheck(element) {
    let before = element.previousElementSibling;
    while (before?.checked) before = before.previousElementSibling;
    if (!before?.row || before.hidden) return;
    hide(element);
    element.checked = true;
    let badge = before.querySelector(".checks");
    if (!badge) {
      badge = make("button", "checks");
      badge.type = "button";
      badge.title = "checks: a click shows them";
      badge.addEventListener("click", (event) => {
        event.stopPropagation();
        showChecks(before);
      });
      before.append(badge);
    }
    let count = 0;
    for (let next = before.nextElementSibling; next?.checked; next = next.nextElementSibling) count++;
    badge.textContent = count > 1 ? `✓ ${count}` : "✓";
  }

  function showChecks(row) {
    for (let next = row.nextElementSibling; next?.checked; next = next.nextElementSibling) {
      next.hidden = false;
      next.checked = false;
      next.style.display = "";
    }
    row.querySelector(".checks").remove();
  }

  /** Stands for the rows that follow it; a click shows them. */
  function foldRow(count) {
    const fold = make("div", "row fold", `⋯ ${count} lines`);
    fold.addEventListener("click", () => unfold(fold));
    return fold;
  }

  function unfold(fold) {
    let next = fold.nextElementSibling;
    for (; next?.hidden; next = next.nextElementSibling) {
      next.hidden = false;
      next.style.display = "";
    }
    fold.remove();
  }

  /** A folded row has to be seen: its fold opens. */
  function reveal(row) {
    if (!row.element.hidden) return;
    const isChecked = row.element.checked;
    let fold = row.element;
    if (isChecked) {
      while (fold.checked) fold = fold.previousElementSibling;
      showChecks(fold);
      return;
    }
    while (!fold.classList.contains("fold")) fold = fold.previousElementSibling;
    unfold(fold);
  }

  /** A drawing of what the program of the stage does, where there is one. */
  function showPicture() {
    const { stages, pictures } = kernel();
    const picture = pictures?.[stages[state.stage]?.picture];
    byId("picture").hidden = pictures === undefined;
    const drawing = picture && new DOMParser().parseFromString(picture, "image/svg+xml").documentElement;
    byId("picture").replaceChildren(heading("picture"), drawing || make("div", "note", "No picture of this one."));
  }

  // Stages.

  function countsOf(index) {
    const { stages } = kernel();
    if (index === 0) return { added: 0, removed: 0, said: `${stages[0].lines.length} lines` };
    const sum = (column) => stages[index].diff.reduce((all, count, i) => (i % 3 === column ? all + count : all), 0);
    const [removed, added] = [sum(1), sum(2)];
    const change = added + removed === 0 ? "no change" : `+${added} −${removed}`;
    return { added, removed, said: `${stages[index].lines.length} lines, ${change}` };
  }

  function showStages() {
    const { stages, error } = kernel();
    const nav = byId("stages");
    nav.replaceChildren();
    let level;
    stages.forEach((stage, i) => {
      if (stage.level !== level) nav.append(make("span", "level", stage.level));
      level = stage.level;
      const { added, removed } = countsOf(i);
      const button = make("button", i > 0 && added + removed === 0 ? "same" : "", stage.name);
      if (added > 0) button.append(make("span", "plus", `+${added}`));
      if (removed > 0) button.append(make("span", "minus", `−${removed}`));
      addStageButton(nav, button, i);
    });
    if (error !== undefined) addStageButton(nav, make("button", "error", "error"), stages.length);
  }

  function addStageButton(nav, button, index) {
    button.type = "button";
    button.dataset.stage = String(index);
    button.addEventListener("click", () => chooseStage(index));
    nav.append(button);
  }

  const stageCount = () => kernel().stages.length + (kernel().error === undefined ? 0 : 1);

  function chooseStage(index) {
    state.stage = Math.max(0, Math.min(stageCount() - 1, index));
    for (const button of byId("stages").querySelectorAll("button"))
      button.setAttribute("aria-current", String(button.dataset.stage === String(state.stage)));
    const top = byId("graph").scrollTop;
    showGraph();
    showPicture();
    byId("graph").scrollTop = top;
    // What was chosen in the graph is chosen by its place in the next stage, too.
    if (state.chosen?.column === "graph") state.chosen = columns.graph.find((row) => sameLink(row, state.chosen));
    light(state.chosen);
    search(false);
  }

  const sameLink = (a, b) => a.text.trim() === b.text.trim() && String(a.places) === String(b.places);

  function chooseKernel(index) {
    state.kernel = index;
    state.chosen = undefined;
    byId("kernels").selectedIndex = index;
    const { place, stages, error } = kernel();
    byId("place").textContent = place ? `${data.files[place[0]].name}:${place[1]}` : "";
    showSource();
    showPtx();
    showStages();
    // What the author wrote, unless something went wrong.
    chooseStage(error === undefined ? 0 : stages.length);
  }

  function chooseMode(changes) {
    state.changes = changes;
    byId("changes").setAttribute("aria-pressed", String(changes));
    byId("all").setAttribute("aria-pressed", String(!changes));
    chooseStage(state.stage);
  }

  // Links between the columns.

  /** How a row is related to the one that is looked at: "on" for the same place, "near" for the same line or a call on the way in. */
  function relation(row, target) {
    if (row.column === "source") {
      if (target.column === "source") return row === target ? "on" : "";
      const keys = target.places.map(lineKey);
      return keys[0] === row.line ? "on" : keys.includes(row.line) ? "near" : "";
    }
    const [innermost, ...calls] = row.places;
    if (!innermost) return "";
    if (target.column === "source") {
      if (lineKey(innermost) === target.line) return "on";
      return calls.some((place) => lineKey(place) === target.line) ? "near" : "";
    }
    if (exactKey(innermost) === exactKey(target.places[0])) return "on";
    return lineKey(innermost) === lineKey(target.places[0]) ? "near" : "";
  }

  let marked = [];
  /** Underlines the expression itself in the author's line. */
  function markExpression(row, place) {
    paint(row, place[2] - 1, lengths.get(exactKey(place)) ?? 1);
    marked.push(row);
  }

  /** Lights up what belongs to a row; nothing without one. */
  function light(target) {
    for (const row of marked) paint(row);
    marked = [];
    const counts = { source: 0, graph: 0, ptx: 0 };
    for (const name of names) {
      for (const row of columns[name]) {
        const how = target && target.places.length > 0 ? relation(row, target) : "";
        const { classList } = row.element;
        classList.toggle("on", how === "on");
        classList.toggle("near", how === "near");
        classList.toggle("chosen", row === state.chosen);
        if (how !== "on") continue;
        counts[name]++;
        if (name === "source" && target.column !== "source") markExpression(row, target.places[0]);
      }
    }
    tell(target, counts);
  }

  function tell(target, counts) {
    const status = byId("status");
    if (!target || target.places.length === 0) {
      status.textContent =
        "← → stages   / search   click: keep what is lit, and scroll to it   Esc: let go   d: changes or all lines";
      return;
    }
    const place =
      target.column === "source" ? `${data.files[target.places[0][0]].name}:${target.places[0][1]}` : tellPlaces(target.places);
    const many = (n, one, more) => `${n} ${n === 1 ? one : more}`;
    status.textContent = `${place}   ${many(counts.graph, "line of the graph", "lines of the graph")}, ${many(counts.ptx, "line of PTX", "lines of PTX")}`;
  }

  function scrollTo(row, block) {
    reveal(row);
    const [box, section] = [row.element.getBoundingClientRect(), byId(row.column)];
    const around = section.getBoundingClientRect();
    const heading = 28;
    if (block !== "start" && box.top >= around.top + heading && box.bottom <= around.bottom) return;
    const wanted = block === "start" ? heading : around.height / 3;
    section.scrollTop += box.top - around.top - wanted;
  }

  /** Which of the rows that are lit to scroll to: the first, but constants are often far from what uses them. */
  function mostTelling(rows) {
    const lit = (how) => rows.filter((row) => row.element.classList.contains(how));
    const [on, near] = [lit("on"), lit("near")];
    return on.find((row) => !/= const\b|^\s*\.loc\b/.test(row.text)) ?? on[0] ?? near[0];
  }

  function choose(row) {
    state.chosen = row;
    light(row);
    if (!row) return;
    for (const name of names) {
      if (name === row.column) continue;
      const found = mostTelling(columns[name]);
      if (found) scrollTo(found);
    }
  }

  const rowOf = (event) => event.target.closest?.(".row")?.row;

  for (const name of names) {
    byId(name).addEventListener("mouseover", (event) => {
      if (!state.chosen) light(rowOf(event));
    });
    byId(name).addEventListener("mouseleave", () => {
      if (!state.chosen) light(undefined);
    });
    byId(name).addEventListener("click", (event) => {
      const row = rowOf(event);
      if (row) choose(row === state.chosen || row.places.length === 0 ? undefined : row);
    });
  }

  // Search, in all three columns.

  function search(move) {
    const text = byId("search").value.toLowerCase();
    for (const row of state.hits) row.element.classList.remove("hit", "current");
    state.hits = text === "" ? [] : names.flatMap((name) => columns[name].filter((row) => row.text.toLowerCase().includes(text)));
    for (const row of state.hits) row.element.classList.add("hit");
    state.hit = -1;
    if (move) nextHit(1);
    else tellHits();
  }

  function nextHit(step) {
    const { hits } = state;
    if (hits.length === 0) return tellHits();
    hits[state.hit]?.element.classList.remove("current");
    state.hit = state.hit < 0 && step < 0 ? hits.length - 1 : (state.hit + step + hits.length) % hits.length;
    hits[state.hit].element.classList.add("current");
    scrollTo(hits[state.hit]);
    tellHits();
  }

  function tellHits() {
    const { hits, hit } = state;
    byId("found").textContent =
      byId("search").value === "" ? "" : hits.length === 0 ? "none" : `${hit < 0 ? "" : `${hit + 1} of `}${hits.length}`;
  }

  byId("search").addEventListener("input", () => search(true));
  byId("search").addEventListener("keydown", (event) => {
    if (event.key === "Enter") nextHit(event.shiftKey ? -1 : 1);
    if (event.key === "Escape") {
      byId("search").value = "";
      search(false);
      byId("search").blur();
    }
  });

  const keys = {
    ArrowLeft: () => chooseStage(state.stage - 1),
    ArrowRight: () => chooseStage(state.stage + 1),
    "/": () => byId("search").select(),
    d: () => chooseMode(!state.changes),
    Escape: () => choose(undefined),
  };
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, select");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });

  // Begin.

  for (const { title } of data.kernels) byId("kernels").append(make("option", "", title));
  byId("kernels").addEventListener("change", (event) => chooseKernel(event.target.selectedIndex));
  byId("changes").addEventListener("click", () => chooseMode(true));
  byId("all").addEventListener("click", () => chooseMode(false));
  chooseKernel(0);
  chooseMode(true);
})();
