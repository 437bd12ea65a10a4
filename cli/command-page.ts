import type { Command } from 'commander';
import { visibleCommands } from './okractl/complete.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');

const optionRows = (command: Command): string =>
  ['| option | means |', '| --- | --- |']
    .concat(
      command
        .createHelp()
        .visibleOptions(command)
        .filter(({ long }) => long !== '--help' && long !== '--version' && long !== '--program-version')
        .map(({ flags, description, argChoices, mandatory }) => {
          const choices = argChoices === undefined ? '' : `: ${argChoices.join(', ')}`;
          return `| \`${cell(flags)}\` | ${cell(description)}${choices}${mandatory ? ' (required)' : ''} |`;
        }),
    )
    .join('\n');

const hasOptions = (command: Command): boolean => optionRows(command).split('\n').length > 2;

function sectionOf(command: Command, before: string): string {
  const name = `${before} ${command.name()}`;
  const below = command.commands.filter((one) => one.name() !== 'help');
  if (below.length > 0) return below.map((one) => sectionOf(one, name)).join('\n');
  const list = command.registeredArguments.map(
    (argument) => `* \`${argument.name()}${argument.variadic ? '…' : ''}\`: ${argument.description}`,
  );
  return [
    `## ${name.split(' ').slice(1).join(' ')}\n`,
    `    ${name} ${command.usage()}\n`,
    `${command.description()}\n`,
    ...(list.length === 0 ? [] : [`${list.join('\n')}\n`]),
    ...(hasOptions(command) ? [`${optionRows(command)}\n`] : []),
  ].join('\n');
}

/** The page of all commands of a program: the options that each of them has, and a section for each. */
export function commandPage(program: Command, introduction: string): string {
  const sections = visibleCommands(program).map((command) => sectionOf(command, program.name()));
  return `${introduction}${optionRows(program)}\n\n${sections.join('\n')}`;
}
