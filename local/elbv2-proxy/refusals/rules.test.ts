import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rules } from './rules.ts';

describe('rules', () => {
  it('have names of their own', () => {
    expect(new Set(rules.map((rule) => rule.name)).size).toBe(rules.length);
  });

  it('stand in the documentation with their AWS page', () => {
    const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8').split('\n');
    const isThere = (name: string, source: string): boolean =>
      page.some((line) => line.includes(`\`${name}\``) && line.includes(source));
    expect(rules.filter((rule) => !isThere(rule.name, rule.source)).map((rule) => rule.name)).toEqual([]);
  });
});
