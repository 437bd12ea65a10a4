import { CELL } from '../../clients/kubernetes/kinds.ts';
import type { Cell } from '../../crds/cell.ts';
import { createListener, createTargetGroup, elbv2Of } from '../aws-fixture.ts';
import { watchObjects } from '../watched.ts';
import type { Wish } from './arguments.mjs';
import { bringCluster, clusterSet, discoveries, targetGroupSet } from './discovery.ts';
import type { Ground } from './ground.ts';
import { analysisTemplateFor, CELL_NAME, cellFor, targetGroupsFor } from './objects.ts';
import { play, type Scene } from './play.ts';
import { chapters, discoveryChapters, type Chapter } from './story.ts';
import { readWeights, serveTraffic, type Weights } from './traffic.ts';

/** Shows rollouts of a Cell: with discovery the last version comes by clusters that are found. */
export async function showRollout(ground: Ground, { discovery }: Wish): Promise<number> {
  const { stack, kubernetes, namespace, unique, apply, say, signal } = ground;
  const story = discovery ? discoveryChapters : chapters;
  await using undo = new AsyncDisposableStack();
  const elbv2 = elbv2Of(stack);
  undo.defer(() => Promise.resolve(elbv2.destroy()));
  const { listenerArn } = await createListener(elbv2, unique('demo'));
  const groups = new Map<string, { name: string; version: string }>();
  for (const { version, groups: names } of story)
    for (const name of names)
      groups.set((await createTargetGroup(elbv2, unique(name))).arn, { name, version });
  const weights = (): Promise<Weights> => readWeights(elbv2, listenerArn, groups);
  const traffic = undo.use(await serveTraffic(weights, groups));
  undo.use(ground.startOkrad({ OKRA_SYNC_INTERVAL: '2' }));
  const service = unique('demo');
  const found = discovery ? [clusterSet(service), targetGroupSet] : [];
  await apply(listOf([analysisTemplateFor(traffic.url), cellFor(listenerArn), ...found]));
  const bring = async (chapter: Chapter): Promise<void> => {
    const { version } = chapter;
    const mine = [...groups].filter(([, group]) => group.version === version);
    if (!discovery || chapter !== story.at(-1))
      return await apply(
        targetGroupsFor(
          version,
          mine.map(([arn, { name }]) => ({ name, arn })),
        ),
      );
    for (const [targetGroupARN, { name }] of mine)
      undo.use(await bringCluster(stack, { name: unique(name), service, version, targetGroupARN }));
  };
  const scene: Scene = {
    ...ground,
    listenerARN: listenerArn,
    groups,
    weights,
    bring,
    cells: undo.use(watchObjects<Cell>({ kubernetes, kind: CELL, namespace, signal })),
    news: discovery ? undo.use(discoveries(kubernetes, { namespace, signal })) : { tell: () => [] },
    began: Date.now(),
  };
  say(whereToLook(ground, discovery));
  const differences: string[] = [];
  for (const chapter of story) differences.push(...(await play(chapter, scene)));
  return await ground.conclude(differences, 'weights, AnalysisRuns, phases');
}

const listOf = (items: readonly object[]): object => ({ apiVersion: 'v1', kind: 'List', items });

function whereToLook({ stack, namespace }: Ground, discovery: boolean): string {
  const kubectl = `${stack.binaries['kubectl'] ?? 'kubectl'} --kubeconfig ${stack.kubeconfig} -n ${namespace}`;
  const temporal = `${stack.binaries['temporal'] ?? 'temporal'} --address ${stack.temporal.address}`;
  const id = `cell/${namespace}/${CELL_NAME}`;
  return [
    '',
    `The rollouts in the Temporal Web UI: ${stack.temporal.ui}/namespaces/${stack.temporal.namespace}/workflows`,
    'To try while it runs (with --keep it continues after the last chapter):',
    `  ${kubectl} get cells,awsalbc,analysisruns${discovery ? ',clustersets,awstgs,awstg' : ''}`,
    `  ${kubectl} describe cell ${CELL_NAME}`,
    `  ${temporal} workflow signal --workflow-id ${id} --name pause`,
    `  ${temporal} workflow signal --workflow-id ${id} --name resume`,
    `  tctl --address ${stack.temporal.address} workflow signal -w ${id} -n abort`,
    `Logs: ${stack.logs}`,
  ].join('\n');
}
