import { Argument, type Command } from 'commander';
import { completionScript, shells, type ShellName } from './completion-script.ts';
import type { Shell } from './shell.ts';

/** Adds `completion`. */
export function addCompletion(program: Command, shell: Shell): void {
  program
    .command('completion')
    .description(
      'Prints the completion script of a shell for commands, options and names: source <(okractl completion bash).',
    )
    .addArgument(new Argument('<shell>', 'the shell').choices([...shells]))
    .action((name: ShellName) => shell.write(completionScript(program, name)));
}
