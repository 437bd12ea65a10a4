#!/usr/bin/env node
import { runCommandLine } from './frame.ts';
import { COMPLETE } from './okractl/complete.ts';
import { okractl } from './okractl/program.ts';
import { sessions } from './okractl/session.ts';
import { withoutTerminal } from './okractl/shell.ts';

const { open, close } = sessions();

await runCommandLine({
  name: 'kubectl_complete-okra',
  close,
  // What is to be completed may look like an option.
  words: [COMPLETE, '--', ...process.argv.slice(2)],
  make: (shell, version) => okractl({ ...shell, ...withoutTerminal, session: open }, version),
});
