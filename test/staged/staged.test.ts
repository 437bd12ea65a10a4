import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  BINDING,
  BINDING_POLICY,
  CONFIG_MAP,
  FREEZE,
  STAGED_BINDING_POLICY,
} from '../../clients/kubernetes/kinds.ts';
import { connectKubernetes, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { StagedBindingPolicy, StagedBindingPolicyStatus } from '../../crds/staged-binding-policy.ts';
import { objectWorkflowId } from '../../domain/model/workflow-ids.ts';
import { DEPLOYMENT, KubeStellar, type Workload } from '../../local/kubestellar/kubestellar.ts';
import { installKubeStellar } from '../../local/kubestellar/install.ts';
import { nginx } from '../support/samples/staged.ts';
import { onStage } from '../support/stage/on-stage.ts';
import type { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';

interface Policy {
  readonly metadata: {
    readonly uid: string;
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
  };
  readonly spec: {
    readonly clusterSelectors: readonly object[];
    readonly downsync: readonly { readonly statusCollectors: readonly string[] }[];
  };
}

const [dev, prod] = nginx.stages;
const stagedBindingId = (name: string): string =>
  objectWorkflowId('StagedBindingPolicy', { namespace: '', name });
const test = { ...dev, name: 'test', clusterSelectors: [{ matchLabels: { env: 'test' } }] };
const test2 = { ...test, name: 'test2' };
const lastOne = { ...prod, filter: dev.filter, condition: dev.condition };

describe('a StagedBindingPolicy', () => {
  let stage: Stage;
  let priority = 0;
  let kubernetes: KubernetesClient;
  let kubestellar: KubeStellar;
  let nginxDeployment: Workload;
  let configMap: Workload;
  const made: string[] = [];

  beforeAll(async () => {
    kubernetes = connectKubernetes(inject('stack').kubeconfig);
    await installKubeStellar(kubernetes);
    kubestellar = new KubeStellar(kubernetes);
  });
  onStage(
    {
      totals: [20],
      endsOkrad: true,
      environment: {
        OKRA_STAGED_BINDING_POLICY_SELECTOR: 'ignored!=true',
        OKRA_SYNC_INTERVAL: '3600',
        // Who is killed and comes again as the same leads at once.
        OKRA_IDENTITY: 'staged',
      },
      prepare: async (opened) => {
        const { namespace } = opened;
        nginxDeployment = { kind: DEPLOYMENT, namespace, name: 'nginx' };
        configMap = { kind: CONFIG_MAP, namespace, name: 'cfg' };
        await opened.apply(deployment('nginx'));
        await opened.apply({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'cfg' },
          data: { a: 'b' },
        });
      },
    },
    (opened, free) => {
      stage = opened;
      priority = free;
    },
  );
  afterAll(async () => {
    await Promise.all(made.map((name) => kubernetes.delete(STAGED_BINDING_POLICY, { name })));
    if (process.env['OKRA_RECORD_HISTORIES'] === undefined) return;
    await Promise.all(made.map((name) => stage.untilClosed(stagedBindingId(name))));
    await stage.desk.record('WorkflowType="stagedBinding"');
  });

  const deployment = (name: string, image = 'nginx:1'): object => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas: 0,
      selector: { matchLabels: { name } },
      template: { metadata: { labels: { name } }, spec: { containers: [{ name, image }] } },
    },
  });
  const manifest = (name: string, spec: object): object => ({
    apiVersion: 'community.kubestellar.io/v1alpha1',
    kind: 'StagedBindingPolicy',
    metadata: { name },
    spec,
  });
  async function apply(
    name: string,
    stages: readonly object[] = nginx.stages,
    more: object = {},
  ): Promise<void> {
    if (!made.includes(name)) made.push(name);
    await stage.apply(manifest(name, { ...nginx, stages, ...more }));
  }
  const read = (name: string) => kubernetes.get<StagedBindingPolicy>(STAGED_BINDING_POLICY, { name });
  const policyOf = (name: string, of: string) =>
    kubernetes.get<Policy>(BINDING_POLICY, { name: `${name}-${of}` });
  const untilStatus = (name: string, what: string, holds: (status: StagedBindingPolicyStatus) => boolean) =>
    until(
      `${name}: ${what}`,
      async () => {
        const status = (await read(name))?.status;
        return status !== undefined && holds(status) && status;
      },
      { seen: async () => (await read(name))?.status },
    );
  const untilAt = (name: string, of: string) =>
    untilStatus(name, `at ${of}`, ({ activeStage }) => activeStage === of);
  const untilPlaced = (name: string, of: string) =>
    until(`${name}-${of} to be placed`, () => policyOf(name, of), {
      seen: async () => (await read(name))?.status,
    });
  const untilReason = (name: string, reason: string) =>
    untilStatus(name, reason, (status) => status.reason === reason);
  const ask = (name: string, request: string, sent?: object) =>
    stage.desk.signal(stagedBindingId(name), request, ...(sent === undefined ? [] : [sent]));

  /** KubeStellar binds a stage, with what the published example selects unless said otherwise. */
  async function bind(name: string, of: string, objects = [nginxDeployment, configMap]): Promise<void> {
    await untilPlaced(name, of);
    await kubestellar.bind(`${name}-${of}`, objects, [`${of}1`]);
  }
  const report = (
    name: string,
    of: string,
    said: Partial<Parameters<KubeStellar['report']>[2]> = {},
    object = nginxDeployment,
  ) => kubestellar.report(`${name}-${of}`, object, { clusters: [`${of}1`], ...said });
  /** Takes a stage as far as KubeStellar and its clusters can. */
  async function fulfil(name: string, of: string): Promise<void> {
    await bind(name, of);
    await report(name, of);
  }

  it('A-W01, A-W05 places the first stage of the published example, with all that it says, and nothing else', async () => {
    const name = 'nginx-staged-bindingpolicy';
    made.push(name);
    await stage.applyByKubectl(manifest(name, nginx));
    const policy = await untilPlaced(name, 'dev');
    expect(policy.spec.clusterSelectors).toEqual([{ matchLabels: { env: 'dev' } }]);
    expect(policy.spec.downsync).toEqual([
      { ...nginx.downsync[0], statusCollectors: ['deployments-aggregator', 'okra-reports'] },
    ]);
    expect(policy.metadata.ownerReferences).toMatchObject([{ kind: 'StagedBindingPolicy', name }]);
    await untilReason(name, 'Binding');
    expect(await policyOf(name, 'prod')).toBeUndefined();
    // It is looked at again by the last test, when Kubernetes has collected it.
    await apply('gone');
    await untilPlaced('gone', 'dev');
    await kubernetes.delete(STAGED_BINDING_POLICY, { name: 'gone' });
  });

  it('A-W02, A-W03, A-W04, A-W12 waits for the objects that the filter keeps, continues once, and survives kills at every event', async () => {
    const name = 'steady';
    const kill = async () => {
      await stage.okrad.end('SIGKILL');
      stage.okrad.start();
    };
    await apply(name, [dev, lastOne]);
    await kill();
    await bind(name, 'dev');
    await report(name, 'dev', { float: '0' });
    const waiting = await untilStatus(
      name,
      'waiting for the condition',
      (status) => status.message?.includes('does not hold') === true,
    );
    expect(waiting).toMatchObject({ activeStage: 'dev', fulfilled: '0/1' });
    expect(waiting.stages?.[0]).toMatchObject({
      phase: 'Waiting',
      objects: 1,
      fulfilled: 0,
      firstUnfulfilled: `deployments.apps ${stage.namespace}/nginx`,
    });
    const first = await policyOf(name, 'dev');
    await kill();
    await report(name, 'dev');
    await untilAt(name, 'prod');
    await kill();
    await fulfil(name, 'prod');
    await untilStatus(name, 'completed', ({ phase }) => phase === 'Completed');
    expect((await policyOf(name, 'dev'))?.metadata.uid).toBe(first?.metadata.uid);
    expect(
      (await kubernetes.list<Policy>(BINDING_POLICY)).filter(
        ({ metadata }) => metadata.ownerReferences?.[0]?.name === name,
      ),
    ).toHaveLength(2);
    await stage.kubectl('wait', '--for=condition=Ready', `sbp/${name}`, '--timeout=5s');
  });

  it('A-W04, A-W06, A-W07 counts every object that it looks at, and none is not enough', async () => {
    await stage.apply(deployment('second'));
    const second = { ...nginxDeployment, name: 'second' };
    const { filter: _filter, ...unfiltered } = dev;
    await Promise.all([apply('unfiltered', [unfiltered, prod]), apply('two'), apply('none')]);
    await bind('unfiltered', 'dev');
    await report('unfiltered', 'dev');
    await bind('two', 'dev', [nginxDeployment, second]);
    await report('two', 'dev');
    await bind('none', 'dev', [configMap]);
    expect(
      await untilStatus('unfiltered', 'one of two', ({ fulfilled }) => fulfilled === '1/2'),
    ).toMatchObject({ activeStage: 'dev' });
    expect(await untilStatus('two', 'one of two', ({ fulfilled }) => fulfilled === '1/2')).toMatchObject({
      activeStage: 'dev',
    });
    expect(
      await untilStatus('none', 'none', ({ message }) => message?.includes('selects none of them') === true),
    ).toMatchObject({ activeStage: 'dev' });
    await report('two', 'dev', {}, second);
    await untilAt('two', 'prod');
  });

  it('A-W08 counts no CombinedStatus that is foreign, empty, or from before an edit', async () => {
    const name = 'careful';
    await stage.apply(deployment('edited'));
    const edited = { ...nginxDeployment, name: 'edited' };
    await apply(name);
    await bind(name, 'dev', [edited]);
    await report(name, 'dev', { uid: '00000000-0000-0000-0000-000000000000' }, edited);
    await untilStatus(
      name,
      'none of its own',
      ({ message }) => message?.includes('No CombinedStatus') === true,
    );
    await report(name, 'dev', { rows: [] }, edited);
    await untilStatus(name, 'no rows', ({ message }) => message?.includes('reported no rows') === true);
    await report(name, 'dev', { at: new Date(0) }, edited);
    await untilStatus(
      name,
      'an old report',
      ({ message }) => message?.includes('latest version of the object') === true,
    );
    // What was reported of it holds on, and is about the version before.
    await report(name, 'dev', { float: '0' }, edited);
    await untilStatus(name, 'not met', ({ message }) => message?.includes('does not hold') === true);
    await stage.apply(deployment('edited', 'nginx:2'));
    await report(name, 'dev', { at: new Date(Date.now() - 3_600_000) }, edited);
    await bind(name, 'dev', [edited]);
    await untilStatus(
      name,
      'a report from before the edit',
      ({ message }) => message?.includes('latest version of the object') === true,
    );
    await report(name, 'dev', {}, edited);
    await untilAt(name, 'prod');
  });

  it('A-W09, A-W15, A-W16, A-W17 takes stages one by one, never back, and stays at the last', async () => {
    const name = 'three';
    const byAlias = { ...test, condition: dev.condition.replaceAll('obj.', 'combinedStatus.') };
    await apply(name, [dev, byAlias, prod]);
    await fulfil(name, 'dev');
    await untilAt(name, 'test');
    await untilReason(name, 'Binding');
    expect(await policyOf(name, 'prod')).toBeUndefined();
    await report(name, 'dev', { float: '0' });
    await fulfil(name, 'test');
    await untilAt(name, 'prod');
    await bind(name, 'prod');
    const done = await untilStatus(name, 'completed', ({ phase }) => phase === 'Completed');
    expect(done.stages?.map(({ phase }) => phase)).toEqual(['Passed', 'Passed', 'Fulfilled']);
  });

  it('A-W10, A-W11 reports expressions that are none, and never continues by them', async () => {
    const guarded =
      "obj.results.exists(r, r.rows.exists(row, row.columns.exists(col, col.type == 'Number' && col.float == '1')))";
    await Promise.all([
      apply('broken', [{ ...dev, condition: 'obj.results.exists(' }, prod]),
      apply('number', [{ ...dev, condition: 'obj.results.size()' }, prod]),
      apply('guarded', [{ ...dev, condition: guarded }, prod]),
    ]);
    for (const name of ['broken', 'number']) {
      const status = await untilReason(name, 'InvalidExpression');
      expect(status.conditions).toContainEqual(
        expect.objectContaining({ type: 'SpecAccepted', status: 'False' }),
      );
      expect(await policyOf(name, 'dev')).toBeUndefined();
    }
    await bind('guarded', 'dev');
    await report('guarded', 'dev', {
      rows: [
        {
          columns: [
            { type: 'String', string: 'x' },
            { type: 'Number', float: '1' },
          ],
        },
      ],
    });
    await untilAt('guarded', 'prod');
  });

  it('A-W13 applies what is synced to all stages that have begun at once, and refuses to change these', async () => {
    const name = 'edited';
    await apply(name, [dev, test, prod]);
    await fulfil(name, 'dev');
    await bind(name, 'test');
    await untilReason(name, 'Waiting');
    const renamed = { ...test, name: 'staging' };
    const wider = { ...dev, clusterSelectors: [...dev.clusterSelectors, { matchLabels: { env: 'more' } }] };
    for (const stages of [
      [dev, renamed, prod],
      [test, dev, prod],
      [dev, prod],
      [wider, test, prod],
    ])
      await expect(apply(name, stages)).rejects.toThrow('The stages up to status.activeStage have begun');
    const downsync = [{ ...nginx.downsync[0], namespaces: [stage.namespace] }];
    await apply(name, [dev, { ...test, soak: '1s' }, { ...prod, name: 'last' }, test2], { downsync });
    for (const of of ['dev', 'test'])
      await until(`${of} to be updated`, async () =>
        JSON.stringify((await policyOf(name, of))?.spec.downsync).includes(stage.namespace),
      );
    // What was taken back can change.
    await fulfil(name, 'dev');
    await ask(name, 'abort');
    await untilAt(name, 'dev');
    await apply(name, [dev, renamed], { downsync });
    await ask(name, 'retry');
    await untilPlaced(name, 'staging');
  });

  it('is paused, promoted, aborted and tried again by people, and says who and why', async () => {
    const name = 'asked';
    await apply(name, [{ ...dev, approval: 'Manual' }, test, prod]);
    await fulfil(name, 'dev');
    await untilReason(name, 'WaitingForApproval');
    const promote = { by: 'ann', reason: 'looks good', stage: 'dev' };
    await ask(name, 'promote', promote);
    await untilPlaced(name, 'test');
    // Sent twice, it does not finish the next one.
    await ask(name, 'promote', promote);
    await ask(name, 'pause', { by: 'bob' });
    await fulfil(name, 'test');
    await untilReason(name, 'Paused');
    await ask(name, 'resume');
    await untilPlaced(name, 'prod');
    await ask(name, 'abort', { by: 'ann', reason: 'prod is on fire' });
    const held = await untilStatus(name, 'rolled back', ({ phase }) => phase === 'RolledBack');
    expect(held).toMatchObject({
      activeStage: 'test',
      phase: 'RolledBack',
      held: { by: 'ann', stage: 'prod' },
    });
    expect(held.requests?.map(({ action, by }) => `${action} ${by}`)).toEqual([
      'promote ann',
      'pause bob',
      'resume an operator',
      'abort ann',
    ]);
    expect(await policyOf(name, 'prod')).toBeUndefined();
    // Sent twice, it takes back what it was about, and nothing more.
    await ask(name, 'abort', { stage: 'prod' });
    await ask(name, 'abort', { to: 'test' });
    await ask(name, 'retry');
    await untilPlaced(name, 'prod');
  });

  it('reaches the clusters of a stage one after the other, and stops when too many have failed', async () => {
    const name = 'few';
    const inventory = ['dev1', 'dev2', 'dev3', 'prod1'].map((cluster) => ({
      name: cluster,
      labels: { env: cluster.slice(0, -1), name: cluster },
    }));
    const select = (policy: string) => kubestellar.select(policy, [nginxDeployment, configMap], inventory);
    const untilReached = (...clusters: string[]) =>
      until(`${clusters.join(', ')} to be reached`, async () => {
        const reached = await select(`${name}-dev`);
        return clusters.length === reached.length && clusters.every((one) => reached.includes(one));
      });
    const few = { ...dev, progressive: { maxConcurrency: 1, progressDeadline: '1s' } };
    await apply(name, [few, prod]);
    await untilPlaced(name, '-clusters');
    expect(await select(`${name}--clusters`)).toEqual(['dev1', 'dev2', 'dev3']);
    await untilPlaced(name, 'dev');
    await untilReached('dev1');
    const failed = await untilReason(name, 'TooManyFailures');
    expect(failed.stages?.[0]?.clusters).toEqual({
      of: 3,
      reached: 1,
      done: 0,
      failed: 1,
      failing: ['dev1'],
    });
    const patient = { ...few, progressive: { maxConcurrency: '34%' } };
    await apply(name, [patient, prod]);
    await ask(name, 'retry');
    const floats = { dev1: '1', dev2: '1', dev3: '1' };
    await report(name, 'dev', { clusters: ['dev1'], floats });
    await untilReached('dev1', 'dev2', 'dev3');
    expect(await policyOf(name, 'prod')).toBeUndefined();
    await report(name, 'dev', { clusters: ['dev1', 'dev2', 'dev3'], floats });
    const passed = await untilAt(name, 'prod');
    expect(passed.stages?.[0]).toMatchObject({ phase: 'Passed', clusters: { of: 3, done: 3, failed: 0 } });
    await until(
      'dev to select whatever it says',
      async () =>
        JSON.stringify((await policyOf(name, 'dev'))?.spec.clusterSelectors) ===
        JSON.stringify(dev.clusterSelectors),
    );
  });

  it('waits for a Cell to serve a version, and continues when it does', async () => {
    const name = 'traffic';
    await stage.targetGroups('1.0.0', ['shopa'], { role: 'shop' });
    await stage.apply(stage.cell('shop', { priority, role: 'shop', steps: [{ setWeight: 20 }] }));
    await stage.untilPhase('shop', 'Completed', '1.0.0');
    const { namespace } = stage;
    await apply(name, [{ ...dev, cell: { namespace, name: 'shop', version: '2.0.0' } }, prod]);
    await fulfil(name, 'dev');
    await untilStatus(
      name,
      'waiting for the Cell',
      ({ message }) =>
        message?.includes(`Cell ${namespace}/shop does not serve 2.0.0 yet; it serves 1.0.0.`) === true,
    );
    await stage.targetGroups('2.0.0', ['shopb'], { role: 'shop' });
    await untilAt(name, 'prod');
    expect((await stage.status('shop')).stableVersion).toBe('2.0.0');
  });

  it('is held by a Freeze of a namespace that its workload is in', async () => {
    const name = 'frozen';
    await apply(name);
    await bind(name, 'dev');
    await stage.apply({
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'Freeze',
      metadata: { name: `staged-${stage.namespace}` },
      spec: { by: 'ops', reason: 'Black Friday.', namespaces: [stage.namespace] },
    });
    await report(name, 'dev');
    const held = await untilReason(name, 'WaitingForFreeze');
    expect(held).toMatchObject({
      activeStage: 'dev',
      message: expect.stringContaining('of ops: Black Friday.') as string,
    });
    await stage.delete(FREEZE, `staged-${stage.namespace}`);
    await untilAt(name, 'prod');
  });

  it('reports a BindingPolicy of someone else in its place, and leaves it alone', async () => {
    const name = 'taken';
    const foreign = {
      clusterSelectors: [{ matchLabels: { env: 'x' } }],
      downsync: [{ resources: ['secrets'] }],
    };
    await stage.apply({
      apiVersion: BINDING_POLICY.apiVersion,
      kind: 'BindingPolicy',
      metadata: { name: `${name}-dev` },
      spec: foreign,
    });
    await apply(name);
    await untilReason(name, 'Conflict');
    expect((await policyOf(name, 'dev'))?.spec).toEqual(foreign);
    await kubernetes.delete(BINDING_POLICY, { name: `${name}-dev` });
    await bind(name, 'dev');
    await untilStatus(name, 'its own', ({ reason }) => reason === 'Waiting');
  });

  it('makes its BindingPolicies in another API server, and takes them away there before it goes', async () => {
    const name = 'away';
    const kubeconfig = Buffer.from(readFileSync(stage.stack.kubeconfig)).toString('base64');
    await stage.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'space' },
      data: { kubeconfig },
    });
    await apply(name, nginx.stages, { space: { namespace: stage.namespace, name: 'space' } });
    expect((await untilPlaced(name, 'dev')).metadata.ownerReferences).toBeUndefined();
    await fulfil(name, 'dev');
    await untilPlaced(name, 'prod');
    await kubernetes.delete(STAGED_BINDING_POLICY, { name });
    await until(`${name} to go`, async () => (await read(name)) === undefined);
    expect([await policyOf(name, 'dev'), await policyOf(name, 'prod')]).toEqual([undefined, undefined]);
  });

  it('A-W14 takes its BindingPolicies with it when it is deleted', async () => {
    await until(
      'the BindingPolicy to be collected',
      async () => (await policyOf('gone', 'dev')) === undefined,
    );
    await stage.untilClosed(stagedBindingId('gone'));
    expect(await kubernetes.get(BINDING, { name: 'gone-dev' })).toBeUndefined();
  });
});
