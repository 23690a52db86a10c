// What the page does. Its data is the PageData of src/inspect/profile/page-types.ts; every text of it gets into the page as text, never as HTML.
// The functions of lanes.js stand before this in the same script.

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const timeline = byId("timeline");
  const canvas = timeline.querySelector("canvas");
  const pen = canvas.getContext("2d");

  const gutter = 190;
  const ruler = 24;
  /** Pixels that one step of the keyboard moves. */
  const step = 90;

  const state = {
    launch: 0,
    shown: kinds.map(() => true),
    rows: undefined,
    /** The time at the left edge, and how much of it a pixel is. */
    from: 0,
    perPixel: 1,
    top: 0,
    hovered: undefined,
    chosen: undefined,
  };
  const launch = () => data.launches[state.launch];
  const spans = () => launch().spans;

  function make(tag, className, text) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  }

  let colours = {};
  function readColours() {
    const style = getComputedStyle(document.documentElement);
    const names = [...kinds, "back", "bar", "line", "text", "dim", "gutter", "chosen", "link"];
    colours = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  }

  // The view.

  const width = () => canvas.clientWidth - gutter;
  const height = () => canvas.clientHeight - ruler;
  const view = () => ({ from: state.from, to: state.from + width() * state.perPixel, scale: 1 / state.perPixel });
  const timeAt = (x) => state.from + (x - gutter) * state.perPixel;

  function settle() {
    const { duration } = launch();
    const most = Math.max(1, duration) * 1.02;
    state.perPixel = Math.min(Math.max(state.perPixel, 1 / 400), most / Math.max(1, width()));
    state.from = Math.min(Math.max(state.from, -0.01 * most), Math.max(-0.01 * most, most - width() * state.perPixel));
    state.top = Math.max(0, Math.min(state.top, state.rows.height - height()));
    ask();
  }

  function zoom(factor, x = gutter + width() / 2) {
    const time = timeAt(x);
    const most = (Math.max(1, launch().duration) * 1.02) / Math.max(1, width());
    state.perPixel = Math.min(Math.max(state.perPixel * factor, 1 / 400), most);
    state.from = time - (x - gutter) * state.perPixel;
    settle();
  }

  function pan(x, y) {
    state.from += x * state.perPixel;
    state.top += y;
    settle();
  }

  function fit() {
    state.perPixel = Number.POSITIVE_INFINITY;
    state.from = 0;
    settle();
  }

  /** Brings a span into sight, with some of what is around it. */
  function show(index) {
    const { begin, end, lane } = spans();
    const length = Math.max(end[index] - begin[index], 1);
    if (length < 4 * state.perPixel || length > width() * state.perPixel) state.perPixel = (length * 5) / width();
    const middle = (begin[index] + end[index]) / 2;
    state.from = middle - (width() / 2) * state.perPixel;
    const rows = state.rows.groups.flatMap((group) => group.lanes).find((own) => own.lane === lane[index]);
    if (rows && (rows.top < state.top || rows.bottom > state.top + height())) state.top = rows.top - height() / 3;
    choose(index);
    settle();
  }

  // Drawing.

  let asked = false;
  /** Draws once before the next frame, however often it is asked for. */
  function ask() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  }

  function draw() {
    const ratio = devicePixelRatio || 1;
    const [w, h] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
      canvas.width = Math.round(w * ratio);
      canvas.height = Math.round(h * ratio);
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    pen.fillStyle = colours.back;
    pen.fillRect(0, 0, w, h);
    drawRuler(w, h);
    drawLanes(w, h);
    drawGutter(h);
    drawArrows(w, h);
    drawAround();
  }

  function drawRuler(w, h) {
    const seen = view();
    pen.fillStyle = colours.bar;
    pen.fillRect(0, 0, w, ruler);
    pen.strokeStyle = colours.line;
    pen.lineWidth = 1;
    for (const time of ticksOf(seen)) {
      const x = Math.round(gutter + (time - seen.from) * seen.scale) + 0.5;
      if (x < gutter) continue;
      pen.beginPath();
      pen.moveTo(x, ruler - 5);
      pen.lineTo(x, h);
      pen.stroke();
      pen.fillStyle = colours.dim;
      pen.fillText(timeText(time, launch().unit), x + 4, ruler / 2);
    }
  }

  /** Rows in sight, from the first one on. */
  function* rowsInSight(h) {
    const { rows } = state.rows;
    for (const row of rows) {
      const y = ruler + row.y - state.top;
      if (y + row.height < ruler || y > h) continue;
      yield [row, y];
    }
  }

  function drawLanes(w, h) {
    const seen = view();
    const all = spans();
    pen.save();
    pen.beginPath();
    pen.rect(gutter, ruler, w - gutter, h - ruler);
    pen.clip();
    for (const [row, y] of rowsInSight(h)) {
      drawRow(row, all, seen, (x, length, kind, index) => {
        const left = Math.max(gutter + x, gutter - 1);
        const right = Math.min(gutter + x + length, w + 1);
        pen.fillStyle = colours[kinds[kind]];
        pen.fillRect(left, y, Math.max(1, right - left - (length > 3 ? 0.6 : 0)), row.height - 1);
        if (index !== undefined && row.height > 9 && right - left > 34)
          write(barText(index), left + 4, y + row.height / 2, right - left - 8, kind);
      });
    }
    pen.restore();
  }

  /** What a place covers of the author's line. */
  function codeAt(place) {
    if (place < 0) return "";
    const [file, line, column, length] = data.places[place];
    return (data.files[file].lines[line] ?? "").slice(column - 1, column - 1 + length).trim();
  }

  /** Its name and the code that it comes from; of stretches of code the code alone. */
  function barText(index) {
    const all = spans();
    const [name, code] = [data.names[all.name[index]], codeAt(all.place[index])];
    if (code === "") return name;
    return kinds[all.kind[index]] === "code" ? code : `${name} · ${code}`;
  }

  function write(text, x, y, room, kind) {
    const most = Math.floor(room / 5.6);
    pen.font = `${kinds[kind] === "tile" || kinds[kind] === "mark" ? 9 : 11}px system-ui, sans-serif`;
    pen.fillStyle = kinds[kind] === "code" ? colours.text : "#ffffff";
    pen.fillText(text.length > most ? `${text.slice(0, Math.max(1, most - 1))}…` : text, x, y);
  }

  function drawGutter(h) {
    pen.fillStyle = colours.gutter;
    pen.fillRect(0, ruler, gutter, h - ruler);
    pen.fillStyle = colours.line;
    pen.fillRect(gutter - 1, 0, 1, h);
    pen.save();
    pen.beginPath();
    pen.rect(0, ruler, gutter - 4, h - ruler);
    pen.clip();
    for (const group of state.rows.groups) {
      const y = ruler + group.y - state.top;
      if (y > -20 && y < h) {
        pen.font = "600 11px system-ui, sans-serif";
        pen.fillStyle = colours.text;
        pen.fillText(blockText(launch().blocks[group.block]), 8, y + heights.block / 2);
        pen.font = "11px system-ui, sans-serif";
      }
      pen.fillStyle = colours.dim;
      for (const { lane, y: at } of group.lanes) {
        const middle = ruler + at - state.top + heights.main / 2;
        if (middle > ruler - 10 && middle < h + 10) pen.fillText(laneText(launch().lanes[lane]), 16, middle);
      }
    }
    pen.restore();
  }

  /** Where an arrow's end is drawn; undefined where its lane has no row. */
  function place(lane, time) {
    const rows = state.rows.groups.flatMap((group) => group.lanes).find((own) => own.lane === lane);
    return rows && { x: gutter + (time - state.from) / state.perPixel, y: ruler + rows.y - state.top + heights.main / 2 };
  }

  /** From what ended the chosen wait, where that is a warp. */
  function drawArrows(w, h) {
    const index = state.chosen;
    if (index === undefined || kinds[spans().kind[index]] !== "wait") return;
    const { arrows } = launch();
    for (let i = 0; i < arrows.length; i += 4) {
      if (arrows[i + 2] !== spans().lane[index] || Math.abs(arrows[i + 3] - spans().end[index]) > 1) continue;
      const [from, to] = [place(arrows[i], arrows[i + 1]), place(arrows[i + 2], arrows[i + 3])];
      if (!from || !to) continue;
      pen.save();
      pen.beginPath();
      pen.rect(gutter, ruler, w - gutter, h - ruler);
      pen.clip();
      pen.strokeStyle = colours.link;
      pen.lineWidth = 1.5;
      pen.beginPath();
      pen.moveTo(from.x, from.y);
      pen.bezierCurveTo(from.x + 24, from.y, to.x - 24, to.y, to.x, to.y);
      pen.stroke();
      pen.restore();
    }
  }

  /** Frames around the hovered and the chosen span. */
  function drawAround() {
    for (const [index, colour] of [
      [state.hovered, colours.text],
      [state.chosen, colours.chosen],
    ]) {
      if (index === undefined) continue;
      const row = state.rows.rows.find((own) => own.lane === spans().lane[index] && own.indices.includes(index));
      if (!row) continue;
      const y = ruler + row.y - state.top;
      const x = Math.max(gutter + (spans().begin[index] - state.from) / state.perPixel, gutter - 2);
      const end = gutter + (spans().end[index] - state.from) / state.perPixel;
      if (y < ruler - 2 || end < gutter) continue;
      pen.strokeStyle = colour;
      pen.lineWidth = 1.5;
      pen.strokeRect(x - 0.5, y - 0.5, Math.max(2, Math.min(end, canvas.clientWidth + 4) - x), row.height);
    }
  }

  // What a span is.

  const placeText = (place) => {
    const [file, line, column] = data.places[place];
    return `${data.files[file].name}:${line}:${column}`;
  };

  /** The author's line, what the place covers marked. */
  function sourceLine(place) {
    const [file, line, column, length] = data.places[place];
    const text = data.files[file].lines[line] ?? "";
    const element = make("span", "source");
    const [from, to] = [column - 1, column - 1 + Math.max(1, length)];
    if (text === "") return element;
    element.append(text.slice(0, from).trimStart(), make("mark", "", text.slice(from, to)), text.slice(to));
    return element;
  }

  function tell(index) {
    const all = spans();
    const { unit, lanes, blocks } = launch();
    const lane = lanes[all.lane[index]];
    const known = all.known[index] < 0 ? {} : data.known[all.known[index]];
    const box = make("div");
    const kind = kinds[all.kind[index]];
    box.append(make("b", "", `${kind === "wait" ? "waits for " : ""}${data.names[all.name[index]]}`));
    box.append(` · ${timeText(all.end[index] - all.begin[index], unit)}, from ${timeText(all.begin[index], unit)} on`);
    box.append(make("div", "place", `${blockText(blocks[lane.block])} · ${laneText(lane)} · ${kind}`));
    const more = Object.entries(known).map(([label, value]) => `${label} ${value}`);
    if (more.length > 0) box.append(make("div", "", more.join(" · ")));
    if (all.place[index] >= 0) {
      box.append(make("div", "place", placeText(all.place[index])));
      box.append(sourceLine(all.place[index]));
    }
    return box;
  }

  function choose(index) {
    state.chosen = index;
    const hint =
      "wheel, + and − zoom · drag and arrows move · 0 shows all · click chooses a span, n and p the next and the one before · w the longest waits";
    byId("chosen").replaceChildren(index === undefined ? make("span", "place", hint) : tell(index));
    ask();
  }

  function spanUnder(x, y) {
    if (x < gutter || y < ruler) return undefined;
    const row = state.rows.rows.find((own) => y >= ruler + own.y - state.top && y < ruler + own.y - state.top + own.height);
    return row && spanAt(row, spans(), timeAt(x), 1.5 * state.perPixel);
  }

  function hover(x, y) {
    const index = x === undefined ? undefined : spanUnder(x, y);
    const box = byId("hover");
    box.hidden = index === undefined;
    if (index !== undefined) {
      if (index !== state.hovered) box.replaceChildren(tell(index));
      box.style.left = `${Math.max(0, Math.min(x + 14, canvas.clientWidth - box.offsetWidth - 4))}px`;
      box.style.top = `${y + 18 + box.offsetHeight > canvas.clientHeight ? Math.max(0, y - box.offsetHeight - 10) : y + 18}px`;
    }
    if (index !== state.hovered) ask();
    state.hovered = index;
  }

  // Tables.

  const shareText = (part, whole) => (whole > 0 ? `${((100 * part) / whole).toFixed(1)} %` : "");

  function table(heads, rows) {
    const element = make("table");
    const head = make("tr");
    for (const [text, className] of heads) head.append(make("th", className, text));
    element.append(head);
    for (const { cells, go } of rows) {
      const row = make("tr", go ? "linked" : "");
      cells.forEach((cell, i) => {
        const td = make("td", heads[i][1]);
        td.append(cell);
        row.append(td);
      });
      if (go) {
        row.tabIndex = 0;
        row.addEventListener("click", go);
        row.addEventListener("keydown", (event) => event.key === "Enter" && go());
      }
      element.append(row);
    }
    return element;
  }

  const heading = (text, about) => {
    const element = make("h2", "", text);
    element.append(make("small", "", about));
    return element;
  };

  function where(text, place) {
    const cell = make("span");
    cell.append(text);
    if (place >= 0) {
      const [file, line] = data.places[place];
      const name = data.files[file].name;
      const source = make(
        "code",
        "",
        `${name.slice(name.lastIndexOf("/") + 1)}:${line}  ${(data.files[file].lines[line] ?? "").trim()}`,
      );
      source.title = placeText(place);
      cell.append(source);
    }
    return cell;
  }

  function roleTable({ summary, unit }) {
    const rows = summary.roles.map(({ role, warps, time, waiting }) => {
      const name = make("span", "", role);
      const bar = make("div", "bar");
      const part = make("div");
      part.style.width = `${time > 0 ? (100 * waiting) / time : 0}%`;
      bar.append(part);
      name.append(bar);
      return { cells: [name, String(warps), timeText(time / Math.max(1, warps), unit), shareText(waiting, time)] };
    });
    const heads = [["role"], ["warps", "number"], ["a warp", "number"], ["waits", "number"]];
    byId("roles").replaceChildren(heading("Who is idle", "share of their time that warps wait"), table(heads, rows));
  }

  /** The longest span of a kind that fits. */
  function longest(fits) {
    const all = spans();
    let best;
    for (let i = 0; i < all.kind.length; i++) {
      if (!fits(i)) continue;
      if (best === undefined || all.end[i] - all.begin[i] > all.end[best] - all.begin[best]) best = i;
    }
    return best;
  }

  function waitTable({ summary, unit, lanes }) {
    const all = spans();
    const time = summary.roles.reduce((n, { time: own }) => n + own, 0);
    const rows = summary.waits.map(({ role, on, place, count, time: own, longest: most }) => ({
      cells: [where(on, place), role, String(count), timeText(own, unit), shareText(own, time), timeText(most, unit)],
      go: () => {
        const found = longest(
          (i) =>
            kinds[all.kind[i]] === "wait" &&
            all.place[i] === place &&
            lanes[all.lane[i]].role === role &&
            data.names[all.name[i]].startsWith(on),
        );
        if (found !== undefined) show(found);
      },
    }));
    const heads = [["for"], ["who"], ["times", "number"], ["in all", "number"], ["share", "number"], ["longest", "number"]];
    byId("waits").replaceChildren(heading("What is waited for", "a click shows the longest"), table(heads, rows));
  }

  const withoutPhase = (name) => name.replace(/, phase \d+$/, "");

  /** Waits for the same, in whatever phase, at the same line, together: the longest first. */
  function equalWaits(longest) {
    const all = spans();
    const groups = new Map();
    for (const index of longest) {
      const key = `${withoutPhase(data.names[all.name[index]])} ${all.place[index]}`;
      groups.set(key, [...(groups.get(key) ?? []), index]);
    }
    return [...groups.values()];
  }

  function workTable({ summary, unit }) {
    const all = spans();
    const swatch = (kind, name) => {
      const cell = make("span");
      const colour = make("i", "swatch");
      colour.style.background = `var(--${kind})`;
      cell.append(colour, name);
      return cell;
    };
    const rows = summary.work.map(({ kind, name, place, count, bytes, mean, longest: most }) => ({
      cells: [
        where(swatch(kind, name), place),
        String(count),
        bytes > 0 ? `${(bytes / 1024).toFixed(1)} KiB` : "",
        timeText(mean, unit),
        timeText(most, unit),
      ],
      go: () => {
        const found = longest((i) => kinds[all.kind[i]] === kind && all.place[i] === place && data.names[all.name[i]] === name);
        if (found !== undefined) show(found);
      },
    }));
    const heads = [["what"], ["times", "number"], ["bytes", "number"], ["mean", "number"], ["longest", "number"]];
    byId("work").replaceChildren(heading("Under way", "from issue to landing"), table(heads, rows));
    const waits = equalWaits(summary.longestWaits).map(([index, ...more]) => ({
      cells: [
        where(more.length > 0 ? withoutPhase(data.names[all.name[index]]) : data.names[all.name[index]], all.place[index]),
        `${laneText(launch().lanes[all.lane[index]])}${more.length > 0 ? ` and ${more.length} more` : ""}`,
        timeText(all.end[index] - all.begin[index], unit),
      ],
      go: () => show(index),
    }));
    byId("work").append(heading("The longest waits", ""), table([["for"], ["who"], ["time", "number"]], waits));
  }

  function legend() {
    const counts = kinds.map(() => 0);
    for (const kind of spans().kind) counts[kind] += 1;
    byId("legend").replaceChildren(
      ...kinds.flatMap((kind, i) => {
        if (counts[i] === 0 || kind === "landing") return [];
        const button = make("button");
        button.type = "button";
        const colour = make("i", "swatch");
        colour.style.background = `var(--${kind})`;
        button.append(colour, `${kind} ${counts[i]}`);
        button.setAttribute("aria-pressed", String(state.shown[i]));
        button.addEventListener("click", () => {
          state.shown[i] = !state.shown[i];
          button.setAttribute("aria-pressed", String(state.shown[i]));
          state.rows = layOut(launch(), state.shown);
          settle();
        });
        return [button];
      }),
    );
  }

  function open(number) {
    state.launch = number;
    const one = launch();
    state.rows = layOut(one, state.shown);
    state.hovered = undefined;
    const extent = (of) => of.join(" × ");
    const lost = [
      ...(one.dropped > 0 ? [`${one.dropped} spans had no room`] : []),
      ...(one.unpaired > 0 ? [`${one.unpaired} ends of marks have no beginning`] : []),
      ...one.notes,
    ];
    const clock = one.unit === "ticks" ? "ticks of the emulator: an order of causes, not the time of a GPU" : "clock of the GPU";
    byId("about").textContent = [
      `${one.device} · grid ${extent(one.grid)} · block ${extent(one.block)} · ${timeText(one.duration, one.unit)} (${clock})`,
      ...lost,
    ].join(" · ");
    choose(undefined);
    legend();
    roleTable(one);
    waitTable(one);
    workTable(one);
    fit();
  }

  // What people do.

  let drag;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    drag = { x: event.offsetX, y: event.offsetY, moved: 0 };
    timeline.focus({ preventScroll: true });
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) return hover(event.offsetX, event.offsetY);
    const [x, y] = [event.offsetX - drag.x, event.offsetY - drag.y];
    drag = { x: event.offsetX, y: event.offsetY, moved: drag.moved + Math.abs(x) + Math.abs(y) };
    timeline.classList.add("dragged");
    hover(undefined);
    pan(-x, -y);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (drag && drag.moved < 4) choose(spanUnder(event.offsetX, event.offsetY));
    drag = undefined;
    timeline.classList.remove("dragged");
  });
  canvas.addEventListener("pointerleave", () => hover(undefined));
  canvas.addEventListener("dblclick", (event) => {
    const index = spanUnder(event.offsetX, event.offsetY);
    if (index !== undefined) show(index);
  });
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 16 : 1;
      const [x, y] = [event.deltaX * lines, event.deltaY * lines];
      if (event.shiftKey) pan(x + y, 0);
      else if (event.offsetX < gutter) pan(0, y);
      else {
        if (x !== 0) pan(x, 0);
        if (y !== 0) zoom(Math.exp(Math.max(-1, Math.min(1, y / 300))), event.offsetX);
      }
      hover(event.offsetX, event.offsetY);
    },
    { passive: false },
  );

  /** The next span of the chosen one's row, or the one before. */
  function beside(by) {
    const index = state.chosen;
    if (index === undefined) return;
    const row = state.rows.rows.find((own) => own.lane === spans().lane[index] && own.indices.includes(index));
    const next = row?.indices[row.indices.indexOf(index) + by];
    if (next !== undefined) show(next);
  }

  let nth = -1;
  function nextLongestWait() {
    const { longestWaits } = launch().summary;
    if (longestWaits.length === 0) return;
    nth = (nth + 1) % longestWaits.length;
    show(longestWaits[nth]);
  }

  const keys = {
    "+": () => zoom(0.7),
    "=": () => zoom(0.7),
    "-": () => zoom(1 / 0.7),
    0: fit,
    ArrowLeft: () => pan(-step, 0),
    ArrowRight: () => pan(step, 0),
    ArrowUp: () => pan(0, -step),
    ArrowDown: () => pan(0, step),
    PageUp: () => pan(0, -height()),
    PageDown: () => pan(0, height()),
    n: () => beside(1),
    p: () => beside(-1),
    w: nextLongestWait,
    Escape: () => choose(undefined),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input")) return;
    const act = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
    if (!act) return;
    event.preventDefault();
    act();
  });

  data.launches.forEach(({ kernel, grid }, i) => {
    const option = make("option", "", `${data.launches.length > 1 ? `${i + 1}. ` : ""}${kernel} [${grid.join(", ")}]`);
    option.value = String(i);
    byId("launches").append(option);
  });
  byId("launches").addEventListener("change", (event) => open(Number(event.target.value)));
  byId("fit").addEventListener("click", fit);
  byId("in").addEventListener("click", () => zoom(0.5));
  byId("out").addEventListener("click", () => zoom(2));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    readColours();
    ask();
  });
  readColours();
  if (data.launches.length > 0) {
    open(0);
    new ResizeObserver(() => settle()).observe(timeline);
  } else byId("about").textContent = "nothing was launched";
})();
