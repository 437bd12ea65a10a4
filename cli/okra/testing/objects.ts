import type { FakeObject } from './shell.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The Argo CD cluster secret of a cluster, which has its name unless another one is said. */
export const aSecret = (
  name: string,
  labels: Readonly<Record<string, string>> = {},
  cluster = name,
): FakeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      namespace: 'default',
      name,
      uid: `uid-${name}`,
      labels: { 'argocd.argoproj.io/secret-type': 'cluster', ...labels },
    },
    data: { name: base64(cluster), server: base64(`https://${cluster}`), config: base64('{}') },
  }) as FakeObject;
