import { Command } from 'commander';
import { framed } from '../frame.ts';
import { addCreate, addRun, addUpdate } from './analysis-run.ts';
import { addApprove } from './approve.ts';
import { addCheck } from './check.ts';
import { addCompletion } from './completion.ts';
import { addConvert } from './convert.ts';
import { addDashboard } from './dashboard.ts';
import { addDescribe } from './describe.ts';
import { addFreeze, addUnfreeze } from './freeze.ts';
import { addGet } from './get.ts';
import { addHistory } from './history.ts';
import { addLint } from './lint.ts';
import { addOpen } from './open.ts';
import { addPlan } from './plan.ts';
import { addRequests } from './requests.ts';
import { addRollback } from './rollback.ts';
import type { Shell } from './shell.ts';
import { addTrace } from './trace.ts';
import { addWatch } from './watch.ts';

/** Each command of okractl, in the order in which its help lists them. */
const commands: readonly ((program: Command, shell: Shell) => void)[] = [
  addGet,
  addDescribe,
  addWatch,
  addHistory,
  addPlan,
  addLint,
  addRequests,
  addApprove,
  addRollback,
  addFreeze,
  addUnfreeze,
  addDashboard,
  addOpen,
  addCheck,
  addTrace,
  addConvert,
  addCreate,
  addUpdate,
  addRun,
  addCompletion,
];

const AFTERWARDS = `
Exit status: 0 it was done; 1 something did not answer, or is not there; 2 problems were found, or the command
line has one; 3 it was refused.

As a plugin of kubectl it is called \`kubectl okra\`. Where Temporal is it takes from the environment, by the
names that the Temporal CLI has (TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY, TEMPORAL_TLS_…).`;

/** Makes the command line, over what is around it. */
export function okractl(shell: Shell, version: string): Command {
  const program = framed(
    new Command('okractl')
      .description(
        'Looks at rollouts of Okra, and steps in. It needs access to Kubernetes and to Temporal, and none to AWS.',
      )
      .version(version),
    shell,
  )
    .option('--temporal-address <host:port>', 'where Temporal is; TEMPORAL_ADDRESS without it')
    .option('--temporal-namespace <name>', 'its namespace; TEMPORAL_NAMESPACE without it');
  for (const add of commands) add(program, shell);
  return program.addHelpText('after', AFTERWARDS);
}
