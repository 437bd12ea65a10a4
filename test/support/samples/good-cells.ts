import { listenerARN } from './arns.ts';
import { goodApplications } from './applications.ts';
import { goodLoadBalancers } from './load-balancers.ts';
import { analysis, background, cell, experiment, job, selecting, steps, withRule } from './cell.ts';

/** Specs of Cells that have to be accepted, by what they show. */
export const goodCells: Readonly<Record<string, unknown>> = {
  'the smallest Cell': cell(),
  ...goodLoadBalancers,
  ...goodApplications,
  'an empty canary': cell({ updateStrategy: { canary: {} } }),
  'the shortest ARN': cell({}, { listenerARN: listenerARN.replaceAll('0123456789abcdef', 'a') }),
  'the example of the documentation': cell({
    replicas: 2,
    updateStrategy: {
      type: 'Canary',
      canary: {
        steps: [
          { setWeight: 20 },
          {
            analysis: {
              args: [{ name: 'service-name', value: 'exampleapp' }],
              templates: [{ templateName: 'success-rate' }],
            },
          },
          { pause: { duration: '5s' } },
          { setWeight: 40 },
        ],
      },
    },
  }),
  'a failure that is held': cell({ updateStrategy: { canary: { onFailure: 'Hold' } } }),
  'no steps': steps(),
  'a strategy without a block': cell({ updateStrategy: { type: 'Canary' } }),
  'the weights 0 and 100': steps({ setWeight: 0 }, { setWeight: 100 }),
  'weights by increment': steps({ stepWeight: 10 }, { pause: { duration: '10m' } }, { stepWeight: 90 }),
  'a pause in seconds': steps({ pause: { duration: 30 } }),
  'a pause in seconds as text': steps({ pause: { duration: '30' } }),
  'a pause of nothing': steps({ pause: { duration: 0 } }),
  'a pause of a year': steps({ pause: { duration: 31_536_000 } }, { pause: { duration: '8760h' } }),
  'a pause in hours and minutes': steps({ pause: { duration: '1h30m' } }),
  'a pause without an end': steps({ pause: {} }),
  'an argument by field': analysis([
    { name: 'v', valueFrom: { fieldRef: { fieldPath: 'status.desiredVersion' } } },
  ]),
  'an argument by a side of the rollout': analysis([
    {
      name: 'v',
      valueFrom: { fieldRef: { fieldPath: 'status.rollout.canary.targetGroups[0].fullName' } },
    },
  ]),
  'a check with all kinds of variables': steps({
    check: {
      analysis: {
        query: 'avg:e{{{.Vars.labels.scope}}, cost:{{ .Vars.tags.Cost Center }}} by {pod}',
        aggregator: 'avg',
        max: 1,
      },
    },
  }),
  'an argument by secret': analysis([
    { name: 'key', valueFrom: { secretKeyRef: { name: 'datadog', key: 'api-key' } } },
  ]),
  'an argument by a label of the Cell': analysis([
    { name: 'team', valueFrom: { fieldRef: { fieldPath: "metadata.labels['example.com/team']" } } },
  ]),
  'an empty argument': analysis([{ name: 'filter', value: '' }]),
  'all settings of an analysis': steps({
    analysis: {
      templates: [{ templateName: 'a' }],
      dryRun: [{ metricName: 'a' }, { metricName: 'b-.*' }],
      measurementRetention: [{ metricName: 'a', limit: 100 }],
      analysisRunMetadata: { labels: { team: 'web' }, annotations: { 'example.com/why': 'canary' } },
    },
  }),
  'a check with variables': steps(
    { setWeight: 20 },
    {
      check: {
        name: 'errors',
        analysis: {
          query: 'sum:errors{cluster:{{.Vars.clusterName}}}',
          aggregator: 'sum',
          compare: { to: 'stable', maxRatio: 1.5, normalise: 'perTarget' },
        },
      },
    },
  ),
  'a check before a switch': cell({
    updateStrategy: {
      type: 'BlueGreen',
      blueGreen: {
        steps: [{ check: { analysis: { query: 'q', aggregator: 'avg', max: 1 } } }, { promote: {} }],
      },
    },
  }),
  'a job with all that it may have': job({
    command: ['/bin/smoke'],
    args: ['--url', 'https://example.com'],
    env: [{ name: 'LEVEL' }, { name: 'LEVEL', value: 'full' }],
    resources: { requests: { cpu: 1, memory: '64Mi' }, limits: { memory: '128Mi' } },
    imagePullSecrets: [{ name: 'registry' }],
    securityContext: { runAsUser: 1000, runAsGroup: 1000 },
  }),
  'an approval': steps(
    { setWeight: 20 },
    {
      approval: {
        groups: ['release', 'oidc:sre'],
        count: 2,
        timeout: '4h',
        message: 'Look at the dashboard.',
      },
    },
  ),
  'an approval before a switch': cell({
    updateStrategy: {
      type: 'BlueGreen',
      blueGreen: { steps: [{ approval: { groups: ['release'] } }, { promote: {} }] },
    },
  }),
  'a job before a switch': cell({
    updateStrategy: {
      type: 'BlueGreen',
      blueGreen: {
        steps: [{ job: { timeout: '90s', template: { spec: { image: 'a' } } } }, { promote: {} }],
      },
    },
  }),
  'the experiment of the documentation': experiment({
    analyses: [
      {
        name: 'success-rate-dd',
        templateName: 'success-rate-dd',
        args: [
          { name: 'service-name', value: 'wy-serve' },
          { name: 'cluster-version', valueFrom: { fieldRef: { fieldPath: 'status.desiredVersion' } } },
        ],
      },
    ],
  }),
  'an experiment that ends with its analysis': experiment({
    duration: undefined,
    analyses: [{ name: 'a', templateName: 'a', clusterScope: true, requiredForCompletion: true }],
  }),
  'all settings of an experiment': experiment({
    duration: 300,
    progressDeadlineSeconds: 60,
    scaleDownDelaySeconds: 0,
    templates: [
      {
        name: 'wy',
        specRef: 'wy',
        replicas: 2,
        selector: { matchLabels: { app: 'wy', variant: 'b' } },
        metadata: { labels: { variant: 'b' }, annotations: { 'example.com/why': 'experiment' } },
      },
    ],
    dryRun: [{ metricName: 'rate' }],
    measurementRetention: [{ metricName: 'rate', limit: 20 }],
    analysisRunMetadata: { labels: { team: 'web' } },
  }),
  'a background analysis': background(),
  'a background analysis from the last step on': background({ startingStep: 1 }, [
    { setWeight: 20 },
    { pause: {} },
  ]),
  'two templates, one of the cluster': analysis(
    [],
    [{ templateName: 'a' }, { templateName: 'b', clusterScope: true }],
  ),
  'an analysis without arguments': steps({ analysis: { templates: [{ templateName: 'a' }] } }),
  'a pin': cell({ version: '1.2.3' }),
  'a pin with a v and a pre-release': cell({ version: 'v1.2.3-rc.1+build.5' }),
  'a pin of one number': cell({ version: 'v2' }),
  'a pin of two numbers and a pre-release': cell({ version: '1.4-rc.1' }),
  'two replicas': cell({ replicas: 2 }),
  'a label for the version': cell({ versionedBy: { label: 'example.com/version' } }),
  'labels for the version': selecting({ matchLabels: { role: 'web' }, versionLabels: ['a/b', 'c'] }),
  'a selector by expressions': selecting({
    matchExpressions: [{ key: 'role', operator: 'In', values: ['web'] }],
  }),
  'a selector by labels and expressions': selecting({
    matchLabels: { role: 'web', empty: '' },
    matchExpressions: [
      { key: 'stage', operator: 'NotIn', values: ['test', 'dev'] },
      { key: 'retired', operator: 'DoesNotExist' },
    ],
  }),
  'a selector by existence': selecting({ matchExpressions: [{ key: 'role', operator: 'Exists' }] }),
  'more healthy targets': cell({ minHealthyTargets: 3, healthTimeout: '1h' }),
  'all kinds of conditions but one': withRule({
    priority: 12,
    hosts: ['a.com'],
    pathPatterns: ['/api/*'],
    methods: ['get'],
    sourceIPs: ['10.0.0.0/8'],
    headers: { 'x-env': ['canary'] },
  }),
  'regular expressions': withRule({
    priority: 12,
    hostRegexes: ['^(a|b)[.]com$'],
    pathRegexes: ['^/v[0-9]+/'],
    headers: { 'x-env': ['canary'] },
    headerRegexes: { 'User-Agent': ['.+Chrome.+'] },
  }),
  'headers with several values': withRule({ priority: 12, headers: { 'x-env': ['a', 'b'], 'x-id': ['1'] } }),
  'address ranges of both families': withRule({
    priority: 12,
    sourceIPs: ['192.0.2.1/32', '0.0.0.0/0', '2001:db8::/32', '::/0'],
  }),
  'no word on what it forwards to': withRule({ priority: 12, hosts: ['a.com'] }),
  'a query string': withRule({ priority: 12, queryStrings: { v: '2' } }),
  'several conditions on the query string': withRule({
    priority: 12,
    queryStringConditions: [
      { values: [{ key: 'v', value: '2' }, { value: 'beta' }] },
      { values: [{ key: 'w', value: '*' }] },
    ],
  }),
  'a query string without a key': withRule({ priority: 12, queryStrings: { '': 'beta' } }),
  'five condition values': withRule({ priority: 1, hosts: ['a', 'b', 'c', 'd', 'e'] }),
  'the highest priority': withRule({ priority: 50_000, hosts: ['a.com'] }),
  'a settle time, a deadline and a window to roll back in': cell({
    settle: '10s',
    progressDeadline: '6h',
    updateStrategy: { rollbackWindow: { duration: '24h' }, bake: { duration: '30m' } },
  }),
  'a bake with an analysis': cell({
    updateStrategy: { bake: { duration: '30m', analysis: { templates: [{ templateName: 'a' }] } } },
  }),
  'windows in two zones': cell({
    windows: [
      {
        timeZone: 'Europe/Berlin',
        days: ['Mon', 'Fri'],
        start: '09:00',
        end: '17:00',
        excludeDates: ['2026-12-24', '2028-02-29'],
      },
      { start: '22:00', end: '04:00' },
    ],
  }),
  'windows in zones of long names': cell({
    windows: [
      { timeZone: 'America/Argentina/Buenos_Aires', start: '00:00', end: '23:59' },
      { timeZone: 'Etc/GMT+9', start: '00:00', end: '23:59' },
      { timeZone: 'UTC', start: '00:00', end: '23:59' },
    ],
  }),
  'blue-green at once': cell({ updateStrategy: { type: 'BlueGreen' } }),
  'blue-green by steps': cell({
    updateStrategy: {
      type: 'BlueGreen',
      blueGreen: {
        steps: [
          { analysis: { templates: [{ templateName: 'a' }] } },
          { pause: { duration: '10m' } },
          { promote: {} },
          { analysis: { templates: [{ templateName: 'a' }] } },
        ],
      },
    },
  }),
  'another partition': cell({}, { listenerARN: listenerARN.replace('arn:aws:', 'arn:aws-cn:') }),
};
