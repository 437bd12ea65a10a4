import { Context } from '@temporalio/activity';
import { accessPolicies } from '../../clients/kubernetes/access-policies.ts';
import { sameValue } from '../../domain/kubernetes/canonical.ts';
import { usesOf } from '../../domain/access/forwarding-access.ts';
import { given } from '../../domain/model/fields.ts';
import { formatKey } from '../../domain/model/ids.ts';
import { strandingRefusal } from '../../domain/gates/health.ts';
import { placeOf, targetGroupsOf, weightsText, routeOf } from '../../domain/load-balancers/load-balancer.ts';
import type { LoadBalancerConfigView } from '../../domain/load-balancers/load-balancer-config.ts';
import type { WeightedTargetGroup } from '../../domain/model/target-group.ts';
import { refuseWhenGivenUp, withHeartbeat } from '../heartbeat.ts';
import { cellReporter, type CellDependencies, type ReportCell } from './cell.ts';
import type { ReportOutcome, CellReport } from '../../domain/rollout/report/events.ts';
import type { SurroundingsReader, SurroundingsRead } from './surroundings.ts';
import { writeConfig } from './write-config.ts';
import { connectionsAfter } from '../../domain/load-balancers/connections.ts';
import { dependenciesOf, readConfig, sequenceOf, configViewOf } from '../load-balancers/config-object.ts';
import {
  configWriter,
  type AttemptOptions,
  type ConfigWriter,
  type WriterDependencies,
} from '../load-balancers/config-writer.ts';
import type { LoadBalancerConfigRef, ShiftRequest, ShiftResult, TrafficActivities } from '../contract.ts';
import { failure, toFailure, reasonOf } from '../failure.ts';
import { loadBalancerOf } from '../load-balancers/index.ts';
import type { ConfigObject } from '../load-balancers/port.ts';
import { adoptionFor, permit } from '../permit.ts';
import {
  healthOf,
  healthReader,
  checkRequirements,
  readStranding,
  type HealthReader,
  type TargetCheck,
} from '../load-balancers/target-health.ts';
import { readIfInTime } from '../load-balancers/reads.ts';
import type { ObservedCell } from '../../domain/model/observation.ts';
import { observeCell, observedFrom, type CellSources, readSources } from './observe-cell.ts';
import { sleep } from '../../clients/backoff.ts';
import { isPermanent } from '../../domain/failures.ts';
import { untilGivenUp } from '../../clients/concurrency.ts';

/** Makes the activities that shift traffic and look at the health of targets. */
export function trafficActivities(dependencies: WriterDependencies & CellDependencies): TrafficActivities {
  const shifting = {
    ...dependencies,
    writer: configWriter(dependencies),
    report: cellReporter(dependencies),
  };
  const policies = accessPolicies(dependencies.kubernetes);
  return {
    shiftTraffic: (request) => withHeartbeat((signal) => shift(request, shifting, signal)),
    inspectLoadBalancer: async (request) => {
      const { key, route } = request;
      const { cancellationSignal } = Context.current();
      const access = await policies.of(key.namespace, cancellationSignal);
      permit(access, [{ of: 'Listener', arn: placeOf(route) }]);
      const calls = loadBalancerOf(route.type).connect(dependenciesOf(dependencies));
      const adopt = adoptionFor(request.adopt, access);
      return calls.inspect({ ...request, adopt }, cancellationSignal);
    },
    readTargetHealth: (arns) => {
      const { cancellationSignal } = Context.current();
      return healthOf(dependencies.elbv2, arns, cancellationSignal);
    },
  };
}

interface ShiftDependencies extends WriterDependencies {
  readonly writer: ConfigWriter;
  readonly surroundings: SurroundingsReader;
  readonly report: ReportCell;
}

interface Attempt {
  readonly request: ShiftRequest;
  readonly ref: LoadBalancerConfigRef;
  readonly dependencies: ShiftDependencies;
  readonly surroundings: SurroundingsRead;
  readonly options: AttemptOptions & { readonly health: HealthReader };
}

/** Makes one weight, from the look at what gains to a look at all that the Cell depends on afterwards. */
async function shift(
  request: ShiftRequest,
  dependencies: ShiftDependencies,
  signal: AbortSignal,
): Promise<ShiftResult> {
  const { cell, forwarding, urgent, verify, force, listVersions, report } = request;
  const surroundings = dependencies.surroundings.recent(cell.key.namespace, listVersions);
  surroundings.read.catch(() => undefined);
  const health = healthReader(dependencies.elbv2, { urgent, signal });
  const attempt: Attempt = {
    request,
    ref: { type: forwarding.type, key: cell.key },
    dependencies,
    surroundings,
    options: { urgent, verify, force, signal, health },
  };
  if (urgent) return await shiftUrgently(attempt);
  if (report === undefined) return await shiftForward(attempt);
  const announcement = announce(dependencies.report, report, signal);
  try {
    const result = await shiftForward(attempt, announcement);
    return { ...result, told: await announcement };
  } finally {
    // Nothing that is reported later may be overtaken by it.
    await announcement;
  }
}

async function shiftForward(attempt: Attempt, announcement?: Promise<ReportOutcome>): Promise<ShiftResult> {
  const { request, ref, dependencies, options } = attempt;
  const { kubernetes, writer } = dependencies;
  const { signal } = options;
  const known = await readConfig(kubernetes, ref, signal);
  await refuseUnallowed(attempt, known);
  refuseOlder(request, known);

  const first = await checkAttempt(attempt);
  if (first.is === 'Lacking') return first;
  await refuseStranding(attempt, known);

  // Nothing is asked for before it may be written, so that an abort finds nothing that could be written later.
  const isReserved = await reserveWrite(attempt, known);
  await announcement;

  // Both may take long, and targets may have gone meanwhile.
  const checked = await checkAttempt(attempt);
  if (checked.is === 'Lacking') return checked;
  signal.throwIfAborted();
  // An object that is not there yet has no version by which the API server could tell that this is late.
  refuseWhenGivenUp();
  const written = await writeConfig(request, known, kubernetes);

  // The Cell is read while the load balancer is written.
  const sources = startReadingCell(attempt);
  const view = configViewOf(ref, written);
  const applied = await writer.apply(view, { ...options, isReserved, versions: sources });
  const { served: _served, config, ...result } = applied;
  return { ...result, ...(await observeAfter(attempt, { known, config, sources })) };
}

/** Writes ELBv2 before the configuration object, so that neither the API server nor a webhook keeps traffic where it must not stay. */
async function shiftUrgently(attempt: Attempt): Promise<ShiftResult> {
  const { request, ref, dependencies, options } = attempt;
  const { kubernetes, writer } = dependencies;
  const { signal } = options;
  const readInTime = (): Promise<ConfigObject | undefined | 'Unread'> =>
    readIfInTime(options, (inTime) => readConfig(kubernetes, ref, inTime), 'Unread');
  const found = await readInTime();
  const known = found === 'Unread' ? undefined : found;
  await refuseUnallowed(attempt, known);
  refuseOlder(request, known);

  const checked = await checkAttempt(attempt);
  if (checked.is === 'Lacking') return checked;

  const refuseOutdated = async (): Promise<void> => {
    const now = await readInTime();
    if (now !== 'Unread') refuseOlder(request, now);
  };
  const { served, ...result } = await writer.serve(asServing(attempt, known), { ...options, refuseOutdated });

  try {
    const object = found === 'Unread' ? await readConfig(kubernetes, ref, signal) : known;
    const written = await writeConfig(request, object, kubernetes);
    const sources = startReadingCell(attempt);
    const outcome = { is: 'Served', served, created: false } as const;
    const config = await writer.report(configViewOf(ref, written), outcome, sources);
    return { ...result, ...(await observeAfter(attempt, { known, config, sources })) };
  } catch (error) {
    if (signal.aborted) throw error;
    const { message } = toFailure(error);
    return {
      ...result,
      unrecorded: {
        reason: 'NotRecorded',
        message: `ELBv2 serves ${weightsText(targetGroupsOf(served))}, but cannot write ${ref.type}Config ${formatKey(ref.key)}: ${message}`,
      },
    };
  }
}

const ATTEMPTS = 3;
const FIRST_WAIT_MS = 200;

/** Reports what a write is about to do, in a few attempts; that this fails does not keep traffic from moving. */
export async function announce(
  report: ReportCell,
  announced: CellReport,
  signal: AbortSignal,
  wait = sleep,
): Promise<ReportOutcome> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await report(announced, signal);
      return { is: 'Told' };
    } catch (error) {
      const refusal = toFailure(error);
      const reason = reasonOf(refusal);
      const isFinal = attempt === ATTEMPTS || isPermanent(reason);
      if (isFinal || signal.aborted) return { is: 'Refused', reason, message: refusal.message };
      await wait(FIRST_WAIT_MS * 2 ** (attempt - 1), signal);
    }
  }
}

const checkAttempt = ({ request, dependencies, options }: Attempt): Promise<TargetCheck> =>
  checkRequirements(request, dependenciesOf(dependencies), { read: options.health, signal: options.signal });

async function reserveWrite(
  { request: { forwarding, verify }, ref, dependencies, options }: Attempt,
  known: ConfigObject | undefined,
): Promise<boolean> {
  const asked = known === undefined ? undefined : configViewOf(ref, known).desired;
  if (!verify && sameValue(forwarding, asked)) return false;
  await dependencies.writer.reserve(forwarding, options);
  return true;
}

/** The object as if it asked for the weights already; where it could not be read, by what the Cell has seen of it. */
function asServing({ request, ref }: Attempt, known: ConfigObject | undefined): LoadBalancerConfigView {
  const { cell, forwarding, served, adopt, deletionPolicy } = request;
  if (known !== undefined) return { ...configViewOf(ref, known), desired: forwarding };
  return {
    key: cell.key,
    uid: '',
    generation: 0,
    desired: forwarding,
    status: served === undefined ? {} : { observed: served },
    adopt,
    deletion: { policy: deletionPolicy, isHeld: false, isUnderWay: false },
  };
}

/** Keeps the object from asking for what would leave all traffic without a healthy target, as far as its status knows. */
async function refuseStranding(
  { request, ref, options }: Attempt,
  known: ConfigObject | undefined,
): Promise<void> {
  if (known === undefined || request.force === true) return;
  const change = { from: weightedIn(ref, known), to: targetGroupsOf(request.forwarding) };
  const stranded = await readStranding(change, options.health, options);
  if (stranded !== undefined) throw failure('NoHealthyTargets', strandingRefusal(stranded));
}

async function refuseUnallowed(
  { request: { forwarding, served, takesBack = false }, ref, surroundings, options }: Attempt,
  known: ConfigObject | undefined,
): Promise<void> {
  const observed = known === undefined ? served : configViewOf(ref, known).status.observed;
  const uses = usesOf(forwarding, observed, { takesBack });
  // What takes traffic back does not wait for an answer that it does not need.
  if (uses.length > 0) permit((await untilGivenUp(surroundings.read, options.signal)).access, uses);
}

function refuseOlder({ cell, sequence }: ShiftRequest, known: ConfigObject | undefined): void {
  const written = sequenceOf(known);
  if (written < sequence) return;
  throw failure(
    'Superseded',
    `Write ${sequence} to the load balancer configuration ${formatKey(cell.key)} is outdated: write ${written} has been made.`,
  );
}

function startReadingCell({ ref: { key }, dependencies, surroundings }: Attempt): CellReading {
  const read = readSources(dependencies.kubernetes, key, surroundings.read);
  read.catch(() => undefined);
  return read;
}

type CellReading = Promise<CellSources | undefined>;

interface Written {
  /** The object before the write. */
  readonly known: ConfigObject | undefined;
  /** The object after it; undefined when it is gone. */
  readonly config: LoadBalancerConfigView | undefined;
  readonly sources: CellReading;
}

/** Observes after a write why connections are elsewhere than the weights say, and all that the Cell depends on. */
async function observeAfter(
  attempt: Attempt,
  written: Written,
): Promise<Pick<Extract<ShiftResult, { is: 'Served' }>, 'observed' | 'connections'>> {
  const { request, ref } = attempt;
  const { known } = written;
  const before = known === undefined ? [] : weightedIn(ref, known);
  const connections = connectionsAfter(request.forwarding, before, Date.now());
  return { connections, ...given({ observed: await observeCellAfter(attempt, written) }) };
}

/** How old what was read while the load balancer was written may be, in milliseconds, before it is read again. */
const OLD_MS = 2_000;

async function observeCellAfter(
  { request: { forwarding }, ref: { key }, dependencies, surroundings }: Attempt,
  { config, sources: read }: Written,
): Promise<ObservedCell | undefined> {
  try {
    const sources = Date.now() - surroundings.at > OLD_MS ? undefined : await read;
    const isSame = sources !== undefined && routeOf(sources.cell.spec)?.type === forwarding.type;
    if (config !== undefined && isSame) return observedFrom(sources, config, key);
    return await observeCell(dependencies.kubernetes, key, dependencies.surroundings.now);
  } catch {
    return undefined;
  }
}

function weightedIn(ref: LoadBalancerConfigRef, known: ConfigObject): readonly WeightedTargetGroup[] {
  const { observed } = configViewOf(ref, known).status;
  return observed === undefined ? [] : targetGroupsOf(observed);
}
