import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import {
  AWS_TARGET_GROUP,
  CONTROLLER_REVISION,
  FREEZE,
  JOB,
  SECRET,
} from '../../clients/kubernetes/kinds.ts';
import { connectKubernetes } from '../../clients/kubernetes/kubernetes.ts';
import { targetGroupBinding } from '../../local/target-group-bindings.ts';
import {
  allSynced,
  cellOf,
  jobsApplication,
  openFleet,
  phasesIn,
  webApplication,
  type ClusterEntry,
  type Fleet,
} from '../support/stage/fleet.ts';
import { followStatus } from '../support/stage/followed.ts';
import { Stage } from '../support/stage/stage.ts';
import { withoutRepeats } from '../support/stage/without-repeats.ts';
import { unrepeated } from '../support/unrepeated.ts';
import { until } from '../support/until.ts';

describe('a Cell with applications', () => {
  let stage: Stage;
  let fleet: Fleet;
  const entries = new Map<string, ClusterEntry>();
  const entry = (name: string): ClusterEntry => {
    const found = entries.get(name);
    if (found === undefined) throw new Error(`Expected cluster ${name} to be there.`);
    return found;
  };
  const named = (...names: readonly string[]): readonly ClusterEntry[] => names.map(entry);
  const bring = async (name: string, role: string, status: 'ACTIVE' | 'CREATING' = 'ACTIVE') =>
    void entries.set(name, await fleet.bring(name, { role }, { status }));
  const web = (more: object = {}) =>
    webApplication(stage, { name: 'web', role: 'web', priority: 10, stepWeight: 30, more });
  const group = (name: string): string => `mysystem-${name.split('-')[0] ?? ''}-${name}`;
  const share = (weights: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
    Object.fromEntries(Object.entries(weights).map(([name, weight]) => [group(name), weight]));
  const runTest = { name: 'run-test', job: { template: { spec: { image: 'test', command: ['true'] } } } };
  const api = () => webApplication(stage, { name: 'api', role: 'api', priority: 11 });
  const untilSynced = () =>
    stage.untilStatus('mysystem', 'synced', (status) => allSynced(status) && status.phase === 'Completed');

  beforeAll(async () => {
    stage = await Stage.open(inject('stack'), {
      OKRA_IDENTITY: 'applications',
      OKRA_SYNC_INTERVAL: '5',
    });
    fleet = await openFleet(stage, ['web', 'api', 'jobs']);
    await Promise.all([
      bring('web-1-v1', 'web'),
      bring('web-2-v1', 'web'),
      bring('api-v1', 'api', 'CREATING'),
    ]);
  });
  afterAll(async () => {
    const runs = stage.desk.runs(`OkraNamespace="${stage.namespace}"`);
    expect(await unrepeated(stage.stack.built.workflowBundle, runs)).toEqual([]);
    await fleet[Symbol.asyncDispose]();
    await stage.close();
  });
  beforeEach(() => stage.mark());

  it('A-G01 waits until every cluster is ready, and touches nothing before', async () => {
    await stage.apply(cellOf('mysystem', named('web-1-v1', 'web-2-v1', 'api-v1'), [web(), api()]));
    const waiting = await stage.untilStatus(
      'mysystem',
      'waiting',
      ({ phase, clusters = [] }) => phase === 'Waiting' && clusters.some(({ ready }) => ready),
    );
    expect(waiting.clusters).toMatchObject([
      { name: 'web-1-v1', ready: true },
      { name: 'web-2-v1', ready: true },
      { name: 'api-v1', ready: false, message: expect.stringContaining('CREATING') as string },
    ]);
    expect(fleet.secrets).toEqual([]);
    expect(await stage.writes()).toEqual([]);
    await using followed = await followStatus(stage, 'mysystem');
    await fleet.change('api-v1', { status: 'ACTIVE' });
    await untilSynced();
    // A-G15: one after the other, in the order of the list.
    const seen = followed.statuses
      .map((status) => phasesIn(status))
      .filter(({ api: phase = 'Pending' }) => phase !== 'Pending');
    expect(seen).toContainEqual({ web: 'Synced', api: 'Syncing' });
    expect(new Set(seen.map(({ web: phase }) => phase))).toEqual(new Set(['Synced']));
  });

  it('A-G06, A-G10 moves web to new clusters: secrets, weights 30, 60, 90, 100, and then the old secrets', async () => {
    await Promise.all([bring('web-1-v2', 'web'), bring('web-2-v2', 'web')]);
    const begun = fleet.secrets.length;
    await stage.apply(cellOf('mysystem', named('web-1-v2', 'web-2-v2', 'api-v1'), [web(), api()]));
    await stage.untilStatus('mysystem', 'at revision 2', (status) =>
      (status.applications ?? []).some(({ name, revision }) => name === 'web' && revision === 2),
    );
    await untilSynced();
    const old = (canary: number) => Math.round((100 - canary) / 2);
    // Last, what has no traffic leaves the rule.
    const writes = await until('the old target groups to leave the rule', async () => {
      const all = withoutRepeats(await stage.writes());
      return all.length >= 6 && all;
    });
    expect(writes).toEqual([
      ...[0, 30, 60, 90, 100].map((weight) =>
        share({
          'web-1-v1': old(weight),
          'web-2-v1': old(weight),
          'web-1-v2': weight / 2,
          'web-2-v2': weight / 2,
        }),
      ),
      share({ 'web-1-v2': 50, 'web-2-v2': 50 }),
    ]);
    expect(fleet.secrets.slice(begun).map(({ did, cluster }) => `${cluster} ${did}`)).toEqual([
      'web-1-v2 comes',
      'web-2-v2 comes',
      'web-1-v1 goes',
      'web-2-v1 goes',
    ]);
    expect(['web-1-v1', 'web-2-v1'].flatMap((name) => fleet.runningOn(name))).toEqual([]);
  });

  it('keeps a revision of each, and nothing of the clusters that are gone', async () => {
    const { namespace } = stage;
    const names = async (kind: typeof CONTROLLER_REVISION) =>
      (await stage.kubernetes.list<{ metadata: { name: string } }>(kind, { namespace }))
        .map(({ metadata }) => metadata.name)
        .toSorted();
    expect(await names(CONTROLLER_REVISION)).toEqual(['mysystem-api-1', 'mysystem-web-1', 'mysystem-web-2']);
    await until('the old target groups to go', async () => (await names(AWS_TARGET_GROUP)).length === 3);
    expect(await names(AWS_TARGET_GROUP)).toEqual([
      'mysystem-api-api-v1',
      'mysystem-web-web-1-v2',
      'mysystem-web-web-2-v2',
    ]);
  });

  it('puts back the secret of a cluster that someone has deleted', async () => {
    const begun = fleet.secrets.length;
    await stage.kubernetes.delete(SECRET, { namespace: stage.namespace, name: fleet.eksName('web-1-v2') });
    await until('the secret to come again', () => Promise.resolve(fleet.secrets.length >= begun + 2));
    expect(fleet.secrets.slice(begun).map(({ did, cluster }) => `${cluster} ${did}`)).toEqual([
      'web-1-v2 goes',
      'web-1-v2 comes',
    ]);
    await untilSynced();
  });

  it('A-G13 says which cluster lacks the label with the ARN, and keeps what there is', async () => {
    const { labels, ...bare } = entry('api-v1');
    const unlabelled = { ...bare, labels: { role: labels['role'] ?? '' } };
    await stage.apply(cellOf('mysystem', [...named('web-1-v2', 'web-2-v2'), unlabelled], [web(), api()]));
    const { applications = [] } = await stage.untilStatus('mysystem', 'told', (status) =>
      (status.applications ?? []).some(
        ({ name, message = '' }) => name === 'api' && message.includes('label'),
      ),
    );
    expect(applications[1]?.message).toContain(
      'Cluster api-v1 does not have the label targetGroupARN with the ARN of its target group.',
    );
    expect(await stage.writes()).toEqual([]);
  });

  it('A-G14 finds the target group by a TargetGroupBinding in the cluster; that it is the same one moves nothing', async () => {
    const found = api();
    const targetGroup = { targetgroupBindingSelector: 'svc=api' };
    const bound = {
      ...found,
      alb: { ...found.alb, forwardConfig: { ...found.alb.forwardConfig, targetGroup } },
    };
    const workload = connectKubernetes(fleet.workload.kubernetes.kubeconfig);
    const targetGroupARN = entry('api-v1').labels['targetGroupARN'] ?? '';
    await workload.create(targetGroupBinding({ name: 'api', labels: { svc: 'api' }, targetGroupARN }));
    await stage.apply(cellOf('mysystem', named('web-1-v2', 'web-2-v2', 'api-v1'), [web(), bound]));
    await stage.untilStatus('mysystem', 'at revision 2 of api', (status) =>
      (status.applications ?? []).some(({ name, revision }) => name === 'api' && revision === 2),
    );
    await untilSynced();
    expect(await stage.writes()).toEqual([]);
  });

  it('A-G05 says that one fixed target group is not for two clusters, and keeps what there is', async () => {
    const { alb, ...others } = web();
    const fixed = { arn: entry('web-1-v2').labels['targetGroupARN'] };
    const both = { ...others, alb: { ...alb, forwardConfig: { ...alb.forwardConfig, targetGroup: fixed } } };
    await stage.apply(cellOf('mysystem', named('web-1-v2', 'web-2-v2', 'api-v1'), [both, api()]));
    const told = await stage.untilStatus('mysystem', 'told', (status) =>
      (status.applications ?? []).some(({ reason }) => reason === 'InvalidApplication'),
    );
    expect(told.applications?.[0]?.message).toContain(
      'targetGroup.arn works for one cluster; 2 are selected: web-1-v2, web-2-v2.',
    );
    expect(await stage.writes()).toEqual([]);
    await stage.apply(cellOf('mysystem', named('web-1-v2', 'web-2-v2', 'api-v1'), [web(), api()]));
    await untilSynced();
  });

  it('A-G09 runs a precheck once for a forward config, and again when someone has changed that', async () => {
    await bring('api-v2', 'api');
    const { namespace } = stage;
    const prechecks = async (): Promise<number> =>
      (await stage.kubernetes.list(JOB, { namespace, labelSelector: 'okra.mumo.co/cell=mysystem' })).length;
    const untilAPI = (revision: number, phase: string) =>
      stage.untilStatus('mysystem', `api ${phase} at ${revision}`, ({ applications = [] }) =>
        applications.some((one) => one.name === 'api' && one.revision === revision && one.phase === phase),
      );
    const clusters = named('web-1-v2', 'web-2-v2', 'api-v2');
    const checked = (more: object = {}) => {
      const { alb, ...others } = api();
      return {
        ...others,
        prechecks: [runTest],
        alb: { ...alb, forwardConfig: { ...alb.forwardConfig, ...more } },
      };
    };
    const { applications: before = [] } = await stage.untilStatus('mysystem', 'there', allSynced);
    const [webLast = 0, last = 0] = before.map(({ revision }) => revision);
    // It waits for Argo CD, behind its prechecks.
    fleet.fates.set('api-v2', 'Degraded');
    await stage.apply(cellOf('mysystem', clusters, [web(), checked()]));
    await untilAPI(last + 1, 'Syncing');
    expect(await prechecks()).toBe(1);
    // Something else is done meanwhile.
    const other = web({ postchecks: [] });
    await stage.apply(cellOf('mysystem', clusters, [other, checked()]));
    await stage.untilStatus('mysystem', 'with another revision of web', ({ applications = [] }) =>
      applications.some(
        (one) => one.name === 'web' && one.revision === webLast + 1 && one.phase === 'Synced',
      ),
    );
    await untilAPI(last + 1, 'Syncing');
    expect(await prechecks()).toBe(1);
    await stage.apply(cellOf('mysystem', clusters, [other, checked({ pathPatterns: ['/*'] })]));
    await untilAPI(last + 2, 'Syncing');
    expect(await prechecks()).toBe(2);
    expect(await stage.writes()).toEqual([]);
  });

  it('A-G11 moves everything by one step with a stepWeight of 100', async () => {
    fleet.fates.delete('api-v2');
    await untilSynced();
    const weights = (canary: number) => share({ 'api-v1': 100 - canary, 'api-v2': canary });
    const writes = await until('the old target group to leave the rule', async () => {
      const all = withoutRepeats(await stage.writes());
      return all.length >= 4 && all;
    });
    // The condition that someone has added comes first, with the weights as they are.
    expect(writes).toEqual([share({ 'api-v1': 100 }), weights(0), weights(100), share({ 'api-v2': 100 })]);
  });

  it('A-G07 moves jobs by a precheck, the removal of the old secret, and then the new one, without a call to the load balancer', async () => {
    await Promise.all([bring('jobs-v1', 'jobs'), bring('jobs-v2', 'jobs')]);
    const others = named('web-1-v2', 'web-2-v2', 'api-v2');
    const applications = [web(), api(), jobsApplication(runTest)];
    await stage.apply(cellOf('mysystem', [...others, entry('jobs-v1')], applications));
    await stage.untilStatus(
      'mysystem',
      'jobs to be synced',
      (status) => phasesIn(status)['jobs'] === 'Synced',
    );
    expect(fleet.runningOn('jobs-v1')).toHaveLength(1);
    await stage.mark();
    const begun = fleet.secrets.length;
    await stage.apply(cellOf('mysystem', [...others, entry('jobs-v2')], applications));
    await stage.untilStatus('mysystem', 'jobs at revision 2', (status) =>
      (status.applications ?? []).some(({ name, revision }) => name === 'jobs' && revision === 2),
    );
    await untilSynced();
    expect(fleet.secrets.slice(begun).map(({ did, cluster }) => `${cluster} ${did}`)).toEqual([
      'jobs-v1 goes',
      'jobs-v2 comes',
    ]);
    expect(fleet.runningOn('jobs-v1')).toEqual([]);
    expect(fleet.runningOn('jobs-v2')).toHaveLength(1);
    expect(await stage.writes()).toEqual([]);
  });

  it('holds traffic that moves while a cluster is not ready, and while a Freeze lasts; no request passes that', async () => {
    await Promise.all([bring('web-1-v3', 'web'), bring('web-2-v3', 'web')]);
    const clusters = named('web-1-v3', 'web-2-v3', 'api-v2', 'jobs-v2');
    const applications = [web(), api(), jobsApplication(runTest)];
    await stage.apply(cellOf('mysystem', clusters, applications, { settle: '15s' }));
    await stage.untilStatus('mysystem-web', 'at 30', ({ canaryWeight }) => canaryWeight === 30);
    await fleet.change('web-2-v3', { status: 'CREATING' });
    const untilReason = (reason: string) =>
      stage.untilStatus('mysystem-web', reason, (status) => status.reason === reason);
    const held = await untilReason('WaitingForClusters');
    expect(held).toMatchObject({
      phase: 'Paused',
      message: expect.stringContaining('Waiting for web-2-v3 of Cell mysystem to be ready.') as string,
    });
    expect([30, 60, 90]).toContain(held.canaryWeight);
    const { length: before } = await stage.writes();
    await stage.signal('mysystem', 'promoteFull', { by: 'ann' });
    await stage.untilStatus('mysystem-web', 'asked', ({ requests = [] }) =>
      requests.some(({ action }) => action === 'promoteFull'),
    );
    const name = `applications-${stage.namespace}`;
    await stage.apply({
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'Freeze',
      metadata: { name },
      spec: { by: 'ops', reason: 'Black Friday.', namespaces: [stage.namespace] },
    });
    await untilReason('WaitingForFreeze');
    await fleet.change('web-2-v3', { status: 'ACTIVE' });
    const allReady = await stage.untilStatus('mysystem', 'all ready', ({ clusters: all = [] }) =>
      all.every(({ ready }) => ready),
    );
    expect(allReady.phase).not.toBe('Completed');
    expect((await stage.status('mysystem-web')).reason).toBe('WaitingForFreeze');
    expect(await stage.writes()).toHaveLength(before);
    await stage.delete(FREEZE, name);
    await stage.untilPhase('mysystem-web', 'Completed');
    await untilSynced();
    // The stage is held against its statuses when it closes: what has no traffic leaves the rule before.
    await stage.untilStatus('mysystem-web', 'without the old target groups', ({ targetGroups = [] }) =>
      targetGroups.every(({ weight }) => weight > 0),
    );
  });
});
