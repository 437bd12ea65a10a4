import type { IncomingHttpHeaders } from 'node:http';
import type { Fields } from './fields.ts';
import { decodeQuery } from './query.ts';

/** What the Authorization header says about who calls which service where. */
export interface Credential {
  readonly accessKey: string;
  readonly region: string;
  readonly service: string;
}

/** A request to the ELBv2 API, decoded. */
export interface ElbRequest {
  readonly action: string;
  readonly parameters: Fields;
  readonly credential: Credential | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** An HTTP request with its whole body. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Reads the credential scope of a Signature Version 4 header. */
export function credentialOf(authorization: string | undefined): Credential | undefined {
  const scope = /Credential=([^/\s,]+)\/\d{8}\/([^/\s,]+)\/([^/\s,]+)\/aws4_request/.exec(
    authorization ?? '',
  );
  const [, accessKey, region, service] = scope ?? [];
  if (accessKey === undefined || region === undefined || service === undefined) return undefined;
  return { accessKey, region, service };
}

/** Recognises a call of the ELBv2 API; everything else belongs to other services. */
export function elbRequestOf(raw: RawRequest): ElbRequest | undefined {
  const query = new URLSearchParams(raw.method === 'POST' ? formOf(raw) : raw.path.split('?')[1]);
  if (query.get('Version') !== '2015-12-01') return undefined;
  const action = query.get('Action');
  const credential = credentialOf(raw.headers.authorization);
  const isOther = credential !== undefined && credential.service !== 'elasticloadbalancing';
  if (action === null || isOther) return undefined;
  query.delete('Action');
  query.delete('Version');
  return { action, parameters: decodeQuery(query), credential, headers: raw.headers };
}

const formOf = (raw: RawRequest): string =>
  raw.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true
    ? raw.body.toString('utf8')
    : '';
