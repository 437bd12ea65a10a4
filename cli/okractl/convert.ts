import type { Command } from 'commander';
import { convert } from '../../domain/conversion/convert.ts';
import { withoutNulls } from '../../domain/model/fields.ts';
import { FILE, type Manifest, OFFLINE, placeOf, readManifests, refusedByServer } from './manifests.ts';
import { exitCodes, type Shell } from './shell.ts';
import { lintObject } from './lint.ts';
import { asYaml } from './output.ts';
import { inOneLine } from '../terminal-text.ts';
import type { Options } from './options.ts';

export function addConvert(program: Command, shell: Shell): void {
  program
    .command('convert')
    .description(
      'Converts manifests of older generations to the current form and prints them, with a warning for each change of meaning. Exits with status 2 when something must be completed by hand.',
    )
    .option(...FILE)
    .option(...OFFLINE)
    .action(async (options: Options) => {
      const { filename = [] } = options;
      const { manifests, problems } = await readManifests(shell, filename);
      const done = manifests.map(converted);
      const documents = done.flatMap(({ document }) => document ?? []);
      if (documents.length > 0) shell.print(documents.join('\n---\n'));
      const told = done.flatMap(({ warnings }) => warnings);
      for (const warning of told) shell.warn(`warning: ${inOneLine(warning)}`);
      const refused = await refusedByServer(
        shell,
        options,
        done.flatMap(({ sound }) => sound ?? []),
      );
      const left = [...problems, ...done.flatMap((one) => one.problems), ...refused];
      for (const problem of left) shell.warn(`problem: ${inOneLine(problem)}`);
      if (left.length > 0) shell.exitWith(exitCodes.problems);
    });
}

/** What becomes of a manifest, and what is still lacking in it afterwards. */
function converted(manifest: Manifest) {
  const place = placeOf(manifest);
  const outcome = convert(withoutNulls(manifest.object));
  switch (outcome.is) {
    case 'Dropped':
      return { warnings: [`${place}: ${outcome.why}`], problems: [] };
    case 'Kept':
      return { document: asYaml(manifest.object), warnings: [], problems: [] };
    case 'Converted': {
      const { object } = outcome;
      const problems = lintObject(object) ?? [];
      return {
        document: asYaml(object),
        // The manifest as it is now, where nothing is wrong with it.
        sound: problems.length === 0 ? { ...manifest, object } : undefined,
        warnings: outcome.warnings.map((warning) => `${place}: ${warning}`),
        problems: problems.map((problem) => `${place}: ${problem}`),
      };
    }
  }
}
