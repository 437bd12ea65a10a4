import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { at } from './kubernetes.ts';
import { isAlive } from './lock.mjs';
import type { Stack } from './stack.ts';

/** The record of a stack that is kept in its folder. */
export const recordIn = ({ dir }: Pick<Stack, 'dir'>): string => join(dir, 'stack.json');

/** Refuses to continue while the stack of this record is still running. */
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

/** A stack that another process runs, as far as its record tells of it. */
export type RunningStack = Pick<
  Stack,
  'kubeconfig' | 'etcd' | 'temporal' | 'aws' | 'proxyControl' | 'logs' | 'environment' | 'binaries'
>;

/** Reads where the stack that runs is to be found. */
export async function readRecord(file: string): Promise<RunningStack> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  const pid = text === undefined ? undefined : pidOf(text);
  if (text !== undefined && pid !== undefined && isAlive(pid)) return JSON.parse(text) as RunningStack;
  throw new Error(`Expected a stack that runs (${file}), got none. Start one with \`npm run stack\`.`);
}

/** Writes down where the stack is to be found. */
export async function writeRecord(file: string, stack: Stack): Promise<void> {
  const record = {
    pid: process.pid,
    kubeconfig: stack.kubeconfig,
    kubernetes: { url: stack.kubernetes.url },
    etcd: stack.etcd,
    temporal: stack.temporal,
    webUi: stack.temporal.ui,
    aws: stack.aws,
    elbv2Endpoint: stack.aws.endpoint,
    proxyControl: stack.proxyControl,
    logs: stack.logs,
    environment: stack.environment,
    binaries: stack.binaries,
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
