import { type CourtCase, kindOf } from "./court-case.ts";
import { type Answer, readSanitized, type Sanitized, type Tool, tools } from "./sanitized.ts";

/** What the emulator has said of a broken one. */
export interface Said {
  readonly code: string;
  readonly kind: "error" | "warning";
}

const titles: Readonly<Record<string, string>> = {
  "async-proxy": "The asynchronous proxy",
  mbarriers: "mbarriers",
  wgmma: "wgmma",
  registers: "Registers",
  "tma-stores": "TMA stores",
  maps: "Tensor maps",
  "cp-async": "`cp.async`",
  clusters: "Clusters",
  "dependent-launches": "Programmatic dependent launch",
  "block-barriers": "Barriers of a block",
  "shared-memory": "Shared memory",
  warps: "Lanes of a warp",
  "global-memory": "Blocks and global memory",
  scopes: "Scopes",
  bounds: "Bounds",
};

/** "[Fuser 1967](…)". */
function linkOf(link: string): string {
  const [, repository, number] = /github\.com\/[^/]+\/([^/]+)\/(?:issues|pull)\/(\d+)$/.exec(link) ?? [];
  return `[${repository} ${number}](${link})`;
}

const words: Readonly<Record<Answer, string>> = { named: "named", silent: "–", hangs: "hangs", "no answer": "not asked" };

function rowOf(bug: CourtCase, said: Said | undefined, sanitized: Sanitized | undefined): string {
  const answers = tools.map((tool) => words[sanitized?.broken[bug.name]?.[tool] ?? "no answer"]);
  const own = said ? `[${said.code}](errors.md#${said.code.toLowerCase()})${said.kind === "warning" ? ", a warning" : ""}` : "?";
  const cells = [
    `\`${bug.name.slice(bug.name.indexOf("/") + 1)}\``,
    `${bug.what} *Mended:* ${bug.mended}`,
    bug.links.map(linkOf).join(", "),
    own,
    ...answers,
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function summary(court: readonly CourtCase[], said: ReadonlyMap<string, Said>, sanitized: Sanitized | undefined): string {
  const warnings = [...said.values()].filter(({ kind }) => kind === "warning").length;
  const own = `The emulator names ${said.size} of ${court.length} by default, ${said.size - warnings} as errors and ${warnings} as warnings, and says nothing of the mended twins.`;
  if (!sanitized) return own;
  const of = (name: string): readonly Answer[] => Object.values(sanitized.broken[name] ?? {});
  const named = (tool: Tool): number => court.filter(({ name }) => sanitized.broken[name]?.[tool] === "named").length;
  const asked = court.filter(({ name }) => sanitized.broken[name] !== undefined).length;
  const any = court.filter(({ name }) => of(name).includes("named")).length;
  const hang = court.filter(({ name }) => !of(name).includes("named") && of(name).includes("hangs")).length;
  const alarms = Object.entries(sanitized.mended).flatMap(([kind, answers]) =>
    tools.filter((tool) => answers[tool] === "named").map((tool) => `${tool} under \`${kind.slice(0, -1)}\``),
  );
  return `${own}
compute-sanitizer ${sanitized.version} names ${any} of ${asked} on an ${sanitized.card}, its four tools together (${tools.map((tool) => `${tool} ${named(tool)}`).join(", ")}); ${hang} more never end under it, without a word.${
    alarms.length > 0 ? ` Of mended twins it reports some, too: ${alarms.join(", ")}.` : ""
  }`;
}

export function courtPage(court: readonly CourtCase[], said: ReadonlyMap<string, Said>): string {
  const sanitized = readSanitized();
  const kinds = [...new Set(court.map(kindOf))];
  const tables = kinds.map((kind) => {
    const rows = court.filter((bug) => kindOf(bug) === kind).map((bug) => rowOf(bug, said.get(bug.name), sanitized));
    return `## ${titles[kind] ?? kind}

| case | what goes wrong | reported in | here | ${tools.join(" | ")} |
|---|---|---|---|${tools.map(() => "---|").join("")}
${rows.join("\n")}
`;
  });
  return `<!-- Written by test/court/court.test.ts: UPDATE=1 npx vitest run test/court/court.test.ts -->

# The court: public bugs, and who names them

Races, hangs and misuse that people have met in public projects for NVIDIA GPUs, each written anew as a small kernel, with a mended twin that differs by one idea.
${summary(court, said, sanitized)}

- *here*: what \`openDevice("emulator")\` says without any option, under its first schedule. Cases that need a warning are kernels of this language, which warn by default; the
  others are PTX, as another compiler would have made it, or kernels of this language.
- *compute-sanitizer*: each broken kernel was launched in a process of its own under each tool with its default options, by
  \`test/court/sanitizer.ts\` (driver ${sanitized?.driver}), once. *hangs*: nothing was said within 20 seconds, and the kernel did not end. *not asked*: the case has changed since.
- A case shows the kind of mistake, not the project's code, and some projects have mended it in another way. A few reports are of reviews or of bugs made on purpose; they say so.

The kernels are in \`test/court\`; \`npx vitest run test/court\` asks again.

${tables.join("\n")}`;
}
