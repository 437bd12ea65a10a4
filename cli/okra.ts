#!/usr/bin/env node
import { runCommandLine } from './frame.ts';
import { okra } from './okra/program.ts';
import { openSession } from './okra/session.ts';

const words = process.argv.slice(2);

await runCommandLine({
  name: 'okra',
  make: (shell, version) => okra({ ...shell, session: openSession }, version),
  // Alone it asks for the version of the program; with a command it is the version of target groups.
  words: words.length === 1 && words[0] === '--version' ? ['-V'] : words,
});
