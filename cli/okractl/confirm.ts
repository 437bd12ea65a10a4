import { badUsage, failed, type Shell } from './shell.ts';

/** The option that answers each question with yes. */
export const YES = ['-y, --yes', 'do not ask for confirmation'] as const;

/** Asks before something that cannot be taken back; without a terminal to ask in, `--yes` has to be there. */
export async function mustConfirm(
  { confirm }: Pick<Shell, 'confirm'>,
  { command, question }: { readonly command: string; readonly question: string },
  yes = false,
): Promise<void> {
  if (yes) return;
  if (confirm === undefined)
    throw badUsage(`${command} asks for confirmation, and there is no terminal. Pass --yes to confirm.`);
  if (!(await confirm(question))) throw failed('Cancelled; nothing was changed.');
}
