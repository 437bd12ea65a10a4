import type { Command } from 'commander';
import { badUsage, failed } from './exit.ts';
import type { Globals, Session, Shell } from './shell.ts';
import { showIn } from './show.ts';
import { plain } from './table.ts';
import { parseTarget, TARGET_HELP, type Target } from './target.ts';
import { nothingWatched, settledOf, type Settled, type Watched } from './watched.ts';

interface WatchOptions extends Globals {
  readonly allNamespaces?: boolean;
  readonly untilSettled?: boolean;
}

/** What is watched, and until when. */
interface Wish {
  /** One object; undefined: all of the namespace. */
  readonly target: Target | undefined;
  /** All when empty. */
  readonly namespaces: readonly string[];
  readonly untilSettled: boolean;
}

/** Adds `watch`. */
export function addWatch(program: Command, shell: Shell): void {
  program
    .command('watch')
    .description(
      'Shows one rollout, or all of a namespace, as they go: redrawn in a terminal, a line for each change elsewhere.',
    )
    .argument('[name]', TARGET_HELP)
    .option('-A, --all-namespaces', 'in all namespaces')
    .option(
      '--until-settled',
      'ends when nothing is left to do for the object: with status 0 when it serves what it is to serve, otherwise with 1',
    )
    .action(async (text: string | undefined, _options: unknown, command: Command) => {
      const { allNamespaces, untilSettled = false, ...globals } = command.optsWithGlobals<WatchOptions>();
      const session = shell.session(globals);
      const target = text === undefined ? undefined : parseTarget(text, session.namespace);
      if (untilSettled && target === undefined)
        throw badUsage('Expected the name of an object with --until-settled, got none.');
      const namespaces = allNamespaces === true ? [] : [session.namespace];
      const end = await watch(shell, session, { target, namespaces, untilSettled });
      if (end?.ok === true) shell.print(plain(end.message));
      if (end?.ok === false) throw failed(end.message);
    });
}

/** Watches until the person has seen enough, or the object is settled. */
async function watch(shell: Shell, session: Session, wish: Wish): Promise<Settled> {
  const ended = new AbortController();
  let watched: Watched = nothingWatched;
  let end: Settled;
  // What is watched by takes a while to load.
  const { follow } = await import('./follow.ts');
  const show = showIn(shell);
  try {
    await follow(session, wish, {
      signal: AbortSignal.any([shell.signal, ended.signal]),
      change: (by) => {
        watched = by(watched);
      },
      seen: () => {
        if (end !== undefined) return;
        show.update(watched);
        end = endOf(wish, watched);
        if (end !== undefined) ended.abort();
      },
    });
  } finally {
    show.end();
  }
  return end;
}

function endOf({ target, untilSettled }: Wish, { cells, policies, isWhole }: Watched): Settled {
  if (target === undefined || !untilSettled || !isWhole) return undefined;
  const { namespace, name } = target.key;
  return settledOf(target, target.kind === 'Cell' ? cells.get(`${namespace}/${name}`) : policies.get(name));
}
