import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { errorOf, isConflict, isExpired, isNotFound, serverUnreachable } from './kubernetes-error.ts';

const coded = (message: string, code: string) => Object.assign(new Error(message), { code });
const status = (code: number, reason: string, message: string) =>
  JSON.stringify({ kind: 'Status', status: 'Failure', code, reason, message });

describe('errorOf', () => {
  it.each([
    [
      'reads what the API server says',
      409,
      status(409, 'AlreadyExists', 'x exists'),
      [409, 'AlreadyExists', 'x exists'],
    ],
    [
      'reads an error that came by a watch',
      500,
      status(410, 'Expired', 'too old'),
      [410, 'Expired', 'too old'],
    ],
    [
      'does with plain text',
      404,
      '404 page not found',
      [404, 'NotFound', 'The Kubernetes API answered 404 to GET /x.'],
    ],
    [
      'does with nothing at all',
      503,
      '',
      [503, 'ServiceUnavailable', 'The Kubernetes API answered 503 to GET /x.'],
    ],
    [
      'does with JSON of another kind',
      418,
      '[1]',
      [418, 'Unknown', 'The Kubernetes API answered 418 to GET /x.'],
    ],
    [
      'repeats nothing of what another server says',
      403,
      JSON.stringify({ code: 404, reason: 'NotFound', message: 'hunter2' }),
      [403, 'Forbidden', 'The Kubernetes API answered 403 to GET /x.'],
    ],
    [
      'says what to do about a redirect',
      302,
      '',
      [
        302,
        'Unknown',
        'The Kubernetes API answered 302 to GET /x. No redirect is followed: set the server to the address of the API server itself.',
      ],
    ],
  ])('%s', (_, code, body, want) => {
    const error = errorOf(code, body, 'GET /x');
    expect([error.status, error.reason, error.message]).toEqual(want);
  });

  const initializing = JSON.stringify({
    kind: 'Status',
    code: 429,
    reason: 'TooManyRequests',
    message: 'storage is (re)initializing',
    details: { retryAfterSeconds: 1 },
  });
  it.each([
    ['in its status', initializing, undefined, 1],
    ['in its header alone', 'Too many requests, please try again later.', '2', 2],
    ['as a date', '', 'Wed, 21 Oct 2026 07:28:00 GMT', undefined],
    ['as nonsense', JSON.stringify({ details: { retryAfterSeconds: 'soon' } }), '-1', undefined],
    ['not at all', JSON.stringify({ details: null }), undefined, undefined],
  ])('reads when to ask again where the API server says it %s', (_, body, header, want) => {
    expect(errorOf(429, body, 'GET /x', header).retryAfterSeconds).toBe(want);
  });

  it('tells the usual ones apart', () => {
    expect(isNotFound(errorOf(404, '', ''))).toBe(true);
    expect(isConflict(errorOf(409, '', ''))).toBe(true);
    expect(isExpired(errorOf(410, '', ''))).toBe(true);
    expect(isNotFound(new Error('404'))).toBe(false);
  });
});

describe('unreachable', () => {
  it.each([
    ['what happened', coded('connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED')],
    [
      'what happened below',
      new TypeError('{"password":"hunter2"}', {
        cause: coded('connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED'),
      }),
    ],
    [
      'what happened at the first of several addresses',
      new AggregateError([coded('connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED')]),
    ],
  ])('says %s', (_, cause) => {
    const error = serverUnreachable('GET /x', cause);
    expect([error.status, error.reason]).toEqual([0, 'Unreachable']);
    expect(error.message).toBe('The Kubernetes API did not answer GET /x: connect ECONNREFUSED 127.0.0.1:1.');
  });

  it.each([
    ['a text that could not be read', new SyntaxError(`Unexpected token 'h', "hunter2" is not valid JSON`)],
    [
      'the names in a certificate',
      coded('… altnames: Host: a. is not in the cert: DNS:hunter2', 'ERR_TLS_CERT_ALTNAME_INVALID'),
    ],
    ['what is no error', 'hunter2'],
  ])('repeats nothing of %s', (_, cause) => {
    const error = serverUnreachable('GET /x', cause);
    expect(inspect(error, { depth: 10 })).not.toContain('hunter2');
  });

  it('says when it took too long', () => {
    expect(serverUnreachable('GET /x', new DOMException('too long', 'TimeoutError')).reason).toBe('Timeout');
  });
});
