import { late } from '../concurrency.ts';
import type { AskCloudWatch } from './cloud-watch.ts';
import type { AwsScope, ClientOptions } from './aws-credentials.ts';
import type { EKS } from './eks.ts';
import type { EKSTokenOptions, EKSTokens } from './eks-token.ts';

// Each client of the AWS SDK takes up to 30 MB and a tenth of a second, and most installations need few of them.

/** Makes the CloudWatch of all regions and roles, whose client is loaded when it is asked first. */
export function lateCloudWatch(options: ClientOptions): AskCloudWatch {
  const made = late(async () => (await import('./cloud-watch.ts')).connectCloudWatch(options));
  return async (...asked) => (await made())(...asked);
}

/** Makes the EKS of a region and an identity, whose client is loaded when it is asked first. */
export function lateEKS(options: ClientOptions): (scope: AwsScope) => EKS {
  const made = late(async () => (await import('./eks.ts')).connectEKS(options));
  return (scope) => ({
    clusters: async (...asked) => (await made())(scope).clusters(...asked),
    named: async (...asked) => (await made())(scope).named(...asked),
    account: async () => (await made())(scope).account(),
  });
}

/** Makes the tokens of EKS clusters, whose signer is loaded when it is asked first. */
export function lateTokens(options: EKSTokenOptions): EKSTokens {
  const made = late(async () => (await import('./eks-token.ts')).eksTokens(options));
  return async (...asked) => (await made())(...asked);
}
