import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import type { StackView } from '../setup.ts';
import { until } from '../until.ts';

const run = promisify(execFile);

/** A command of the Temporal CLI, as a person would run it against the server itself. */
export async function temporal(stack: StackView, command: string): Promise<string> {
  const [, ...args] = command.split(' ');
  const { stdout } = await run(stack.binaries.temporal, [...args, '--address', stack.temporal.address]);
  return stdout;
}

/** Makes a namespace that nothing was registered in, and gives its name. */
export async function createNamespace(stack: StackView): Promise<string> {
  const name = `bare-${randomUUID()}`;
  await temporal(stack, `temporal operator namespace create -n ${name}`);
  const connection = await Connection.connect({ address: stack.temporal.address });
  // A namespace is known to all parts of the server only after a while.
  await until(`the namespace ${name}`, async () =>
    connection.workflowService.countWorkflowExecutions({ namespace: name }).then(
      () => true,
      () => false,
    ),
  );
  await connection.close();
  return name;
}
