import { type Command, InvalidArgumentError } from 'commander';
import { kindOf, TARGET_GROUP_BINDING } from '../../clients/kubernetes/kinds.ts';
import { type Identified, isConflict, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { awsTargetGroupSet } from '../../crds/aws-target-group-set.ts';
import { cell, type CanaryStep } from '../../crds/cell.ts';
import { API_VERSION, VERSION_LABEL } from '../../domain/kubernetes/labels.ts';
import { given } from '../../domain/model/fields.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import { repeated } from '../okractl/manifests.ts';
import { numberOption } from '../okractl/options.ts';
import { badUsage, refused } from '../okractl/shell.ts';
import { reachCluster } from './clusters.ts';
import { named, type OkraOptions, type OkraShell, type Pairs, pairs } from './shell.ts';
import { targetGroupSet } from './sync.ts';
import { messageOf } from '../../domain/text.ts';

export function addUpsert(program: Command, shell: OkraShell): void {
  const upsert = program
    .command('upsert')
    .description('Creates or changes Cells, AWSTargetGroupSets and TargetGroupBindings.');
  addTargetGroupSet(upsert, shell);
  addCell(upsert, shell);
  addBinding(upsert, shell);
}

/** Refuses what the schema would refuse, before anything is sent. */
function checked<Object extends { readonly spec: object }>(
  kind: Pick<typeof cell | typeof awsTargetGroupSet, 'parseSpec'>,
  object: Object,
): Object {
  const parsed = kind.parseSpec(object.spec);
  if (!parsed.ok) throw badUsage(parsed.problems.join('\n'));
  return object;
}

function addTargetGroupSet(upsert: Command, shell: OkraShell): void {
  named<'clusterSelector'>(
    upsert.command('awstargetgroupset'),
    { what: 'the AWSTargetGroupSet' },
    async (name, options) => {
      const { kubernetes, namespace } = shell.session(options);
      const set = targetGroupSet({ namespace, name }, options.clusterSelector, options);
      await upsertObject(shell, kubernetes, checked(awsTargetGroupSet, set), options);
    },
  )
    .description('Creates or changes an AWSTargetGroupSet.')
    .requiredOption('--cluster-selector <key=value,…>', 'the labels of the clusters to look into', pairs)
    .option('--targetgroupbinding-selector <key=value,…>', 'the labels of the TargetGroupBindings', pairs)
    .option('--labels <key=value,…>', 'labels of the AWSTargetGroups', pairs);
}

type FromOptions = 'listenerArn' | 'matchLabel' | 'listenerRulePriority';

function addCell(upsert: Command, shell: OkraShell): void {
  named<FromOptions>(upsert.command('cell'), { what: 'the Cell' }, async (name, options) => {
    const { kubernetes, namespace } = shell.session(options);
    await upsertObject(shell, kubernetes, checked(cell, cellOf({ namespace, name }, options)), options);
  })
    .description('Creates or changes a Cell with a rule of an Application Load Balancer and canary steps.')
    .requiredOption('--listener-arn <arn>', 'the listener that has the rule')
    .requiredOption('--match-label <key=value>', 'a label of its AWSTargetGroups; may be repeated', pairs)
    .option(
      '--version-label <key>',
      `a label with the version; default: ${VERSION_LABEL}; may be repeated`,
      repeated,
    )
    .option('--listener-rule-host <host>', 'a host that the rule matches; may be repeated', repeated)
    .addOption(numberOption('--listener-rule-priority <number>', 'the priority of the rule').default(10))
    .addOption(numberOption('--replicas <number>', 'how many AWSTargetGroups a version needs'))
    .option(
      '--canary-steps <steps>',
      'the steps, such as weight=20,pause=5s,analysis=TEMPLATE:arg=value; may be repeated',
      canarySteps,
    );
}

const cellOf = (metadata: ObjectKey, options: OkraOptions<FromOptions>): SaidObject => ({
  apiVersion: API_VERSION,
  kind: cell.kind,
  metadata,
  spec: {
    ingress: {
      type: 'AWSApplicationLoadBalancer',
      awsApplicationLoadBalancer: {
        listenerARN: options.listenerArn,
        listener: {
          rule: { priority: options.listenerRulePriority, hosts: options.listenerRuleHost ?? ['*'] },
        },
        targetGroupSelector: {
          matchLabels: options.matchLabel,
          ...given({ versionLabels: options.versionLabel }),
        },
      },
    },
    ...given({ replicas: options.replicas }),
    updateStrategy: { type: 'Canary', canary: { steps: options.canarySteps ?? [] } },
  },
});

function addBinding(upsert: Command, shell: OkraShell): void {
  named<'clusterName' | 'targetGroupArn'>(
    upsert.command('targetgroupbinding'),
    { what: 'the TargetGroupBinding' },
    async (name, options) => {
      const { clusterName, clusterNamespace, labels, targetGroupArn } = options;
      const session = shell.session(options);
      const { client } = await reachCluster(session, clusterName, clusterNamespace);
      const binding = {
        apiVersion: TARGET_GROUP_BINDING.apiVersion,
        kind: TARGET_GROUP_BINDING.kind,
        metadata: { namespace: session.namespace, name, ...given({ labels }) },
        spec: { targetGroupARN: targetGroupArn },
      };
      await upsertObject(shell, client, binding, options);
    },
  )
    .description(
      'Creates or changes a TargetGroupBinding in a cluster that has an Argo CD cluster secret. --namespace is that of the TargetGroupBinding.',
    )
    .requiredOption('--cluster-name <name>', 'the cluster')
    .option('--cluster-namespace <name>', 'the namespace of its secret; default: the same namespace')
    .requiredOption('--target-group-arn <arn>', 'the target group')
    .option('--labels <key=value,…>', 'labels of the TargetGroupBinding', pairs);
}

interface SaidObject extends Identified {
  readonly metadata: ObjectKey & { readonly labels?: Pairs; readonly resourceVersion?: string };
  readonly spec: object;
}

/** Creates an object or changes it to what the command line says; what others have set it takes from nobody. */
async function upsertObject(
  { print }: Pick<OkraShell, 'print'>,
  kubernetes: KubernetesClient,
  object: SaidObject,
  { dryRun = false }: { readonly dryRun?: boolean },
): Promise<void> {
  const { namespace, name } = object.metadata;
  const id = `${object.kind} ${namespace}/${name}`;
  const before = await kubernetes.get<SaidObject>(kindOf(object), { namespace, name });
  try {
    const after = await kubernetes.apply(object);
    if (dryRun) return;
    const isSame = before?.metadata.resourceVersion === after.metadata.resourceVersion;
    print(`${id} ${before === undefined ? 'created' : isSame ? 'unchanged' : 'changed'}.`);
  } catch (error) {
    if (!isConflict(error)) throw error;
    throw refused(
      `cannot change ${id}: another tool owns these fields: ${messageOf(error)} Change them there.`,
    );
  }
}

/** Reads `weight=20,pause=5s,analysis=TEMPLATE:arg=value:…`; whether the values make sense says the schema of Cells. */
const canarySteps = (text: string, before: readonly CanaryStep[] = []): readonly CanaryStep[] => [
  ...before,
  ...text.split(',').map(stepOf),
];

function stepOf(text: string): CanaryStep {
  const at = text.indexOf('=');
  const [word, value] = at < 0 ? [text.trim(), ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (word === 'weight' && /^\d{1,3}$/.test(value)) return { setWeight: Number(value) };
  // Without a time someone has to resume.
  if (word === 'pause') return { pause: value === '' ? {} : { duration: value } };
  if (word === 'analysis' && value !== '') return analysisOf(value, text);
  throw new InvalidArgumentError(
    `${JSON.stringify(text)} must be weight=NUMBER, pause=DURATION or analysis=TEMPLATE:arg=value:…`,
  );
}

function analysisOf(value: string, text: string): CanaryStep {
  const [templateName = '', ...parts] = value.split(':');
  const args: { name: string; value: string }[] = [];
  for (const part of parts) {
    const at = part.indexOf('=');
    const last = args.at(-1);
    if (at > 0) args.push({ name: part.slice(0, at), value: part.slice(at + 1) });
    // A colon in a value, of an address for example, separates nothing.
    else if (last !== undefined) last.value += `:${part}`;
    else throw new InvalidArgumentError(`${JSON.stringify(text)} must be analysis=TEMPLATE:arg=value:…`);
  }
  return { analysis: { templates: [{ templateName }], ...(args.length === 0 ? {} : { args }) } };
}
