import { partition } from '@aws-sdk/core/client';

/** How the ARNs of all EKS clusters of an account and region begin. */
export const eksPlace = (region: string, account: string): string =>
  `arn:${partition(region).name}:eks:${region}:${account}:`;
