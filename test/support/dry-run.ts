import { kindOf, kindPath } from '../../clients/kubernetes/kinds.ts';
import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';
import { openKubeconfig, loadKubeconfig } from '../../clients/kubernetes/kubeconfig.ts';
import { makeCall, makeSend } from '../../clients/kubernetes/kubernetes-transport.ts';
import { OWN_CLUSTER } from '../../clients/kubernetes/kubernetes-answer.ts';
import { resources } from '../../crds/index.ts';

/** What someone makes of a spec: the value that is stored, or why it is refused. */
export type Judgement =
  { readonly accepted: true; readonly value: unknown } | { readonly accepted: false; readonly why: string };

/** Asks what would be stored of the spec of an object. */
export type Judge = (kind: string, spec: unknown) => Promise<Judgement>;

const refusals = new Set([400, 422]);

/** Asks an API server by creating objects that it does not keep, over one connection. */
export function dryRun(kubeconfig: string): Judge {
  const call = makeCall(makeSend(openKubeconfig(loadKubeconfig(kubeconfig))), 60_000, OWN_CLUSTER);
  return async (kind, spec) => {
    const apiVersion = resources.find((one) => one.kind === kind)?.apiVersion ?? '';
    const path = kindPath(kindOf({ apiVersion, kind }), 'default');
    const body = { apiVersion, kind, metadata: { name: 'generated' }, spec };
    const query = { dryRun: 'All', fieldValidation: 'Ignore' };
    try {
      const stored = await call<{ readonly spec: unknown }>({ method: 'POST', path, query, body });
      return { accepted: true, value: stored.spec };
    } catch (error) {
      if (!(error instanceof KubernetesError) || !refusals.has(error.status)) throw error;
      return { accepted: false, why: error.message };
    }
  };
}
