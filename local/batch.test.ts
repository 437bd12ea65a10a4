import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** Runs as a batch, and prints by what policy Linux schedules what is started then: the 41st field of proc_pid_stat(5). */
const program = `
  const { runAsBatch } = await import(process.argv[1]);
  const { execFileSync } = await import('node:child_process');
  runAsBatch();
  const read = "fs.readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ')[38]";
  process.stdout.write(execFileSync(process.execPath, ['-p', read]));
`;

// sched(7)
const [SCHED_OTHER, SCHED_BATCH] = ['0', '3'];

const hasChrt = spawnSync('chrt', ['--version']).error === undefined;

/** The policy of what a process starts that runs as a batch; tests may be run as one themselves. */
function policyOfChildren(path = process.env['PATH'] ?? ''): string {
  const args = ['--input-type=module', '--eval', program, join(import.meta.dirname, 'batch.mjs')];
  const usual = hasChrt ? ['chrt', '-o', '0'] : [];
  const [command = '', ...rest] = [...usual, 'env', `PATH=${path}`, process.execPath, ...args];
  return execFileSync(command, rest, { encoding: 'utf8' }).trim();
}

it.skipIf(!hasChrt)('holds for all that is started then', () => {
  expect(policyOfChildren()).toBe(SCHED_BATCH);
});

it('changes nothing where there is no chrt', () => {
  expect(policyOfChildren('/nowhere')).toBe(SCHED_OTHER);
});
