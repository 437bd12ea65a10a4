import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { CHECK } from '../../clients/kubernetes/kinds.ts';
import type { CellStatus } from '../../crds/cell.ts';
import type { Check } from '../../crds/check.ts';
import { serveDatadog, type DatadogServer } from '../../local/datadog/server.ts';
import {
  allSynced,
  cellOf,
  jobsApplication,
  openFleet,
  webApplication,
  type ClusterEntry,
  type Fleet,
} from '../support/stage/fleet.ts';
import { serveFaultyEKS, type FaultyEKS } from '../support/faulty-eks.ts';
import { followStatus } from '../support/stage/followed.ts';
import { Stage } from '../support/stage/stage.ts';
import { withoutRepeats } from '../support/stage/without-repeats.ts';
import { unrepeated } from '../support/unrepeated.ts';

const keys = { apiKey: 'api-key-of-applications', appKey: 'app-key-of-applications' };
const plain = {
  interval: '1s',
  window: '40s',
  bucket: '20s',
  lag: '0s',
  alignTo: 'none',
  aggregator: 'avg',
  max: 0.1,
};

describe('an application that fails', () => {
  let stage: Stage;
  let fleet: Fleet;
  let datadog: DatadogServer;
  let eks: FaultyEKS;
  const entries = new Map<string, ClusterEntry>();
  const named = (...names: readonly string[]): readonly ClusterEntry[] =>
    names.flatMap((name) => entries.get(name) ?? []);
  const bring = async (name: string, role: string, status: 'ACTIVE' | 'CREATING' = 'ACTIVE'): Promise<void> =>
    void entries.set(name, await fleet.bring(name, { role }, { status }));
  const web = (more: object = {}) =>
    webApplication(stage, { name: 'web', role: 'web', priority: 10, stepWeight: 40, more });
  const job = (name: string, script: string) => ({
    name,
    job: { template: { spec: { image: 'test', command: ['/bin/sh', '-c', script] } } },
  });
  const jobs = (script: string) => jobsApplication(job('run-test', script));
  const dd = (query: string, more: object = {}) => ({
    checks: [{ name: 'dd', analysis: { ...plain, query, ...more } }],
  });
  const apply = (clusters: readonly ClusterEntry[], applications: readonly object[]) =>
    stage.apply(cellOf('mysystem', clusters, applications, { rollbackDelay: '3s' }));
  const untilSynced = (revision: number) =>
    stage.untilStatus(
      'mysystem',
      `synced at revision ${revision}`,
      (status) =>
        allSynced(status) && status.phase === 'Completed' && status.applications?.[0]?.revision === revision,
    );
  const came = (begun: number) => fleet.secrets.slice(begun).map(({ did, cluster }) => `${cluster} ${did}`);
  /** The phases that a Cell and its first application went through. */
  const phasesOf = (statuses: readonly CellStatus[]): readonly string[] => {
    const all = statuses.map(
      ({ phase = '', applications = [] }) => `${phase} ${applications[0]?.phase ?? ''}`,
    );
    return all.filter((one, index) => one !== all[index - 1]);
  };

  beforeAll(async () => {
    datadog = await serveDatadog({ ...keys, rate: { limit: 10_000, periodSeconds: 3600 } });
    eks = await serveFaultyEKS(inject('stack').aws.endpoint);
    stage = await Stage.open(inject('stack'), {
      OKRA_IDENTITY: 'failing-applications',
      AWS_ENDPOINT_URL_EKS: eks.url,
      OKRA_SYNC_INTERVAL: '5',
      OKRA_DATADOG_ENDPOINT: datadog.url,
      DD_API_KEY: keys.apiKey,
      DD_APP_KEY: keys.appKey,
      OKRA_DATADOG_QUERIES_PER_SECOND: '100',
    });
    stage.secrets.push(keys.apiKey, keys.appKey);
    fleet = await openFleet(stage, ['web', 'jobs']);
    await Promise.all([bring('web-1-v1', 'web'), bring('web-1-v2', 'web'), bring('web-2-v2', 'web')]);
  });
  afterAll(async () => {
    const runs = stage.desk.runs(`OkraNamespace="${stage.namespace}"`);
    expect(await unrepeated(stage.stack.built.workflowBundle, runs)).toEqual([]);
    await fleet[Symbol.asyncDispose]();
    await stage.close();
    await datadog[Symbol.asyncDispose]();
    await eks[Symbol.asyncDispose]();
  });
  beforeEach(() => stage.mark());

  it('A-G12, A-K01 goes back when a check fails at weight 40, measured again: the traffic first, and then the new secrets', async () => {
    const again = { count: 2, failureLimit: 1 };
    const perCluster = web(dd('avg:errors{cluster:{{.Vars.clusterName}}}', again));
    for (const name of ['web-1-v2', 'web-2-v2'])
      datadog.known.set(`avg:errors{cluster:${fleet.eksName(name)}}`, 0.2);
    await apply(named('web-1-v1'), [perCluster]);
    await untilSynced(1);
    await stage.mark();
    const begun = fleet.secrets.length;
    await using followed = await followStatus(stage, 'mysystem');
    await apply(named('web-1-v2', 'web-2-v2'), [perCluster]);
    const { applications: [own] = [] } = await stage.untilPhase('mysystem', 'Reverted');
    expect(own).toMatchObject({ phase: 'CheckFailed', goodRevision: 1, failed: { revision: 2 } });
    const phases = phasesOf(followed.statuses);
    expect(phases.slice(phases.indexOf('Progressing Migrating'))).toEqual([
      'Progressing Migrating',
      'Failed CheckFailed',
      'Reverting Reverting',
      'Reverted CheckFailed',
    ]);
    const weights = (old: number) => ({
      'mysystem-web-web-1-v1': old,
      'mysystem-web-web-1-v2': (100 - old) / 2,
      'mysystem-web-web-2-v2': (100 - old) / 2,
    });
    expect(withoutRepeats(await stage.writes()).slice(0, 3)).toEqual([100, 60, 100].map(weights));
    expect(came(begun)).toEqual(['web-1-v2 comes', 'web-2-v2 comes', 'web-1-v2 goes', 'web-2-v2 goes']);
    const checks = await stage.kubernetes.list<Check>(CHECK, { namespace: stage.namespace });
    expect(new Set(checks.map(({ spec }) => spec.analysis.query))).toEqual(
      new Set(['web-1-v2', 'web-2-v2'].map((name) => `avg:errors{cluster:${fleet.eksName(name)}}`)),
    );
    expect(checks.length).toBe(2);
    expect(checks.map(({ status }) => status?.analysis?.failed)).toContain(2);
    for (const { metadata } of checks) expect(metadata.name).toMatch(/^mysystem-web-dd-.*web-[12]-v2$/);
  });

  it('A-K02 goes forward after an edit, by one Check where its query names no cluster', async () => {
    datadog.known.set('avg:errors{service:web}', 0.05);
    await apply(named('web-1-v2', 'web-2-v2'), [web(dd('avg:errors{service:web}'))]);
    await untilSynced(3);
    const checks = await stage.kubernetes.list<Check>(CHECK, { namespace: stage.namespace });
    const own = checks.filter(({ spec }) => spec.analysis.query === 'avg:errors{service:web}');
    // After each of the weights 40, 80 and 100.
    expect(own.length).toBe(3);
  });

  it('A-G16 goes back when a postcheck fails after all has moved', async () => {
    await bring('web-1-v3', 'web');
    await apply(named('web-1-v3'), [web({ postchecks: [job('smoke', 'exit 1')] })]);
    const { applications: [own] = [] } = await stage.untilPhase('mysystem', 'Reverted');
    expect(own).toMatchObject({
      phase: 'CheckFailed',
      goodRevision: 3,
      postchecks: [{ name: 'smoke', phase: 'Failed' }],
      failed: { message: 'smoke failed.' },
    });
    const group = (name: string): string => `mysystem-web-${name}`;
    const back = { [group('web-1-v2')]: 50, [group('web-2-v2')]: 50, [group('web-1-v3')]: 0 };
    const moved = { [group('web-1-v2')]: 0, [group('web-2-v2')]: 0, [group('web-1-v3')]: 100 };
    const writes = await stage.writes();
    expect(writes).toContainEqual(moved);
    expect(writes.slice(writes.findIndex((one) => one[group('web-1-v3')] === 100) + 1)).toContainEqual(back);
  });

  it('A-G08 waits before it goes back when a precheck fails, and has changed nothing', async () => {
    await apply(named('web-1-v2', 'web-2-v2'), [web()]);
    await untilSynced(5);
    await Promise.all([bring('jobs-v1', 'jobs'), bring('jobs-v2', 'jobs')]);
    const jobsFirst = (script: string, cluster: string) =>
      apply([...named('web-1-v2', 'web-2-v2'), ...named(cluster)], [jobs(script), web()]);
    await jobsFirst('exit 0', 'jobs-v1');
    await untilSynced(1);
    const begun = fleet.secrets.length;
    await using followed = await followStatus(stage, 'mysystem');
    await jobsFirst('exit 1', 'jobs-v2');
    const reverted = await stage.untilPhase('mysystem', 'Reverted');
    const { applications: [own] = [], lastSyncTime = '' } = reverted;
    expect(own?.phase).toBe('PrecheckFailed');
    expect(followed.statuses.map(({ applications = [] }) => applications[0]?.message)).toContain(
      'run-test failed. Waiting 3 seconds before starting a rollback',
    );
    const phases = phasesOf(followed.statuses);
    expect(phases.slice(phases.indexOf('Failed PrecheckFailed'))).toEqual([
      'Failed PrecheckFailed',
      'Reverted PrecheckFailed',
    ]);
    const waited = Date.parse(lastSyncTime) - Date.parse(own?.failed?.time ?? '');
    expect(waited).toBeGreaterThanOrEqual(3_000);
    expect(came(begun)).toEqual([]);
  });

  it('A-G02 fails when a cluster is not ready in time, and continues when it is', async () => {
    await bring('web-1-v4', 'web', 'CREATING');
    const late = named('web-1-v4').map((one) => ({ ...one, readyTimeout: '3s' }));
    await apply([...late, ...named('jobs-v1')], [jobs('exit 0'), web()]);
    const failed = await stage.untilPhase('mysystem', 'Failed');
    expect(failed).toMatchObject({ reason: 'ClustersNotReady' });
    expect(failed.message).toContain('Cluster web-1-v4 was not ready within 3s');
    await fleet.change('web-1-v4', { status: 'ACTIVE' });
    await stage.untilStatus(
      'mysystem',
      'on the new cluster',
      (status) => allSynced(status) && status.applications?.[1]?.goodRevision === 6,
    );
  });

  it('is taken back by an abort while EKS does not answer', async () => {
    await bring('web-1-v5', 'web');
    const clusters = named('web-1-v5', 'jobs-v1');
    await stage.apply(cellOf('mysystem', clusters, [jobs('exit 0'), web()], { settle: '1h' }));
    await stage.untilStatus('mysystem-web', 'at 40', ({ canaryWeight }) => canaryWeight === 40);
    const asked = new Promise<void>((done) => {
      eks.fault = () => {
        done();
        return new Promise(() => undefined);
      };
    });
    await asked;
    await stage.signal('mysystem', 'abort', { by: 'ann', reason: 'errors' });
    const { clusters: seen } = await stage.untilStatus('mysystem', 'aborted', ({ applications = [] }) =>
      applications.some(({ failed }) => failed?.reason === 'Aborted'),
    );
    // Nobody has looked at them.
    expect(seen?.map(({ ready }) => ready)).toEqual([true, true]);
    const group = (name: string): string => `mysystem-web-${name}`;
    await stage.untilWeights({ [group('web-1-v4')]: 100, [group('web-1-v5')]: 0 });
    eks.fault = undefined;
    const { applications = [] } = await stage.untilPhase('mysystem', 'Reverted');
    expect(applications[1]).toMatchObject({ goodRevision: 6, failed: { message: 'Aborted by ann: errors' } });
  });
});
