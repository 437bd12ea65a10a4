import type { Command } from 'commander';
import { AWS_TARGET_GROUP } from '../../clients/kubernetes/kinds.ts';
import { mustBeLet } from './allowed.ts';
import { badUsage, failed } from './exit.ts';
import type { Globals, Session, Shell } from './shell.ts';
import { showIn } from './show.ts';
import { inOneLine } from '../terminal-text.ts';
import { parseTarget, TARGET_HELP, type Target } from './target.ts';
import { endIn, havingAll, nothingWatched, type KnownEnd, type Settled, type Watched } from './watched.ts';

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
      'Follows one rollout, or all of a namespace: redrawn in a terminal, otherwise one line for each change.',
    )
    .argument('[name]', TARGET_HELP)
    .option('-A, --all-namespaces', 'in all namespaces')
    .option(
      '--until-settled',
      'exit when okrad has seen the current state and has nothing left to do for the object: status 0 when it serves what it should serve, otherwise 1',
    )
    .action(async (text: string | undefined, _options: unknown, command: Command) => {
      const { allNamespaces, untilSettled = false, ...globals } = command.optsWithGlobals<WatchOptions>();
      const session = shell.session(globals);
      const target = text === undefined ? undefined : parseTarget(text, session.namespace);
      if (untilSettled && target === undefined)
        throw badUsage('Expected the name of an object with --until-settled, got none.');
      if (untilSettled && target?.kind === 'Cell') await mustBeLetReadGroups(session, target);
      const namespaces = allNamespaces === true ? [] : [session.namespace];
      const end = await watch(shell, session, { target, namespaces, untilSettled });
      if (end?.ok === true) shell.print(inOneLine(end.message));
      if (end?.ok === false) throw failed(end.message);
    });
}

/** Without the target groups nobody knows whether a status is of what is there now. */
async function mustBeLetReadGroups(session: Session, { key: { namespace } }: Target): Promise<void> {
  const wishes = ['list', 'watch'].map((verb) => ({ verb, kind: AWS_TARGET_GROUP, key: { namespace } }));
  await Promise.all(wishes.map((wish) => mustBeLet(session, wish)));
}

// A worker that runs has looked by then.
const LATE_MILLISECONDS = 10_000;
const NOT_LOOKED_AT =
  'okrad has not looked at what has changed since. It is waited for; okractl check says whether it runs.';

/** Watches until the person has seen enough, or the object is settled. */
async function watch(shell: Shell, session: Session, wish: Wish): Promise<Settled> {
  const ended = new AbortController();
  let watched: Watched = nothingWatched;
  let end: Settled;
  // What is watched by takes a while to load.
  const { follow } = await import('./follow.ts');
  const show = showIn(shell);
  const late = whenLate((why) => {
    watched = { ...watched, troubles: havingAll(watched.troubles, [['The status', why]]) };
    show.update(watched);
  });
  try {
    await follow(session, wish, {
      signal: AbortSignal.any([shell.signal, ended.signal]),
      change: (by) => {
        watched = by(watched);
      },
      seen: () => {
        if (end !== undefined) return;
        const known = endOf(wish, watched);
        late.is(known.is === 'Old');
        show.update(watched);
        if (known.is !== 'Here') return;
        ({ end } = known);
        ended.abort();
      },
    });
  } finally {
    late.is(false);
    show.end();
  }
  return end;
}

/** Tells why a status stays old for long, and when it is old no more. */
function whenLate(tell: (why: string | undefined) => void): { readonly is: (old: boolean) => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isTold = false;
  return {
    is: (old) => {
      if (old && timer === undefined)
        timer = setTimeout(() => {
          isTold = true;
          tell(NOT_LOOKED_AT);
        }, LATE_MILLISECONDS);
      if (old) return;
      clearTimeout(timer);
      timer = undefined;
      if (isTold) tell(undefined);
      isTold = false;
    },
  };
}

const endOf = ({ target, untilSettled }: Wish, watched: Watched): KnownEnd =>
  target === undefined || !untilSettled || !watched.isWhole ? { is: 'Ahead' } : endIn(target, watched);
