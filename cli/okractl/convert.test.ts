import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { runOkractl } from './testing/shell.ts';

const LISTENER =
  'arn:aws:elasticloadbalancing:ap-northeast-1:111122223333:listener/app/web/0123456789abcdef/0123456789abcdef';
const NETWORK_LISTENER = LISTENER.replace('/app/', '/net/');

const convert = async (text: string) => {
  const { out, err, code } = await runOkractl(['convert', '-f', 'old.yaml'], { files: { 'old.yaml': text } });
  return { objects: parseAllDocuments(out).map((one) => one.toJS() as unknown), err, code };
};

// As the second generation has it, with real ARNs and a rule.
const canary = `
apiVersion: okra.mumoshu.github.io/v1alpha1
kind: Cell
metadata:
  name: web
spec:
  ingress:
    type: AWSApplicationLoadBalancer
    awsApplicationLoadBalancer:
      listenerARN: ${LISTENER}
      listener:
        rule: { hosts: [example.com] }
      targetGroupSelector:
        matchLabels: { role: web }
    replicas: 2
  versionedBy:
    label: okra.mumoshu.github.io/version
  updateStrategy:
    type: Canary
    canary:
      analysis:
        templates: [{ templateName: success-rate }]
        startingStep: 2
        args: [{ name: service-name, value: guestbook }]
      steps:
        - stepWeight: 10
        - pause: { duration: 10m }
        - stepWeight: 20
        - pause: {}
        - analysis:
            templates: [{ templateName: success-rate }]
`;

describe('convert', () => {
  it('writes a Cell of the second generation in the form of now, and warns of each change of meaning', async () => {
    const { objects, err, code } = await convert(canary);
    expect(code).toBe(0);
    expect(objects).toMatchObject([
      {
        apiVersion: 'okra.mumo.co/v1alpha1',
        spec: {
          replicas: 2,
          versionedBy: { label: 'okra.mumoshu.github.io/version' },
          ingress: { awsApplicationLoadBalancer: { listener: { rule: { priority: 100 } } } },
          updateStrategy: {
            canary: {
              analysis: { startingStep: 2 },
              steps: [{ stepWeight: 10 }, { pause: {} }, { stepWeight: 20 }, { pause: {} }, { analysis: {} }],
            },
          },
        },
      },
    ]);
    expect(JSON.stringify(objects)).not.toContain(
      '"ingress":{"type":"AWSApplicationLoadBalancer","replicas"',
    );
    for (const said of [
      'old.yaml:2: Cell web: spec.ingress.replicas moved to spec.replicas',
      'A rule without a priority had the priority 100',
      'A pause without a duration (step 4) used to end at once',
    ])
      expect(err).toContain(said);
    expect(err.trim().split('\n')).toHaveLength(3);
  });

  it('writes weights that were added up as such', async () => {
    const { objects, err } = await convert(canary.replaceAll('stepWeight', 'setWeight'));
    const steps = [{ stepWeight: 10 }, { pause: {} }, { stepWeight: 20 }, { pause: {} }, { analysis: {} }];
    expect(objects).toMatchObject([{ spec: { updateStrategy: { canary: { steps } } } }]);
    expect(err).toContain('setWeight 10, 20 used to be added up');
  });

  it('leaves a Cell of now alone that only leaves out apiVersion', async () => {
    const ofNow = canary
      .replace(/apiVersion: .*/, '')
      .replace('hosts: [example.com]', 'hosts: [example.com], priority: 10')
      .replace('    replicas: 2\n', '')
      .replace('stepWeight: 20', 'stepWeight: 40')
      .replaceAll('stepWeight', 'setWeight');
    const { objects, err, code } = await convert(ofNow);
    expect([code, err]).toEqual([0, '']);
    const written = parseAllDocuments(ofNow).map((one) => one.toJS() as object);
    expect(objects).toEqual(written.map((one) => ({ apiVersion: 'okra.mumo.co/v1alpha1', ...one })));
  });

  it('leaves a ClusterSet of now alone that only leaves out apiVersion', async () => {
    const { objects, err } = await convert(`
kind: ClusterSet
metadata: { name: cart }
spec:
  generators: [{ awseks: { selector: { matchTags: { role: web } } } }]
  template: { metadata: { labels: { role: web } } }
`);
    expect(err).toBe('');
    expect(objects).toMatchObject([{ apiVersion: 'okra.mumo.co/v1alpha1', kind: 'ClusterSet' }]);
  });

  it('leaves out what is null, as the API server does', async () => {
    const { objects, err } = await convert(`${canary}  version: null\n  healthTimeout:\n`);
    expect(objects).not.toHaveProperty('0.spec.version');
    expect(objects).not.toHaveProperty('0.spec.healthTimeout');
    expect(err).not.toContain('problem');
  });

  it('says what a check lacks', async () => {
    const { err, code } = await convert(`
apiVersion: okra.mumoshu.github.io/v1alpha1
kind: Check
metadata: { name: errors }
spec: { analysis: { interval: 10s, max: 0.1, query: 'avg:errors{*}' } }
`);
    expect(code).toBe(2);
    expect(err).toMatch(/problem: old.yaml:2: Check errors: .*spec\.analysis\.aggregator/);
  });

  it('gives the block of a Network Load Balancer its name', async () => {
    const { objects, code } = await convert(`
apiVersion: okra.mumoshu.github.io/v1alpha1
kind: Cell
metadata: { name: web }
spec:
  ingress:
    type: AWSNetworkLoadBalancer
    awsApplicationLoadBalancer:
      listenerARN: ${NETWORK_LISTENER}
      targetGroupSelector: { matchLabels: { role: web } }
  updateStrategy:
    type: BlueGreen
    blueGreen:
      steps:
        - analysis: { templates: [{ templateName: success-rate }] }
        - promote: {}
`);
    expect(code).toBe(0);
    expect(objects).toMatchObject([
      { spec: { ingress: { awsNetworkLoadBalancer: { listenerARN: NETWORK_LISTENER } } } },
    ]);
  });

  it('ends with 2 where something has to be completed by hand', async () => {
    const { err, code } = await convert(canary.replace(/ {6}listener:\n.*\n/, ''));
    expect(code).toBe(2);
    expect(err).toContain('warning: old.yaml:2: Cell web: The Cell has no listener.rule');
    expect(err).toContain('problem: old.yaml:2: Cell web: ');
  });

  it('writes the other kinds in the form of now', async () => {
    const { objects, err, code } = await convert(`
apiVersion: okra.mumoshu.github.io/v1alpha1
kind: ClusterSet
metadata: { name: cart }
spec:
  generators: [{ awseks: { clusterSelector: { matchTags: { role: web } } } }]
  template: { metadata: { labels: { role: "{{.awseks.cluster.name}}" } } }
---
kind: AWSApplicationLoadBalancerConfig
metadata: { name: web }
spec:
  listenerARN: ${LISTENER}
  listener: { rule: { priority: 10, hosts: [example.com] } }
  forwardTargetGroups:
    - { name: prev, arn: "arn:aws:elasticloadbalancing:ap-northeast-1:111122223333:targetgroup/prev/0123456789abcdef", weight: 40 }
    - { name: next, arn: "arn:aws:elasticloadbalancing:ap-northeast-1:111122223333:targetgroup/next/0123456789abcdef", weight: 60 }
---
apiVersion: okra.mumoshu.github.io/v1alpha1
kind: AWSTargetGroup
metadata:
  name: web-cluster1
  labels: { role: web, okra.mumoshu.github.io/version: 1.0.0 }
  ownerReferences: [{ apiVersion: okra.mumoshu.github.io/v1alpha1, kind: AWSTargetGroupSet, name: web, uid: x }]
spec:
  arn: arn:aws:elasticloadbalancing:ap-northeast-1:111122223333:targetgroup/web/0123456789abcdef
status: { phase: Synced }
---
apiVersion: v1
kind: Service
metadata: { name: foreign }
`);
    expect(code).toBe(0);
    expect(objects).toMatchObject([
      { spec: { generators: [{ awseks: { selector: { matchTags: { role: 'web' } } } }] } },
      {
        apiVersion: 'okra.mumo.co/v1alpha1',
        spec: { listener: { rule: { forward: { targetGroups: [{ weight: 40 }, { weight: 60 }] } } } },
      },
      { metadata: { labels: { role: 'web', 'okra.mumoshu.github.io/version': '1.0.0' } } },
      { apiVersion: 'v1', kind: 'Service' },
    ]);
    expect(objects[2]).not.toHaveProperty('status');
    expect(objects[2]).not.toHaveProperty('metadata.ownerReferences');
    expect(err).toContain('Cluster Secrets are now named after the cluster');
  });

  it.each([
    ['Pause', 'okractl resume'],
    ['VersionBlocklist', 'status.blockedVersions'],
  ])('leaves a %s out, and says what there is in its place', async (kind, said) => {
    const { objects, err, code } = await convert(
      `apiVersion: okra.mumo.co/v1alpha1\nkind: ${kind}\nmetadata: { name: a }\n`,
    );
    expect([objects, code]).toEqual([[], 0]);
    expect(err).toContain(said);
  });

  it('keeps what is of the form of now', async () => {
    const current = canary.replaceAll('okra.mumoshu.github.io', 'okra.mumo.co');
    const { objects, err } = await convert(current);
    expect(objects).toMatchObject([{ spec: { ingress: { replicas: 2 } } }]);
    expect(err).toBe('');
  });

  it('corrects the slip of the first generation', async () => {
    const { objects } = await convert(`
apiVersion: okra.mumoshu.github.io/v1alpha1
kind: Cell
metadata: { name: mysystem }
spec:
  clusters: [{ name: jobs-v1, eks: {}, labels: { role: jobs } }]
  applications:
    - name: jobs
      clusterSelector: { role: jobs }
      argocd:
        clusterSecret: { lables: { myservice-role: jobs } }
        applicationSet: { name: jobs }
`);
    expect(objects).toMatchObject([
      { spec: { applications: [{ argocd: { clusterSecret: { labels: { 'myservice-role': 'jobs' } } } }] } },
    ]);
    expect(JSON.stringify(objects)).not.toContain('lables');
  });
});

describe('each manifest in the documentation of the older generations', () => {
  const samples = join(import.meta.dirname, '../../test/support/samples/earlier-manifests.yaml');
  const documented = readFileSync(samples, 'utf8');

  it('lacks nothing but what is new', async () => {
    const { objects, err, code } = await convert(documented);
    expect([objects.length, code]).toEqual([16, 2]);
    const problems = err.split('\n').filter((line) => line.startsWith('problem'));
    expect(
      problems.map((line) => line.replace(/^problem: old.yaml:\d+: /, '').split(/ is required|,/)[0]),
    ).toEqual([
      'Cell mysystem: spec.applications[0].checks[0].analysis.aggregator',
      'Cell mysystem: spec.applications[1].checks[0].analysis.aggregator',
      'Cell overview: spec.ingress.awsApplicationLoadBalancer.listener.rule',
      'Cell web: spec.ingress.awsApplicationLoadBalancer.listener.rule',
      'AWSApplicationLoadBalancerConfig web: spec.listener.rule.priority',
      'Check mysystem-dd-mycluster-web-1-v2: spec.analysis.aggregator',
    ]);
  });

  it('is accepted once that is added', async () => {
    const files = { 'old.yaml': documented.replaceAll('# by hand: ', '') };
    const { out, err, code } = await runOkractl(['convert', '-f', 'old.yaml'], { files });
    expect([code, err]).toEqual([0, expect.not.stringContaining('problem')]);
    expect(out).not.toContain('okra.mumoshu.github.io/v1alpha1');
    const linted = await runOkractl(['lint', '-f', 'new.yaml'], { files: { 'new.yaml': out } });
    expect([linted.out.trim(), linted.code]).toEqual(['16 objects, 0 problems', 0]);
  });
});
