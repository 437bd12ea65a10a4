import { Command } from 'commander';
import { framed } from '../frame.ts';
import { addCreateAnalysisRun, addRun } from '../okractl/analysis-run.ts';
import { addCreateCluster, addDeleteCluster } from './cluster.ts';
import { addGet } from './get.ts';
import type { OkraShell } from './shell.ts';
import { addSync } from './sync.ts';
import { addUpsert } from './upsert.ts';

const AFTERWARDS = `
Exit status: 0 it was done; 1 something did not answer, is not there, or is not as it is to be; 2 the command line
has a problem; 3 it was refused.

Everything else is set by environment variables, as for okrad; see docs/configuration.md.`;

/** Makes the command line, over what is around it. */
export function okra(shell: OkraShell, version: string): Command {
  const program = framed(
    new Command('okra')
      .description(
        'Runs each function of Okra by itself, for pipelines: without Temporal, and without anything that watches.',
      )
      // `--version` is what a command looks for.
      .version(version, '-V, --program-version', 'the version of okra'),
    shell,
  )
    .option('--region <name>', 'the region of AWS; AWS_REGION without it')
    .option('--profile <name>', 'the profile of AWS; AWS_PROFILE without it')
    .option('--address <url>', 'the address of the APIs of AWS; AWS_ENDPOINT_URL without it')
    .option('--dry-run', 'write nothing, and print what would be written');
  const create = program.command('create').description('Creates objects.');
  addCreateCluster(create, shell);
  addCreateAnalysisRun(create, shell);
  const remove = program.command('delete').description('Deletes objects.');
  addDeleteCluster(remove, shell);
  addGet(program, shell);
  addSync(program, shell);
  addUpsert(program, shell);
  addRun(program, shell);
  return program.addHelpText('after', AFTERWARDS);
}
