import type { Generator } from '../../../../crds/cluster-set.ts';
import { providerOf, type ProviderSettings } from '../../../../domain/discovery/cluster-set/provider.ts';
import { awseks, type AwseksConnection } from './awseks.ts';
import type { ClusterSource, ClusterSources, SourceReading } from './port.ts';

/** Makes every source of clusters; a provider that the schema has and that is not here does not compile. */
export const clusterSources = (connection: AwseksConnection): ClusterSources => ({
  awseks: awseks(connection),
});

/** Reads all clusters of the provider that a generator names. */
export async function readGenerator(
  sources: ClusterSources,
  generator: Generator,
  { signal, known }: { readonly signal: AbortSignal; readonly known: readonly string[] },
): Promise<SourceReading> {
  const { provider, settings } = providerOf(generator);
  // The settings and the source of one name belong together.
  const all: Readonly<Record<string, ClusterSource<ProviderSettings>>> = sources;
  const source = all[provider];
  if (source === undefined) throw new Error('there is no source for it');
  return source.read(settings, signal, known);
}
