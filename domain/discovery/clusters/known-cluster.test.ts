import { describe, expect, it } from 'vitest';
import { readKnownCluster } from './known-cluster.ts';
import {
  CLUSTER_ID_ANNOTATION,
  CLUSTER_TAGS_ANNOTATION,
  CLUSTER_VPC_ANNOTATION,
} from '../../kubernetes/labels.ts';

const encodeBase64 = (text: string): string => Buffer.from(text).toString('base64');
const decodeBase64 = (encoded: string): string | undefined => {
  const text = Buffer.from(encoded, 'base64').toString();
  return encodeBase64(text) === encoded ? text : undefined;
};

const inVPC = (vpcID: string) => ({ [CLUSTER_VPC_ANNOTATION]: vpcID });
const called = (id: string) => ({ [CLUSTER_ID_ANNOTATION]: id });
const tagged = (tags: string) => ({ [CLUSTER_TAGS_ANNOTATION]: tags });

describe('a cluster as its secret says it', () => {
  it.each([
    ['has the name in the secret', { name: 'Web_1' }, {}, { secret: 'web-1', name: 'Web_1' }],
    ['has that of the secret when there is none in it', {}, {}, { name: 'web-1', tags: undefined }],
    [
      'has no longer name than a status takes',
      { name: 'a'.repeat(300) },
      {},
      { secret: 'web-1', name: 'a'.repeat(253) },
    ],
    [
      'has the beginning of a name that has no end',
      { name: '€'.repeat(90_000) },
      {},
      { name: '€'.repeat(253) },
    ],
    [
      'has no tags that are more than EKS takes',
      {},
      tagged(JSON.stringify({ a: 'b'.repeat(64_000) })),
      { tags: undefined },
    ],
    [
      'has the tags that its annotation says',
      {},
      tagged('{"version":"2.0.0"}'),
      { tags: { version: '2.0.0' } },
    ],
    ['leaves out tags that are no text', {}, tagged('{"a":1,"b":"c"}'), { tags: { b: 'c' } }],
    ['has no tags where the annotation is not JSON', {}, tagged('{'), { tags: undefined }],
    [
      'is in the VPC that its annotation says',
      {},
      inVPC('vpc-0123456789abcdef0'),
      { vpcID: 'vpc-0123456789abcdef0' },
    ],
    ['is in no VPC that is none', {}, inVPC('default'), { vpcID: undefined }],
    ['is in no VPC that nobody says', {}, {}, { vpcID: undefined }],
    ['is the one that its annotation says', {}, called('arn:web'), { id: 'arn:web' }],
    [
      'is nobody knows which where that is longer than any id',
      {},
      called('a'.repeat(600)),
      { id: undefined },
    ],
    ['has no tags where the annotation is a list', {}, tagged('["a"]'), { tags: undefined }],
  ])('%s', (_, content, annotations, want) => {
    const data = Object.fromEntries(Object.entries(content).map(([key, text]) => [key, encodeBase64(text)]));
    const known = readKnownCluster({ metadata: { name: 'web-1', annotations }, data }, decodeBase64);
    expect({ ...known, id: known.id, tags: known.tags, vpcID: known.vpcID }).toMatchObject(want);
  });
});
