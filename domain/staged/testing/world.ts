import type {
  StagedBindingPolicySpec,
  StagedBindingPolicyStatus,
} from '../../../crds/staged-binding-policy.ts';
import type { Freezing } from '../../gates/freeze.ts';
import { sameValue } from '../../kubernetes/canonical.ts';
import {
  type StagedDecision,
  type StagedWait,
  initialStagedState,
  type StagedRequestName,
  type StagedState,
} from '../state.ts';
import type {
  ClusterSelection,
  ObservedStaged,
  PresentPolicy,
  StagePolicy,
  StageView,
} from '../observation.ts';
import { namePolicy, nameSelection } from '../policy.ts';
import { acceptStagedRequest } from '../requests.ts';
import { deriveStagedStatus } from '../status.ts';
import { takeStagedTurn } from '../turn.ts';

/** The stages of a spec, each with a condition unless it says otherwise. */
export function aSpec(
  stages: readonly Partial<StagedBindingPolicySpec['stages'][number]>[],
  more: Partial<StagedBindingPolicySpec> = {},
): StagedBindingPolicySpec {
  return {
    downsync: [{ objectSelectors: [{ matchLabels: { app: 'web' } }] }],
    stages: stages.map((stage, index) => ({
      name: `s${index}`,
      clusterSelectors: [{ matchLabels: { env: `s${index}` } }],
      condition: 'true',
      approval: 'Automatic',
      ...stage,
    })),
    stageRetention: 'Keep',
    ...more,
  };
}

/** KubeStellar and its clusters, as far as a StagedBindingPolicy sees them; time stands still unless it is moved. */
export class World {
  now = Date.parse('2026-11-22T08:00:00Z');
  uid = 'u';
  generation = 1;
  spec: StagedBindingPolicySpec;
  state: StagedState = initialStagedState;
  status: StagedBindingPolicyStatus = {};
  policies: StagePolicy[] = [];
  freezes: Freezing[] = [];
  problems: { reason: string; message: string }[] = [];
  /** Whether someone else undoes at once what a BindingPolicy was made to say. */
  isUndone = false;
  /** Why nothing is seen of what there is. */
  unseen: { reason: string; message: string } | undefined;
  /** The version of the workload. */
  version = 1;
  /** Whether KubeStellar binds what is applied, and the stages that it does not. */
  binds = true;
  readonly unbound = new Set<string>();
  /** The stages of which KubeStellar reports an error, so that it binds them no more. */
  readonly refused = new Set<string>();
  /** The stages of which KubeStellar sends again what it has bound. */
  readonly sending = new Set<string>();
  readonly fulfilled = new Set<string>();
  /** The clusters that each stage selects, and those that do not fulfil a stage that reaches a few at a time. */
  readonly clusters = new Map<string, readonly string[]>();
  readonly ill = new Set<string>();
  selection: ClusterSelection | undefined;
  /** What each BindingPolicy was made to say, by its uid. */
  readonly said = new Map<string, object>();
  readonly done: string[] = [];
  #made = 0;

  constructor(spec: StagedBindingPolicySpec) {
    this.spec = spec;
  }

  /** The BindingPolicies that there are, by their stages. */
  get placed(): readonly string[] {
    return this.policies.map(({ stage }) => stage);
  }

  ask(name: StagedRequestName, to?: string): void {
    const request = { by: 'ann', reason: 'because', at: this.now, ...(to === undefined ? {} : { to }) };
    this.state = acceptStagedRequest(this.state, name, request);
  }

  /** Deletes it, and creates it again before anybody has looked; Kubernetes collects what the old one owned. */
  createAgain(): void {
    this.uid += '+';
    this.status = {};
    this.policies = [];
    this.selection = undefined;
  }

  /** What is left after the database of Temporal is lost. */
  forget(): void {
    this.state = initialStagedState;
  }

  /** Takes turns until there is nothing to do, and says what is waited for; `seen` is called with each decision before it is performed. */
  settle(seen?: (decision: StagedDecision) => void): StagedWait {
    for (let turns = 0; turns < 100; turns += 1) {
      const turn = takeStagedTurn(this.observe(), this.state, this.now);
      this.state = turn.state;
      this.report(turn.decision);
      if (turn.decision.do === 'Wait') return turn.decision;
      seen?.(turn.decision);
      this.perform(turn.decision);
    }
    throw new Error(`Expected an end of turns, got ${this.done.slice(-5).join(', ')}.`);
  }

  /** Has the next look be at this stage, where someone else remembers which it is. */
  lookAt(stage: string | undefined): void {
    this.state = {
      ...initialStagedState,
      ...(stage === undefined ? {} : { active: { name: stage, startedAt: 0, countsFrom: 0 } }),
    };
  }

  /** What a look at it finds. */
  observe(): ObservedStaged {
    if (this.unseen !== undefined) return { object: this.#object, policies: [], freezes: [] };
    return {
      object: this.#object,
      policies: this.policies.map((one) => ({
        ...one,
        isAsAsked: this.#isAsAsked(one),
        isBound: this.isBound(one.stage),
        ...(this.refused.has(one.stage) ? { refusal: 'expected a namespace' } : {}),
      })),
      freezes: this.freezes,
      ...(this.selection === undefined ? {} : { selection: this.selection }),
      ...(this.state.active === undefined ? {} : { view: this.#view(this.state.active.name) }),
    };
  }

  #view(stage: string): StageView {
    const isThere = this.policies.some((one) => one.stage === stage);
    if (!isThere || !this.isBound(stage)) {
      const isOutOfDate = isThere && !this.sending.has(stage) ? ({ isOutOfDate: true } as const) : {};
      return { stage, unbound: 'No Binding yet.', ...isOutOfDate, objects: 0, fulfilled: 0, print: '' };
    }
    const print = `${stage}@${this.version}`;
    const own = this.policies.find((one) => one.stage === stage);
    const all = this.clusters.get(stage);
    if (all !== undefined) {
      const reached = own?.only ?? all;
      const fulfilled = reached.filter((name) => !this.ill.has(name));
      return { stage, print, objects: 1, fulfilled: 1, clusters: { all, reached, fulfilled } };
    }
    const first = { object: 'deployments.apps nginx/nginx', reason: 'The condition does not hold yet.' };
    return this.fulfilled.has(stage)
      ? { stage, objects: 2, fulfilled: 2, print }
      : { stage, objects: 2, fulfilled: 1, print, first };
  }

  /** Whether KubeStellar has bound the BindingPolicy of a stage. */
  isBound(stage: string): boolean {
    const isWithout = [this.unbound, this.refused, this.sending].some((stages) => stages.has(stage));
    return this.binds && !isWithout;
  }

  #isAsAsked({ stage, uid }: StagePolicy): boolean {
    return !this.isUndone && sameValue(this.said.get(uid), this.#asked(stage));
  }

  #asked(stage: string): object {
    const { downsync, stages } = this.spec;
    return { downsync, clusterSelectors: stages.find(({ name }) => name === stage)?.clusterSelectors };
  }

  /** Does what was decided. */
  perform(decision: StagedDecision): void {
    if (decision.do === 'Apply') {
      this.done.push(`apply ${decision.stage}`);
      this.#made += 1;
      const known = this.policies.filter(({ stage }) => stage !== decision.stage);
      const { stage } = decision;
      const uid = this.policies.find((one) => one.stage === stage)?.uid ?? `p${this.#made}`;
      const name = namePolicy('web', stage);
      this.said.set(uid, this.#asked(stage));
      const only = decision.clusters === undefined ? {} : { only: decision.clusters };
      if (decision.clusters !== undefined) this.done.push(`reach ${decision.clusters.join(' ')}`);
      this.policies = [
        ...known,
        { stage, name, uid, isAsAsked: true, isDeleting: false, isBound: true, ...only },
      ];
    }
    if (decision.do === 'Select') {
      const { stage } = decision;
      const clusters = this.clusters.get(stage) ?? [];
      this.done.push(`select ${stage}`);
      this.selection = {
        stage,
        name: nameSelection('web'),
        uid: `s${this.done.length}`,
        isAsAsked: true,
        isDeleting: false,
        clusters,
      };
    }
    if (decision.do === 'Remove' && decision.uid === this.selection?.uid) {
      this.done.push(`forget ${this.selection.stage}`);
      this.selection = undefined;
    } else if (decision.do === 'Remove') {
      const gone = this.policies.find(({ uid }) => uid === decision.uid);
      this.done.push(`remove ${gone?.stage}`);
      this.policies = this.policies.filter((one) => one !== gone);
    }
  }

  /** Has the status say where it stands. */
  report(decision: StagedDecision): void {
    const { state, now } = this;
    this.status = deriveStagedStatus({ name: 'web', object: this.#object, state, decision, now });
  }

  get #object(): PresentPolicy {
    const { uid, generation, status, spec, problems, unseen } = this;
    const object = { uid, generation, isDeleting: false, isElsewhere: false, status };
    if (unseen === undefined) return { ...object, spec, problems };
    return { ...object, problems: [unseen], ...(unseen.reason === 'InvalidSpec' ? {} : { spec }) };
  }
}
