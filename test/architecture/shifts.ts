import { shiftPurposes } from '../../domain/model/shift-purpose.ts';

type Rule = (typeof shiftPurposes)[keyof typeof shiftPurposes];

/** What the table says of what a write needs. */
export const texts: {
  readonly needs: Readonly<Record<Rule['needs'], string>>;
  readonly damping: Readonly<Record<Rule['damping'], string>>;
  readonly first: (isUrgent: boolean) => string;
} = {
  needs: {
    Healthy: 'each group that gains has `minHealthyTargets`',
    Registered: 'each group that joins has a registered target',
    Nothing: '–',
  },
  damping: { Counted: 'waits, and counts as one', Waits: 'waits', None: '–' },
  first: (isUrgent) => (isUrgent ? 'ELBv2' : 'the objects'),
};

const BACK_AND_FORTH = 'gates.md#when-weights-go-back-and-forth';

/** Writes the table of what each write of weights needs, by its purpose. */
export function writeShiftTable(): string {
  const rows = Object.entries(shiftPurposes).map(
    ([purpose, rule]) =>
      `| \`${purpose}\` | ${texts.needs[rule.needs]} | ${texts.first(rule.isUrgent)} | ${texts.damping[rule.damping]} |`,
  );
  return [
    `| purpose | what has to be true just before | written first | after changes that [undid one another](${BACK_AND_FORTH}) |`,
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}
