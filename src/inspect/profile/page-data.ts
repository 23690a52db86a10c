import type { Span } from "../../base/diag/index.ts";
import { kinds } from "./page/lanes.js";
import type { PageData, PageLaunch } from "./page-types.ts";
import { summarize } from "./summary.ts";
import type { ProfileData, ProfileSpan } from "./types.ts";

/** Gives each text a number, in the order in which they are met. */
class Numbered {
  readonly list: string[] = [];
  readonly #numbers = new Map<string, number>();

  of(text: string): number {
    const known = this.#numbers.get(text) ?? this.list.push(text) - 1;
    this.#numbers.set(text, known);
    return known;
  }
}

class Writer {
  readonly names = new Numbered();
  readonly known = new Numbered();
  readonly places = new Numbered();
  readonly files = new Numbered();

  place({ file, line, column, length }: Span): number {
    return this.places.of(JSON.stringify([this.files.of(file), line, column, length]));
  }

  #knownOf({ bytes, details, open }: ProfileSpan): number {
    if (bytes === undefined && details === undefined && !open) return -1;
    return this.known.of(JSON.stringify({ ...(bytes !== undefined && { bytes }), ...details, ...(open && { ended: "never" }) }));
  }

  launch(profile: ProfileData): PageLaunch {
    const { kernel, device, grid, block, cluster, unit, duration, dropped, unpaired, blocks, lanes, spans, notes = [] } = profile;
    const placeNumbers = profile.places.map((place) => this.place(place));
    const placeOf = (place: number | undefined): number => (place === undefined ? -1 : (placeNumbers[place] ?? -1));
    const summary = summarize(profile);
    const placed = <T extends { readonly place: number | undefined }>(of: readonly T[]): T[] =>
      of.map((one) => ({ ...one, place: placeOf(one.place) }));
    return {
      ...{ kernel, device, grid, block, cluster, unit, duration, dropped, unpaired, blocks, lanes, notes },
      spans: {
        kind: spans.map(({ kind }) => kinds.indexOf(kind)),
        name: spans.map(({ name }) => this.names.of(name)),
        lane: spans.map(({ lane }) => lane),
        begin: spans.map(({ begin }) => begin),
        end: spans.map(({ end }) => end),
        place: spans.map(({ place }) => placeOf(place)),
        known: spans.map((span) => this.#knownOf(span)),
      },
      arrows: profile.arrows.flatMap(({ from, to }) => [from.lane, from.at, to.lane, to.at]),
      summary: { ...summary, waits: placed(summary.waits), work: placed(summary.work) },
    };
  }
}

/** The data of the page. `textOf` gives a file of the author's, where it can be read. */
export function pageData(profiles: readonly ProfileData[], textOf: (file: string) => string | undefined): PageData {
  const writer = new Writer();
  const launches = profiles.map((profile) => writer.launch(profile));
  const places = writer.places.list.map((text) => JSON.parse(text) as PageData["places"][number]);
  const files = writer.files.list.map((name, file) => {
    const texts = textOf(name)?.split("\n");
    const used = new Set(places.flatMap(([of, line]) => (of === file ? [line] : [])));
    return { name, lines: Object.fromEntries([...used].map((line) => [line, texts?.[line - 1] ?? ""])) };
  });
  const known = writer.known.list.map((text) => JSON.parse(text) as PageData["known"][number]);
  return { launches, names: writer.names.list, places, files, known };
}
