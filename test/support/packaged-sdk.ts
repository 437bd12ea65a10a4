// Workers that tests start in their own process run the Temporal SDK as the package has it, its threads included.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { withoutStacks } from '../../deploy/package/sdk-changes.ts';

const suffix = `/node_modules/${withoutStacks.file}`;

registerHooks({
  load: (url, context, nextLoad) =>
    url.startsWith('file:') && url.endsWith(suffix)
      ? {
          format: 'commonjs',
          source: withoutStacks.apply(readFileSync(fileURLToPath(url), 'utf8')),
          shortCircuit: true,
        }
      : nextLoad(url, context),
});
