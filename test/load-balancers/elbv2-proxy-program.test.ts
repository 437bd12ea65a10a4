import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { proxyControl } from '../../local/elbv2-proxy/control.ts';

const program = 'local/elbv2-proxy/main.ts';

const start = (...options: readonly string[]) =>
  spawn(process.execPath, [program, ...options], { stdio: 'pipe' });

async function read(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const part of stream) text += String(part);
  return text;
}

it('says where it listens, and ends on SIGTERM', async () => {
  const proxy = start('--upstream', 'http://127.0.0.1:9');
  const [line] = (await once(proxy.stdout, 'data')) as [Buffer];
  const { url } = JSON.parse(line.toString('utf8')) as { readonly url: string };
  expect(await proxyControl(url).health()).toEqual({ ok: true });
  proxy.kill('SIGTERM');
  expect((await once(proxy, 'exit'))[0]).toBe(0);
});

it.each([
  [['--port', '1'], 'Expected --upstream'],
  [['--port', 'x', '--upstream', 'http://127.0.0.1:9'], 'Expected --port'],
])('refuses %j', async (options, want) => {
  const proxy = start(...options);
  const [said] = await Promise.all([read(proxy.stderr), once(proxy, 'exit')]);
  expect([proxy.exitCode, said.startsWith(want)]).toEqual([2, true]);
});

it('answers 503 while the emulator is down', async () => {
  const proxy = start('--upstream', 'http://127.0.0.1:9');
  const [line] = (await once(proxy.stdout, 'data')) as [Buffer];
  const { url } = JSON.parse(line.toString('utf8')) as { readonly url: string };
  const authorization =
    'AWS4-HMAC-SHA256 Credential=t/20260101/us-east-1/elasticloadbalancing/aws4_request, Signature=0';
  const body = new URLSearchParams({ Action: 'DescribeLoadBalancers', Version: '2015-12-01' });
  const elb = await fetch(url, { method: 'POST', headers: { authorization }, body });
  expect([elb.status, (await elb.text()).includes('<Code>ServiceUnavailable</Code>')]).toEqual([503, true]);
  const other = await fetch(`${url}/clusters`);
  expect([other.status, await other.json()]).toEqual([503, { error: expect.stringContaining('Start it.') }]);
  proxy.kill('SIGTERM');
  await once(proxy, 'exit');
});
