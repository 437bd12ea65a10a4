import pino from 'pino';
import type { RuntimeOptions } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { installRuntime, logTo } from './runtime.ts';

function recorded() {
  const lines: Record<string, unknown>[] = [];
  const log = pino(
    { level: 'trace', base: null, formatters: { level: (label) => ({ level: label }) } },
    {
      write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
    },
  );
  return { log, lines };
}

describe('the log of the Temporal SDK', () => {
  it.each(['trace', 'debug', 'info', 'warn', 'error'] as const)(
    'logs %s as an event of that level',
    (level) => {
      const { log, lines } = recorded();
      logTo(log, 'TRACE').log(level.toUpperCase() as 'INFO', 'polled', { queue: 'okra' });
      expect(lines).toMatchObject([{ level, msg: 'polled', queue: 'okra', sdk: 'temporal' }]);
    },
  );

  it('does not warn of workers for activities alone', () => {
    const { log, lines } = recorded();
    logTo(log, 'WARN').warn('No workflows registered, not polling for workflow tasks');
    expect(lines).toMatchObject([{ level: 'debug' }]);
  });

  it('leaves out what is below its level', () => {
    const { log, lines } = recorded();
    logTo(log, 'WARN').info('polled');
    expect(lines).toEqual([]);
  });

  it('names an error as all others do', () => {
    const { log, lines } = recorded();
    logTo(log, 'WARN').error('failed', { error: new Error('no route') });
    expect(lines).toMatchObject([{ err: { message: 'no route' } }]);
  });
});

describe('the runtime of the Temporal SDK', () => {
  const metrics = { host: '::1', port: 9000 };

  it('forwards the log of its native code, and leaves signals to okrad', () => {
    const installed: RuntimeOptions[] = [];
    installRuntime(
      { log: recorded().log, level: 'info', metrics },
      (options) => installed.push(options) as never,
    );
    expect(installed).toMatchObject([
      {
        shutdownSignals: [],
        telemetryOptions: {
          logging: { forward: {}, filter: expect.stringContaining('=INFO') as unknown },
          metrics: { prometheus: { bindAddress: '[::1]:9000', countersTotalSuffix: true } },
        },
      },
    ]);
  });

  it('continues without metrics when their port is taken, and says so', () => {
    const { log, lines } = recorded();
    const installed: RuntimeOptions[] = [];
    installRuntime({ log, level: 'warn', metrics }, (options) => {
      if (options?.telemetryOptions?.metrics !== undefined) throw new Error('Address already in use');
      return installed.push(options ?? {}) as never;
    });
    expect(installed).toHaveLength(1);
    expect(lines).toMatchObject([{ level: 'error', address: '[::1]:9000' }]);
  });
});
