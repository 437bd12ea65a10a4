import { given } from '../../domain/model/fields.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { kindOf, TARGET_GROUP_BINDING } from '../../clients/kubernetes/kinds.ts';
import { isConflict, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { awsTargetGroupSet } from '../../crds/aws-target-group-set.ts';
import { cell } from '../../crds/cell.ts';
import { API_VERSION, VERSION_LABEL } from '../../domain/kubernetes/labels.ts';
import { repeated } from '../okractl/manifests.ts';
import { badUsage, failed, refused } from '../okractl/shell.ts';
import { dryRunOf, readingOnly } from './dry-run.ts';
import { type Globals, named, nameIn, type NameOption, type OkraShell, pairs, wholeNumber } from './shell.ts';
import { clusterCalled, clustersIn, targetGroupSet } from './target-group-set-of.ts';

type Texts = Readonly<Record<string, string>>;

/** Adds `upsert`. */
export function addUpsert(program: Command, shell: OkraShell): void {
  const upsert = program
    .command('upsert')
    .description('Creates or changes Cells, AWSTargetGroupSets and TargetGroupBindings.');
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
          ...given({ versionLabels: options.versionLabel }),
        },
      },
    },
    ...given({ replicas: options.replicas }),
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
  metadata: { ...metadata, ...given({ labels }) },
  spec: { targetGroupARN: targetGroupArn },
});

/** An object that the command line says. */
interface SaidObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: object;
}

/** Creates an object or changes it to what the command line says; what others have set it takes from nobody. */
async function upsertObject(
  kubernetes: KubernetesClient,
  object: SaidObject,
  { print, dryRun }: Pick<OkraShell, 'print'> & { readonly dryRun: boolean },
): Promise<void> {
  const { namespace, name } = object.metadata;
  const id = `${object.kind} ${namespace}/${name}`;
  const before = await kubernetes.get<SavedObject>(kindOf(object), { namespace, name });
  try {
    const after = await kubernetes.apply<SaidObject & SavedObject>(object);
    if (dryRun) return;
    const isSame = before !== undefined && before.metadata.resourceVersion === after.metadata.resourceVersion;
    print(`${id} ${before === undefined ? 'created' : isSame ? 'unchanged' : 'changed'}.`);
  } catch (error) {
    if (!isConflict(error)) throw error;
    throw refused(
      `cannot change ${id}: another tool owns these fields: ${messageOf(error)} Change them there.`,
    );
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface SavedObject {
  readonly metadata: { readonly resourceVersion?: string };
}

/** A step as `--canary-steps` says it. */
type Step =
  | { readonly setWeight: number }
  | { readonly pause: { readonly duration?: string } }
  | {
      readonly analysis: {
        readonly templates: readonly [{ readonly templateName: string }];
        readonly args?: readonly { readonly name: string; readonly value: string }[];
      };
    };

/** Reads `weight=20,pause=5s,analysis=TEMPLATE:arg=value:…`; whether the values make sense says the schema of Cells. */
const canarySteps = (text: string, before: readonly Step[] = []): readonly Step[] => [
  ...before,
  ...text.split(',').map(stepOf),
];

function stepOf(text: string): Step {
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

function analysisOf(value: string, text: string): Step {
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
