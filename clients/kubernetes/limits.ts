/** How much is read of what an API server answers before it is given up. */
export interface ReadLimits {
  /** Of one answer that is not a stream. */
  readonly answerBytes: number;
  /** Objects that are asked for at once; fewer when so many do not fit into an answer. */
  readonly pageItems: number;
  readonly listPages: number;
  readonly listItems: number;
  readonly listBytes: number;
  readonly listMilliseconds: number;
  /** One event of a watch. */
  readonly lineBytes: number;
  /** All events of a watch until it is begun again. */
  readonly watchBytes: number;
}

const MEGABYTE = 1_000_000;

/** For Okra's own cluster, whose objects are many: what no API server in order reaches. */
export const OWN_CLUSTER: ReadLimits = {
  answerBytes: 32 * MEGABYTE,
  pageItems: 500,
  listPages: 10_000,
  listItems: 1_000_000,
  listBytes: 4_000 * MEGABYTE,
  listMilliseconds: 600_000,
  lineBytes: 8 * MEGABYTE,
  watchBytes: 4_000 * MEGABYTE,
};

/** For a cluster that a secret names: what 10,000 nodes, or pods of a namespace, do not reach. */
export const REMOTE_CLUSTER: ReadLimits = {
  answerBytes: 8 * MEGABYTE,
  pageItems: 250,
  listPages: 1_000,
  listItems: 20_000,
  listBytes: 256 * MEGABYTE,
  listMilliseconds: 60_000,
  lineBytes: 4 * MEGABYTE,
  watchBytes: 256 * MEGABYTE,
};

/** Of an answer that is an error, or one that nobody reads. */
export const ERROR_BYTES = 64_000;

/** The longest `continue` and the longest resource version that are sent back to who gave them. */
export const TOKEN_CHARACTERS = 16_000;

/** How much is read of a list of AWS before it is given up. */
export interface AwsListLimits {
  readonly pages: number;
  readonly items: number;
}

/** What no quota of AWS comes near to: of clusters in a region, of rules of a listener, of target groups by ARN. */
export const AWS_LIST: AwsListLimits = { pages: 1_000, items: 10_000 };
