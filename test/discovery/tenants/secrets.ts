import type { Stage } from '../../support/stage/stage.ts';
import { apiVersion, type Attempt, type Victim } from './attempt.ts';

const LOOK = { kind: 'AWSTargetGroupSet', name: 'set-clusters' };
const OWN = { tenant: 'mallory' };

/** What a tenant may try by the secrets of clusters, and by looking into these. */
export function secretAttempts(stage: Stage, { cluster, ownCluster, role }: Victim): readonly Attempt[] {
  const eks = { clusterName: cluster.name, region: stage.stack.aws.region };
  const own = { ...eks, clusterName: ownCluster };
  const server = cluster.endpoint;
  const stranger = 'https://127.0.0.1:9';
  const tlsClientConfig = { insecure: true };
  const command = { execProviderConfig: { command: 'env' } };
  return [
    secret(['clusterName', 'logs in', 'NotAllowed'], server, { awsAuthConfig: eks }),
    secret(['roleARN', 'logs in', 'NotAllowed'], server, { awsAuthConfig: { ...eks, roleARN: role } }),
    secret(['server', 'is shown a token', 'ForeignEndpoint'], stranger, { awsAuthConfig: own }),
    secret(['insecure', 'is shown a token', 'InvalidSecret'], server, {
      awsAuthConfig: eks,
      tlsClientConfig,
    }),
    secret(['execProviderConfig', 'is shown a token', 'InvalidSecret'], server, command),
    {
      ...LOOK,
      field: 'clusterSelector',
      tried: 'looks into a cluster',
      reason: 'NotAllowed',
      object: {
        apiVersion,
        kind: LOOK.kind,
        metadata: { name: LOOK.name },
        spec: { generators: [{ awseks: { clusterSelector: { matchLabels: OWN } } }] },
      },
    },
  ];
}

function secret(
  [field, tried, reason]: readonly [field: string, tried: string, reason: string],
  server: string,
  config: object,
): Attempt {
  const kind = 'Secret';
  const name = `secret-${field.toLowerCase()}`;
  const data = Object.entries({ name, server, config: JSON.stringify(config) });
  const encoded = data.map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  const labels = { 'argocd.argoproj.io/secret-type': 'cluster', ...OWN };
  const object = { apiVersion: 'v1', kind, metadata: { name, labels }, data: Object.fromEntries(encoded) };
  return { kind, field, tried, reason, name, saidBy: LOOK, object };
}
