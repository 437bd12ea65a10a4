import { Argument, type Command } from 'commander';
import { cell } from '../../crds/cell.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { PrinterColumn } from '../../crds/resource.ts';
import type { Informed } from '../../watchers/event.ts';
import { inOneLine } from '../terminal-text.ts';
import { compareText } from '../../domain/kubernetes/canonical.ts';
import { formatKey, keyOf } from '../../domain/model/ids.ts';
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
    .option('-w, --watch', 'then print a row for each change, until interrupted')
    .addOption(outputOption(['json', 'yaml', 'wide', 'name']))
    .action(async (options: Options, words: string[]) => {
      const { output, selector, watch = false } = options;
      if (watch && output !== undefined && output !== 'wide')
        throw badUsage(`--watch prints rows, and cannot be combined with -o ${output}.`);
      const session = shell.session(options);
      const { kubernetes } = session;
      const wanted = parseWanted(words);
      const namespace = options.allNamespaces === true ? undefined : session.namespace;
      const objects = await read(kubernetes, wanted, { namespace, selector });
      show(shell, wanted, objects, options);
      if (watch) await watchRows(shell, { kubernetes, namespace }, { ...wanted, objects }, options);
    });
}

/** Prints a row for each change of objects that were shown, or that come later, until the signal. */
async function watchRows(
  shell: Shell,
  {
    kubernetes,
    namespace,
  }: { readonly kubernetes: KubernetesClient; readonly namespace: string | undefined },
  { kind, names, objects }: Wanted & { readonly objects: readonly ShownObject[] },
  options: Options,
): Promise<void> {
  // What is watched by takes a while to load.
  const [{ runInformer }, { troubleLog }] = await Promise.all([
    import('../../watchers/informer/informer.ts'),
    import('./follow.ts'),
  ]);
  const known = new Map(objects.map((object) => [idOf(object), object]));
  await runInformer<Informed>({
    kubernetes,
    kind,
    namespace: kind.namespaced ? namespace : undefined,
    labelSelector: options.selector,
    signal: shell.signal,
    log: troubleLog((why) => {
      if (why !== undefined) shell.warn(inOneLine(`cannot watch ${kind.plural}: ${why}`));
    }),
    onSynced: () => undefined,
    onEvent: ({ type, object }) => {
      const id = idOf(object);
      const isShown = known.get(id)?.metadata.resourceVersion === object.metadata.resourceVersion;
      if ((names.length > 0 && !names.includes(object.metadata.name)) || (isShown && type !== 'delete'))
        return;
      known.delete(id);
      if (type === 'delete') return shell.print(inOneLine(`${formatKey(keyOf(object))} deleted`));
      known.set(id, object);
      // Below the columns of all that were shown.
      showTinted(shell, rowsOf(shell, kind, [...known.values()], options).at(-1) ?? '', options.color);
    },
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
  options: Options,
): void {
  const { output, allNamespaces = false, color } = options;
  const [only] = objects;
  printObjects({ ...shell, show: (text) => showTinted(shell, text, color) }, output, {
    value: names.length === 1 && only !== undefined ? shown(only) : listOf(objects),
    names: objects.map(({ metadata }) => `${kind.kind.toLowerCase()}/${metadata.name}`),
    none: `No ${kind.plural} found${allNamespaces || !kind.namespaced ? '' : ' in this namespace; -A shows all namespaces'}.`,
    table: () => rowsOf(shell, kind, objects, options).join('\n'),
  });
}

/** What `-o wide` shows of a Cell besides what kubectl does, before the message. */
const more: readonly PrinterColumn[] = [
  { name: 'Reason', type: 'string', jsonPath: '.status.reason', priority: 1 },
  {
    name: 'For',
    type: 'date',
    jsonPath: '.status.conditions[?(@.type=="Progressing")].lastTransitionTime',
    priority: 1,
  },
  { name: 'Listener', type: 'string', jsonPath: '.spec.ingress[*].listenerARN', priority: 1 },
];

/** The lines of a table of objects, the first of them its headings. */
function rowsOf(
  shell: Shell,
  { kind, namespaced, printerColumns: all }: ShownKind,
  objects: readonly ShownObject[],
  { output, allNamespaces: namespaces = false }: Options,
): readonly string[] {
  const wide = output === 'wide';
  const columns: readonly PrinterColumn[] = all;
  const printerColumns = kind === cell.kind ? columns.toSpliced(-1, 0, ...more) : columns;
  const table = tableOf({ namespaced, printerColumns }, objects, { now: shell.now(), wide, namespaces });
  return layOut(table, wide ? undefined : shell.screen?.columns()).split('\n');
}
