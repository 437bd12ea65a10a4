import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { awsIdentity } from '../../local/components/aws.ts';
import type { Ended } from '../support/command-here.ts';
import type { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';
import { openOwnStage, type OwnStage } from './temporal-loss/own-stage.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const steps = [{ setWeight: 20 }, { pause: {} }, { setWeight: 40 }];
const program = join(inject('stack').built.folder, 'dist/cli/okra.js');

// What docs/on-call.md says about taking traffic back by hand.
describe('while Temporal is stopped', () => {
  let own: OwnStage;
  let stage: Stage;
  let priority = 0;
  beforeAll(async () => {
    own = await openOwnStage(inject('stack'), { OKRA_DRIFT_INTERVAL: '1' });
    ({ stage } = own);
  });
  afterAll(() => own.close());
  beforeEach(() => {
    priority += 10;
  });

  /** Stops Temporal while 2.0.0 has 20 of 100, and pauses. */
  async function stopInRollout(name: string): Promise<void> {
    await stage.targetGroups('1.0.0', [`${name}a`], { role: name });
    await stage.apply(stage.cell(name, { priority, role: name, steps }));
    await stage.untilPhase(name, 'Completed', '1.0.0');
    await stage.targetGroups('2.0.0', [`${name}b`], { role: name });
    await stage.untilStatus(
      name,
      'paused at 20',
      ({ phase, canaryWeight }) => phase === 'Paused' && canaryWeight === 20,
    );
    await own.stack.stop('temporal');
    await stage.mark();
  }

  /** The lines that docs/on-call.md has people type, with the name of a Cell. */
  async function typed(name: string): Promise<readonly string[]> {
    const page = await readFile(join(root, 'docs/on-call.md'), 'utf8');
    const [, block = ''] = /^```sh\n(kubectl patch cell web [^`]*)^```/m.exec(page) ?? [];
    return block
      .trim()
      .split('\n')
      .map((line) => line.replaceAll(/ web /g, ` ${name} `));
  }

  /** Types them in a shell, in whose editor the weights are set: everything to 1.0.0. */
  async function type(name: string, lines: readonly string[]): Promise<void> {
    const dir = await mkdtemp(join(tmpdir(), 'okra-by-hand-'));
    const programs = { aws: `${import.meta.dirname}/quick-start/aws.ts`, edit: `${dir}/edit.mjs` };
    for (const [command, path] of Object.entries(programs))
      await writeFile(join(dir, command), `#!/bin/sh\nexec "${process.execPath}" "${path}" "$@"\n`, {
        mode: 0o755,
      });
    const stable = stage.arns.get(`${name}a`);
    await writeFile(
      programs.edit,
      `import { readFileSync, writeFileSync } from 'node:fs';
      const path = process.argv[2];
      const actions = JSON.parse(readFileSync(path, 'utf8'));
      for (const group of actions[0].ForwardConfig.TargetGroups) group.Weight = group.TargetGroupArn === '${stable}' ? 100 : 0;
      writeFileSync(path, JSON.stringify(actions));`,
    );
    const { environment, binaries } = stage.stack;
    const inNamespace = `kubectl() { "${binaries.kubectl}" -n "${stage.namespace}" "$@"; }`;
    const script = ['set -euo pipefail', `cd "${dir}"`, inNamespace, ...lines].join('\n');
    const PATH = [dir, process.env['PATH']].join(':');
    await run('bash', ['-c', script], {
      env: { ...process.env, ...environment, PATH, EDITOR: join(dir, 'edit') },
    });
    await rm(dir, { recursive: true });
  }

  const okra = (...words: readonly string[]): Promise<Ended> =>
    new Promise((resolve) => {
      const env = {
        ...process.env,
        ...stage.stack.environment,
        AWS_ACCESS_KEY_ID: awsIdentity.okradKey,
        AWS_SECRET_ACCESS_KEY: stage.secretAccessKey,
        OKRA_LEASE_NAMESPACE: stage.namespace,
      };
      execFile(process.execPath, [program, ...words, '-n', stage.namespace], { env }, (error, out, err) => {
        resolve({ code: error === null ? 0 : Number(error.code), out, err });
      });
    });

  it('okra aborts a rollout, which stays reverted when Temporal is back', async () => {
    await stopInRollout('forced');
    const abort = ['sync', 'cell', 'forced', '--request', 'abort', '--reason', 'errors', '--wait'];
    expect((await okra(...abort)).code).toBe(3);
    expect(await stage.weights(priority)).toEqual({ forceda: 80, forcedb: 20 });
    const forced = await okra(...abort, '--force');
    expect([forced.code, forced.err]).toEqual([1, '']);
    expect(await stage.weights(priority)).toEqual({ forceda: 100, forcedb: 0 });
    await own.stack.start('temporal');
    // The run wakes up by itself every ten minutes; whatever it is asked for then, it gives way to what okra has done.
    await until('the run to be asked', () =>
      stage.signal('forced', 'promote', { by: 'ann', reason: 'does not know' }).then(
        () => true,
        () => false,
      ),
    );
    const known = ['workflow', 'query', '--workflow-id', stage.workflowId('forced'), '--type', 'state'];
    await until(
      'the run to know what okra has done',
      async () => (await stage.temporal(...known).catch(() => '')).includes('Reverted'),
      { seen: () => stage.temporal(...known) },
    );
    expect(await stage.status('forced')).toMatchObject({
      phase: 'Reverted',
      stableVersion: '1.0.0',
      blockedVersions: [{ version: '2.0.0' }],
    });
    expect((await stage.writes()).filter(({ forcedb = 0 }) => forcedb > 0)).toEqual([]);
  });

  it('weights that are set by hand stay until Temporal is back, and are undone then', async () => {
    await stopInRollout('undone');
    const [pin = '', ...byHand] = await typed('undone');
    expect(pin).toMatch(/^kubectl patch cell undone .*"version":"1\.0\.0"/);
    await type('undone', byHand);
    expect(await stage.weights(priority)).toEqual({ undonea: 100, undoneb: 0 });
    await own.stack.start('temporal');
    await stage.untilWeights({ undonea: 80, undoneb: 20 }, priority);
  });

  it('weights that are set by hand stay where the Cell is pinned to the stable version', async () => {
    await stopInRollout('pinned');
    await type('pinned', await typed('pinned'));
    expect(await stage.weights(priority)).toEqual({ pinneda: 100, pinnedb: 0 });
    await own.stack.start('temporal');
    const status = await stage.untilPhase('pinned', 'Completed', '1.0.0');
    expect(status.history?.[0]).toMatchObject({ version: '2.0.0', outcome: 'Withdrawn' });
    expect(status.blockedVersions ?? []).toEqual([]);
    expect(await stage.weights(priority)).toEqual({ pinneda: 100, pinnedb: 0 });
    expect((await stage.writes()).filter(({ pinnedb = 0 }) => pinnedb > 0)).toEqual([]);
  });
});
