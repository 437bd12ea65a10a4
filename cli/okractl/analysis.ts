import { randomBytes } from 'node:crypto';
import { type Command, Option } from 'commander';
import type { TemplateReference } from '../../activities/rollout/analysis-templates.ts';
import { type Sleep, sleep, type Waiting } from '../../clients/backoff.ts';
import { ANALYSIS_RUN } from '../../clients/kubernetes/kinds.ts';
import {
  type Identified,
  isForbidden,
  isNotFound,
  type KubernetesClient,
} from '../../clients/kubernetes/kubernetes.ts';
import type { Metadata } from '../../crds/resource.ts';
import { formatKey, type ObjectKey } from '../../domain/model/ids.ts';
import type { AnalysisArgument } from '../../domain/rollout/measure/analysis-arguments.ts';
import { buildAnalysisRun, type NamedTemplate } from '../../domain/rollout/measure/analysis-run.ts';
import { verdictFrom } from '../../domain/rollout/measure/analysis.ts';
import { inOneLine } from '../terminal-text.ts';
import { repeated } from './manifests.ts';
import { asYaml, forPrograms, outputOption, shown } from './output.ts';
import { badUsage, exitCodes, failed, refused, type Globals, type Session, type Shell } from './shell.ts';
import { mustWaitFor, timeoutOption, within } from './timeout.ts';
import { messageOf } from '../../domain/text.ts';
import type { Options } from './options.ts';

interface AnalysisShell extends Pick<Shell, 'print' | 'warn' | 'now' | 'signal' | 'exitWith'> {
  readonly session: (globals: Globals) => Pick<Session, 'kubernetes' | 'namespace'>;
}

export function addCreate(program: Command, shell: Shell): void {
  const create = program.command('create').description('Creates an AnalysisRun.');
  addCreateAnalysisRun(create, shell).option('--dry-run', 'create nothing; print what would be created');
}

/** Adds `analysisrun` to a command that creates; with `--dry-run` it only shows. */
export function addCreateAnalysisRun(create: Command, shell: AnalysisShell): Command {
  return withAnalysisOptions(
    create
      .command('analysisrun')
      .description('Creates an AnalysisRun from AnalysisTemplates, and prints it.')
      .argument('[name]', 'the name of the AnalysisRun; default: the template and five letters'),
  )
    .addOption(outputOption())
    .action(async (options: Options, name: string | undefined) => {
      const session = shell.session(options);
      const template = options.templateName?.[0] ?? options.clusterTemplateName?.[0] ?? 'analysis';
      const given = name ?? `${template}-${randomBytes(3).toString('hex').slice(0, 5)}`;
      const run = await newAnalysisRun(session, given, options, shell.now());
      const object = shown(options.dryRun === true ? run : await session.kubernetes.create(run));
      shell.print(forPrograms(object, options.output) ?? asYaml(object));
    });
}

export function addUpdate(program: Command, shell: Shell): void {
  const update = program.command('update').description('Ends an AnalysisRun with a result of your own.');
  update
    .command('analysisrun')
    .description('Ends a running AnalysisRun with a result of your own.')
    .argument('<name>', 'the name of the AnalysisRun')
    .addOption(
      new Option('--phase <phase>', `one of ${PHASES.join(', ')}; case does not matter`).default(
        'Successful',
      ),
    )
    .option('--message <text>', 'the reason, shown in the status')
    .action(async (options: Options<'phase'>, name: string) => {
      const phase = PHASES.find((one) => one.toLowerCase() === options.phase.toLowerCase());
      if (phase === undefined)
        throw badUsage(
          `invalid --phase ${JSON.stringify(options.phase)}: must be one of ${PHASES.join(', ')}`,
        );
      const session = shell.session(options);
      const by = await session.whoAmI();
      await setStatus(session, name, { phase, message: options.message ?? `Set by ${by}.` });
      shell.print(`AnalysisRun ${session.namespace}/${name} set to ${phase}.`);
    });
}

/** Argo Rollouts may or may not have the status apart, by its version. */
async function setStatus({ kubernetes, namespace }: Session, name: string, status: object): Promise<void> {
  const key = { namespace, name };
  const run = await kubernetes.get<AnalysisRun>(ANALYSIS_RUN, key);
  const problem = run === undefined ? 'not found' : `has already ended (${run.status?.phase ?? ''})`;
  if (run === undefined || isOver(run)) throw failed(`AnalysisRun ${namespace}/${name} ${problem}.`);
  try {
    await kubernetes.patch(ANALYSIS_RUN, key, { status }, { subresource: 'status' });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await kubernetes.patch(ANALYSIS_RUN, key, { status });
  }
}

export function addRun(program: Command, shell: AnalysisShell): void {
  const run = program.command('run').description('Runs an analysis by hand.');
  withAnalysisOptions(
    run
      .command('analysis')
      .description(
        'Creates an AnalysisRun from AnalysisTemplates, and with --wait waits for its result: status 0 when it is successful, otherwise 1.',
      )
      .argument('<name>', 'the name of the AnalysisRun'),
  )
    .option('--wait', 'wait for the result')
    .addOption(timeoutOption())
    .action(async (options: Options, name: string) => {
      mustWaitFor(options.timeout, options.wait === true, '--wait');
      const session = shell.session(options);
      const object = await newAnalysisRun(session, name, options, shell.now());
      if (options.dryRun === true) return shell.print(asYaml(object));
      await session.kubernetes.create(object);
      const key = { namespace: session.namespace, name };
      const what = `AnalysisRun ${formatKey(key)}`;
      if (options.wait !== true) return shell.print(`${what} created.`);
      const trouble: Waiting = (why) =>
        shell.warn(
          inOneLine(why === undefined ? `Reading ${what} again.` : `cannot read ${what}, retrying: ${why}`),
        );
      const over = await within(shell, { timeout: options.timeout, what }, (signal) =>
        untilOver(session.kubernetes, key, { signal, trouble }),
      );
      if (over === undefined) throw failed(`${what} was deleted before it ended.`);
      const { isGood, message, said } = endOf(over);
      shell.print(message);
      for (const line of said) shell.warn(line);
      if (!isGood) shell.exitWith(exitCodes.failure);
    });
}

const BETWEEN_READS_MS = 2_000;

/** Reads an AnalysisRun until it has ended; undefined when it is deleted before. Throws where it may not be read. */
export async function untilOver(
  kubernetes: Pick<KubernetesClient, 'get'>,
  key: ObjectKey,
  { signal, trouble, wait = sleep }: { signal: AbortSignal; trouble: Waiting; wait?: Sleep },
): Promise<AnalysisRun | undefined> {
  let wasRead = false;
  for (let isTroubled = false; ; await wait(BETWEEN_READS_MS, signal)) {
    signal.throwIfAborted();
    try {
      const run = await kubernetes.get<AnalysisRun>(ANALYSIS_RUN, key, { signal });
      if (isTroubled) trouble(undefined);
      isTroubled = false;
      wasRead = true;
      if (run === undefined || isOver(run)) return run;
    } catch (error) {
      signal.throwIfAborted();
      // A role that is applied anew is missing for a moment.
      if (isForbidden(error) && !wasRead)
        throw refused(
          `AnalysisRun ${key.name} exists, but you may not read it: ${messageOf(error)}. Ask for a role with the verb get on analysisruns.`,
        );
      if (!isTroubled) trouble(messageOf(error));
      isTroubled = true;
    }
  }
}

interface AnalysisRun extends Identified {
  readonly metadata: Metadata;
  readonly spec?: object;
  readonly status?: {
    readonly phase?: string;
    readonly message?: string;
    readonly metricResults?: readonly {
      readonly name?: string;
      readonly phase?: string;
      readonly message?: string;
      readonly measurements?: readonly { readonly phase?: string; readonly message?: string }[];
    }[];
  };
}

/** The label that says when an AnalysisRun was made by a person: `20261122100000`. */
const TIMESTAMP_LABEL = 'okra.mumo.co/timestamp';

/** Makes an AnalysisRun of templates and arguments, as a rollout does; nothing is created yet. */
async function newAnalysisRun(
  { kubernetes, namespace }: Pick<Session, 'kubernetes' | 'namespace'>,
  name: string,
  options: Options,
  now: number,
): Promise<AnalysisRun> {
  const { templateName = [], clusterTemplateName = [], args = [], argsFromSecrets = [] } = options;
  const references: readonly TemplateReference[] = [
    ...templateName.map((one) => ({ templateName: one })),
    ...clusterTemplateName.map((one) => ({ templateName: one, clusterScope: true })),
  ];
  if (references.length === 0)
    throw badUsage('no AnalysisTemplate given. Name one with --template-name or --cluster-template-name.');
  const given = [...pairsIn(args, '--args', 'NAME=VALUE'), ...secretsIn(argsFromSecrets)];
  // What reads templates takes a while to load.
  const { readTemplates } = await import('../../activities/rollout/analysis-templates.ts');
  const templates = await readTemplates(kubernetes, namespace, references);
  refuseUnknown(given, templates);
  // There is no Cell whose fields an argument could take.
  const built = buildAnalysisRun(templates, {
    analysis: { args: [...given] },
    cell: {},
    mayBeEndless: false,
  });
  if (!built.ok) throw failed(built.problem);
  const timestamp = new Date(now).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '');
  return {
    apiVersion: ANALYSIS_RUN.apiVersion,
    kind: ANALYSIS_RUN.kind,
    metadata: { name, namespace, labels: { [TIMESTAMP_LABEL]: timestamp } },
    spec: built.spec,
  };
}

// A comma within a value is none between two arguments.
const BETWEEN = /,(?=[A-Za-z0-9._-]+=)/;

/** Reads `name=value,…`, as often as the option was given. */
const pairsIn = (texts: readonly string[], option: string, form: string) =>
  texts
    .flatMap((text) => text.split(BETWEEN))
    .map((pair) => {
      const equals = pair.indexOf('=');
      if (equals < 1) throw badUsage(`invalid ${option} ${JSON.stringify(pair)}: must be ${form}`);
      return { name: pair.slice(0, equals), value: pair.slice(equals + 1) };
    });

/** Reads `name=secret.key,…`, as often as the option was given; what is in the Secret is not read. */
const secretsIn = (texts: readonly string[]): readonly AnalysisArgument[] => {
  const [option, form] = ['--args-from-secrets', 'NAME=SECRET.KEY'];
  return pairsIn(texts, option, form).map(({ name, value }) => {
    const [, secret, key] = /^([^.]+)[.](.+)$/s.exec(value) ?? [];
    if (secret === undefined || key === undefined)
      throw badUsage(`invalid ${option} ${JSON.stringify(`${name}=${value}`)}: must be ${form}`);
    return { name, valueFrom: { secretKeyRef: { name: secret, key } } };
  });
};

/** Refuses an argument that no template declares: it is a slip, and would be passed on in silence. */
function refuseUnknown(given: readonly AnalysisArgument[], templates: readonly NamedTemplate[]): void {
  const declared = new Set(templates.flatMap(({ spec }) => (spec.args ?? []).map(({ name }) => name)));
  const unknown = given.find(({ name }) => !declared.has(name));
  if (unknown === undefined) return;
  const names = templates.map(({ name }) => name).join(', ');
  throw failed(
    `argument ${unknown.name} does not exist in analysisrun template ${names}. It has: ${[...declared].join(', ') || 'none'}.`,
  );
}

const withAnalysisOptions = (command: Command): Command =>
  command
    .option('--template-name <name>', 'an AnalysisTemplate in the namespace; may be repeated', repeated)
    .option('--cluster-template-name <name>', 'a ClusterAnalysisTemplate; may be repeated', repeated)
    .option('--args <name=value,…>', 'arguments for the templates; may be repeated', repeated)
    .option('--args-from-secrets <name=secret.key,…>', 'arguments from Secrets; may be repeated', repeated);

/** The phases in which an AnalysisRun measures no more. */
const PHASES = ['Successful', 'Failed', 'Error', 'Inconclusive'] as const;

export const isOver = ({ status }: Pick<AnalysisRun, 'status'>): boolean =>
  PHASES.some((phase) => phase === status?.phase);

/** How an AnalysisRun has ended: whether it is good, and what its last measurements have said otherwise. */
export function endOf({ metadata, status = {} }: Pick<AnalysisRun, 'metadata' | 'status'>) {
  const { metricResults = [] } = status;
  const { phase, message } = verdictFrom(metadata.name, status);
  const isGood = phase === 'Successful';
  const said = metricResults
    .filter((metric) => metric.phase !== 'Successful')
    .flatMap(({ name = 'metric', message: ofMetric, measurements = [] }) => {
      const last = measurements.at(-1)?.message ?? ofMetric;
      return last === undefined || last === '' ? [] : [inOneLine(`${name}: ${last}`)];
    });
  return {
    isGood,
    message: inOneLine(`AnalysisRun ${metadata.name} is ${phase}${message === '' ? '.' : `: ${message}`}`),
    said: isGood ? [] : said,
  };
}
