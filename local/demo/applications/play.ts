import { setTimeout as wait } from 'node:timers/promises';
import { CELL, CHECK, SECRET } from '../../../clients/kubernetes/kinds.ts';
import type { Cell, CellStatus } from '../../../crds/cell.ts';
import type { Check } from '../../../crds/check.ts';
import { CELL_LABEL } from '../../../domain/kubernetes/labels.ts';
import { proxyControl } from '../../../elbv2-proxy/control.ts';
import { applicationsCell } from './objects.ts';
import { CELL_NAME, NAMESPACE, priorities, type ApplicationsChapter } from './story.ts';
import { applicationsTable, noted } from './table.ts';
import { sumByVersion, type ApplicationsWorld } from './world.ts';

/** What a chapter is played with. */
export interface ApplicationsScene {
  readonly world: ApplicationsWorld;
  readonly apply: (object: object) => Promise<void>;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
  readonly began: number;
}

const CHAPTER_MS = 180_000;

interface Named {
  readonly metadata: { readonly name: string; readonly generation?: number };
}

/** Plays a chapter, and answers with what differs from what it says. */
export async function playApplications(
  chapter: ApplicationsChapter,
  scene: ApplicationsScene,
): Promise<readonly string[]> {
  const { world, apply, say, began } = scene;
  say(`\n${chapter.title}`);
  const control = proxyControl(world.stack.proxyControl);
  const since = await control.lastCall();
  const clusters = [];
  for (const cluster of chapter.clusters) clusters.push(await world.bring(cluster));
  await apply(applicationsCell(world.listenerARN, clusters));
  const secrets = await watch(chapter, scene);
  const calls = await control.calls({ since });
  const weights = calls
    .filter(({ applied, action }) => applied && /^(Create|Modify)Rule$/.test(action))
    .flatMap(({ after }) => (after ?? []).filter(({ priority }) => priority === String(priorities.web)))
    .map(({ forward }) => sumByVersion(forward, world.versionOf));
  say(
    noted(
      (Date.now() - began) / 1000,
      `weights of web: ${weights.map((one) => JSON.stringify(one)).join(' → ')}`,
    ),
  );
  return [
    ...difference('the weights of web', chapter.weights, weights),
    ...difference('the cluster secrets', chapter.secrets, secrets),
  ].map((one) => `${chapter.title}: ${one}`);
}

/** Prints a row whenever something has changed, until the chapter is over; answers with the secrets that came and went. */
async function watch(chapter: ApplicationsChapter, scene: ApplicationsScene): Promise<readonly string[]> {
  const { world, say, signal, began } = scene;
  const { kubernetes } = world;
  const seconds = (): number => (Date.now() - began) / 1000;
  const table = applicationsTable(say);
  const secrets = new Set(await secretNames(world));
  const happened: string[] = [];
  const verdicts = new Map(
    (await checksOf(world)).map(({ metadata, status }) => [metadata.name, status?.phase]),
  );
  for (const deadline = Date.now() + CHAPTER_MS; ; await wait(100, undefined, { signal })) {
    const now = new Set(await secretNames(world));
    for (const name of [...now].filter((one) => !secrets.has(one)).toSorted())
      happened.push(tell(`+ ${name}`));
    for (const name of [...secrets].filter((one) => !now.has(one)).toSorted())
      happened.push(tell(`- ${name}`));
    secrets.clear();
    for (const name of now) secrets.add(name);
    for (const { metadata, status } of await checksOf(world)) {
      const phase = status?.phase;
      if (verdicts.get(metadata.name) === phase || phase === undefined) continue;
      verdicts.set(metadata.name, phase);
      if (phase !== 'Running' && phase !== 'Pending')
        say(noted(seconds(), `Check ${metadata.name}: ${phase}`));
    }
    const cell = await kubernetes.get<Cell>(CELL, { namespace: NAMESPACE, name: CELL_NAME });
    table(seconds(), { status: cell?.status ?? {}, weights: await world.weights() });
    if (isOver(chapter, cell) || Date.now() > deadline) return happened;
  }
  function tell(what: string): string {
    say(noted(seconds(), `Secret ${what}`));
    return what;
  }
}

function isOver({ phase }: ApplicationsChapter, cell: Cell | undefined): boolean {
  const { status = {}, metadata } = cell ?? {};
  const isAbout = status.observedGeneration === metadata?.generation;
  return (
    isAbout &&
    phasesOf(status).every((one) => one === 'Synced' || phase === 'Reverted') &&
    status.phase === phase
  );
}

const phasesOf = ({ applications = [] }: CellStatus): readonly string[] =>
  applications.length === 0 ? [''] : applications.map(({ phase }) => phase);

async function secretNames({ kubernetes }: ApplicationsWorld): Promise<readonly string[]> {
  const which = { namespace: NAMESPACE, labelSelector: `${CELL_LABEL}=${CELL_NAME}` };
  return (await kubernetes.list<Named>(SECRET, which)).map(({ metadata }) => metadata.name);
}

const checksOf = ({ kubernetes }: ApplicationsWorld): Promise<readonly Check[]> =>
  kubernetes.list<Check>(CHECK, { namespace: NAMESPACE });

function difference(what: string, expected: unknown, got: unknown): readonly string[] {
  const [want, have] = [JSON.stringify(expected), JSON.stringify(got)];
  return want === have ? [] : [`Expected ${what} to be ${want}, got ${have}.`];
}
