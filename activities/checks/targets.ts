import type { ELBv2Regions } from '../../clients/aws/elbv2.ts';

/** Makes what counts the healthy targets of target groups together, as ELBv2 knows them now. */
export const targetCounter =
  (elbv2: ELBv2Regions, signal: AbortSignal) =>
  async (targetGroupARNs: readonly string[]): Promise<number> => {
    const counts = await Promise.all(
      targetGroupARNs.map(async (arn) => {
        const targets = await elbv2(arn).targetHealth(arn, signal);
        return targets.filter(({ TargetHealth }) => TargetHealth?.State === 'healthy').length;
      }),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  };
