import { join } from 'node:path';
import { type GeneratedFiles, withParts } from '../../local/generate/files.ts';
import { holdRules } from '../../domain/applications/holds.ts';
import { applicationRules } from '../../domain/applications/judge.ts';
import { keepRules } from '../../domain/applications/settle.ts';
import * as cell from '../../domain/rollout/decide/rules.ts';
import { stagedRules } from '../../domain/staged/turn.ts';
import { readImports, writeRoomTable } from './rooms.ts';
import { writeShiftTable } from './shifts.ts';
import { countProduct, writeSizeTable } from './size.ts';

const page = join(import.meta.dirname, '../../docs/design.md');

/** Lists rules in the order in which they decide. */
const listRules = (rules: readonly (readonly [name: string, rule: unknown])[]): string =>
  rules.map(([name], index) => `${index + 1}. ${name}`).join('\n');

const cellRules = (
  [
    ['In every Cell', cell.cellRules],
    ['Without a rollout', cell.restRules],
    ['… while nothing is served', cell.firstRules],
    ['… while a version serves', cell.servingRules],
    ['During a rollout, until it has ended', cell.endingRules],
    ['… before its steps', cell.rolloutRules],
    ['… its steps', cell.stepRules],
  ] as const
).map(([when, rules]) => `**${when}**\n\n${listRules(rules)}`);

const tables = {
  rooms: writeRoomTable(readImports()),
  'cell-rules': cellRules.join('\n\n'),
  'staged-rules': listRules(stagedRules),
  'application-rules': listRules(applicationRules),
  'keep-rules': listRules(keepRules),
  'hold-rules': listRules(holdRules),
  writes: writeShiftTable(),
};
/** The page with the tables that describe the code; with --check all but the sizes, which each line of code changes. */
export function files(): GeneratedFiles {
  const sizes = writeSizeTable(countProduct());
  process.stdout.write(`${sizes}\n`);
  const parts = process.argv.includes('--check') ? tables : { ...tables, sizes };
  return new Map([[page, withParts(page, parts)]]);
}
