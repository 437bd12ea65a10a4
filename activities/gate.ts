import type { KubernetesClient } from '../clients/kubernetes/kubernetes.ts';
import type { ELBv2Regions } from '../clients/aws/elbv2.ts';
import { CELL } from '../clients/kubernetes/kinds.ts';
import type { GateActivities } from './contract.ts';
import { failure } from './failure.ts';

/** What the gate of a version looks at. */
export interface GateDependencies {
  readonly kubernetes: Pick<KubernetesClient, 'isReady' | 'serves'>;
  readonly elbv2: Pick<ELBv2Regions, 'inRegion'>;
  readonly region?: string | undefined;
}

/** What no target group is called, so that little is answered. */
const NOBODY = 'okra-version-gate';

/** Makes the activities that look whether this worker can work; they only read. */
export function gateActivities({ kubernetes, elbv2, region }: GateDependencies): GateActivities {
  return {
    async reachKubernetes() {
      if (!(await kubernetes.isReady())) throw failure('Unavailable', 'The API server is not ready.');
      if (!(await kubernetes.serves(CELL)))
        throw failure('Unavailable', `The CRD ${CELL.kind} is missing. Install the CRDs of this release.`);
      return 'The API server answers.';
    },
    async reachELBv2() {
      if (region === undefined) return 'No region is set, so ELBv2 was not asked.';
      await elbv2.inRegion(region).targetGroupNamed(NOBODY);
      return `ELBv2 answers in ${region}.`;
    },
  };
}
