import { describe, expect, it } from 'vitest';
import { createLog } from '../clients/log.ts';
import { createReadiness } from './health.ts';

const ready = () => createReadiness(['worker, temporal', 'worker, polls'], createLog('silent'));

describe('the readiness of a process', () => {
  it('waits for everything at first', () => {
    expect(ready().missing()).toEqual(['worker, temporal: not yet', 'worker, polls: not yet']);
  });

  it('waits for what is missing, and says why', () => {
    const readiness = ready();
    readiness.of('worker, temporal')(undefined);
    readiness.of('worker, polls')('Expected a poll, got none.');
    expect(readiness.missing()).toEqual(['worker, polls: Expected a poll, got none.']);
  });

  it('is there when nothing is missing', () => {
    const readiness = ready();
    readiness.of('worker, temporal')(undefined);
    readiness.of('worker, polls')(undefined);
    expect(readiness.missing()).toEqual([]);
  });

  it('goes when something is missing again', () => {
    const readiness = ready();
    readiness.of('worker, polls')(undefined);
    readiness.of('worker, temporal')(undefined);
    readiness.of('worker, temporal')('Expected an answer, got none.');
    expect(readiness.missing()).toEqual(['worker, temporal: Expected an answer, got none.']);
  });
});
