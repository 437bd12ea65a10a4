import { setTimeout as wait } from 'node:timers/promises';
import { ANALYSIS_RUN } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Cell } from '../../crds/cell.ts';
import { proxyControl } from '../elbv2-proxy/control.ts';
import type { RunningStack } from '../stack-record.ts';
import type { Watched } from '../watched.ts';
import { CELL_NAME } from './objects.ts';
import type { Chapter } from './story.ts';
import { heading, row, sightOf, type Moment } from './table.ts';
import type { Groups, Weights } from './traffic.ts';

/** What the demo is played with. */
export interface Scene {
  readonly stack: Pick<RunningStack, 'proxyControl'>;
  readonly kubernetes: KubernetesClient;
  readonly namespace: string;
  readonly cells: Watched<Cell>;
  readonly listenerARN: string;
  readonly groups: Groups;
  readonly weights: () => Promise<Weights>;
  /** Has the target groups of a chapter appear. */
  readonly bring: (chapter: Chapter) => Promise<void>;
  readonly news: News;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
  readonly began: number;
}

/** What comes to be besides. */
export interface News {
  /** What has come to be since it was asked the last time, a line each. */
  readonly tell: () => readonly string[];
}

/** How often is looked whether the Cell has changed: what is shown lasts longer. */
const LOOK_MS = 100;

/** How often ELBv2 is asked for the weights though the Cell has not changed. */
const WEIGHTS_MS = 1_000;

/** How long one chapter may take. */
const CHAPTER_MS = 120_000;

/** Plays a chapter, and answers with what differs from what it says. */
export async function play(chapter: Chapter, scene: Scene): Promise<readonly string[]> {
  const { say } = scene;
  say(`\n${chapter.title}\n${heading()}`);
  const control = proxyControl(scene.stack.proxyControl);
  const since = await control.lastCall();
  const runsBefore = await verdicts(scene);
  const brought = scene.bring(chapter);
  const [last] = await Promise.all([watch(chapter, scene), brought]);
  const calls = await control.calls({ since, listener: scene.listenerARN });
  const writes = calls
    .filter((call) => call.applied && /^(Create|Modify)Rule$/.test(call.action))
    .map((call) =>
      Object.fromEntries(
        (call.after?.[0]?.forward ?? []).map((one) => [scene.groups.get(one.arn)?.name, one.weight]),
      ),
    );
  const newVerdicts = (await verdicts(scene)).filter(([name]) => !runsBefore.some(([old]) => old === name));
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
async function watch(chapter: Chapter, { cells, weights, news, say, signal, began }: Scene): Promise<Moment> {
  let seen = '';
  let known = -1;
  let askedAt = 0;
  for (const deadline = Date.now() + CHAPTER_MS; ; await wait(LOOK_MS, undefined, { signal })) {
    const seconds = (Date.now() - began) / 1000;
    for (const line of news.tell()) say(`  ${seconds.toFixed(1).padStart(7)}  ${line}`);
    if (cells.changes() === known && Date.now() < askedAt + WEIGHTS_MS) continue;
    [known, askedAt] = [cells.changes(), Date.now()];
    const cell = cells.objects.get(CELL_NAME);
    const moment = { status: cell?.status ?? {}, weights: await weights() };
    if (sightOf(moment) !== seen) say(row(seconds, moment));
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

async function verdicts({ kubernetes, namespace }: Scene): Promise<readonly (readonly [string, string])[]> {
  const runs = await kubernetes.list<{ metadata: { name: string }; status?: { phase?: string } }>(
    ANALYSIS_RUN,
    { namespace },
  );
  return runs.map((one) => [one.metadata.name, one.status?.phase ?? 'Pending'] as const);
}

function differenceIn(what: string, expected: unknown, got: unknown): readonly string[] {
  const [want, have] = [JSON.stringify(expected), JSON.stringify(got)];
  return want === have ? [] : [`Expected ${what} to be ${want}, got ${have}.`];
}
