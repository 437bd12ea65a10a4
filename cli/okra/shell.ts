import type { ELBv2Regions } from '../../clients/aws/elbv2.ts';
import type { EKS } from '../../clients/aws/eks.ts';
import type { AwsScope } from '../../clients/aws/aws-credentials.ts';
import type { SharedBudget } from '../../clients/aws/shared-budget.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { RemoteClusters } from '../../clients/kubernetes/remote-clusters.ts';
import type { Config } from '../../config/config.ts';
import type { Shell } from '../okractl/shell.ts';

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
  /** The write budgets that are shared with okrad. */
  readonly budgets: SharedBudget;
}

/** What is around a command of okra. */
export interface OkraShell extends Pick<
  Shell,
  'print' | 'warn' | 'write' | 'now' | 'signal' | 'read' | 'filesAt' | 'exitWith'
> {
  readonly session: (globals: Globals, needs?: SessionNeeds) => OkraSession;
}
