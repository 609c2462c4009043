/** What a shell script contains: the words after each prefix, and which flags take a value. */
export interface Words {
  readonly after: readonly (readonly [beginning: string, words: readonly string[]])[];
  readonly valued: readonly string[];
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Commands and flags are in the script; the program is called for names only. */
function bashFunctions({ after, valued }: Words): string {
  const cases = after.map(
    ([beginning, words]) => `    ${quoted(beginning)}) _waymark_known=${quoted(words.join(' '))} ;;`,
  );
  return `_waymark_words() {
  _waymark_known=''
  case "$1" in
${cases.join('\n')}
  esac
}

_waymark() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" line='' word i
  local -a given
  given=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    given+=("$word")
    _waymark_words "$line"
    case " $_waymark_known " in *" $word "*) [[ $word == -* ]] || line="\${line:+$line }$word" ;; esac
  done
  COMPREPLY=()
  case ${quoted(` ${valued.join(' ')} = `)} in
  *" $prev "*) ;;
  *)
    _waymark_words "$line"
    [[ $cur == -* && $_waymark_known != -* ]] && _waymark_known='--help'
    if [[ $cur == -* || $_waymark_known != -* ]]; then
      COMPREPLY=($(compgen -W "$_waymark_known" -- "$cur"))
      return
    fi
    ;;
  esac
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <("\${COMP_WORDS[0]}" __complete -o table -- "\${given[@]}" ":$cur" 2>/dev/null)
}
`;
}

const bash = (words: Words) => `# waymark for bash. Put into ~/.bashrc: source <(waymark completion bash)
${bashFunctions(words)}
complete -o default -F _waymark waymark
`;

const zsh = (words: Words) => `#compdef waymark
# waymark for zsh. Put into ~/.zshrc: source <(waymark completion zsh)
autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
${bashFunctions(words)}
complete -o default -F _waymark waymark
`;

const fish = () => `# waymark for fish. Put into ~/.config/fish/config.fish: waymark completion fish | source
function __waymark_complete
    set -l words (commandline -opc)
    waymark __complete -o table -- $words[2..-1] ":"(commandline -ct) 2>/dev/null
end
complete -c waymark -a '(__waymark_complete)'
`;

const pwsh =
  () => `# waymark for PowerShell. Put into $PROFILE: waymark completion pwsh | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName waymark -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
    waymark __complete -o table '--' @words ":$wordToComplete" 2>$null | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
    }
}
`;

export const scripts = { bash, zsh, fish, pwsh } as const satisfies Readonly<Record<string, (words: Words) => string>>;
export type Shell = keyof typeof scripts;
