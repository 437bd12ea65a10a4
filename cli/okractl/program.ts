import { type Command, Option } from 'commander';
import { framed, Program } from '../frame.ts';
import { addExamples, addOptions, addVersion } from '../help.ts';
import { addCreate, addRun, addUpdate } from './analysis.ts';
import { addRequests } from './requests.ts';
import { addCheck } from './check.ts';
import { addCompletion } from './complete.ts';
import { addConvert } from './convert.ts';
import { addDashboard } from './dashboard.ts';
import { addDescribe } from './describe.ts';
import { examples } from './examples.ts';
import { addFreeze, addUnfreeze } from './freeze.ts';
import { addGet } from './get.ts';
import { addHistory } from './history.ts';
import { addLint } from './lint.ts';
import { repeated } from './manifests.ts';
import { addOpen } from './open.ts';
import { addPlan } from './plan.ts';
import { addRollback } from './rollback.ts';
import { colourings, type Globals, type Shell } from './shell.ts';
import { textIn } from '../../domain/model/fields.ts';
import { messageOf } from '../../domain/text.ts';
import { inOneLine } from '../terminal-text.ts';
import { addTrace } from './trace.ts';
import { addWatch } from './watch.ts';

const commands: readonly ((program: Command, shell: Shell) => void)[] = [
  addGet,
  addDescribe,
  addWatch,
  addHistory,
  addPlan,
  addLint,
  addRequests,
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
Exit status: 0 done; 1 something did not answer, was not found, or failed; 2 problems were found, or the command
line is invalid; 3 refused.

As a kubectl plugin it is \`kubectl okra\`. Requests go through the Kubernetes API server to the dashboard of Okra in the
cluster, or, with TEMPORAL_ADDRESS, to Temporal, by the variables of the Temporal CLI (TEMPORAL_NAMESPACE,
TEMPORAL_API_KEY, TEMPORAL_TLS_…).`;

export function okractl(shell: Shell, version: string): Command {
  const program = framed(
    new Program('okractl')
      .description(
        'Shows and controls rollouts of Okra. It needs access to Kubernetes, but not to Temporal or AWS.',
      )
      .version(version),
    shell,
  )
    .option('--as <name>', 'the user to impersonate in Kubernetes')
    .option('--as-group <name>', 'a group to impersonate, with --as; may be repeated', repeated)
    .option('--temporal-address <host:port>', 'the address of Temporal; default: TEMPORAL_ADDRESS')
    .option('--temporal-namespace <name>', 'the Temporal namespace; default: TEMPORAL_NAMESPACE')
    .option(
      '--okra-namespace <name>',
      'the namespace of Okra, to reach it through the API server without TEMPORAL_ADDRESS; default: OKRA_NAMESPACE, or okra',
    )
    .addOption(
      new Option(
        '--color <when>',
        'show phases in colour; auto, the default: in a terminal, unless NO_COLOR is set',
      ).choices([...colourings]),
    );
  for (const add of commands) add(program, shell);
  addVersion<Globals>(program, shell, { version, server: (options) => serverVersion(shell, options) });
  addOptions(program, shell);
  addExamples(program, examples);
  return program.addHelpText('after', AFTERWARDS);
}

/** Asks the dashboard in the cluster for its version, which is that of okrad; or says why it is not known. */
async function serverVersion(shell: Shell, options: Globals): Promise<string> {
  try {
    const { throughApi } = shell.session(options);
    if (throughApi === undefined) return 'unknown (Temporal, to which requests go, does not know it)';
    const { status, message, fields } = await throughApi.call();
    return inOneLine(textIn(fields['version']) ?? `unknown (${status} ${message})`);
  } catch (error) {
    return inOneLine(`unknown (${messageOf(error)})`);
  }
}
