// They may repeat the whole request that AWS would have signed, with the session token in it.
const repeatsRequest = /^(IncompleteSignature|InvalidSignature|SignatureDoesNotMatch)(Exception)?$/;

// Ids of keys (IAM user guide, "Unique identifiers"), and what a signed request says of who signs it.
const told =
  /\b(?:AKIA|ASIA)[A-Z0-9]{8,}\b|\b(?:x-amz-security-token|Credential|Signature)\s*[:=]\s*[^\s,&']+/gi;

// What the SDK adds when it cannot read an answer; before it stands what the parser says, which quotes the answer.
const UNREADABLE = 'Deserialization error:';
const UNREAD = 'The answer of AWS cannot be read. Check what answers in its place, such as a proxy.';

/** What an error of the AWS SDK says, without the credentials that AWS may have repeated in it, and without any foreign answer. */
export function wordsOf({ name, message }: Error): string {
  if (message.includes(UNREADABLE)) return UNREAD;
  return repeatsRequest.test(name) ? '' : withoutIdentity(message).replaceAll(told, '…');
}

// Who asks for a role in an object is not to learn from its refusal as whom Okra runs, and in which account.
const withoutIdentity = (message: string): string =>
  message.includes('sts:AssumeRole') || message.includes('sts:TagSession')
    ? message.replace(/\bUser: arn:\S{1,2048}/, "Okra's identity")
    : message;

/** The same error where nothing in it tells credentials, and otherwise one without them that comes from the same place. */
export function withoutCredentials(error: Error): Error {
  const message = wordsOf(error);
  const cause = error.cause instanceof Error ? withoutCredentials(error.cause) : error.cause;
  if (message === error.message && cause === error.cause) return error;
  const safe = new Error(message, cause === undefined ? {} : { cause });
  safe.name = error.name;
  const places = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  safe.stack = [`${error.name}: ${message}`, ...places].join('\n');
  return safe;
}
