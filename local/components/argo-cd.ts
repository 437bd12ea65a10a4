import type { Component } from '../process.ts';
import { answersOk, waitFor } from '../wait.ts';
import type { Plan } from './plan.ts';

/** Plans the ApplicationSet controller of Argo CD, which makes Applications out of the cluster secrets of one namespace. */
export async function planApplicationSets(
  plan: Pick<Plan, 'executable' | 'port'> & { readonly kubernetes: { readonly kubeconfig: string } },
  namespace: string,
): Promise<Component> {
  const [metrics, probe, webhook] = [await plan.port(), await plan.port(), await plan.port()];
  return {
    name: `argocd-applicationset-controller-${namespace}`,
    after: [],
    command: plan.executable('argocd-applicationset-controller'),
    // One half of it reads this variable, and the other the argument.
    env: { KUBECONFIG: plan.kubernetes.kubeconfig },
    args: [
      `--kubeconfig=${plan.kubernetes.kubeconfig}`,
      `--namespace=${namespace}`,
      '--enable-leader-election=false',
      // No generator here reads Git.
      '--argocd-repo-server=127.0.0.1:1',
      '--enable-scm-providers=false',
      '--loglevel=warn',
      `--metrics-addr=127.0.0.1:${metrics}`,
      `--probe-addr=127.0.0.1:${probe}`,
      `--webhook-addr=127.0.0.1:${webhook}`,
    ],
    ready: (signal) => {
      const url = `http://127.0.0.1:${metrics}/metrics`;
      return waitFor({ what: `${url} to answer`, signal }, () => answersOk(url));
    },
  };
}
