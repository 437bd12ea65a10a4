import { dirname, join } from 'node:path';

import { applyDefinitions, untilServed } from '../kubernetes.ts';
import type { Component } from '../process.ts';
import { answersOk, waitFor } from '../wait.ts';
import type { Plan } from './plan.ts';

/** Plans the Argo Rollouts controller, which evaluates AnalysisRuns and Experiments. */
export async function planArgoRollouts(plan: Plan): Promise<Component> {
  const health = await plan.port();
  const metrics = await plan.port();
  const command = plan.executable('rollouts-controller');
  return {
    name: 'argo-rollouts',
    after: ['kube-apiserver'],
    command,
    args: [
      `--kubeconfig=${plan.kubernetes.kubeconfig}`,
      '--leader-elect=false',
      `--healthzPort=${health}`,
      `--metricsPort=${metrics}`,
    ],
    prepare: async () => {
      const { kubernetes } = plan;
      await untilServed(kubernetes, await applyDefinitions(kubernetes, join(dirname(command), 'crds')));
    },
    ready: (signal) => {
      const url = `http://127.0.0.1:${health}/healthz`;
      return waitFor({ what: `${url} to answer`, signal }, () => answersOk(url));
    },
  };
}
