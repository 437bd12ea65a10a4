#!/usr/bin/env node
// A checkout has the sources, and a package what was built from them.
import { existsSync } from 'node:fs';

const source = new URL('../okractl.ts', import.meta.url);
const built = new URL('../../dist/cli/okractl.js', import.meta.url);
await import((existsSync(source) ? source : built).href);
