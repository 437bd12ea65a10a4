import type { LabelSelector } from '../../../domain/kubernetes/selector.ts';
import { matches } from '../../../domain/kubernetes/selector.ts';
import type { ManagedCluster } from '../../../local/kubestellar/kubestellar.ts';

/** The clusters that KubeStellar knows: two of each stage. */
export const inventory: readonly ManagedCluster[] = ['dev', 'test', 'prod'].flatMap((env) =>
  ['1', '2'].map((digit) => ({ name: `${env}${digit}`, labels: { env, name: `${env}${digit}` } })),
);

/** The names of those that any of these selectors selects. */
export const selectedBy = (selectors: readonly LabelSelector[]): readonly string[] =>
  inventory
    .filter(({ labels }) => selectors.some((selector) => matches(selector, labels)))
    .map(({ name }) => name);
