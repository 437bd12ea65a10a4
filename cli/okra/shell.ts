import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AwsScope } from '../../clients/aws/aws-credentials.ts';
import type { EKS } from '../../clients/aws/eks.ts';
import type { ELBv2Regions } from '../../clients/aws/elbv2.ts';
import type { RateLimiters } from '../../clients/rate-limiter.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { RemoteClusters } from '../../clients/kubernetes/remote-clusters.ts';
import type { ProcessShell } from '../frame.ts';
import { badUsage } from '../okractl/shell.ts';
import type { Config } from '../../config/config.ts';
import type { CanaryStep } from '../../crds/cell.ts';
import type { RequestName } from '../../domain/model/request.ts';
import type { Chosen, OptionValues } from '../okractl/options.ts';

/** The options that every command of okra has. */
export interface Globals {
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly region?: string;
  readonly profile?: string;
  readonly address?: string;
  readonly dryRun?: boolean;
}

/** What the options of commands come to besides those of okractl. */
interface OkraValues extends Omit<OptionValues, 'selector'> {
  readonly adopt: boolean;
  /** PEM in base64. */
  readonly caData: string;
  readonly canarySteps: readonly CanaryStep[];
  readonly clusterName: string;
  readonly clusterNamespace: string;
  readonly clusterSelector: Pairs;
  readonly create: boolean;
  readonly delete: boolean;
  readonly eksTags: Pairs;
  readonly endpoint: string;
  readonly force: boolean;
  readonly labels: Pairs;
  readonly listenerArn: string;
  readonly listenerRuleHost: readonly string[];
  readonly listenerRulePath: readonly string[];
  readonly listenerRulePriority: number;
  readonly matchLabel: Pairs;
  readonly replicas: number;
  readonly request: RequestName | undefined;
  readonly selector: Pairs;
  readonly semverLabelKey: readonly string[];
  readonly targetGroup1Arn: string;
  readonly targetGroup1Weight: number;
  readonly targetGroup2Arn: string;
  readonly targetGroup2Weight: number;
  readonly targetGroupArn: string;
  readonly targetgroupbindingSelector: Pairs;
  readonly version: string;
  readonly versionLabel: readonly string[];
}

/** The options of a command of okra, with those of every command. */
export type OkraOptions<May extends keyof OkraValues, Must extends keyof OkraValues = never> = Globals &
  Chosen<OkraValues, May, Must>;

/** What a command does its work with, as its options say. */
export interface OkraSession {
  readonly kubernetes: KubernetesClient;
  readonly namespace: string;
  readonly config: Config;
  readonly clusters: RemoteClusters;
  readonly elbv2: ELBv2Regions;
  readonly eks: (scope: AwsScope) => EKS;
  readonly limits: RateLimiters;
  /** The calls that a dry run would have sent to AWS; undefined: no dry run. */
  readonly unsent?: readonly string[];
}

/** What is around a command of okra. */
export interface OkraShell extends ProcessShell {
  /** `needs` says whether Kubernetes has to be reached. */
  readonly session: (globals: Globals, needs?: { readonly kubernetes: boolean }) => OkraSession;
}

/** Labels or tags, as options have them. */
export type Pairs = Readonly<Record<string, string>>;

/** What a command names, and what stands for the name where options say what it is. */
interface Named<Options> {
  readonly what: string;
  readonly instead?: {
    readonly option: string;
    readonly name: (options: Options) => string | undefined;
  };
}

/** Has a command run with a name, which is its argument or `--name`. */
export function named<Options>(
  command: Command,
  { what, instead }: Named<Options>,
  run: (name: string, options: Options & Globals) => Promise<void>,
): Command {
  return command
    .argument('[name]', `the name of ${what}`)
    .option('--name <name>', `the name of ${what}, instead of the argument`)
    .action(async (argument: string | undefined, _options: unknown, self: Command) => {
      const options = self.optsWithGlobals<Options & Globals & { readonly name?: string }>();
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

/** Reads `key=value,key=value`; an option may be repeated. */
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

function whether(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new InvalidArgumentError('It must be true or false.');
}

/** Makes an option that takes a whole number. */
export const numberOption = (flags: string, description: string): Option =>
  new Option(flags, description).argParser((text) => {
    if (/^\d{1,9}$/.test(text)) return Number(text);
    throw new InvalidArgumentError('It must be a whole number.');
  });

/** Lets a command leave out what it would create, or delete. */
export const leavingOut = (command: Command): Command => {
  const option = (flags: string, description: string): Option =>
    new Option(flags, description).argParser(whether).preset('true').default(true);
  return command
    .addOption(option('--create [whether]', 'whether to create what is missing'))
    .addOption(option('--delete [whether]', 'whether to delete what is no longer wanted'));
};
