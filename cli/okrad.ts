#!/usr/bin/env node
// oxlint-disable-next-line import/no-unassigned-import -- it acts by being evaluated
import './source-maps.ts';

// Source maps are read for what is loaded from here on.
const { program } = await import('./okrad-program.ts');
await program.parseAsync();
