import { given, omit } from '../../model/fields.ts';
import { cell as cellKind, type ApplicationsSpec, type CellStatus } from '../../../crds/cell.ts';
import { unreadyClusters } from '../../gates/gate.ts';
import { isNewer, parseVersion } from '../../versions/version.ts';
import { sameValue } from '../../kubernetes/canonical.ts';
import { secretNameOf } from '../../discovery/cluster-set/cluster-set.ts';
import type { Freezing } from '../../gates/freeze.ts';
import { heldBehind, BEHIND } from '../holds.ts';
import { isSupersededBy } from '../assumed.ts';
import { childOf, type Child } from '../child.ts';
import type { ApplicationAction, ApplicationsDecision } from '../situation.ts';
import { unseenDeployments } from '../deployments.ts';
import type {
  ObservedApplication,
  ObservedApplications,
  ObservedChild,
  ObservedCluster,
  ObservedMeasurement,
  ObservedRevision,
  ObservedSecret,
  Resolved,
} from '../observation.ts';
import { recorded } from '../revisions.ts';
import { resolveApplications } from '../resolve.ts';
import { unusedSecrets } from '../secrets.ts';
import { childName, fingerprint } from '../names.ts';
import { initialApplicationsState, performed, type ApplicationsState } from '../state.ts';
import { takeApplicationsTurn } from '../turn.ts';
import { VERSION_LABEL } from '../../kubernetes/labels.ts';

const CELL = 'mysystem';
const START = Date.parse('2026-11-22T08:00:00Z');

interface PlayedChild {
  child: Child;
  revision: number;
  generation: number;
  status: CellStatus;
  /** The target groups that get traffic. */
  serving: readonly string[];
}

interface PlayedMeasurement {
  readonly application: string;
  readonly check: string;
  phase: ObservedMeasurement['phase'];
  isEnding: boolean;
  isPartial?: boolean;
}

/** An action in short, for the trace. */
const describe = (application: string, action: ApplicationAction): string =>
  [
    application,
    action.do,
    ...('number' in action ? [action.number] : []),
    ...('check' in action ? [action.check] : []),
    ...('request' in action ? [action.request] : []),
  ].join(' ');

/** The history of a Cell once a version serves. */
function historyWith(
  { stableVersion, history = [] }: CellStatus,
  version: string,
): NonNullable<CellStatus['history']> {
  const change = { version, outcome: 'Completed', message: '', startedAt: '', endedAt: '' } as const;
  return stableVersion === version ? history : [change, ...history].slice(0, 10);
}

const isUnderWay = ({ phase }: CellStatus): boolean => phase === 'Progressing' || phase === 'Paused';

/** What an edit of a Cell may say. */
export interface Edit {
  readonly clusters?: unknown;
  readonly applications?: unknown;
  readonly [field: string]: unknown;
}

type Resolutions = ReturnType<typeof resolveApplications>;

// Most turns see what the turn before has seen, and worlds take hundreds of thousands of turns.
const resolutions = new WeakMap<ApplicationsSpec, Map<string, Resolutions>>();

/** What is known of a cluster whose API server does not answer. */
const SILENT = 'Its API server does not answer.';

/** What the applications of a spec come to, by what EKS says of its clusters. */
function resolvedOf(spec: ApplicationsSpec, observed: readonly ObservedCluster[]): Resolutions {
  const known = resolutions.get(spec) ?? new Map<string, Resolutions>();
  resolutions.set(spec, known);
  const said = JSON.stringify(observed);
  const resolved = known.get(said) ?? resolve(spec, observed);
  known.set(said, resolved);
  return resolved;
}

function resolve({ clusters, applications }: ApplicationsSpec, observed: readonly ObservedCluster[]) {
  const isSilent = (cluster: string): boolean =>
    observed.some(({ name, message }) => name === cluster && message === SILENT);
  const found = Object.fromEntries(
    clusters.map(({ name, eks }) => [
      name,
      isSilent(name)
        ? ({ ok: false, message: SILENT, isUnanswered: true } as const)
        : ({ ok: true, arn: arnOf(eks?.clusterName ?? name) } as const),
    ]),
  );
  const bindings = Object.fromEntries(applications.map(({ name }) => [name, found]));
  const written = { written: clusters, observed };
  return resolveApplications({ clusters: written, applications, bindings, digest: fingerprint });
}

/** A world of clusters, secrets, Cells and Jobs, for a Cell with applications to change. */
export class ApplicationsWorld {
  now = START;
  generation = 1;
  private ticks = 0;
  spec: ApplicationsSpec;
  status: CellStatus = {};
  state: ApplicationsState = initialApplicationsState;
  /** Why nobody can read the spec. */
  problems: readonly string[] = [];
  readonly ready = new Map<string, boolean>();
  readonly unknown = new Set<string>();
  /** The clusters whose API servers do not answer. */
  readonly silent = new Set<string>();
  readonly tags = new Map<string, Readonly<Record<string, string>>>();
  readonly secrets = new Map<
    string,
    {
      asking: ObservedSecret['applications'];
      isOwn: boolean;
      eksName?: string;
    }
  >();
  readonly revisions = new Map<string, ObservedRevision[]>();
  readonly children = new Map<string, PlayedChild>();
  readonly groups = new Map<string, { application: string; name: string; arn: string; version: string }>();
  readonly deployed = new Set<string>();
  readonly measurements = new Map<string, PlayedMeasurement>();
  /** The checks that fail, and the versions whose traffic does, as `application`. */
  readonly failing = new Set<string>();
  /** What has moved forward by hand of the rule. */
  rule = '';
  freezes: readonly Freezing[] = [];
  isDeployable = true;
  /** What was done, in its order. */
  readonly trace: string[] = [];
  readonly runs = new Map<string, number>();
  decision: ApplicationsDecision | undefined;

  constructor(spec: unknown) {
    this.spec = this.parsed(spec);
  }

  private parsed(spec: unknown): ApplicationsSpec {
    const parsed = cellKind.parseSpec(spec);
    if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
    const { clusters = [], applications = [], ...others } = parsed.value;
    return { ...others, clusters, applications };
  }

  edit(change: Edit): void {
    this.spec = this.parsed({ ...this.spec, ...change });
    this.generation += 1;
  }

  ask(action: 'pause' | 'resume' | 'promote' | 'promoteFull' | 'abort' | 'retry'): void {
    const request = { action, by: 'ann', reason: '', at: this.now };
    this.state = { ...this.state, asked: [...this.state.asked, request] };
  }

  observe(): ObservedApplications {
    const seen = this.observeAll();
    if (this.problems.length === 0) return seen;
    const applications = this.spec.applications.map(({ name }) => this.application(name, undefined));
    return { ...seen, clusters: [], secrets: [], applications };
  }

  private observeAll(): ObservedApplications {
    const observed = this.spec.clusters.map((one) =>
      this.cluster(one.name, one.eks?.clusterName ?? one.name),
    );
    const resolved = resolvedOf(this.spec, observed);
    return {
      key: { namespace: 'default', name: CELL },
      cell: {
        uid: 'uid',
        generation: this.generation,
        isDeleting: false,
        spec: this.spec,
        status: this.status,
        problems: this.problems,
      },
      clusters: observed,
      secrets: this.observedSecrets(),
      applications: this.spec.applications.map(({ name }) => this.application(name, resolved[name])),
      freezes: this.freezes,
      digest: '',
    };
  }

  /** What a look shows that asks neither EKS nor the clusters. */
  observeWithoutClusters(): ObservedApplications {
    const before = [...this.unknown];
    for (const { name } of this.spec.clusters) this.unknown.add(name);
    const seen = this.observe();
    this.unknown.clear();
    for (const name of before) this.unknown.add(name);
    const applications = seen.applications.map((one) => this.withoutArgoCD(one));
    return { ...seen, applications, isWithoutClusters: true };
  }

  private withoutArgoCD(seen: ObservedApplication): ObservedApplication {
    const { deployments, revisions } = seen;
    if (deployments === undefined) return seen;
    const wanted = revisions[0]?.content.clusters.map(({ secretName }) => secretName) ?? [];
    const targets = deployments.map(({ secretName }) => ({
      secretName,
      isWanted: wanted.includes(secretName),
    }));
    return { ...seen, deployments: unseenDeployments(targets) };
  }

  private cluster(name: string, eksName: string): ObservedCluster {
    const isReady = this.ready.get(name) !== false;
    const tags = this.tags.get(name) ?? {};
    if (this.unknown.has(name)) return { name, tags: {}, isReady: false, message: 'EKS has none.' };
    const server = `https://${eksName}`;
    const found = { name, eksName, server, certificateAuthority: 'CA', secretName: secretNameOf(eksName) };
    if (this.silent.has(name)) return { name, found, tags, isReady: false, message: SILENT };
    return { name, found, tags, isReady, message: isReady ? 'Ready.' : 'It is CREATING.' };
  }

  private observedSecrets(): readonly ObservedSecret[] {
    return [...this.secrets].map(([name, { asking, isOwn, eksName = name }]) => ({
      name,
      eksName,
      applications: asking,
      isOwn,
      server: `https://${eksName}`,
      certificateAuthority: 'CA',
      isIntact: true,
      ...given({ leftApplication: Object.keys(asking).length === 0 ? this.leftOn(name) : undefined }),
    }));
  }

  private application(
    name: string,
    resolved: ObservedApplication['resolved'] | undefined,
  ): ObservedApplication {
    const application = this.spec.applications.find((one) => one.name === name);
    const child = this.observedChild(name);
    const known = new Set(
      [
        ...(this.revisions.get(name) ?? []).map(({ content }) => content),
        ...(resolved?.ok === true ? [resolved.value] : []),
      ].flatMap(({ clusters }) => clusters.map(({ secretName }) => secretName)),
    );
    const deployments = [...known].map((secretName) => {
      const isPresent = this.deployed.has(`${name}/${secretName}`);
      return { secretName, isPresent, isHealthy: isPresent, message: 'OutOfSync.' };
    });
    return {
      name,
      resolved: resolved ?? { ok: false, problems: ['none'] },
      ...(this.isSuperseded(name, resolved) ? { isSuperseded: true } : {}),
      revisions: (this.revisions.get(name) ?? []).toReversed(),
      ...(application?.argocd?.applicationSet === undefined ? {} : { deployments }),
      ...(child === undefined ? {} : { child }),
      targetGroups: [...this.groups.values()]
        .filter((one) => one.application === name)
        .map((one) => ({ ...one, isOwn: true })),
      forwardHash: fingerprint(`${this.rule} ${this.children.get(name)?.serving.toSorted().join() ?? ''}`),
      measurements: [...this.measurements]
        .filter(([, one]) => one.application === name)
        .map(([run, { application: _its, check: _of, ...one }]) => ({
          ...one,
          name: run,
          message: one.phase === 'Pending' ? '' : `It is ${one.phase}.`,
        })),
    };
  }

  private isSuperseded(name: string, resolved: ObservedApplication['resolved'] | undefined): boolean {
    const application = this.spec.applications.find((one) => one.name === name);
    const newest = this.revisions.get(name)?.at(-1);
    if (application === undefined || newest === undefined || resolved?.ok === true) return false;
    return isSupersededBy({ spec: this.spec, digest: fingerprint }, application, newest);
  }

  private observedChild(name: string): ObservedChild | undefined {
    const played = this.children.get(name);
    if (played === undefined) return undefined;
    const wanted = this.childOf(name, played.revision);
    return {
      name: played.child.name,
      isOwn: true,
      uid: name,
      generation: played.generation,
      isDeleting: false,
      revision: played.revision,
      isAsDesired: sameValue(wanted?.spec, played.child.spec),
      status: played.status,
    };
  }

  private childOf(application: string, number: number): Child | undefined {
    const revision = this.revisions.get(application)?.find((one) => one.number === number);
    return revision === undefined ? undefined : childOf({ key: { name: CELL }, spec: this.spec }, revision);
  }

  content(application: string, number: number): Resolved {
    const found = this.revisions.get(application)?.find((one) => one.number === number);
    if (found === undefined) throw new Error(`Expected revision ${number} of ${application}, got none.`);
    return found.content;
  }

  private applySecrets(application: string, { clusters, secretLabels }: Resolved): void {
    for (const { secretName, eksName } of clusters) {
      const { asking, isOwn = false } = this.secrets.get(secretName) ?? {};
      this.secrets.set(secretName, {
        asking: { ...(isOwn ? asking : {}), [application]: secretLabels },
        isOwn: true,
        ...(eksName === secretName ? {} : { eksName }),
      });
    }
  }

  /** Performs an action as the activity does; doing it again changes nothing. */
  perform(application: string, action: ApplicationAction): void {
    const said = describe(application, action);
    if (this.trace.at(-1) !== said) this.trace.push(said);
    switch (action.do) {
      case 'SaveRevision':
        return this.save(application, action);
      case 'MarkGood': {
        const all = this.revisions.get(application) ?? [];
        this.revisions.set(
          application,
          all.map((one) => (one.number === action.number ? { ...one, isGood: true } : one)),
        );
        return;
      }
      case 'ApplySecrets':
        this.applySecrets(application, this.content(application, action.number));
        return;
      case 'RemoveLabels':
        return this.removeLabels(
          application,
          action.number === 0
            ? []
            : this.content(application, action.number).clusters.map(({ secretName }) => secretName),
        );
      case 'DeleteSecrets':
        return this.deleteSecrets();
      case 'ApplyChild':
        return this.applyChild(application, action);
      case 'StartCheck':
        if (this.measurements.has(action.name)) return;
        this.runs.set(action.name, (this.runs.get(action.name) ?? 0) + 1);
        this.measurements.set(action.name, {
          application,
          check: action.check,
          phase: 'Running',
          isEnding: false,
        });
        return;
      case 'TerminateCheck': {
        const found = this.measurements.get(action.name);
        if (found !== undefined) found.isEnding = true;
        return;
      }
      case 'Forward':
        return this.hear(application, action.request);
    }
  }

  private hear(application: string, request: string): void {
    const played = this.children.get(application);
    const { rollout } = played?.status ?? {};
    if (request === 'pause' && played !== undefined && rollout !== undefined)
      played.status = {
        ...played.status,
        rollout: { ...rollout, paused: { by: 'ann', reason: '', time: '2026-11-22T08:00:00Z' } },
      };
    if (request === 'retry' && played?.status.conditions !== undefined)
      played.status = { ...omit(played.status, 'conditions'), phase: 'Progressing' };
  }

  private save(
    application: string,
    { number, hash, version }: Extract<ApplicationAction, { do: 'SaveRevision' }>,
  ): void {
    const all = this.revisions.get(application) ?? [];
    if (all.some((one) => one.number === number)) return;
    const seen = this.observe().applications.find(({ name }) => name === application);
    if (seen?.resolved.ok !== true || seen.resolved.hash !== hash) throw new Error('Expected the same hash.');
    const revision = { number, hash, version, isGood: false, content: seen.resolved.value };
    this.revisions.set(application, [...all, revision]);
  }

  private removeLabels(application: string, kept: readonly string[]): void {
    for (const [cluster, secret] of this.secrets)
      if (!kept.includes(cluster))
        this.secrets.set(cluster, { ...secret, asking: omit(secret.asking, application) });
  }

  /** Deletes the secrets that nobody asks for; as Argo CD does, leaves on their clusters for good what still runs there. */
  private deleteSecrets(): void {
    for (const { name, leftApplication } of unusedSecrets(this.observedSecrets(), { clusters: [] })) {
      if (leftApplication !== undefined)
        throw new Error(`${leftApplication} is left on its cluster, after ${this.trace.join(', ')}.`);
      this.secrets.delete(name);
    }
  }

  /** An application that Argo CD still has on a cluster. */
  private leftOn(cluster: string): string | undefined {
    return [...this.deployed].find((one) => one.endsWith(`/${cluster}`));
  }

  private applyChild(
    application: string,
    { number, keep }: Extract<ApplicationAction, { do: 'ApplyChild' }>,
  ): void {
    const child = this.childOf(application, number);
    if (child === undefined) throw new Error(`Expected ${application} to have alb.`);
    const before = this.children.get(application);
    const isSame = sameValue(before?.child.spec, child.spec);
    this.children.set(application, {
      child,
      revision: number,
      generation: (before?.generation ?? 0) + (isSame ? 0 : 1),
      // What was under way is withdrawn.
      status:
        before?.child.spec.version === child.spec.version || before?.status.phase !== 'Paused'
          ? (before?.status ?? {})
          : { ...before.status, phase: 'Waiting' },
      serving: before?.serving ?? [],
    });
    this.relabel(application, child, keep);
    // The AWSTargetGroups of a Cell that was deleted went with it.
    const isServing = before?.status.stableVersion === parseVersion(child.spec.version ?? '');
    const kept = keep === undefined || isServing ? undefined : this.childOf(application, keep);
    this.label(
      application,
      kept?.targetGroups.filter(({ arn }) => !this.groups.has(`${application} ${arn}`)),
    );
  }

  private label(application: string, targetGroups: Child['targetGroups'] = []): void {
    for (const { name, arn, labels } of targetGroups)
      this.groups.set(`${application} ${arn}`, {
        application,
        name,
        arn,
        version: labels[VERSION_LABEL] ?? '',
      });
  }

  private relabel(application: string, child: Child, keep: number | undefined): void {
    const kept = keep === undefined ? [] : this.content(application, keep).targetGroups.map(({ arn }) => arn);
    this.label(application, child.targetGroups);
    const wanted = child.targetGroups.map(({ arn }) => arn);
    for (const [id, one] of this.groups)
      if (one.application === application && !wanted.includes(one.arn) && !kept.includes(one.arn))
        this.groups.delete(id);
  }

  /** Lets time pass: Argo CD deploys, traffic moves by one step, what measures ends. */
  pass(seconds = 1): void {
    this.now += seconds * 1000;
    if (this.isDeployable) this.deploy();
    this.ticks += 1;
    // Slower than a turn, so that nobody may take for moved what is only asked for.
    if (this.ticks % 3 === 0) for (const [name, played] of this.children) this.moveTraffic(name, played);
    for (const one of this.measurements.values())
      if (one.phase === 'Running')
        one.phase = one.isEnding || this.failing.has(one.check) ? 'Failed' : 'Successful';
  }

  private deploy(): void {
    const wanted = [...this.secrets].flatMap(([cluster, { asking }]) =>
      Object.keys(asking).map((application) => `${application}/${cluster}`),
    );
    this.deployed.clear();
    for (const one of wanted) this.deployed.add(one);
  }

  /** Whether the Cell of an application sees that one before it is not in place, or that its own cannot continue. */
  private isBehind(name: string): boolean {
    return heldBehind({ metadata: { name: CELL }, spec: this.spec, status: this.status }, name) !== undefined;
  }

  /** Whether traffic waits for another application, for its own, or for a cluster; what fails while it moves does not. */
  private isToWait(application: string, { child, status }: PlayedChild): boolean {
    if (isUnderWay(status) && this.failing.has(`traffic of ${application}`)) return false;
    return this.isBehind(child.name) || unreadyClusters(this).length > 0;
  }

  private isHeld(application: string, { child, status }: PlayedChild): boolean {
    if (child.spec.updateStrategy?.canary?.onFailure !== 'Hold') return false;
    return status.conditions !== undefined || this.failing.has(`traffic of ${application}`);
  }

  private moveTraffic(application: string, played: PlayedChild): void {
    const version = parseVersion(played.child.spec.version ?? '') ?? '';
    const wanted = [...this.groups.values()]
      .filter((one) => one.application === application && parseVersion(one.version) === version)
      .map(({ arn }) => arn);
    const { rollout: _before, conditions: _old, ...rest } = played.status;
    const { generation } = played;
    const status: CellStatus = isUnderWay(rest) ? played.status : rest;
    const observedGeneration = generation;
    const isThere = wanted.length === played.child.spec.replicas;
    const stable = status.stableVersion;
    const isBlocked = status.blockedVersions?.some((one) => one.version === version) === true;
    if (!isThere || isBlocked) {
      const phase = stable === undefined ? 'Waiting' : isBlocked ? 'Reverted' : 'Waiting';
      played.status = { ...status, observedGeneration, phase };
      return;
    }
    const complete = (): void => {
      played.serving = wanted;
      played.status = {
        ...status,
        observedGeneration,
        phase: 'Completed',
        stableVersion: version,
        canaryWeight: 0,
        history: historyWith(rest, version),
      };
    };
    const isUpward = stable !== undefined && isNewer(version, stable);
    const isMoving = isUnderWay(status);
    const isFailing = this.failing.has(`traffic of ${application}`);
    if (stable === version || stable === undefined || !isUpward) {
      complete();
    } else if (this.isToWait(application, played)) {
      played.status = { ...status, observedGeneration, ...(isMoving ? { phase: 'Paused' } : {}) };
    } else if (!isMoving) {
      played.serving = [...new Set([...played.serving, ...wanted])];
      played.status = {
        ...status,
        observedGeneration,
        phase: 'Progressing',
        canaryWeight: 50,
        rollout: {
          id: 'r',
          startedAt: '',
          stepStartedAt: '',
          stable: { version: '', targetGroups: [] },
          canary: { version: '', targetGroups: [] },
          workflowId: '',
          runId: '',
        },
      };
    } else if (this.isHeld(application, played)) {
      const conditions = [
        {
          type: 'Degraded',
          status: 'True' as const,
          reason: 'CheckFailed',
          message: '',
          lastTransitionTime: '',
        },
      ];
      played.status = {
        ...status,
        observedGeneration,
        phase: 'Paused',
        message: 'Check dd failed.',
        conditions,
      };
    } else if (isFailing) {
      played.serving = played.serving.filter((arn) => !wanted.includes(arn));
      const blockedVersions = [
        ...(status.blockedVersions ?? []),
        { version, cause: 'Check dd failed.', time: '' },
      ];
      played.status = { ...status, observedGeneration, phase: 'Reverted', canaryWeight: 0, blockedVersions };
    } else {
      complete();
    }
  }

  /** Takes a turn: status, action, and time passes. What is lost is lost before or after the action. */
  turn(
    lose: 'nothing' | 'before' | 'after' | 'twice' = 'nothing',
    observed: ObservedApplications = this.observe(),
  ): ApplicationsDecision {
    const turn = takeApplicationsTurn(recorded(observed, fingerprint), this.state, this.now);
    if (turn.report !== undefined) this.status = turn.report.status;
    this.state = turn.state;
    const { decision } = turn;
    this.decision = decision;
    if (lose === 'before') this.state = { ...initialApplicationsState };
    else if (decision.do === 'Act') {
      this.perform(decision.application, decision.action);
      if (lose === 'twice') this.perform(decision.application, decision.action);
      this.state = performed(this.state, decision.application, decision.action, this.now);
      if (lose === 'after') this.state = { ...initialApplicationsState };
    }
    this.isSafe();
    this.pass();
    this.isSafe();
    return decision;
  }

  /** Continues until nothing is done any more for a while. */
  run(most = 300): this {
    let idle = 0;
    for (let turn = 0; turn < most && idle < 9; turn += 1) idle = this.turn().do === 'Act' ? 0 : idle + 1;
    return this;
  }

  phases(): readonly string[] {
    return (this.status.applications ?? []).map(({ phase }) => phase);
  }

  /** Every cluster that gets traffic of an application that Argo CD deploys has a secret that asks for it; what waits for another application has traffic that waits, too. */
  isSafe(): void {
    for (const [application, { serving }] of this.children) {
      for (const arn of serving) {
        const cluster = clusterOf(arn);
        if (this.secrets.get(secretNameOf(cluster))?.asking[application] === undefined)
          throw new Error(
            `${cluster} serves ${application} without a secret, after ${this.trace.join(', ')}.`,
          );
      }
    }
    for (const { name, reason } of this.status.applications ?? [])
      if (reason === BEHIND && !this.isBehind(childName(CELL, name)))
        throw new Error(`${name} waits, and its Cell does not, after ${this.trace.join(', ')}.`);
    for (const [name, count] of this.runs) if (count > 1) throw new Error(`${name} was run ${count} times.`);
  }
}

/** The ARN of the target group of a cluster. */
export const arnOf = (cluster: string): string =>
  `arn:aws:elasticloadbalancing:eu-central-1:111122223333:targetgroup/${cluster}/0123456789abcdef`;

const clusterOf = (arn: string): string => arn.split('/')[1] ?? '';
