import { setTimeout as wait } from 'node:timers/promises';
import { ANALYSIS_RUN, CELL } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Cell } from '../../crds/cell.ts';
import { proxyControl } from '../../elbv2-proxy/control.ts';
import type { Stack } from '../stack.ts';
import { CELL_NAME } from './objects.ts';
import type { Chapter } from './story.ts';
import { heading, row, sightOf, type Moment } from './table.ts';
import type { Groups, Weights } from './traffic.ts';

/** What the demo is played with. */
export interface Scene {
  readonly stack: Stack;
  readonly kubernetes: KubernetesClient;
  readonly groups: Groups;
  readonly weights: () => Promise<Weights>;
  /** Has the target groups of a chapter appear. */
  readonly bring: (chapter: Chapter) => Promise<void>;
  /** What has come to be since it was asked the last time, a line each. */
  readonly news: () => Promise<readonly string[]>;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
  readonly began: number;
}

/** The Cell of the demo. */
export const cellKey = { namespace: 'default', name: CELL_NAME };

/** How often it is looked at: what is shown lasts longer. */
const LOOK_MS = 200;

/** How long one chapter may take. */
const CHAPTER_MS = 120_000;

/** Plays a chapter, and answers with what differs from what it says. */
export async function play(chapter: Chapter, scene: Scene): Promise<readonly string[]> {
  const { say } = scene;
  say(`\n${chapter.title}\n${heading()}`);
  const control = proxyControl(scene.stack.proxyControl);
  const since = await control.lastCall();
  const runsBefore = await verdicts(scene.kubernetes);
  const brought = scene.bring(chapter);
  const [last] = await Promise.all([watch(chapter, scene), brought]);
  const calls = await control.calls({ since });
  const writes = calls
    .filter((call) => call.applied && /^(Create|Modify)Rule$/.test(call.action))
    .map((call) =>
      Object.fromEntries(
        (call.after?.[0]?.forward ?? []).map((one) => [scene.groups.get(one.arn)?.name, one.weight]),
      ),
    );
  const newVerdicts = (await verdicts(scene.kubernetes)).filter(
    ([name]) => !runsBefore.some(([old]) => old === name),
  );
  for (const [name, phase] of newVerdicts) say(`  AnalysisRun ${name}: ${phase}`);
  return [
    ...differenceIn('the phase', chapter.ends, {
      phase: last.status.phase,
      stable: last.status.stableVersion,
    }),
    ...differenceIn('the weights that were written', chapter.writes, writes),
    ...differenceIn(
      'the verdicts',
      chapter.verdicts,
      newVerdicts.map(([, phase]) => phase),
    ),
  ].map((difference) => `${chapter.version}: ${difference}`);
}

/** Prints a row whenever something has changed, until the chapter is over. */
async function watch(chapter: Chapter, scene: Scene): Promise<Moment> {
  let seen = '';
  for (const deadline = Date.now() + CHAPTER_MS; ; await wait(LOOK_MS, undefined, { signal: scene.signal })) {
    const cell = await scene.kubernetes.get<Cell>(CELL, cellKey);
    const moment = { status: cell?.status ?? {}, weights: await scene.weights() };
    const seconds = (Date.now() - scene.began) / 1000;
    for (const line of await scene.news()) scene.say(`  ${seconds.toFixed(1).padStart(7)}  ${line}`);
    if (sightOf(moment) !== seen) scene.say(row(seconds, moment));
    seen = sightOf(moment);
    const { phase, stableVersion } = moment.status;
    if (
      (phase === chapter.ends.phase && stableVersion === chapter.ends.stable && knows(cell, chapter)) ||
      Date.now() > deadline
    )
      return moment;
  }
}

/** Whether a Cell has taken notice of a chapter's version, so that an old status is not taken for its end. */
const knows = (cell: Cell | undefined, { version, ends }: Chapter): boolean =>
  ends.stable === version || (cell?.status?.blockedVersions ?? []).some((one) => one.version === version);

async function verdicts(kubernetes: KubernetesClient): Promise<readonly (readonly [string, string])[]> {
  const runs = await kubernetes.list<{ metadata: { name: string }; status?: { phase?: string } }>(
    ANALYSIS_RUN,
    { namespace: cellKey.namespace },
  );
  return runs.map((one) => [one.metadata.name, one.status?.phase ?? 'Pending'] as const);
}

function differenceIn(what: string, expected: unknown, got: unknown): readonly string[] {
  const [want, have] = [JSON.stringify(expected), JSON.stringify(got)];
  return want === have ? [] : [`Expected ${what} to be ${want}, got ${have}.`];
}
