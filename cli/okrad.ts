#!/usr/bin/env node
import { setSourceMapsSupport } from 'node:module';

// Stack traces of the bundled package name the sources: maps are read for what is loaded from here on.
setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });

const { program } = await import('./okrad-program.ts');
await program.parseAsync();
