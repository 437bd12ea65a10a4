import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { until } from '../test/support/until.ts';
import { startOkrad } from './okrad.ts';

const okrad = join(import.meta.dirname, 'okrad.ts');

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

it('ends an okrad whose starter was killed', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'okra-okrad-'));
  const [program, starter] = [join(dir, 'okrad.mjs'), join(dir, 'starter.mjs')];
  await writeFile(program, 'setInterval(() => undefined, 1000);');
  const options = JSON.stringify({ environment: {}, log: join(dir, 'log'), program });
  await writeFile(
    starter,
    `const { startOkrad } = await import(${JSON.stringify(okrad)}); console.log(startOkrad(${options}).pid());`,
  );
  const child = spawn(process.execPath, [starter], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const pid = Number(line);
  expect(isAlive(pid)).toBe(true);
  child.kill('SIGKILL');
  await until('okrad to end', () => Promise.resolve(!isAlive(pid)));
  await rm(dir, { recursive: true });
});

it('starts an okrad again only once it was ended', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'okra-okrad-'));
  const program = join(dir, 'okrad.mjs');
  await writeFile(program, 'setInterval(() => undefined, 1000);');
  await using started = startOkrad({ environment: {}, log: join(dir, 'log'), program });
  const first = started.pid();
  started.start();
  expect(started.pid()).toBe(first);
  await started.end('SIGKILL');
  started.start();
  expect(started.pid()).not.toBe(first);
  await rm(dir, { recursive: true });
});
