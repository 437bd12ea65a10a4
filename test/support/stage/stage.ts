import type { OkraStage, Weights } from './okra-stage.ts';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  ElasticLoadBalancingV2,
  paginateDescribeRules,
  type Action,
  type Rule,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import {
  ANALYSIS_RUN,
  AWS_APPLICATION_LOAD_BALANCER_CONFIG,
  AWS_NETWORK_LOAD_BALANCER_CONFIG,
  AWS_TARGET_GROUP,
  CELL,
  type KindRef,
} from '../../../clients/kubernetes/kinds.ts';
import { canonical } from '../../../domain/kubernetes/canonical.ts';
import { connectKubernetes, type KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import type { AWSApplicationLoadBalancerConfig } from '../../../crds/load-balancers/application-load-balancer.ts';
import type { AWSNetworkLoadBalancerConfig } from '../../../crds/load-balancers/network-load-balancer.ts';
import type { AWSTargetGroup } from '../../../crds/aws-target-group.ts';
import type { CanaryStep, Cell, CellStatus } from '../../../crds/cell.ts';
import { describeRoute, type Route } from '../../../domain/load-balancers/load-balancer.ts';
import { createListener, createNetworkListener, createTargetGroup } from '../../../local/aws-fixture.ts';
import { awsIdentity } from '../../../local/components/aws.ts';
import { proxyControl, type CallRecord } from '../../../local/elbv2-proxy/control.ts';
import type { StackView } from '../setup.ts';
import { until } from '../until.ts';
import { applyAllTo, type ApplyAll } from '../../../local/applying/apply.ts';
import { changesOf, type Changes } from './changes.ts';
import { closingViolations, statusViolations } from './closing.ts';
import { editsOf, type DeletionOptions, type Edits, type Notes, type PatchOptions } from './edits.ts';
import { eventsIn, untilTold, type Told } from './events.ts';
import { violations } from './invariants.ts';
import { serveMetrics, type Metrics } from './metrics.ts';
import { rarelyCollected } from '../okrads/flags.ts';
import { startHosted, type StartedOkrad } from '../okrads/hosted.ts';
import { ownFaults, type OwnFaults } from './own-faults.ts';
import { openDesk, type TemporalDesk } from './temporal.ts';
import { startOkrad, type Okrad } from '../../../local/okrad.ts';

const run = promisify(execFile);

/** An AnalysisRun as far as tests look at it. */
export interface AnalysisRun {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { kind: string; name: string }[];
  };
  readonly spec: {
    readonly args?: readonly { name: string; value?: string }[];
    readonly metrics?: readonly { name: string }[];
    readonly terminate?: boolean;
  };
  readonly status?: {
    readonly phase?: string;
    readonly metricResults?: readonly { measurements?: readonly { finishedAt?: string }[] }[];
  };
}

let stages = 0;

/** What tells the calls of tests from those of okrad in the log of the proxy. */
const STAGE_AGENT = 'okra-stage';

/** What okrad signs its calls to AWS with; unique, so that it would be found wherever it does not belong. */
const secretOf = (namespace: string): string => `secret-of-${namespace}`;

/** What is added to okrad's environment. */
type Environment = Readonly<Record<string, string>>;

/** How a stage is set up. */
interface StageOptions {
  /** Whether the test ends its okrad, which then shares its process with no other. */
  readonly endsOkrad?: boolean;
  /** What is done in the namespace before okrad starts. */
  readonly prepare?: (namespace: string) => Promise<unknown>;
}

/** Whether an okrad can run in a process with others: what is added is read by its configuration alone (config/), and not by the SDK of AWS from the environment of the process. */
const canShare = (added: Environment): boolean =>
  Object.keys(added).every((name) => /^(OKRA|DD)_|^AWS_ENDPOINT_URL_/.test(name));

/** How the okrad of a stage is set up unless a test says otherwise. */
const settingsOf = (namespace: string): Environment => ({
  OKRA_WATCH_NAMESPACE: namespace,
  OKRA_TASK_QUEUE: namespace,
  OKRA_LEASE_NAMESPACE: namespace,
  OKRA_DRIFT_INTERVAL: '3600',
  OKRA_GRACE_PERIOD: '2',
  OKRA_ELBV2_WRITES_PER_SECOND: '100',
  OKRA_ELBV2_WRITE_BURST: '1000',
  OKRA_ELBV2_REGISTRATIONS_PER_SECOND: '100',
  OKRA_ELBV2_REGISTRATION_BURST: '1000',
  OKRA_ELBV2_READS_PER_SECOND: '1000',
  OKRA_ELBV2_READ_BURST: '1000',
});

/** Starts an okrad as it is shipped, in a process of its own. */
function startAlone(
  stack: StackView,
  { log, environment }: { readonly log: string; readonly environment: Environment },
): StartedOkrad {
  const secretAccessKey = secretOf(environment['OKRA_WATCH_NAMESPACE'] ?? '');
  const signing = { AWS_ACCESS_KEY_ID: awsIdentity.okradKey, AWS_SECRET_ACCESS_KEY: secretAccessKey };
  const whole = { ...stack.environment, ...signing, ...environment };
  const okrad = startOkrad({ log, environment: whole, program: stack.built.okrad, flags: rarelyCollected });
  return { okrad, secretAccessKey, moreLogs: [] };
}

/** A namespace, a listener and an okrad of a test file's own, on a stack that it shares. */
export class Stage implements OkraStage {
  readonly stack: StackView;
  readonly namespace: string;
  readonly kubernetes: KubernetesClient;
  readonly elbv2: ElasticLoadBalancingV2;
  readonly proxy: OwnFaults;
  readonly metrics: Metrics;
  readonly okrad: Okrad;
  /** What okrad signs its calls to AWS with. */
  readonly secretAccessKey: string;
  readonly moreLogs: readonly string[];
  readonly listenerARN: string;
  readonly desk: TemporalDesk;
  readonly #apply: ApplyAll;
  readonly #edits: Edits;
  /** Of the Cells of the stage. */
  readonly #changes: Changes;
  readonly arns = new Map<string, string>();
  readonly versions = new Map<string, string>();
  /** The listeners of Network Load Balancers, by the name of the group that each forwarded to first. */
  readonly networkListeners = new Map<string, string>();
  /** What has to stay secret besides the key that signs the calls to AWS. */
  readonly secrets: string[] = [];
  /** Other listeners whose calls count as those of this stage. */
  readonly moreListeners: string[] = [];
  /** The last call before this stage was opened: none of those before it is about this stage. */
  readonly #opened: number;
  #since: number;

  private constructor(
    parts: Pick<
      Stage,
      | 'stack'
      | 'namespace'
      | 'kubernetes'
      | 'elbv2'
      | 'proxy'
      | 'metrics'
      | 'okrad'
      | 'secretAccessKey'
      | 'moreLogs'
      | 'listenerARN'
    >,
    opened: number,
  ) {
    this.#opened = opened;
    this.#since = opened;
    this.stack = parts.stack;
    this.namespace = parts.namespace;
    this.kubernetes = parts.kubernetes;
    this.elbv2 = parts.elbv2;
    this.proxy = parts.proxy;
    this.metrics = parts.metrics;
    this.okrad = parts.okrad;
    this.secretAccessKey = parts.secretAccessKey;
    this.moreLogs = parts.moreLogs;
    this.listenerARN = parts.listenerARN;
    this.desk = openDesk(parts.stack);
    this.#apply = applyAllTo(parts.stack.kubeconfig);
    this.#edits = editsOf(parts.stack.kubeconfig, parts.namespace);
    this.#changes = changesOf(parts.kubernetes, parts.namespace);
  }

  /**
   * Sets everything up; `environment` is added to okrad's, which shares a process with those of other stages unless the
   * test ends it or sets what belongs to a process.
   */
  static async open(
    stack: StackView,
    environment: Environment = {},
    { endsOkrad = false, prepare }: StageOptions = {},
  ): Promise<Stage> {
    stages += 1;
    const namespace = `t${process.pid}-${stages}-${Date.now().toString(36)}`.slice(0, 30);
    const kubernetes = connectKubernetes(stack.kubeconfig);
    const elbv2 = new ElasticLoadBalancingV2({
      region: stack.aws.region,
      endpoint: stack.aws.endpoint,
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      customUserAgent: STAGE_AGENT,
    });
    const proxy = ownFaults(proxyControl(stack.proxyControl));
    const opened = await proxy.lastCall();
    await kubernetes.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await prepare?.(namespace);
    const { listenerArn } = await createListener(elbv2, namespace);
    const metrics = await serveMetrics();
    const options = {
      log: join(stack.logs, `okrad-${namespace}.log`),
      environment: { ...settingsOf(namespace), ...environment },
    };
    const host = endsOkrad || !canShare(environment) ? undefined : stack.okrads;
    const started =
      host === undefined
        ? startAlone(stack, options)
        : startHosted(host, { ...options, program: stack.built.okrad });
    const listenerARN = listenerArn;
    return new Stage(
      { stack, namespace, kubernetes, elbv2, proxy, metrics, listenerARN, ...started },
      opened,
    );
  }

  /** Ends okrad and the endpoint, and holds all that they left behind against what must always hold; `writes` says whether any Cell of the stage has traffic. */
  async close({ writes = true }: { readonly writes?: boolean } = {}): Promise<void> {
    await this.proxy.clearOwnFaults();
    const late = await statusViolations(this);
    await this.okrad.end('SIGTERM');
    const secrets = [this.secretAccessKey, ...this.secrets];
    const broken = [...late, ...(await closingViolations(this, { secrets, writes }))];
    if (broken.length > 0) throw new Error(broken.join('\n'));
    if (process.env['OKRA_RECORD_HISTORIES'] !== undefined)
      await this.desk.record(`OkraNamespace="${this.namespace}"`);
    await this.#changes[Symbol.asyncDispose]();
    await this.metrics[Symbol.asyncDispose]();
    await this.desk[Symbol.asyncDispose]();
    this.elbv2.destroy();
  }

  /** Runs kubectl in the namespace; what it prints is the answer. */
  async kubectl(...args: readonly string[]): Promise<string> {
    const { stdout } = await run(this.stack.binaries.kubectl, ['-n', this.namespace, ...args], {
      env: { ...process.env, ...this.stack.environment },
    });
    return stdout;
  }

  /** Runs the Temporal CLI. */
  async temporal(...args: readonly string[]): Promise<string> {
    const { stdout } = await run(this.stack.binaries.temporal, [...args], {
      env: { ...process.env, ...this.stack.environment },
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  }

  /** The id of the workflow of a Cell. */
  readonly workflowId = (cell: string): string => `cell/${this.namespace}/${cell}`;

  /** Sends a signal to the workflow of a Cell. */
  signal(cell: string, name: string, ...input: readonly unknown[]): Promise<void> {
    return this.desk.signal(this.workflowId(cell), name, ...input);
  }

  /** How many runs of workflows a query finds. */
  count(query: string): Promise<number> {
    return this.desk.count(query);
  }

  /** Waits until no run of a workflow is under way. */
  async untilClosed(workflowId: string): Promise<void> {
    await until(
      `${workflowId} to close`,
      async () => (await this.count(`WorkflowId="${workflowId}" AND ExecutionStatus="Running"`)) === 0,
    );
  }

  /**
   * Waits until nothing is left to do for a Cell as its spec is now, and its run has taken up all that it was told; the
   * run itself stays open while groups wait at weight 0.
   */
  async untilAtRest(name: string): Promise<void> {
    const read = () => this.kubernetes.get<Cell>(CELL, { namespace: this.namespace, name });
    await until(
      `Cell ${name} to be at rest`,
      async () => {
        if (await this.desk.isAtWork(this.workflowId(name))) return false;
        const cell = await read();
        const progressing = cell?.status?.conditions?.find(({ type }) => type === 'Progressing');
        return (
          progressing?.status === 'False' && progressing.observedGeneration === cell?.metadata.generation
        );
      },
      { seen: async () => (await read())?.status },
    );
  }

  /** Sends a signal, and starts the workflow if need be; a run that is just closing is asked again. */
  async signalWithStart(type: string, workflowId: string, signal: string, name: string): Promise<void> {
    const input = { key: { namespace: this.namespace, name } };
    const options = { workflowId, taskQueue: this.namespace, signal, input };
    await until(`${workflowId} to take ${signal}`, () => this.desk.signalWithStart(type, options));
  }

  /** The history of a run as JSON, with payloads in base64. */
  history(workflowId: string, runId: string): Promise<string> {
    return this.desk.history(workflowId, runId);
  }

  /** Applies an object in the namespace, or all objects of a List one after the other. */
  apply(object: object): Promise<void> {
    return this.#apply(object, this.namespace);
  }

  /** Applies an object in the namespace by `kubectl apply`, as users do, with more options of it. */
  async applyByKubectl(object: object, ...options: readonly string[]): Promise<void> {
    const { kubectl } = this.stack.binaries;
    const child = run(kubectl, ['-n', this.namespace, 'apply', ...options, '-f', '-'], {
      env: { ...process.env, ...this.stack.environment },
    });
    child.child.stdin?.end(JSON.stringify(object));
    await child;
  }

  /** Changes an object by a JSON merge patch. */
  patch(kind: KindRef, name: string, mergePatch: object, options?: PatchOptions): Promise<void> {
    return this.#edits.patch(kind, name, mergePatch, options);
  }

  /** Sets labels of an object, whatever they were; null takes one away. */
  label(kind: KindRef, name: string, labels: Notes): Promise<void> {
    return this.#edits.patch(kind, name, { metadata: { labels } });
  }

  /** Sets annotations of an object, whatever they were; null takes one away. */
  annotate(kind: KindRef, name: string, annotations: Notes): Promise<void> {
    return this.#edits.patch(kind, name, { metadata: { annotations } });
  }

  /** Deletes an object, which is there, and waits until it is gone unless told not to. */
  delete(kind: KindRef, name: string, options?: DeletionOptions): Promise<void> {
    return this.#edits.delete(kind, name, options);
  }

  /** Creates target groups with one healthy target each and the AWSTargetGroups that name them. */
  async targetGroups(
    version: string | undefined,
    names: readonly string[],
    labels: Readonly<Record<string, string>> = { role: 'web' },
    protocol: 'HTTP' | 'TCP' = 'HTTP',
  ): Promise<void> {
    for (const name of names) {
      if (!this.arns.has(name)) {
        const { arn } = await createTargetGroup(this.elbv2, this.#nameInAWS(name), { protocol });
        this.arns.set(name, arn);
      }
      const arn = this.arns.get(name);
      if (version !== undefined && arn !== undefined) this.versions.set(arn, version);
    }
    await this.apply({
      apiVersion: 'v1',
      kind: 'List',
      items: names.map((name) => this.targetGroup(version, name, labels)),
    });
  }

  /**
   * The same, and only then do they get their labels: what is found out about new ones is a change as well, by which a
   * write that has just begun is put off for another look.
   */
  async targetGroupsOnceReady(
    version: string,
    names: readonly string[],
    labels: Readonly<Record<string, string>>,
    protocol: 'HTTP' | 'TCP' = 'HTTP',
  ): Promise<void> {
    await this.targetGroups(undefined, names, { role: 'not-yet' }, protocol);
    for (const name of names) {
      const key = { namespace: this.namespace, name };
      const read = () => this.kubernetes.get<AWSTargetGroup>(AWS_TARGET_GROUP, key);
      await until(
        `AWSTargetGroup ${name} to be Ready`,
        async () =>
          (await read())?.status?.conditions?.some(
            ({ type, status }) => type === 'Ready' && status === 'True',
          ) === true,
        { seen: async () => (await read())?.status },
      );
    }
    await this.targetGroups(version, names, labels, protocol);
  }

  #nameInAWS(name: string): string {
    return `${this.namespace.slice(-20)}-${name}`.replace(/^-+/, '');
  }

  /** Creates a Network Load Balancer whose listener forwards to a new TCP target group of this name. */
  async networkListener(group: string): Promise<string> {
    const name = this.#nameInAWS(group);
    const { arn } = await createTargetGroup(this.elbv2, name, { protocol: 'TCP' });
    const { listenerArn } = await createNetworkListener(this.elbv2, name, arn);
    this.arns.set(group, arn);
    this.networkListeners.set(group, listenerArn);
    return listenerArn;
  }

  /** A Cell on the listener of a Network Load Balancer. */
  networkCell(
    name: string,
    listenerARN: string,
    options: { steps?: readonly CanaryStep[]; spec?: object } = {},
  ): object {
    const { steps = [], spec = {} } = options;
    return {
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'Cell',
      metadata: { name },
      spec: {
        ingress: {
          type: 'AWSNetworkLoadBalancer',
          awsNetworkLoadBalancer: { listenerARN, targetGroupSelector: { matchLabels: { role: name } } },
        },
        // The local load balancers follow at once.
        settle: '0s',
        updateStrategy: { type: 'Canary', canary: { steps } },
        ...spec,
      },
    };
  }

  /** An AWSTargetGroup of a target group that exists. */
  targetGroup(version: string | undefined, name: string, labels: Readonly<Record<string, string>>): object {
    return {
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'AWSTargetGroup',
      metadata: {
        name,
        labels: { ...labels, ...(version === undefined ? {} : { 'okra.mumo.co/version': version }) },
      },
      spec: { arn: this.arns.get(name) },
    };
  }

  /** A Cell on the listener of the stage. */
  cell(
    name: string,
    options: {
      steps?: readonly CanaryStep[];
      priority?: number;
      role?: string;
      rule?: object;
      spec?: object;
    } = {},
  ): object {
    const { steps = [], priority = 10, role = 'web', rule, spec = {} } = options;
    return {
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'Cell',
      metadata: { name },
      spec: {
        ingress: {
          type: 'AWSApplicationLoadBalancer',
          awsApplicationLoadBalancer: {
            listenerARN: this.listenerARN,
            listener: { rule: rule ?? { priority, hosts: ['example.com'], forward: {} } },
            targetGroupSelector: { matchLabels: { role } },
          },
        },
        // The local load balancers follow at once.
        settle: '0s',
        updateStrategy: { type: 'Canary', canary: { steps } },
        ...spec,
      },
    };
  }

  /**
   * An AnalysisTemplate that is successful after as many good measurements of the endpoint of the stage. Until there is a
   * rate its measurements are inconclusive: after an error Argo Rollouts would not measure again for 10 s.
   */
  analysisTemplate(name: string, args: readonly object[] = [{ name: 'service-name' }], count = 2): object {
    return {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AnalysisTemplate',
      metadata: { name },
      spec: {
        args,
        metrics: [
          {
            name: 'rate',
            interval: '1s',
            count: 10_000,
            consecutiveSuccessLimit: count,
            consecutiveErrorLimit: 60,
            inconclusiveLimit: 10_000,
            successCondition: 'result >= 0.95',
            failureCondition: 'result >= 0 && result < 0.95',
            provider: { web: { url: this.metrics.patientURL, jsonPath: '{$.rate}' } },
          },
        ],
      },
    };
  }

  #cellNow(name: string): Promise<Cell | undefined> {
    return this.kubernetes.get<Cell>(CELL, { namespace: this.namespace, name });
  }

  /** The status of a Cell. */
  async status(name: string): Promise<CellStatus> {
    return (await this.#cellNow(name))?.status ?? {};
  }

  /** The configuration object of a Cell behind a Network Load Balancer. */
  networkConfig(name: string): Promise<AWSNetworkLoadBalancerConfig | undefined> {
    return this.kubernetes.get(AWS_NETWORK_LOAD_BALANCER_CONFIG, { namespace: this.namespace, name });
  }

  /** The configuration object of a Cell. */
  config(name: string): Promise<AWSApplicationLoadBalancerConfig | undefined> {
    return this.kubernetes.get(AWS_APPLICATION_LOAD_BALANCER_CONFIG, { namespace: this.namespace, name });
  }

  /** What the Events of the namespace tell, of the objects of a name or of all. */
  events(name?: string): Promise<readonly Told[]> {
    return eventsIn(this.kubernetes, this.namespace, name);
  }

  /** Waits until an Event of the namespace tells something: its reason, or a part of what it says. */
  untilTold(what: string): Promise<void> {
    return untilTold(() => this.events(), what);
  }

  /** The AnalysisRuns of a Cell. */
  async analysisRuns(cell: string): Promise<readonly AnalysisRun[]> {
    return this.kubernetes.list<AnalysisRun>(ANALYSIS_RUN, {
      namespace: this.namespace,
      labelSelector: `okra.mumo.co/cell=${cell}`,
    });
  }

  /** All rules of a listener, as AWS says. */
  async rules(listenerARN = this.listenerARN): Promise<readonly Rule[]> {
    const rules: Rule[] = [];
    for await (const page of paginateDescribeRules({ client: this.elbv2 }, { ListenerArn: listenerARN })) {
      rules.push(...(page.Rules ?? []));
    }
    return rules;
  }

  /** The rule with a priority; undefined when there is none. */
  async rule(priority: number): Promise<Rule | undefined> {
    return (await this.rules()).find((rule) => rule.Priority === String(priority));
  }

  /** What the rule with a priority forwards to, as AWS says; undefined when there is no such rule. */
  async weights(priority = 10, listenerARN = this.listenerARN): Promise<Weights | undefined> {
    const rule = (await this.rules(listenerARN)).find((one) => one.Priority === String(priority));
    return rule === undefined ? undefined : this.#weightsIn(rule.Actions);
  }

  /** What the default action of a listener forwards to, as AWS says. */
  async defaultWeights(listenerARN: string): Promise<Weights> {
    const { Listeners } = await this.elbv2.describeListeners({ ListenerArns: [listenerARN] });
    return this.#weightsIn(Listeners?.[0]?.DefaultActions);
  }

  /** What is forwarded to on a route, as AWS says. */
  servedBy(route: Route): Promise<Weights | undefined> {
    if (route.type === 'AWSNetworkLoadBalancer') return this.defaultWeights(route.listenerARN);
    if (route.type === 'AWSApplicationLoadBalancer')
      return this.weights(route.listener.rule.priority, route.listenerARN);
    throw new TypeError(`Expected a route by ELBv2, got ${describeRoute(route)}.`);
  }

  #weightsIn(actions: readonly Action[] | undefined): Weights {
    const groups = actions?.find((one) => one.Type === 'forward')?.ForwardConfig?.TargetGroups ?? [];
    const names = new Map([...this.arns].map(([name, arn]) => [arn, name]));
    return Object.fromEntries(
      groups.map((group) => [
        names.get(group.TargetGroupArn ?? '') ?? group.TargetGroupArn,
        group.Weight ?? 0,
      ]),
    );
  }

  /** Waits until a Cell's status fulfils a condition. */
  async untilStatus(
    name: string,
    what: string,
    holds: (status: CellStatus) => boolean,
    timeoutMs?: number,
  ): Promise<CellStatus> {
    let known = 0;
    let read: Cell | undefined;
    return until(
      `Cell ${name} to be ${what}`,
      async () => {
        known = this.#changes.count(name);
        read = this.#changes.newer(name, read) ?? (await this.#cellNow(name));
        const status = read?.status ?? {};
        return holds(status) ? status : undefined;
      },
      {
        seen: () => this.status(name),
        pause: () => this.#changes.moreThan(known, name),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      },
    );
  }

  /** Waits until a Cell is in a phase. */
  untilPhase(name: string, phase: NonNullable<CellStatus['phase']>, version?: string): Promise<CellStatus> {
    return this.untilStatus(
      name,
      `${phase}${version === undefined ? '' : ` at ${version}`}`,
      (status) => status.phase === phase && (version === undefined || status.stableVersion === version),
    );
  }

  /** Waits until AWS serves weights with the rule of a priority, or with the default action of a listener. */
  async untilWeights(weights: Weights, at: number | string = 10): Promise<void> {
    const key = (some: Weights | undefined): string => canonical(some ?? {});
    const read = () => (typeof at === 'number' ? this.weights(at) : this.defaultWeights(at));
    let known = 0;
    await until(
      `${typeof at === 'number' ? 'rule ' : ''}${at} to have ${JSON.stringify(weights)}`,
      async () => {
        known = this.#changes.count();
        return key(await read()) === key(weights);
      },
      // The status of a Cell tells of weights once they are served.
      { seen: read, pause: () => this.#changes.moreThan(known) },
    );
  }

  /** The calls that okrad made about this listener since the last mark. */
  async calls(): Promise<readonly CallRecord[]> {
    const ours = new Set(this.arns.values());
    const listeners = [this.listenerARN, ...this.networkListeners.values(), ...this.moreListeners];
    const names = listeners.map((arn) => `/${arn.split('/')[2] ?? ''}/`);
    // What the stage has made has the end of its namespace in its name: the proxy need not send the calls of other stages.
    const end = this.#nameInAWS('');
    const others = [...ours, ...names].filter((one) => !one.includes(end));
    const about = await this.proxy.calls({ since: this.#since, mentions: [end, ...others] });
    return about.filter((call) => {
      if (call.userAgent.includes(STAGE_AGENT)) return false;
      const parameters = JSON.stringify(call.parameters);
      return (
        names.some((name) => parameters.includes(name)) || [...ours].some((arn) => parameters.includes(arn))
      );
    });
  }

  /** All calls that okrad made about this listener. */
  async allCalls(): Promise<readonly CallRecord[]> {
    const since = this.#since;
    this.#since = this.#opened;
    try {
      return await this.calls();
    } finally {
      this.#since = since;
    }
  }

  /** Forgets the calls so far. */
  async mark(): Promise<void> {
    this.#since = await this.proxy.lastCall();
  }

  /** The writes to rules among the calls since the last mark that AWS has applied, as weights by name. */
  async writes(): Promise<readonly Weights[]> {
    const names = new Map([...this.arns].map(([name, arn]) => [arn, name]));
    const calls = (await this.calls()).filter(
      (call) =>
        call.applied && call.after !== undefined && /^(Create|Modify)(Rule|Listener)$/.test(call.action),
    );
    return calls.flatMap((call) =>
      (call.after ?? []).map((rule) =>
        Object.fromEntries(
          rule.forward.map((group) => [names.get(group.arn) ?? group.arn, group.weight ?? 1]),
        ),
      ),
    );
  }

  /** Says how the calls since the last mark break what must always hold. */
  async violations(totals: readonly number[], ...priorities: readonly number[]): Promise<readonly string[]> {
    const listeners = [...this.networkListeners.values()];
    return violations(await this.calls(), { priorities, listeners, versions: this.versions, totals });
  }
}
