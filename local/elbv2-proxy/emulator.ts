import type { IncomingHttpHeaders } from 'node:http';
import { type Fields, fieldsOf, text } from './protocol/fields.ts';
import { encodeQuery } from './protocol/query.ts';
import type { ElbRequest } from './protocol/request.ts';
import { decode, decodeAnswer, decodeError, type AwsError } from './protocol/xml.ts';
import type { RawAnswer, Upstream } from './upstream.ts';

/** The answer of one ELBv2 action: its result, or the error of the emulator. */
export type Answer =
  { readonly ok: true; readonly result: Fields } | { readonly ok: false; readonly error: AwsError };

/** One ELBv2 call to the emulator, made in the name of a caller. */
export type Ask = (action: string, parameters: Fields) => Promise<Answer>;

const path = '/';

function headersFor(headers: IncomingHttpHeaders, authorization: string | undefined): IncomingHttpHeaders {
  const kept = { ...headers, 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
  delete kept['accept-encoding'];
  return authorization === undefined ? kept : { ...kept, authorization };
}

function post(upstream: Upstream, headers: IncomingHttpHeaders, form: Fields): Promise<RawAnswer> {
  return upstream({ method: 'POST', path, headers, body: Buffer.from(encodeQuery(form)) });
}

/** Speaks ELBv2 with the emulator in the name of the caller, whose headers carry account and region. */
export function askFor(upstream: Upstream, request: ElbRequest): Ask {
  const headers = headersFor(request.headers, undefined);
  return async (action, parameters) => {
    const answer = await post(upstream, headers, { Action: action, Version: '2015-12-01', ...parameters });
    const body = answer.body.toString('utf8');
    if (answer.status >= 200 && answer.status < 300) return { ok: true, result: decodeAnswer(action, body) };
    return { ok: false, error: decodeError(body, answer.status) };
  };
}

/** Asks the emulator's STS to which account the caller's key belongs. */
export async function askAccount(upstream: Upstream, request: ElbRequest): Promise<string> {
  const authorization = request.headers.authorization?.replace(
    '/elasticloadbalancing/aws4_request',
    '/sts/aws4_request',
  );
  const form = { Action: 'GetCallerIdentity', Version: '2011-06-15' };
  const answer = await post(upstream, headersFor(request.headers, authorization), form);
  const root = fieldsOf(decode(answer.body.toString('utf8')), 'GetCallerIdentityResponse');
  const account = text(fieldsOf(root, 'GetCallerIdentityResult'), 'Account');
  if (account === undefined) {
    throw new Error(`Expected an account from sts:GetCallerIdentity, got status ${answer.status}.`);
  }
  return account;
}
