import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { AWS_TARGET_GROUP, CELL, CONFIG_MAP } from '../../clients/kubernetes/kinds.ts';
import { OWNER_TAG } from '../../domain/kubernetes/labels.ts';
import { healthReads } from '../support/stage/health-reads.ts';
import { Stage } from '../support/stage/stage.ts';
import { exampleSteps, exampleTotals } from '../support/stage/steps.ts';
import { until } from '../support/until.ts';

describe('a Cell behind a Network Load Balancer', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open(inject('stack'), { OKRA_DRIFT_INTERVAL: '1' });
    await stage.apply(stage.analysisTemplate('success-rate'));
  });
  afterAll(() => stage.close());
  beforeEach(async () => {
    stage.metrics.rate = 1;
    await stage.mark();
  });
  afterEach(async () => {
    expect(await stage.violations(exampleTotals, 40)).toEqual([]);
  });

  /** A Cell on a listener of its own, which forwards to 1.0.0 already. */
  async function serving(name: string, options: Parameters<Stage['networkCell']>[2] = {}): Promise<string> {
    const listenerARN = await stage.networkListener(`${name}a`);
    await stage.targetGroups('1.0.0', [`${name}a`], { role: name }, 'TCP');
    await stage.apply(stage.networkCell(name, listenerARN, options));
    await stage.untilPhase(name, 'Completed', '1.0.0');
    return listenerARN;
  }
  const listenerWrites = async (): Promise<number> =>
    (await stage.calls()).filter((call) => call.action === 'ModifyListener').length;
  const ownerOf = async (arn: string): Promise<string | undefined> => {
    const { TagDescriptions } = await stage.elbv2.describeTags({ ResourceArns: [arn] });
    return TagDescriptions?.[0]?.Tags?.find((tag) => tag.Key === OWNER_TAG)?.Value;
  };

  /** The tag of a Cell of this installation, whose id anybody can see. */
  const tagOf = async (name: string): Promise<string> => {
    const { kubernetes, namespace } = stage;
    const key = { namespace, name: 'okra-installation' };
    const installation = await kubernetes.get<{ data: { id: string } }>(CONFIG_MAP, key);
    return `${namespace}/${name}@${installation?.data.id}`;
  };

  it('takes over a listener that forwards to its own target groups, without moving traffic', async () => {
    const listenerARN = await serving('take');
    expect(await stage.defaultWeights(listenerARN)).toEqual({ takea: 1 });
    expect(await ownerOf(listenerARN)).toBe(await tagOf('take'));
    expect(await listenerWrites()).toBe(0);
    const config = await stage.networkConfig('take');
    expect(config?.spec.listener.forward.targetGroups).toMatchObject([{ name: 'takea', weight: 100 }]);
    expect(config?.status).toMatchObject({ reason: 'Served', listenerARN, weights: 'takea: 100' });
    expect(await stage.config('take')).toBeUndefined();
  });

  it('A-N04 takes the steps of a canary, with one write, one read-back and one health read each', async () => {
    const listenerARN = await serving('canary', { steps: exampleSteps });
    await stage.mark();
    stage.metrics.rate = undefined;
    await stage.targetGroupsOnceReady('2.0.0', ['canaryb'], { role: 'canary' }, 'TCP');
    await stage.untilWeights({ canarya: 80, canaryb: 20 }, listenerARN);
    stage.metrics.rate = 1;
    await stage.untilPhase('canary', 'Completed', '2.0.0');
    await stage.untilAtRest('canary');
    expect((await stage.status('canary')).targetGroups).toMatchObject([
      {
        name: 'canarya',
        weight: 0,
        connections: expect.stringMatching(/^Flows that were open at /) as string,
      },
      { name: 'canaryb', weight: 100 },
    ]);
    expect(await stage.writes()).toEqual([
      { canarya: 100, canaryb: 0 },
      { canarya: 80, canaryb: 20 },
      { canarya: 60, canaryb: 40 },
      { canarya: 0, canaryb: 100 },
    ]);
    const calls = await stage.calls();
    // Whether a target is registered is read before it joins; the look for drift reads what carries traffic besides.
    const reads = healthReads(stage, calls);
    expect(reads.slice(0, 4).every((names) => names.includes('canaryb'))).toBe(true);
    expect(reads[4]).toContain('canarya');
    expect(calls.filter((call) => call.action === 'ModifyListener')).toHaveLength(4);
  });

  it('takes everything back by one write when an analysis fails', async () => {
    const listenerARN = await serving('fail', { steps: exampleSteps });
    stage.metrics.rate = 0.5;
    await stage.targetGroups('2.0.0', ['failb'], { role: 'fail' }, 'TCP');
    await stage.untilPhase('fail', 'Reverted', '1.0.0');
    expect(await stage.defaultWeights(listenerARN)).toEqual({ faila: 100, failb: 0 });
    expect(await stage.writes()).toEqual([
      { faila: 100, failb: 0 },
      { faila: 80, failb: 20 },
      { faila: 100, failb: 0 },
    ]);
  });

  it('A-N06 spreads the weight over several target groups of a version', async () => {
    const listenerARN = await stage.networkListener('n06a1');
    await stage.targetGroups('1.0.0', ['n06a1', 'n06a2'], { role: 'n06' }, 'TCP');
    const options = { steps: [{ setWeight: 20 }], spec: { replicas: 2 } };
    await stage.apply(stage.networkCell('n06', listenerARN, options));
    await stage.untilWeights({ n06a1: 50, n06a2: 50 }, listenerARN);
    await stage.targetGroups('2.0.0', ['n06b1', 'n06b2'], { role: 'n06' }, 'TCP');
    await stage.untilPhase('n06', 'Completed', '2.0.0');
    expect(await stage.writes()).toContainEqual({ n06a1: 40, n06a2: 40, n06b1: 10, n06b2: 10 });
    expect(await stage.defaultWeights(listenerARN)).toEqual({ n06a1: 0, n06a2: 0, n06b1: 50, n06b2: 50 });
  });

  it('A-N05 is described by the block of the other load balancer as well', async () => {
    const listenerARN = await stage.networkListener('n05a');
    await stage.targetGroups('1.0.0', ['n05a'], { role: 'n05' }, 'TCP');
    const targetGroupSelector = { matchLabels: { role: 'n05' } };
    const ingress = {
      type: 'AWSNetworkLoadBalancer',
      awsApplicationLoadBalancer: { listenerARN, targetGroupSelector },
    };
    await stage.apply(stage.networkCell('n05', listenerARN, { spec: { ingress } }));
    await stage.untilPhase('n05', 'Completed', '1.0.0');
    expect((await stage.networkConfig('n05'))?.status?.reason).toBe('Served');
  });

  it('refuses a listener that forwards to others, says so, and takes it over when told to', async () => {
    const listenerARN = await stage.networkListener('other');
    await stage.targetGroups('1.0.0', ['own'], { role: 'foreign' }, 'TCP');
    await stage.apply(stage.networkCell('foreign', listenerARN));
    const status = await stage.untilStatus('foreign', 'in conflict', (one) => one.reason === 'Conflict');
    expect(status.message).toContain('okra.mumo.co/adopt');
    expect(await stage.defaultWeights(listenerARN)).toEqual({ other: 1 });
    expect(await ownerOf(listenerARN)).toBeUndefined();
    await stage.annotate(CELL, 'foreign', { 'okra.mumo.co/adopt': 'true' });
    await stage.untilPhase('foreign', 'Completed', '1.0.0');
    // The other serves until the first version of the Cell has taken its steps, and leaves afterwards.
    await stage.untilWeights({ own: 100 }, listenerARN);
    await stage.mark();
  });

  it('refuses a listener that belongs to another', async () => {
    const listenerARN = await serving('mine');
    await stage.targetGroups('1.0.0', ['minea'], { role: 'yours' }, 'TCP');
    await stage.label(AWS_TARGET_GROUP, 'minea', { role: 'mine', also: 'yours' });
    const ingress = {
      type: 'AWSNetworkLoadBalancer',
      awsNetworkLoadBalancer: { listenerARN, targetGroupSelector: { matchLabels: { also: 'yours' } } },
    };
    await stage.apply(stage.networkCell('yours', listenerARN, { spec: { ingress } }));
    const status = await stage.untilStatus('yours', 'in conflict', (one) => one.reason === 'Conflict');
    expect(status.message).toContain(`belongs to ${stage.namespace}/mine`);
    expect(await ownerOf(listenerARN)).toBe(await tagOf('mine'));
    await stage.delete(CELL, 'yours');
  });

  it('heals a default action that someone else changes', async () => {
    const listenerARN = await serving('drift');
    await stage.targetGroups(undefined, ['driftother'], { role: 'none' }, 'TCP');
    await stage.elbv2.modifyListener({
      ListenerArn: listenerARN,
      DefaultActions: [{ Type: 'forward', TargetGroupArn: stage.arns.get('driftother') }],
    });
    await stage.untilWeights({ drifta: 100 }, listenerARN);
    // What is put back is what served, whatever came in between.
    await stage.mark();
  });

  it('keeps its listener, and what it forwards to, when it is deleted', async () => {
    const listenerARN = await serving('gone');
    await stage.delete(CELL, 'gone');
    await until('the configuration to go', async () => (await stage.networkConfig('gone')) === undefined);
    expect(await stage.defaultWeights(listenerARN)).toEqual({ gonea: 1 });
  });

  /** A strategy that analyses, and then switches. */
  const blueGreen = (...steps: object[]): { spec: object } => ({
    spec: { updateStrategy: { type: 'BlueGreen', blueGreen: { steps } } },
  });
  const analysis = {
    analysis: {
      templates: [{ templateName: 'success-rate' }],
      args: [{ name: 'service-name', value: 'guestbook-svc.default.svc.cluster.local' }],
    },
  };

  it('A-N01 runs the analysis of a BlueGreen, and then switches', async () => {
    const listenerARN = await serving('n01', blueGreen(analysis, { promote: {} }));
    await stage.mark();
    stage.metrics.rate = undefined;
    await stage.targetGroups('2.0.0', ['n01b'], { role: 'n01' }, 'TCP');
    await stage.untilStatus('n01', 'analysing', (status) => status.analysisRun !== undefined);
    expect(await stage.writes()).toEqual([]);
    expect(await stage.defaultWeights(listenerARN)).toEqual({ n01a: 1 });
    stage.metrics.rate = 1;
    await stage.untilPhase('n01', 'Completed', '2.0.0');
    // The new group is attached without weight, so that ELBv2 checks its targets; then one write switches.
    expect(await stage.writes()).toEqual([
      { n01a: 100, n01b: 0 },
      { n01a: 0, n01b: 100 },
    ]);
  });

  it('A-N02 stays with what serves when the analysis of a BlueGreen fails', async () => {
    const listenerARN = await serving('n02', blueGreen(analysis, { promote: {} }));
    await stage.mark();
    stage.metrics.rate = 0.5;
    await stage.targetGroups('2.0.0', ['n02b'], { role: 'n02' }, 'TCP');
    const status = await stage.untilPhase('n02', 'Reverted', '1.0.0');
    expect(status.blockedVersions).toMatchObject([{ version: '2.0.0' }]);
    expect(status.message).toMatch(/AnalysisRun n02-0-success-rate-\S+ ended as Failed/);
    await stage.untilAtRest('n02');
    expect(await listenerWrites()).toBe(0);
    expect(await stage.defaultWeights(listenerARN)).toEqual({ n02a: 1 });
  });

  it('A-N03 is refused with a BlueGreen that never promotes', async () => {
    const cell = stage.networkCell('n03', stage.networkListeners.get('takea') ?? '', blueGreen(analysis));
    await expect(stage.apply(cell)).rejects.toThrow(/exactly one promote/);
  });

  it('A-N04 takes a BlueGreen behind an Application Load Balancer as well', async () => {
    await stage.targetGroups('1.0.0', ['n04a'], { role: 'n04' });
    const { spec } = blueGreen(analysis, { promote: {} });
    await stage.apply(stage.cell('n04', { priority: 40, role: 'n04', spec }));
    await stage.untilPhase('n04', 'Completed', '1.0.0');
    await stage.targetGroups('2.0.0', ['n04b'], { role: 'n04' });
    await stage.untilPhase('n04', 'Completed', '2.0.0');
    expect(await stage.writes()).toEqual([{ n04a: 100 }, { n04a: 100, n04b: 0 }, { n04a: 0, n04b: 100 }]);
  });
});
