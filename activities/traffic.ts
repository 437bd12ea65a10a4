import { Context } from '@temporalio/activity';
import { isConflict } from '../clients/kubernetes.ts';
import type { ELBv2 } from '../clients/elbv2.ts';
import type { KindRef } from '../clients/kinds.ts';
import { canonical } from '../domain/canonical.ts';
import { mergePatch } from '../domain/discovery/merge-patch.ts';
import { lackOfHealth, lackOfTargets, type TargetHealth } from '../domain/health.ts';
import { formatKey } from '../domain/ids.ts';
import { ADOPT_ANNOTATION, API_VERSION, FINALIZER, SEQUENCE_ANNOTATION } from '../domain/labels.ts';
import type { ObservedCell } from '../domain/observation.ts';
import { beating } from './beat.ts';
import { observeCell } from './cell.ts';
import { meansOf, readConfig, sequenceOf, viewOf } from './config-object.ts';
import { configWriter, type ConfigWriter, type WriterDependencies } from './config-writer.ts';
import type { LoadBalancerConfigRef, ShiftRequest, ShiftResult, TrafficActivities } from './contract.ts';
import { failure } from './failure.ts';
import { loadBalancerOf } from './load-balancers/index.ts';
import type { ConfigObject } from './load-balancers/port.ts';
import { ownedByCell } from './owner.ts';

/** Makes the activities that shift traffic and look at the health of targets. */
export function trafficActivities(dependencies: WriterDependencies): TrafficActivities {
  const writer = configWriter(dependencies);
  return {
    shiftTraffic: (request) => beating((signal) => shift(request, { ...dependencies, writer, signal })),
    inspectLoadBalancer: (request) => {
      const calls = loadBalancerOf(request.route.type).connect(meansOf(dependencies));
      return calls.inspect(request, Context.current().cancellationSignal);
    },
    readTargetHealth: (arns) => {
      const { cancellationSignal } = Context.current();
      return healthOf(dependencies.elbv2, arns, cancellationSignal);
    },
  };
}

interface Means extends WriterDependencies {
  readonly writer: ConfigWriter;
  readonly signal: AbortSignal;
}

/** Makes one weight, from the look at what gains to a look at all that the Cell depends on afterwards. */
async function shift(request: ShiftRequest, means: Means): Promise<ShiftResult> {
  const { kubernetes, writer, elbv2, signal } = means;
  const lacking = await lackOf(request, elbv2, signal);
  if (lacking !== undefined) return lacking;
  const { cell, forwarding, urgent, verify, ticket } = request;
  const ref = { type: forwarding.type, key: cell.key };
  const known = await readConfig(kubernetes, ref, signal);
  refuseOlder(request, known);
  const options = { urgent, verify, ticket, signal };
  const differs = canonical(forwarding) !== canonical(askedOf(ref, known));
  // Nothing is asked for before it may be written, so that an abort finds nothing that could be written later.
  const turn = differs || verify ? await writer.reserve(forwarding, options) : undefined;
  if (turn?.is === 'NotYet') return turn;
  signal.throwIfAborted();
  const written = await writeConfig(request, known, means);
  const applied = await writer.apply(viewOf(ref, written), options, turn);
  if (applied.is === 'NotYet') return applied;
  const observed = await lookAgain(request, means);
  return { is: 'Served', ...(observed === undefined ? {} : { observed }) };
}

const askedOf = (ref: LoadBalancerConfigRef, known: ConfigObject | undefined): unknown =>
  known === undefined ? undefined : viewOf(ref, known).asked;

/** Says what target groups lack of what the write requires; undefined when nothing. */
async function lackOf(
  { requires, minHealthyTargets }: ShiftRequest,
  elbv2: (arn: string) => ELBv2,
  signal: AbortSignal,
): Promise<Extract<ShiftResult, { is: 'Lacking' }> | undefined> {
  const { healthy = [], registered = [] } = requires ?? {};
  const targetGroupARNs = [...healthy, ...registered];
  const found = await healthOf(elbv2, targetGroupARNs, signal);
  const lack =
    lackOfHealth(found.slice(0, healthy.length), minHealthyTargets) ??
    lackOfTargets(found.slice(healthy.length));
  return lack === undefined ? undefined : { is: 'Lacking', targetGroupARNs, lack };
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

/** Writes the Cell's configuration object, unless somebody has changed it since it was read. */
async function writeConfig(
  request: ShiftRequest,
  known: ConfigObject | undefined,
  { kubernetes }: Means,
): Promise<ConfigObject> {
  const { cell, forwarding, deletionPolicy, adopt, sequence } = request;
  const loadBalancer = loadBalancerOf(forwarding.type);
  const { kind } = loadBalancer;
  const resourceVersion = known?.metadata.resourceVersion;
  const spec = loadBalancer.spec(forwarding, deletionPolicy);
  try {
    const written = await kubernetes.apply<ConfigObject>(
      {
        apiVersion: API_VERSION,
        kind: kind.kind,
        metadata: {
          ...cell.key,
          ...(resourceVersion === undefined ? {} : { resourceVersion }),
          annotations: {
            [SEQUENCE_ANNOTATION]: String(sequence),
            ...(adopt ? { [ADOPT_ANNOTATION]: 'true' } : {}),
          },
          // With Delete it stays until what it has made is deleted.
          ...(deletionPolicy === 'Delete' ? { finalizers: [FINALIZER] } : {}),
          ownerReferences: ownedByCell(cell),
        },
        spec,
      },
      { force: true },
    );
    return await withoutOthers(written, spec, { kind, kubernetes });
  } catch (error) {
    if (isConflict(error))
      throw failure('Unavailable', `${kind.kind} ${formatKey(cell.key)} was changed meanwhile.`);
    throw error;
  }
}

/** Takes out of an object what somebody else has added, which a server-side apply that does not name it leaves there. */
async function withoutOthers(
  written: ConfigObject,
  spec: object,
  { kind, kubernetes }: Pick<Means, 'kubernetes'> & { readonly kind: KindRef },
): Promise<ConfigObject> {
  const { name, namespace = '', resourceVersion } = written.metadata;
  const others = mergePatch(jsonOf(written.spec), jsonOf(spec));
  if (Object.keys(others).length === 0) return written;
  const patch = { metadata: { resourceVersion }, spec: others };
  return kubernetes.patch<ConfigObject>(kind, { namespace, name }, patch);
}

const jsonOf = (spec: object): Parameters<typeof mergePatch>[0] => JSON.parse(JSON.stringify(spec));

/** Looks at the Cell after a write; that this fails does not undo the write. */
async function lookAgain({ cell }: ShiftRequest, { kubernetes }: Means): Promise<ObservedCell | undefined> {
  try {
    return await observeCell(kubernetes, cell.key);
  } catch {
    return undefined;
  }
}

const healthOf = (
  elbv2: (arn: string) => ELBv2,
  arns: readonly string[],
  signal: AbortSignal,
): Promise<readonly TargetHealth[]> => Promise.all(arns.map((arn) => healthOfGroup(elbv2(arn), arn, signal)));

async function healthOfGroup(
  elbv2: ELBv2,
  targetGroupARN: string,
  signal: AbortSignal,
): Promise<TargetHealth> {
  const targets = await elbv2.targetHealth(targetGroupARN, signal);
  const others = new Map<string, number>();
  for (const { TargetHealth: health } of targets) {
    if (health?.State === 'healthy') continue;
    const what = `${health?.State ?? 'unknown'}${health?.Reason === undefined ? '' : ` (${health.Reason})`}`;
    others.set(what, (others.get(what) ?? 0) + 1);
  }
  return {
    targetGroupARN,
    healthy: targets.filter((target) => target.TargetHealth?.State === 'healthy').length,
    total: targets.length,
    others: [...others].map(([what, count]) => `${count} ${what}`).join(', '),
  };
}
