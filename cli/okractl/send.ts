import { given, fieldsIn, textIn } from '../../domain/model/fields.ts';
import { setTimeout } from 'node:timers/promises';
import { CELL, STAGED_BINDING_POLICY } from '../../clients/kubernetes/kinds.ts';
import { isForbidden } from '../../clients/kubernetes/kubernetes-error.ts';
import { refusalTo, refusalToAsk, type Wish } from '../../clients/kubernetes/request-rights.ts';
import type { Operator, SentRequest } from '../../clients/temporal/operator.ts';
import { temporalId, objectStart } from '../../clients/temporal/workflow-start.ts';
import type { Cell, CellStatus } from '../../crds/cell.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import type { AskName } from '../../domain/model/request.ts';
import { objectWorkflowId } from '../../domain/model/workflow-ids.ts';
import type { StagedAim } from '../../domain/staged/state.ts';
import { cut } from '../../domain/text.ts';
import { inOneLine } from '../terminal-text.ts';
import { retried, type SeenBy } from './offers.ts';
import { exitCodes, failed, refused, type Session, type Shell } from './shell.ts';
import { formatTarget, missing, readTarget, type Target } from './target.ts';
import type { ThroughApi } from './through-api.ts';

export interface Sending {
  readonly target: Target;
  readonly name: AskName;
  readonly reason: string;
  readonly to?: string;
  /** What the person has looked at; what lets a rollout continue is refused when it is another by now. */
  readonly seen?: SeenBy;
}

/** Where it is said what comes of a request. */
type Answering = Pick<Shell, 'print' | 'warn' | 'exitWith'>;

/** In whose name, and by what, a request is sent. */
export type Asker = Pick<
  Session,
  'kubernetes' | 'whoAmI' | 'identity' | 'may' | 'operator' | 'taskQueue' | 'temporal' | 'throughApi'
>;

/** Sends a request in the name of the person, and says what comes of it: by Temporal, or through the API server where the address of Temporal is not given. */
export async function send(shell: Answering, session: Asker, sending: Sending): Promise<void> {
  const { throughApi } = session;
  await (throughApi === undefined
    ? sendByTemporal(shell, session, sending)
    : sendThroughApi(shell, throughApi, sending));
}

// More is kept of none.
const LONGEST_REASON = 1024;

/** Has the dashboard in the cluster send a request, in the name of the person whose token it gets. */
async function sendThroughApi(
  shell: Answering,
  { call }: ThroughApi,
  { target: { kind, key }, name: request, reason, ...sending }: Sending,
): Promise<void> {
  const body = { kind, ...key, request, reason: cut(reason, LONGEST_REASON), ...sending };
  const { status, message, pod } = await call(body);
  switch (status) {
    case 200:
      return shell.print(message);
    case 202:
      shell.warn(message);
      return shell.exitWith(exitCodes.failure);
    case 403:
    case 409:
      throw refused(message);
    default:
      throw failed(`cannot send ${request} through pod ${pod}: ${status} ${message}`);
  }
}

async function sendByTemporal(shell: Answering, session: Asker, sending: Sending): Promise<void> {
  const { target, name, reason, to, seen } = sending;
  const [sender, operator, asked] = await Promise.all([
    senderOf(session, name),
    session.operator(),
    readAsked(session, target, name),
    // Temporal, which takes the request, does not ask who may make it.
    refusalToAsk(session, name, target).then(refuseWith),
  ]);
  await mustBeOneInstallation(session, operator, sending, asked);
  const aim = aimAgain(asked, target, name);
  const request = { ...sender, reason, ...given({ to }), ...seen };
  const workflowId = temporalId(objectWorkflowId(target.kind, target.key));
  const answer = await operator.ask(workflowId, name, request);
  switch (answer.is) {
    case 'Taken':
      return shell.print(inOneLine(answer.message));
    case 'Refused':
      throw refused(answer.message);
    case 'NotRunning':
      return withoutOpenRun(shell, session, sending, request);
    case 'Unanswered': {
      const what = `No worker answered the ${name} request: ${answer.message}. Check that okrad is running, and its log.`;
      const { mayBeRepeated } = await import('../../clients/temporal/operator.ts');
      if (aim === undefined || !mayBeRepeated(name))
        throw failed(
          `${what} The request may or may not have been accepted: see okractl describe and okractl check.`,
        );
      // What may be taken twice is left with Temporal, unless the run has closed meanwhile, so that nobody has it.
      if (!(await operator.tell(workflowId, name, { ...request, ...aim })))
        return withoutOpenRun(shell, session, sending, request);
      shell.warn(`${what} It was sent as a signal, which Temporal keeps until a worker carries it out.`);
      return shell.exitWith(exitCodes.failure);
    }
  }
}

/** What a request has to say when it is sent again: of a StagedBindingPolicy the stage that it is at before anything is asked, so that an abort takes back no other one. Undefined: nobody can say, and it cannot be sent again. */
function aimAgain(
  asked: Asked | 'Unknown',
  { kind }: Target,
  name: AskName,
): Pick<StagedAim, 'stage'> | undefined {
  if (kind === 'Cell' || name !== 'abort') return {};
  const stage = asked === 'Unknown' ? undefined : textIn(fieldsIn(asked?.status)['activeStage']);
  return stage === undefined ? undefined : { stage };
}

/** Who asks; an approval says besides in which groups that person is. */
async function senderOf(session: Asker, name: AskName): Promise<Pick<SentRequest, 'by' | 'groups'>> {
  if (name !== 'approve') return { by: await session.whoAmI() };
  const { name: by, groups } = await session.identity();
  return { by, groups };
}

/** What is settled, or was terminated, has no open run: a retry starts one, and all else makes no sense. */
async function withoutOpenRun(
  shell: Answering,
  session: Asker,
  { target, name }: Sending,
  request: SentRequest,
): Promise<void> {
  const { kubernetes } = session;
  if (target.kind === 'StagedBindingPolicy') {
    const policy = await kubernetes.get<StagedBindingPolicy>(STAGED_BINDING_POLICY, target.key);
    throw policy === undefined ? missing(target) : failed(withoutRun(target, policy.status, name));
  }
  const cell = await kubernetes.get<Cell>(CELL, target.key);
  if (cell === undefined) throw missing(target);
  if (name !== 'retry') {
    const left = leftBehind(target, cell.status ?? {}, name);
    throw left === undefined ? refused(withoutRun(target, cell.status, name)) : failed(left);
  }
  const problem = nothingToRetry(target, cell.status);
  if (problem !== undefined) throw refused(problem);
  const start = objectStart({ kind: 'Cell', key: target.key }, session.taskQueue);
  await (await session.operator()).startWith(start, name, request);
  const what = retried(cell.status ?? {}).join(', ');
  shell.print(what === '' ? 'Retrying the rollout.' : `Retrying ${what}.`);
}

/** Says why a request makes no sense without an open run. */
function withoutRun(
  target: Target,
  status: { readonly phase?: string | undefined; readonly message?: string | undefined } | undefined,
  name: AskName,
): string {
  const { phase, message = '' } = status ?? {};
  const got = phase === undefined ? 'not reconciled yet; see okractl check' : withMessage(phase, message);
  const hint =
    name === 'abort' || name === 'pause'
      ? ' To prevent a rollout, pin spec.version or use okractl freeze. To return to an older version, use okractl rollback --to.'
      : '';
  return `${formatTarget(target)} has no running rollout (${got}).${target.kind === 'Cell' ? hint : ''}`;
}

const withMessage = (phase: string, message: string): string =>
  message === '' ? phase : `${phase}: ${message.replace(/\.$/, '')}`;

/** Says that nothing is at work on a rollout that its status still has, and what has it taken up again; undefined when there is none. */
function leftBehind(
  target: Target,
  { rollout, stableVersion, phase = 'Progressing', message = '' }: CellStatus,
  name: AskName,
): string | undefined {
  if (rollout === undefined) return undefined;
  const { namespace, name: cell } = target.key;
  const of = `${cell} -n ${namespace}`;
  const stands = withMessage(phase, message);
  const what = `No workflow runs the rollout of ${formatTarget(target)}: it was terminated, or Temporal lost it. The weights stay as they are; the last status was ${stands}.`;
  // A retry would lift the block of the version that is being taken back.
  if (rollout.ending !== undefined)
    return `${what} To shift all traffic back, use okractl rollback ${of} --to ${stableVersion ?? 'VERSION'}.`;
  return `${what} Start one with okractl retry ${of}, which continues the rollout; when okractl describe ${of} shows that, send ${name} again.`;
}

/** Says why there is nothing to retry; undefined when there is. */
function nothingToRetry(target: Target, status: CellStatus = {}): string | undefined {
  if (retried(status).length > 0 || status.rollout !== undefined) return undefined;
  const got = withMessage(status.phase ?? 'none', status.message ?? '');
  return `nothing to retry: ${formatTarget(target)} has no failed version and no blocked rollout (${got}).`;
}

/** The object of a request, as the API server has it; undefined: there is none. */
type Asked = Awaited<ReturnType<typeof readTarget>>;

/** How long an abort waits for its object to be read, in milliseconds: it can do without. */
const LONGEST_LOOK_MS = 1_000;

/** Reads the object of a request; `Unknown` where that is not allowed or, for an abort, takes too long. */
async function readAsked(
  { kubernetes }: Pick<Session, 'kubernetes'>,
  target: Target,
  name: AskName,
): Promise<Asked | 'Unknown'> {
  const isUrgent = name === 'abort';
  const reading = readTarget(kubernetes, target).catch((error: unknown) => {
    if (isUrgent || isForbidden(error)) return 'Unknown' as const;
    throw error;
  });
  if (!isUrgent) return await reading;
  return await Promise.race([reading, setTimeout(LONGEST_LOOK_MS, 'Unknown' as const, { ref: false })]);
}

/**
 * Ends the command where Kubernetes and Temporal are those of two installations. A kubeconfig and the address of Temporal are
 * chosen apart, and each installation may have an object of this name, whose workflow then has the same id.
 */
async function mustBeOneInstallation(
  { temporal: { address, namespace } }: Pick<Session, 'temporal'>,
  operator: Pick<Operator, 'knownRuns'>,
  { target, name }: Sending,
  asked: Asked | 'Unknown',
): Promise<void> {
  // Kubernetes has already said whether the person may make this request.
  if (asked === 'Unknown') return;
  const workflowId = temporalId(objectWorkflowId(target.kind, target.key));
  const known = await operator.knownRuns(workflowId, runsIn(asked, workflowId));
  if (known.is !== 'Others') return;
  if (asked === undefined) throw missing(target);
  // A Cell may have been settled for longer than Temporal remembers the run that has written so.
  const writtenAt = Date.parse(asked.status?.lastSyncTime ?? '');
  const isForgotten = Number.isNaN(writtenAt) || Date.now() - writtenAt > (known.retentionMs ?? 0);
  if (name === 'retry' && !known.isOpen && isForgotten) return;
  throw failed(
    `cannot send ${name}: Temporal at ${address}, namespace ${namespace}, does not know the run that wrote the status of ${formatTarget(target)}, only other runs of ${workflowId}. Either this Temporal belongs to another installation, or it lost the run and okrad has not written a status since. Set TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE, or --temporal-address and --temporal-namespace, to those of okrad in this cluster. If they are the same, check okractl describe and try again.`,
  );
}

function runsIn(asked: Asked, workflowId: string): readonly string[] {
  const { rollout, writer } = { rollout: undefined, writer: undefined, ...asked?.status };
  const runs = [rollout?.workflowId === workflowId ? rollout.runId : undefined, writer?.runId];
  return [...new Set(runs.filter((run) => run !== undefined))];
}

/** Ends the command where Kubernetes does not let the person do what it is about to do. */
export const mustBeLet = (session: Session, wish: Wish): Promise<void> =>
  refusalTo(session, wish).then(refuseWith);

function refuseWith(refusal: string | undefined): void {
  if (refusal !== undefined) throw refused(refusal);
}
