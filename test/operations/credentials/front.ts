import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createUpstream, endToEnd, type RawAnswer } from '../../../local/elbv2-proxy/upstream.ts';

/** A request to AWS: what it asks for, and as whom. */
export interface SeenCall {
  readonly service: 'ELBv2' | 'STS';
  readonly action: string;
  /** The id of the key that signed it; undefined: nobody signed it. */
  readonly accessKeyId: string | undefined;
  readonly sessionToken: string | undefined;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Credentials that STS has given away. */
export interface GivenCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  /** When they end, in milliseconds since the epoch. */
  readonly ends: number;
}

/** What stands before AWS, and sees who asks. */
export interface Front extends AsyncDisposable {
  readonly url: string;
  readonly calls: SeenCall[];
  readonly given: GivenCredentials[];
  /** How long the credentials that STS gives from now on are good for. */
  secondsToLive: number;
  /** The error with which STS answers from now on. */
  refusal: { readonly code: string; readonly message: string } | undefined;
}

/** Stands before the emulator of AWS: writes down who asks, and lets STS give credentials that soon expire, or none. */
export async function standBefore(upstreamUrl: string): Promise<Front> {
  const upstream = createUpstream(upstreamUrl);
  const server = createServer((request, response) => {
    void (async () => {
      const body = Buffer.concat(await request.toArray());
      const { method = '', url: path = '/', headers } = request;
      const call = callOf(headers, body.toString());
      front.calls.push(call);
      const answer =
        call.service === 'STS' && front.refusal !== undefined
          ? refused(front.refusal)
          : await upstream({ method, path, headers, body });
      const { status, body: told } = call.service === 'STS' ? expiring(answer, front) : answer;
      response.writeHead(status, { ...endToEnd(answer.headers), 'content-length': told.length }).end(told);
    })().catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const front: Front = {
    url: `http://127.0.0.1:${port}`,
    calls: [],
    given: [],
    secondsToLive: 3600,
    refusal: undefined,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return front;
}

function callOf(headers: IncomingHttpHeaders, body: string): SeenCall {
  const parameters = Object.fromEntries(new URLSearchParams(body));
  const token = headers['x-amz-security-token'];
  return {
    service: parameters['Version'] === '2011-06-15' ? 'STS' : 'ELBv2',
    action: parameters['Action'] ?? '',
    accessKeyId: /Credential=([^/]+)\//.exec(headers.authorization ?? '')?.[1],
    sessionToken: typeof token === 'string' ? token : undefined,
    parameters,
  };
}

const element = (xml: string, name: string): string =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '';

/** An answer of STS whose credentials expire when it is wanted; they are written down. */
function expiring(answer: RawAnswer, front: Front): RawAnswer {
  const xml = answer.body.toString();
  if (!xml.includes('<Expiration>')) return answer;
  const ends = Date.now() + front.secondsToLive * 1000;
  front.given.push({
    ends,
    accessKeyId: element(xml, 'AccessKeyId'),
    secretAccessKey: element(xml, 'SecretAccessKey'),
    sessionToken: element(xml, 'SessionToken'),
  });
  const said = `<Expiration>${new Date(ends).toISOString()}<`;
  const body = Buffer.from(xml.replace(/<Expiration>[^<]*</, said));
  return { ...answer, body };
}

function refused({ code, message }: NonNullable<Front['refusal']>): RawAnswer {
  const xml = `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;
  return { status: 403, headers: { 'content-type': 'text/xml' }, body: Buffer.from(xml) };
}
