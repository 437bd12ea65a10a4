import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AwsScope } from '../../clients/aws/aws-credentials.ts';
import type { EKS } from '../../clients/aws/eks.ts';
import type { ELBv2Regions } from '../../clients/aws/elbv2.ts';
import type { RateLimiters } from '../../clients/rate-limiter.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { RemoteClusters } from '../../clients/kubernetes/remote-clusters.ts';
import { badUsage, type Shell } from '../okractl/shell.ts';
import type { Config } from '../../config/config.ts';

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

/** Whether a command has to do with Kubernetes, which then has to be reached. */
export interface SessionNeeds {
  readonly kubernetes: boolean;
}

/** What a command does its work with, as its options say. */
export interface OkraSession {
  readonly kubernetes: KubernetesClient;
  readonly namespace: string;
  readonly config: Config;
  readonly clusters: RemoteClusters;
  readonly elbv2: ELBv2Regions;
  readonly eks: (scope: AwsScope) => EKS;
  readonly limits: RateLimiters;
}

/** What is around a command of okra. */
export interface OkraShell extends Pick<
  Shell,
  'print' | 'warn' | 'write' | 'now' | 'signal' | 'read' | 'filesAt' | 'exitWith'
> {
  readonly session: (globals: Globals, needs?: SessionNeeds) => OkraSession;
}

/** An object's name as an option. */
export interface NameOption {
  readonly name?: string;
}

/** Lets a command take a name, as its argument or as `--name`. */
export const named = (command: Command, what: string): Command =>
  command
    .argument('[name]', `the name of ${what}`)
    .option('--name <name>', `the name of ${what}, instead of the argument`);

/** The name that a command was given; it needs one. */
export function nameIn(argument: string | undefined, { name }: NameOption, what: string): string {
  const found = argument ?? name;
  if (found !== undefined && name !== undefined && found !== name)
    throw badUsage(`two names given for ${what}: ${found} and --name ${name}. Leave one out.`);
  if (found !== undefined && found !== '') return found;
  throw badUsage(`the name of ${what} is missing. Pass it as the last argument, or as --name.`);
}

/** Reads `key=value,key=value`; an option may be repeated. */
export function pairs(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const found = text.split(',').map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw new InvalidArgumentError('It must be key=value,…');
    return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
  });
  return { ...before, ...Object.fromEntries(found) };
}

/** Reads `true` or `false`. */
function whether(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new InvalidArgumentError('It must be true or false.');
}

/** Reads a whole number. */
export function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

/** What says which writes a sync leaves out. */
export interface WriteOptions {
  readonly create: boolean;
  readonly delete: boolean;
}

/** Lets a command leave out what it would create, or delete. */
export const leavingOut = (command: Command): Command =>
  command
    .addOption(
      new Option('--create [whether]', 'whether to create what is missing')
        .argParser(whether)
        .preset('true')
        .default(true),
    )
    .addOption(
      new Option('--delete [whether]', 'whether to delete what is no longer wanted')
        .argParser(whether)
        .preset('true')
        .default(true),
    );
