/** What warps do to memory by their instructions, one access for each execution, or for several that nothing stands between. */

import type { Instruction } from "../../../../ptx/parse/index.ts";
import { traitsOf } from "../../../../ptx/parse/index.ts";
import type { Warp } from "../../../machine/warp.ts";
import { constantsOf, storedConstant } from "../constants.ts";
import type { CheckContext } from "../context.ts";
import type { Access, Agent, Source, Sources } from "./access.ts";
import { laneAgent } from "./agents.ts";
import type { Home } from "./clock.ts";

/** Accesses that order memory or are atomic (PTX ISA 8.4, "strong operations"). */
function strengthOf(i: Instruction | undefined): Access["strong"] {
  if (!i) return "";
  const { access } = traitsOf(i);
  const { order, scope } = i.opcode.modifiers;
  const isAtomic = access === "atomic" || access === "reduction";
  if (!isAtomic && (order === undefined || order === "" || order === "weak")) return "";
  return scope === "cta" || scope === "cluster" ? scope : "wide";
}

/** Takes memory to be read-only: `ld.global.nc`, `ldu`, texture fetches. PTX ISA 9.7.9.9, 9.7.9.10, 9.7.10. */
const isNonCoherent = (i: Instruction | undefined): boolean =>
  i?.opcode.modifiers.nc === "nc" || traitsOf(i).nonCoherent === true;

/** What all executions of an instruction have in common. */
type Site = Pick<Access, "at" | "writes" | "strong" | "nonCoherent" | "value">;

/** There are many of them: they hold what differs. */
class WarpAccess implements Access {
  readonly #source: WarpSource;
  readonly tick: number;

  constructor(source: WarpSource, tick: number) {
    this.#source = source;
    this.tick = tick;
  }

  by(at: number): Access {
    return this.#source.all.of(at, this.#source.writes).access(this.tick);
  }
  get home(): Access["home"] {
    return this.#source.home;
  }
  get slot(): number {
    return this.#source.slot;
  }
  get agent(): Agent {
    return this.#source.all.agent;
  }
  get at(): number {
    return this.#source.site.at;
  }
  get writes(): boolean {
    return this.#source.writes;
  }
  get strong(): Access["strong"] {
    return this.#source.site.strong;
  }
  get nonCoherent(): boolean {
    return this.#source.nonCoherent;
  }
  get value(): string | undefined {
    return this.#source.site.value;
  }
  get proxy(): "generic" {
    return "generic";
  }
}

class WarpSource implements Source {
  readonly all: WarpSources;
  readonly site: Site;
  readonly home: Source["home"];
  readonly slot: number;
  readonly writes: boolean;
  readonly strong: Source["strong"];
  readonly nonCoherent: boolean;
  #last: Access | undefined;
  #older: Access | undefined;

  constructor(all: WarpSources, site: Site) {
    this.all = all;
    this.site = site;
    this.home = all.home;
    this.slot = all.slot;
    this.writes = site.writes;
    this.strong = site.strong;
    this.nonCoherent = site.nonCoherent ?? false;
  }

  access(tick: number): Access {
    if (this.#last?.tick === tick) return this.#last;
    if (this.#older?.tick === tick) return this.#older;
    const made = new WarpAccess(this, tick);
    if (this.#last && this.#last.tick > tick) this.#older = made;
    else this.#last = made;
    return made;
  }
}

/** Those of one warp. */
export class WarpSources implements Sources {
  readonly home: Source["home"];
  readonly slot: number;
  readonly agent: Agent;
  readonly #sites: Sites;
  readonly #all: (WarpSource | undefined)[] = [];

  constructor({ warp, home, slot }: { readonly warp: Warp; readonly home: Home; readonly slot: number }, sites: Sites) {
    this.home = home;
    this.slot = slot;
    this.agent = laneAgent(warp);
    this.#sites = sites;
  }

  of(index: number, writes: boolean): WarpSource {
    const place = 2 * index + Number(writes);
    let source = this.#all[place];
    if (!source) {
      source = new WarpSource(this, this.#sites.of(index, writes));
      this.#all[place] = source;
    }
    return source;
  }
}

/** Of all warps of a launch. */
export class Sites {
  readonly #c: CheckContext;
  readonly #all: (Site | undefined)[] = [];

  constructor(c: CheckContext) {
    this.#c = c;
  }

  of(at: number, writes: boolean): Site {
    const place = 2 * at + Number(writes);
    const known = this.#all[place];
    if (known) return known;
    const instruction = this.#c.program.instructions[at];
    const [strong, nonCoherent] = [strengthOf(instruction), isNonCoherent(instruction)];
    const value = writes && instruction ? storedConstant(instruction, constantsOf(this.#c.program.instructions)) : undefined;
    const site: Site = { at, writes, strong, nonCoherent, value };
    this.#all[place] = site;
    return site;
  }
}
