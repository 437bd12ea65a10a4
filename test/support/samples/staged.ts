/** The stages that the first published example of a StagedBindingPolicy has, verbatim. */
export const nginx = {
  downsync: [
    {
      statusCollectors: ['deployments-aggregator'],
      objectSelectors: [{ matchLabels: { 'app.kubernetes.io/name': 'nginx' } }],
    },
  ],
  stages: [
    {
      name: 'dev',
      clusterSelectors: [{ matchLabels: { env: 'dev' } }],
      filter: 'downsyncClause.resource == "deployments"',
      condition:
        "obj.results.exists(r, r.name == 'deployments-aggregator' && r.rows.exists(row, row.columns.exists(col, col.type == 'Number' && col.float == '1')))",
    },
    { name: 'prod', clusterSelectors: [{ matchLabels: { env: 'prod' } }] },
  ],
} as const;

const [dev, prod] = nginx.stages;
const staged = (changed: object): object => ({ ...nginx, ...changed });
const onStage = (changed: object): object => staged({ stages: [{ ...dev, ...changed }, prod] });

const whole = {
  downsync: [
    {
      apiGroup: 'apps',
      resources: ['deployments'],
      namespaces: ['nginx'],
      namespaceSelectors: [{ matchLabels: { team: 'a' } }],
      objectSelectors: [
        { matchLabels: { app: 'nginx' } },
        {
          matchExpressions: [
            { key: 'tier', operator: 'In', values: ['web'] },
            { key: 'old', operator: 'DoesNotExist' },
          ],
        },
      ],
      objectNames: ['nginx'],
      createOnly: true,
      statusCollectors: ['a', 'b'],
      wantMultiWECReportedState: true,
    },
    { apiGroup: '', resources: ['configmaps'] },
  ],
  stages: [
    {
      ...dev,
      approval: 'Manual',
      soak: '10m',
      timeout: '1h',
      onTimeout: 'Rollback',
      cell: { namespace: 'default', name: 'web', version: '2.0.0' },
      progressive: { maxConcurrency: 2, maxFailures: '10%', clusterLabel: 'example.com/name' },
    },
    { ...prod, mandatory: true },
  ],
  progressive: { progressDeadline: '10m', minSuccessTime: '1m', clusterColumn: 'wec' },
  stageRetention: 'Remove',
  space: { namespace: 'wds1-system', name: 'admin-kubeconfig', key: 'kubeconfig-incluster' },
  windows: [{ days: ['Mon'], start: '09:00', end: '17:00' }],
};

/** StagedBindingPolicies that a user might write. */
export const stagedBindingPolicies: readonly (readonly [string, unknown, string?])[] = [
  ['the published example', nginx],
  ['everything there is to say', whole],
  ['no stages', staged({ stages: [] }), 'stages'],
  ['two stages of one name', staged({ stages: [dev, { ...prod, name: 'dev' }] }), 'spec.stages'],
  ['a stage without clusters', onStage({ clusterSelectors: [] }), 'clusterSelectors'],
  ['a stage whose name is no part of a name', onStage({ name: 'Dev_1' }), 'name of a stage'],
  ['a stage with a long name', onStage({ name: 'd'.repeat(23) }), 'name'],
  ['nothing to sync', staged({ downsync: [] }), 'downsync'],
  [
    'a clause that says nothing of its objects',
    staged({ downsync: [{ createOnly: true, statusCollectors: ['a'] }] }),
    'Each of spec.downsync must have at least one of apiGroup',
  ],
  [
    'a status that one cluster is to return, of two stages',
    staged({ downsync: [{ ...nginx.downsync[0], wantSingletonReportedState: true }] }),
    'wantSingletonReportedState must not be set in spec.downsync with several stages',
  ],
  [
    'a status that one cluster is to return, of one stage',
    staged({ stages: [prod], downsync: [{ ...nginx.downsync[0], wantSingletonReportedState: true }] }),
  ],
  ['an unknown approval', onStage({ approval: 'Never' }), 'approval'],
  ['a few clusters at a time', onStage({ progressive: { maxConcurrency: '25%', maxFailures: 0 } })],
  ['what comes after too many failures', onStage({ progressive: {}, onTimeout: 'Rollback' })],
  ['no cluster at a time', onStage({ progressive: { maxConcurrency: 0 } }), 'maxConcurrency'],
  [
    'no share of the clusters at a time',
    onStage({ progressive: { maxConcurrency: '0%' } }),
    'from 1% to 100%',
  ],
  ['more than all clusters', onStage({ progressive: { maxFailures: '101%' } }), 'from 0% to 100%'],
  ['a share of half a percent', onStage({ progressive: { maxFailures: '.5%' } }), 'from 0% to 100%'],
  [
    'a few clusters at a time that are never done',
    onStage({ progressive: {}, condition: undefined }),
    'progressive needs a condition',
  ],
  [
    'failures of a mandatory stage',
    onStage({ progressive: { maxFailures: 1 }, mandatory: true }),
    'progressive.maxFailures must not be set',
  ],
  ['what comes after a timeout that there is not', onStage({ onTimeout: 'Hold' }), 'onTimeout needs timeout'],
  ['a soak that is no duration', onStage({ soak: 'long' }), 'duration'],
  ['an unknown retention', staged({ stageRetention: 'Move' }), 'stageRetention'],
  [
    'an operator that no selector has',
    onStage({ clusterSelectors: [{ matchExpressions: [{ key: 'a', operator: 'Is' }] }] }),
    'operator',
  ],
  ['an expression that is too long', onStage({ condition: `'${'a'.repeat(4096)}' == ''` }), 'condition'],
];
