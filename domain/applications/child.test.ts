import { describe, expect, it } from 'vitest';
import { cell as cellKind } from '../../crds/cell.ts';
import { childOf, type Conditions } from './child.ts';
import { measurementName } from './names.ts';
import { clusters, job, web } from './testing/applications.ts';
import { arnOf } from './testing/world.ts';

/** The Cell of an application with these changes. */
function child(more: object = {}, spec: object = {}, conditions?: Conditions) {
  const parsed = cellKind.parseSpec({
    clusters: clusters('web-a'),
    applications: [web(more)],
    minHealthyTargets: 2,
    ...spec,
  });
  if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
  const { clusters: written = [], applications = [], ...others } = parsed.value;
  const [application] = applications;
  if (application === undefined) throw new Error('Expected an application.');
  const found = { eksName: 'EKS_web', server: '', certificateAuthority: '', secretName: '' };
  const revision = {
    number: 3,
    version: '3',
    content: {
      application,
      clusters: [{ name: 'web-a', ...found }],
      secretLabels: {},
      targetGroups: [{ arn: arnOf('web-a'), clusters: ['web-a'] }],
    },
  };
  const desired = { ...others, clusters: written, applications };
  return childOf({ key: { name: 'mysystem' }, spec: desired }, revision, conditions);
}

const stepsOf = (made: ReturnType<typeof child>) => made?.spec.updateStrategy?.canary?.steps;
const weights = (stepWeight: number, totalWeight: number) =>
  stepsOf(
    child({
      checks: [],
      alb: {
        listenerARN:
          'arn:aws:elasticloadbalancing:eu-central-1:111122223333:listener/app/demo/0123456789abcdef/0123456789abcdef',
        forwardConfig: { priority: 10, targetGroup: { arnFromLabel: 'a' } },
        updateStrategy: { stepWeight, totalWeight },
      },
    }),
  )?.map(({ setWeight }) => setWeight);

describe('the Cell of an application', () => {
  it('is one that the schema takes', () => {
    const made = child({ alb: undefined });
    expect(made).toBeUndefined();
    const spec = child({}, {}, { hosts: ['example.com'] })?.spec;
    expect(cellKind.parseSpec(spec)).toEqual({ ok: true, value: spec });
  });

  it('pins its revision, and selects the target groups of the application', () =>
    expect(child()).toMatchObject({
      name: 'mysystem-web',
      annotations: { 'okra.mumo.co/revision': '3' },
      spec: {
        version: '3',
        replicas: 1,
        minHealthyTargets: 2,
        ingress: {
          awsApplicationLoadBalancer: {
            targetGroupSelector: {
              matchLabels: { 'okra.mumo.co/cell': 'mysystem', 'okra.mumo.co/application': 'web' },
            },
          },
        },
      },
      targetGroups: [
        {
          name: 'mysystem-web-web-a',
          arn: arnOf('web-a'),
          labels: {
            'okra.mumo.co/version': '3',
            'okra.mumo.co/target-group-binding-cluster': 'EKS_web',
          },
        },
      ],
    }));

  it.each([
    ['A-G10 30 of 100', 30, 100, [30, 60, 90, 100]],
    ['A-G11 100 of 100', 100, 100, [100]],
    ['10 of 100', 10, 100, [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]],
    ['1 of 3', 1, 3, [33, 67, 100]],
    ['40 of 200', 40, 200, [20, 40, 60, 80, 100]],
  ])('goes through the weights: %s', (_, step, total, want) => expect(weights(step, total)).toEqual(want));

  it('has every check after each weight, in their order', () => {
    const checks = [
      { name: 'dd', analysis: { query: 'q', aggregator: 'avg', max: 0.1 } },
      { name: 'rate', templates: [{ templateName: 'success-rate' }] },
      { name: 'smoke', job },
    ];
    expect(stepsOf(child({ checks }))?.map((step) => Object.keys(step)[0])).toEqual([
      'setWeight',
      'check',
      'analysis',
      'job',
      'setWeight',
      'check',
      'analysis',
      'job',
    ]);
  });

  it('takes the conditions of the rule as it is where none are named', () => {
    const rule = (made: ReturnType<typeof child>) =>
      made?.spec.ingress.awsApplicationLoadBalancer?.listener?.rule;
    expect(rule(child({}, {}, { hosts: ['as.it.is'] }))).toEqual({ priority: 10, hosts: ['as.it.is'] });
  });
});

describe('the name of what measures', () => {
  const of = {
    cell: 'c'.repeat(30),
    application: 'a'.repeat(30),
    stage: 'prechecks',
    check: 'x',
    number: 12,
    hash: '0123456789abcdef',
  } as const;
  it('can be the value of a label, however long the others are', () => {
    expect(measurementName(of)).toMatch(/^[a-z0-9-]+-pre-12-[0-9a-f]{8}$/);
    expect(measurementName(of).length).toBeLessThanOrEqual(63);
  });
  it('differs by application, check, revision, forward config and stage', () => {
    const names = [
      of,
      { ...of, application: 'api' },
      { ...of, check: 'y' },
      { ...of, number: 13 },
      { ...of, hash: 'fedcba98' },
      { ...of, stage: 'postchecks' as const },
    ];
    expect(new Set(names.map(measurementName)).size).toBe(6);
  });
  it.each([
    ['have the same check', ['web', 'dd'], ['api', 'dd']],
    ['make the same text with theirs', ['api-internal', 'smoke'], ['api', 'internal-smoke']],
  ])('A-K05 differs for two applications that %s', (_, ...both) => {
    const names = both.map(([application = '', check = '']) =>
      measurementName({ ...of, cell: 'mysystem', application, check }),
    );
    expect(new Set(names).size).toBe(2);
  });
});
