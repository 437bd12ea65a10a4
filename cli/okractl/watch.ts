import type { Command } from 'commander';
import { AWS_TARGET_GROUP } from '../../clients/kubernetes/kinds.ts';
import type { Cell } from '../../crds/cell.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { inOneLine, plain } from '../terminal-text.ts';
import { tint } from './colour.ts';
import { withoutFraction, wrapped } from './output.ts';
import type { Followed } from './follow.ts';
import { mustBeLet } from './send.ts';
import { badUsage, failed, type Screen, type Session, type Shell } from './shell.ts';
import { formatTarget, parseTarget, TARGET_HELP } from './target.ts';
import { mustWaitFor, timeoutOption, within } from './timeout.ts';
import { draw } from './tree.ts';
import { endIn, type KnownEnd, nothingWatched, setOrDelete, type Settled, type Watched } from './watched.ts';
import type { Options } from './options.ts';

export function addWatch(program: Command, shell: Shell): void {
  program
    .command('watch')
    .description(
      'Watches one rollout, or all rollouts of a namespace: redraws in a terminal, otherwise prints one line for each change.',
    )
    .argument('[name]', TARGET_HELP)
    .option('-A, --all-namespaces', 'in all namespaces')
    .option(
      '--until-settled',
      'exit when okrad has observed the current state and has nothing left to do for the object: status 0 when it serves what it should serve, otherwise 1',
    )
    .addOption(timeoutOption())
    .action(async (options: Options, text: string | undefined) => {
      const { allNamespaces, untilSettled = false, timeout, color } = options;
      const session = shell.session(options);
      const target = text === undefined ? undefined : parseTarget(text, session.namespace);
      if (untilSettled && target === undefined)
        throw badUsage('--until-settled needs the name of an object.');
      mustWaitFor(timeout, untilSettled, '--until-settled');
      // Without the target groups nobody knows whether a status is of what is there now.
      if (untilSettled && target?.kind === 'Cell')
        for (const verb of ['list', 'watch']) {
          const { namespace } = target.key;
          await mustBeLet(session, { verb, kind: AWS_TARGET_GROUP, key: { namespace } });
        }
      const namespaces = allNamespaces === true ? [] : [session.namespace];
      const what = target === undefined ? 'the rollouts' : `${formatTarget(target)} to settle`;
      const end = await within(shell, { timeout, what }, (signal) =>
        watch({ ...shell, signal, isColoured: () => shell.isColoured(color) }, session, {
          target,
          namespaces,
          untilSettled,
        }),
      );
      if (end?.ok === true) shell.print(inOneLine(end.message));
      if (end?.ok === false) throw failed(end.message);
    });
}

const NOT_LOOKED_AT =
  'okrad has not observed the latest change yet. Waiting for it; okractl check shows whether it is running.';

/** Watches until the person has seen enough, or the object is settled. */
async function watch(shell: Shell, session: Session, wish: Followed): Promise<Settled> {
  const ended = new AbortController();
  const watched = nothingWatched();
  let end: Settled;
  // What is watched by takes a while to load.
  const { follow } = await import('./follow.ts');
  const show = showIn(shell);
  try {
    await follow(session, wish, {
      signal: AbortSignal.any([shell.signal, ended.signal]),
      watched,
      changed: () => {
        // Until all is told nothing is shown, but why that takes long.
        if (end !== undefined || (!watched.isWhole && watched.troubles.size === 0)) return;
        const { target, untilSettled } = wish;
        const isAwaited = target !== undefined && untilSettled === true && watched.isWhole;
        const known: KnownEnd = isAwaited ? endIn(target, watched) : { is: 'Ahead' };
        setOrDelete(watched.troubles, 'The status', known.is === 'Old' ? NOT_LOOKED_AT : undefined);
        show.update(watched);
        if (known.is !== 'Here') return;
        ({ end } = known);
        ended.abort();
      },
    });
  } finally {
    watched.troubles.delete('The status');
    show.end();
  }
  return end;
}

/** Redraws in a terminal, and writes a line for each change elsewhere. */
export const showIn = (shell: Shell) =>
  shell.screen === undefined ? inLines(shell) : onScreen(shell, shell.screen, shell.isColoured());

const OTHER_SCREEN = '\u001B[?1049h\u001B[?25l';
const FIRST_SCREEN = '\u001B[?25h\u001B[?1049l';
const HOME = '\u001B[H';
const REST_OF_LINE = '\u001B[K';
const REST_OF_SCREEN = '\u001B[J';

/** How often times are written again, in milliseconds; nobody is asked anything for that. */
const TICK = 1_000;

function onScreen({ write, print, now }: Shell, { columns, rows }: Screen, coloured: boolean) {
  let last = nothingWatched();
  const frame = (): readonly string[] => draw(last, now());
  const redraw = (): void => {
    const lines = frame().flatMap((line) => wrapped(line, columns()));
    const fits =
      lines.length < rows()
        ? lines
        : [...lines.slice(0, rows() - 2), `… ${lines.length - rows() + 2} more lines`];
    const painted = fits.map((line) => (coloured ? tint(plain(line)) : plain(line)));
    write(HOME + painted.map((line) => line + REST_OF_LINE).join('\n') + REST_OF_SCREEN);
  };
  write(OTHER_SCREEN);
  const ticking = setInterval(redraw, TICK);
  return {
    update: (watched: Watched): void => {
      last = watched;
      redraw();
    },
    // Leaves the terminal as it was, with what was shown last.
    end: (): void => {
      clearInterval(ticking);
      write(FIRST_SCREEN);
      print(frame().join('\n'));
    },
  };
}

function inLines({ print, warn, now }: Shell) {
  let before = new Map<string, string>();
  let troubles = '';
  return {
    update: (watched: Watched): void => {
      const after = linesOf(watched);
      for (const [key, line] of after) if (before.get(key) !== line) print(timed(inOneLine(line), now()));
      for (const key of before.keys()) if (!after.has(key)) print(timed(`${key}  deleted`, now()));
      before = after;
      const told = [...watched.troubles]
        .map(([what, why]) => inOneLine(`${what} may be stale: ${why}`))
        .join('\n');
      if (told !== troubles && told !== '') warn(told);
      troubles = told;
    },
    end: () => undefined,
  };
}

const linesOf = ({ cells, policies, freezes }: Watched): Map<string, string> =>
  new Map([
    ...[...freezes].map(([key, { spec }]): [string, string] => [
      `freeze/${key}`,
      `freeze/${key}  by ${spec.by}: ${spec.reason}`,
    ]),
    ...[...cells].map(([key, cell]): [string, string] => [key, cellLine(key, cell)]),
    ...[...policies].map(([key, policy]): [string, string] => [`sbp/${key}`, policyLine(policy)]),
  ]);

/** Says in one line how a Cell stands, for where nothing can be redrawn; equal lines are no news. */
export function cellLine(key: string, { status = {} }: Pick<Cell, 'status'>): string {
  const { phase = 'Pending', step, targetGroups = [], message = '', rollout } = status;
  const { stableVersion, desiredVersion } = status;
  const versions =
    stableVersion === desiredVersion ? stableVersion : `${stableVersion ?? '-'} → ${desiredVersion ?? '-'}`;
  const weights = targetGroups.map(({ name, weight }) => `${name} ${weight}`).join(', ');
  const end = rollout?.stepEndsAt === undefined ? '' : `ends at ${withoutFraction(rollout.stepEndsAt)}`;
  return joined([key, phase, step, versions, weights, message, end]);
}

function policyLine({ metadata, status = {} }: Pick<StagedBindingPolicy, 'metadata' | 'status'>): string {
  const { phase = 'Pending', activeStage, fulfilled, message = '' } = status;
  return joined([`sbp/${metadata.name}`, phase, activeStage, fulfilled, message]);
}

const joined = (parts: readonly unknown[]): string =>
  inOneLine(parts.filter((part) => part !== undefined && part !== '').join('  '));

const timed = (line: string, now: number): string =>
  `${withoutFraction(new Date(now).toISOString())}  ${line}`;
