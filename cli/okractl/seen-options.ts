import { InvalidArgumentError, type Command } from 'commander';
import type { Seen } from '../../domain/model/seen.ts';
import type { StagedAim } from '../../domain/staged/state.ts';
import { badUsage } from './exit.ts';
import type { Target } from './target.ts';

/** What a person says that they have looked at. */
export interface SeenOptions {
  readonly of?: string | undefined;
  readonly step?: number | undefined;
  readonly stage?: string | undefined;
}

function stepIn(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected the number of a step, from 1, as okractl describe has it.');
}

/** Adds the options by which a request is refused that is not about what was looked at any more, as one that is sent twice. */
export const withSeenOptions = (command: Command): Command =>
  command
    .option('--of <version>', 'the version that you looked at; refused if another version is current by now')
    .option(
      '--step <number>',
      'the step that you looked at, from 1; refused if another step is current by now',
      stepIn,
    );

/** Adds the option that says the same of a StagedBindingPolicy, whose stages have names. */
export const withSeenStage = (command: Command): Command =>
  command.option(
    '--stage <name>',
    'the stage of a StagedBindingPolicy that you looked at; refused if another stage is current by now',
  );

/** What was looked at; throws where it is said of the other kind. */
export function seenBy({ of, step, stage }: SeenOptions, target: Target): Seen & Pick<StagedAim, 'stage'> {
  if (target.kind === 'Cell') {
    if (stage !== undefined)
      throw badUsage('Expected a StagedBindingPolicy with --stage, got a Cell. Use --of and --step.');
    return { ...(of === undefined ? {} : { version: of }), ...(step === undefined ? {} : { step }) };
  }
  if (of !== undefined || step !== undefined)
    throw badUsage('Expected a Cell with --of and --step, got a StagedBindingPolicy. Use --stage.');
  return stage === undefined ? {} : { stage };
}
