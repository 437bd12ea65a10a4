import type { Command } from 'commander';
import { framed, Program } from '../frame.ts';
import { addExamples, addOptions, addVersion } from '../help.ts';
import { addCreateAnalysisRun, addRun } from '../okractl/analysis.ts';
import { addCreateCluster, addDeleteCluster } from './clusters.ts';
import { dryRunOf } from './dry-run.ts';
import { examples } from './examples.ts';
import { addGet } from './get.ts';
import type { OkraShell } from './shell.ts';
import { addSync } from './sync.ts';
import { addUpsert } from './upsert.ts';

const AFTERWARDS = `
Exit status: 0 done; 1 something did not answer, was not found, or failed; 2 the command line is invalid;
3 refused.

Environment variables set everything else, as for okrad; see docs/configuration.md.`;

export function okra(real: OkraShell, version: string): Command {
  const shell: OkraShell = {
    ...real,
    session: (globals, needs) => {
      const session = real.session(globals, needs);
      return globals.dryRun === true ? dryRunOf(session, real) : session;
    },
  };
  const program = framed(
    new Program('okra')
      .description(
        'Runs single functions of Okra once, for pipelines and debugging: without Temporal and without watchers.',
      )
      // `--version` is what a command looks for.
      .version(version, '-V, --program-version', 'the version of okra'),
    shell,
  )
    .option('--region <name>', 'the AWS region; default: AWS_REGION')
    .option('--profile <name>', 'the AWS profile; default: AWS_PROFILE')
    .option('--address <url>', 'the address of the AWS APIs; default: AWS_ENDPOINT_URL')
    .option('--dry-run', 'write nothing; print what would be written');
  const create = program.command('create').description('Creates cluster secrets and AnalysisRuns.');
  addCreateCluster(create, shell);
  addCreateAnalysisRun(create, shell);
  const remove = program.command('delete').description('Deletes cluster secrets.');
  addDeleteCluster(remove, shell);
  addGet(program, shell);
  addSync(program, shell);
  addUpsert(program, shell);
  addRun(program, shell);
  addVersion(program, shell, { version });
  addOptions(program, shell);
  addExamples(program, examples);
  return program.addHelpText('after', AFTERWARDS);
}
