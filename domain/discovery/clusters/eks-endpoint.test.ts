import { rootCertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { refuseForeignEndpoint as strangeness, type EKSEndpoint } from './eks-endpoint.ts';

const encodeBase64 = (text: string): string => Buffer.from(text).toString('base64');
const decodeBase64 = (encoded: string): string | undefined => {
  const text = Buffer.from(encoded, 'base64').toString();
  return encodeBase64(text) === encoded ? text : undefined;
};
const refuseForeignEndpoint = (receiver: Parameters<typeof strangeness>[0], endpoint: EKSEndpoint) =>
  strangeness(receiver, endpoint, decodeBase64);

const pem = (...bodies: string[]): string =>
  encodeBase64(
    bodies.map((body) => `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`).join(''),
  );
const endpoint = 'https://0A1B.gr7.eu-central-1.eks.amazonaws.com';
const eks = {
  arn: 'arn:aws:eks:eu-central-1:111122223333:cluster/prod',
  endpoint,
  caData: pem('AAAA\nBBBB'),
};
const at = (server: string, caData?: string) => ({
  server,
  tls: { insecure: false, ...(caData === undefined ? {} : { caData }) },
});

const OTHER_SERVER = 'data.server must be the endpoint that EKS reports';
const OTHER_CA = 'tlsClientConfig.caData must be exactly the CA that EKS reports';

describe('a token for an EKS cluster', () => {
  it.each([
    ['to its endpoint', at(endpoint)],
    ['to its endpoint in capitals', at(endpoint.toUpperCase().replace('HTTPS', 'https'))],
    ['to its endpoint with the port that goes without saying', at(`${endpoint}:443`)],
    ['to its endpoint, verified by its CA', at(endpoint, pem('AAAABBBB'))],
  ])('goes %s', (_, receiver) => {
    expect(refuseForeignEndpoint(receiver, eks)).toBeUndefined();
  });

  it.each([
    ['to someone else', at('https://evil.example'), eks, OTHER_SERVER],
    ['to the endpoint of another cluster', at(endpoint.replace('0A1B', '0A1C')), eks, OTHER_SERVER],
    ['to a name that begins alike', at(`${endpoint}.evil.example`), eks, OTHER_SERVER],
    ['to a name that ends alike', at(endpoint.replace('0A1B', 'evil.0A1B')), eks, OTHER_SERVER],
    ['to another port', at(`${endpoint}:8443`), eks, OTHER_SERVER],
    ['to a path', at(`${endpoint}/proxy`), eks, OTHER_SERVER],
    ['anywhere while there is no endpoint', at(endpoint), { arn: eks.arn }, OTHER_SERVER],
    ['to whoever has the certificate of another CA', at(endpoint, pem('EVIL')), eks, OTHER_CA],
    ['to whoever another CA vouches for as well', at(endpoint, pem('AAAABBBB', 'EVIL')), eks, OTHER_CA],
    [
      'anywhere while EKS tells no CA',
      at(endpoint, pem('AAAABBBB')),
      { ...eks, caData: undefined },
      OTHER_CA,
    ],
  ])('does not go %s', (_, receiver, known, want) => {
    const said = refuseForeignEndpoint(receiver, known);
    expect(said).toContain(want);
    // Whoever wrote the secret may not know it.
    expect(said).not.toContain('0A1B');
  });
});

describe('a bundle of real certificates', () => {
  const [given = '', foreign = ''] = rootCertificates.map((certificate) => `${certificate.trim()}\n`);
  const real: EKSEndpoint = { ...eks, caData: encodeBase64(given) };
  const said = (bundle: string) => refuseForeignEndpoint(at(endpoint, encodeBase64(bundle)), real);
  const labelled = (label: string) => foreign.replaceAll('CERTIFICATE', label);

  it.each([
    ['as EKS gives it', given],
    ['with the line breaks of Windows', given.replaceAll('\n', '\r\n')],
    ['without a line break at its end', given.trimEnd()],
    ['twice, with a line between', `${given}\n${given}`],
  ])('is trusted %s', (_, bundle) => expect(said(bundle)).toBeUndefined());

  it('is trusted letter by letter as EKS gives it, whatever stands in it', () => {
    const caData = encodeBase64(`a text\n${given}`);
    expect(refuseForeignEndpoint(at(endpoint, caData), { ...eks, caData })).toBeUndefined();
  });

  // OpenSSL takes most of these for one more certificate, and passes over none without a word.
  it.each([
    ['one by an older name', labelled('X509 CERTIFICATE')],
    ['one with a word on what it is trusted for', labelled('TRUSTED CERTIFICATE')],
    ['one with spaces after its label', foreign.replaceAll('-----\n', '-----  \n')],
    ['one with spaces after each line', foreign.replaceAll('\n', ' \n')],
    ['one with an empty line within', foreign.replace('-----\n', '-----\n\n')],
    ['one with headers', foreign.replace('-----\n', '-----\nProc-Type: 4\n\n')],
    ['one with a text before it', `a text\n${foreign}`],
    ['one in small letters', labelled('certificate')],
    ['one that is further in', foreign.replaceAll(/^/gm, ' ')],
    ['one that has no end', foreign.slice(0, -40)],
    ['one after a mark of the order of bytes', `\ufeff${foreign}`],
    ['one after a line break of another kind', `\u2028${foreign}`],
    ['a key', labelled('PRIVATE KEY')],
    ['a text', 'a text\n'],
  ])('is not trusted with %s', (_, more) => {
    expect(said(given + more)).toContain(OTHER_CA);
    expect(said(more + given)).toContain(OTHER_CA);
  });

  it.each([
    ['spaces after its label', given.replaceAll('-----\n', '-----  \n')],
    ['an empty line within', given.replace(/\n(?=.*\n-----END)/, '\n\n')],
  ])('is not trusted in a form with %s, which may be read in another way', (_, bundle) => {
    expect(said(bundle)).toContain(OTHER_CA);
  });
});
