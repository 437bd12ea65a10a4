import { randomBytes } from 'node:crypto';
import { Argument, Option, type Command } from 'commander';
import { ANALYSIS_RUN } from '../../clients/kubernetes/kinds.ts';
import { isNotFound } from '../../clients/kubernetes/kubernetes.ts';
import { exitCodes, failed } from './exit.ts';
import { endOf, isOver, PHASES, phaseCalled } from './analysis-end.ts';
import type { AnalysisRun } from './new-analysis-run.ts';
import { asYaml, forPrograms, outputOption, shown, type OutputFormat } from './output.ts';
import { withAnalysisOptions, type AnalysisOptions } from './analysis-options.ts';
import type { Globals, Session, Shell } from './shell.ts';

interface CreateOptions extends AnalysisOptions {
  readonly dryRun?: boolean;
  readonly output?: OutputFormat;
}

/** What is around a command that makes AnalysisRuns. */
export interface AnalysisShell extends Pick<Shell, 'print' | 'warn' | 'now' | 'signal' | 'exitWith'> {
  readonly session: (globals: Globals) => Pick<Session, 'kubernetes' | 'namespace'>;
}

/** Adds `create analysisrun`. */
export function addCreate(program: Command, shell: Shell): void {
  const create = program.command('create').description('Creates an object.');
  addCreateAnalysisRun(create, shell).option('--dry-run', 'only show what would be created');
}

/** Adds `analysisrun` to a command that creates; with `--dry-run` it only shows. */
export function addCreateAnalysisRun(create: Command, shell: AnalysisShell): Command {
  return withAnalysisOptions(
    create
      .command('analysisrun')
      .description('Creates an AnalysisRun from AnalysisTemplates with arguments, and shows it.')
      .argument('[name]', 'the name of the AnalysisRun; default: the template and five letters'),
  )
    .addOption(outputOption())
    .action(async (name: string | undefined, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<CreateOptions>();
      const session = shell.session(options);
      const [template = 'analysis'] = [
        ...(options.templateName ?? []),
        ...(options.clusterTemplateName ?? []),
      ];
      const run = await made(
        shell,
        session,
        name ?? `${template}-${randomBytes(3).toString('hex').slice(0, 5)}`,
        options,
      );
      const object = options.dryRun === true ? run : await session.kubernetes.create(run);
      shell.print(forPrograms(shown(object), options.output) ?? asYaml(shown(object)));
    });
}

async function made(
  shell: AnalysisShell,
  session: ReturnType<AnalysisShell['session']>,
  name: string,
  options: AnalysisOptions,
): Promise<AnalysisRun> {
  const { newAnalysisRun } = await import('./new-analysis-run.ts');
  const of = { namespace: session.namespace, name, now: shell.now() };
  return newAnalysisRun(session.kubernetes, of, options);
}

/** Adds `update analysisrun`. */
export function addUpdate(program: Command, shell: Shell): void {
  const update = program.command('update').description('Changes an object.');
  update
    .command('analysisrun')
    .description('Sets the phase of an AnalysisRun, as the judgement of a person.')
    .argument('<name>', 'the name of the AnalysisRun')
    .addOption(
      new Option('--phase <phase>', `one of ${PHASES.join(', ')}; case does not matter`).default(
        'Successful',
      ),
    )
    .option('--message <text>', 'the reason, for the status')
    .action(async (name: string, _options: unknown, command: Command) => {
      const { phase, message, ...globals } = command.optsWithGlobals<
        Globals & { readonly phase: string; readonly message?: string }
      >();
      const wanted = phaseCalled(phase);
      const session = shell.session(globals);
      const by = await session.whoAmI();
      const status = { phase: wanted, message: message ?? `Judged by ${by}.` };
      await setStatus(session, name, status);
      shell.print(`AnalysisRun ${session.namespace}/${name} is ${wanted}.`);
    });
}

/** Argo Rollouts may or may not have the status apart, by its version. */
async function setStatus({ kubernetes, namespace }: Session, name: string, status: object): Promise<void> {
  const key = { namespace, name };
  const run = await kubernetes.get<AnalysisRun>(ANALYSIS_RUN, key);
  if (run === undefined) throw failed(`Expected AnalysisRun ${namespace}/${name}, got none.`);
  if (isOver(run))
    throw failed(
      `Expected an AnalysisRun that measures, got one that is ${run.status?.phase ?? ''} already.`,
    );
  try {
    await kubernetes.patch(ANALYSIS_RUN, key, { status }, { subresource: 'status' });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await kubernetes.patch(ANALYSIS_RUN, key, { status });
  }
}

/** Adds `run analysis`. */
export function addRun(program: Command, shell: AnalysisShell): void {
  const run = program.command('run').description('Does something once.');
  withAnalysisOptions(
    run
      .command('analysis')
      .description(
        'Creates an AnalysisRun, and with --wait waits for its verdict: status 0 when it is successful, otherwise 1.',
      )
      .addArgument(new Argument('<name>', 'the name of the AnalysisRun')),
  )
    .option('--wait', 'wait for the verdict')
    .action(async (name: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<
        AnalysisOptions & { readonly wait?: boolean; readonly dryRun?: boolean }
      >();
      const session = shell.session(options);
      const object = await made(shell, session, name, options);
      if (options.dryRun === true) return shell.print(asYaml(object));
      await session.kubernetes.create(object);
      if (options.wait !== true) return shell.print(`AnalysisRun ${session.namespace}/${name} is made.`);
      const { untilHolds } = await import('./until-holds.ts');
      const key = { namespace: session.namespace, name };
      const over = await untilHolds<AnalysisRun>(session.kubernetes, { kind: ANALYSIS_RUN, key }, isOver, {
        signal: shell.signal,
        trouble: (why) =>
          shell.warn(
            why === undefined
              ? `AnalysisRun ${session.namespace}/${name} is watched again.`
              : `AnalysisRun ${session.namespace}/${name} cannot be watched, which is tried again: ${why}`,
          ),
      });
      if (over === undefined)
        throw failed(`AnalysisRun ${session.namespace}/${name} was deleted before it had come to a verdict.`);
      const { isGood, message, said } = endOf(over);
      shell.print(message);
      for (const line of said) shell.warn(line);
      if (!isGood) shell.exitWith(exitCodes.failure);
    });
}
