import { given } from '../../domain/model/fields.ts';
import { type Command, InvalidArgumentError } from 'commander';
import { sleep as sleepByClock } from '../../clients/backoff.ts';
import { CELL, STAGED_BINDING_POLICY } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { refusalToAsk } from '../../clients/kubernetes/request-rights.ts';
import type { Cell } from '../../crds/cell.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { requestKinds } from '../../domain/model/request-kinds.ts';
import { seenIn } from '../../domain/model/seen.ts';
import { listPassedBefore } from '../../domain/staged/state.ts';
import { inOneLine } from '../terminal-text.ts';
import { mustConfirm, YES, badUsage, exitCodes, refused, type Session, type Shell } from './shell.ts';
import { offersOf, offersOfPolicy, type SeenBy, seenOf, wordsFor } from './offers.ts';
import { send, type Sending } from './send.ts';
import { formatTarget, missing, parseCell, parseTarget, type Target, TARGET_HELP } from './target.ts';
import { type Timeout, timeoutOption } from './timeout.ts';
import type { Options } from './options.ts';

/** The requests that are commands of the same name; `promoteFull` is `promote --full`. */
const names = ['pause', 'resume', 'promote', 'abort', 'retry', 'approve'] as const;

const APPROVES =
  'Approves the step at which a rollout waits for approval, in your name and with your groups.';

/** The option that says why; it stands in the history. */
export const REASON = ['--reason <text>', 'the reason, shown in the history'] as const;

export const DRY_RUN = ['--dry-run', 'only print what it would do, or why it would be refused'] as const;

export function addRequests(program: Command, shell: Shell): void {
  for (const name of names) {
    const command = program
      .command(name)
      .description(name === 'approve' ? APPROVES : requestKinds[name].description)
      .argument('<name>', name === 'approve' ? 'a Cell, by its name or as cell/NAME' : TARGET_HELP)
      .option(...REASON)
      .option(...DRY_RUN)
      .action(async (options: Options, text: string) => {
        const session = shell.session(options);
        const target: Target =
          name === 'approve'
            ? { kind: 'Cell', key: parseCell(text, session.namespace) }
            : parseTarget(text, session.namespace);
        const request = options.full === true ? 'promoteFull' : name;
        if (request === 'promoteFull' && target.kind !== 'Cell')
          throw badUsage('--full is not supported for a StagedBindingPolicy. Promote its stages one by one.');
        if (request === 'promoteFull' && options.step !== undefined)
          throw badUsage('--full and --step are mutually exclusive: --full skips all remaining steps.');
        const seen = seenBy(options, target);
        const sending: Sending = { target, name: request, reason: options.reason ?? '', seen };
        if (options.dryRun === true) return rehearse(shell, session, sending);
        const question = `Skip the remaining steps of ${formatTarget(target)} and shift all traffic to the new version?`;
        if (request === 'promoteFull')
          await mustConfirm(shell, { command: 'promote --full', question }, options.yes);
        if (request !== 'retry') return send(shell, session, sending);
        // What looks at the status next, as a script does, is not to find the failure of before.
        const { text: limit, milliseconds } = options.timeout ?? USUAL_TIMEOUT;
        const ask = () => send(shell, session, sending);
        const patience = { ...usual, forMilliseconds: milliseconds };
        const { kubernetes } = session;
        if (await untilTakenUp({ kubernetes, signal: shell.signal }, target, ask, patience)) return;
        shell.warn(
          `Retry queued; okrad has not confirmed it within ${limit}. See okractl describe and okractl check.`,
        );
        shell.exitWith(exitCodes.failure);
      });
    // What holds a rollout, or takes it back, is never refused for what was not looked at.
    if (name === 'promote' || name === 'resume' || name === 'approve')
      command
        .option(
          '--of <version>',
          'the version that you expect; refused if another version is being rolled out',
        )
        .option(
          '--step <number>',
          'the step that you expect, from 1; refused if another step is current',
          stepIn,
        );
    if (name === 'promote')
      command
        // The stages of a StagedBindingPolicy have names.
        .option(
          '--stage <name>',
          'the stage of a StagedBindingPolicy that you expect; refused if another stage is current',
        )
        .option('--full', 'skip the remaining steps and shift all traffic to the new version')
        .option(...YES);
    if (name === 'retry') command.addOption(timeoutOption(USUAL_TIMEOUT.text));
  }
}

function stepIn(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be the number of a step, from 1, as okractl describe shows it.');
}

/** What was looked at; throws where it is said of the other kind. */
function seenBy({ of, step, stage }: Options, target: Target): SeenBy {
  if (target.kind === 'Cell') {
    if (stage !== undefined)
      throw badUsage('--stage is only for a StagedBindingPolicy. For a Cell, use --of and --step.');
    return given({ version: of, step });
  }
  if (of !== undefined || step !== undefined)
    throw badUsage('--of and --step are only for a Cell. For a StagedBindingPolicy, use --stage.');
  return stage === undefined ? {} : { stage };
}

/** Says what a request would do, and whether it would be accepted as the status of its object has it; sends nothing. */
export async function rehearse(shell: Shell, session: Session, sending: Sending): Promise<void> {
  const { target, name, seen, to } = sending;
  const standing = await standingOf(session.kubernetes, target);
  if (standing === undefined) throw missing(target);
  const lacksRight = await refusalToAsk(session, name, target);
  if (lacksRight !== undefined) throw refused(lacksRight);
  const { offers, status = {}, there, earlier } = standing;
  const what = `Dry run: ${to === undefined ? wordsFor(name) : 'rollback'} of ${formatTarget(target)} would be`;
  const wanted = { ...seen, ...seenIn(seen) };
  if (Object.entries(wanted).some(([part, value]) => Reflect.get(there, part) !== value))
    throw refused(`${what} refused: it is for ${JSON.stringify(wanted)}, not ${JSON.stringify(there)}.`);
  const offered = offers.find((one) => one.name === name)?.does;
  // One that repeats a pause is accepted.
  const isPaused = name === 'pause' && offers.some((one) => one.name === 'resume');
  if (offered === undefined && !isPaused) {
    const { phase = 'Pending', message = 'Not reconciled yet.' } = status;
    const others = offers.map((one) => wordsFor(one.name)).join(', ') || 'none';
    throw refused(`${what} refused (${phase}: ${message}). Possible requests: ${others}.`);
  }
  if (to !== undefined && !earlier.includes(to))
    throw refused(
      `${what} refused: ${to} must be one of the earlier stages: ${earlier.join(', ') || 'none'}.`,
    );
  const does = to === undefined ? (offered ?? 'It is paused already.') : `Rolls it back to stage ${to}.`;
  shell.print(inOneLine(`${what} accepted. ${does}`));
}

const NONE: readonly string[] = [];

/** The requests that make sense for an object, and what a person sees of it who makes one; undefined: there is none. */
async function standingOf(kubernetes: Reader, { kind, key }: Target) {
  if (kind === 'Cell') {
    const cell = await kubernetes.get<Cell>(CELL, key);
    return cell && { status: cell.status, offers: offersOf(cell), there: seenOf(cell), earlier: NONE };
  }
  const policy = await kubernetes.get<StagedBindingPolicy>(STAGED_BINDING_POLICY, key);
  if (policy === undefined) return undefined;
  const { status } = policy;
  const { activeStage: stage, stages = [] } = status ?? {};
  const earlier = stage === undefined ? [] : listPassedBefore({ stages, active: { name: stage } });
  return { status, offers: offersOfPolicy(status), there: given({ stage }), earlier };
}

type Reader = Pick<KubernetesClient, 'get'>;

/** What a retry lifts, each in a word: what has failed again since is another. */
async function failedIn(kubernetes: Reader, { kind, key }: Target): Promise<readonly string[]> {
  if (kind === 'StagedBindingPolicy') {
    const { held } = (await kubernetes.get<StagedBindingPolicy>(STAGED_BINDING_POLICY, key))?.status ?? {};
    return held === undefined ? [] : [`${held.stage} ${held.message}`];
  }
  const {
    rollout,
    blockedVersions = [],
    applications = [],
  } = (await kubernetes.get<Cell>(CELL, key))?.status ?? {};
  // What is under way is not taken for settled.
  if (rollout !== undefined) return [];
  return [
    ...blockedVersions.map(({ version, time }) => `${version} ${time}`),
    ...applications.flatMap(({ name, failed }) =>
      failed === undefined || failed.retried === true ? [] : [`${name} ${failed.time}`],
    ),
  ];
}

const USUAL_TIMEOUT: Timeout = { text: '15s', milliseconds: 15_000 };

const usual = {
  forMilliseconds: USUAL_TIMEOUT.milliseconds,
  everyMilliseconds: 250,
  sleep: sleepByClock,
  now: () => performance.now(),
};

/** Sends a retry, and waits until the status says no more what it lifts, so that nobody takes that for the end of the retry; false when it is not taken up in time. */
export async function untilTakenUp(
  { kubernetes, signal }: { readonly kubernetes: Reader; readonly signal: AbortSignal },
  target: Target,
  carryOut: () => Promise<void>,
  { forMilliseconds, everyMilliseconds, sleep, now }: typeof usual = usual,
): Promise<boolean> {
  const failed = () => failedIn(kubernetes, target);
  // Who may not read the object can be told nothing of it.
  const before = new Set(await failed().catch(() => []));
  await carryOut();
  const end = now() + forMilliseconds;
  while (before.size > 0 && !signal.aborted) {
    // What cannot be read now does not say that anything was lifted.
    const still = await failed().catch(() => undefined);
    if (still?.some((one) => before.has(one)) === false) return true;
    if (now() >= end) return false;
    await sleep(everyMilliseconds, signal);
  }
  return true;
}
