#!/usr/bin/env node
import { setSourceMapsSupport } from 'node:module';

// Stack traces of the bundled package name the sources: maps are read for what is loaded from here on.
setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });

const { program } = await import('./okrad-program.ts');
// As for the other programs: a bad command line ends with 2.
program.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
await program.parseAsync();
