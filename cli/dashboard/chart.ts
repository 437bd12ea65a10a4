import { given } from '../../domain/model/fields.ts';
import {
  statusIn,
  type ToldStatus,
  type ToldWeights,
  type WeightHistory,
} from '../../clients/temporal/weight-history.ts';
import type { Cell, CellStatus } from '../../crds/cell.ts';
import { requestText } from '../okractl/history.ts';
import { inOneLine } from '../terminal-text.ts';
import type { Tone } from '../tones.ts';
import { type KnownCell, toneOfVerdict } from './rows.ts';

interface WeightSources {
  readonly cell: Pick<Cell, 'status'>;
  /** Of Temporal; undefined when it has not answered, or not yet. */
  readonly told: WeightHistory | undefined;
  /** What the watch has seen since the page was started. */
  readonly seen: readonly ToldWeights[];
  readonly trouble?: string | undefined;
  readonly now: number;
}

/** From a time on, a weight; times are milliseconds since the epoch. */
export interface Point {
  readonly at: number;
  readonly weight: number;
}

/** Weights over time, what they add up to, and what happened meanwhile; without `to` it continues. */
export type ChartView = ReturnType<typeof chartOf>;

/** Makes the chart of the rollout that is under way, or else of the last one. */
export function chartOf({ cell, told, seen, trouble, now }: WeightSources) {
  const { status = {} } = cell;
  const last = status.history?.[0];
  const isUnderWay = status.rollout !== undefined;
  const startedAt = status.rollout?.startedAt ?? last?.startedAt;
  const known = joined(told?.told ?? [], seen);
  const from = startedAt === undefined ? (known[0]?.at ?? now) : Date.parse(startedAt);
  const to = isUnderWay || last === undefined ? undefined : Date.parse(last.endedAt);
  const versions = { ...told?.versions, ...versionsOf(cell) };
  // So long after its end a rollout may still change weights: it lets go of what is not needed any more.
  const until = to === undefined ? Number.POSITIVE_INFINITY : to + AFTER_MS;
  const points = clipped(known, from, until);
  const isWhole = told !== undefined && told.told.length > 0;
  return {
    from: Math.min(from, points[0]?.at ?? from),
    total: Math.max(1, ...points.flatMap(({ asked, served }) => [sum(asked), sum(served)])),
    // What serves has the first colour, here as elsewhere.
    series: seriesOf(points, versions, Object.values(versionsOf(cell))),
    marks: marksOf(points, status).filter(({ at }) => at >= from),
    ...given({
      to,
      note: isWhole ? undefined : noteOf(trouble),
      /** The step at which the rollout has failed, as `status.step` had it. */
      failedAt: failedIn(points),
    }),
  };
}

const failedIn = (points: readonly ToldWeights[]): string | undefined =>
  points.findLast(({ status }) => status?.isFailed)?.status?.step;

/** What people, or something outside, let a rollout wait for. */
const HOLDS =
  /^(WaitingFor(Resume|Approval|Verdict|Health|Window|Freeze|Clusters|Application)|UnhealthyTargets|Inconclusive)$/;

/** What happened beside the weights, by how the Cell stood, and what people asked. */
function marksOf(points: readonly ToldWeights[], { rollout, requests, history }: CellStatus) {
  const stood = points.flatMap(({ at, status }) => (status === undefined ? [] : [{ at, ...status }]));
  const asked = rollout === undefined ? history?.[0]?.requests : requests;
  return [
    ...spansOf('Steps', stood, ({ step, isFailed, message = '' }) => {
      if (step === undefined) return undefined;
      const name = step === 'done' ? 'Steps done' : `Step ${step}`;
      return isFailed ? [`${name} failed`, message, 'Bad'] : [name, '', 'Moving'];
    }).map((one) => (one.to === undefined || one.tone === 'Bad' ? one : { ...one, tone: 'Good' as const })),
    ...spansOf('Gates', stood, ({ reason = '', message = '' }) =>
      HOLDS.test(reason) ? [reason, message, 'Held'] : undefined,
    ),
    ...spansOf('Analyses', stood, ({ measured }) => {
      const tones = measured.map(({ phase }) => toneOfVerdict(phase));
      const text = measured.map(({ name, phase }) => `${name}: ${phase}`).join(', ');
      return text === '' ? undefined : [text, '', tones.find((tone) => tone !== 'Good') ?? 'Good'];
    }),
    ...(asked ?? []).map(({ time, ...request }) => {
      const at = Date.parse(time);
      const tone: Tone = request.action === 'abort' ? 'Bad' : 'Idle';
      return { track: 'Requests', at, to: at, text: inOneLine(requestText(request)), tone };
    }),
  ];
}

/** From when to when it was the same; what is said of it counts as it was at first. */
function spansOf(
  track: string,
  stood: readonly (ToldStatus & { readonly at: number })[],
  of: (one: ToldStatus) => readonly [what: string, message: string, tone: Tone] | undefined,
) {
  const changes = stood
    .map((one) => ({ at: one.at, said: of(one) }))
    .filter(({ said }, index, all) => said?.[0] !== all[index - 1]?.said?.[0]);
  return changes.flatMap(({ at, said }, index) => {
    if (said === undefined) return [];
    const [what, message, tone] = said;
    const text = inOneLine(message === '' ? what : `${what}: ${message}`);
    return [{ track, at, ...given({ to: changes[index + 1]?.at }), text, tone }];
  });
}

const noteOf = (trouble: string | undefined): string =>
  trouble === undefined
    ? 'The chart begins when this page was started: Temporal has no history of this rollout.'
    : `The chart begins when this page was started: the history in Temporal could not be read: ${trouble}`;

const sum = (weights: readonly { readonly weight: number }[] | undefined): number =>
  (weights ?? []).reduce((all, { weight }) => all + weight, 0);

const versionsOf = ({ status }: Pick<Cell, 'status'>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (status?.targetGroups ?? []).flatMap(({ name, version = '' }) =>
      version === '' ? [] : [[name, version]],
    ),
  );

function joined(told: readonly ToldWeights[], seen: readonly ToldWeights[]): readonly ToldWeights[] {
  const until = told.at(-1)?.at ?? 0;
  return [...told, ...seen.filter(({ at }) => at > until)];
}

const AFTER_MS = 60_000;

function clipped(points: readonly ToldWeights[], from: number, until: number): readonly ToldWeights[] {
  const before = points.findLast(({ at, served }) => at < from && served !== undefined);
  const inside = points.filter(({ at }) => at >= from && at <= until);
  // What served when it began is where its lines begin.
  return before === undefined ? inside : [{ ...before, at: from }, ...inside];
}

/** Weights by version: what is of no known version bears the name of its target group. */
function seriesOf(
  points: readonly ToldWeights[],
  versions: Readonly<Record<string, string>>,
  first: readonly string[],
) {
  const of = (name: string): string => versions[name] ?? name;
  const found = points.flatMap(({ asked = [], served = [] }) => [...asked, ...served]);
  const known = new Set(found.map(({ name }) => of(name)));
  const all = new Set([...first, ...known].filter((version) => known.has(version)));
  const line = (which: 'asked' | 'served', version: string): readonly Point[] =>
    points.reduce<readonly Point[]>((line_, point) => {
      const weights = point[which];
      if (weights === undefined) return line_;
      const weight = sum(weights.filter(({ name }) => of(name) === version));
      const last = line_.at(-1)?.weight;
      return last === weight ? line_ : [...line_, { at: point.at, weight }];
    }, []);
  return [...all].map((version) => ({
    version,
    asked: line('asked', version),
    served: line('served', version),
  }));
}

/** How many changes of a Cell are kept, the newest: more than the steps of a rollout. */
const MOST = 300;

/** Notes the weights of a Cell when they differ from those that were seen last. */
export function noted(
  before: readonly ToldWeights[],
  { cell, asked }: KnownCell,
  now: number,
): readonly ToldWeights[] {
  const named = (groups: readonly { readonly name: string; readonly weight: number }[]) =>
    groups.map(({ name, weight }) => ({ name, weight }));
  const served = cell.status?.targetGroups;
  const next = given({
    asked: asked.is === 'Known' ? named(asked.targetGroups) : undefined,
    served: served && named(served),
    status: statusIn(cell.status),
  });
  const { at: _then, ...last } = before.at(-1) ?? { at: 0 };
  return JSON.stringify(last) === JSON.stringify(next)
    ? before
    : [...before, { at: now, ...next }].slice(-MOST);
}
