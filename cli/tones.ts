/** How something stands, in one word that has a colour of its own, and on a page a sign. */
export type Tone = 'Good' | 'Moving' | 'Held' | 'Bad' | 'Idle';

/** The phases of all kinds by their tones; one that is not there is moving. */
export const tones = {
  Good: ['Successful', 'Complete', 'Completed', 'Passed', 'Synced', 'Fulfilled'],
  Moving: ['Progressing'],
  Held: ['Inconclusive', 'Extended', 'Paused', 'Waiting'],
  Bad: [
    'Failed',
    'Error',
    'PrecheckFailed',
    'CheckFailed',
    'TimedOut',
    'Reverting',
    'Reverted',
    'RevertBlocked',
    'RollingBack',
    'RolledBack',
  ],
  Idle: ['Pending', 'Terminated'],
} as const satisfies Record<Tone, readonly string[]>;

const byPhase: ReadonlyMap<string, Tone> = new Map(
  (Object.keys(tones) as Tone[]).flatMap((tone) => tones[tone].map((phase): [string, Tone] => [phase, tone])),
);

/** Returns the tone of the phase of an object, or of a stage or an application. */
export const toneOfPhase = (phase: string): Tone => byPhase.get(phase) ?? 'Moving';
