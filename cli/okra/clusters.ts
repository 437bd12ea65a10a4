import type { Command } from 'commander';
import { decodeBase64 } from '../../clients/kubernetes/base64.ts';
import { SECRET } from '../../clients/kubernetes/kinds.ts';
import type { StoredClusterSecret } from '../../clients/kubernetes/remote-clusters.ts';
import { secretNameOf } from '../../domain/discovery/cluster-set/cluster-set.ts';
import { clusterSecretValues } from '../../domain/discovery/clusters/cluster-secret.ts';
import { readKnownCluster } from '../../domain/discovery/clusters/known-cluster.ts';
import { CLUSTER_SECRETS, SECRET_TYPE_CLUSTER, SECRET_TYPE_LABEL } from '../../domain/kubernetes/labels.ts';
import { matches } from '../../domain/kubernetes/selector.ts';
import { given, omit } from '../../domain/model/fields.ts';
import { layOut, outputOption, printObjects } from '../okractl/output.ts';
import { badUsage, failed } from '../okractl/shell.ts';
import { named, type OkraOptions, type OkraSession, type OkraShell, pairs, pairsText } from './shell.ts';

export function addCreateCluster(create: Command, shell: OkraShell): void {
  named(create.command('cluster'), { what: 'the EKS cluster' }, async (name, options) => {
    const session = shell.session(options);
    const secret = await secretOf(session, name, options);
    const id = `Secret ${secret.metadata.namespace}/${secret.metadata.name}`;
    await session.kubernetes.create(secret);
    if (session.unsent === undefined) shell.print(`${id} created.`);
  })
    .description(
      'Creates the Argo CD cluster secret of an EKS cluster. Without --endpoint and --ca-data, it asks EKS for them.',
    )
    .option('--endpoint <url>', 'the address of its API server')
    .option('--ca-data <base64>', 'the CA certificate of its API server, PEM in base64')
    .option('--labels <key=value,…>', 'labels of the secret', pairs);
}

async function secretOf(session: OkraSession, name: string, options: OkraOptions) {
  const { region } = session.config.aws;
  const access = await accessOf(session, name, options);
  const values = clusterSecretValues({ name, ...access, ...given({ region }) });
  const encode = (text: string): string => Buffer.from(text).toString('base64');
  return {
    apiVersion: SECRET.apiVersion,
    kind: SECRET.kind,
    metadata: {
      namespace: session.namespace,
      name: secretNameOf(name),
      labels: { ...options.labels, [SECRET_TYPE_LABEL]: SECRET_TYPE_CLUSTER },
    },
    type: 'Opaque',
    data: { name: encode(name), server: encode(values.server), config: encode(values.config) },
  };
}

async function accessOf({ config, eks }: OkraSession, name: string, { endpoint, caData }: OkraOptions) {
  const { region } = config.aws;
  if (endpoint !== undefined && caData !== undefined) return { endpoint, caData };
  if ((endpoint ?? caData) !== undefined)
    throw badUsage('--endpoint and --ca-data must be given together. Without both, EKS is asked.');
  if (region === undefined) throw badUsage('no region given. Set --region or AWS_REGION.');
  const { clusters } = await eks({ region }).clusters();
  const found = clusters.find((cluster) => cluster.name === name);
  if (found?.endpoint !== undefined && found.caData !== undefined)
    return { endpoint: found.endpoint, caData: found.caData };
  const names = clusters.map((cluster) => cluster.name).toSorted();
  throw failed(
    found === undefined
      ? `EKS cluster ${name} not found in ${region}. Existing: ${names.join(', ') || 'none'}.`
      : `cannot use EKS cluster ${name} in ${region}: it is ${found.status}.`,
  );
}

export function addDeleteCluster(remove: Command, shell: OkraShell): void {
  named(remove.command('cluster'), { what: 'the cluster' }, async (name, options) => {
    const session = shell.session(options);
    const { namespace } = session;
    const { cluster, secret } = clusterCalled(await clustersIn(session), name, namespace);
    // Only what was found to be a cluster secret goes, and not another of its name.
    const { uid } = secret.metadata;
    await session.kubernetes.delete(SECRET, { namespace, name: cluster.secret }, { uid });
    if (session.unsent === undefined) shell.print(`Secret ${namespace}/${cluster.secret} deleted.`);
  }).description('Deletes the Argo CD cluster secret of a cluster; the cluster itself stays.');
}

export function addGetCluster(get: Command, shell: OkraShell): void {
  get
    .command('cluster')
    .alias('clusters')
    .description('Shows the clusters that have an Argo CD cluster secret, with its labels.')
    .option('-l, --selector <key=value,…>', 'only objects with these labels', pairs)
    .addOption(outputOption(['json', 'yaml', 'name']))
    .action(async (options: OkraOptions) => {
      const all = await clustersIn(shell.session(options));
      const { selector: matchLabels = {}, output } = options;
      // Their logins are nobody's business here.
      const items = all
        .filter(({ cluster }) => matches({ matchLabels }, cluster.labels))
        .map(({ cluster: { name, secret, labels } }) => ({ name, secret, labels }));
      const rows = items.map(({ name, secret, labels }) => [
        name,
        secret,
        pairsText(omit(labels, SECRET_TYPE_LABEL)),
      ]);
      printObjects(shell, output, {
        value: items,
        names: items.map(({ name }) => name),
        none: 'No clusters found in this namespace.',
        table: () => layOut({ headings: ['NAME', 'SECRET', 'LABELS'], rows }),
      });
    });
}

type NamedCluster = Awaited<ReturnType<typeof clustersIn>>[number];

export async function clustersIn({ kubernetes, namespace }: Pick<OkraSession, 'kubernetes' | 'namespace'>) {
  const which = { namespace, labelSelector: CLUSTER_SECRETS };
  const secrets = await kubernetes.list<StoredClusterSecret>(SECRET, which);
  return secrets.map((secret) => ({ secret, cluster: readKnownCluster(secret, decodeBase64) }));
}

/** Finds a cluster by its name or that of its secret; throws when there is none, or more than one. */
export function clusterCalled(all: readonly NamedCluster[], name: string, namespace: string): NamedCluster {
  const found = all.filter(({ cluster }) => cluster.name === name || cluster.secret === name);
  const [first, second] = found;
  if (second !== undefined) {
    const each = found
      .map(({ cluster }) => `Secret ${cluster.secret} of cluster ${cluster.name}`)
      .join(' and ');
    throw failed(
      `${name} is ambiguous in namespace ${namespace}: ${each}. Use kubectl on the right Secret, or rename the other one.`,
    );
  }
  if (first !== undefined) return first;
  const names = all.map(({ cluster }) => cluster.name).join(', ');
  throw failed(
    `Argo CD cluster secret of cluster ${name} not found in namespace ${namespace}. Existing: ${names === '' ? 'none' : names}. Create one with okra create cluster.`,
  );
}

/** Reaches a cluster whose secret is in a namespace, and the namespaces that its secret names. */
export async function reachCluster(session: OkraSession, name: string, namespace = session.namespace) {
  const { secret } = clusterCalled(await clustersIn({ ...session, namespace }), name, namespace);
  const reach = session.clusters.reach(secret);
  if (reach.is === 'Problem') throw failed(reach.problem);
  return reach;
}
