import { Command } from 'commander';
import { AWS_TARGET_GROUP, CELL, FREEZE, type KindRef } from '../../clients/kubernetes/kinds.ts';
import { completedOf, type Completed } from './completion-script.ts';
import type { Globals, Shell } from './shell.ts';
import { inOneLine } from '../terminal-text.ts';

/** A word that may stand there, and what it means. */
type Offer = readonly [word: string, description?: string];

// To kubectl: complete no names of files either.
const NO_FILES = ':4';

const kinds: Readonly<Record<string, KindRef>> = {
  cells: CELL,
  freezes: FREEZE,
  awstargetgroups: AWS_TARGET_GROUP,
};

/** Makes what kubectl asks for the completion of `kubectl okra`: its arguments are the words so far, the last of them begun. */
export const completing = (shell: Shell, okractl: Command): Command =>
  new Command('kubectl_complete-okra')
    .exitOverride()
    .argument('[words...]')
    .action(async (words: readonly string[]) => {
      const begun = words.at(-1) ?? '';
      const offers = (await offersFor(words.slice(0, -1), begun, { shell, okractl })).filter(([word]) =>
        word.startsWith(begun),
      );
      // A tab stands before what a word means.
      for (const offer of offers) shell.write(`${offer.map((word = '') => inOneLine(word)).join('\t')}\n`);
      shell.print(NO_FILES);
    });

async function offersFor(
  words: readonly string[],
  begun: string,
  { shell, okractl }: { readonly shell: Shell; readonly okractl: Command },
): Promise<readonly Offer[]> {
  const commands = completedOf(okractl);
  const { plain, globals } = readWords(words, okractl);
  const command = commands.find(({ name }) => name === plain[0]);
  if (begun.startsWith('-')) return (command?.options ?? optionsOf(okractl)).map((option): Offer => [option]);
  if (plain.length === 0) return commands.map(({ name, description }): Offer => [name, description]);
  if (command === undefined) return [];
  const listed = await namesFor(command, shell, globals);
  return [...command.words, ...listed].map((word): Offer => [word]);
}

const optionsOf = (command: Command): readonly string[] => command.options.flatMap(({ long }) => long ?? []);

/** The words that are no options nor their values, and what they say of where to look. */
function readWords(
  words: readonly string[],
  okractl: Command,
): { readonly plain: readonly string[]; readonly globals: Globals } {
  const plain: string[] = [];
  const said: Record<string, string> = {};
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!word.startsWith('-')) {
      plain.push(word);
      continue;
    }
    const [name = '', given] = word.split('=', 2);
    const known = [okractl, ...okractl.commands]
      .flatMap(({ options }) => options)
      .find(({ long, short }) => long === name || short === name);
    const takes = known?.required === true || known?.optional === true;
    const value = given ?? (takes ? words[(at += 1)] : undefined);
    if (known !== undefined && value !== undefined) said[known.attributeName()] = value;
  }
  const { namespace, context, kubeconfig } = said;
  return {
    plain,
    globals: {
      ...(namespace === undefined ? {} : { namespace }),
      ...(context === undefined ? {} : { context }),
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
    },
  };
}

/** The names of the objects that a command takes; none where they cannot be read, since nobody can be told. */
async function namesFor({ objects }: Completed, shell: Shell, globals: Globals): Promise<readonly string[]> {
  const kind = objects === undefined ? undefined : kinds[objects];
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
