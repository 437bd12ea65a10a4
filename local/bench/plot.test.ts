import { describe, expect, it } from 'vitest';
import { draw } from './plot.ts';

const plot = { title: 'A & B', x: 'seconds', y: 'percent' };

describe('draw', () => {
  it('scales all lines to the largest values, and keeps a weight until the next', () => {
    const points = [
      [0, 0],
      [5, 50],
      [10, 100],
    ] as const;
    const svg = draw({ ...plot, isStepped: true, series: [{ name: 'web', points }] });
    expect(svg).toContain('d="M56.0 276.0H380.0V154.0H704.0V32.0"');
    expect(svg).toContain('A &amp; B');
  });

  it('draws nothing of no points, and has axes all the same', () =>
    expect(draw({ ...plot, series: [] })).toContain('<path d="M56 32V276H704"'));

  it('labels the axes with round numbers', () => {
    const svg = draw({ ...plot, series: [{ name: 'web', points: [[183, 37]] }] });
    const labels = [...svg.matchAll(/text-anchor="(?:end|middle)">([\d.]+)</g)].map(([, label]) => label);
    expect(labels).toEqual(['0', '10', '20', '30', '0', '50', '100', '150']);
  });
});
