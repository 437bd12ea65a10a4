import { refused } from '../../../clients/provider-error.ts';
import { mustUse, type ProviderDependencies } from './dependencies.ts';
import type { Provider } from './port.ts';

/** Opens CloudWatch, as okrad or as a role in the account that has the metrics. */
export const cloudWatch = ({ policies, askCloudWatch, region: own }: ProviderDependencies): Provider => ({
  async open({ namespace, analysis }, signal) {
    const { region = own, roleARN } = analysis.provider?.cloudWatch ?? {};
    if (region === undefined)
      throw refused(
        'Expected a region for CloudWatch, got none. Name it by provider.cloudWatch.region, or give okrad AWS_REGION.',
      );
    const use =
      roleARN === undefined
        ? ({ of: 'Metrics', source: `cloudwatch/${region}` } as const)
        : ({ of: 'Role', arn: roleARN } as const);
    await mustUse(policies, namespace, use, signal);
    return {
      secrets: [],
      ask: ({ question, window }, given) => askCloudWatch({ region, roleARN }, { question, window }, given),
    };
  },
});
