import { type ClientContext, type Command, type Options, UsageError } from '../command.ts';
import { EXIT } from './exit-codes.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

type Commands = Readonly<Record<string, Command<ClientContext>>>;

/** Returns the command that prints completion scripts of commands. */
export const completionOf = (commands: Commands): Command<ClientContext> => ({
  usage: `<${SHELLS.join('|')}>`,
  summary: 'Prints a completion script for your shell.',
  details: [
    'bash    eval "$(chorus completion bash)", in ~/.bashrc',
    'zsh     eval "$(chorus completion zsh)", in ~/.zshrc after compinit',
    'fish    chorus completion fish > ~/.config/fish/completions/chorus.fish',
  ].join('\n'),
  actions: SHELLS,
  async run([shell, ...more], _context, _options: Options) {
    const known = SHELLS.find((one) => one === shell);
    if (known === undefined || more.length > 0) throw new UsageError(`Specify a shell: ${SHELLS.join(', ')}.`);
    process.stdout.write(`${WRITERS[known](commands)}\n`);
    return EXIT.done;
  },
});

const WRITERS: Record<(typeof SHELLS)[number], (commands: Commands) => string> = {
  bash: (commands) => `${wordsFunction(commands)}
_chorus() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words
  words="$(_chorus_words "$COMP_CWORD" "\${COMP_WORDS[1]}" "$word")"
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _chorus chorus`,

  zsh: (commands) => `${wordsFunction(commands)}
_chorus() {
  local found
  found=($(_chorus_words "$((CURRENT - 1))" "\${words[2]}" "\${words[CURRENT]}"))
  compadd -a found
  (( \${#found} )) || _files
}
compdef _chorus chorus`,

  fish: (commands) =>
    Object.entries(commands)
      .flatMap(([name, { summary, actions = [], options = {} }]) => {
        const isFirst = "-n '__fish_use_subcommand'";
        const isWithin = `-n '__fish_seen_subcommand_from ${name}'`;
        return [
          `complete -c chorus -f ${isFirst} -a ${name} -d ${quote(summary)}`,
          ...(actions.length > 0 ? [`complete -c chorus ${isWithin} -a ${quote(actions.join(' '))}`] : []),
          ...Object.entries(options).map(
            ([option, { type }]) => `complete -c chorus ${isWithin} -l ${option}${type === 'string' ? ' -r' : ''}`,
          ),
        ];
      })
      .join('\n'),
};

/** Prints the words that may follow, by position, command, and the beginning of the word. */
function wordsFunction(commands: Commands): string {
  const cases = Object.entries(commands).map(([name, { actions = [], options = {} }]) => {
    const flags = Object.keys(options).map((option) => `--${option}`);
    return `    ${name}) actions="${actions.join(' ')}"; options="${flags.join(' ')}" ;;`;
  });
  return `_chorus_words() {
  local actions= options=
  if [ "$1" -eq 1 ]; then echo "${[...Object.keys(commands), 'help'].join(' ')}"; return; fi
  case "$2" in
${cases.join('\n')}
    help) actions="${Object.keys(commands).join(' ')}" ;;
  esac
  case "$3" in
    -*) echo "$options" ;;
    *) if [ "$1" -eq 2 ]; then echo "$actions"; fi ;;
  esac
}`;
}

const quote = (text: string): string => `'${text.replaceAll("'", "\\'")}'`;
