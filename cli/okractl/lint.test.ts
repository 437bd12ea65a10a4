import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';
import { blocksOf, pages } from '../../test/support/documented-manifests.ts';
import { aCell } from './testing/objects.ts';
import { runOkractl } from './testing/shell.ts';
import { nearest } from './lint.ts';

const lint = (...texts: readonly string[]) =>
  runOkractl(['lint', '-f', 'x.yaml'], { files: { 'x.yaml': texts.join('---\n') } });
const cell = (spec: object): string =>
  stringify({ ...aCell(), status: undefined, spec: { ...aCell().spec, ...spec } });

const stepped = (step: object): object => ({ type: 'Canary', canary: { steps: [step] } });
const reading = (fieldPath: string): object =>
  stepped({
    analysis: {
      templates: [{ templateName: 'rate' }],
      args: [{ name: 'group', valueFrom: { fieldRef: { fieldPath } } }],
    },
  });
const checking = (analysis: object): object =>
  stepped({ check: { analysis: { aggregator: 'sum', ...analysis } } });
const byARN = {
  id: 'm1',
  namespace: 'AWS/ApplicationELB',
  metricName: 'HTTPCode_Target_5XX_Count',
  stat: 'Sum',
  dimensions: [{ name: 'TargetGroup', value: '{{.Vars.targetGroupARN}}' }],
};

describe('lint', () => {
  it.each([
    'status.desiredVersion',
    'status.rollout.canary.targetGroups[0].fullName',
    'status.rollout.loadBalancer.fullName',
    "metadata.labels['example.com/team']",
    'spec.replicas',
    'spec.ingress.awsApplicationLoadBalancer.listener.rule.hosts[0]',
  ])('finds nothing in an argument from %s', async (path) => {
    expect(await lint(cell({ updateStrategy: reading(path) }))).toMatchObject({ code: 0 });
  });

  it('finds nothing in what is good', async () => {
    expect(await lint(cell({}))).toMatchObject({ code: 0, out: '1 object, 0 problems\n' });
  });

  it('says file, line and object of each problem', async () => {
    const written = cell({ replicas: 9 });
    const line = 4 + written.split('\n').indexOf('  replicas: 9');
    const { out, code } = await lint('apiVersion: v1\nkind: Pod\n', written);
    expect(code).toBe(2);
    expect(out).toMatch(new RegExp(`^x\\.yaml:${line}: Cell web: .*spec\\.replicas must be 1 or 2`));
    expect(out).toMatch(/1 object, 1 problem; 1 of other kinds not checked\n$/);
  });

  it.each([
    ['of an unknown field', '  settle: 5s\n  updateStratgy: {}\n', 6],
    [
      'in a list',
      '  windows:\n    - cron: "0 9 * * *"\n      duration: 1h\n    - cron: nine\n      duration: 1h\n',
      8,
    ],
    ['above one that is missing', '  settle: 5s\n', 4],
  ])('says the line %s', async (_, spec, line) => {
    const text = `apiVersion: okra.mumo.co/v1alpha1\nkind: Cell\nmetadata: { name: web }\nspec:\n${spec}`;
    expect((await lint(text)).out).toMatch(new RegExp(`^x\\.yaml:${line}: Cell web: `, 'm'));
  });

  it('says the line in a List', async () => {
    const freeze = [
      '- apiVersion: okra.mumo.co/v1alpha1',
      '  kind: Freeze',
      '  metadata: { name: a }',
      '  spec:',
      '    bye: ops',
    ];
    const list = ['apiVersion: v1', 'kind: List', 'items:', ...freeze].join('\n');
    expect((await lint(list)).out).toContain('x.yaml:8: Freeze a: unknown field spec.bye');
  });

  it.each([
    [
      'a slip in a field',
      cell({ updateStratgy: {} }),
      /unknown field spec\.updateStratgy\. Did you mean updateStrategy\?/,
    ],
    [
      'a slip below',
      cell({ updateStrategy: { type: 'Canary', canary: { steps: [{ pause: { durration: '5m' } }] } } }),
      /spec\.updateStrategy\.canary\.steps\[0\]\.pause\.durration/,
    ],
    [
      'a field that only a Rollout has',
      cell({ updateStrategy: reading('status.alb.canaryTargetGroup.fullName') }),
      /steps\[0\]\.analysis\.args\[0\]\.valueFrom\.fieldRef\.fieldPath: invalid path status\.alb\.canaryTargetGroup\.fullName: must be a field of a Cell with a scalar value\. Did you mean status\.rollout\.canary\.targetGroups\[0\]\.fullName\?/,
    ],
    [
      'the load balancer of a Rollout',
      cell({ updateStrategy: reading('status.alb.loadBalancer.fullName') }),
      /Did you mean status\.rollout\.loadBalancer\.fullName\?/,
    ],
    [
      'a slip deep in a path',
      cell({ updateStrategy: reading('status.rollout.canary.versoin') }),
      /Did you mean status\.rollout\.canary\.version\?/,
    ],
    [
      'a field that is an object',
      cell({ updateStrategy: reading('spec.ingress') }),
      /invalid path spec\.ingress: .* Did you mean spec\.ingress\.type\?/,
    ],
    [
      'a variable that no query has',
      cell({ updateStrategy: checking({ query: 'avg:e{v:{{.Vars.versio}}}', max: 1 }) }),
      /no other variables than {{\.Vars\.NAME}}/,
    ],
    [
      'the ARN of a target group where CloudWatch has its name',
      cell({
        updateStrategy: checking({ noData: 'pass', max: 5, provider: { cloudWatch: { metrics: [byARN] } } }),
      }),
      /targetGroupFullName/,
    ],
    [
      'a variable that no template has',
      stringify({
        apiVersion: 'okra.mumo.co/v1alpha1',
        kind: 'ClusterSet',
        metadata: { name: 'prod' },
        spec: {
          generators: [{ awseks: { selector: { matchTags: { Environment: 'prod' } } } }],
          template: { metadata: { labels: { cost: '{{.awseks.cluster.tag.cost}}' } } },
        },
      }),
      /no other variables than {{\.awseks\.cluster\.name}}/,
    ],
    ['an older group', 'apiVersion: okra.mumoshu.github.io/v1alpha1\nkind: Cell\n', /okractl convert -f/],
    [
      'a slip in the kind',
      'apiVersion: okra.mumo.co/v1alpha1\nkind: ClusterSets\n',
      /Did you mean ClusterSet\?/,
    ],
    [
      'no apiVersion',
      'kind: Cell\nmetadata: {name: web}\n',
      /apiVersion is missing: set it to okra\.mumo\.co\/v1alpha1/,
    ],
    [
      'no name',
      'apiVersion: okra.mumo.co/v1alpha1\nkind: Freeze\nspec: {by: a, reason: b}\n',
      /metadata\.name is missing/,
    ],
    [
      'a namespace that is none',
      'apiVersion: okra.mumo.co/v1alpha1\nkind: Freeze\nmetadata: {name: a, namespace: b}\nspec: {by: a, reason: b}\n',
      /a Freeze is cluster-scoped/,
    ],
    ['no YAML', 'a: [\n', /x\.yaml:\d: invalid YAML/],
    [
      'an alias of nothing, and what is wrong beside it',
      'kind: Cell\nmetadata: *unknown\n---\nkind: Freeze\nmetadata: {name: a}\n',
      /x\.yaml:1: invalid YAML: Unresolved alias[^]*x\.yaml:4: Freeze a/,
    ],
    [
      'CEL that admission lets pass',
      stringify({
        apiVersion: 'community.kubestellar.io/v1alpha1',
        kind: 'StagedBindingPolicy',
        metadata: { name: 'n' },
        spec: {
          downsync: [{ objectSelectors: [{ matchLabels: { a: 'b' } }] }],
          stages: [
            {
              name: 'dev',
              clusterSelectors: [{ matchLabels: { env: 'dev' } }],
              condition: 'obj.results.exists(',
            },
          ],
        },
      }),
      /spec\.stages\[0\]\.condition/,
    ],
  ])('finds %s', async (_, text, problem) => {
    const { out, code } = await lint(text);
    expect(out).toMatch(problem);
    expect(code).toBe(2);
  });

  it('takes a field that is null for one that is not there, as the API server does', async () => {
    expect(await lint(cell({ version: null, updateStrategy: null, settle: null }))).toMatchObject({
      code: 0,
    });
  });

  it.each([
    ['an owner reference without uid', 'ownerReferences: [{apiVersion: v1, kind: A, name: b}]', 'uid'],
    ['a label that is a number', 'labels: {okra.mumo.co/version: 1.0}', 'Put it in quotes'],
    ['a label that is too long', `labels: {a: ${'b'.repeat(64)}}`, 'at most 63'],
    ['an annotation without a valid key', 'annotations: {a b: c}', 'valid key'],
  ])('refuses %s, as the API server does', async (_, metadata, said) => {
    const { out, code } = await lint(
      `apiVersion: okra.mumo.co/v1alpha1\nkind: Freeze\nmetadata: {name: a, ${metadata}}\nspec: {by: a, reason: b}\n`,
    );
    expect(out).toContain(said);
    expect(code).toBe(2);
  });

  const refusing = (status: number, message: string, ...words: readonly string[]) =>
    runOkractl(['lint', '-f', 'x.yaml', ...words], {
      files: { 'x.yaml': cell({}) },
      refuses: new KubernetesError({ status, reason: '', message }),
    });

  it('asks the API server as well, by dry run', async () => {
    const { out, code, done } = await refusing(422, 'denied by policy');
    expect(out).toContain('Cell web: refused by the API server: denied by policy');
    expect([code, done]).toEqual([2, []]);
  });

  it.each([0, 403, 404])(
    'says that the API server has not checked it, after the status %i',
    async (status) => {
      const { out, err, code } = await refusing(status, 'no route to host');
      expect([out, code]).toEqual(['1 object, 0 problems\n', 0]);
      expect(err).toContain('Cell web: not checked by the API server: no route to host');
    },
  );

  it('asks no API server with --offline', async () => {
    expect(await refusing(422, 'denied', '--offline')).toMatchObject({ code: 0, err: '' });
  });

  it.each(['AWSApplicationLoadBalancer', 'AWSNetworkLoadBalancer'])(
    'says of what is no listener ARN that it is none, whatever %s asks for',
    async (type) => {
      const { ingress } = aCell().spec;
      const block = { ...ingress?.awsApplicationLoadBalancer, listenerARN: 'foo' };
      const { out } = await lint(cell({ ingress: { ...ingress, type, awsApplicationLoadBalancer: block } }));
      expect(out).toMatch(/listenerARN: must be the ARN of a listener .* Got "foo"/);
      expect(out).not.toContain('Load Balancer (listener/');
    },
  );

  it('wants something to look at', async () => {
    expect(await lint('kind: Pod\napiVersion: v1\n')).toMatchObject({ code: 2, out: '' });
    expect(await runOkractl(['lint'])).toMatchObject({ code: 2, out: '' });
  });
});

describe('the manifests in the documentation', () => {
  const blocks = pages
    .flatMap(blocksOf)
    .filter(({ manifests }) =>
      manifests.some(({ apiVersion = '' }) =>
        /^(okra\.mumo\.co|community\.kubestellar\.io)\//.test(apiVersion),
      ),
    )
    .map(({ place, manifests }) => [place, manifests.map((one) => stringify(one)).join('---\n')] as const);

  it.each(blocks)('%s has no problems', async (_, yaml) => {
    expect(await lint(yaml)).toMatchObject({ code: 0 });
  });
});

describe('the name that is nearly the same', () => {
  it.each([
    ['replcas', 'replicas'],
    ['Replicas', 'replicas'],
    ['x', undefined],
    ['windos', 'windows'],
  ])('of %s is %s', (name, meant) => expect(nearest(name, ['replicas', 'windows', 'at'])).toBe(meant));
});
