import type { CommandWords, OptionWords, Values } from "./words.ts";

const quoted = (text: string): string => `'${text.replace(/[\\']/g, (c) => `\\${c}`)}'`;

const first = "__fish_use_subcommand";
const seen = (name: string): string => quoted(`__fish_seen_subcommand_from ${name}`);

/** What the value of an option, or an argument, may be. */
const proposed = (values: Values): string => (values === "files" ? " -F" : values ? ` -a ${quoted(values.join(" "))}` : "");

function optionLine(condition: string, { flags, description, takesValue, mayTakeValue, values }: OptionWords): string {
  const names = flags.map((flag) => (flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`)).join(" ");
  const value = takesValue ? ` -x${values === "files" ? "" : proposed(values)}` : mayTakeValue ? proposed(values) : "";
  const kind = values === "files" && takesValue ? value.replace("-x", "-r -F") : value;
  return `complete -c warpsmith -n ${condition} ${names}${kind} -d ${quoted(description)}`;
}

function commandLines({ name, description, options, args }: CommandWords): readonly string[] {
  const [values] = args;
  return [
    `complete -c warpsmith -n ${first} -f -a ${name} -d ${quoted(description)}`,
    ...options.map((option) => optionLine(seen(name), option)),
    ...(values === undefined
      ? []
      : [`complete -c warpsmith -n ${seen(name)}${values === "files" ? " -F" : ` -f${proposed(values)}`}`]),
  ];
}

/** For fish 3. */
export function fishCompletion(own: CommandWords, commands: readonly CommandWords[]): string {
  return [
    "# fish completion of warpsmith: made by `warpsmith completion fish`",
    "complete -c warpsmith -f",
    ...own.options.map((option) => optionLine(first, option)),
    ...commands.flatMap(commandLines),
  ].join("\n");
}
