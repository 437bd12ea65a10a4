import { Argument, type Command } from 'commander';
import { cell } from '../../crds/cell.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { compareText } from '../../domain/kubernetes/canonical.ts';
import { show as showTinted } from './colour.ts';
import { badUsage, failed, type Shell } from './shell.ts';
import {
  kindCalled,
  layOut,
  listOf,
  outputOption,
  printObjects,
  shown,
  type ShownKind,
  type ShownObject,
  tableOf,
} from './output.ts';
import type { Options } from './options.ts';

/** What is to be shown: objects of a kind, all or those of some names. */
interface Wanted {
  readonly kind: ShownKind;
  readonly names: readonly string[];
}

/** Reads what is to be shown: nothing (all Cells), `web`, `freezes`, `freeze night`, `freeze/night`. */
function parseWanted(words: readonly string[]): Wanted {
  const [first, ...others] = words;
  if (first === undefined) return { kind: cell, names: [] };
  const kind = kindCalled(first);
  if (kind !== undefined) return { kind, names: others };
  if (!words.some((word) => word.includes('/'))) return { kind: cell, names: words };
  const pairs = words.map((word) => {
    const [prefix = '', name = '', ...more] = word.split('/');
    const named = kindCalled(prefix);
    if (named !== undefined && name !== '' && more.length === 0) return { kind: named, name };
    throw badUsage(
      `invalid name ${JSON.stringify(word)}: must be KIND/NAME with a kind of Okra. See kubectl api-resources --categories=okra.`,
    );
  });
  const kinds = new Set(pairs.map((pair) => pair.kind));
  if (kinds.size > 1)
    throw badUsage(
      'objects of several kinds cannot be shown in one table. Run the command once for each kind.',
    );
  return { kind: pairs[0]?.kind ?? cell, names: pairs.map(({ name }) => name) };
}

export function addGet(program: Command, shell: Shell): void {
  program
    .command('get')
    .description("Shows Cells, or other objects of Okra's kinds, in a table.")
    .addArgument(
      new Argument('[what...]', 'a Cell, a kind, a kind and names, or KIND/NAME; default: all Cells'),
    )
    .option('-A, --all-namespaces', 'in all namespaces')
    .option('-l, --selector <labels>', 'only objects with these labels')
    .addOption(outputOption(['json', 'yaml', 'wide', 'name']))
    .action(async (options: Options, words: string[]) => {
      const { kubernetes, namespace } = shell.session(options);
      const wanted = parseWanted(words);
      const objects = await read(kubernetes, wanted, {
        namespace: options.allNamespaces === true ? undefined : namespace,
        selector: options.selector,
      });
      show(shell, wanted, objects, options);
    });
}

async function read(
  kubernetes: KubernetesClient,
  { kind, names }: Wanted,
  { namespace, selector }: { readonly namespace: string | undefined; readonly selector: string | undefined },
): Promise<readonly ShownObject[]> {
  if (names.length === 0) {
    const all = await kubernetes.list<ShownObject>(kind, { namespace, labelSelector: selector });
    return all.toSorted((a, b) => compareText(idOf(a), idOf(b)));
  }
  if (namespace === undefined && kind.namespaced)
    throw badUsage('names and --all-namespaces are mutually exclusive.');
  return Promise.all(
    names.map(async (name) => {
      const found = await kubernetes.get<ShownObject>(kind, { namespace, name });
      if (found !== undefined) return found;
      const where = kind.namespaced ? ` in namespace ${namespace}` : '';
      throw failed(`${kind.kind} ${name} not found${where}. See okractl get ${kind.plural} -A.`);
    }),
  );
}

const idOf = ({ metadata: { namespace = '', name } }: ShownObject): string => `${namespace}/${name}`;

function show(
  shell: Shell,
  { kind, names }: Wanted,
  objects: readonly ShownObject[],
  { output, allNamespaces = false, color }: Options,
): void {
  const [only] = objects;
  const wide = output === 'wide';
  printObjects({ ...shell, show: (text) => showTinted(shell, text, color) }, output, {
    value: names.length === 1 && only !== undefined ? shown(only) : listOf(objects),
    names: objects.map(({ metadata }) => `${kind.kind.toLowerCase()}/${metadata.name}`),
    none: `No ${kind.plural} found${allNamespaces || !kind.namespaced ? '' : ' in this namespace; -A shows all namespaces'}.`,
    table: () => {
      const table = tableOf(kind, objects, { now: shell.now(), wide, namespaces: allNamespaces });
      return layOut(table, wide ? undefined : shell.screen?.columns());
    },
  });
}
