import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../config/config.ts';
import { awsTargetGroup } from '../../crds/aws-target-group.ts';
import { clusterSet } from '../../crds/cluster-set.ts';
import { parseClusterSecret } from '../kubernetes/cluster-secret.ts';
import { SECRET_TYPE_CLUSTER, SECRET_TYPE_LABEL } from '../../domain/kubernetes/labels.ts';

const encodeBase64 = (text: string): string => Buffer.from(text).toString('base64');

interface Partition {
  readonly id: string;
  readonly outputs: { readonly dnsSuffix: string; readonly dualStackDnsSuffix: string };
  readonly regions: Readonly<Record<string, unknown>>;
}

/** The table of the AWS SDK, which it does not export. */
const table =
  '../../node_modules/@aws-sdk/core/dist-es/submodules/client/util-endpoints/lib/aws/partitions.js';
const { partitionsInfo } = (await import(table)) as {
  readonly partitionsInfo: { readonly partitions: readonly Partition[] };
};

const places = partitionsInfo.partitions.flatMap(({ id, outputs, regions }) =>
  Object.keys(regions)
    .filter((region) => !region.endsWith('-global'))
    .map((region) => ({ region, partition: id, ...outputs })),
);

const loginOf = (server: string, region?: string) => {
  const config = JSON.stringify({ awsAuthConfig: { clusterName: 'cdk1', region } });
  const parsed = parseClusterSecret({
    metadata: { name: 'cdk1', labels: { [SECRET_TYPE_LABEL]: SECRET_TYPE_CLUSTER } },
    data: { server: encodeBase64(server), config: encodeBase64(config) },
  });
  return parsed.is === 'Connection' ? parsed.connection.login : parsed.problem;
};

describe('the region', () => {
  it('is one of eight partitions at least', () => {
    expect(new Set(places.map(({ partition }) => partition)).size).toBeGreaterThanOrEqual(8);
  });

  describe.each(places)('$region', ({ region, partition, dnsSuffix, dualStackDnsSuffix }) => {
    it('is one that okrad can be in', () => {
      expect(loadConfig({ AWS_REGION: region }).aws.region).toBe(region);
    });

    it('is one that clusters can be found in', () => {
      const roleARN = `arn:${partition}:iam::111122223333:role/okra`;
      const selector = { matchTags: { Service: 'demo' } };
      expect(clusterSet.parseSpec({ generators: [{ awseks: { region, roleARN, selector } }] })).toMatchObject(
        {
          ok: true,
        },
      );
    });

    it('is one that a login can be for', () => {
      expect(loginOf('https://api.example', region)).toMatchObject({ by: 'EKS', region });
    });

    it.each([
      `https://0A1B.gr7.${region}.eks.${dnsSuffix}`,
      `https://0A1B.eks-cluster.${region}.${dualStackDnsSuffix}:443/`,
    ])('is read from %s', (endpoint) => {
      expect(loginOf(endpoint)).toEqual({ by: 'EKS', clusterName: 'cdk1', region });
    });

    it('is one that a target group can be in', () => {
      const arn = `arn:${partition}:elasticloadbalancing:${region}:111122223333:targetgroup/web/0123456789abcdef`;
      expect(awsTargetGroup.parseSpec({ arn })).toMatchObject({ ok: true });
    });
  });
});
