import { FREEZE } from '../../../clients/kubernetes/kinds.ts';
import type { Stage } from '../../support/stage/stage.ts';
import type { Incident } from './incident.ts';

/** A Freeze of the namespace of a stage comes or goes. */
export function freezeIncident(stage: Stage): Incident<unknown> {
  return {
    name: 'a Freeze comes or goes',
    weight: 1,
    async happen() {
      if (await thaw(stage)) return 'goes';
      await stage.apply({
        apiVersion: FREEZE.apiVersion,
        kind: FREEZE.kind,
        metadata: { name: stage.namespace },
        spec: { by: 'ops', reason: 'Friday.', namespaces: [stage.namespace] },
      });
      return 'comes';
    },
  };
}

/** Ends the Freeze of a stage; false where there is none. */
export async function thaw(stage: Stage): Promise<boolean> {
  if ((await stage.kubernetes.get(FREEZE, { name: stage.namespace })) === undefined) return false;
  await stage.delete(FREEZE, stage.namespace);
  return true;
}
