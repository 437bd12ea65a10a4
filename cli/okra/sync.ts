import type { Command } from 'commander';
import { digest } from '../../clients/digest.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { API_VERSION } from '../../domain/kubernetes/labels.ts';
import { badUsage } from '../okractl/shell.ts';
import {
  type Globals,
  leavingOut,
  named,
  nameIn,
  type NameOption,
  type OkraSession,
  type OkraShell,
  pairs,
  type WriteOptions,
} from './shell.ts';
import { addSyncCell } from './sync-cell.ts';
import { addSyncCheck } from './sync-check.ts';
import { addSyncConfig } from './sync-config.ts';
import { syncedByOne, syncObject } from './sync-object.ts';
import { setOfCluster, type TargetGroupSetOptions } from './target-group-set-of.ts';

type Texts = Readonly<Record<string, string>>;

interface ClusterSetOptions extends Globals, NameOption, WriteOptions {
  readonly eksTags?: Texts;
  readonly labels?: Texts;
}

/** Adds `sync`. */
export function addSync(program: Command, shell: OkraShell): void {
  const sync = program.command('sync').description('Syncs an object once, as okrad does.');
  addClusterSet(sync, shell);
  addTargetGroupSet(sync, shell);
  addTargetGroupBinding(sync, shell);
  addSyncConfig(sync, shell);
  addSyncCell(sync, shell);
  addSyncCheck(sync, shell);
}

function addTargetGroupBinding(sync: Command, shell: OkraShell): void {
  const of = syncedByOne.awstargetgroupbinding;
  named(sync.command('awstargetgroupbinding'), `the ${of.kind.kind}`)
    .description(
      'Registers the targets of an AWSTargetGroupBinding in its target group, and deregisters those that are gone.',
    )
    .action(async (argument: string | undefined, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & NameOption>();
      const name = nameIn(argument, options, `the ${of.kind.kind}`);
      const writes = { create: true, delete: true };
      const session = shell.session(options);
      await syncObject(shell, { session, of, name, writes, dryRun: options.dryRun === true });
    });
}

function addClusterSet(sync: Command, shell: OkraShell): void {
  leavingOut(named(sync.command('clusterset'), 'the ClusterSet'))
    .description(
      'Creates an Argo CD cluster secret for each EKS cluster that a ClusterSet finds. With --eks-tags, it creates the ClusterSet first.',
    )
    .option('--eks-tags <key=value,…>', 'the tags that EKS clusters must have', pairs)
    .option('--labels <key=value,…>', 'labels of the secrets, with --eks-tags', pairs)
    .action(async (argument: string | undefined, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<ClusterSetOptions>();
      const { eksTags, labels, dryRun = false } = options;
      if (eksTags === undefined && labels !== undefined) throw badUsage('--labels needs --eks-tags.');
      const given = argument ?? options.name;
      const isMade = eksTags !== undefined;
      const name =
        isMade && given === undefined
          ? `eks-${digest(canonical(eksTags)).slice(0, 8)}`
          : nameIn(argument, options, 'the ClusterSet, or --eks-tags');
      await syncObject(shell, {
        session: shell.session(options),
        of: syncedByOne.clusterset,
        name,
        writes: options,
        dryRun,
        ...(isMade ? { prepare: (session) => makeClusterSet(session, name, { eksTags, labels }) } : {}),
      });
    });
}

async function makeClusterSet(
  { kubernetes, namespace }: OkraSession,
  name: string,
  { eksTags, labels }: { readonly eksTags: Texts; readonly labels: Texts | undefined },
): Promise<void> {
  await kubernetes.apply({
    apiVersion: API_VERSION,
    kind: 'ClusterSet',
    metadata: { namespace, name },
    spec: {
      generators: [{ awseks: { selector: { matchTags: eksTags } } }],
      ...(labels === undefined ? {} : { template: { metadata: { labels } } }),
    },
  });
}

function addTargetGroupSet(sync: Command, shell: OkraShell): void {
  leavingOut(named(sync.command('awstargetgroupset'), 'the AWSTargetGroupSet'))
    .description(
      'Creates an AWSTargetGroup for each TargetGroupBinding that an AWSTargetGroupSet finds. With --cluster-name, it creates the AWSTargetGroupSet first.',
    )
    .option('--cluster-name <name>', 'the one cluster to look into')
    .option('--targetgroupbinding-selector <key=value,…>', 'the labels of the TargetGroupBindings', pairs)
    .option('--labels <key=value,…>', 'labels of the AWSTargetGroups', pairs)
    .action(async (argument: string | undefined, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & NameOption & WriteOptions & TargetGroupSetOptions>();
      const { clusterName, dryRun = false } = options;
      if (clusterName === undefined && (options.labels ?? options.targetgroupbindingSelector) !== undefined)
        throw badUsage('--labels and --targetgroupbinding-selector need --cluster-name.');
      const given = argument ?? options.name ?? clusterName;
      const name = nameIn(given, {}, 'the AWSTargetGroupSet, or --cluster-name');
      await syncObject(shell, {
        session: shell.session(options),
        of: syncedByOne.awstargetgroupset,
        name,
        writes: options,
        dryRun,
        ...(clusterName === undefined
          ? {}
          : { prepare: (session) => setOfCluster(session, name, { ...options, clusterName }) }),
      });
    });
}
