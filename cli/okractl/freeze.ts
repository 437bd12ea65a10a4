import { given } from '../../domain/model/fields.ts';
import type { Command } from 'commander';
import { freeze as freezeKind, type Freeze, type FreezeSpec } from '../../crds/freeze.ts';
import { FREEZE } from '../../clients/kubernetes/kinds.ts';
import { parseDuration } from '../../domain/duration.ts';
import { mustConfirm, YES, badUsage, failed, type Shell } from './shell.ts';
import { DRY_RUN } from './requests.ts';
import { mustBeLet } from './send.ts';
import { messageOf } from '../../domain/text.ts';
import type { Options } from './options.ts';

export function addFreeze(program: Command, shell: Shell): void {
  program
    .command('freeze')
    .description(
      'Creates a Freeze, which holds the rollouts of a namespace, or of all namespaces, until it ends or is lifted. Rollbacks are not held.',
    )
    .argument('[name]', 'the name of the Freeze; default: a generated name')
    .requiredOption('--reason <text>', 'the reason, shown to everyone whose rollout is held')
    .option('--for <duration>', 'how long, such as 2h; default: until unfreeze')
    .option('--until <time>', 'until when, such as 2027-01-02T08:00:00Z')
    .option('-A, --all-namespaces', 'all namespaces, instead of the one of the context or --namespace')
    .option(...DRY_RUN)
    .action(async (options: Options<'reason'>, name: string | undefined) => {
      const session = shell.session(options);
      const { kubernetes, namespace, whoAmI } = session;
      const isLet = mustBeLet(session, { verb: 'create', kind: FREEZE, key: {} });
      const [by] = await Promise.all([whoAmI(), isLet]);
      const about = options.allNamespaces === true ? {} : { namespaces: [namespace] };
      const freeze = freezeOf(name, { by, ...about }, options, shell.now());
      if (options.dryRun === true) return shell.print(`Dry run: ${heldBy(freeze, 'would be created')}`);
      await kubernetes.create(freeze);
      shell.print(heldBy(freeze, 'created'));
    });
}

type NewFreeze = Pick<Freeze, 'apiVersion' | 'kind' | 'metadata' | 'spec'>;

function freezeOf(
  name: string | undefined,
  spec: Pick<FreezeSpec, 'by' | 'namespaces'>,
  options: Options<'reason'>,
  now: number,
): NewFreeze {
  const usual = `okractl-${new Date(now).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}`;
  const { apiVersion, kind } = freezeKind;
  const made = {
    apiVersion,
    kind,
    metadata: { name: name ?? usual },
    spec: { ...spec, reason: options.reason, ...given({ until: endOf(options, now) }) },
  };
  const parsed = freezeKind.parse(made);
  if (!parsed.ok) throw badUsage(parsed.problems.join(' '));
  const { until } = parsed.value;
  const option = options.for === undefined ? '--until' : '--for';
  if (until !== undefined && Date.parse(until) <= now)
    throw badUsage(
      `invalid ${option}: ${until} is in the past (now ${new Date(now).toISOString()}). Use a later time, or omit ${option} to freeze until okractl unfreeze.`,
    );
  return { ...made, spec: parsed.value };
}

function endOf(options: Options, now: number): string | undefined {
  const { for: lasting, until } = options;
  if (lasting === undefined) return until;
  if (until !== undefined) throw badUsage('--for and --until are mutually exclusive.');
  try {
    return new Date(now + parseDuration(lasting) * 1000).toISOString();
  } catch (error) {
    throw badUsage(`invalid --for: ${messageOf(error)}`);
  }
}

function heldBy({ metadata: { name }, spec: { namespaces, until } }: NewFreeze, what: string): string {
  const where = namespaces === undefined ? 'all namespaces' : `namespace ${namespaces.join(', ')}`;
  const end = until === undefined ? '' : ` until ${until}`;
  return `Freeze ${name} ${what}: it holds the rollouts of ${where}${end}. To lift it: okractl unfreeze ${name}`;
}

export function addUnfreeze(program: Command, shell: Shell): void {
  program
    .command('unfreeze')
    .description('Deletes Freezes, so that the rollouts that they hold continue.')
    .argument('[names...]', 'the names of the Freezes')
    .option('--all', 'all Freezes of the cluster')
    .option(...YES)
    .action(async (options: Options, names: string[]) => {
      const session = shell.session(options);
      const { kubernetes } = session;
      const there = (await kubernetes.list<Freeze>(FREEZE)).map(({ metadata }) => metadata.name);
      const lifted = chosen(names, there, options.all === true);
      // All or none of them: a refusal in the middle would leave nobody knowing what is held.
      await Promise.all(
        lifted.map((name) => mustBeLet(session, { verb: 'delete', kind: FREEZE, key: { name } })),
      );
      const question = `Lift all Freezes of the cluster (${lifted.join(', ')})?`;
      if (options.all === true && lifted.length > 0)
        await mustConfirm(shell, { command: 'unfreeze --all', question }, options.yes);
      for (const name of lifted) {
        await kubernetes.delete(FREEZE, { name });
        shell.print(`Freeze ${name} lifted.`);
      }
      if (lifted.length === 0) shell.print('No Freezes found.');
    });
}

/** Chooses the Freezes to lift among those that there are. */
function chosen(names: readonly string[], there: readonly string[], all: boolean): readonly string[] {
  const listed = there.join(', ') || 'none';
  if (all && names.length > 0) throw badUsage('names and --all are mutually exclusive.');
  if (all) return there;
  if (names.length === 0) throw badUsage(`name the Freezes to lift, or pass --all. Existing: ${listed}.`);
  const unknown = names.filter((name) => !there.includes(name));
  if (unknown.length > 0) throw failed(`Freeze ${unknown.join(', ')} not found. Existing: ${listed}.`);
  return names;
}
