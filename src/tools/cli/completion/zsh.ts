import type { CommandWords, OptionWords, Values } from "./words.ts";

/** In single quotes. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
/** Text in a specification of _arguments or _describe, where colons and brackets mean something. */
const escaped = (text: string): string => text.replace(/[\\:[\]]/g, (c) => `\\${c}`);

const action = (values: Values): string => (values === "files" ? "_files" : values ? `(${values.join(" ")})` : " ");

function optionSpec({ flags, description, takesValue, mayTakeValue, values }: OptionWords): readonly string[] {
  const said = `[${escaped(description)}]`;
  const value = takesValue ? `:value:${action(values)}` : mayTakeValue ? `::value:${action(values)}` : "";
  // `=-`: the value stands in the same word.
  return flags.map((flag) => quoted(`*${flag}${mayTakeValue ? "=-" : ""}${said}${value}`));
}

function commandCase({ name, options, args }: CommandWords): string {
  const places = args.map((values, i) =>
    quoted(`${i === args.length - 1 && args.length > 1 ? "*" : `${i + 1}`}:argument:${action(values)}`),
  );
  const specs = [...options.flatMap(optionSpec), ...places];
  return `    ${name})
      _arguments \\
        ${specs.join(" \\\n        ")} ;;`;
}

/** For zsh 5. */
export function zshCompletion(own: CommandWords, commands: readonly CommandWords[]): string {
  const described = commands.map(({ name, description }) => `    ${quoted(`${name}:${escaped(description)}`)}`);
  return `#compdef warpsmith
# zsh completion of warpsmith: made by \`warpsmith completion zsh\`
_warpsmith() {
  local -a commands
  commands=(
${described.join("\n")}
  )
  if (( CURRENT == 2 )); then
    if [[ $words[2] == -* ]]; then
      _arguments ${own.options.flatMap(optionSpec).join(" ")}
    else
      _describe -t commands command commands
    fi
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${commands.map(commandCase).join("\n")}
  esac
}
if [[ $funcstack[1] == _warpsmith ]]; then
  _warpsmith "$@"
else
  compdef _warpsmith warpsmith
fi`;
}
