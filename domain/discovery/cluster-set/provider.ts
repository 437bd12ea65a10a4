import type { Generator } from '../../../crds/cluster-set.ts';

/** What the settings of all providers of clusters have in common. */
export interface ProviderSettings {
  readonly selector?: TagSelector | undefined;
  /** An older spelling of `selector`. */
  readonly clusterSelector?: TagSelector | undefined;
  /** The role that the provider is read as, if it is read as another than Okra's own. */
  readonly roleARN?: string | undefined;
  readonly externalID?: string | undefined;
}

interface TagSelector {
  readonly matchTags: Readonly<Record<string, string>>;
}

/** The provider that a generator names, with its settings; the schema has seen to it that there is one. */
export function providerOf(generator: Generator): {
  readonly provider: string;
  readonly settings: ProviderSettings;
} {
  const all: Readonly<Record<string, ProviderSettings | undefined>> = generator;
  for (const [provider, settings] of Object.entries(all)) {
    if (settings !== undefined) return { provider, settings };
  }
  return { provider: 'none', settings: {} };
}
