import { given } from '../../domain/model/fields.ts';
import type { Command } from 'commander';
import { SECRET } from '../../clients/kubernetes/kinds.ts';
import { isConflict } from '../../clients/kubernetes/kubernetes.ts';
import { clusterSecretValues } from '../../domain/discovery/clusters/cluster-secret.ts';
import { secretNameOf } from '../../domain/discovery/cluster-set/cluster-set.ts';
import { SECRET_TYPE_CLUSTER, SECRET_TYPE_LABEL } from '../../domain/kubernetes/labels.ts';
import { matches } from '../../domain/kubernetes/selector.ts';
import { badUsage, failed } from '../okractl/shell.ts';
import { forPrograms, layOut, type OutputFormat, outputOption } from '../okractl/output.ts';
import { inOneLine } from '../terminal-text.ts';
import { dryRunOf } from './dry-run.ts';
import {
  type Globals,
  named,
  nameIn,
  type NameOption,
  type OkraSession,
  type OkraShell,
  pairs,
} from './shell.ts';
import { clusterCalled, clustersIn } from './target-group-set-of.ts';

type Texts = Readonly<Record<string, string>>;

interface CreateOptions extends Globals, NameOption {
  readonly endpoint?: string;
  readonly caData?: string;
  readonly labels?: Texts;
}

/** Adds `create cluster`. */
export function addCreateCluster(create: Command, shell: OkraShell): void {
  named(create.command('cluster'), 'the EKS cluster')
    .description(
      'Creates the Argo CD cluster secret of an EKS cluster. Without --endpoint and --ca-data, it asks EKS for them.',
    )
    .option('--endpoint <url>', 'the address of its API server')
    .option('--ca-data <base64>', 'the CA certificate of its API server, PEM in base64')
    .option('--labels <key=value,…>', 'labels of the secret', pairs)
    .action(async (argument: string | undefined, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<CreateOptions>();
      const name = nameIn(argument, options, 'the EKS cluster');
      const real = shell.session(options);
      const secret = await secretOf(real, name, options);
      const { dryRun = false } = options;
      const { kubernetes } = dryRun ? dryRunOf(real, shell).session : real;
      try {
        await kubernetes.create(secret);
      } catch (error) {
        if (!isConflict(error)) throw error;
        throw failed(
          `Secret ${secret.metadata.namespace}/${secret.metadata.name} already exists. Delete it first with okra delete cluster.`,
        );
      }
      if (!dryRun) shell.print(`Secret ${secret.metadata.namespace}/${secret.metadata.name} created.`);
    });
}

async function secretOf(session: OkraSession, name: string, options: CreateOptions) {
  const { endpoint, caData, region } = await accessOf(session, name, options);
  const values = clusterSecretValues({ name, endpoint, caData, ...given({ region }) });
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

async function accessOf(session: OkraSession, name: string, { endpoint, caData }: CreateOptions) {
  const { region } = session.config.aws;
  if (endpoint !== undefined && caData !== undefined) return { endpoint, caData, region };
  if ((endpoint ?? caData) !== undefined)
    throw badUsage('--endpoint and --ca-data must be given together. Without both, EKS is asked.');
  if (region === undefined) throw badUsage('no region given. Set --region or AWS_REGION.');
  const { clusters } = await session.eks({ region }).clusters();
  const found = clusters.find((cluster) => cluster.name === name);
  if (found?.endpoint !== undefined && found.caData !== undefined)
    return { endpoint: found.endpoint, caData: found.caData, region };
  const names = clusters.map((cluster) => cluster.name).toSorted();
  throw failed(
    found === undefined
      ? `EKS cluster ${name} not found in ${region}. Existing: ${names.join(', ') || 'none'}.`
      : `cannot use EKS cluster ${name} in ${region}: it is ${found.status}.`,
  );
}

/** Adds `delete cluster`. */
export function addDeleteCluster(remove: Command, shell: OkraShell): void {
  named(remove.command('cluster'), 'the cluster')
    .description('Deletes the Argo CD cluster secret of a cluster; the cluster itself stays.')
    .action(async (argument: string | undefined, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & NameOption>();
      const name = nameIn(argument, options, 'the cluster');
      const real = shell.session(options);
      const { namespace } = real;
      const { cluster, secret } = clusterCalled(await clustersIn(real), name, namespace);
      const { dryRun = false } = options;
      const { kubernetes } = dryRun ? dryRunOf(real, shell).session : real;
      // Only what was found to be a cluster secret goes, and not another of its name.
      const { uid } = secret.metadata;
      await kubernetes.delete(SECRET, { namespace, name: cluster.secret }, { uid });
      if (!dryRun) shell.print(`Secret ${namespace}/${cluster.secret} deleted.`);
    });
}

/** Adds `get cluster`. */
export function addGetCluster(get: Command, shell: OkraShell): void {
  get
    .command('cluster')
    .alias('clusters')
    .description('Shows the clusters that have an Argo CD cluster secret, with its labels.')
    .option('-l, --selector <key=value,…>', 'only objects with these labels', pairs)
    .addOption(outputOption(['json', 'yaml', 'name']))
    .action(async (_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & { selector?: Texts; output?: OutputFormat }>();
      const all = await clustersIn(shell.session(options));
      const { selector: matchLabels = {}, output } = options;
      const found = all.filter(({ cluster }) => matches({ matchLabels }, cluster.labels));
      // Their logins are nobody's business here.
      const items = found.map(({ cluster: { name, secret, labels } }) => ({ name, secret, labels }));
      const text = forPrograms(items, output);
      if (text !== undefined) return shell.print(text);
      if (output === 'name') return items.forEach(({ name }) => shell.print(inOneLine(name)));
      if (items.length === 0) return shell.warn('No clusters found in this namespace.');
      const rows = items.map(({ name, secret, labels }) => [
        name,
        secret,
        Object.entries(labels)
          .filter(([key]) => key !== SECRET_TYPE_LABEL)
          .map((pair) => pair.join('='))
          .join(','),
      ]);
      shell.print(layOut({ headings: ['NAME', 'SECRET', 'LABELS'], rows }));
    });
}
