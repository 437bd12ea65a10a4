import { describe, expect, it } from 'vitest';
import { applicationsTable } from './describe-cell.ts';
import {
  ageOf,
  cellText,
  fitting,
  formatDuration,
  formatTime,
  layOut,
  layOutPairs,
  valueAt,
  wrapped,
} from './output.ts';
import { inOneLine } from '../terminal-text.ts';
import { guessUi, workflowUrl } from './open.ts';

describe('a table', () => {
  it('has columns as wide as they need, and is cut where the screen ends', () => {
    const table = {
      headings: ['A', 'LONG'],
      rows: [
        ['xyz', '1'],
        ['ö', 'ends here'],
      ],
    };
    expect(layOut(table)).toBe('A     LONG\nxyz   1\nö     ends here');
    expect(layOut(table, 10)).toBe('A     LONG\nxyz   1\nö     end…');
  });

  it('leaves out what is not given', () => {
    expect(
      layOutPairs([
        ['a', '1'],
        ['longer', undefined],
        ['bc', '2'],
      ]),
    ).toBe('a:   1\nbc:  2');
  });
});

describe('a line', () => {
  it.each([
    ['short', 10, ['short']],
    ['├─ one two three', 10, ['├─ one two', '│  three']],
    ['└─ one two three', 10, ['└─ one two', '   three']],
    ['│  └─ one two', 11, ['│  └─ one', '│     two']],
    ['averylongword', 5, ['avery', 'longw', 'ord']],
    ['│  │  │  │  x y', 8, ['│  │  │…']],
  ])('%j is broken at %i', (line, columns, lines) => expect(wrapped(line, columns)).toEqual(lines));

  it('is one line, and moves no cursor', () => {
    expect(inOneLine(' a\r\n\n b\u001B[2Jc\u0007 ')).toBe('a b [2Jc');
    expect(inOneLine('by \u202Enna\u2028approved \u2066x')).toBe('by  nna approved  x');
    expect(fitting('abcdef', 4)).toBe('abc…');
  });
});

describe('the table of applications', () => {
  const check = (name: string, phase: 'Successful' | 'Failed') => ({
    name,
    phase,
    run: 'r',
    message: '',
    hash: '',
    time: '',
  });
  it('says where each stands, and which checks have failed', () => {
    const { rows } = applicationsTable({
      applications: [
        {
          name: 'web',
          phase: 'Migrating',
          revision: 2,
          goodRevision: 1,
          child: { name: 'web-c', weight: 30 },
          prechecks: [check('run', 'Successful')],
        },
        {
          name: 'api',
          phase: 'CheckFailed',
          revision: 1,
          checks: [check('dd', 'Failed')],
          message: 'dd failed.',
        },
        { name: 'gone', phase: 'Migrating', child: { name: 'gone-c' } },
      ],
    });
    expect(rows).toEqual([
      ['web', 'Migrating', '1 → 2', '30 by Cell web-c', '1 of 1 check passed', '-'],
      ['api', 'CheckFailed', '1', '-', 'dd Failed', 'dd failed.'],
      ['gone', 'Migrating', '-', '-', '-', '-'],
    ]);
  });
});

describe('a duration', () => {
  it.each([
    [0, '0s'],
    [119_000, '119s'],
    [120_000, '2m'],
    [330_000, '5m30s'],
    [3 * 3600_000 + 5 * 60_000, '3h5m'],
    [4 * 86_400_000 + 2 * 3600_000, '4d2h'],
    [-5, '0s'],
  ])('of %i ms is %s', (milliseconds, text) => expect(formatDuration(milliseconds)).toBe(text));

  it('is told before and after now', () => {
    const now = Date.parse('2026-11-22T10:00:00Z');
    expect(formatTime('2026-11-22T09:59:00.5Z', now)).toBe('2026-11-22T09:59:00Z (60s ago)');
    expect(formatTime('2026-11-22T11:00:00Z', now)).toBe('2026-11-22T11:00:00Z (in 1h)');
    expect([formatTime(undefined, now), ageOf('soon', now)]).toEqual([undefined, '-']);
  });
});

describe('a field path', () => {
  const object = {
    metadata: { labels: { 'okra.mumo.co/version': '1.0.0' } },
    spec: { roles: [{ arn: 'a' }, { arn: 'b' }], none: [] },
    status: { conditions: [{ type: 'Ready', status: 'True' }], results: [{ value: 1 }, { value: 2 }] },
  };
  it.each([
    ['.metadata.labels.okra\\.mumo\\.co/version', '1.0.0'],
    ['.spec.roles[*].arn', 'a,b'],
    ['.spec.none', '-'],
    ['.spec.missing.field', '-'],
    ['.status.conditions[?(@.type=="Ready")].status', 'True'],
    ['.status.results[-1:].value', '2'],
  ])('%s reads %s', (path, text) => expect(cellText(valueAt(object, path))).toBe(text));
});

describe('the Web UI', () => {
  it.each([
    ['127.0.0.1:7233', 'http://127.0.0.1:8233'],
    ['shop.acct1.tmprl.cloud:7233', 'https://cloud.temporal.io'],
    ['temporal.example:7233', undefined],
  ])('of %s is guessed to be %s', (address, ui) => expect(guessUi(address)).toBe(ui));

  it('has an address for each workflow', () => {
    expect(workflowUrl('http://ui/', 'a b', 'cell/default/web')).toBe(
      'http://ui/namespaces/a%20b/workflows/cell%2Fdefault%2Fweb',
    );
  });
});
