import { Context } from '@temporalio/activity';
import { accessPolicies } from '../../clients/kubernetes/access-policies.ts';
import { sameValue } from '../../domain/kubernetes/canonical.ts';
import type { Access } from '../../domain/access/access.ts';
import { usesOf } from '../../domain/access/forwarding-access.ts';
import { formatKey } from '../../domain/model/ids.ts';
import { strandingRefusal } from '../../domain/gates/health.ts';
import { placeOf, targetGroupsOf, weightsText } from '../../domain/load-balancers/load-balancer.ts';
import type { LoadBalancerConfigView } from '../../domain/load-balancers/load-balancer-config.ts';
import type { WeightedTargetGroup } from '../../domain/model/target-group.ts';
import { refuseWhenGivenUp, withHeartbeat } from '../heartbeat.ts';
import { cellReporter, type CellDependencies } from './cell.ts';
import { lookAgain, type Around } from './look-again.ts';
import { tellFirst } from './tell-first.ts';
import type { Told } from '../../domain/rollout/report/events.ts';
import { writeReader, type WriteReader } from './write-reader.ts';
import type { SurroundingsReader } from './surroundings.ts';
import { writeConfig } from './write-config.ts';
import { connectionsOf, delaysFrom, type ReadDelays } from './connections.ts';
import { dependenciesOf, readConfig, sequenceOf, configViewOf } from '../load-balancers/config-object.ts';
import {
  configWriter,
  type AttemptOptions,
  type ConfigWriter,
  type WriterDependencies,
} from '../load-balancers/config-writer.ts';
import type { LoadBalancerConfigRef, ShiftRequest, ShiftResult, TrafficActivities } from '../contract.ts';
import { failure, toFailure } from '../failure.ts';
import { loadBalancerOf } from '../load-balancers/index.ts';
import type { ConfigObject } from '../load-balancers/port.ts';
import { adoptionFor, permit } from '../permit.ts';
import {
  healthOf,
  healthReader,
  lookAtTargets,
  readStranding,
  type HealthReader,
  type Looked,
} from '../load-balancers/target-health.ts';
import { readIfInTime } from '../load-balancers/read-in-time.ts';

/** What traffic is shifted with. */
export interface TrafficDependencies
  extends WriterDependencies, Pick<CellDependencies, 'temporal' | 'tellEvent' | 'surroundings'> {}

/** Makes the activities that shift traffic and look at the health of targets. */
export function trafficActivities(dependencies: TrafficDependencies): TrafficActivities {
  const writer = configWriter(dependencies);
  const delays = delaysFrom(dependencies.elbv2);
  const policies = accessPolicies(dependencies.kubernetes);
  const means = { ...dependencies, writer, delays };
  const report = cellReporter(dependencies);
  return {
    shiftTraffic: (request) =>
      withHeartbeat(async (signal) => {
        let telling: Promise<Told> | undefined;
        const announce = (): Promise<Told> | undefined =>
          (telling ??= request.report && tellFirst(report, request.report, signal));
        try {
          const result = await shift(request, { ...means, announce, signal });
          return telling === undefined ? result : { ...result, told: await telling };
        } finally {
          // Nothing that is told later may be overtaken by it.
          await telling;
        }
      }),
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
  readonly delays: ReadDelays;
  readonly surroundings: SurroundingsReader;
  /** Tells once what is told before traffic moves. */
  readonly announce: () => Promise<Told> | undefined;
  readonly signal: AbortSignal;
}

/** One attempt to make one weight. */
interface Attempt {
  readonly request: ShiftRequest;
  readonly ref: LoadBalancerConfigRef;
  readonly means: ShiftDependencies;
  readonly reading: WriteReader;
  readonly options: AttemptOptions & { readonly health: HealthReader };
}

/** Makes one weight, from the look at what gains to a look at all that the Cell depends on afterwards. */
async function shift(request: ShiftRequest, means: ShiftDependencies): Promise<ShiftResult> {
  const { signal } = means;
  const { cell, forwarding, urgent, verify, force } = request;
  const health = healthReader(means.elbv2, { urgent, signal });
  const attempt: Attempt = {
    request,
    ref: { type: forwarding.type, key: cell.key },
    means,
    reading: writeReader(request, means),
    options: { urgent, verify, force, signal, health },
  };
  return urgent ? await takeBack(attempt) : await goForward(attempt);
}

/**
 * Writes ELBv2 first and the configuration object afterwards: neither an API server that is away nor a webhook that refuses
 * the object keeps traffic where it must not stay.
 */
async function takeBack(attempt: Attempt): Promise<ShiftResult> {
  const { request, ref, means, reading, options } = attempt;
  const { kubernetes, writer, signal } = means;
  const read = (): Promise<ConfigObject | undefined | 'Unread'> =>
    readIfInTime(options, (inTime) => readConfig(kubernetes, ref, inTime), 'Unread');
  const found = await read();
  const known = found === 'Unread' ? undefined : found;
  await refuseUnallowed(request, known, reading.access);
  refuseOlder(request, known);
  const looked = await lookAtTargets(request, dependenciesOf(means), { read: options.health, signal });
  if (looked.is === 'Lacking') return looked;
  const refuseOutdated = async (): Promise<void> => {
    const now = await read();
    if (now !== 'Unread') refuseOlder(request, now);
  };
  const done = await writer.serve(asServing(attempt, known), { ...options, refuseOutdated });
  const { served, ...result } = done;
  try {
    const object = found === 'Unread' ? await readConfig(kubernetes, ref, signal) : known;
    const written = await writeConfig(request, object, kubernetes);
    const sources = reading.sources();
    const outcome = { is: 'Served', served, created: false } as const;
    const config = await writer.report(configViewOf(ref, written), outcome, sources.read);
    return { ...result, ...(await seenAfter(attempt, { known, config, sources, looked })) };
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

/** Reports, writes the configuration object, and then ELBv2. */
async function goForward(attempt: Attempt): Promise<ShiftResult> {
  const { request, ref, means, reading, options } = attempt;
  const { kubernetes, writer, signal } = means;
  const { forwarding, verify } = request;
  void means.announce();
  reading.begin();
  const known = await readConfig(kubernetes, ref, signal);
  await refuseUnallowed(request, known, reading.access);
  refuseOlder(request, known);
  const differs = !sameValue(forwarding, askedOf(ref, known));
  const look = () => lookAtTargets(request, dependenciesOf(means), { read: options.health, signal });
  const first = await look();
  if (first.is === 'Lacking') return first;
  await refuseStranding(attempt, known);
  // Nothing is asked for before it may be written, so that an abort finds nothing that could be written later.
  const token = differs || verify ? await writer.reserve(forwarding, options) : undefined;
  await means.announce();
  // Both may take long, and targets may have gone meanwhile.
  const looked = await look();
  if (looked.is === 'Lacking') return looked;
  signal.throwIfAborted();
  // An object that is not there yet has no version by which the API server could tell that this is late.
  refuseWhenGivenUp();
  const written = await writeConfig(request, known, kubernetes);
  // The Cell is read while the load balancer is written.
  const sources = reading.sources();
  const applied = await writer.apply(
    configViewOf(ref, written),
    { ...options, versions: sources.read },
    token,
  );
  const { served: _served, config, ...result } = applied;
  return { ...result, ...(await seenAfter(attempt, { known, config, sources, looked })) };
}

/** Keeps the object from asking for what would leave all traffic without a healthy target, as far as its status knows. */
async function refuseStranding(
  { request, ref, options }: Attempt,
  known: ConfigObject | undefined,
): Promise<void> {
  if (known === undefined || request.force === true) return;
  const change = { from: weightedIn(configViewOf(ref, known)), to: targetGroupsOf(request.forwarding) };
  const stranded = await readStranding(change, options.health, options);
  if (stranded !== undefined) throw failure('NoHealthyTargets', strandingRefusal(stranded));
}

/** What was seen after a write: why connections are elsewhere than the weights say, and all that the Cell depends on. */
async function seenAfter(
  { request, ref, means }: Attempt,
  {
    known,
    config,
    sources,
    looked: { gaining },
  }: Around & {
    readonly known: ConfigObject | undefined;
    readonly looked: Extract<Looked, { is: 'Enough' }>;
  },
): Promise<Pick<Extract<ShiftResult, { is: 'Served' }>, 'observed' | 'connections'>> {
  const before = weightedIn(known === undefined ? undefined : configViewOf(ref, known));
  const { forwarding } = request;
  const connections = await connectionsOf({ forwarding, before, gaining }, means.delays, means.signal);
  const observed = await lookAgain(request, { config, sources }, means);
  return { connections, ...(observed === undefined ? {} : { observed }) };
}

const weightedIn = (config: LoadBalancerConfigView | undefined): readonly WeightedTargetGroup[] =>
  config?.status.observed === undefined ? [] : targetGroupsOf(config.status.observed);

const askedOf = (ref: LoadBalancerConfigRef, known: ConfigObject | undefined): unknown =>
  known === undefined ? undefined : configViewOf(ref, known).desired;

/** Keeps a Cell from what its namespace may not use, also from learning of it. */
async function refuseUnallowed(
  { cell: { key }, forwarding, served, takesBack = false }: ShiftRequest,
  known: ConfigObject | undefined,
  access: () => Promise<Access | undefined>,
): Promise<void> {
  const view = known && configViewOf({ type: forwarding.type, key }, known);
  const uses = usesOf(forwarding, view === undefined ? served : view.status.observed, { takesBack });
  // What takes traffic back does not wait for an answer that it does not need.
  if (uses.length > 0) permit(await access(), uses);
}

/** Refuses a write that another one has overtaken. */
function refuseOlder({ cell, sequence }: ShiftRequest, known: ConfigObject | undefined): void {
  const written = sequenceOf(known);
  if (written < sequence) return;
  throw failure(
    'Superseded',
    `Expected write ${sequence} to the load balancer configuration ${formatKey(cell.key)} to be the next, got ${written} there already.`,
  );
}
