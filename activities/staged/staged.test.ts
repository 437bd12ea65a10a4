import type { Client } from '@temporalio/client';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  BINDING,
  BINDING_POLICY,
  CONFIG_MAP,
  STAGED_BINDING_POLICY,
  STATUS_COLLECTOR,
} from '../../clients/kubernetes/kinds.ts';
import type { RemoteClusters } from '../../clients/kubernetes/remote-clusters.ts';
import type { StagedBindingPolicyStatus } from '../../crds/staged-binding-policy.ts';
import { REPORTS, reportsSpec } from '../../domain/staged/kubestellar.ts';
import type { BindingPolicy } from '../../domain/staged/policy.ts';
import { acceptStagedRequest } from '../../domain/staged/requests.ts';
import { initialStagedState, type StagedState } from '../../domain/staged/state.ts';
import { deriveStagedStatus } from '../../domain/staged/status.ts';
import { nextLook, takeStagedTurn } from '../../domain/staged/turn.ts';
import { DEPLOYMENT, KubeStellar } from '../../local/kubestellar/kubestellar.ts';
import { nginx } from '../../test/support/samples/staged.ts';
import { asActivity } from '../checks/testing/objects.ts';
import { stagedActivities } from './staged.ts';
import { MemoryKubernetes } from './testing/memory.ts';

const [dev, prod] = nginx.stages;
const web = { kind: DEPLOYMENT, namespace: 'nginx', name: 'nginx' };
const configMap = { kind: CONFIG_MAP, namespace: 'nginx', name: 'cfg' };

describe('the activities of a StagedBindingPolicy, with what KubeStellar makes of them', () => {
  let memory: MemoryKubernetes;
  let kubestellar: KubeStellar;
  let state: StagedState;
  let activitiesOf: () => ReturnType<typeof stagedActivities>;
  const kubernetes = () => memory.client;
  const activities = () => activitiesOf();

  const apply = (spec: object): Promise<unknown> =>
    kubernetes().apply({
      apiVersion: STAGED_BINDING_POLICY.apiVersion,
      kind: STAGED_BINDING_POLICY.kind,
      metadata: { name: 'web' },
      spec: { ...nginx, ...spec },
    } as Parameters<ReturnType<typeof kubernetes>['apply']>[0]);
  const edit = (image: string): Promise<unknown> =>
    kubernetes().apply({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace: 'nginx', name: 'nginx' },
      spec: { image },
    } as Parameters<ReturnType<typeof kubernetes>['apply']>[0]);
  const policy = (stage: string) => kubernetes().get<BindingPolicy>(BINDING_POLICY, { name: `web-${stage}` });

  /** Takes turns as the workflow does, until there is nothing to do. */
  async function settle(): Promise<StagedBindingPolicyStatus> {
    for (let turns = 0; turns < 30; turns += 1) {
      const observed = await activities().observeStaged(nextLook('web', state));
      const turn = takeStagedTurn(observed, state, memory.now);
      ({ state } = turn);
      const { object } = observed;
      if (object === undefined) throw new Error('Expected the object.');
      if (turn.decision.do === 'Apply')
        await activities().applyStage({
          name: 'web',
          uid: object.uid,
          generation: object.generation,
          ...turn.decision,
        });
      if (turn.decision.do === 'Select')
        await activities().selectClusters({ name: 'web', uid: object.uid, stage: turn.decision.stage });
      if (turn.decision.do === 'Remove')
        await activities().removeStage({ name: 'web', policy: turn.decision });
      const status = deriveStagedStatus({
        name: 'web',
        object,
        state,
        decision: turn.decision,
        now: memory.now,
      });
      await asActivity(() => activities().reportStaged({ name: 'web', uid: object.uid, status }));
      if (turn.decision.do === 'Wait') return status;
    }
    throw new Error('Expected an end of turns.');
  }

  const bind = (stage: string, objects = [web, configMap]) =>
    kubestellar.bind(`web-${stage}`, objects, [`${stage}1`]);
  const report = (stage: string, said: Partial<Parameters<KubeStellar['report']>[2]> = {}) =>
    kubestellar.report(`web-${stage}`, web, {
      clusters: [`${stage}1`],
      at: new Date(memory.now + 1000),
      ...said,
    });

  /** Takes the object through both stages. */
  async function complete(): Promise<void> {
    await settle();
    await bind('dev');
    await report('dev');
    await settle();
    await bind('prod');
    expect(await settle()).toMatchObject({ phase: 'Completed' });
  }

  beforeEach(async () => {
    memory = new MemoryKubernetes();
    const own = stagedActivities({
      kubernetes: kubernetes(),
      clusters: {} as RemoteClusters,
      temporal: {} as Client,
    });
    activitiesOf = () => own;
    kubestellar = new KubeStellar(kubernetes(), memory.clientOf('Status'));
    state = initialStagedState;
    await edit('nginx:1');
    await kubernetes().apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'nginx', name: 'cfg' },
    });
    await apply({});
  });

  it('take the published example through its stages', async () => {
    expect(await settle()).toMatchObject({ activeStage: 'dev', reason: 'Binding' });
    expect((await policy('dev'))?.spec).toMatchObject({ clusterSelectors: dev.clusterSelectors });
    expect(await policy('prod')).toBeUndefined();
    await bind('dev');
    expect(await settle()).toMatchObject({ fulfilled: '0/1', reason: 'Waiting' });
    await report('dev', { float: '0' });
    expect(await settle()).toMatchObject({ activeStage: 'dev', fulfilled: '0/1' });
    await report('dev');
    expect(await settle()).toMatchObject({ activeStage: 'prod' });
    await bind('prod');
    expect(await settle()).toMatchObject({ phase: 'Completed', fulfilled: '2/2' });
  });

  it('are Ready again after an edit when KubeStellar has bound it, and all the time while it only sends', async () => {
    const seen = (kind: typeof BINDING, status: object) =>
      kubernetes().patch(kind, { name: 'web-prod' }, { status }, { subresource: 'status' });
    await complete();
    await seen(BINDING, { observedGeneration: 0 });
    expect(await settle()).toMatchObject({ phase: 'Completed' });
    await apply({ downsync: [{ ...nginx.downsync[0], namespaces: ['nginx'] }] });
    const waiting = { phase: 'Progressing', reason: 'Binding' };
    expect(await settle()).toMatchObject(waiting);
    await seen(BINDING_POLICY, { errors: ['expected another namespace'], observedGeneration: 2 });
    expect(await settle()).toMatchObject({
      ...waiting,
      message: 'Stage prod: KubeStellar reports an error: expected another namespace',
    });
    await bind('prod');
    expect(await settle()).toMatchObject({ phase: 'Completed' });
  });

  it('count nothing that was reported before an edit in place, and what was reported after it', async () => {
    await settle();
    await bind('dev');
    await report('dev', { float: '0' });
    await settle();
    memory.now += 10_000;
    await edit('nginx:2');
    // The results of before are kept, and would fulfil the stage.
    await report('dev', { at: new Date(memory.now - 5_000) });
    await bind('dev');
    expect(await settle()).toMatchObject({
      activeStage: 'dev',
      message: expect.stringContaining('latest version of the object') as string,
    });
    await report('dev');
    expect(await settle()).toMatchObject({ activeStage: 'prod' });
  });

  it('look at an object whose status was written since: it was not edited, and what was reported counts', async () => {
    await apply({ downsync: [{ ...nginx.downsync[0], wantMultiWECReportedState: true }] });
    await settle();
    await bind('dev');
    await report('dev');
    memory.now += 10_000;
    await kubernetes().patch(DEPLOYMENT, web, { status: { replicas: 1 } }, { subresource: 'status' });
    await bind('dev');
    expect(await settle()).toMatchObject({ activeStage: 'prod' });
  });

  it.each([
    ['wantSingletonReportedState', [{ ...prod, condition: dev.condition, filter: dev.filter }]],
    ['wantMultiWECReportedState', nginx.stages],
  ])(
    'take the label by which KubeStellar answers the first report for no edit (%s)',
    async (field, stages) => {
      await apply({ downsync: [{ ...nginx.downsync[0], [field]: true }], stages });
      await settle();
      const stage = stages[0]?.name ?? '';
      await bind(stage);
      memory.now += 10_000;
      await report(stage, { at: new Date(memory.now) });
      // The Binding lists the version that the label has made.
      await bind(stage);
      const status = await settle();
      expect(status.stages?.[0]).toMatchObject({ phase: stages.length === 1 ? 'Fulfilled' : 'Passed' });
      await report(stage, { at: new Date(memory.now) });
      await bind(stage);
      expect((await settle()).stages?.[0]).toEqual(status.stages?.[0]);
    },
  );

  it('report what KubeStellar refuses to return to one object from several clusters', async () => {
    const downsync = [{ ...nginx.downsync[0], wantSingletonReportedState: true }];
    await apply({ downsync, stages: [prod] });
    await settle();
    await kubestellar.bind('web-prod', [web], ['prod1', 'prod2']);
    expect(await settle()).toMatchObject({
      reason: 'Binding',
      message: expect.stringContaining('wrong number of associated WECs') as string,
    });
  });

  it('take a stage for unfulfilled while a column has the error of an expression', async () => {
    const condition =
      "obj.results.all(r, r.rows.all(row, row.columns.all(col, col.type != 'Number' || double(col.float) >= 3.0)))";
    await apply({ stages: [{ ...dev, condition }, prod] });
    await settle();
    await bind('dev');
    await report('dev', { floats: { dev1: undefined } });
    expect(await settle()).toMatchObject({
      activeStage: 'dev',
      message: expect.stringContaining('no value in column count: failed to evaluate expression') as string,
    });
    await report('dev', { floats: { dev1: '3' } });
    expect(await settle()).toMatchObject({ activeStage: 'prod' });
  });

  it('say of a last stage without a condition that KubeStellar was asked, not that it has sent anything', async () => {
    await complete();
    expect(await settle()).toMatchObject({
      message:
        'Stage prod is the last one and has no condition: KubeStellar was asked to deploy the workload.',
    });
  });

  it.each([
    ['', (): StagedState => state],
    [', also when Temporal has lost what was known', (): StagedState => initialStagedState],
  ])('have rolled a stage back only when its Binding is gone%s', async (_, known) => {
    await settle();
    await bind('dev');
    await report('dev');
    await settle();
    await bind('prod');
    await kubestellar.hold('web-prod');
    state = acceptStagedRequest(state, 'abort', { by: 'ann', reason: '', at: memory.now });
    const removing = { activeStage: 'prod', phase: 'RollingBack', reason: 'Removing' };
    expect(await settle()).toMatchObject(removing);
    expect(await policy('prod')).toBeUndefined();
    state = known();
    expect(await settle()).toMatchObject(removing);
    await kubestellar.hold('web-prod', false);
    expect(await settle()).toMatchObject({ activeStage: 'dev', phase: 'RolledBack' });
  });

  it('roll a stage back whose name another BindingPolicy has, with a Binding that stays', async () => {
    await settle();
    await bind('dev');
    await report('dev');
    await kubernetes().apply({ ...BINDING_POLICY, metadata: { name: 'web-prod' } });
    await kubestellar.bind('web-prod', [web], ['prod1']);
    await expect(settle()).rejects.toMatchObject({ type: 'Conflict' });
    state = acceptStagedRequest(state, 'abort', { by: 'ann', reason: '', at: memory.now });
    expect(await settle()).toMatchObject({ activeStage: 'dev', phase: 'RolledBack' });
  });

  describe('with more objects that reports are copied back to than are looked up otherwise', () => {
    const many = Array.from({ length: 130 }, (_, index) => ({ ...web, name: `web-${index}` }));
    const change = (name: string, image: string): Promise<unknown> =>
      kubernetes().apply({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { namespace: 'nginx', name },
        spec: { image },
      } as Parameters<ReturnType<typeof kubernetes>['apply']>[0]);
    const copyBack = (name: string): Promise<unknown> =>
      kubernetes().patch(
        DEPLOYMENT,
        { namespace: 'nginx', name },
        { status: { at: memory.now } },
        { subresource: 'status' },
      );
    const print = async () => (await activities().observeStaged({ name: 'web', at: 'dev' })).view?.print;

    beforeEach(async () => {
      for (const { name } of many) await change(name, 'nginx:1');
      await apply({ downsync: [{ ...nginx.downsync[0], wantMultiWECReportedState: true }] });
      await settle();
      await bind('dev', many);
    });

    it('begin a stage again by an edit of any of them, and by no report', async () => {
      const before = await print();
      for (const { name } of many) {
        await copyBack(name);
        await bind('dev', many);
        expect(await print()).toBe(before);
      }
      await change('web-99', 'nginx:2');
      await bind('dev', many);
      expect(await print()).not.toBe(before);
    });
  });

  it('make what someone has changed say again what it should, and leave alone what is not theirs', async () => {
    await settle();
    const before = (await policy('dev'))?.metadata.uid;
    await kubernetes().patch(BINDING_POLICY, { name: 'web-dev' }, { spec: { downsync: [] } });
    await settle();
    expect((await policy('dev'))?.spec).toMatchObject({
      downsync: [{ objectSelectors: nginx.downsync[0].objectSelectors }],
    });
    expect((await policy('dev'))?.metadata.uid).toBe(before);
    await kubernetes().apply({
      apiVersion: BINDING_POLICY.apiVersion,
      kind: BINDING_POLICY.kind,
      metadata: { name: 'web-prod' },
    });
    await bind('dev');
    await report('dev');
    await expect(settle()).rejects.toMatchObject({ type: 'Conflict' });
  });

  it('take out of a BindingPolicy what an edit takes out of the spec', { timeout: 10_000 }, async () => {
    await apply({
      downsync: [{ ...nginx.downsync[0], namespaces: ['nginx'], createOnly: true }],
    });
    await complete();
    await apply({});
    await settle();
    for (const { name, clusterSelectors } of [dev, prod]) {
      const statusCollectors = ['deployments-aggregator', REPORTS];
      const downsync = [{ ...nginx.downsync[0], statusCollectors }];
      expect((await policy(name))?.spec).toEqual({ clusterSelectors, downsync });
    }
  });

  it('take no copy for the BindingPolicy of a stage, and leave it alone', { timeout: 10_000 }, async () => {
    await settle();
    const own = await policy('dev');
    const { labels } = own?.metadata ?? {};
    const { apiVersion, kind } = BINDING_POLICY;
    const copy = { apiVersion, kind, metadata: { name: 'a-copy', labels }, spec: own?.spec };
    await kubernetes().apply(copy);
    await kubernetes().delete(BINDING_POLICY, { name: 'web-dev' });
    await settle();
    await bind('dev');
    await report('dev');
    expect(await settle()).toMatchObject({ activeStage: 'prod' });
    await bind('prod');
    await settle();
    await apply({ stageRetention: 'Remove' });
    expect(await settle()).toMatchObject({ phase: 'Completed' });
    expect(await policy('dev')).toBeUndefined();
    expect(await kubernetes().get(BINDING_POLICY, { name: 'a-copy' })).toBeDefined();
  });

  it.each([
    ['changed', () => kubernetes().patch(STATUS_COLLECTOR, { name: REPORTS }, { spec: { filter: 'true' } })],
    ['deleted', () => kubernetes().delete(STATUS_COLLECTOR, { name: REPORTS })],
  ])('make their StatusCollector say again what it should when someone has %s it', async (_, happens) => {
    await settle();
    await bind('dev');
    await settle();
    await happens();
    await settle();
    expect(await kubernetes().get(STATUS_COLLECTOR, { name: REPORTS })).toMatchObject({ spec: reportsSpec });
  });

  it('go back to the stage before, which they look at as well, and read no Binding of earlier ones', async () => {
    const read: string[] = [];
    memory.onGet = (kind, { name }) => void (kind.plural === 'bindings' && read.push(name));
    await apply({ stages: ['s0', 's1', 's2'].map((name) => ({ ...dev, name })) });
    for (const stage of ['s0', 's1', 's2']) {
      await settle();
      await bind(stage);
      await report(stage, { clusters: [`${stage}1`] });
    }
    read.length = 0;
    await settle();
    expect([...new Set(read)].toSorted()).toEqual(['web-s1', 'web-s2']);
    state = acceptStagedRequest(state, 'abort', { by: 'ann', reason: '', at: memory.now });
    expect(await settle()).toMatchObject({ activeStage: 's1', phase: 'RolledBack' });
  });

  describe('of a stage that reaches its clusters a few at a time', () => {
    const inventory = ['p1', 'p2', 'p3'].map((name) => ({ name, labels: { env: 'dev', name } }));
    const others = [{ name: 'x1', labels: { env: 'test', name: 'x1' } }];
    const few = { ...dev, progressive: { maxConcurrency: 1, maxFailures: 1, progressDeadline: '10m' } };
    const select = (clusters = [...inventory, ...others]) =>
      kubestellar.select('web-dev', [web, configMap], clusters);
    const begin = async (clusters = [...inventory, ...others]) => {
      await apply({ stages: [few, prod] });
      await settle();
      await kubestellar.select('web--clusters', [web, configMap], clusters);
      await settle();
    };
    const selected = async () => (await policy('dev'))?.spec;

    it('ask KubeStellar which there are by a BindingPolicy that no object matches', async () => {
      await apply({ stages: [few, prod] });
      expect(await settle()).toMatchObject({ message: expect.stringContaining('which clusters') as string });
      expect(await policy('dev')).toBeUndefined();
      expect(
        (await kubernetes().get<BindingPolicy>(BINDING_POLICY, { name: 'web--clusters' }))?.spec,
      ).toEqual({
        clusterSelectors: dev.clusterSelectors,
        downsync: [{ objectNames: ['%'] }],
      });
    });

    it('reach one after the other, judged by its own rows, and at last whatever the stage selects', async () => {
      await begin();
      expect(await select()).toEqual(['p1']);
      await settle();
      // The row of another cluster says nothing of this one.
      await report('dev', { clusters: ['p1'], floats: { p1: '0', p2: '1' } });
      expect(await settle()).toMatchObject({
        stages: [
          {
            clusters: { of: 3, reached: 1, done: 0 },
            reason: 'Cluster p1: The condition does not hold yet.',
          },
          {},
        ],
      });
      await report('dev', { clusters: ['p1'], floats: { p1: '1' } });
      await settle();
      expect(await select()).toEqual(['p1', 'p2']);
      await settle();
      memory.now += 600_000;
      await settle();
      expect(await select()).toEqual(['p1', 'p2', 'p3']);
      await report('dev', { clusters: ['p1', 'p3'], floats: { p1: '1', p3: '1' } });
      expect(await settle()).toMatchObject({
        activeStage: 'prod',
        stages: [
          { phase: 'Passed', clusters: { of: 3, reached: 3, done: 2, failed: 1, failing: ['p2'] } },
          {},
        ],
      });
      expect(await selected()).toMatchObject({ clusterSelectors: dev.clusterSelectors });
      await select();
      await settle();
      expect(await kubernetes().get(BINDING_POLICY, { name: 'web--clusters' })).toBeUndefined();
    });

    it('stop at a cluster that has the label of another, and at one that has none', async () => {
      const [, p2] = inventory;
      await begin([...inventory, { name: 'x', labels: { env: 'dev', name: 'p1' } }]);
      await select([...inventory, { name: 'x', labels: { env: 'dev', name: 'p1' } }]);
      expect(await settle()).toMatchObject({
        message: expect.stringContaining('lists x, which is not one of') as string,
      });
      await select(p2 === undefined ? [] : [p2]);
      expect(await settle()).toMatchObject({
        message: expect.stringContaining('must have the label name: p1') as string,
      });
    });

    it('say nothing of a cluster that they have reached and that is no longer selected', async () => {
      await begin();
      await select();
      await report('dev', { clusters: ['p1'], floats: { p1: '1' } });
      await settle();
      await select();
      const left = inventory.slice(1);
      await kubestellar.select('web--clusters', [web, configMap], left);
      expect(await select(left)).toEqual(['p2']);
      await report('dev', { clusters: ['p2'], floats: { p2: '0' } });
      expect(await settle()).toMatchObject({
        stages: [
          { clusters: { of: 2, reached: 1 }, reason: 'Cluster p2: The condition does not hold yet.' },
          {},
        ],
      });
    });

    it('fulfil nothing where all clusters that they have reached are no longer selected', async () => {
      await begin();
      await select();
      await report('dev', { clusters: ['p1'], floats: { p1: '0' } });
      await settle();
      await kubestellar.select('web--clusters', [web, configMap], inventory.slice(1));
      const { view } = await activities().observeStaged(nextLook('web', state));
      expect(view).toMatchObject({ objects: 1, fulfilled: 0, clusters: { reached: [], fulfilled: [] } });
    });

    it('say which StatusCollector does not name its clusters', async () => {
      await begin();
      await select();
      await report('dev', { clusters: ['p1'] });
      expect(await settle()).toMatchObject({
        message: expect.stringContaining('Add { name: cluster, def: inventory.name }') as string,
      });
    });

    it('place nothing on all clusters at once by a write that was decided before', async () => {
      const { object } = await activities().observeStaged({ name: 'web' });
      const { uid = '', generation = 0 } = object ?? {};
      await apply({ stages: [few, prod] });
      const write = activities().applyStage({ name: 'web', uid, stage: 'dev', generation });
      await expect(write).rejects.toMatchObject({ type: 'Unavailable' });
      expect(await policy('dev')).toBeUndefined();
      await begin();
      expect(await select()).toEqual(['p1']);
    });

    it('take the workload from no cluster by a write that comes late', async () => {
      await begin();
      const found = (await policy('dev'))?.metadata.uid ?? '';
      const { uid = '', generation = 0 } = (await activities().observeStaged({ name: 'web' })).object ?? {};
      const change = { name: 'web', uid, generation, stage: 'dev', found };
      const late = (clusters: readonly string[]) => activities().applyStage({ ...change, clusters });
      await late(['p1', 'p2']);
      await late(['p1']);
      expect(await select()).toEqual(['p1', 'p2']);
      await activities().applyStage(change);
      await late(['p1']);
      expect(await select()).toEqual(['p1', 'p2', 'p3']);
      await expect(activities().applyStage({ ...change, found: 'another' })).rejects.toMatchObject({
        type: 'Unavailable',
      });
    });
  });

  it('delete no BindingPolicy that an edit since keeps', async () => {
    await apply({ stageRetention: 'Remove' });
    await settle();
    await bind('dev');
    await report('dev');
    await settle();
    await bind('prod');
    const turn = takeStagedTurn(await activities().observeStaged(nextLook('web', state)), state, memory.now);
    if (turn.decision.do !== 'Remove') throw new Error(`Expected to remove, got ${turn.decision.do}.`);
    await apply({});
    await activities().removeStage({ name: 'web', policy: turn.decision });
    expect((await policy('dev'))?.metadata.uid).toBe(turn.decision.uid);
  });

  it('tell of expressions that are none, and place nothing by them', async () => {
    await apply({ stages: [{ ...dev, condition: 'obj.results.exists(' }, prod] });
    expect(await settle()).toMatchObject({ phase: 'Failed', reason: 'InvalidExpression' });
    expect(await policy('dev')).toBeUndefined();
  });
});
