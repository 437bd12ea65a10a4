import { given } from '../../domain/model/fields.ts';
import type { Command } from 'commander';
import { AWS_APPLICATION_LOAD_BALANCER_CONFIG } from '../../clients/kubernetes/kinds.ts';
import {
  awsApplicationLoadBalancerConfig,
  type AWSApplicationLoadBalancerConfigSpec,
} from '../../crds/load-balancers/application-load-balancer.ts';
import { ADOPT_ANNOTATION, API_VERSION } from '../../domain/kubernetes/labels.ts';
import { formatKey } from '../../domain/model/ids.ts';
import { badUsage, failed } from '../okractl/shell.ts';
import { inOneLine } from '../terminal-text.ts';
import { repeated } from '../okractl/manifests.ts';
import { numberOption } from '../okractl/options.ts';
import { conditionsIn } from '../../activities/load-balancers/application-load-balancer/rule-conditions.ts';
import { toFailure } from '../../activities/failure.ts';
import { nameIn } from '../../activities/load-balancers/forward.ts';
import { configViewOf, readConfig } from '../../activities/load-balancers/config-object.ts';
import { type LoadBalancerType, targetGroupsOf } from '../../domain/load-balancers/load-balancer.ts';
import { noLimits } from './dry-run.ts';
import { activitiesOf, asActivity, clusterOfOne } from './session.ts';
import { named, type OkraOptions, type OkraSession, type OkraShell } from './shell.ts';

type Numbers = 'listenerRulePriority' | 'targetGroup1Weight' | 'targetGroup2Weight';
type ConfigOptions = OkraOptions<Numbers>;

const KIND = AWS_APPLICATION_LOAD_BALANCER_CONFIG.kind;

export function addSyncConfigs(sync: Command, shell: OkraShell): void {
  const instead = {
    option: '--listener-arn',
    name: ({ listenerArn }: OkraOptions) => listenerArn && 'okra',
  };
  named<Numbers>(
    sync.command('awsapplicationloadbalancerconfig'),
    { what: `the ${KIND}`, instead },
    async (name, options) =>
      options.listenerArn === undefined
        ? apply(shell, shell.session(options), name, 'AWSApplicationLoadBalancer')
        : syncByFlags(shell, name, options),
  )
    .description(
      'Writes the listener rule of an AWSApplicationLoadBalancerConfig, and reads it back. With --listener-arn, the rule comes from the command line, and no access to Kubernetes is needed.',
    )
    .option('--listener-arn <arn>', 'the listener that has the rule')
    .addOption(numberOption('--listener-rule-priority <number>', 'the priority of the rule').default(100))
    .option('--listener-rule-host <host>', 'a host that the rule matches; may be repeated', repeated)
    .option('--listener-rule-path <pattern>', 'a path that the rule matches; may be repeated', repeated)
    .option('--adopt', 'take over a rule that Okra did not create')
    .option('--target-group-1-arn <arn>', 'the first target group')
    .addOption(numberOption('--target-group-1-weight <number>', 'its weight').default(50))
    .option('--target-group-2-arn <arn>', 'the second target group')
    .addOption(numberOption('--target-group-2-weight <number>', 'its weight').default(50));
  const network = sync.command('awsnetworkloadbalancerconfig');
  named(network, { what: 'the AWSNetworkLoadBalancerConfig' }, (name, options) =>
    apply(shell, shell.session(options), name, 'AWSNetworkLoadBalancer'),
  ).description(
    'Writes the weights of the listener of an AWSNetworkLoadBalancerConfig, and reads them back.',
  );
}

/** Makes the rule what the flags say; the object of it is in memory only. */
async function syncByFlags(shell: OkraShell, name: string, options: ConfigOptions): Promise<void> {
  const session = shell.session(options, { kubernetes: false });
  const { namespace } = session;
  const object = {
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: {
      namespace,
      name,
      uid: 'command-line',
      generation: 1,
      ...(options.adopt === true ? { annotations: { [ADOPT_ANNOTATION]: 'true' } } : {}),
    },
    spec: specOf(options, await conditionsOf(session, options)),
  };
  const kubernetes = clusterOfOne(object);
  const installation = () => Promise.resolve('command-line');
  const alone = { ...session, kubernetes, limits: noLimits, installation };
  await apply(shell, alone, name, 'AWSApplicationLoadBalancer');
}

/** What the rule matches: what the flags say, else what it matches already, else everything. */
async function conditionsOf(
  { elbv2 }: Pick<OkraSession, 'elbv2'>,
  { listenerArn = '', listenerRulePriority, listenerRuleHost, listenerRulePath }: ConfigOptions,
): Promise<object> {
  if (listenerRuleHost !== undefined || listenerRulePath !== undefined)
    return given({ hosts: listenerRuleHost, pathPatterns: listenerRulePath });
  const rules = await elbv2(listenerArn).rulesOf(listenerArn);
  const there = rules.find(({ Priority }) => Priority === String(listenerRulePriority));
  return there === undefined ? { pathPatterns: ['/*'] } : conditionsIn(there.Conditions ?? []);
}

function specOf(options: ConfigOptions, conditions: object): AWSApplicationLoadBalancerConfigSpec {
  const targetGroups = [
    { arn: options.targetGroup1Arn, weight: options.targetGroup1Weight },
    { arn: options.targetGroup2Arn, weight: options.targetGroup2Weight },
  ].flatMap(({ arn, weight }) => (arn === undefined ? [] : [{ name: nameIn(arn), arn, weight }]));
  const { listenerArn, listenerRulePriority } = options;
  const parsed = awsApplicationLoadBalancerConfig.parseSpec({
    listenerARN: listenerArn,
    listener: { rule: { priority: listenerRulePriority, ...conditions, forward: { targetGroups } } },
  });
  if (!parsed.ok) throw badUsage(parsed.problems.join('\n'));
  return parsed.value;
}

async function apply(
  shell: OkraShell,
  session: OkraSession,
  name: string,
  type: LoadBalancerType,
): Promise<void> {
  const { unsent, namespace, installation } = session;
  const activities = await activitiesOf(session);
  const ref = { type, key: { namespace, name } };
  let result;
  try {
    result = await asActivity(shell.signal, () => activities.applyLoadBalancer({ ref, verify: true }));
  } catch (error) {
    if (unsent !== undefined && unsent.length > 0) return;
    const { message } = toFailure(error);
    const isAlone = installation !== undefined && message.includes(ADOPT_ANNOTATION);
    throw failed(isAlone ? `${message} On the command line, use --adopt.` : message);
  }
  if (result.is === 'Gone')
    throw failed(
      `${type}Config ${formatKey(ref.key)} not found, or it belongs to a Cell. For a Cell, use okra sync cell.`,
    );
  const object = await readConfig(session.kubernetes, ref);
  const desired = object && configViewOf(ref, object).desired;
  const groups = desired && targetGroupsOf(desired).map((group) => `${group.name} ${group.weight}`);
  const rule =
    desired?.type === 'AWSApplicationLoadBalancer'
      ? `Rule ${desired.listener.rule.priority}`
      : 'The listener';
  shell.print(inOneLine(`${unsent === undefined ? '' : '# '}${rule} forwards to ${groups?.join(', ')}.`));
}
