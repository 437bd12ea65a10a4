import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AwsScope } from '../../clients/aws/aws-credentials.ts';
import type { EKS } from '../../clients/aws/eks.ts';
import type { ELBv2Regions } from '../../clients/aws/elbv2.ts';
import type { RateLimiters } from '../../clients/rate-limiter.ts';
import type { Installation } from '../../clients/kubernetes/installation.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { RemoteClusters } from '../../clients/kubernetes/remote-clusters.ts';
import type { ProcessShell } from '../frame.ts';
import { badUsage } from '../okractl/shell.ts';
import type { Config } from '../../config/config.ts';
import type { CanaryStep } from '../../crds/cell.ts';
import type { RequestName } from '../../domain/model/request.ts';
import type { Of, OptionValues } from '../okractl/options.ts';

export interface Globals {
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly region?: string;
  readonly profile?: string;
  readonly address?: string;
  readonly dryRun?: boolean;
}

type Texts = 'caData' | 'clusterName' | 'clusterNamespace' | 'endpoint' | 'listenerArn' | 'version';
type Numbers = 'listenerRulePriority' | 'replicas' | 'targetGroup1Weight' | 'targetGroup2Weight';
type Lists = 'listenerRuleHost' | 'listenerRulePath' | 'semverLabelKey' | 'versionLabel';
type Labels = 'clusterSelector' | 'eksTags' | 'labels' | 'matchLabel' | 'targetgroupbindingSelector';

/** What the options of commands come to besides those of okractl. */
type OkraValues = Omit<OptionValues, 'selector'> &
  Of<boolean, 'adopt' | 'force'> &
  Of<'true' | 'false', 'create' | 'delete'> &
  Of<string, Texts | 'targetGroupArn' | 'targetGroup1Arn' | 'targetGroup2Arn'> &
  Of<number, Numbers> &
  Of<readonly string[], Lists> &
  Of<Pairs, Labels | 'selector'> &
  Of<readonly CanaryStep[], 'canarySteps'> &
  Of<RequestName | undefined, 'request'>;

/** The options of a command of okra, with those of every command; some have a value in any case. */
export type OkraOptions<Must extends keyof OkraValues = never> = Globals &
  Partial<OkraValues> &
  Pick<OkraValues, Must>;

/** What a command does its work with, as its options say. */
export interface OkraSession {
  readonly kubernetes: KubernetesClient;
  readonly namespace: string;
  readonly config: Config;
  readonly clusters: RemoteClusters;
  readonly elbv2: ELBv2Regions;
  readonly eks: (scope: AwsScope) => EKS;
  readonly limits: RateLimiters;
  /** Given where no cluster knows it. */
  readonly installation?: Installation;
  /** The calls that a dry run would have sent to AWS; undefined: no dry run. */
  readonly unsent?: readonly string[];
}

export interface OkraShell extends ProcessShell {
  /** `needs` says whether Kubernetes has to be reached. */
  readonly session: (globals: Globals, needs?: { readonly kubernetes: boolean }) => OkraSession;
}

/** Labels or tags, as options have them. */
export type Pairs = Readonly<Record<string, string>>;

/** Has a command run with a name, which is its argument or `--name`, or comes from another option `instead`. */
export function named<Must extends keyof OkraValues = never>(
  command: Command,
  { what, instead }: { readonly what: string; readonly instead?: Instead },
  run: (name: string, options: OkraOptions<Must>) => Promise<void>,
): Command {
  return command
    .argument('[name]', `the name of ${what}`)
    .option('--name <name>', `the name of ${what}, instead of the argument`)
    .action(async (options: OkraOptions<Must> & { readonly name?: string }, argument: string | undefined) => {
      const { name } = options;
      if (argument !== undefined && name !== undefined && argument !== name)
        throw badUsage(`two names given for ${what}: ${argument} and --name ${name}. Leave one out.`);
      const found = argument ?? name ?? instead?.name(options) ?? '';
      const or = instead === undefined ? '' : `, or ${instead.option}`;
      if (found === '')
        throw badUsage(`the name of ${what}${or} is missing. Pass it as the last argument, or as --name.`);
      await run(found, options);
    });
}

interface Instead {
  readonly option: string;
  readonly name: (options: OkraOptions) => string | undefined;
}

export function pairs(text: string, before: Pairs = {}): Pairs {
  const found = text.split(',').map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw new InvalidArgumentError('It must be key=value,…');
    return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
  });
  return { ...before, ...Object.fromEntries(found) };
}

/** Writes labels as `key=value,key=value`. */
export const pairsText = (labels: Pairs): string =>
  Object.entries(labels)
    .map((pair) => pair.join('='))
    .join(',');

/** Lets a command leave out what it would create, or delete. */
export const leavingOut = (command: Command): Command => {
  const option = (flags: string, description: string): Option =>
    new Option(flags, description).choices(['true', 'false']).preset('true').default('true');
  return command
    .addOption(option('--create [whether]', 'whether to create what is missing'))
    .addOption(option('--delete [whether]', 'whether to delete what is no longer wanted'));
};
