import type { Command } from 'commander';
import { AWS_TARGET_GROUP, CELL } from '../../clients/kubernetes/kinds.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Cell } from '../../crds/cell.ts';
import { controllerOf } from '../../domain/kubernetes/conditions.ts';
import { includes, MAX_TARGET_GROUPS } from '../../domain/load-balancers/weights.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import type { SelectedTargetGroup } from '../../domain/model/target-group.ts';
import { isOutsideRollbackWindow } from '../../domain/rollout/decide/version.ts';
import { servedUntil } from '../../domain/rollout/report/history.ts';
import {
  groupByVersion,
  isNewer,
  isSameVersion,
  parseVersion,
  type VersionSet,
} from '../../domain/versions/version.ts';
import { readAsServed, selectTargetGroups } from '../../domain/versions/watched.ts';
import { DRY_RUN, REASON, rehearse } from './requests.ts';
import { mustBeLet, send } from './send.ts';
import { refused, type Session, type Shell } from './shell.ts';
import { missing, parseTarget, TARGET_HELP } from './target.ts';
import type { Options } from './options.ts';

export function addRollback(program: Command, shell: Shell): void {
  program
    .command('rollback')
    .description(
      'Pins a Cell to an older version, which gets all traffic at once, or step by step after rollbackWindow. Rolls a StagedBindingPolicy back to a stage.',
    )
    .argument('<name>', TARGET_HELP)
    .requiredOption('--to <version>', 'the version of the Cell, or the stage of the StagedBindingPolicy')
    .option(...REASON)
    .option(...DRY_RUN)
    .action(async (options: Options<'to'>, text: string) => {
      const session = shell.session(options);
      const target = parseTarget(text, session.namespace);
      const { to, reason = '', dryRun = false } = options;
      if (target.kind === 'StagedBindingPolicy')
        return (dryRun ? rehearse : send)(shell, session, { target, name: 'abort', reason, to });
      await rollBack(shell, session, target.key, { to, reason, dryRun });
    });
}

async function rollBack(
  shell: Shell,
  session: Session,
  key: ObjectKey,
  { to, reason, dryRun }: Required<Pick<Options, 'to' | 'reason' | 'dryRun'>>,
): Promise<void> {
  const { kubernetes, whoAmI } = session;
  await mustBeLet(session, { verb: 'patch', kind: CELL, key });
  const [cell, groups, by] = await Promise.all([
    kubernetes.get<Cell>(CELL, key),
    kubernetes.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace: key.namespace }),
    whoAmI(),
  ]);
  if (cell === undefined) throw missing({ kind: 'Cell', key });
  const readable = readAsServed(groups, cell.status?.targetGroups ?? []);
  const refusal = refusalToRollBack(cell, selectTargetGroups(cell.spec, readable), to);
  if (refusal !== undefined) throw refused(refusal);
  // The pin, and who asked for it and why.
  const cause = `okractl rollback --to ${to} by ${by}${reason === '' ? '' : `: ${reason}`}`;
  const patch = { metadata: { annotations: { [CHANGE_CAUSE]: cause } }, spec: { version: to } };
  if (!dryRun) await kubernetes.patch(CELL, key, patch);
  const { namespace, name } = key;
  const [dry, would] = dryRun ? ['Dry run: ', 'would be '] : ['', ''];
  const pinned = `${dry}Cell ${namespace}/${name} ${would}pinned to ${to}, which`;
  const bySteps = whyBySteps(cell, to, shell.now());
  if (bySteps === undefined)
    shell.print(`${pinned} gets all traffic at once, as far as its targets are healthy.`);
  else {
    shell.print(`${pinned} is rolled out step by step, like a new version: ${bySteps}.`);
    shell.print(
      `To shift all traffic to it at once, when its rollout has begun: okractl promote ${name} --full --of ${to} -n ${namespace}`,
    );
  }
  shell.print(`No newer version is rolled out while the Cell is pinned. To unpin it: ${unpinning(key)}`);
}

/** The annotation by which kubectl, and those who read its output, know why an object was changed. */
export const CHANGE_CAUSE = 'kubernetes.io/change-cause';

function refusalToRollBack(
  cell: Cell,
  selected: readonly SelectedTargetGroup[],
  to: string,
): string | undefined {
  const { metadata, spec, status = {} } = cell;
  const parent = controllerOf(metadata);
  if (parent?.kind === 'Cell')
    return `cannot pin Cell ${metadata.name}: Cell ${parent.name} writes its version. To revert a running rollout: okractl abort ${parent.name}. After it has ended, apply the earlier spec of Cell ${parent.name}.`;
  if (spec.applications !== undefined)
    return `cannot pin Cell ${metadata.name}: a Cell with applications has no version of its own. To revert a running rollout: okractl abort ${metadata.name}. After it has ended, apply its earlier spec.`;
  const version = parseVersion(to);
  if (version === undefined) return `invalid --to ${JSON.stringify(to)}: must be a version such as 1.2.3`;
  const { stableVersion } = status;
  const { sets } = groupByVersion(selected);
  const groups = sets.find((set) => set.version === version)?.groups ?? [];
  if (groups.length < spec.replicas) {
    const others = sets.flatMap((set) =>
      set.groups.length >= spec.replicas && !(stableVersion && isNewer(set.version, stableVersion))
        ? set.version
        : [],
    );
    return `cannot roll back to ${version}: expected ${spec.replicas} target groups of it, got ${groups.length}. Versions with enough target groups: ${others.join(', ') || 'none'}.`;
  }
  if (stableVersion !== undefined && isNewer(version, stableVersion))
    return `cannot roll back to ${version}: it is newer than the stable version ${stableVersion}. To roll it out, set spec.version, or remove it.`;
  const serves = stableVersion !== undefined && isSameVersion(stableVersion, version);
  if (isPinnedTo(spec, version) && serves && status.rollout === undefined)
    return `nothing to do: the Cell already serves ${version} and is pinned to it.`;
  return refusedByRollout(cell, { version, groups }, selected);
}

const isPinnedTo = (spec: Cell['spec'], version: string): boolean =>
  spec.version !== undefined && isSameVersion(spec.version, version);

/** Why a rollout would do nothing about the version. */
function refusedByRollout(
  { metadata, spec, status = {} }: Cell,
  { version, groups }: VersionSet,
  selected: readonly SelectedTargetGroup[],
): string | undefined {
  const block = status.blockedVersions?.find((one) => isSameVersion(one.version, version));
  if (isPinnedTo(spec, version) && block?.pinned === true)
    return `cannot roll back to ${version}: it failed while the Cell was pinned to it: ${block.cause} To retry it: okractl retry ${metadata.name} -n ${metadata.namespace}`;
  const { stableVersion = version, targetGroups = [] } = status;
  // What serves of another version, as far as its AWSTargetGroups are there; what claims the version counts once.
  const others = targetGroups.filter(
    (group) =>
      !isSameVersion(stableVersion, version) &&
      group.role === 'Stable' &&
      includes(selected, group) &&
      !includes(groups, group),
  );
  const together = groups.length + others.length;
  if (together > MAX_TARGET_GROUPS)
    return `cannot roll back to ${version}: expected at most ${MAX_TARGET_GROUPS} target groups of ${status.stableVersion} and ${version} together, got ${together}. Remove some AWSTargetGroups, or register several clusters in one target group with an AWSTargetGroupBinding.`;
  return undefined;
}

/** Says why a version that a Cell is rolled back to takes its steps; undefined when it gets everything at once. */
function whyBySteps(
  { spec, status = {} }: Pick<Cell, 'spec' | 'status'>,
  to: string,
  now: number,
): string | undefined {
  const { stableVersion } = status;
  const goesLower = stableVersion !== undefined && isNewer(stableVersion, to);
  if (!goesLower || !isOutsideRollbackWindow(to, { spec, status }, now)) return undefined;
  const window = `spec.updateStrategy.rollbackWindow of ${spec.updateStrategy?.rollbackWindow?.duration ?? ''}`;
  const until = servedUntil(to, status.history);
  return until === undefined
    ? `its ${window} counts from when a version was replaced, and status.history does not show when this one was`
    : `its ${window} is over: the version was replaced at ${new Date(until).toISOString()}`;
}

export const unpinning = ({ namespace, name }: ObjectKey): string =>
  `kubectl patch cell ${name} -n ${namespace} --type=merge -p '{"spec":{"version":null}}'`;
