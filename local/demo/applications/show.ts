import { CELL, CHECK, SECRET } from '../../../clients/kubernetes/kinds.ts';
import type { Cell } from '../../../crds/cell.ts';
import type { Check } from '../../../crds/check.ts';
import { watchObjects } from '../../watched.ts';
import type { Ground } from '../ground.ts';
import { OWN_SECRETS, playApplications, type Named } from './play.ts';
import { chapters } from './story.ts';
import { datadogKeys, openWorld } from './world.ts';

/** Shows the applications of a Cell that move to new clusters, once well and once not. */
export async function showApplications(ground: Ground): Promise<number> {
  const { kubernetes, namespace, signal } = ground;
  await using undo = new AsyncDisposableStack();
  const world = undo.use(await openWorld(ground));
  undo.use(
    ground.startOkrad({
      OKRA_DATADOG_ENDPOINT: world.datadog.url,
      DD_API_KEY: datadogKeys.apiKey,
      DD_APP_KEY: datadogKeys.appKey,
      OKRA_DATADOG_QUERIES_PER_SECOND: '100',
    }),
  );
  const watching = { kubernetes, namespace, signal };
  const scene = {
    ground,
    world,
    cells: undo.use(watchObjects<Cell>({ ...watching, kind: CELL })),
    secrets: undo.use(watchObjects<Named>({ ...watching, kind: SECRET, labelSelector: OWN_SECRETS })),
    checks: undo.use(watchObjects<Check>({ ...watching, kind: CHECK })),
    began: Date.now(),
  };
  const differences: string[] = [];
  for (const chapter of chapters) differences.push(...(await playApplications(chapter, scene)));
  return await ground.conclude(
    differences,
    'cluster secrets, what is deployed, weights and checks in their order',
  );
}
