import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { countProduct, limits, writeSizeTable } from './size.ts';

const sizes = countProduct();
const all = sizes.get('all');

it('the product is not larger than it may be', () => {
  expect(all?.files).toBeLessThanOrEqual(limits.files);
  expect(all?.lines).toBeLessThanOrEqual(limits.lines);
});

it('docs/design.md shows these limits (npm run generate)', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/design.md'), 'utf8');
  for (const row of writeSizeTable(sizes).split('\n').slice(-2)) expect(page).toContain(row);
});
