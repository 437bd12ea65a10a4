import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { at } from './kubernetes.ts';
import { isAlive } from './lock.mjs';
import type { Stack } from './stack.ts';

/** Refuses to go on while the stack of this record is still running. */
export async function refuseSecondStack(file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const pid = pidOf(text);
  if (pid === undefined || !isAlive(pid)) return;
  throw new Error(
    `Expected no running stack of this clone, process ${pid} runs one (${file}). ` +
      `Use it, or stop it with \`kill ${pid}\`. \`npm run stack -- --run …\` starts another beside it.`,
  );
}

/** Writes down where the stack is to be found. */
export async function writeRecord(file: string, stack: Stack): Promise<void> {
  const record = {
    pid: process.pid,
    kubeconfig: stack.kubeconfig,
    kubernetes: { url: stack.kubernetes.url },
    temporal: stack.temporal,
    webUi: stack.temporal.ui,
    aws: stack.aws,
    elbv2Endpoint: stack.aws.endpoint,
    proxyControl: stack.proxyControl,
    logs: stack.logs,
    environment: stack.environment,
    pids: Object.fromEntries(stack.components.map((name) => [name, stack.pid(name)])),
  };
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
}

/** Takes the record away. */
export async function removeRecord(file: string): Promise<void> {
  await rm(file, { force: true });
}

function pidOf(text: string): number | undefined {
  try {
    const pid = at(JSON.parse(text), 'pid');
    return typeof pid === 'number' ? pid : undefined;
  } catch {
    return undefined;
  }
}
