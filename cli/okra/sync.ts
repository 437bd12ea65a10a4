import type { Command } from 'commander';
import { digest } from '../../clients/digest.ts';
import {
  AWS_TARGET_GROUP_BINDING,
  AWS_TARGET_GROUP_SET,
  CLUSTER_SET,
  type KindRef,
} from '../../clients/kubernetes/kinds.ts';
import type { Identified, KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { AWSTargetGroupSetStatus } from '../../crds/aws-target-group-set.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { API_VERSION, SECRET_TYPE_LABEL } from '../../domain/kubernetes/labels.ts';
import { matches } from '../../domain/kubernetes/selector.ts';
import { given, omit } from '../../domain/model/fields.ts';
import { formatKey, type ObjectKey } from '../../domain/model/ids.ts';
import { badUsage, exitCodes, failed } from '../okractl/shell.ts';
import { inOneLine } from '../terminal-text.ts';
import { clusterCalled, clustersIn } from './clusters.ts';
import { activitiesOf, asActivity } from './session.ts';
import {
  leavingOut,
  named,
  type OkraOptions,
  type OkraSession,
  type OkraShell,
  type Pairs,
  pairs,
} from './shell.ts';
import { addSyncCell } from './sync-cell.ts';
import { addSyncCheck } from './sync-check.ts';
import { addSyncConfigs } from './sync-config.ts';

export function addSync(program: Command, shell: OkraShell): void {
  const sync = program.command('sync').description('Syncs an object once, as okrad does.');
  addClusterSet(sync, shell);
  addTargetGroupSet(sync, shell);
  named(sync.command('awstargetgroupbinding'), { what: 'the AWSTargetGroupBinding' }, (name, options) =>
    syncObject(shell, AWS_TARGET_GROUP_BINDING, { name, options, by: 'syncTargetGroupBinding' }),
  ).description(
    'Registers the targets of an AWSTargetGroupBinding in its target group, and deregisters those that are gone.',
  );
  sync
    .command('awstargetgroups')
    .description('Looks the AWSTargetGroups of the namespace up in AWS, and reports conditions and tags.')
    .action(async (options: OkraOptions) => {
      const session = shell.session(options);
      const activities = await activitiesOf(session);
      const check = () => activities.checkTargetGroups(session.namespace);
      const { message, againInSeconds } = await asActivity(shell.signal, check);
      shell.print(inOneLine(session.unsent === undefined ? message : `# ${message}`));
      if (againInSeconds !== undefined) shell.exitWith(exitCodes.failure);
    });
  addSyncConfigs(sync, shell);
  addSyncCell(sync, shell);
  addSyncCheck(sync, shell);
  sync.addHelpText('after', `\n${ONLY_OKRAD}`).showHelpAfterError(ONLY_OKRAD);
}

const ONLY_OKRAD =
  'Only okrad rolls out StagedBindingPolicies and Cells with applications; okractl shows and controls that.';

function addClusterSet(sync: Command, shell: OkraShell): void {
  const instead = {
    option: '--eks-tags',
    name: ({ eksTags }: OkraOptions) => eksTags && `eks-${digest(canonical(eksTags)).slice(0, 8)}`,
  };
  const command = named(
    sync.command('clusterset'),
    { what: 'the ClusterSet', instead },
    async (name, options) => {
      const { eksTags, labels } = options;
      if (eksTags === undefined && labels !== undefined) throw badUsage('--labels needs --eks-tags.');
      const make = ({ namespace }: OkraSession) => ({
        apiVersion: API_VERSION,
        kind: CLUSTER_SET.kind,
        metadata: { namespace, name },
        spec: { generators: [{ awseks: { selector: { matchTags: eksTags } } }], ...templateOf(labels) },
      });
      await syncObject(shell, CLUSTER_SET, { name, options, by: 'syncClusterSet', make: eksTags && make });
    },
  );
  leavingOut(command)
    .description(
      'Creates an Argo CD cluster secret for each EKS cluster that a ClusterSet finds. With --eks-tags, it creates the ClusterSet first.',
    )
    .option('--eks-tags <key=value,…>', 'the tags that EKS clusters must have', pairs)
    .option('--labels <key=value,…>', 'labels of the secrets, with --eks-tags', pairs);
}

const templateOf = (labels: Pairs | undefined) => given({ template: labels && { metadata: { labels } } });

function addTargetGroupSet(sync: Command, shell: OkraShell): void {
  const instead = { option: '--cluster-name', name: ({ clusterName }: OkraOptions) => clusterName };
  const command = named(
    sync.command('awstargetgroupset'),
    { what: 'the AWSTargetGroupSet', instead },
    async (name, options) => {
      const { clusterName, labels, targetgroupbindingSelector } = options;
      if (clusterName === undefined && (labels ?? targetgroupbindingSelector) !== undefined)
        throw badUsage('--labels and --targetgroupbinding-selector need --cluster-name.');
      const make =
        clusterName === undefined
          ? undefined
          : async (session: OkraSession) => {
              const clusterSelector = await labelsOfOne(session, clusterName);
              return targetGroupSet({ namespace: session.namespace, name }, clusterSelector, options);
            };
      await syncObject(shell, AWS_TARGET_GROUP_SET, { name, options, by: 'syncTargetGroupSet', make });
    },
  );
  leavingOut(command)
    .description(
      'Creates an AWSTargetGroup for each TargetGroupBinding that an AWSTargetGroupSet finds. With --cluster-name, it creates the AWSTargetGroupSet first.',
    )
    .option('--cluster-name <name>', 'the one cluster to look into')
    .option('--targetgroupbinding-selector <key=value,…>', 'the labels of the TargetGroupBindings', pairs)
    .option('--labels <key=value,…>', 'labels of the AWSTargetGroups', pairs);
}

/** All labels of the secret of a cluster, which have to select it alone. */
async function labelsOfOne(session: OkraSession, clusterName: string): Promise<Pairs> {
  const all = await clustersIn(session);
  const { cluster } = clusterCalled(all, clusterName, session.namespace);
  const matchLabels = omit(cluster.labels, SECRET_TYPE_LABEL);
  const others = all.filter((one) => one.cluster !== cluster && matches({ matchLabels }, one.cluster.labels));
  if (Object.keys(matchLabels).length > 0 && others.length === 0) return matchLabels;
  throw failed(
    `cannot select cluster ${clusterName} alone: ${others.length === 0 ? 'its secret has no labels' : `${others.map((one) => one.cluster.name).join(', ')} has the same labels`}. Label the secret ${cluster.secret}, or use okra upsert awstargetgroupset.`,
  );
}

/** Makes an AWSTargetGroupSet as the command line says it. */
export const targetGroupSet = (
  metadata: ObjectKey,
  clusterSelector: Pairs,
  { targetgroupbindingSelector: bindings, labels }: OkraOptions,
) => ({
  apiVersion: API_VERSION,
  kind: AWS_TARGET_GROUP_SET.kind,
  metadata,
  spec: {
    generators: [
      {
        awseks: {
          clusterSelector: { matchLabels: clusterSelector },
          ...given({ bindingSelector: bindings && { matchLabels: bindings } }),
        },
      },
    ],
    ...templateOf(labels),
  },
});

interface SyncRequest {
  readonly name: string;
  readonly options: OkraOptions;
  readonly by: 'syncClusterSet' | 'syncTargetGroupSet' | 'syncTargetGroupBinding';
  /** Makes the object that is applied first, when the command line says what it says. */
  readonly make?: ((session: OkraSession) => Identified | Promise<Identified>) | undefined;
}

/** Makes one sync of an object, and says what has come of it. */
async function syncObject(shell: OkraShell, kind: KindRef, { name, options, by, make }: SyncRequest) {
  const session = shell.session(options);
  const { namespace, unsent } = session;
  if (make !== undefined) await session.kubernetes.apply(await make(session));
  const { kubernetes, left } = leaveOut(session.kubernetes, options);
  const activities = await activitiesOf({ ...session, kubernetes });
  const key = { namespace, name };
  const isHeldBack = () => (unsent ?? []).length > 0;
  const synced = await asActivity(shell.signal, () => activities[by](key)).catch((error: unknown) => {
    // What a dry run has stopped was told already.
    if (isHeldBack()) return undefined;
    throw error;
  });
  for (const one of left) shell.warn(inOneLine(one));
  if (synced === undefined) return;
  if (!synced.isPresent) throw failed(`${kind.kind} ${formatKey(key)} not found.`);
  // What a dry run has not written cannot be read back, so that nobody can say what it comes to.
  if (isHeldBack()) return;
  // As comments, so that what a dry run prints is YAML.
  shell.print(inOneLine(unsent === undefined ? synced.message : `# ${synced.message}`));
  if (unsent !== undefined) return;
  const object = await session.kubernetes.get<{ readonly status?: AWSTargetGroupSetStatus }>(kind, key);
  const problems = object?.status?.problems ?? [];
  for (const { cluster, object: name_, reason, message } of problems)
    shell.warn(
      inOneLine(`${[cluster, name_, reason].filter((one) => one !== undefined).join(' ')}: ${message}`),
    );
  if (problems.length > left.length) shell.exitWith(exitCodes.failure);
}

/** A client that leaves out what the options say, and what it has left out; the status then tells it. */
function leaveOut(kubernetes: KubernetesClient, options: OkraOptions) {
  const left: string[] = [];
  const refuse = (what: string, option: string): never => {
    left.push(`${what} (--${option}=false)`);
    throw new Error(`Skipped (--${option}=false).`);
  };
  return {
    left,
    kubernetes: {
      ...kubernetes,
      create: async (object, call) =>
        options.create === 'false' && object.kind !== 'Event'
          ? refuse(`Not created: ${object.kind} ${object.metadata.name}`, 'create')
          : kubernetes.create(object, call),
      delete: async (kind, key, call) =>
        options.delete === 'false'
          ? refuse(`Not deleted: ${kind.kind} ${key.name}`, 'delete')
          : kubernetes.delete(kind, key, call),
    } satisfies KubernetesClient,
  };
}
