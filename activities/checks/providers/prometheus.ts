import { refused } from '../../../clients/provider-error.ts';
import { mustUse, type ProviderDependencies } from './dependencies.ts';
import { readKeys } from './keys.ts';
import type { Provider } from './port.ts';

/** Opens a Prometheus, with the token of a Secret or without any. */
export const prometheus = ({ kubernetes, policies, askPrometheus }: ProviderDependencies): Provider => ({
  async open({ namespace, analysis }, signal) {
    const { address = '', secretRef } = analysis.provider?.prometheus ?? {};
    const host = URL.canParse(address) ? new URL(address).host : address;
    await mustUse(policies, namespace, { of: 'Metrics', source: `prometheus/${host}` }, signal);
    const [token] =
      secretRef === undefined
        ? []
        : await readKeys(kubernetes, { namespace, name: secretRef.name }, ['token']);
    return {
      secrets: token === undefined ? [] : [token],
      ask: ({ question: { query }, window }, given) => {
        if (query === undefined) throw refused('Expected PromQL, got none. Add analysis.query.');
        return askPrometheus({ address, token }, { query, window }, given);
      },
    };
  },
});
