import type { Command } from 'commander';
import { resources } from '../../crds/index.ts';

/** The shells that there are completions for. */
export const shells = ['bash', 'zsh', 'fish'] as const;

/** One of these shells. */
export type ShellName = (typeof shells)[number];

/** What a command takes, as far as it can be completed. */
export interface Completed {
  readonly name: string;
  readonly description: string;
  readonly options: readonly string[];
  /** Words that it takes. */
  readonly words: readonly string[];
  /** The plural of the kind whose objects it takes. */
  readonly objects: string | undefined;
}

const objectsOf: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'describe',
      'watch',
      'history',
      'plan',
      'pause',
      'resume',
      'promote',
      'abort',
      'retry',
      'approve',
      'rollback',
      'open',
    ].map((name) => [name, 'cells']),
  ),
  unfreeze: 'freezes',
  trace: 'awstargetgroups',
};

const wordsOf: Readonly<Record<string, readonly string[]>> = {
  get: resources.map(({ plural }) => plural),
  completion: shells,
};

/** Says what of a command line can be completed. */
export function completedOf(program: Command): readonly Completed[] {
  const shared = optionsOf(program);
  return program.commands.map((command) => {
    const name = command.name();
    return {
      name,
      description: command.description().split(/[.:]/)[0] ?? '',
      options: [...optionsOf(command), ...shared],
      words: [...command.commands.map((one) => one.name()), ...(wordsOf[name] ?? [])],
      objects: objectsOf[name],
    };
  });
}

const optionsOf = (command: Command): readonly string[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long }) => long ?? []);

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Writes the completion of a program for a shell. */
export function completionScript(program: Command, shell: ShellName): string {
  const commands = completedOf(program);
  switch (shell) {
    case 'bash':
      return bash(commands);
    case 'zsh':
      return zsh(commands);
    case 'fish':
      return fish(commands);
  }
}

const listing = (objects: string): string => `okractl get ${objects} -o name 2>/dev/null | cut -d/ -f2`;

function bash(commands: readonly Completed[]): string {
  const cases = commands.map(
    ({ name, options, words, objects }) =>
      `    ${name}) options=${quoted(options.join(' '))} words=${quoted(words.join(' '))}${objects === undefined ? '' : ` objects=${objects}`} ;;`,
  );
  return `# Completes okractl in bash: source <(okractl completion bash)
_okractl() {
  local current=\${COMP_WORDS[COMP_CWORD]} options='' words='' objects=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${quoted(commands.map(({ name }) => name).join(' '))} -- "$current"))
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")); return ;;
  esac
  if [ -n "$objects" ]; then words="$words $(okractl get "$objects" -o name 2>/dev/null | cut -d/ -f2)"; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _okractl okractl
`;
}

function zsh(commands: readonly Completed[]): string {
  const described = commands.map(({ name, description }) => `    ${quoted(`${name}:${description}`)}`);
  const cases = commands.map(({ name, options, words, objects }) => {
    const added = [
      ...(words.length === 0 ? [] : [`compadd -- ${words.join(' ')}`]),
      ...(objects === undefined ? [] : [`compadd -- $(${listing(objects)})`]),
    ];
    const otherwise = added.length === 0 ? '_files' : added.join('; ');
    return `    ${name}) if [[ $PREFIX == -* ]]; then compadd -- ${options.join(' ')}; else ${otherwise}; fi ;;`;
  });
  return `#compdef okractl
# Completes okractl in zsh: source <(okractl completion zsh)
_okractl() {
  local -a commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  case $words[2] in
${cases.join('\n')}
  esac
}
compdef _okractl okractl
`;
}

function fish(commands: readonly Completed[]): string {
  const lines = commands.flatMap(({ name, description, options, words, objects }) => {
    const inside = `complete -c okractl -n ${quoted(`__fish_seen_subcommand_from ${name}`)}`;
    return [
      `complete -c okractl -n __fish_use_subcommand -f -a ${name} -d ${quoted(description)}`,
      ...options.map((option) => `${inside} -l ${option.replace(/^--/, '')}`),
      ...(words.length === 0 ? [] : [`${inside} -f -a ${quoted(words.join(' '))}`]),
      ...(objects === undefined ? [] : [`${inside} -f -a ${quoted(`(${listing(objects)})`)}`]),
    ];
  });
  return `# Completes okractl in fish: okractl completion fish | source\n${lines.join('\n')}\n`;
}
