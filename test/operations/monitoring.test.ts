import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { alerts, panels } from '../../local/generate/monitoring.ts';
import { provision } from '../../local/provision.mjs';
import { run } from '../../local/run.mjs';
import { alertCases, type AlertCase } from './monitoring/alert-cases.ts';

const rules = fileURLToPath(new URL('../../deploy/charts/okra/files/alerts.yaml', import.meta.url));

describe('by the tool of Prometheus', () => {
  let promtool = '';
  let folder = '';
  beforeAll(async () => {
    const tools = await provision(['promtool'], { env: process.env, say: () => undefined });
    promtool = tools['promtool'] ?? '';
    folder = await mkdtemp(join(tmpdir(), 'okra-monitoring-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** What promtool says of a file; the status is 0 when it finds nothing wrong. */
  async function tell(args: readonly string[], content?: object) {
    const file = join(folder, 'input.yaml');
    if (content !== undefined) await writeFile(file, stringify(content));
    return run(promtool, [...args, ...(content === undefined ? [] : [file])], { env: process.env });
  }

  it('the rules are loaded, and nothing is wrong with them', async () => {
    const { status, output } = await tell(['check', 'rules', '--lint=all', '--lint-fatal', rules]);
    expect(output).toContain(`SUCCESS: ${alerts.length} rules found`);
    expect(status).toBe(0);
  });

  it('what the panels of the dashboard ask is PromQL', async () => {
    const asked = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    const records = asked.map((expr, at) => ({
      record: `panel:${at}`,
      // What Grafana puts in.
      expr: expr.replaceAll('$__rate_interval', '1m').replaceAll('$namespace', '.*'),
    }));
    const { output } = await tell(['check', 'rules', '--lint=none'], {
      groups: [{ name: 'panels', rules: records }],
    });
    expect(output).toContain(`SUCCESS: ${asked.length} rules found`);
  });

  it('each alert fires when it should, with what it says, and only then', async () => {
    expect(alertCases.map(({ alert }) => alert)).toEqual(alerts.map((one) => one.alert));
    const summary = 'No Okra watchers are leading.';
    const nobody: AlertCase = { ...alertCases[0]!, fires: {}, labels: {}, summary };
    const { status, output } = await tell(['test', 'rules'], {
      rule_files: [rules],
      evaluation_interval: '1m',
      tests: [...alertCases, nobody].flatMap(groupsOf),
    });
    expect(output).toContain('SUCCESS');
    expect(status).toBe(0);
  });
});

/** The tests of one alert: what fires it does so after its time, and the other never. */
function groupsOf({ alert, fires, quiet, minutes: [notYet, then], labels, summary }: AlertCase): object[] {
  const rule = alerts.find((one) => one.alert === alert)!;
  const { severity } = rule.labels;
  const { description, runbook_url } = rule.annotations;
  const said = description.replaceAll(/\{\{ \$labels\.([a-z_]+) \}\}/g, (_, label: string) => labels[label]!);
  const expected = {
    exp_labels: { ...labels, severity },
    exp_annotations: { summary, description: said, runbook_url },
  };
  const at = (minute: number, exp_alerts: readonly object[]): object => ({
    eval_time: `${minute}m`,
    alertname: alert,
    exp_alerts,
  });
  const series = (all: Readonly<Record<string, string>>): object[] =>
    Object.entries(all).map(([name, values]) => ({ series: name, values }));
  return [
    {
      name: `${alert} fires`,
      input_series: series(fires),
      alert_rule_test: [at(notYet, []), at(then, [expected])],
    },
    {
      name: `${alert} is quiet`,
      input_series: series(quiet),
      alert_rule_test: [at(then, []), at(then + 10, [])],
    },
  ];
}
