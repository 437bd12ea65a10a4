import { describe, expect, it } from 'vitest';
import { createLog } from './log.ts';

describe('a log', () => {
  it('writes events of its level and above where it is told to, one line of JSON each', () => {
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => void lines.push(line) });
    log.debug('unheard');
    log.info({ cell: 'web' }, 'rollout started');
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      { level: 'info', time: expect.any(String) as string, cell: 'web', msg: 'rollout started' },
    ]);
  });
});
