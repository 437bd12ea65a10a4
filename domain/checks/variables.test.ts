import { describe, expect, it } from 'vitest';
import { theVariables } from '../testing/checks.ts';
import { renderQuery } from './question.ts';

const variables = theVariables('web-1-v2', { tags: { team: 'shop', 'Cost Center': 'a12' } });
const { listenerARN, targetGroupARN } = variables;

describe('a variable in a query', () => {
  it.each([
    ['{{.Vars.clusterName}}', 'web-1-v2'],
    ['{{ .Vars.eksClusterName }}', 'web-1-v2'],
    ['{{.Vars.albListenerARN}}', listenerARN],
    ['{{.Vars.targetGroupARN}}', targetGroupARN],
    ['{{.Vars.targetGroupFullName}}', 'targetgroup/web-1-v2/0123456789abcdef'],
    ['{{.Vars.loadBalancerFullName}}', 'app/shop/aaaa'],
    ['{{.Vars.version}}', '2.0.0'],
    ['{{.Vars.labels.role}} of {{.Vars.tags.team}}', 'web of shop'],
    ['{{ .Vars.tags.Cost Center }}', 'a12'],
    ['sum:errors{*}', 'sum:errors{*}'],
    [
      'sum by (pod) (rate(x{cluster="{{.Vars.clusterName}}"}[1m]))',
      'sum by (pod) (rate(x{cluster="web-1-v2"}[1m]))',
    ],
  ])('%s becomes %s', (template, value) =>
    expect(renderQuery(template, variables)).toEqual({ ok: true, value }),
  );

  it.each([
    [
      '{{.clusterName}}',
      'Unknown variable {{.clusterName}}: must be one of clusterName, eksClusterName, albListenerARN',
    ],
    ['{{.Vars.constructor}}', 'Correct the variable.'],
    ['{{.Vars.weather}}', 'Unknown variable {{.Vars.weather}}'],
    ['{{.Vars.labels.rol}}', 'has no label "rol". Add it, or use another variable. Did you mean role?'],
    ['{{.Vars.tags.stage}}', 'Cluster web-1-v2 has no tag "stage".'],
    ['{{.Vars.clusterName', '{{ is not closed'],
  ])('%s is refused: %s', (template, message) =>
    expect(renderQuery(template, variables)).toEqual({
      ok: false,
      message: expect.stringContaining(message) as string,
    }),
  );

  it('that nobody knows is refused, and not left empty', () =>
    expect(renderQuery('{{.Vars.clusterName}}', theVariables('web', { clusterName: '' }))).toMatchObject({
      ok: false,
    }));
});
