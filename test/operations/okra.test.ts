import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import type { ProcessShell } from '../../cli/frame.ts';
import { okra as programOver } from '../../cli/okra/program.ts';
import { openSession } from '../../cli/okra/session.ts';
import type { Cell, CellStatus } from '../../crds/cell.ts';
import { CELL } from '../../clients/kubernetes/kinds.ts';
import { awsIdentity } from '../../local/components/aws.ts';
import { runHere, type Ended } from '../support/command-here.ts';
import { onStage } from '../support/stage/on-stage.ts';
import type { Stage } from '../support/stage/stage.ts';
import { exampleSteps, exampleTotals } from '../support/stage/steps.ts';
import { until } from '../support/until.ts';

describe('a pipeline with okra', () => {
  let stage: Stage;
  let priority = 0;
  const program = join(inject('stack').built.folder, 'dist/cli/okra.js');
  // Nobody else is to roll out what the passes do.
  const environment = { OKRA_WATCH_NAMESPACE: 'nobody-is-here' };
  // No history of a workflow explains them either.
  onStage({ totals: exampleTotals, environment, writes: false }, (opened, free) => {
    stage = opened;
    priority = free;
  });

  const settings = (): Readonly<Record<string, string>> => ({
    ...stage.stack.environment,
    AWS_ACCESS_KEY_ID: awsIdentity.okradKey,
    AWS_SECRET_ACCESS_KEY: stage.secretAccessKey,
    // Where no okrad has its Lease.
    OKRA_LEASE_NAMESPACE: 'default',
  });
  // A pass knows only what the one before has left in the cluster, so that most of them are made in this process.
  beforeEach(() => {
    for (const [name, value] of Object.entries(settings())) vi.stubEnv(name, value);
  });
  afterEach(() => void vi.unstubAllEnvs());

  const okra = (more: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<Ended> =>
    new Promise((resolve) => {
      const env = { ...process.env, ...settings(), ...more };
      const args = [program, ...words, '-n', stage.namespace];
      execFile(process.execPath, args, { env }, (error, out, err) => {
        resolve({ code: error === null ? 0 : Number(error.code), out, err });
      });
    });
  const outOf = ({ code, out, err }: Ended): string => {
    expect([code, err]).toEqual([0, '']);
    return out;
  };
  const done = async (...words: readonly string[]): Promise<string> => outOf(await okra({}, ...words));
  const statusOf = async (name: string): Promise<CellStatus> =>
    (await stage.kubernetes.get<Cell>(CELL, { namespace: stage.namespace, name }))?.status ?? {};
  const rowOf = ({ phase, step, canaryWeight, targetGroups = [] }: CellStatus): string =>
    `${phase} ${step ?? '-'} at ${canaryWeight}: ${targetGroups.map(({ weight }) => weight).join()}`;
  const pair = (a: number, b: number): Record<string, number> => ({ a1: a, a2: a, b1: b, b2: b });

  it('A-L02 takes every step of the example, one by each pass of sync cell, as okrad does', async () => {
    await stage.targetGroups('1.0.0', ['a1', 'a2']);
    await stage.apply(stage.cell('web', { priority, steps: exampleSteps, spec: { replicas: 2 } }));
    const rows: string[] = [];
    const words = ['sync', 'cell', 'web'];
    const passHere = async (): Promise<void> => {
      const make = (shell: ProcessShell) => programOver({ ...shell, session: openSession }, '0.0.0');
      outOf(await runHere(make, [...words, '-n', stage.namespace]));
      rows.push(rowOf(await statusOf('web')));
    };
    const pass = async (): Promise<string> => {
      const said = await done(...words);
      rows.push(rowOf(await statusOf('web')));
      return said;
    };
    await pass();
    await until('1.0.0 to serve', async () => {
      await passHere();
      return (await statusOf('web')).phase === 'Completed';
    });
    await stage.mark();
    stage.metrics.rate = undefined;
    await stage.targetGroups('2.0.0', ['b1', 'b2']);
    rows.length = 0;

    const dry = await done('sync', 'cell', 'web', '--dry-run');
    expect(dry).toContain('Would do: ');
    expect(await stage.writes()).toEqual([]);
    // Where okrad has its Lease nobody else rolls out, unless it is forced to.
    const beside = await okra({ OKRA_LEASE_NAMESPACE: stage.namespace }, 'sync', 'cell', 'web');
    expect([beside.code, await stage.writes()]).toEqual([3, []]);

    await until('the analysis to be waited for', async () => {
      await passHere();
      return (await statusOf('web')).analysisRun !== undefined;
    });
    expect(await pass()).toContain('Waiting for AnalysisRun web-1-success-rate');
    stage.metrics.rate = 1;
    await until('2.0.0 to serve', async () => {
      await passHere();
      return (await statusOf('web')).phase === 'Completed';
    });
    expect(await stage.writes()).toEqual([pair(50, 0), pair(40, 10), pair(30, 20), pair(0, 50)]);
    expect([...new Set(rows)]).toEqual([
      'Progressing 1/4 at 0: 50,50,0,0',
      'Progressing 2/4 at 20: 40,40,10,10',
      'Paused 3/4 at 20: 40,40,10,10',
      'Progressing done at 40: 30,30,20,20',
      'Completed - at 100: 0,0,50,50',
    ]);
    expect(await stage.count(`WorkflowId = '${stage.workflowId('web')}'`)).toBe(0);
  });

  it('A-L08 writes a rule by the command line alone', async () => {
    await stage.targetGroups('1.0.0', ['c1', 'c2']);
    const [first = '', second = ''] = ['c1', 'c2'].map((name) => stage.arns.get(name) ?? '');
    const words = ['sync', 'awsapplicationloadbalancerconfig', '--listener-arn', stage.listenerARN];
    const asked = [
      ...words,
      '--listener-rule-priority',
      String(priority),
      '--target-group-1-arn',
      first,
      '--target-group-2-arn',
      second,
      '--address',
      stage.stack.aws.endpoint,
    ];
    expect(await done(...asked, '--dry-run')).toContain('# would call CreateRule of ELBv2');
    expect(await stage.writes()).toEqual([]);
    await done(...asked);
    expect(await stage.weights(priority)).toEqual({ c1: 50, c2: 50 });
  });
});
