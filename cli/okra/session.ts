import { given } from '../../domain/model/fields.ts';
import { connectEKS } from '../../clients/aws/eks.ts';
import { readPace } from '../../clients/aws/elbv2-pace.ts';
import { connectELBv2 } from '../../clients/aws/elbv2.ts';
import { limitRates } from '../../clients/rate-limiter.ts';
import { accessPolicies } from '../../clients/kubernetes/access-policies.ts';
import { kindOf, type KindRef } from '../../clients/kubernetes/kinds.ts';
import type { Identified, Key, KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { connectAsPerson } from '../../clients/kubernetes/person.ts';
import { connectClusters } from '../../clients/kubernetes/remote-clusters.ts';
import { loadConfig } from '../../config/config.ts';
import { FIELD_MANAGER } from '../../domain/kubernetes/labels.ts';
import type { Globals, OkraSession, SessionNeeds } from './shell.ts';

/** Who does without Kubernetes: there is a namespace, and nothing in it. */
const nobody = {
  ...clusterOfOne({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } }),
  namespace: 'default',
};

/** Makes a session of the environment and of the options of a command; nothing is asked before it is used. */
export function openSession(
  { kubeconfig, context, namespace, region, profile, address }: Globals,
  needs: SessionNeeds = { kubernetes: true },
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
    : nobody;
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
export function clusterOfOne(object: Identified): {
  readonly kubernetes: KubernetesClient;
  /** The object with the status that was written last. */
  readonly now: () => Identified;
} {
  let kept: Identified = object;
  const isIt = (kind: KindRef, { namespace, name }: Key): boolean =>
    kind.kind === kept.kind && name === kept.metadata.name && namespace === kept.metadata.namespace;
  const never = (): never => {
    throw new Error(`only ${object.kind} ${object.metadata.name} can be read and reported.`);
  };
  return {
    now: () => kept,
    kubernetes: {
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
    },
  };
}
