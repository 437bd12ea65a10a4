import type { Command } from 'commander';
import { CELL, EVENT, FREEZE, STAGED_BINDING_POLICY } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { temporalId } from '../../clients/temporal/workflow-start.ts';
import type { Cell } from '../../crds/cell.ts';
import type { Freeze } from '../../crds/freeze.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { freezesOf } from '../../domain/gates/freeze.ts';
import { routeOf, targetGroupsOf } from '../../domain/load-balancers/load-balancer.ts';
import { keyOf, type ObjectKey } from '../../domain/model/ids.ts';
import { fieldsIn, recordsIn, textIn } from '../../domain/model/fields.ts';
import { objectWorkflowId } from '../../domain/model/workflow-ids.ts';
import { inOneLine } from '../terminal-text.ts';
import {
  type Asked,
  describeCell,
  eventsTable,
  listed,
  NOT_RECONCILED,
  section,
  type ShownEvent,
} from './describe-cell.ts';
import { personText, requestsTable } from './history.ts';
import { commandsOf, offersOfPolicy } from './offers.ts';
import { uiOf, workflowUrl } from './open.ts';
import { ageOf, formatTime, layOutPairs, type Table } from './output.ts';
import { type Globals, type Session, type Shell } from './shell.ts';
import { show } from './colour.ts';
import { missing, parseTarget, type Target, TARGET_HELP } from './target.ts';
import { messageOf } from '../../domain/text.ts';

export function addDescribe(program: Command, shell: Shell): void {
  program
    .command('describe')
    .description(
      'Shows one object in detail: versions, desired and observed weights, steps, analyses, what it waits for, requests, history, Events and what you can do next.',
    )
    .argument('<names...>', TARGET_HELP)
    .action(async (globals: Globals, names: string[]) => {
      const session = shell.session(globals);
      for (const [at, name] of names.entries()) {
        if (at > 0) shell.print('');
        const text = await described(session, parseTarget(name, session.namespace), shell.now());
        show(shell, text, globals.color);
      }
    });
}

async function described(session: Session, target: Target, now: number): Promise<string> {
  const { kubernetes } = session;
  const { key } = target;
  const urlOfRun = (runId?: string): string => urlOf(session, target, runId) ?? workflowOf(target);
  // What the person may not read is left out: the rest is worth showing all the same.
  const events = () => eventsOf(kubernetes, target).catch(() => []);
  if (target.kind === 'StagedBindingPolicy') {
    const policy = await kubernetes.get<StagedBindingPolicy>(STAGED_BINDING_POLICY, key);
    if (policy === undefined) throw missing(target);
    return describeStaged(policy, await events(), urlOfRun(), now);
  }
  const cell = await kubernetes.get<Cell>(CELL, key);
  if (cell === undefined) throw missing(target);
  const [asked, all, happened] = await Promise.all([
    askedOf(kubernetes, cell, key),
    kubernetes.list<Freeze>(FREEZE).catch(() => []),
    events(),
  ]);
  const freezes = freezesOf(key.namespace, all);
  const url = urlOfRun(cell.status?.rollout?.runId);
  return describeCell({ cell, asked, freezes, events: happened, url }, now);
}

export function eventsOf(
  kubernetes: KubernetesClient,
  { kind, key }: Target,
): Promise<readonly ShownEvent[]> {
  const fieldSelector = `regarding.kind=${kind},regarding.name=${key.name}`;
  return kubernetes.list<ShownEvent>(EVENT, { namespace: key.namespace || 'default', fieldSelector });
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
    return { is: 'Unknown', why: messageOf(error) };
  }
}

const workflowOf = ({ kind, key }: Target): string => temporalId(objectWorkflowId(kind, key));

/** The address of the workflow of an object in the Web UI of Temporal; undefined when nobody knows the Web UI. */
export function urlOf(
  session: Pick<Session, 'temporal' | 'temporalUi' | 'throughApi'>,
  target: Target,
  runId: string | undefined,
): string | undefined {
  const ui = uiOf(session);
  return ui === undefined
    ? undefined
    : workflowUrl(ui, session.temporal.namespace, workflowOf(target), runId);
}

function describeStaged(
  policy: StagedBindingPolicy,
  events: readonly ShownEvent[],
  url: string,
  now: number,
): string {
  const { metadata, status = {} } = policy;
  const target = { kind: 'StagedBindingPolicy', key: keyOf(policy) } as const;
  const { phase = 'Pending', reason, message = NOT_RECONCILED } = status;
  const { paused, held } = status;
  const head = layOutPairs([
    ['StagedBindingPolicy', metadata.name],
    ['Phase', reason === undefined ? phase : `${phase} (${reason})`],
    ['Message', inOneLine(message)],
    ['Stage', status.activeStage],
    ['Fulfilled', status.fulfilled === undefined ? undefined : `${status.fulfilled} objects`],
    ['Paused by', paused && personText(paused)],
    ['Held', held === undefined ? undefined : `${held.reason}: ${inOneLine(held.message)}`],
    ['Reported', formatTime(status.lastSyncTime, now)],
    ['Workflow', url],
  ]);
  return [
    head,
    section('Stages', stagesTable(policy, now)),
    section('Requests', requestsTable(status.requests ?? [])),
    section('Events', eventsTable(events, now)),
    listed('You can', commandsOf(offersOfPolicy(policy.status), target, status.activeStage)),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The names of the stages; none where they are of a form that no schema allows, which must not stop what shows the others. */
export const stageNamesIn = (spec: unknown): readonly string[] =>
  recordsIn(fieldsIn(spec)['stages']).flatMap(({ name }) => textIn(name) ?? []);

/** The stages in their order, with where each stands. */
export function stagesTable(
  { spec, status = {} }: Pick<StagedBindingPolicy, 'spec' | 'status'>,
  now: number,
): Table {
  return {
    headings: ['STAGE', 'PHASE', 'FOR', 'FULFILLED', 'REASON'],
    rows: stageNamesIn(spec).map((name) => {
      const stage = status.stages?.find((one) => one.name === name);
      const { phase = 'Pending', since, fulfilled, objects, firstUnfulfilled, reason } = stage ?? {};
      return [
        name,
        phase,
        ageOf(since, now),
        objects === undefined ? '-' : `${fulfilled ?? 0}/${objects}`,
        [firstUnfulfilled, reason].filter((text) => text !== undefined).join(': ') || '-',
      ];
    }),
  };
}
