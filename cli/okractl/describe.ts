import type { Command } from 'commander';
import type { Cell } from '../../crds/cell.ts';
import type { Freeze } from '../../crds/freeze.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { CELL, EVENT, FREEZE, STAGED_BINDING_POLICY } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { temporalId } from '../../clients/temporal/workflow-id.ts';
import { freezesOf } from '../../domain/gates/freeze.ts';
import { routeOf, targetGroupsOf } from '../../domain/load-balancers/load-balancer.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import { objectWorkflowId } from '../../domain/model/workflow-ids.ts';
import type { Asked, ShownEvent } from './cell-view.ts';
import { describeCell } from './describe-cell.ts';
import { describeStaged } from './describe-staged.ts';
import { failed } from './exit.ts';
import type { Globals, Session, Shell } from './shell.ts';
import { formatTarget, parseTarget, TARGET_HELP, type Target } from './target.ts';
import { guessUi, workflowUrl } from './web-ui.ts';

/** Adds `describe`. */
export function addDescribe(program: Command, shell: Shell): void {
  program
    .command('describe')
    .description(
      'Shows the state of a rollout: versions, desired and served weights, steps, verdicts, what it waits for, and the requests of operators.',
    )
    .argument('<names...>', TARGET_HELP)
    .action(async (names: string[], _options: unknown, command: Command) => {
      const session = shell.session(command.optsWithGlobals<Globals>());
      for (const [at, name] of names.entries()) {
        if (at > 0) shell.print('');
        shell.print(await described(session, parseTarget(name, session.namespace), shell.now()));
      }
    });
}

async function described(session: Session, target: Target, now: number): Promise<string> {
  const { kubernetes } = session;
  const { key } = target;
  if (target.kind === 'StagedBindingPolicy') {
    const policy = await kubernetes.get<StagedBindingPolicy>(STAGED_BINDING_POLICY, key);
    if (policy === undefined)
      throw failed(`Expected ${formatTarget(target)}, got none. See okractl get sbp.`);
    const events = await eventsOf(kubernetes, target);
    return describeStaged({ policy, events, url: urlOf(session, target, undefined) }, now);
  }
  const cell = await kubernetes.get<Cell>(CELL, key);
  if (cell === undefined)
    throw failed(`Expected ${formatTarget(target)}, got none. See okractl get cells -A.`);
  const [asked, freezes, events] = await Promise.all([
    askedOf(kubernetes, cell, key),
    kubernetes.list<Freeze>(FREEZE).catch(() => []),
    eventsOf(kubernetes, target),
  ]);
  const url = urlOf(session, target, cell.status?.rollout?.runId);
  return describeCell({ cell, asked, freezes: freezesOf(key.namespace, freezes), events, url }, now);
}

/** What the person may not read is left out: the rest is worth showing all the same. */
async function eventsOf(kubernetes: KubernetesClient, { kind, key }: Target): Promise<readonly ShownEvent[]> {
  const fieldSelector = `regarding.kind=${kind},regarding.name=${key.name}`;
  return kubernetes
    .list<ShownEvent>(EVENT, { namespace: key.namespace || 'default', fieldSelector })
    .catch(() => []);
}

async function askedOf(kubernetes: KubernetesClient, { spec }: Cell, key: ObjectKey): Promise<Asked> {
  const route = routeOf(spec);
  if (route === undefined) return { is: 'Nothing' };
  try {
    // What load balancers are configured by takes a while to load.
    const { configViewOf, isApplied, readConfig } =
      await import('../../activities/load-balancers/config-object.ts');
    const ref = { type: route.type, key };
    const object = await readConfig(kubernetes, ref);
    if (object === undefined) return { is: 'Nothing' };
    const config = configViewOf(ref, object);
    return { is: 'Known', targetGroups: targetGroupsOf(config.desired), isApplied: isApplied(config) };
  } catch (error) {
    return { is: 'Unknown', why: error instanceof Error ? error.message : String(error) };
  }
}

function urlOf(
  { temporal, temporalUi }: Session,
  { kind, key }: Target,
  runId: string | undefined,
): string | undefined {
  const ui = temporalUi ?? guessUi(temporal.address);
  const workflowId = temporalId(objectWorkflowId(kind, key));
  return ui === undefined
    ? workflowId
    : workflowUrl(ui, { namespace: temporal.namespace, workflowId, runId });
}
