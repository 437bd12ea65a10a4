import { parseArgs } from 'node:util';
import { startProxy } from './server.ts';

const usage = 'node local/elbv2-proxy/main.ts --port N --upstream http://127.0.0.1:M [--host 127.0.0.1]';

function fail(problem: string): never {
  process.stderr.write(`${problem} Usage: ${usage}\n`);
  process.exit(2);
}

function readOptions(): { readonly upstream: string; readonly port: number; readonly host: string } {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      upstream: { type: 'string' },
      host: { type: 'string', default: '127.0.0.1' },
    },
  });
  const { port, upstream, host } = values;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) fail(`Expected --port to be 0–65535, got "${port}".`);
  if (upstream === undefined || !URL.canParse(upstream)) {
    fail(`Expected --upstream to be the emulator's URL, got "${upstream ?? ''}".`);
  }
  return { upstream, port: Number(port), host };
}

const proxy = await startProxy(readOptions());
process.stdout.write(`${JSON.stringify({ url: proxy.url })}\n`);
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void proxy.close().then(() => process.exit(0)));
}
