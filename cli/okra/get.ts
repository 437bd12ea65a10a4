import type { Command } from 'commander';
import { listBindings } from '../../activities/discovery/clusters/target-group-bindings.ts';
import { AWS_TARGET_GROUP } from '../../clients/kubernetes/kinds.ts';
import { awsTargetGroup, type AWSTargetGroup } from '../../crds/aws-target-group.ts';
import { VERSION_LABEL } from '../../domain/kubernetes/labels.ts';
import { given } from '../../domain/model/fields.ts';
import { groupByVersion, isSameVersion } from '../../domain/versions/version.ts';
import { selectTargetGroups } from '../../domain/versions/watched.ts';
import { repeated } from '../okractl/manifests.ts';
import { layOut, listOf, outputOption, printObjects, tableOf } from '../okractl/output.ts';
import { failed } from '../okractl/shell.ts';
import { inOneLine } from '../terminal-text.ts';
import { addGetCluster, reachCluster } from './clusters.ts';
import { type OkraOptions, type OkraShell, pairs, pairsText } from './shell.ts';

const SELECTOR = ['-l, --selector <key=value,…>', 'only objects with these labels', pairs] as const;
const FORMATS = ['json', 'yaml', 'wide', 'name'] as const;

export function addGet(program: Command, shell: OkraShell): void {
  const get = program.command('get').description('Shows clusters and target groups.');
  addGetCluster(get, shell);
  get
    .command('awstargetgroups')
    .alias('awstargetgroup')
    .description('Shows AWSTargetGroups.')
    .option(...SELECTOR)
    .addOption(outputOption(FORMATS))
    .action(async (options: OkraOptions) => show(shell, await targetGroups(shell, options), options));
  get
    .command('latestawstargetgroups')
    .description('Shows the AWSTargetGroups of the newest version, or of one version.')
    .option(...SELECTOR)
    .option('--version <version>', 'the version; default: the newest')
    .option('--semver-label-key <key>', `the label with the version; default: ${VERSION_LABEL}`, repeated)
    .addOption(outputOption(FORMATS))
    .action(async (options: OkraOptions) =>
      show(shell, latest(await targetGroups(shell, options), options, shell), options),
    );
  addBindings(get, shell);
}

function targetGroups(shell: OkraShell, options: OkraOptions): Promise<readonly AWSTargetGroup[]> {
  const { kubernetes, namespace } = shell.session(options);
  const labelSelector = options.selector === undefined ? undefined : pairsText(options.selector);
  return kubernetes.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace, labelSelector });
}

/** The groups of one version, by the rules by which a Cell finds it. */
function latest(
  groups: readonly AWSTargetGroup[],
  { version, semverLabelKey, selector: matchLabels = {} }: OkraOptions,
  { warn }: OkraShell,
): readonly AWSTargetGroup[] {
  const targetGroupSelector = { matchLabels, ...given({ versionLabels: semverLabelKey }) };
  const spec = { ingress: { awsApplicationLoadBalancer: { targetGroupSelector } } };
  const { sets, rejected } = groupByVersion(selectTargetGroups(spec, groups));
  for (const { message } of rejected) warn(inOneLine(message));
  const set = version === undefined ? sets[0] : sets.find((one) => isSameVersion(one.version, version));
  if (set !== undefined)
    return groups.filter(({ metadata }) => set.groups.some(({ name }) => name === metadata.name));
  throw failed(
    `no AWSTargetGroup ${version === undefined ? 'with a version' : `of version ${version}`} found. Existing versions: ${sets.map((one) => one.version).join(', ') || 'none'}.`,
  );
}

const show = (shell: OkraShell, groups: readonly AWSTargetGroup[], { output }: OkraOptions): void =>
  printObjects(shell, output, {
    value: listOf(groups),
    names: groups.map(({ metadata }) => `${awsTargetGroup.kind.toLowerCase()}/${metadata.name}`),
    none: 'No AWSTargetGroups found in this namespace.',
    table: () => {
      const options = { now: shell.now(), wide: output === 'wide', namespaces: false };
      return layOut(tableOf(awsTargetGroup, groups, options));
    },
  });

function addBindings(get: Command, shell: OkraShell): void {
  get
    .command('targetgroupbindings')
    .alias('targetgroupbinding')
    .description('Shows the TargetGroupBindings of a cluster, found by its Argo CD cluster secret.')
    .requiredOption('--cluster-name <name>', 'the cluster')
    .addOption(outputOption(['json', 'yaml', 'name']))
    .action(async (options: OkraOptions<'clusterName'>) => {
      const { clusterName, output } = options;
      const { client, namespaces } = await reachCluster(shell.session(options), clusterName);
      const bindings = (await listBindings(client, namespaces)).flatMap((list) => list ?? []);
      const rows = bindings.map(({ namespace, name, arn = '', labels, api }) => [
        namespace,
        name,
        arn,
        api,
        pairsText(labels),
      ]);
      printObjects(shell, output, {
        value: bindings,
        names: bindings.map(({ namespace, name }) => `${namespace}/${name}`),
        none: `No TargetGroupBindings found in cluster ${clusterName}.`,
        table: () => layOut({ headings: ['NAMESPACE', 'NAME', 'TARGETGROUP', 'API', 'LABELS'], rows }),
      });
    });
}
