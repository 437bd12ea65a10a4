#!/usr/bin/env node
import { collectEarly } from './memory.ts';
// oxlint-disable-next-line import/no-unassigned-import -- it acts by being evaluated
import './source-maps.ts';
// oxlint-disable-next-line import/no-unassigned-import -- it acts by being evaluated
import './thread-pool.ts';

// What is imported here is compiled before a line of this file runs; all else has to come after what is set above.
const { program } = await import('./okrad-program.ts');
collectEarly();
await program.parseAsync();
