import { expect, it } from 'vitest';
import { requestLines } from './requests.ts';

it('reads the counters of requests, and nothing else, out of what an API server says of itself', () => {
  const text = [
    '# TYPE apiserver_request_total counter',
    'apiserver_request_total{code="200",component="apiserver",resource="bindings",subresource="",verb="GET"} 12',
    'apiserver_request_duration_seconds_count{resource="bindings",verb="GET"} 12',
    'apiserver_request_total{code="200",resource="bindings",subresource="status",verb="PATCH"} 1.5e+03',
  ].join('\n');
  expect(
    requestLines(text).map(([{ verb, resource, subresource }, count]) => [
      verb,
      resource,
      subresource,
      count,
    ]),
  ).toEqual([
    ['GET', 'bindings', '', 12],
    ['PATCH', 'bindings', 'status', 1500],
  ]);
});
