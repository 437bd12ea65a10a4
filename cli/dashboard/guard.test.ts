import { describe, expect, it } from 'vitest';
import { refusalOf } from './http.ts';

interface Asking {
  readonly method: string;
  readonly path: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly site: string | undefined;
  readonly destination: string | undefined;
  readonly mark: string | undefined;
  readonly contentType: string | undefined;
}

const host = '127.0.0.1:8080';
const page: Asking = {
  method: 'GET',
  path: '/',
  host,
  origin: undefined,
  site: 'none',
  destination: 'document',
  mark: undefined,
  contentType: undefined,
};
const call: Asking = { ...page, path: '/api/stream', site: 'same-origin', destination: 'empty', mark: '1' };
const ask: Asking = {
  ...call,
  method: 'POST',
  path: '/api/ask',
  origin: `http://${host}`,
  contentType: 'application/json; charset=utf-8',
};

describe('a request', () => {
  it.each<[string, Asking, number | undefined]>([
    ['of one who opens the page is answered', page, undefined],
    ['of one who follows a link to it is answered', { ...page, site: 'cross-site' }, undefined],
    ['of the page is answered', call, undefined],
    ['of the page to do something is answered', ask, undefined],
    ['of a program that says nothing of sites is answered', { ...call, site: undefined }, undefined],
    ['through a forwarded port is answered', { ...call, host: 'localhost:1234' }, undefined],
    ['through the name that is set is answered', { ...call, host: 'okra.example.com' }, undefined],
    [
      'through TLS in front is answered',
      { ...ask, host: 'okra.example.com', origin: 'https://okra.example.com' },
      undefined,
    ],
    ['to another name of this machine is refused', { ...page, host: 'evil.example' }, 421],
    [
      'to a name that only begins like this machine is refused',
      { ...page, host: '127.0.0.1.evil.example' },
      421,
    ],
    ['to a name behind an @ is refused', { ...page, host: 'localhost@evil.example' }, 421],
    ['without a host is refused', { ...page, host: undefined }, 421],
    ['for the page in a frame is refused', { ...page, site: 'cross-site', destination: 'iframe' }, 403],
    [
      'for a script from elsewhere is refused',
      { ...page, path: '/page.mjs', site: 'cross-site', destination: 'script' },
      403,
    ],
    ['of another port of this machine is refused', { ...call, site: 'same-site' }, 403],
    ['without the mark of the page is refused', { ...call, mark: undefined }, 403],
    [
      'by a form is refused',
      { ...ask, mark: undefined, contentType: 'application/x-www-form-urlencoded' },
      403,
    ],
    ['by a form with the mark is refused', { ...ask, contentType: 'text/plain' }, 415],
    ['to do something without an origin is refused', { ...ask, origin: undefined }, 403],
    ['of another origin is refused', { ...ask, origin: 'http://evil.example' }, 403],
    ['of no origin at all is refused', { ...ask, origin: 'null' }, 403],
    ['of another port is refused', { ...ask, origin: 'http://127.0.0.1:9999' }, 403],
    ['that asks what it may is refused', { ...call, method: 'OPTIONS' }, 405],
  ])('%s', (_, { method, path, host: named, origin, site, destination, mark, contentType }, status) => {
    const headers = {
      host: named,
      origin,
      'sec-fetch-site': site,
      'sec-fetch-dest': destination,
      'x-okra-dashboard': mark,
      'content-type': contentType,
    };
    expect(refusalOf({ method, headers }, path, ['okra.example.com'])?.status).toBe(status);
  });
});
