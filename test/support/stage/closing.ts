import { readFile } from 'node:fs/promises';
import {
  AWS_TARGET_GROUP,
  AWS_TARGET_GROUP_BINDING,
  AWS_TARGET_GROUP_SET,
  CELL,
  CLUSTER_SET,
  EVENT,
} from '../../../clients/kubernetes/kinds.ts';
import type { Cell } from '../../../crds/cell.ts';
import { canonical } from '../../../domain/kubernetes/canonical.ts';
import { OWNER_TAG } from '../../../domain/kubernetes/labels.ts';
import type { CallRecord } from '../../../local/elbv2-proxy/control.ts';
import { routeOf } from '../../../domain/load-balancers/load-balancer.ts';
import { until } from '../until.ts';
import type { OkraStage } from './okra-stage.ts';

interface HistoryEvent {
  readonly eventId?: string;
  readonly activityTaskScheduledEventAttributes?: { readonly activityType?: { readonly name?: string } };
  readonly activityTaskStartedEventAttributes?: {
    readonly scheduledEventId?: string;
    readonly attempt?: number;
  };
}

/** Returns what is wrong with what a stage leaves behind: histories, logs and calls. */
export async function closingViolations(
  stage: OkraStage,
  { secrets, writes }: { readonly secrets: readonly string[]; readonly writes: boolean },
): Promise<readonly string[]> {
  const { histories, unexplained } = await readHistories(stage, writes);
  return [
    ...unexplained,
    ...(await noSecretAnywhere(stage, { secrets, histories })),
    ...(await onlyWhatIsAllowed(stage)),
  ];
}

/**
 * I9: returns which statuses of settled Cells do not come to have the weights that AWS serves. To be called while okrad still
 * runs: its end may come between a write and the status.
 */
export async function statusViolations(stage: OkraStage): Promise<readonly string[]> {
  let wrong: readonly string[] = [];
  const follows = async (): Promise<boolean> => {
    wrong = await wrongClaims(stage);
    return wrong.length === 0;
  };
  try {
    await until('the statuses to follow the writes', follows, { timeoutMs: 60_000 });
  } catch (error) {
    // What is wrong is reported with the rest; without it, nothing could be read.
    if (wrong.length === 0) throw error;
  }
  return wrong;
}

/** I9: what the statuses of a stage claim and AWS does not serve. */
async function wrongClaims(stage: OkraStage): Promise<readonly string[]> {
  const { namespace } = stage;
  const cells = await stage.kubernetes.list<Cell>(CELL, { namespace });
  return (await Promise.all(cells.map((cell) => claimsOnlyWhatIsServed(stage, cell)))).flat();
}

/** How long Temporal may take to list a run that has begun. */
const LISTED_MS = 30_000;

/** The histories of all runs of a stage, read again while they do not explain its writes: what Temporal lists comes later (https://docs.temporal.io/visibility). */
async function readHistories(
  stage: OkraStage,
  writes: boolean,
): Promise<{ readonly histories: readonly string[]; readonly unexplained: readonly string[] }> {
  let histories: readonly string[] = [];
  let unexplained: readonly string[] = [];
  const look = async (): Promise<boolean> => {
    histories = await stage.desk.histories(`OkraNamespace="${stage.namespace}"`);
    unexplained = writes ? await everyWriteIsExplained(stage, histories) : [];
    return unexplained.length === 0;
  };
  try {
    await until('the histories to explain the writes', look, { timeoutMs: LISTED_MS });
  } catch (error) {
    // What is still unexplained is told of with the rest; without it, nothing could be read.
    if (unexplained.length === 0) throw error;
  }
  return { histories, unexplained };
}

/** I9: a settled Cell's status has the weights that AWS serves. */
async function claimsOnlyWhatIsServed(stage: OkraStage, cell: Cell): Promise<readonly string[]> {
  const { status } = cell;
  const settled =
    status?.conditions?.some((one) => one.type === 'Progressing' && one.status === 'False') === true;
  const route = routeOf(cell.spec);
  if (!settled || route === undefined || (status?.targetGroups ?? []).length === 0) return [];
  const claimed = Object.fromEntries((status?.targetGroups ?? []).map((group) => [group.name, group.weight]));
  const served = await stage.servedBy(route);
  if (shown(claimed) === shown(served ?? {})) return [];
  return [`I9: Cell ${cell.metadata.name} claims ${canonical(claimed)}, AWS serves ${canonical(served)}`];
}

/** Weights as text; that of a single group says nothing. */
const shown = (weights: Readonly<Record<string, number>>): string =>
  canonical(Object.keys(weights).length === 1 ? Object.keys(weights) : weights);

/** The activities that write to a load balancer: for a Cell, and for a configuration without one. */
const attempting: readonly (string | undefined)[] = ['shiftTraffic', 'applyLoadBalancer'];

/** I10: no more writes were applied than the histories have attempts to apply a rule. */
async function everyWriteIsExplained(
  stage: OkraStage,
  histories: readonly string[],
): Promise<readonly string[]> {
  const calls = await stage.allCalls();
  const writes = calls.filter(
    (call) =>
      call.applied &&
      /^(CreateRule|ModifyRule|ModifyListener)$/.test(call.action) &&
      call.after?.some((rule) =>
        (rule.tags ?? rule.listenerTags)?.[OWNER_TAG]?.startsWith(`${stage.namespace}/`),
      ),
  );
  const runs = histories.map((history) =>
    attemptsIn((JSON.parse(history) as { events?: HistoryEvent[] }).events ?? []),
  );
  const attempts = runs.reduce((sum, run) => sum + run, 0);
  if (writes.length === 0) return [`I10: expected writes to the listener of ${stage.namespace}, got none`];
  return writes.length <= attempts
    ? []
    : [`I10: ${writes.length} writes were applied, the histories explain ${attempts} (${runs.join(', ')})`];
}

/** How often a run has tried to apply a rule: Temporal writes down an activity once, with the number of its last attempt. */
function attemptsIn(events: readonly HistoryEvent[]): number {
  const scheduled = events.filter((event) =>
    attempting.includes(event.activityTaskScheduledEventAttributes?.activityType?.name),
  );
  const lastOf = new Map(
    events.map(({ activityTaskStartedEventAttributes: started }) => [
      started?.scheduledEventId,
      started?.attempt ?? 1,
    ]),
  );
  return scheduled.reduce((sum, { eventId }) => sum + (lastOf.get(eventId) ?? 1), 0);
}

/** I12: okrad calls nothing that its IAM policy (deploy/iam) does not allow. */
async function onlyWhatIsAllowed(stage: OkraStage): Promise<readonly string[]> {
  const denied = (await stage.allCalls()).filter((call) => call.refusedBy === 'policy');
  const kept = await Promise.all(denied.map(({ parameters }) => isThere(stage, parameters['RuleArn'])));
  return denied
    .filter((_, index) => kept[index])
    .map((call) => `I12: okrad has no permission for ${call.action} of ${JSON.stringify(call.parameters)}`);
}

/** Whether a rule still exists: one that is gone has no tag by which it may be written, and is denied for that. */
async function isThere(stage: OkraStage, ruleARN: CallRecord['parameters'][string]): Promise<boolean> {
  if (typeof ruleARN !== 'string') return true;
  try {
    await stage.elbv2.describeRules({ RuleArns: [ruleARN] });
    return true;
  } catch (error) {
    if (error instanceof Error && error.name.startsWith('RuleNotFound')) return false;
    throw error;
  }
}

/** What Okra writes, besides the secrets of clusters. */
const reported = [CELL, CLUSTER_SET, AWS_TARGET_GROUP_SET, AWS_TARGET_GROUP_BINDING, AWS_TARGET_GROUP, EVENT];

/** How every EKS token begins. */
const EKS_TOKEN = 'k8s-aws-v1.';

/** I11: neither the key that signs the calls to AWS nor what opens a cluster is in any history, log, status or Event. */
async function noSecretAnywhere(
  stage: OkraStage,
  where: { readonly secrets: readonly string[]; readonly histories: readonly string[] },
): Promise<readonly string[]> {
  const { namespace } = stage;
  const logs = await Promise.all([stage.okrad.log, ...stage.moreLogs].map((path) => readFile(path, 'utf8')));
  const objects = await Promise.all(reported.map((kind) => stage.kubernetes.list(kind, { namespace })));
  const places = {
    history: where.histories.join('\n'),
    log: logs.join('\n'),
    status: JSON.stringify(objects),
  };
  // Temporal writes what an activity is given and gives in base64.
  const spellings = [...where.secrets, EKS_TOKEN].flatMap((secret) => [
    secret,
    ...[0, 1, 2].map((shift) => inBase64(secret, shift)),
  ]);
  return Object.entries(places)
    .filter(([, text]) => spellings.some((spelling) => text.includes(spelling)))
    .map(([place]) => `I11: a secret stands in a ${place}`);
}

/** What of a text is the same in base64 wherever it stands, when so many bytes before it are not counted. */
function inBase64(text: string, shift: number): string {
  const whole = Buffer.from(`${' '.repeat(shift)}${text}`).toString('base64');
  return whole.slice(shift === 0 ? 0 : 4, whole.length - 4);
}
