import { given } from '../../domain/model/fields.ts';
import type { ToldWeights, WeightHistory } from '../../clients/temporal/weight-history.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Cell, CellStatus } from '../../crds/cell.ts';
import { unreadyClusters } from '../../domain/gates/gate.ts';
import { freezeAt, type Freezing } from '../../domain/gates/freeze.ts';
import { openingAt } from '../../domain/gates/windows.ts';
import { describeSteps } from '../../domain/steps/plan.ts';
import {
  applicationsTable,
  approvalText,
  healthOf as healthText,
  lastOf,
  routeText,
  type ShownEvent,
  timeOf,
  unhealthyTargets,
  unobservedSpec,
  weightNotes,
} from '../okractl/describe-cell.ts';
import { CHANGE_CAUSE } from '../okractl/rollback.ts';
import { nextOf } from '../okractl/tree.ts';
import { inOneLine } from '../terminal-text.ts';
import { chartOf } from './chart.ts';
import { seenOf } from './offers.ts';
import { type KnownCell, toneOfPhase, toneOfOutcome } from './rows.ts';
import type {
  CellPage,
  CellRow,
  EventView,
  GateView,
  GroupView,
  HealthView,
  OfferView,
  StepView,
  VerdictView,
} from './view.ts';

/** All that the page of a Cell is made of. */
export interface CellSources extends KnownCell {
  readonly row: CellRow;
  readonly freezes: readonly Freezing[];
  /** Of its namespace, by name. */
  readonly groups: ReadonlyMap<string, AWSTargetGroup>;
  readonly told: WeightHistory | undefined;
  readonly seen: readonly ToldWeights[];
  readonly trouble?: string | undefined;
  readonly verdicts: readonly VerdictView[];
  readonly events: readonly ShownEvent[];
  readonly offers: readonly OfferView[];
  readonly url?: string | undefined;
}

/** Makes the page of a Cell. */
export function cellPageOf(sources: CellSources, now: number): CellPage {
  const { cell, row, asked, groups, told, seen, trouble } = sources;
  const { status = {} } = cell;
  // When the step ends, and a window opens, stands in its place.
  const next = nextOf(cell, now)
    ?.replace(/^next: /, '')
    .replace(/, (at|not before) .*/s, '');
  return {
    row,
    isDeleted: false,
    facts: factsOf(cell, asked.is === 'Unknown' ? asked.why : undefined),
    groups: row.weights.map((weight) => groupOf(weight, sources, groups)),
    chart: chartOf({ cell, told, seen, trouble, now }),
    steps: stepsIn(cell),
    gates: gatesOf(sources, now),
    verdicts: sources.verdicts,
    ...approvalOf(status),
    applications: applicationsOf(status),
    clusters: status.clusters ?? [],
    blocked: status.blockedVersions ?? [],
    rejected: (status.rejectedTargetGroups ?? []).map(({ message }) => inOneLine(message)),
    requests: (status.requests ?? []).toReversed(),
    history: (status.history ?? []).map((change) => ({ ...change, tone: toneOfOutcome(change.outcome) })),
    events: eventsOf(sources.events),
    ...given({ next, url: sources.url }),
    offers: sources.offers,
    seen: seenOf(cell),
  };
}

type Fact = CellPage['facts'][number];

function factsOf(cell: Cell, unreadable: string | undefined): readonly Fact[] {
  const { metadata, spec, status = {} } = cell;
  const facts: readonly (readonly [name: string, text: string | undefined, time?: string | undefined])[] = [
    ['Reason', status.reason],
    ['Targets', unhealthyTargets(status)],
    ['Pinned to', spec.version],
    ['Change cause', metadata.annotations?.[CHANGE_CAUSE]],
    ['Rollout started', status.rollout === undefined ? undefined : '', status.rollout?.startedAt],
    ['Load balancer', routeText(spec)],
    ['Spec', unobservedSpec(cell)],
    ['Desired weights', unreadable === undefined ? undefined : `cannot be read: ${unreadable}`],
    ['Last sync', status.lastSyncTime === undefined ? undefined : '', status.lastSyncTime],
  ];
  return facts.flatMap(([name, text, time]) =>
    text === undefined ? [] : [{ name, text: inOneLine(text), ...given({ time }) }],
  );
}

function groupOf(
  weight: CellRow['weights'][number],
  { cell, asked }: KnownCell,
  groups: ReadonlyMap<string, AWSTargetGroup>,
): GroupView {
  const served = cell.status?.targetGroups?.find(({ name }) => name === weight.name);
  const health = healthOf(served, groups.get(weight.name));
  return { ...weight, note: inOneLine(weightNotes(asked, weight.asked, served)), ...given({ health }) };
}

/** Says how many targets of a group are healthy, and what AWS or a Cell has against it. */
export function healthOf(
  served: NonNullable<CellStatus['targetGroups']>[number] | undefined,
  group: Pick<AWSTargetGroup, 'status'> | undefined,
): HealthView | undefined {
  const ready = group?.status?.conditions?.find(({ type }) => type === 'Ready');
  const counts = healthText(served);
  const text = counts === undefined ? undefined : `${counts} healthy`;
  if (ready?.status === 'False')
    return { tone: 'Bad', text: text ?? 'not ready', problem: inOneLine(ready.message) };
  if (text === undefined) return undefined;
  const { healthyTargets = 0, targets = healthyTargets } = served ?? {};
  return { tone: healthyTargets === 0 ? 'Bad' : healthyTargets < targets ? 'Held' : 'Good', text };
}

function stepsIn({ spec, status = {} }: Cell): readonly StepView[] {
  const steps = describeSteps(spec);
  if (steps.length === 0) return [];
  const index = status.rollout === undefined ? undefined : (status.currentStepIndex ?? 0);
  const stands = (at: number): StepView['stands'] =>
    index === undefined || at > index ? 'Ahead' : at < index ? 'Done' : 'Current';
  const { stepStartedAt, stepEndsAt } = status.rollout ?? {};
  const times = given({ since: stepStartedAt, endsAt: stepEndsAt });
  return [...steps, 'all traffic'].map((text, at) => ({
    text,
    stands: stands(at),
    ...(stands(at) === 'Current' ? times : {}),
  }));
}

function applicationsOf(status: CellStatus): CellPage['applications'] {
  const { rows } = applicationsTable(status);
  return (status.applications ?? []).map(({ name, phase, message, failed, child }, at) => ({
    name,
    phase,
    tone: failed === undefined ? toneOfPhase(phase) : 'Bad',
    message: inOneLine(failed?.message ?? message ?? ''),
    checks: rows[at]?.[4] ?? '',
    ...given({ child: child?.name }),
  }));
}

function approvalOf({ approval }: CellStatus): Pick<CellPage, 'approval'> {
  if (approval === undefined) return {};
  const { message, approvals = [] } = approval;
  const text = approvalText(approval);
  return { approval: { text, ...(message === undefined ? {} : { message: inOneLine(message) }), approvals } };
}

const MOST_EVENTS = 20;

function eventsOf(events: readonly ShownEvent[]): readonly EventView[] {
  return lastOf(events, MOST_EVENTS)
    .toReversed()
    .map((event) => ({
      time: timeOf(event),
      type: event.type ?? '',
      reason: event.reason ?? '',
      note: inOneLine(event.note ?? ''),
    }));
}

/** Says what can hold the rollouts of a Cell from outside, and what holds them now. */
function gatesOf(
  { cell, freezes }: { readonly cell: Cell; readonly freezes: readonly Freezing[] },
  now: number,
): readonly GateView[] {
  const { spec, status = {} } = cell;
  const freeze = freezeAt(freezes, now);
  const paused = status.rollout?.paused ?? status.paused;
  const unready = unreadyClusters(cell);
  return [
    freeze === undefined
      ? gate('Freeze', false, 'none')
      : gate('Freeze', true, `${freeze.name} by ${freeze.by}: ${freeze.reason}`, freeze.until),
    windowOf(cell, now),
    paused === undefined
      ? gate('Pause', false, 'not paused')
      : gate('Pause', true, `by ${paused.by}${paused.reason === '' ? '' : `: ${paused.reason}`}`),
    ...(spec.ingress === undefined
      ? [
          gate(
            'Clusters',
            unready.length > 0,
            unready.length === 0 ? 'all ready' : `not ready: ${unready.join(', ')}`,
          ),
        ]
      : [
          ...heldElsewhere(status),
          gate(
            'Health',
            status.reason === 'WaitingForHealth' || status.reason === 'UnhealthyTargets',
            `at least ${spec.minHealthyTargets} healthy in each target group that gains weight`,
          ),
        ]),
  ];
}

const gate = (name: string, holds: boolean, text: string, until?: number): GateView => ({
  name,
  holds,
  text: inOneLine(text),
  ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
});

/** The gates that a Cell shows only while they hold, by the reason that says so. */
const elsewhere: Readonly<Record<string, string>> = {
  WaitingForClusters: 'Clusters',
  WaitingForApplication: 'Applications',
};

function heldElsewhere({ reason = '', message = '' }: CellStatus): readonly GateView[] {
  const name = elsewhere[reason];
  return name === undefined ? [] : [gate(name, true, message)];
}

function windowOf({ spec }: Cell, now: number): GateView {
  if (spec.windows === undefined) return gate('Window', false, 'none: always open');
  const opening = openingAt(spec.windows, now);
  if (opening.is === 'Open') return gate('Window', false, 'open');
  return opening.opensAt === undefined
    ? gate('Window', true, 'closed, and does not open within 400 days')
    : gate('Window', true, 'closed; opens', opening.opensAt);
}
