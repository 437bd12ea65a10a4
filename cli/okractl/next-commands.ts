import type { Cell } from '../../crds/cell.ts';

/** The commands that make sense for a Cell as it stands. */
export function commandsFor({ metadata, status = {} }: Pick<Cell, 'metadata' | 'status'>): readonly string[] {
  const { name, namespace } = metadata;
  const where = namespace === undefined || namespace === 'default' ? '' : ` -n ${namespace}`;
  const command = (verb: string): string => `okractl ${verb} ${name}${where}`;
  const { phase, rollout, blockedVersions = [], reason } = status;
  if (rollout === undefined)
    return blockedVersions.length === 0 ? [] : [`${command('retry')}  (lifts what is blocked)`];
  if (rollout.ending !== undefined) return [`${command('watch')}  (it is being taken back)`];
  const abort = `${command('abort')}  (everything back to ${status.stableVersion ?? 'what served'})`;
  if (rollout.paused !== undefined) return [`${command('resume')}  (ends the pause)`, abort];
  if (reason === 'WaitingForResume') return [`${command('resume')}  (ends the pause step)`, abort];
  if (phase === 'Paused') return [`${command('promote')}  (finishes the step without a verdict)`, abort];
  return [`${command('pause')}  (holds it where it is)`, abort, `${command('watch')}  (looks on)`];
}
