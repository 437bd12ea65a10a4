import { jobPhase } from '../../domain/rollout/measure/job.ts';
import type { Shelf } from '../informer/store.ts';
import type { KindEvent, Objects } from '../kinds.ts';

/** The kinds by which Cells measure. */
export const measuring = ['AnalysisRun', 'Experiment', 'Check', 'Job'] as const;

/** The name of a kind by which Cells measure. */
export type Measuring = (typeof measuring)[number];

const names: ReadonlySet<string> = new Set(measuring);

/** Whether an event is about something by which a Cell measures. */
export const isMeasured = (happened: KindEvent): happened is KindEvent<Measuring> => names.has(happened.kind);

const phases: { readonly [Kind in Measuring]: (object: Objects[Kind]) => string | undefined } = {
  AnalysisRun: ({ status }) => status?.phase,
  Experiment: ({ status }) => status?.phase,
  Check: ({ status }) => status?.phase,
  Job: jobPhase,
};

/** What is remembered of the kinds by which Cells measure. */
export type MeasuredView = { readonly [Kind in Measuring]: Shelf<Objects[Kind]> };

/** The phases of all objects of a kind. */
export const phasesOf = <Kind extends Measuring>(
  kind: Kind,
  view: Pick<MeasuredView, Kind>,
): readonly (string | undefined)[] => view[kind].list().map((object) => phases[kind](object));

/** The phases before and after an event; undefined when the object has come or gone by it. */
export function phaseChange<Kind extends Measuring>({
  kind,
  event,
}: KindEvent<Kind>): { readonly old: string | undefined; readonly now: string | undefined } | undefined {
  if (event.type !== 'update') return undefined;
  return { old: phases[kind](event.old), now: phases[kind](event.object) };
}
