import type { Command } from 'commander';
import type { CellStatus } from '../../crds/cell.ts';
import { type Shell } from './shell.ts';
import { formatDuration, forPrograms, layOut, outputOption, type Table, withoutFraction } from './output.ts';
import { CHANGE_CAUSE } from './rollback.ts';
import { inOneLine } from '../terminal-text.ts';
import { formatTarget, missing, parseTarget, readTarget, TARGET_HELP } from './target.ts';
import type { Options } from './options.ts';

type Asked = NonNullable<CellStatus['requests']>[number];

export function addHistory(program: Command, shell: Shell): void {
  program
    .command('history')
    .description(
      'Shows past version changes of an object with their outcomes, and the requests sent to it: who, what and why.',
    )
    .argument('<name>', TARGET_HELP)
    .addOption(outputOption(['json', 'yaml', 'wide']))
    .action(async (options: Options, text: string) => {
      const { kubernetes, namespace } = shell.session(options);
      const target = parseTarget(text, namespace);
      const found = await readTarget(kubernetes, target);
      if (found === undefined) throw missing(target);
      const { metadata, status = {} } = found;
      const changes = 'history' in status ? (status.history ?? []) : [];
      const { requests = [] } = status;
      // Who has changed the spec last, and why, as far as it was noted.
      const changeCause = target.kind === 'Cell' ? metadata.annotations?.[CHANGE_CAUSE] : undefined;
      const written = forPrograms({ changes, requests, changeCause }, options.output);
      if (written !== undefined) return shell.print(written);
      if (changes.length + requests.length === 0)
        return shell.warn(`${formatTarget(target)} has no version changes and no requests yet.`);
      const columns = options.output === 'wide' ? undefined : shell.screen?.columns();
      if (changes.length > 0) shell.print(layOut(changesTable(changes), columns));
      if (changeCause !== undefined) shell.print(`\nChange cause: ${inOneLine(changeCause)}`);
      if (requests.length === 0) return;
      if (changes.length > 0) shell.print('\nRequests since:');
      shell.print(layOut(requestsTable(requests), columns));
    });
}

type Change = NonNullable<CellStatus['history']>[number];

/** The table of changes, the newest first, with who has asked for what meanwhile. */
export function changesTable(changes: readonly Change[]): Table {
  return {
    headings: ['ENDED', 'TOOK', 'FROM', 'VERSION', 'OUTCOME', 'REQUESTS', 'MESSAGE'],
    rows: changes.map(({ version, from, outcome, message, startedAt, endedAt, requests = [] }) => [
      withoutFraction(endedAt),
      formatDuration(Date.parse(endedAt) - Date.parse(startedAt)),
      from ?? '-',
      version,
      outcome,
      requests.map(requestText).join('; ') || '-',
      message,
    ]),
  };
}

/** The table of requests, the oldest first. */
export const requestsTable = (requests: readonly Asked[]): Table => ({
  headings: ['TIME', 'REQUEST', 'BY', 'REASON'],
  rows: requests.map(({ time, action, by, reason }) => [withoutFraction(time), action, by, reason || '-']),
});

/** Says a request in a few words: `abort by ann: errors in checkout`. */
export const requestText = (request: Omit<Asked, 'time'>): string =>
  `${request.action} by ${personText(request)}`;

export const personText = ({ by, reason }: { readonly by: string; readonly reason: string }): string =>
  reason === '' ? by : `${by}: ${reason}`;
