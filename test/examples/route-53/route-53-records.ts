import type { WeightedTargetGroup } from '../../../domain/model/target-group.ts';

/** The weighted records of hosted zones, by the name of the records. */
export interface Route53Records {
  read(hostedZoneID: string, signal: AbortSignal): Promise<ReadonlyMap<string, WeightedTargetGroup[]>>;
  /** Changes all records of a name, or none (API_ChangeResourceRecordSets). */
  change(hostedZoneID: string, recordName: string, records: readonly WeightedTargetGroup[]): Promise<void>;
}

/** A hosted zone: the records of all its names, how often they were changed, and what happens then. */
export const zone = {
  records: new Map<string, WeightedTargetGroup[]>(),
  changes: 0,
  afterChange: (): void => undefined,
};

/** Reaches the hosted zone, where the client of the AWS SDK would reach Route 53. */
export const route53Records = (): Route53Records => ({
  read: () => Promise.resolve(new Map(zone.records)),
  change: (_, recordName, groups) => {
    zone.changes += 1;
    zone.records.set(
      recordName,
      groups.map((group) => ({ ...group })),
    );
    zone.afterChange();
    return Promise.resolve();
  },
});
