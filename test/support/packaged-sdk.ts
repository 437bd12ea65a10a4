// Workers that tests start in their own process run workflows as the package does, their threads included.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { notForDebuggers, oneTimeLimit, withoutStacks } from '../../deploy/package/sdk-changes.ts';

const changes = [withoutStacks, oneTimeLimit, notForDebuggers];

registerHooks({
  load: (url, context, nextLoad) => {
    const change = url.startsWith('file:')
      ? changes.find(({ file }) => url.endsWith(`/node_modules/${file}`))
      : undefined;
    if (change === undefined) return nextLoad(url, context);
    const source = change.apply(readFileSync(fileURLToPath(url), 'utf8'));
    return { format: 'commonjs', source, shortCircuit: true };
  },
});
