import type { Client } from '@temporalio/client';
import type { LoadedDataConverter, Payload } from '@temporalio/common';
import { fieldsIn, given, recordsIn, textIn, type Fields } from '../../domain/model/fields.ts';
import { unlessGone } from './grpc-status.ts';

/** The history of a workflow, as Temporal's client gives it. */
export type History = Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>;
type HistoryEvent = NonNullable<History['events']>[number];

interface ToldWeight {
  readonly name: string;
  readonly weight: number;
}

/** What the history of a Cell's workflow says of its weights, or of how it stands, at a time in milliseconds since the epoch. */
export interface ToldWeights {
  readonly at: number;
  readonly asked?: readonly ToldWeight[];
  readonly served?: readonly ToldWeight[];
  readonly status?: ToldStatus;
}

/** How a Cell stands, as far as a timeline shows it. */
export type ToldStatus = ReturnType<typeof statusIn>;

/** The weights of the last rollout of a Cell from its start, and the versions of the target groups. */
export interface WeightHistory {
  readonly told: readonly ToldWeights[];
  readonly versions: Readonly<Record<string, string>>;
}

/** Reads the payloads of an event. */
export type Decode = (payloads: readonly Payload[] | null | undefined) => Promise<readonly unknown[]>;

/** Runs that one rollout has continued as; more are not read, because a person waits. */
const MOST_RUNS = 10;

/** Reads what the history of a workflow says of weights: of its last run, and of the runs that it has continued. */
export async function readWeightHistory(client: Client, workflowId: string): Promise<WeightHistory> {
  const decode = decoderOf(client.options.loadedDataConverter);
  let all: WeightHistory = { told: [], versions: {} };
  let runId: string | undefined;
  for (let runs = 0; runs < MOST_RUNS; runs += 1) {
    // Temporal may keep it no more.
    const history = await unlessGone(client.workflow.getHandle(workflowId, runId).fetchHistory());
    const events = history?.events ?? [];
    const { told, versions } = await weightsIn(events, decode);
    all = { told: [...told, ...all.told], versions: { ...versions, ...all.versions } };
    runId = events[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? undefined;
    if (runId === undefined || runId === '') break;
  }
  return all;
}

/** Payloads are encoded by the codec that is configured, and may be of a rollout that an older version has done. */
const decoderOf =
  ({ payloadConverter, payloadCodecs }: LoadedDataConverter): Decode =>
  async (payloads) => {
    let decoded = [...(payloads ?? [])];
    for (const codec of payloadCodecs.toReversed()) decoded = await codec.decode(decoded);
    return decoded.map((payload) => payloadConverter.fromPayload<unknown>(payload));
  };

/** Takes the weights out of the events of one run. */
export async function weightsIn(events: readonly HistoryEvent[], decode: Decode): Promise<WeightHistory> {
  const told: ToldWeights[] = [];
  const versions: Record<string, string> = {};
  // What activities that are under way have been asked for; nothing where they only look.
  const open = new Map<string, ToldWeights | undefined>();
  for (const event of events) {
    const { activityTaskScheduledEventAttributes: begun, activityTaskCompletedEventAttributes: ended } =
      event;
    const name = begun?.activityType?.name;
    if (name === 'observeCell') open.set(String(event.eventId), undefined);
    if (name === 'shiftTraffic' || name === 'reportCell') {
      const [request] = await decode(begun?.input?.payloads);
      const { forwarding, report = request } = fieldsIn(request);
      const { status } = fieldsIn(report);
      if (status !== undefined) told.push({ at: timeOf(event), status: statusIn(status) });
      const asked = askedIn(forwarding) ?? [];
      if (name === 'shiftTraffic') open.set(String(event.eventId), { at: timeOf(event), asked });
    }
    const scheduled = String(ended?.scheduledEventId);
    const wanted = open.get(scheduled);
    if (!open.delete(scheduled)) continue;
    const [result] = await decode(ended?.result?.payloads);
    told.push(...toldBy(fieldsIn(result), wanted, timeOf(event)));
    Object.assign(versions, versionsIn(fieldsIn(result)));
  }
  // One that is under way, or has failed: its weights are asked for, and nobody knows what is served.
  const unanswered = [...open.values()].filter((wanted) => wanted !== undefined);
  return { told: [...told, ...unanswered].toSorted((a, b) => a.at - b.at), versions };
}

/** Takes out of a status what a timeline shows. */
export function statusIn(status: unknown) {
  const { step, reason, message, rollout, ...others } = fieldsIn(status);
  const measured = Object.values(others).flatMap((one) => {
    const { name, phase } = fieldsIn(one);
    return typeof name === 'string' && typeof phase === 'string' ? [{ name, phase }] : [];
  });
  const isFailed = fieldsIn(fieldsIn(rollout)['ending'])['kind'] === 'Failed';
  return {
    ...given({ step: textIn(step), reason: textIn(reason), message: textIn(message) }),
    isFailed,
    measured,
  };
}

function toldBy(answer: Fields, wanted: ToldWeights | undefined, at: number): readonly ToldWeights[] {
  if (wanted === undefined) {
    const served = weightsOf(answer['weighted']);
    return served === undefined ? [] : [{ at, served }];
  }
  // What was not written because a target lacked health, or because others had their turn, was never asked for.
  return answer['is'] === 'Served' ? [wanted, { at, served: wanted.asked ?? [] }] : [];
}

function versionsIn(answer: Fields): Readonly<Record<string, string>> {
  const seen = recordsIn(answer['selected'] ?? fieldsIn(answer['observed'])['selected']);
  return Object.fromEntries(
    seen.flatMap(({ name, version }) =>
      typeof name === 'string' && typeof version === 'string' ? [[name, version]] : [],
    ),
  );
}

/** The weights in what is written to a load balancer, wherever its kind has them. */
function askedIn(forwarding: unknown): readonly ToldWeight[] | undefined {
  const { targetGroups, ...others } = fieldsIn(forwarding);
  const below = (): (readonly ToldWeight[] | undefined)[] => Object.values(others).map(askedIn);
  return weightsOf(targetGroups) ?? below().find((weights) => weights !== undefined);
}

function weightsOf(value: unknown): readonly ToldWeight[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return recordsIn(value).flatMap(({ name, weight }) =>
    typeof name === 'string' && typeof weight === 'number' ? [{ name, weight }] : [],
  );
}

function timeOf({ eventTime }: HistoryEvent): number {
  return Number(eventTime?.seconds ?? 0) * 1000 + Math.floor((eventTime?.nanos ?? 0) / 1_000_000);
}
