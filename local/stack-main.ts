import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { installDefinitions } from './install-definitions.ts';
import { readStackArguments } from './stack-arguments.mjs';
import { refuseSecondStack, removeRecord, writeRecord } from './stack-record.ts';
import { startStack, type Stack } from './stack.ts';

const local = fileURLToPath(new URL('../.local', import.meta.url));
const record = join(local, 'stack.json');
const stopped = new AbortController();
// Users of `--run` read the standard output of their command; what is said about the stack goes to the other stream.
const say = (line: string): void => void process.stderr.write(`${line}\n`);

let stopStatus = 0;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    stopStatus = 128 + constants.signals[signal];
    stopped.abort(signal);
  });
}
// The bootstrap that started this program was killed: nobody could stop the stack any more.
process.once('disconnect', () => stopped.abort('SIGTERM'));

async function stay(): Promise<number> {
  await refuseSecondStack(record);
  const dir = join(local, 'stack');
  await rm(dir, { recursive: true, force: true });
  const began = Date.now();
  await using stack = await startStack({ dir, log: say, signal: stopped.signal });
  const definitions = await installDefinitions(stack);
  await writeRecord(record, stack);
  try {
    say(announcement(stack, definitions, Date.now() - began));
    await untilStopped();
    say('stopping the stack');
  } finally {
    await removeRecord(record);
  }
  return 0;
}

async function runCommand(command: string): Promise<number> {
  await mkdir(local, { recursive: true });
  const dir = await mkdtemp(join(local, 'run-'));
  await using stack = await startStack({ dir, log: say, signal: stopped.signal });
  await installDefinitions(stack);
  await writeRecord(join(dir, 'stack.json'), stack);
  const status = await execute(command, {
    ...cleaned(process.env),
    ...stack.environment,
    OKRA_STACK: join(dir, 'stack.json'),
  });
  await stack.stopAll();
  if (status === 0) await rm(dir, { recursive: true, force: true });
  else say(`The command ended with status ${status}. The stack's logs stay in ${stack.logs}.`);
  return status;
}

function execute(command: string, env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, stdio: 'inherit', env });
    const pass = (): void => void child.kill(stopped.signal.reason === 'SIGINT' ? 'SIGINT' : 'SIGTERM');
    stopped.signal.addEventListener('abort', pass, { once: true });
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}

// A profile or a session of the user's real account would win over the emulator's credentials.
function cleaned(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !/^(AWS_(PROFILE|SESSION_TOKEN|ENDPOINT_URL_.*)|TEMPORAL_.*)$/.test(name),
    ),
  );
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    // The components do not keep this process alive, and nothing else is left to do.
    const hold = setInterval(() => undefined, 2 ** 30);
    const end = (): void => {
      clearInterval(hold);
      resolve();
    };
    if (stopped.signal.aborted) end();
    else stopped.signal.addEventListener('abort', end, { once: true });
  });
}

function announcement(stack: Stack, definitions: readonly string[], millis: number): string {
  return [
    '',
    `The local stack is ready after ${(millis / 1000).toFixed(1)} s.`,
    `  Temporal Web UI   ${stack.temporal.ui}`,
    `  Temporal          ${stack.temporal.address}, namespace ${stack.temporal.namespace}`,
    `  Kubernetes        ${stack.kubernetes.url}`,
    `  AWS endpoint      ${stack.aws.endpoint} (ELBv2 checked strictly, region ${stack.aws.region})`,
    `  proxy control     ${stack.proxyControl}/_proxy/`,
    `  logs              ${stack.logs}`,
    `  all of this       ${record}`,
    `  definitions       ${definitions.length === 0 ? 'none' : definitions.join(', ')}`,
    '',
    'In another terminal:',
    ...Object.entries(stack.environment)
      .filter(([name]) => name !== 'PATH')
      .map(([name, value]) => `  export ${name}=${value}`),
    `  alias kubectl=${stack.binaries['kubectl'] ?? 'kubectl'} temporal=${stack.binaries['temporal'] ?? 'temporal'}`,
    '',
    'Ctrl-C stops everything.',
  ].join('\n');
}

async function main(): Promise<number> {
  const request = readStackArguments(process.argv.slice(2));
  switch (request.do) {
    case 'Explain':
      say(request.message);
      return request.status;
    case 'Run':
      return runCommand(request.command);
    case 'Stay':
      return stay();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!stopped.signal.aborted) say(error instanceof Error ? error.message : String(error));
  process.exitCode = stopped.signal.aborted ? stopStatus : 1;
}
if (process.connected) process.disconnect();
