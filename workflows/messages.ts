import { rawValueTypeInfo, type RawValue, defineSearchAttributeKey } from '@temporalio/common';
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { StagedState } from '../domain/staged/state.ts';
import { askNames, type AskName } from '../domain/model/request.ts';
import type { RolloutPlan, RolloutView } from '../domain/model/view.ts';
import { maybeGetActivator } from '@temporalio/workflow/lib/global-attributes.js';

/** What kind of object a workflow works for: Cell, AWSApplicationLoadBalancerConfig or Listener. */
export const OKRA_KIND = defineSearchAttributeKey('OkraKind', 'KEYWORD');
/** The namespace of the object. */
export const OKRA_NAMESPACE = defineSearchAttributeKey('OkraNamespace', 'KEYWORD');
/** The name of the Cell. */
export const OKRA_CELL = defineSearchAttributeKey('OkraCell', 'KEYWORD');
/** The version that is being rolled out, or that serves. */
export const OKRA_VERSION = defineSearchAttributeKey('OkraVersion', 'KEYWORD');
/** The phase of the Cell. */
export const OKRA_PHASE = defineSearchAttributeKey('OkraPhase', 'KEYWORD');

/** The names of the signals without a handler, in order; a default handler would fail the workflow task on what cannot be decoded. */
export const unknownSignals = (): readonly string[] =>
  (maybeGetActivator()?.bufferedSignals ?? []).map(({ signalName }) => signalName ?? '');

/** The answer to an operator's update: one sentence on what happens now. */
export interface Answer {
  readonly message: string;
}

// What comes from outside is decoded by the handler: what cannot be decoded would fail the workflow task for ever, and
// everything that comes after it would wait. Each argument has an entry of its own; nobody sends more than these.
const raw = { inputTypes: Array.from({ length: 16 }, () => rawValueTypeInfo) };
const signal = (name: string) => defineSignal<[RawValue?]>(name, { typeInfo: raw });
const update = (name: string) => defineUpdate<Answer, [RawValue?]>(name, { typeInfo: raw });

/** Look again: an object that the workflow depends on has changed. */
export const changed = signal('changed');

/** Look again: an AnalysisRun of this rollout has come to a verdict. */
export const analysisFinished = signal('analysisFinished');

/** Look again: an Experiment of this rollout has come to a verdict. */
export const experimentFinished = signal('experimentFinished');

/** The signals behind the requests: `temporal workflow signal --name pause --workflow-id cell/default/web`. */
export const requestSignals = byRequest(signal);

/** The updates behind the requests, for callers that want an answer or a refusal. */
export const requestUpdates = byRequest(update);

function byRequest<Message>(define: (name: AskName) => Message): Readonly<Record<AskName, Message>> {
  const messages = askNames.map((name) => [name, define(name)] as const);
  // The compiler does not follow that the entries have all of the names.
  return Object.fromEntries(messages) as Record<AskName, Message>;
}

/** Where a rollout stands. */
export const stateQuery = defineQuery<RolloutView, [RawValue?]>('state', { typeInfo: raw });

/** Where a StagedBindingPolicy stands. */
export const stagedQuery = defineQuery<StagedState, [RawValue?]>('state', { typeInfo: raw });

/** The steps that a rollout still has to take. */
export const planQuery = defineQuery<RolloutPlan, [RawValue?]>('plan', { typeInfo: raw });

/** Check the targets in the rule: the health of a group that carries traffic has changed. */
export const targetsChanged = signal('targetsChanged');

/** Look at the load balancer again: it does not serve what the object's status says. */
export const drifted = signal('drifted');
