import type { Command } from 'commander';
import { OFFLINE, refusedByServer, type DryRunOptions } from './dry-run.ts';
import { badUsage, exitCodes } from './exit.ts';
import { isSound, lintObject } from './lint-object.ts';
import { FILE, placeOf, readManifests } from './manifests.ts';
import { forPrograms, outputOption, type OutputFormat } from './output.ts';
import type { Shell } from './shell.ts';
import { counted } from './table.ts';
import { inOneLine } from '../terminal-text.ts';

interface LintOptions extends DryRunOptions {
  readonly filename?: readonly string[];
  readonly output?: OutputFormat;
}

/** Adds `lint`. */
export function addLint(program: Command, shell: Shell): void {
  program
    .command('lint')
    .description(
      "Checks manifests of Okra's kinds as the API server would: schemas, rules, unknown fields, and CEL. Where it reaches an API server, that checks them too, by dry run. Exits with status 2 when it finds problems.",
    )
    .option(...FILE)
    .option(...OFFLINE)
    .addOption(outputOption())
    .action(async (_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<LintOptions>();
      const { filename = [], output } = options;
      const { manifests, problems: unread } = await readManifests(shell, filename);
      const found = manifests.map((manifest) => ({ manifest, finding: lintObject(manifest.object) }));
      const problems = found.flatMap(({ manifest, finding }) =>
        finding.is === 'Foreign' ? [] : finding.problems.map((problem) => `${placeOf(manifest)}: ${problem}`),
      );
      const sound = found.flatMap(({ manifest, finding }) => (isSound(finding) ? [manifest] : []));
      const refused = await refusedByServer(shell, options, sound);
      const all = [...unread, ...problems, ...refused].map(inOneLine);
      const looked = found.filter(({ finding }) => finding.is === 'Looked').length;
      if (looked + unread.length === 0)
        throw badUsage(
          `Expected objects of Okra's kinds in ${filename.join(', ')}, got ${found.length} of others.`,
        );
      const foreign = found.length - looked;
      const others = foreign === 0 ? '' : `; ${foreign} of other kinds were not looked at`;
      const written = forPrograms({ looked, foreign, problems: all }, output);
      shell.print(
        written ??
          [...all, `${counted(looked, 'object')}, ${counted(all.length, 'problem')}${others}`].join('\n'),
      );
      if (all.length > 0) shell.exitWith(exitCodes.problems);
    });
}
