import { given, isRecord, parseJSON } from '../../model/fields.ts';
import type { ClusterSecret, Decode } from './cluster-secret.ts';
import {
  CLUSTER_ID_ANNOTATION,
  CLUSTER_TAGS_ANNOTATION,
  CLUSTER_VPC_ANNOTATION,
} from '../../kubernetes/labels.ts';

/** A cluster as its Argo CD cluster secret says it. */
export interface KnownCluster {
  /** The name of the secret, which no other cluster has. */
  readonly secret: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** What no other cluster has, whatever its secret is called; undefined when its secret does not say it. */
  readonly id?: string | undefined;
  /** The tags of the cluster in its cloud; undefined when nobody knows them. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly vpcID?: string | undefined;
}

/** How long the name of a cluster may be, in characters: as long as a status takes (crds/sets.ts); a longer one would stop all that looks into other clusters as well. */
export const LONGEST_CLUSTER_NAME = 253;

// The ARNs of EKS clusters are shorter.
const LONGEST_ID = 512;

// As spec.targetGroup.vpcID of an AWSTargetGroupBinding.
const VPC_ID = /^vpc-[0-9a-f]{8,17}$/;

// A character takes four bytes at most, and three bytes four characters of base64.
const LONGEST_ENCODED_NAME = Math.ceil((LONGEST_CLUSTER_NAME * 4) / 3) * 4;

// As many as EKS takes, fifty of 384 characters, and what JSON puts around them.
const LONGEST_TAGS = 64_000;

// Every event of every cluster asks again who it is about.
const known = new WeakMap<ClusterSecret, KnownCluster>();

/** Reads which cluster a secret is about, whether it can be reached or not. */
export function readKnownCluster(secret: ClusterSecret, decode: Decode): KnownCluster {
  const found = known.get(secret) ?? readCluster(secret, decode);
  known.set(secret, found);
  return found;
}

function readCluster({ metadata, data = {} }: ClusterSecret, decode: Decode): KnownCluster {
  const { name: secret, labels = {}, annotations = {} } = metadata;
  const encoded = (data['name'] ?? '').slice(0, LONGEST_ENCODED_NAME);
  const name = (decode(encoded) ?? '').slice(0, LONGEST_CLUSTER_NAME);
  const tags = tagsIn(annotations[CLUSTER_TAGS_ANNOTATION]);
  const vpcID = annotations[CLUSTER_VPC_ANNOTATION];
  const id = annotations[CLUSTER_ID_ANNOTATION] ?? '';
  return {
    secret,
    name: name === '' ? secret : name,
    labels,
    ...(id === '' || id.length > LONGEST_ID ? {} : { id }),
    ...given({ tags }),
    ...(vpcID !== undefined && VPC_ID.test(vpcID) ? { vpcID } : {}),
  };
}

// A ClusterSet writes them; what someone else has made of them counts only as far as it is texts by keys.
function tagsIn(text: string | undefined): KnownCluster['tags'] {
  if (text === undefined || text.length > LONGEST_TAGS) return undefined;
  const tags = parseJSON(text);
  if (!isRecord(tags)) return undefined;
  const texts = Object.entries(tags).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}
