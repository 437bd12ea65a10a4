import type { Command, Option } from 'commander';

/** Lines that show how a command is used, each a command line, by the words of the command: `run analysis`. */
export type Examples = Readonly<Record<string, readonly string[]>>;

/** The words of a command after the name of its program: `run analysis`. */
export function wordsOf(command: Command): string {
  const words: string[] = [];
  for (let at = command; at.parent !== null; at = at.parent) words.unshift(at.name());
  return words.join(' ');
}

/** The commands right below one, without hidden ones. */
export const visibleCommands = (command: Command): readonly Command[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help');

/** The commands that do something, in the order of the help; those that only have others below them are left out. */
export const leavesOf = (command: Command): readonly Command[] => {
  const below = visibleCommands(command);
  return below.length === 0 ? [command] : below.flatMap(leavesOf);
};

/** The options of a command, without those that every program has. */
export const optionsOf = (command: Command): readonly Option[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help' && long !== '--version' && long !== '--program-version');

/** Ends the help of each command with examples, and with where the global options are. */
export function addExamples(program: Command, examples: Examples): void {
  for (const command of leavesOf(program)) {
    const lines = examples[wordsOf(command)] ?? [];
    if (lines.length > 0)
      command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
    command.addHelpText('after', `\nUse "${program.name()} options" for the options of all commands.`);
  }
}

/** Adds `options`, which lists the options that every command has, so that no other help repeats them. */
export function addOptions(program: Command, shell: { readonly print: (text: string) => void }): void {
  program
    .command('options')
    .description('Lists the global options, which every command has.')
    .action(() => {
      const help = program.createHelp();
      const options = optionsOf(program);
      const width = Math.max(...options.map((option) => help.optionTerm(option).length));
      const lines = options.map(
        (option) => `  ${help.optionTerm(option).padEnd(width)}  ${help.optionDescription(option)}`,
      );
      shell.print(['Options of every command:', ...lines].join('\n'));
    });
}

/** Adds `version`; with what tells the version of the server, that is printed as well. */
export function addVersion<Options>(
  program: Command,
  shell: { readonly print: (text: string) => void },
  { version, server }: { readonly version: string; readonly server?: (options: Options) => Promise<string> },
): void {
  const command = program
    .command('version')
    .description(`Prints the version of ${program.name()}${server === undefined ? '' : ' and of okrad'}.`)
    .action(async (options: Options & { readonly client?: boolean }) => {
      shell.print(`Client Version: ${version}`);
      if (server !== undefined && options.client !== true)
        shell.print(`Server Version: ${await server(options)}`);
    });
  if (server !== undefined) command.option('--client', 'only the version of the client');
}
