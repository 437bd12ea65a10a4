import { decideBy, type Rules } from '../rules.ts';
import type { ApplicationsSpec, CellStatus } from '../../crds/cell.ts';
import { holdOfFreeze, type ClosedGate, type Freezing } from '../gates/freeze.ts';
import { holdOfWindows } from '../gates/windows.ts';
import type { Hold } from './situation.ts';

/** The reason of what waits for an application before it. */
export const BEHIND = 'WaitingForApplication';

/** What may hold an application. */
export interface Gates {
  readonly spec: Pick<ApplicationsSpec, 'windows'>;
  readonly paused: CellStatus['paused'];
  /** What clusters that are not ready hold. */
  readonly clusters: Hold | undefined;
  readonly freezes: readonly Freezing[];
  /** The application before it that is not in place. */
  readonly ahead: string | undefined;
  readonly now: number;
}

/** What holds an application, in their order: the first speaks for all. Nothing holds what goes back. */
export const holdRules: Rules<[gates: Gates], Hold> = [
  ['A pause', ({ paused }) => holdOfPause(paused)],
  ['A cluster that is not ready', ({ clusters }) => clusters],
  [
    'A Freeze',
    ({ freezes, now }) => waiting({ reason: 'WaitingForFreeze', gate: holdOfFreeze(freezes, now) }),
  ],
  [
    'A closed window',
    ({ spec, now }) => waiting({ reason: 'WaitingForWindow', gate: holdOfWindows(spec.windows, now) }),
  ],
  [
    'An earlier application that is not in place',
    ({ ahead }) =>
      waiting({
        reason: BEHIND,
        gate: ahead === undefined ? undefined : { message: `Waiting for application ${ahead}.` },
      }),
  ],
];

/** Says what holds an application; undefined when nothing does. */
export const holdOf = (gates: Gates): Hold | undefined => decideBy(holdRules, gates);

const waiting = ({
  reason,
  gate,
}: {
  readonly reason: string;
  readonly gate: ClosedGate | undefined;
}): Hold | undefined => gate && { kind: 'Waiting', reason, ...gate };

/** Says who holds everything by a pause. */
export function holdOfPause(paused: CellStatus['paused']): Hold | undefined {
  if (paused === undefined) return undefined;
  const said = paused.reason === '' ? '' : ` ${paused.reason}`;
  return { kind: 'Paused', reason: 'Paused', message: `Paused by ${paused.by}.${said}` };
}
