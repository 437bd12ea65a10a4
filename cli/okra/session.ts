import { asyncLocalStorage, type Context } from '@temporalio/activity';
import type { Activities } from '../../activities/contract.ts';
import { connectEKS } from '../../clients/aws/eks.ts';
import { readPace } from '../../clients/aws/elbv2-pace.ts';
import { connectELBv2 } from '../../clients/aws/elbv2.ts';
import { sleep } from '../../clients/backoff.ts';
import { accessPolicies } from '../../clients/kubernetes/access-policies.ts';
import { installationIn } from '../../clients/kubernetes/installation.ts';
import { kindOf, type KindRef } from '../../clients/kubernetes/kinds.ts';
import type { Identified, Key, KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { connectAsPerson } from '../../clients/kubernetes/person.ts';
import { connectClusters } from '../../clients/kubernetes/remote-clusters.ts';
import { limitRates } from '../../clients/rate-limiter.ts';
import { loadConfig, settingsOfActivities } from '../../config/config.ts';
import { FIELD_MANAGER } from '../../domain/kubernetes/labels.ts';
import { given } from '../../domain/model/fields.ts';
import type { Globals, OkraSession } from './shell.ts';

/** Makes a session of the environment and of the options of a command; nothing is asked before it is used. */
export function openSession(
  { kubeconfig, context, namespace, region, profile, address }: Globals,
  needs = { kubernetes: true },
): OkraSession {
  // The AWS SDK reads the profile from the environment when it looks for credentials.
  if (profile !== undefined) process.env['AWS_PROFILE'] = profile;
  const config = loadConfig({
    ...process.env,
    ...given({ AWS_REGION: region, AWS_ENDPOINT_URL: address }),
  });
  const person = needs.kubernetes
    ? connectAsPerson({
        kubeconfig: kubeconfig ?? config.kubernetes.kubeconfig,
        context,
        // What it applies is what okrad would apply, and may be taken over by it.
        fieldManager: FIELD_MANAGER,
      })
    : withoutKubernetes;
  const { kubernetes } = person;
  const { aws, elbv2, datadog } = config;
  return {
    kubernetes,
    namespace: namespace ?? person.namespace,
    config,
    clusters: connectClusters(config, accessPolicies(kubernetes)),
    elbv2: connectELBv2({ endpoint: aws.elbv2Endpoint, pace: readPace(elbv2.reads, () => 'Usual') }),
    eks: connectEKS({ endpoint: aws.eksEndpoint, stsEndpoint: aws.stsEndpoint }),
    limits: limitRates({ ...elbv2, queries: datadog.queries }),
  };
}

/** A Kubernetes API of one object in memory, for what needs no cluster: the object is what the command line says. */
export function clusterOfOne(object: Identified): KubernetesClient {
  let kept: Identified = object;
  const isIt = (kind: KindRef, { namespace, name }: Key): boolean =>
    kind.kind === kept.kind && name === kept.metadata.name && namespace === kept.metadata.namespace;
  const never = (): never => {
    throw new Error(`only ${object.kind} ${object.metadata.name} can be read and reported.`);
  };
  return {
    get: async <T>(kind: KindRef, key: Key) => (isIt(kind, key) ? (kept as T) : undefined),
    list: async () => [],
    serves: async () => false,
    isReady: async () => true,
    apply: async (written) => {
      if (isIt(kindOf(written), written.metadata)) kept = { ...kept, ...written, metadata: kept.metadata };
      return written;
    },
    create: async (written) => written,
    snapshot: never,
    watch: never,
    patch: never,
    delete: never,
  };
}

const withoutKubernetes = {
  kubernetes: clusterOfOne({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } }),
  namespace: 'default',
};

/** Makes the activities that workers have, of a session; they are run by `asActivity`. */
export async function activitiesOf({ installation, ...session }: OkraSession): Promise<Activities> {
  const { kubernetes, clusters, elbv2, eks, limits, config } = session;
  // What they are made of takes a while to load, and many commands do not need it.
  const [{ makeActivities }, { Client, Connection }] = await Promise.all([
    import('../../activities/index.ts'),
    import('@temporalio/client'),
  ]);
  return makeActivities({
    ...settingsOfActivities(config),
    kubernetes,
    clusters,
    elbv2,
    eks,
    limits,
    // It connects to nothing until it is asked for something.
    temporal: new Client({ connection: Connection.lazy({ address: config.temporal.address }) }),
    installation: installation ?? installationIn({ kubernetes, namespace: config.lease.namespace }),
  });
}

/**
 * Runs a function of an activity outside of Temporal: it is its only attempt, its heartbeats go nowhere, and the signal
 * cancels it.
 */
export function asActivity<Value>(signal: AbortSignal, run: () => Promise<Value>): Promise<Value> {
  const context = {
    info: { attempt: 1, taskQueue: 'okra' },
    cancellationSignal: signal,
    sleep: (ms: number) => sleep(ms, signal),
    heartbeat: () => undefined,
  };
  // The context is a class that only a worker makes; these are the parts that the activities use.
  return asyncLocalStorage.run(context as unknown as Context, run);
}
