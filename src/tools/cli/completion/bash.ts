import type { CommandWords, OptionWords, Values } from "./words.ts";

const quoted = (words: readonly string[]): string => `'${words.join(" ").replaceAll("'", "'\\''")}'`;

/** Proposes what may stand there. */
const propose = (values: Values): string =>
  values === "files" ? "_warpsmith_files" : values ? `_warpsmith_words ${quoted(values)}` : ":";

/** Both forms of an option whose value stands behind `=`. */
const forms = ({ flags, mayTakeValue, values }: OptionWords): readonly string[] =>
  mayTakeValue && Array.isArray(values) ? [...flags, ...values.map((value) => `${flags.at(-1)}=${value}`)] : flags;

function valueCases({ name, options }: CommandWords): readonly string[] {
  return options
    .filter(({ takesValue }) => takesValue)
    .map(({ flags, values }) => `    ${flags.map((flag) => `'${name} ${flag}'`).join("|")}) ${propose(values)}; return ;;`);
}

function commandCase({ name, options, args }: CommandWords): string {
  const places = args.map((values, i) => `        ${i === args.length - 1 ? "*" : i}) ${propose(values)} ;;`);
  const inner = places.length > 0 ? `\n      case $place in\n${places.join("\n")}\n      esac` : "";
  return `    ${name})
      if [[ $cur == -* ]]; then _warpsmith_words ${quoted(options.flatMap(forms))}; return; fi${inner} ;;`;
}

/** Of a command that passes on what stands behind its first argument: files, whatever they begin with. */
const passed = (commands: readonly CommandWords[]): string =>
  commands
    .filter(({ passesOn }) => passesOn)
    .map(({ name }) => name)
    .join("|");

const takingValue = (commands: readonly CommandWords[]): string =>
  [...new Set(commands.flatMap(({ options }) => options.filter((o) => o.takesValue).flatMap(({ flags }) => flags)))].join("|");

/** For bash 3.2 and later. */
export function bashCompletion(own: CommandWords, commands: readonly CommandWords[]): string {
  return `# bash completion of warpsmith: made by \`warpsmith completion bash\`
_warpsmith_words() {
  COMPREPLY=( $(compgen -W "$1" -- "$cur") )
}
_warpsmith_files() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=( $(compgen -f -- "$cur") )
}
_warpsmith() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command= place=0 i word
  COMPREPLY=()
  for (( i = 1; i < COMP_CWORD; i++ )); do
    word=\${COMP_WORDS[i]}
    case $word in
      ${takingValue(commands)}) i=$((i + 1)) ;;
      -*) ;;
      *) if [[ -z $command ]]; then command=$word; else place=$((place + 1)); fi ;;
    esac
  done
  if [[ -z $command ]]; then
    if [[ $cur == -* ]]; then _warpsmith_words ${quoted(own.options.flatMap(forms))}
    else _warpsmith_words ${quoted(commands.map(({ name }) => name))}; fi
    return
  fi
  case $command in
    ${passed(commands)}) if (( place > 0 )); then _warpsmith_files; return; fi ;;
  esac
  case "$command $prev" in
${commands.flatMap(valueCases).join("\n")}
  esac
  case $command in
${commands.map(commandCase).join("\n")}
  esac
}
complete -F _warpsmith warpsmith`;
}
