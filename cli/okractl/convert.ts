import type { Command } from 'commander';
import { convert } from '../../domain/conversion/convert.ts';
import { exitCodes } from './exit.ts';
import { lintObject } from './lint-object.ts';
import { FILE, placeOf, readManifests, type Manifest } from './manifests.ts';
import { asYaml } from './output.ts';
import type { Globals, Shell } from './shell.ts';
import { inOneLine } from '../terminal-text.ts';

interface ConvertOptions extends Globals {
  readonly filename?: readonly string[];
}

/** Adds `convert`. */
export function addConvert(program: Command, shell: Shell): void {
  program
    .command('convert')
    .description(
      'Converts manifests of older generations to the current form, and warns of each change of meaning. Exits with status 2 when something must be completed by hand.',
    )
    .option(...FILE)
    .action(async (_options: unknown, command: Command) => {
      const { filename = [] } = command.optsWithGlobals<ConvertOptions>();
      const { manifests, problems } = await readManifests(shell, filename);
      const done = manifests.map(converted);
      const documents = done.flatMap(({ document }) => document ?? []);
      if (documents.length > 0) shell.print(documents.join('\n---\n'));
      const told = done.flatMap(({ warnings }) => warnings);
      for (const warning of told) shell.warn(`warning: ${inOneLine(warning)}`);
      const left = [...problems, ...done.flatMap((one) => one.problems)];
      for (const problem of left) shell.warn(`problem: ${inOneLine(problem)}`);
      if (left.length > 0) shell.exitWith(exitCodes.problems);
    });
}

interface Done {
  readonly document?: string;
  readonly warnings: readonly string[];
  readonly problems: readonly string[];
}

/** What becomes of a manifest, and what is still lacking in it afterwards. */
function converted(manifest: Manifest): Done {
  const place = placeOf(manifest);
  const outcome = convert(manifest.object);
  switch (outcome.is) {
    case 'Dropped':
      return { warnings: [`${place}: ${outcome.why}`], problems: [] };
    case 'Kept':
      return { document: asYaml(outcome.object), warnings: [], problems: [] };
    case 'Converted': {
      const finding = lintObject(outcome.object);
      return {
        document: asYaml(outcome.object),
        warnings: outcome.warnings.map((warning) => `${place}: ${warning}`),
        problems: finding.is === 'Foreign' ? [] : finding.problems.map((problem) => `${place}: ${problem}`),
      };
    }
  }
}
