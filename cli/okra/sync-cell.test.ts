import { beforeEach, describe, expect, it } from 'vitest';
import {
  aListener,
  type FakeListener,
} from '../../activities/load-balancers/application-load-balancer/testing/listener.ts';
import type { CanaryStep, CellStatus } from '../../crds/cell.ts';
import { fieldsIn } from '../../domain/model/fields.ts';
import { aCell, aTargetGroup } from '../okractl/testing/objects.ts';
import { runOkra, type FakeObject, type Outcome } from './testing/shell.ts';

const LISTENER =
  'arn:aws:elasticloadbalancing:ap-northeast-1:111122223333:listener/app/web/0123456789abcdef/0123456789abcdef';

/** The steps of the getting-started guide. */
const steps: readonly CanaryStep[] = [
  { setWeight: 20 },
  {
    analysis: {
      templates: [{ templateName: 'success-rate' }],
      args: [{ name: 'service-name', value: 'exampleapp' }],
    },
  },
  { pause: { duration: '5s' } },
  { setWeight: 40 },
];

const template: FakeObject & { readonly spec: object } = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AnalysisTemplate',
  metadata: { namespace: 'default', name: 'success-rate' },
  spec: { args: [{ name: 'service-name' }], metrics: [{ name: 'rate', provider: {} }] },
};

describe('okra sync cell', () => {
  let listener: FakeListener;
  let objects: readonly FakeObject[];
  let now: number;
  /** Whether ELBv2 throttles writes. */
  let refuses: boolean;
  /** What others write while a pass runs. */
  let meanwhile: ((cluster: readonly FakeObject[]) => readonly FakeObject[]) | undefined;
  let rows: string[];
  /** The weights of the rule, whenever they have changed. */
  let writes: Readonly<Record<string, number>>[];
  beforeEach(() => {
    listener = aListener();
    const updateStrategy = { type: 'Canary' as const, canary: { steps: [...steps] } };
    const cell = aCell({}, { replicas: 2, updateStrategy, settle: '0s' });
    objects = [
      { ...cell, metadata: { ...cell.metadata, uid: 'the-cell', generation: 1 } },
      template,
      ...['a1', 'a2'].map((name) => aTargetGroup(name, '1.0.0')),
    ];
    now = Date.now();
    refuses = false;
    meanwhile = undefined;
    rows = [];
    writes = [];
  });

  const statusOf = (of: readonly FakeObject[] = objects): CellStatus =>
    fieldsIn(fieldsIn(of.find(({ kind }) => kind === 'Cell'))['status']);
  /** The rows of the trace of A-C20, as the statuses say them that are written. */
  const reported = (object: FakeObject): void => {
    if (object.kind !== 'Cell') return;
    const { phase, step, canaryWeight, targetGroups = [] } = statusOf([object]);
    const row = `${phase} ${step ?? '-'} at ${canaryWeight}: ${targetGroups.map(({ weight }) => weight).join()}`;
    if (rows.at(-1) !== row) rows.push(row);
  };
  const pass = async (...words: readonly string[]): Promise<Outcome> => {
    const elbv2 = {
      ...listener.elbv2,
      modifyRule: async (input: Parameters<typeof listener.elbv2.modifyRule>[0]) => {
        if (refuses) throw Object.assign(new Error('Rate exceeded'), { name: 'Throttling' });
        const rule = await listener.elbv2.modifyRule(input);
        writes.push(weights());
        return rule;
      },
      targetHealth: () =>
        Promise.resolve([{ Target: { Id: 'i-1', Port: 80 }, TargetHealth: { State: 'healthy' as const } }]),
    };
    const said = await runOkra(['sync', 'cell', 'web', ...words], {
      objects,
      elbv2,
      now,
      meanwhile,
      reported,
    });
    ({ objects } = said);
    return said;
  };
  /** Makes passes, and lets a second go by after each, until something has happened. */
  const passesUntil = async (happened: (said: string) => boolean): Promise<Outcome> => {
    for (let count = 0; count < 20; count += 1) {
      const outcome = await pass();
      if (happened(outcome.out)) return outcome;
      expect([outcome.code, outcome.err]).toEqual([0, '']);
      now += 1_000;
    }
    throw new Error(`Expected something to happen within 20 passes, got ${rows.join(' / ')}.`);
  };
  const serving = async (): Promise<void> => {
    await passesUntil((said) => said.includes('1.0.0 serves'));
    objects = [...objects, ...['b1', 'b2'].map((name) => aTargetGroup(name, '2.0.0'))];
    [rows, writes] = [[], []];
  };
  const judge = (phase: string): void => {
    objects = objects.map((one) => (one.kind === 'AnalysisRun' ? { ...one, status: { phase } } : one));
  };
  const runs = (): readonly FakeObject[] => objects.filter(({ kind }) => kind === 'AnalysisRun');
  const weights = (): Readonly<Record<string, number>> =>
    Object.fromEntries(
      (listener.rule(10, LISTENER)?.Actions?.at(-1)?.ForwardConfig?.TargetGroups ?? []).map(
        ({ TargetGroupArn = '', Weight = 0 }) => [TargetGroupArn.split('/')[1] ?? '', Weight],
      ),
    );
  const pair = (a: number, b: number) => ({ a1: a, a2: a, b1: b, b2: b });

  it('A-L02 takes the rows of A-C20, in the same order and with the same writes as okrad', async () => {
    await serving();
    await passesUntil(() => runs().length > 0);
    expect(runs()).toMatchObject([
      {
        spec: { args: [{ name: 'service-name', value: 'exampleapp' }] },
        metadata: { ownerReferences: [{ kind: 'Cell' }] },
      },
    ]);
    judge('Running');
    await pass();
    await pass();
    expect([weights(), runs().length]).toEqual([pair(40, 10), 1]);
    judge('Successful');
    await passesUntil((said) => said.includes('2.0.0 serves'));
    expect(writes).toEqual([pair(50, 0), pair(40, 10), pair(30, 20), pair(0, 50)]);
    // As okrad's, in test/rollout/canary.test.ts.
    expect(rows).toEqual([
      'Progressing 1/4 at 0: 50,50',
      'Progressing 1/4 at 0: 50,50,0,0',
      'Progressing 2/4 at 20: 40,40,10,10',
      'Paused 3/4 at 20: 40,40,10,10',
      'Progressing 4/4 at 20: 40,40,10,10',
      'Progressing done at 40: 30,30,20,20',
      'Completed - at 100: 0,0,50,50',
    ]);
  });

  it('takes everything back when the analysis fails, and says so with status 1', async () => {
    await serving();
    await passesUntil(() => runs().length > 0);
    judge('Failed');
    const said = await pass();
    expect(said.out).toContain('a1 50, a2 50, b1 0, b2 0');
    expect(weights()).toEqual(pair(50, 0));
    expect((await pass()).code).toBe(1);
    expect(statusOf()).toMatchObject({ phase: 'Reverted', blockedVersions: [{ version: '2.0.0' }] });
  });

  it('does what is asked with --request, and refuses what makes no sense', async () => {
    await serving();
    expect(await pass('--request', 'abort')).toMatchObject({ code: 3 });
    await passesUntil(() => runs().length > 0);
    await pass('--request', 'abort', '--reason', 'errors');
    expect(weights()).toEqual(pair(50, 0));
  });

  it('writes nothing with --dry-run, and says what it would do', async () => {
    await serving();
    await pass();
    const [before, served] = [objects, weights()];
    const said = await pass('--dry-run');
    expect(said).toMatchObject({
      code: 0,
      out: 'Would do: Setting the weight of 2.0.0 to 20. Weights: a1 40, a2 40, b1 10, b2 10.\n',
    });
    expect([objects, weights()]).toEqual([before, served]);
  });

  it('does nothing beside another pass that has begun later', async () => {
    await serving();
    await pass();
    const kept = objects.find(({ kind }) => kind === 'ConfigMap');
    const served = weights();
    // What the other one keeps comes between the look of this one and its write.
    const raced = { ...kept?.metadata, name: 'okra-cell-web', resourceVersion: '9999' };
    meanwhile = (cluster) =>
      cluster.map((one) => (one.kind === 'ConfigMap' ? { ...one, metadata: raced } : one));
    const said = await pass();
    expect([said.code, said.err]).toEqual([
      3,
      expect.stringContaining('another pass is running at the same time'),
    ]);
    expect(weights()).toEqual(served);
  });

  it('continues at the weight that is served when what it has kept is lost, or someone else has taken over', async () => {
    await serving();
    await passesUntil(() => runs().length > 0);
    objects = objects.filter(({ kind }) => kind !== 'ConfigMap');
    await pass();
    expect(weights()).toEqual(pair(40, 10));
    const cell = objects.find(({ kind }) => kind === 'Cell');
    const rollout = { ...statusOf().rollout, workflowId: 'cell/default/web', runId: 'of-okrad' };
    const taken = { ...cell, status: { ...statusOf(), rollout } } as FakeObject;
    objects = objects.map((one) => (one.kind === 'Cell' ? taken : one));
    expect(await pass()).toMatchObject({ code: 3 });
    const forced = await pass('--force');
    expect([forced.code, weights()]).toEqual([0, pair(40, 10)]);
    expect(statusOf().rollout).toMatchObject({ workflowId: 'okra sync cell' });
  });

  it.each([
    ['the workflow of okrad', { workflowId: 'cell/default/web', runId: 'of-okrad' }, ['--force']],
    ['a pass whose ConfigMap is lost', {}, []],
  ])('aborts what %s has left behind', async (_, writer, words) => {
    await serving();
    await passesUntil(() => runs().length > 0);
    objects = objects
      .filter(({ metadata }) => metadata.name !== 'okra-cell-web')
      .map((one) =>
        one.kind === 'Cell'
          ? { ...one, status: { ...statusOf(), rollout: { ...statusOf().rollout, ...writer } } }
          : one,
      );
    expect(weights()).toEqual(pair(40, 10));
    const early = await pass(...words, '--request', 'pause');
    expect([early.code, early.err]).toEqual([
      3,
      expect.stringContaining('okrad or a lost pass left this rollout behind'),
    ]);
    const said = await pass(...words, '--request', 'abort', '--reason', 'errors');
    expect([said.code, weights()]).toEqual([0, pair(50, 0)]);
    await passesUntil(() => statusOf().phase === 'Reverted');
    expect(statusOf()).toMatchObject({ blockedVersions: [{ version: '2.0.0' }] });
  });

  it('says with status 1 why ELBv2 has refused, and tries again with a later pass', async () => {
    await serving();
    await pass();
    refuses = true;
    const said = await pass();
    expect([said.code, said.err]).toEqual([1, expect.stringContaining('Rate exceeded')]);
    refuses = false;
    now += 60_000;
    await pass();
    expect(weights()).toEqual(pair(40, 10));
  });

  it('refuses a Cell with applications, and says why and what shows its plan', async () => {
    const { ingress: _none, ...spec } = aCell().spec;
    const applications = { ...aCell(), spec: { ...spec, clusters: [], applications: [] } };
    objects = [applications];
    const said = await pass();
    expect([said.code, said.err]).toEqual([
      3,
      expect.stringMatching(
        /only okrad can roll out a Cell with applications.*okractl plan web shows what it would do\./,
      ),
    ]);
    expect(objects).toEqual([applications]);
  });
});
