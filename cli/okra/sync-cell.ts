import { type Command, Option } from 'commander';
import { sleep } from '../../clients/backoff.ts';
import { CELL, LEASE } from '../../clients/kubernetes/kinds.ts';
import { isForbidden } from '../../clients/kubernetes/kubernetes.ts';
import type { Cell, CellStatus } from '../../crds/cell.ts';
import { type Decision, type Performable, displayedDecision } from '../../domain/model/decision.ts';
import { formatKey, type ObjectKey } from '../../domain/model/ids.ts';
import { requestKinds } from '../../domain/model/request-kinds.ts';
import { type RequestName, requestNames } from '../../domain/model/request.ts';
import type { RolloutState } from '../../domain/model/state.ts';
import { recordRequest, type Run, newRun } from '../../domain/rollout/record/run.ts';
import { exitCodes, failed, refused } from '../okractl/shell.ts';
import { mustWaitFor, timeoutOption, within } from '../okractl/timeout.ts';
import { inOneLine } from '../terminal-text.ts';
import { BY_OKRA, findRollout } from './kept-rollout.ts';
import { pass, type Passed } from './pass.ts';
import { activitiesOf } from './session.ts';
import { named, type OkraOptions, type OkraSession, type OkraShell } from './shell.ts';

type SyncCellOptions = OkraOptions<'reason'>;

export function addSyncCell(sync: Command, shell: OkraShell): void {
  named<'reason'>(sync.command('cell'), { what: 'the Cell' }, async (name, options) => {
    const { timeout, wait = false } = options;
    mustWaitFor(timeout, wait, '--wait');
    await within(shell, { timeout, what: `the rollout of Cell ${name}` }, (signal) =>
      syncCell({ ...shell, signal }, options, name),
    );
  })
    .description(
      'Makes one pass of the rollout of a Cell: reads, decides, and does one thing, such as one change of weights or the start of one analysis. The next pass continues from there. A Cell with applications is refused.',
    )
    .option('--wait', 'make passes until the rollout has ended')
    .addOption(timeoutOption())
    .addOption(new Option('--request <what>', 'a request to apply before the pass').choices(requestNames))
    .option('--reason <text>', 'the reason for the request', '')
    .option('--force', 'run even if okrad may roll the Cell out at the same time');
}

/** How long `--wait` waits at the most before it looks again, in milliseconds: nobody tells it of changes. */
const LONGEST_MS = 2_000;

async function syncCell(shell: OkraShell, options: SyncCellOptions, name: string): Promise<void> {
  const { wait = false, dryRun = false } = options;
  const session = shell.session(options);
  for (let { request } = options; ; request = undefined) {
    const passed = await passOver(shell, session, name, { ...options, request });
    tell(shell, passed, dryRun);
    const { next, refusal } = passed;
    const end = displayedDecision(next);
    if (end.do === 'Close' || !wait || dryRun) {
      if (refusal !== undefined || isBad(end, wait)) shell.exitWith(exitCodes.failure);
      return;
    }
    const until = next.do === 'Wait' ? (next.until ?? Infinity) : 0;
    await sleep(Math.min(Math.max(0, until - shell.now()), LONGEST_MS), shell.signal);
    if (shell.signal.aborted) return;
  }
}

/** Whether the Cell stands otherwise than whoever asked for the pass wants it to. */
function isBad(end: Decision, wait: boolean): boolean {
  if (end.do !== 'Close') return false;
  return wait ? end.outcome !== 'Completed' : end.outcome === 'Failed' || end.outcome === 'Reverted';
}

async function passOver(
  { now, signal }: OkraShell,
  session: OkraSession,
  name: string,
  { force = false, dryRun = false, request, reason }: SyncCellOptions,
): Promise<Passed> {
  const { kubernetes, namespace } = session;
  const key = { namespace, name };
  const cell = await kubernetes.get<Cell>(CELL, key);
  if (cell === undefined) throw failed(`Cell ${formatKey(key)} not found. See okractl get -A.`);
  if (cell.spec.applications !== undefined)
    throw refused(
      `cannot sync Cell ${formatKey(key)}: only okrad can roll out a Cell with applications, because it watches several Cells, Argo CD and clusters in parallel. okractl plan ${name} shows what it would do.`,
    );
  const { status = {}, metadata } = cell;
  if (!force && !dryRun) await refuseBesideOthers(session, { key, status }, now());
  const kept = await findRollout(kubernetes, { key, uid: metadata.uid ?? '', status });
  const keep = (run: Run, state: RolloutState | undefined): Promise<void> =>
    kept.keep(state, (run.state.reported ?? run.observed?.cell?.status ?? status).rollout?.runId);
  const stamp = { by: session.config.identity, reason, at: now() };
  const refusal = request === undefined ? undefined : refusalOf(request, kept.state, status);
  if (refusal !== undefined) throw refused(refusal);
  const begun = newRun(kept.state);
  const passed = await pass(request === undefined ? begun : recordRequest(begun, request, stamp), {
    key,
    activities: await activitiesOf(session),
    runId: kept.runId,
    signal,
    now,
    // Of two passes at the same time the one that comes second is refused here.
    before: (run) => keep(run, run.state),
    isDry: dryRun,
  });
  const { run, next } = passed;
  if (!dryRun) await keep(run, next.do === 'Close' ? undefined : run.state);
  return passed;
}

/**
 * Says why a request makes no sense now. A rollout that okrad or a lost pass has left behind is known again only once the Cell
 * was looked at, and its abort is kept until then.
 */
function refusalOf(request: RequestName, state: RolloutState, { rollout }: CellStatus): string | undefined {
  const refusal = requestKinds[request].refusal(state);
  if (refusal === undefined || state.rollout !== undefined || rollout === undefined) return refusal;
  return request === 'abort'
    ? undefined
    : `cannot send ${request}: okrad or a lost pass left this rollout behind. Run okra sync cell without --request first, which continues it; then send ${request}. Only abort can be sent at once.`;
}

function tell({ print, warn }: OkraShell, { done, next, refusal }: Passed, isDry: boolean): void {
  for (const decision of done) print(inOneLine(saidOf(decision)));
  if (refusal !== undefined) warn(inOneLine(`${refusal.reason}: ${refusal.message}`));
  if (next.do === 'Wait' || next.do === 'Close') {
    const { settled } = { settled: undefined, ...next };
    if (settled !== undefined) print(inOneLine(settled.message));
    return print(inOneLine(next.message));
  }
  print(inOneLine(`${isDry ? 'Would do' : 'Next'}: ${saidOf(next)}`));
}

function saidOf(decision: Exclude<Decision, { do: 'Wait' | 'Close' }> | Performable): string {
  if (decision.do !== 'Shift') return decision.message;
  const weights = decision.shares.map(({ name, weight }) => `${name} ${weight}`).join(', ');
  return `${decision.message} Weights: ${weights}.`;
}

interface Lease {
  readonly spec?: {
    readonly holderIdentity?: string | null;
    readonly leaseDurationSeconds?: number;
    readonly renewTime?: string;
  };
}

/** Refuses to roll out a Cell that a workflow rolls out, or may begin to at any time. */
async function refuseBesideOthers(
  { kubernetes, config: { lease } }: Pick<OkraSession, 'kubernetes' | 'config'>,
  { key, status }: { readonly key: ObjectKey; readonly status: CellStatus },
  now: number,
): Promise<void> {
  const { workflowId, runId } = status.rollout ?? {};
  if (workflowId !== undefined && workflowId !== BY_OKRA)
    throw refused(
      `cannot sync Cell ${formatKey(key)}: workflow ${workflowId} (run ${runId}) rolls it out. Use okractl, or pass --force if that workflow is lost.`,
    );
  const holder = await holderOf(kubernetes, lease, now);
  if (holder === undefined) return;
  throw refused(
    `cannot sync Cell ${formatKey(key)}: okrad (${holder}) holds Lease ${lease.namespace}/${lease.name} and may roll it out. Leave the Cell to it, or pass --force if it does not watch namespace ${key.namespace}. After okrad is killed, its Lease counts for five more minutes.`,
  );
}

// The clocks of the pipeline and of okrad may differ; this is how far off AWS lets the clock of a signed request be.
const MAX_SKEW_MILLISECONDS = 300_000;

/** Who holds the Lease of okrad's watchers; who may not read it is not kept from anything by it. */
async function holderOf(
  kubernetes: OkraSession['kubernetes'],
  { namespace, name }: { readonly namespace: string; readonly name: string },
  now: number,
): Promise<string | undefined> {
  try {
    const { spec = {} } = (await kubernetes.get<Lease>(LEASE, { namespace, name })) ?? {};
    const { holderIdentity, leaseDurationSeconds = 0, renewTime = '' } = spec;
    const isHeld = Date.parse(renewTime) + leaseDurationSeconds * 1000 + MAX_SKEW_MILLISECONDS > now;
    return isHeld && holderIdentity !== '' ? (holderIdentity ?? undefined) : undefined;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}
