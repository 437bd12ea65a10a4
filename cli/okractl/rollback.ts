import type { Command } from 'commander';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Cell } from '../../crds/cell.ts';
import { AWS_TARGET_GROUP, CELL } from '../../clients/kubernetes/kinds.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import { readAsServed, selectTargetGroups } from '../../domain/versions/watched.ts';
import { mustBeLet } from './allowed.ts';
import { failed, refused } from './exit.ts';
import { REASON } from './requests.ts';
import { refusalToRollBack, rollbackPatch, unpinning, whyBySteps } from './rollback-patch.ts';
import { send } from './send.ts';
import type { Globals, Session, Shell } from './shell.ts';
import { formatTarget, parseTarget, TARGET_HELP } from './target.ts';

interface RollbackOptions extends Globals {
  readonly to: string;
  readonly reason?: string;
}

/** Adds `rollback`. */
export function addRollback(program: Command, shell: Shell): void {
  program
    .command('rollback')
    .description(
      'Pins a Cell to an older version, which is swapped in at once, or step by step after rollbackWindow; takes a StagedBindingPolicy back to a stage.',
    )
    .argument('<name>', TARGET_HELP)
    .requiredOption('--to <version>', 'the version of the Cell, or the stage of the StagedBindingPolicy')
    .option(...REASON)
    .action(async (text: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<RollbackOptions>();
      const session = shell.session(options);
      const target = parseTarget(text, session.namespace);
      const { to, reason = '' } = options;
      if (target.kind === 'StagedBindingPolicy')
        return send(shell, session, { target, name: 'abort', reason, to });
      await rollBack(shell, session, target.key, { to, reason });
    });
}

async function rollBack(
  shell: Shell,
  session: Session,
  key: ObjectKey,
  { to, reason }: { readonly to: string; readonly reason: string },
): Promise<void> {
  const { kubernetes, whoAmI } = session;
  await mustBeLet(session, { verb: 'patch', kind: CELL, key });
  const [cell, groups, by] = await Promise.all([
    kubernetes.get<Cell>(CELL, key),
    kubernetes.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace: key.namespace }),
    whoAmI(),
  ]);
  if (cell === undefined) throw failed(`Expected ${formatTarget({ kind: 'Cell', key })}, got none.`);
  const readable = readAsServed(groups, cell.status?.targetGroups ?? []);
  const refusal = refusalToRollBack(cell, selectTargetGroups(cell.spec, readable), to);
  if (refusal !== undefined) throw refused(refusal);
  await kubernetes.patch(CELL, key, rollbackPatch({ to, by, reason }));
  const bySteps = whyBySteps(cell, to, shell.now());
  for (const line of outcomeOf(key, to, bySteps)) shell.print(line);
}

/** What comes of the pin, and how it is removed. */
function outcomeOf(key: ObjectKey, to: string, bySteps: string | undefined): string[] {
  const { namespace, name } = key;
  const pinned = `Cell ${namespace}/${name} is pinned to ${to}, which`;
  return [
    ...(bySteps === undefined
      ? [`${pinned} gets everything at once, as far as its targets are healthy.`]
      : [
          `${pinned} takes its steps like a new version, and nothing is swapped at once: ${bySteps}.`,
          `To give it everything at once, as soon as its rollout has begun: okractl promote ${name} --full --of ${to} -n ${namespace}`,
        ]),
    `No newer version is rolled out until it is not pinned any more: ${unpinning(key)}`,
  ];
}
