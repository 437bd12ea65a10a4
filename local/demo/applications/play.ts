import { setTimeout as wait } from 'node:timers/promises';
import { CELL, SECRET } from '../../../clients/kubernetes/kinds.ts';
import type { Cell, CellStatus } from '../../../crds/cell.ts';
import type { Check } from '../../../crds/check.ts';
import { CELL_LABEL } from '../../../domain/kubernetes/labels.ts';
import { proxyControl } from '../../elbv2-proxy/control.ts';
import type { Watched } from '../../watched.ts';
import type { Ground } from '../ground.ts';
import { applicationsCell } from './objects.ts';
import { CELL_NAME, priorities, type ApplicationsChapter } from './story.ts';
import { applicationsTable, noted, type VersionWeights } from './table.ts';
import { sumByVersion, type ApplicationsWorld } from './world.ts';

/** A secret, as far as is told of it. */
export interface Named {
  readonly metadata: { readonly name: string };
}

/** What selects the cluster secrets of the demo. */
export const OWN_SECRETS = `${CELL_LABEL}=${CELL_NAME}`;

/** What a chapter is played with. */
export interface ApplicationsScene {
  readonly ground: Ground;
  readonly world: ApplicationsWorld;
  readonly cells: Watched<Cell>;
  readonly secrets: Watched<Named>;
  readonly checks: Watched<Check>;
  readonly began: number;
}

const CHAPTER_MS = 180_000;

/** How often is looked whether something has changed. */
const LOOK_MS = 100;

/** How often ELBv2 is asked for the weights though nothing has changed. */
const WEIGHTS_MS = 1_000;

/** Plays a chapter, and answers with what differs from what it says. */
export async function playApplications(
  chapter: ApplicationsChapter,
  scene: ApplicationsScene,
): Promise<readonly string[]> {
  const { ground, world, began } = scene;
  const { stack, kubernetes, namespace, apply, say, unique } = ground;
  say(`\n${chapter.title}`);
  const control = proxyControl(stack.proxyControl);
  const since = await control.lastCall();
  const clusters = [];
  for (const cluster of chapter.clusters) clusters.push(await world.bring(cluster));
  const before = withTraffic(await world.weights());
  await apply(applicationsCell(world.listenerARN, clusters));
  const { metadata } = (await kubernetes.get<Cell>(CELL, { namespace, name: CELL_NAME })) ?? {};
  const { secrets, deployed } = await watch(chapter, scene, metadata?.generation ?? 0);
  const calls = await control.calls({ since, listener: world.listenerARN });
  const written = calls
    .filter(({ applied, action }) => applied && /^(Create|Modify)Rule$/.test(action))
    .flatMap(({ after }) => (after ?? []).filter(({ priority }) => priority === String(priorities.web)))
    .map(({ forward }) => withTraffic(sumByVersion(forward, world.versionOf)));
  const weights = [...(Object.keys(before).length === 0 ? [] : [before]), ...written].filter(
    (one, index, all) => JSON.stringify(one) !== JSON.stringify(all[index - 1]),
  );
  say(
    noted(
      (Date.now() - began) / 1000,
      `weights of web: ${weights.map((one) => JSON.stringify(one)).join(' → ')}`,
    ),
  );
  return [
    ...difference('the weights of web', chapter.weights, weights),
    ...difference(
      'the cluster secrets',
      chapter.secrets.map((one) => one.replace(/\S+$/, unique)),
      secrets,
    ),
    ...difference(
      'what is deployed',
      inOrder(chapter.deployed.map((one) => one.replace(/\S+$/, unique))),
      inOrder(deployed),
    ),
  ].map((one) => `${chapter.title}: ${one}`);
}

/** What comes, or goes, one after the other, by name: which cluster is the first of several is not for Okra to say. */
function inOrder(news: readonly string[]): readonly string[] {
  const begins = news.flatMap((one, index) => (one[0] === news[index - 1]?.[0] ? [] : [index]));
  return begins.flatMap((begin, index) => news.slice(begin, begins[index + 1]).toSorted());
}

/** What is attached without traffic, or taken out of the rule, divides nothing. */
const withTraffic = (weights: VersionWeights): VersionWeights =>
  Object.fromEntries(Object.entries(weights).filter(([, weight]) => weight > 0));

/** What came and went in a chapter. */
interface Happened {
  readonly secrets: readonly string[];
  readonly deployed: readonly string[];
}

/** Prints a row whenever something has changed, until the chapter of a generation of the Cell is over. */
async function watch(
  chapter: ApplicationsChapter,
  scene: ApplicationsScene,
  generation: number,
): Promise<Happened> {
  const { ground, world, cells, secrets, checks, began } = scene;
  const { say, signal } = ground;
  const seconds = (): number => (Date.now() - began) / 1000;
  const note = (what: string): void => say(noted(seconds(), what));
  const table = applicationsTable(say);
  const news = newsOf(
    () => new Set(secrets.objects.keys()),
    (what) => note(`Secret ${what}`),
  );
  const deployed = newsOf(world.deployed, (what) => note(`ConfigMap ${what}`));
  const verdicts = verdictNews(checks, note);
  let known = -1;
  let askedAt = 0;
  for (const deadline = Date.now() + CHAPTER_MS; ; await wait(LOOK_MS, undefined, { signal })) {
    deployed.tell();
    const changes = cells.changes() + secrets.changes() + checks.changes();
    if (changes === known && Date.now() < askedAt + WEIGHTS_MS) continue;
    [known, askedAt] = [changes, Date.now()];
    news.tell();
    verdicts.tell();
    const cell = cells.objects.get(CELL_NAME);
    table(seconds(), { status: cell?.status ?? {}, weights: await world.weights() });
    const isDone =
      isOver(chapter, cell, generation) &&
      deployed.happened.length >= chapter.deployed.length &&
      (await knowsAll(scene));
    if (!isDone && Date.now() < deadline) continue;
    for (const one of [news, deployed]) one.tell();
    return { secrets: news.happened, deployed: deployed.happened };
  }
}

/** Tells of what comes and goes, from now on. */
function newsOf(present: () => ReadonlySet<string>, note: (what: string) => void) {
  const happened: string[] = [];
  let there = present();
  const tell = (): void => {
    const now = present();
    const come = [...now].filter((one) => !there.has(one)).toSorted();
    const gone = [...there].filter((one) => !now.has(one)).toSorted();
    there = now;
    for (const what of [...come.map((one) => `+ ${one}`), ...gone.map((one) => `- ${one}`)]) {
      note(what);
      happened.push(what);
    }
  };
  return { tell, happened };
}

/** Tells of the Checks that end, from now on. */
function verdictNews({ objects }: Watched<Check>, note: (what: string) => void) {
  const phases = () =>
    [...objects.values()].map(({ metadata, status }) => [metadata.name, status?.phase] as const);
  const told = new Map(phases());
  const tell = (): void => {
    for (const [name, phase] of phases()) {
      if (told.get(name) === phase || phase === undefined) continue;
      told.set(name, phase);
      if (phase !== 'Running' && phase !== 'Pending') note(`Check ${name}: ${phase}`);
    }
  };
  return { tell };
}

/** Whether the watch of the secrets, which tells of them alone, has come as far as the Cell. */
async function knowsAll({ ground: { kubernetes, namespace }, secrets }: ApplicationsScene): Promise<boolean> {
  const found = await kubernetes.list<Named>(SECRET, { namespace, labelSelector: OWN_SECRETS });
  return (
    found.length === secrets.objects.size && found.every(({ metadata }) => secrets.objects.has(metadata.name))
  );
}

function isOver({ phase }: ApplicationsChapter, cell: Cell | undefined, generation: number): boolean {
  const { status = {}, metadata } = cell ?? {};
  const isAbout =
    (metadata?.generation ?? 0) >= generation && status.observedGeneration === metadata?.generation;
  return (
    isAbout &&
    phasesOf(status).every((one) => one === 'Synced' || phase === 'Reverted') &&
    status.phase === phase
  );
}

const phasesOf = ({ applications = [] }: CellStatus): readonly string[] =>
  applications.length === 0 ? [''] : applications.map(({ phase }) => phase);

function difference(what: string, expected: unknown, got: unknown): readonly string[] {
  const [want, have] = [JSON.stringify(expected), JSON.stringify(got)];
  return want === have ? [] : [`Expected ${what} to be ${want}, got ${have}.`];
}
