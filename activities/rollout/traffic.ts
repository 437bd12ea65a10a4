import { Context } from '@temporalio/activity';
import { accessPolicies } from '../../clients/kubernetes/access-policies.ts';
import { sameValue } from '../../domain/kubernetes/canonical.ts';
import type { Access } from '../../domain/access/access.ts';
import { usesOf } from '../../domain/access/forwarding-access.ts';
import { formatKey } from '../../domain/model/ids.ts';
import { placeOf, targetGroupsOf } from '../../domain/load-balancers/load-balancer.ts';
import type { LoadBalancerConfigView } from '../../domain/load-balancers/load-balancer-config.ts';
import type { WeightedTargetGroup } from '../../domain/model/target-group.ts';
import { refuseWhenGivenUp, withHeartbeat } from '../heartbeat.ts';
import { cellReporter, type CellDependencies } from './cell.ts';
import { lookAgain } from './look-again.ts';
import { tellFirst } from './tell-first.ts';
import type { Told } from '../../domain/rollout/report.ts';
import { writeReader } from './write-reader.ts';
import type { SurroundingsReader } from './surroundings.ts';
import { writeConfig } from './write-config.ts';
import { connectionsOf, delaysFrom, type ReadDelays } from './connections.ts';
import { dependenciesOf, readConfig, sequenceOf, configViewOf } from '../load-balancers/config-object.ts';
import {
  configWriter,
  type BudgetTurn,
  type ConfigWriter,
  type WriterDependencies,
} from '../load-balancers/config-writer.ts';
import type {
  LoadBalancerConfigRef,
  NotYet,
  ShiftRequest,
  ShiftResult,
  TrafficActivities,
} from '../contract.ts';
import { failure } from '../failure.ts';
import { loadBalancerOf } from '../load-balancers/index.ts';
import type { ConfigObject } from '../load-balancers/port.ts';
import { adoptionFor, permit } from '../permit.ts';
import { healthOf, targetLook } from '../load-balancers/target-health.ts';

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

/** Makes one weight, from the look at what gains to a look at all that the Cell depends on afterwards. */
async function shift(request: ShiftRequest, means: ShiftDependencies): Promise<ShiftResult> {
  const { kubernetes, writer, signal } = means;
  const { cell, forwarding, urgent, percent, verify, ticket } = request;
  const ref = { type: forwarding.type, key: cell.key };
  const reading = writeReader(request, means);
  // Who has to line up tells of the write and looks at targets when the turn comes, and not twice.
  const linesUp = ticket === undefined && !urgent && writer.isCrowded(forwarding);
  if (!linesUp) void means.announce();
  if (!linesUp && !urgent) reading.begin();
  const known = await readConfig(kubernetes, ref, signal);
  await refuseUnallowed(request, known, reading.access);
  refuseOlder(request, known);
  const options = { urgent, percent, verify, ticket, signal };
  const differs = !sameValue(forwarding, askedOf(ref, known));
  // Nothing is asked for before it may be written, so that an abort finds nothing that could be written later.
  const reserve = async (): Promise<BudgetTurn | NotYet | undefined> =>
    differs || verify ? await writer.reserve(forwarding, options) : undefined;
  const early = linesUp ? await reserve() : undefined;
  if (early?.is === 'NotYet') return early;
  const look = targetLook(request, dependenciesOf(means), signal);
  const first = await look();
  if (first.is === 'Lacking') return first;
  const turn = early ?? (await reserve());
  if (turn?.is === 'NotYet') return turn;
  await means.announce();
  // Telling takes long while the API server is slow, and targets may have gone meanwhile.
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
    turn,
  );
  if (applied.is === 'NotYet') return applied;
  const before = weightedIn(known === undefined ? undefined : configViewOf(ref, known));
  const { gaining } = looked;
  const connections = await connectionsOf({ forwarding, before, gaining }, means.delays, signal);
  const observed = await lookAgain(request, { config: applied.config, sources }, means);
  return { is: 'Served', connections, ...(observed === undefined ? {} : { observed }) };
}

const weightedIn = (config: LoadBalancerConfigView | undefined): readonly WeightedTargetGroup[] =>
  config?.status.observed === undefined ? [] : targetGroupsOf(config.status.observed);

const askedOf = (ref: LoadBalancerConfigRef, known: ConfigObject | undefined): unknown =>
  known === undefined ? undefined : configViewOf(ref, known).desired;

/** Keeps a Cell from what its namespace may not use, also from learning of it. */
async function refuseUnallowed(
  { cell: { key }, forwarding, takesBack = false }: ShiftRequest,
  known: ConfigObject | undefined,
  access: () => Promise<Access | undefined>,
): Promise<void> {
  const served =
    known === undefined ? undefined : configViewOf({ type: forwarding.type, key }, known).status.observed;
  const uses = usesOf(forwarding, served, { takesBack });
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
