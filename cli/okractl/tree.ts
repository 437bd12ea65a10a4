import type { Cell, CellStatus } from '../../crds/cell.ts';
import { openingAt } from '../../domain/gates/windows.ts';
import { describeSteps } from '../../domain/steps/plan.ts';
import { asLine, inOneLine } from '../terminal-text.ts';
import { applicationsTable, linesIn, stepLines, verdictLines, weightsTable } from './describe-cell.ts';
import { stagesTable } from './describe.ts';
import { requestText } from './history.ts';
import { formatDuration, formatTime, layOut } from './output.ts';
import { heldFreezes, inOrder, type Watched } from './watched.ts';

/** Draws all that is watched as trees: Freezes first, then each rollout, then what is at rest in a line each. */
export function draw(watched: Watched, now: number): readonly string[] {
  const troubles = [...watched.troubles].map(([what, why]) => inOneLine(`! ${what} may be stale: ${why}`));
  const held = heldFreezes(watched, now).map(({ name, by, reason, until, namespaces }) => {
    const about = namespaces?.join(', ') ?? 'all namespaces';
    const end = until === undefined ? '' : `, until ${formatTime(new Date(until).toISOString(), now) ?? ''}`;
    return inOneLine(`Freeze ${name} by ${by} holds ${about}: ${reason}${end}`);
  });
  const cells = inOrder(watched.cells);
  const moving = cells.filter(([, { status }]) => isMoving(status) || watched.cells.size === 1);
  const resting = cells.filter((one) => !moving.includes(one));
  const policies = inOrder(watched.policies).map(([, policy]) => policy);
  const parts = [
    [...troubles, ...held],
    ...moving.map(([key, cell]) => linesOf(branchOf(key, cell, watched, now))),
    ...policies.map((policy) => linesOf(branchOfPolicy(policy, now))),
    resting.map(([key, cell]) => headOf(key, cell, now)),
  ].filter((part) => part.length > 0);
  if (parts.length === 0) return ['Nothing to watch yet.'];
  return parts.flatMap((part, at) => (at === 0 ? part : ['', ...part]));
}

/** Whether a Cell has a rollout, or applications that are not all in place. */
const isMoving = (status: CellStatus | undefined): boolean =>
  status?.rollout !== undefined || (status?.applications ?? []).some(({ phase }) => phase !== 'Synced');

function headOf(key: string, { status = {}, metadata }: Cell, now: number): string {
  const { phase = 'Pending', rollout, stableVersion = '-', desiredVersion = '-', message = '' } = status;
  if (metadata.deletionTimestamp !== undefined) return `${key}  is being deleted`;
  if (rollout === undefined) return inOneLine(`${key}  ${phase}  ${message}`);
  const since = formatDuration(now - Date.parse(rollout.startedAt));
  return inOneLine(`${key}  ${phase}  ${stableVersion} → ${desiredVersion}  for ${since}`);
}

// oxlint-disable-next-line max-params -- a Cell by its key, in what is around it, at a time
function branchOf(key: string, cell: Cell, { asked }: Watched, now: number): Branch {
  const { status = {} } = cell;
  const { message, requests = [] } = status;
  const group = (text: string, below: readonly string[]): Branch | undefined =>
    below.length === 0 ? undefined : { text, below };
  return {
    text: headOf(key, cell, now),
    below: [
      status.rollout && message && inOneLine(message),
      group('applications', linesIn(applicationsTable(status))),
      group('weights', linesIn(weightsTable({ cell, asked: asked.get(key) ?? { is: 'Nothing' } }))),
      group('steps', stepLines(cell, now)),
      ...verdictLines(status),
      group('requests', requestLines(requests, now)),
      nextOf(cell, now),
    ],
  };
}

const requestLines = (requests: NonNullable<CellStatus['requests']>, now: number): readonly string[] =>
  requests.map((request) => `${inOneLine(requestText(request))}, ${formatTime(request.time, now) ?? ''}`);

/** Says what comes after the present step, and when, as far as that is known. */
export function nextOf(
  { spec, status = {} }: Pick<Cell, 'spec' | 'status'>,
  now: number,
): string | undefined {
  const { rollout, currentStepIndex = 0 } = status;
  if (rollout === undefined) return undefined;
  if (rollout.ending !== undefined)
    return `next: all traffic back on ${status.stableVersion ?? 'the stable version'}`;
  const steps = describeSteps(spec);
  const what = steps[currentStepIndex + 1] ?? 'all traffic';
  if (currentStepIndex < steps.length) return `next: ${what}${whenOf(spec.windows, rollout, now)}`;
  const end = formatTime(rollout.stepEndsAt, now);
  return end === undefined ? undefined : `next: the rollout ends, at ${end}`;
}

/** When the present step is over, or a window opens after that, as far as that is known. */
function whenOf(
  windows: Cell['spec']['windows'],
  { stepEndsAt, paused }: NonNullable<CellStatus['rollout']>,
  now: number,
): string {
  const endsAt = stepEndsAt === undefined ? now : Date.parse(stepEndsAt);
  const opening = openingAt(windows, Math.max(now, endsAt));
  const text = (at: number): string => formatTime(new Date(at).toISOString(), now) ?? '';
  if (opening.is !== 'Open')
    return `, not before ${opening.opensAt === undefined ? 'a window opens' : text(opening.opensAt)}`;
  return endsAt > now && paused === undefined ? `, at ${text(endsAt)}` : '';
}

function branchOfPolicy(
  policy: Parameters<typeof stagesTable>[0] & { metadata: { name: string } },
  now: number,
): Branch {
  const { phase = 'Pending', message = '', requests = [] } = policy.status ?? {};
  return {
    text: inOneLine(`sbp/${policy.metadata.name}  ${phase}  ${message}`),
    below: [...layOut(stagesTable(policy, now)).split('\n'), ...requestLines(requests.slice(-3), now)],
  };
}

/** A line, with what belongs to it. */
export type Branch = string | { readonly text: string; readonly below: readonly (Branch | undefined)[] };

export function linesOf(branch: Branch): readonly string[] {
  if (typeof branch === 'string') return [asLine(branch)];
  const below = branch.below.filter((one) => one !== undefined);
  return [
    asLine(branch.text),
    ...below.flatMap((one, at) => {
      const [first = '', ...others] = linesOf(one);
      const [corner, edge] = at === below.length - 1 ? ['└─ ', '   '] : ['├─ ', '│  '];
      return [corner + first, ...others.map((line) => edge + line)];
    }),
  ];
}
