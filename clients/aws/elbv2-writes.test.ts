import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { connectELBv2 } from './elbv2.ts';

it('sends a write at once that was made ready, without another wait for credentials', async () => {
  const answer =
    '<ModifyTargetGroupAttributesResponse><ModifyTargetGroupAttributesResult/></ModifyTargetGroupAttributesResponse>';
  const server = createServer((_, response) => response.end(answer)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  let asked = 0;
  const credentials = () => {
    asked += 1;
    return Promise.resolve({ accessKeyId: 'a', secretAccessKey: 'b' });
  };
  const endpoint = `http://127.0.0.1:${port}`;
  const elbv2 = connectELBv2({ endpoint, credentials }).inRegion('eu-central-1');
  await elbv2.ready();
  expect(asked).toBe(1);
  await elbv2.setAttributes('arn', { 'stickiness.enabled': 'false' });
  expect(asked).toBe(1);
});
