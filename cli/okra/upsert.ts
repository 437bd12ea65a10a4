import { Option, type Command } from 'commander';
import { awsTargetGroupSet } from '../../crds/aws-target-group-set.ts';
import { cell } from '../../crds/cell.ts';
import { TARGET_GROUP_BINDING } from '../../clients/kubernetes/kinds.ts';
import { API_VERSION, VERSION_LABEL } from '../../domain/kubernetes/labels.ts';
import { badUsage, failed } from '../okractl/shell.ts';
import { repeated } from '../okractl/manifests.ts';
import { canarySteps } from './canary-steps.ts';
import { dryRunOf, readingOnly } from './dry-run.ts';
import { named, nameIn, pairs, wholeNumber, type NameOption } from './options.ts';
import type { Globals, OkraShell } from './shell.ts';
import { clusterCalled, clustersIn, targetGroupSet } from './target-group-set-of.ts';
import { upsertObject, type SaidObject } from './upsert-object.ts';

type Texts = Readonly<Record<string, string>>;

/** Adds `upsert`. */
export function addUpsert(program: Command, shell: OkraShell): void {
  const upsert = program.command('upsert').description('Creates objects, or changes them.');
  addTargetGroupSet(upsert, shell);
  addCell(upsert, shell);
  addBinding(upsert, shell);
}

/** Refuses what the schema would refuse, before anything is sent. */
function checked<Object extends SaidObject>(
  kind: {
    parseSpec(
      spec: unknown,
    ): { readonly ok: true } | { readonly ok: false; readonly problems: readonly string[] };
  },
  object: Object,
): Object {
  const parsed = kind.parseSpec(object.spec);
  if (!parsed.ok) throw badUsage(parsed.problems.join('\n'));
  return object;
}

async function save(
  shell: OkraShell,
  options: Globals,
  object: (namespace: string) => SaidObject,
): Promise<void> {
  const real = shell.session(options);
  const { dryRun = false } = options;
  const { kubernetes, namespace } = dryRun ? dryRunOf(real, shell).session : real;
  await upsertObject(kubernetes, object(namespace), { ...shell, dryRun });
}

interface SetOptions extends Globals, NameOption {
  readonly clusterSelector: Texts;
  readonly targetgroupbindingSelector?: Texts;
  readonly labels?: Texts;
}

function addTargetGroupSet(upsert: Command, shell: OkraShell): void {
  named(upsert.command('awstargetgroupset'), 'the AWSTargetGroupSet')
    .description('Creates or changes an AWSTargetGroupSet.')
    .requiredOption('--cluster-selector <key=value,…>', 'the labels of the clusters to look into', pairs)
    .option('--targetgroupbinding-selector <key=value,…>', 'the labels of the TargetGroupBindings', pairs)
    .option('--labels <key=value,…>', 'labels of the AWSTargetGroups', pairs)
    .action(async (argument: string | undefined, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<SetOptions>();
      const name = nameIn(argument, options, 'the AWSTargetGroupSet');
      const { clusterSelector, targetgroupbindingSelector: bindingSelector, labels } = options;
      await save(shell, options, (namespace) =>
        checked(
          awsTargetGroupSet,
          targetGroupSet({ namespace, name }, { clusterSelector, bindingSelector, labels }),
        ),
      );
    });
}

interface CellOptions extends Globals, NameOption {
  readonly listenerArn: string;
  readonly matchLabel: Texts;
  readonly versionLabel?: readonly string[];
  readonly listenerRuleHost?: readonly string[];
  readonly listenerRulePriority: number;
  readonly replicas?: number;
  readonly canarySteps?: ReturnType<typeof canarySteps>;
}

function addCell(upsert: Command, shell: OkraShell): void {
  named(upsert.command('cell'), 'the Cell')
    .description('Creates or changes a Cell with a rule of an Application Load Balancer and canary steps.')
    .requiredOption('--listener-arn <arn>', 'the listener that has the rule')
    .requiredOption('--match-label <key=value>', 'a label of its AWSTargetGroups; may be repeated', pairs)
    .option(
      '--version-label <key>',
      `a label with the version; default: ${VERSION_LABEL}; may be repeated`,
      repeated,
    )
    .option('--listener-rule-host <host>', 'a host that the rule matches; may be repeated', repeated)
    .addOption(
      new Option('--listener-rule-priority <number>', 'the priority of the rule')
        .argParser(wholeNumber)
        .default(10),
    )
    .addOption(
      new Option('--replicas <number>', 'how many AWSTargetGroups a version needs').argParser(wholeNumber),
    )
    .option(
      '--canary-steps <steps>',
      'the steps, such as weight=20,pause=5s,analysis=TEMPLATE:arg=value; may be repeated',
      canarySteps,
    )
    .action(async (argument: string | undefined, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<CellOptions>();
      const name = nameIn(argument, options, 'the Cell');
      await save(shell, options, (namespace) => checked(cell, cellOf({ namespace, name }, options)));
    });
}

const cellOf = (metadata: SaidObject['metadata'], options: CellOptions): SaidObject => ({
  apiVersion: API_VERSION,
  kind: cell.kind,
  metadata,
  spec: {
    ingress: {
      type: 'AWSApplicationLoadBalancer',
      awsApplicationLoadBalancer: {
        listenerARN: options.listenerArn,
        listener: {
          rule: {
            priority: options.listenerRulePriority,
            hosts: options.listenerRuleHost ?? ['*'],
          },
        },
        targetGroupSelector: {
          matchLabels: options.matchLabel,
          ...(options.versionLabel === undefined ? {} : { versionLabels: options.versionLabel }),
        },
      },
    },
    ...(options.replicas === undefined ? {} : { replicas: options.replicas }),
    updateStrategy: { type: 'Canary', canary: { steps: options.canarySteps ?? [] } },
  },
});

interface BindingOptions extends Globals, NameOption {
  readonly clusterName: string;
  readonly clusterNamespace?: string;
  readonly targetGroupArn: string;
  readonly labels?: Texts;
}

function addBinding(upsert: Command, shell: OkraShell): void {
  named(upsert.command('targetgroupbinding'), 'the TargetGroupBinding')
    .description(
      'Creates or changes a TargetGroupBinding in a cluster that has an Argo CD cluster secret. --namespace is that of the TargetGroupBinding.',
    )
    .requiredOption('--cluster-name <name>', 'the cluster')
    .option('--cluster-namespace <name>', 'the namespace of its secret; default: the same namespace')
    .requiredOption('--target-group-arn <arn>', 'the target group')
    .option('--labels <key=value,…>', 'labels of the TargetGroupBinding', pairs)
    .action(async (argument: string | undefined, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<BindingOptions>();
      const name = nameIn(argument, options, 'the TargetGroupBinding');
      const session = shell.session(options);
      const { dryRun = false, clusterName, clusterNamespace = session.namespace } = options;
      const clusters = await clustersIn({ ...session, namespace: clusterNamespace });
      const reach = session.clusters.reach(clusterCalled(clusters, clusterName, clusterNamespace).secret);
      if (reach.is === 'Problem') throw failed(reach.problem);
      const remote = dryRun ? readingOnly(reach.client, shell.print) : reach.client;
      await upsertObject(remote, bindingOf({ namespace: session.namespace, name }, options), {
        ...shell,
        dryRun,
      });
    });
}

const bindingOf = (
  metadata: { readonly namespace: string; readonly name: string },
  { labels, targetGroupArn }: BindingOptions,
): SaidObject => ({
  apiVersion: TARGET_GROUP_BINDING.apiVersion,
  kind: TARGET_GROUP_BINDING.kind,
  metadata: { ...metadata, ...(labels === undefined ? {} : { labels }) },
  spec: { targetGroupARN: targetGroupArn },
});
