import { Argument, type Command } from 'commander';
import { AWS_TARGET_GROUP, CELL, FREEZE, type KindRef } from '../../clients/kubernetes/kinds.ts';
import { resources } from '../../crds/index.ts';
import { given } from '../../domain/model/fields.ts';
import type { Globals, Shell } from './shell.ts';
import { visibleCommands } from '../help.ts';
import { inOneLine } from '../terminal-text.ts';

/** The hidden command that completes: its arguments are the words so far, the last of them begun. */
export const COMPLETE = '__complete';

// To kubectl: complete no names of files either.
const NO_FILES = ':4';

// Each asks okractl, leaves out what is meant for kubectl, and treats what stands behind a tab as a description.
const scripts = {
  bash: `# Completes okractl in bash: source <(okractl completion bash)
_okractl() {
  local IFS=$'\\n'
  COMPREPLY=($(okractl ${COMPLETE} -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | sed -e '/^:/d' -e $'s/\\t.*//'))
}
complete -o default -F _okractl okractl
`,
  zsh: `#compdef okractl
# Completes okractl in zsh: source <(okractl completion zsh)
_okractl() {
  local -a offers
  offers=(\${(f)"$(okractl ${COMPLETE} -- "\${(@)words[2,CURRENT]}" 2>/dev/null | sed -e '/^:/d' -e 's/:/\\\\:/g' -e $'s/\\t/:/')"})
  if (( $#offers )); then _describe okractl offers; else _files; fi
}
compdef _okractl okractl
`,
  fish: `# Completes okractl in fish: okractl completion fish | source
function __okractl
  set -l offers (okractl ${COMPLETE} -- (commandline -opc)[2..-1] (commandline -ct | string collect -a) 2>/dev/null | string match -v ':*')
  if set -q offers[1]
    printf '%s\\n' $offers
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c okractl -f -a '(__okractl)'
`,
} as const;

/** Adds `completion`, which prints the script of a shell, and what these scripts and kubectl ask. */
export function addCompletion(program: Command, shell: Shell): void {
  program
    .command('completion')
    .description('Prints the completion script of a shell, which completes commands, options and names.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts)))
    .action((_globals: Globals, name: keyof typeof scripts) => shell.write(scripts[name]));
  program
    .command(COMPLETE, { hidden: true })
    .argument('[words...]')
    .action(async (_globals: Globals, words: readonly string[]) => {
      const begun = words.at(-1) ?? '';
      const offers = (await offersFor(words.slice(0, -1), begun, { shell, program })).filter(([word]) =>
        word.startsWith(begun),
      );
      // A tab stands before what a word means.
      for (const offer of offers) shell.write(`${offer.map((word = '') => inOneLine(word)).join('\t')}\n`);
      shell.print(NO_FILES);
    });
}

type Offer = readonly [word: string, description?: string];

async function offersFor(
  words: readonly string[],
  begun: string,
  { shell, program }: { readonly shell: Shell; readonly program: Command },
): Promise<readonly Offer[]> {
  const commands = visibleCommands(program);
  const { plain, globals } = readWords(words, program);
  const command = commands.find((one) => one.name() === plain[0]);
  if (begun.startsWith('-'))
    return [...(command === undefined ? [] : optionsOf(command)), ...optionsOf(program)].map((one) => [one]);
  if (plain.length === 0)
    return commands.map((one) => [one.name(), one.description().split(/[.:]/)[0] ?? '']);
  if (command === undefined) return [];
  const choices = [
    ...command.commands.map((one) => one.name()),
    ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    ...(command.name() === 'get' ? resources.map(({ plural }) => plural) : []),
  ];
  return [...choices, ...(await namesFor(command, shell, globals))].map((word) => [word]);
}

const optionsOf = (command: Command): readonly string[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long }) => long ?? []);

/** The words that are no options nor their values, and what they say of where to look. */
function readWords(words: readonly string[], program: Command) {
  const plain: string[] = [];
  const said: Record<string, string> = {};
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!word.startsWith('-')) {
      plain.push(word);
      continue;
    }
    const [name = '', inWord] = word.split('=', 2);
    const known = [program, ...program.commands]
      .flatMap(({ options }) => options)
      .find(({ long, short }) => long === name || short === name);
    const takes = known?.required === true || known?.optional === true;
    const value = inWord ?? (takes ? words[(at += 1)] : undefined);
    if (known !== undefined && value !== undefined) said[known.attributeName()] = value;
  }
  const { namespace, context, kubeconfig } = said;
  return { plain, globals: given({ namespace, context, kubeconfig }) satisfies Globals };
}

const CELLS = 'describe watch history plan pause resume promote abort retry approve rollback open';

const kindOf: Readonly<Record<string, KindRef>> = {
  ...Object.fromEntries(CELLS.split(' ').map((name) => [name, CELL])),
  unfreeze: FREEZE,
  trace: AWS_TARGET_GROUP,
};

/** The names of the objects that a command takes; none where they cannot be read, since nobody can be told. */
async function namesFor(command: Command, shell: Shell, globals: Globals): Promise<readonly string[]> {
  const kind = kindOf[command.name()];
  if (kind === undefined) return [];
  try {
    const { kubernetes, namespace } = shell.session(globals);
    const where = kind.namespaced ? { namespace } : {};
    const found = await kubernetes.list<{ readonly metadata: { readonly name: string } }>(kind, where);
    return found.map(({ metadata }) => metadata.name);
  } catch {
    return [];
  }
}
