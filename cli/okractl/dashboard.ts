import { once } from 'node:events';
import type { Command } from 'commander';
import { CELL } from '../../clients/kubernetes/kinds.ts';
import { GROUP } from '../../crds/resource.ts';
import type { Shell } from './shell.ts';
import { inOneLine } from '../terminal-text.ts';
import { messageOf } from '../../domain/text.ts';
import { numberOption, type Options } from './options.ts';

export function addDashboard(program: Command, shell: Shell): void {
  program
    .command('dashboard')
    .description(
      'Serves the dashboard on this machine: all Cells, live, and requests with your own permissions.',
    )
    .addOption(
      numberOption('--port <port>', 'the port on 127.0.0.1; default: any free port', 65_535).default(0),
    )
    .option('--ui <url>', 'the address of the Temporal Web UI; default: OKRA_TEMPORAL_UI')
    .option('--no-open', 'only print the address')
    .action(async (options: Options<'port' | 'open'>) => {
      const session = shell.session(options);
      // All namespaces, unless one is named or the person may not look into all.
      const mayAll = () => session.may({ group: GROUP, resource: CELL.plural, verb: 'list' });
      const namespace = options.namespace ?? ((await mayAll()) ? undefined : session.namespace);
      if (namespace !== undefined) shell.warn(`Showing the Cells of namespace ${namespace}.`);
      // What it is made of takes a while to load.
      const { openDashboard, doorTo } = await import('../dashboard/of-person.ts');
      const { url, close } = await openDashboard({
        session: { ...session, temporalUi: options.ui ?? session.temporalUi },
        namespace,
        port: options.port,
        version: program.version() ?? '',
        now: shell.now,
        signal: shell.signal,
        failed: (error) => shell.warn(inOneLine(messageOf(error))),
      });
      shell.print(url);
      shell.warn('Anyone with this address can act with your permissions. Stop it with Ctrl+C.');
      const door = options.open && shell.screen !== undefined ? await doorTo(url) : undefined;
      if (door !== undefined) shell.browse(door.url);
      if (!shell.signal.aborted) await once(shell.signal, 'abort');
      await Promise.all([close(), door?.remove()]);
    });
}
