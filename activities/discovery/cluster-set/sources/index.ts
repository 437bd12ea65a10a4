import { awseks, type AwseksConnection } from './awseks.ts';
import type { ClusterSource } from './port.ts';

/** Makes every source of clusters. */
export const clusterSources = (connection: AwseksConnection): readonly ClusterSource[] => [
  awseks(connection),
];
